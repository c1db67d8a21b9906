# GFLOP/s against n, from zero: twice as high is twice as fast. peak, if given, is the processor's roof.
load dir.'/style.gp'
set logscale x 2
set yrange [0:*]
set xlabel 'n (matrices n × n)'
set ylabel 'GFLOP/s (higher is better)'
if (exists('peak')) {
  set arrow 1 from left, peak to right, peak nohead dashtype 2 linewidth 1.2
  set label 2 peak_text at left, peak offset 1, 0.6 font ',11'
  set yrange [0:1.12*peak<*]
}
plot for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
