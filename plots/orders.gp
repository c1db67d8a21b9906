# GFLOP/s of the six loop orders at some sizes, from light to dark, logarithmic; beside holds the native builds' rates.
load dir.'/style.gp'
set grid noxtics
set xtics scale 0
set xlabel 'order of the loops, the outermost first'
set ylabel 'GFLOP/s (higher is better)'
filled = 'fillstyle solid 1 border linecolor rgb "#333333" fillcolor rgb word(shades, look(i)) dashtype 1 linewidth 1'
plot @bars_of, \
     for [i = 0:count-1] data index i using 1:(bottom*1.12):6 with labels rotate by 90 left font ',13' notitle, \
     for [i = count:count+beside-1] data index i using 1:2 with points pointtype 13 pointsize 1.1 \
       linecolor rgb '#D55E00' title columnheader(1)
