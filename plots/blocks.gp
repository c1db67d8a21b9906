# GFLOP/s with each shape of block: a bar a variant, its rate at its top.
load dir.'/style.gp'
set grid noxtics
set xtics scale 0
set yrange [0:0.86*top]
set xlabel 'threads of a block, across × down'
set ylabel 'GFLOP/s (higher is better)'
rate(bar) = word(bar, words(bar))
plot for [i = 0:count-1] data index i using 1:2:(width) with boxes fillstyle pattern pattern(look(i)) \
       linetype look(i) dashtype 1 linewidth 1 title columnheader(1), \
     for [i = 0:count-1] data index i @spread linetype 1 linewidth 1.2 notitle, \
     for [i = 0:count-1] data index i using 1:5:(rate(strcol(6))) with labels rotate by 90 left offset 0, 0.5 \
       font ',10' notitle
