# Time of one product against threads, from zero: two variants, of which one's threads write to the same cache lines.
load dir.'/style.gp'
set logscale x 2
set yrange [0:*]
set format y '%g s'
set xlabel 'threads'
set ylabel 'time of one product (lower is better)'
plot for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
