# The ratio of ours to each library, against the shapes. target: what no cell shall be below.
load dir.'/style.gp'
set rmargin at screen 0.72
letters = sprintf(',%.1f', 11 * (longest > 22 ? 22.0 / longest : 1))
set key at screen 0.73, screen 0.9 font letters
set bmargin 6.2
set xtics rotate by 45 right font ',11'
set yrange [bottom:top]
set ytics 0.1
set mytics 2
set xlabel 'n (matrices n × n), or m × n × k' offset 0, 0.4
set ylabel 'GFLOP/s, ours / library (higher is better)'
set object 1 rectangle from graph 0, first bottom to graph 1, first target behind fillcolor rgb '#f6ecec' linewidth 0
plot [left:right] 1 with lines linewidth 1.6 linecolor rgb '#222222' notitle, \
     target with lines dashtype 2 linewidth 1 linecolor rgb '#222222' title sprintf('%g: the target', target), \
     for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 linewidth 1.2 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 dashtype 1 linewidth 1.2 \
       title columnheader(1)
