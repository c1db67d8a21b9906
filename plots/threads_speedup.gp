# How many times as fast as with one thread; the dashed line is what p threads could give at most: p.
load dir.'/style.gp'
set logscale x 2
set logscale y 2
set format y '%g×'
set xlabel 'threads'
set ylabel 'speedup over one thread (higher is better)'
plot [left:right] x with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal: p threads, p×', \
     for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
