# Where a product's time goes: a bar a variant, from the top. count blocks hold a phase each: the bar's place, where the phase
# starts and where it ends. One more block holds two lines of text for each bar.
entries = count
tall = 60 * bars
load dir.'/style.gp'
set grid noytics nomytics
set border 1
unset ytics
set xrange [0:*]
set offsets 0, 0, 0, 0
set yrange [bars-0.4:-0.75]
set format x '%.1s %cs'
set xlabel 'time (less is better)'
patterns = '3 1 4 2'
plot for [i = 0:count-1] data index i using 2:1:2:3:($1+0.08):($1+0.36) with boxxyerror linetype i+1 linewidth 1 \
       dashtype 1 fillstyle pattern int(word(patterns, i+1)) title columnheader(1), \
     for [i = 2:3] data index count using (0):($1-0.7+0.27*i-0.27):i with labels left offset 0.3, 0 font ',15' notitle
