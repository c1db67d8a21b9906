# Speedup over 01 ijk against n. Logarithmic: the same factor is the same height wherever it stands.
log = 1
load dir.'/style.gp'
set logscale x 2
set format y '%g×'
set xlabel 'n (matrices n × n)'
set ylabel 'speedup over 01 ijk (higher is better)'
plot @curves
