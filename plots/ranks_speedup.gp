# Speedup of all phases over the same variant's on one rank, against ranks. Dashed: as many times as fast.
load dir.'/style.gp'
set logscale xy 2
set xlabel 'ranks'
set ylabel 'speedup over one rank (higher is better)'
plot [left:right] x < 1 ? NaN : x with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', \
     for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
