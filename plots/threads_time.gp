# Time of one product against threads.
log = 1
load dir.'/style.gp'
set logscale x 2
set format y '%.0s %cs'
set xlabel 'threads'
set ylabel 'time of one product (lower is better)'
plot @curves
