# The ratio of ours to each library, against the shapes. target: what no cell shall be below.
entries = count + 1
under = 118
load dir.'/style.gp'
set xtics rotate by 50 right
set yrange [bottom:top]
set ytics 0.1 * (top > 2 ? 5 : 1)
set offsets 0.4, 0.4, 0, 0
set xlabel 'n of matrices n × n, then n² × k or m × n × k'
set object 1 rectangle from graph 0, first bottom to graph 1, first target behind fillcolor rgb '#f6ecec' linewidth 0
plot 1 with lines linewidth 1.6 linecolor rgb '#222222' notitle, \
     target with lines dashtype 2 linewidth 1.4 linecolor rgb '#882255' title sprintf('%g: the target', target), \
     for [i = 0:count-1] data index i using 6:(1):xtic(7) with points pointsize 0 notitle, @spread, @curves
