# Time of one product against threads.
before = 92
load dir.'/style.gp'
set logscale x 2
set format y '%.0s %cs'
set ytics add ('1000 s' 1e3, '10000 s' 1e4)
set xlabel 'threads'
set ylabel 'time of one product (lower is better)'
plot @curves
