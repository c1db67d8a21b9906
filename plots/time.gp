# Time of one product against n. Both axes are logarithmic: a power of n is a straight line.
log = 1
load dir.'/style.gp'
set logscale x 2
set format y '%.0s %cs'
set xlabel 'n (matrices n × n)'
set ylabel 'time of one product (lower is better)'
plot @curves
