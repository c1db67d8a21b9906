# Speedup over 01 ijk against n. Logarithmic: the same factor is the same height wherever it stands.
before = 92
load dir.'/style.gp'
set logscale x 2
set format y '%g×'
set xlabel 'n (matrices n × n)'
set ylabel 'speedup over 01 ijk (higher is better)'
set arrow 1 from left, 1 to right, 1 nohead dashtype 2 linewidth 1 linecolor rgb '#555555'
plot @curves
