# GFLOP/s against n, from zero: twice as high is twice as fast. Given bottom, from there and logarithmic: what is
# hundreds of times as slow would lie on the floor. level, if given, holds the processor's roofs.
load dir.'/style.gp'
set logscale x 2
set yrange [0:*]
if (exists('level')) set yrange [0:1.12*level[|level|]<*]
if (exists('bottom')) {
  set logscale y 2
  set yrange [bottom:*]
  if (exists('level')) { set yrange [bottom:1.4*level[|level|]<*] }
  if (exists('top')) { set yrange [bottom:top] }
}
set xlabel 'n (matrices n × n)'
set ylabel 'GFLOP/s (higher is better)'
plot for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1), @others
