# Weak scaling: the rate of each rank over that of one alone, each with as much memory. Level is ideal.
load dir.'/style.gp'
set logscale x 2
set yrange [0:110<*]
set format y '%g %%'
set xlabel 'ranks (n² grows with them)'
set ylabel 'GFLOP/s of a rank, of those on one rank'
plot [left:right] 100 with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', \
     for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
