# GFLOP/s against the tile's side T. upright marks where three tiles fill a cache.
load dir.'/style.gp'
set logscale x 2
set yrange [0:*]
set xlabel 'T (tiles T × T)'
set ylabel 'GFLOP/s (higher is better)'
plot for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1), @others
