# Where a product's time goes on a GPU: a bar a variant, from the top. count blocks hold a phase each: the bar's place,
# where the phase starts and where it ends. One more block holds a line of text for each bar.
entries = count
tall = 42 * bars
before = 18
after = 46
longest = 10
load dir.'/style.gp'
set grid noytics nomytics
set border 1
unset ytics
of_seconds(x) = x >= 1 || x == 0 ? sprintf('%g s', x) : x >= 1e-3 ? sprintf('%g ms', 1e3*x) : sprintf('%g µs', 1e6*x)
tens = 10.0**floor(log10(right))
apart = right < 2*tens ? tens/2 : right < 5*tens ? tens : 2*tens
do for [i = 0:int(right/apart)] { set xtics add (of_seconds(i*apart) i*apart) }  # %s has six digits or rounds 1.5 to 2
set yrange [bars-0.4:-0.7]
set xlabel 'time (less is better)'
plot for [i = 0:count-1] data index i using 2:1:2:3:($1+0.02):($1+0.38) with boxxyerror linetype i+1 linewidth 1 \
       dashtype 1 fillstyle pattern pattern(i+1) title columnheader(1), \
     data index count using (left):($1-0.24):2 with labels left offset 0.3, 0 font sprintf(',%.1f', texts > 84 ? 12*84./texts : 12) notitle
