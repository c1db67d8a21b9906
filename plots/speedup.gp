# Speedup over 01 ijk against n. Logarithmic: the same factor is the same height wherever it stands.
load dir.'/style.gp'
set logscale x 2
set logscale y 2
set format y '%g×'
set xlabel 'n (matrices n × n)'
set ylabel 'speedup over 01_naive ijk (higher is better)'
set arrow 1 from left, 1 to right, 1 nohead dashtype 2 linewidth 1 linecolor rgb '#555555'
plot for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 title columnheader(1)
