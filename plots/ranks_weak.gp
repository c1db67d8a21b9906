# Weak scaling: the rate of each rank over that of one alone, each with as much memory. Level is ideal.
entries = count + 1
load dir.'/style.gp'
set logscale x 2
set yrange [0:110<*]
set format y '%g %%'
set xlabel 'ranks (n² grows with them)'
set ylabel 'rate of a rank / of one alone'
plot 100 with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', @curves
