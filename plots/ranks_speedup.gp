# Speedup of all phases over the same variant's on one rank, against ranks. Dashed: as many times as fast.
entries = count + 1
load dir.'/style.gp'
set logscale xy 2
set yrange [*:*]
set autoscale yfix
set format y '%g×'
set xlabel 'ranks'
set ylabel 'speedup over one rank (higher is better)'
plot x < 1 ? NaN : x with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', @curves
