# GFLOP/s of 01's variants at each optimisation level.
load dir.'/style.gp'
set key off   # every bar bears its name
set rmargin 2
set grid noxtics
set xtics scale 0
set yrange [0:top]
set xlabel 'variant of 01_naive'
set ylabel 'GFLOP/s (higher is better)'
plot for [i = 0:count-1] data index i using 1:2:(width) with boxes fillstyle pattern pattern(look(i)) \
       linetype look(i) dashtype 1 linewidth 1 title columnheader(1), \
     for [i = 0:count-1] data index i @spread linetype 1 linewidth 1.2 notitle, \
     for [i = 0:count-1] data index i using 1:5:6 with labels rotate by 90 left offset 0, 0.5 font ',11' notitle
