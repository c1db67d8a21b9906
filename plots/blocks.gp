# GFLOP/s with each shape of block: a bar a variant, its rate at its top.
load dir.'/style.gp'
set grid noxtics
set xtics scale 0
set xlabel 'threads of a block, across × down'
set ylabel 'GFLOP/s (higher is better)'
filled = 'fillstyle pattern pattern(look(i)) linetype look(i) dashtype 1 linewidth 1'
plot @bars_of, for [i = 0:count-1] data index i using 1:5:6 with labels rotate by 90 left offset 0, 0.5 font ',12' notitle
