# Time of one product against n. Both axes are logarithmic: a power of n is a straight line.
before = 92
load dir.'/style.gp'
set logscale x 2
set format y '%.0s %cs'
set ytics add ('1000 s' 1e3, '10000 s' 1e4)
set xlabel 'n (matrices n × n)'
set ylabel 'time of one product (lower is better)'
plot @curves
