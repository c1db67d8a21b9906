# Time of one product against threads, from zero: two variants, of which one's threads write to the same cache lines.
load dir.'/style.gp'
set logscale x 2
set format y '%g s'
set xlabel 'threads'
set ylabel 'time of one product (lower is better)'
plot @curves
