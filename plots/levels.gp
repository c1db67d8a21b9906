# GFLOP/s of 01's variants at each optimisation level, from light to dark.
load dir.'/style.gp'
set grid noxtics
set xtics scale 0
set xlabel 'variant of 01_naive'
set ylabel 'GFLOP/s (higher is better)'
filled = 'fillstyle solid 1 border linecolor rgb "#333333" fillcolor rgb word(shades, look(i)) dashtype 1 linewidth 1'
plot @bars_of, for [i = 0:count-1] data index i using 1:5:6 with labels rotate by 90 left offset 0, 0.5 font ',13' notitle
