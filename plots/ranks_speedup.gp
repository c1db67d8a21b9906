# Speedup of all phases over the same variant's on one rank, against ranks. Dashed: as many times as fast.
entries = count + 1
before = 92
load dir.'/style.gp'
set logscale xy 2
set yrange [*:*]
set format y '%g×'
set xlabel 'ranks'
set ylabel 'speedup over one rank (higher is better)'
plot [left:right] x < 1 ? NaN : x with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', @curves
