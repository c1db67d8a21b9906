# GFLOP/s against n. bold is the line of the best; beside hold the peaks and, from the slowest to the fastest library, grey bands.
load dir.'/style.gp'
set logscale x 2
set xlabel 'n (matrices n × n)'
set ylabel 'GFLOP/s (higher is better)'
bands = !beside ? '' : 'for [i = count:count+beside-1] data index i using 1:2:3 with filledcurves fillcolor rgb "#d4d4d4" notitle, \
  for [i = count:count+beside-1] data index i using 1:3 with linespoints linecolor rgb "#777777" linewidth 1.2 \
    dashtype 2+(i-count)%4 pointtype shape(i-count+1) pointsize 0.6 title columnheader(1), '
plot @bands @curves
