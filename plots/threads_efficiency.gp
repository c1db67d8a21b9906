# Speedup over one thread, divided by the threads: what share of them does useful work. 100 % is ideal.
load dir.'/style.gp'
set logscale x 2
set yrange [0:110<*]
set format y '%g %%'
set xlabel 'threads'
set ylabel 'efficiency: speedup / threads (higher is better)'
plot [left:right] 100 with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal: 100 %', \
     for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
