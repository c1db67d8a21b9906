# Where a product's time goes: a bar a variant, from the top. count blocks hold a phase each: the bar's place, where the phase
# starts and where it ends; end is the longest's. One more block holds two lines of text for each bar.
entries = count
tall = 58 * (bars + 0.35)
load dir.'/style.gp'
set lmargin at screen 12.0/wide
set grid noytics
set border 1
unset ytics
set xrange [0:end*1.05]
ten = 10.0**floor(log10(end/3)); each = ten * (end/ten < 5 ? 1 : end/ten < 10 ? 2 : 5)
set xtics each   # three to five of them
set yrange [bars-0.4:-0.75]
set format x '%.0s %cs'
patterns = '3 1 4 2'
plot for [i = 0:count-1] data index i using 2:1:2:3:($1+0.08):($1+0.36) with boxxyerror linetype i+1 linewidth 1 \
       dashtype 1 fillstyle pattern int(word(patterns, i+1)) title columnheader(1), \
     for [i = 2:3] data index count using (0):($1-0.7+0.27*i-0.27):i with labels left offset 0.3, 0 font ',14' notitle
