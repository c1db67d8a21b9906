# Time of one product against threads.
load dir.'/style.gp'
set logscale x 2
set logscale y 10
set format y '%.0s %cs'
set ytics add ('1000 s' 1e3, '10000 s' 1e4)
set xlabel 'threads'
set ylabel 'time of one product (lower is better)'
plot for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
