# GFLOP/s against the tile's side T. upright marks where three tiles fill a cache.
load dir.'/style.gp'
set logscale x 2
set xlabel 'T (tiles T × T)'
set ylabel 'GFLOP/s (higher is better)'
plot @curves, @others
