# GFLOP/s against n. bold is the line of the best; level, if given, holds the processor's roofs; the grey bands reach from
# the slowest to the fastest library.
load dir.'/style.gp'
set logscale x 2
set xlabel 'n (matrices n × n)'
set ylabel 'GFLOP/s (higher is better)'
bands = !beside ? '' : 'for [i = count:count+beside-1] data index i using 1:2:3 with filledcurves fillcolor rgb "#d4d4d4" notitle, \
  for [i = count:count+beside-1] data index i using 1:3 with linespoints linecolor rgb "#777777" linewidth 1.2 \
    dashtype 2+i-count pointtype shape(i-count+1) pointsize 0.6 title columnheader(1), '
plot @bands @curves
