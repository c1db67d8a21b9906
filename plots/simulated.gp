# Simulated efficiency against ranks, 100 % is ideal; dashed, in the same colour, what the formula on paper says.
entries = count + 1
load dir.'/style.gp'
set rmargin at screen 1-24.0/wide   # half of 1024's label
set logscale x 4
set yrange [0:105]
set format y '%g %%'
set xlabel 'ranks'
plot for [i = count:count+beside-1] data index i using 1:2 with lines linetype i-count+1 dashtype 2 linewidth 1.1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 dashtype 1 title columnheader(1), \
     NaN with lines dashtype 2 linewidth 1.1 linecolor rgb grey title 'dashed: alpha-beta, on paper'
