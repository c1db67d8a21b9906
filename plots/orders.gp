# GFLOP/s of the six loop orders by n; looks 7 to 12, the native ones, are hatched.
load dir.'/style.gp'
set key off   # every bar bears its name
set rmargin 2
set grid noxtics
set xtics scale 0
set yrange [0:top]
set xlabel 'n (matrices n × n)'
set ylabel 'GFLOP/s (higher is better)'
plot for [i = 0:count-1] data index i using 1:2:(width) with boxes fillstyle pattern (look(i) > 6 ? 2 : 3) \
       linetype (look(i)-1) % 6 + 1 dashtype 1 linewidth 1 title columnheader(1), \
     for [i = 0:count-1] data index i @spread linetype 1 linewidth 1.2 notitle, \
     for [i = 0:count-1] data index i using 1:5:6 with labels rotate by 90 left offset 0, 0.5 font ',10' notitle
