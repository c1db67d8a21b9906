# How many times as fast as with one thread. Dashed: what p threads could give at most, p, but no more than the cores.
# Dotted: the fits; fit_line says of which lines, counted from 1 and drawn thick, fit_serial their serial fractions.
entries = count + 1
load dir.'/style.gp'
set logscale xy 2
set yrange [*:*]
set autoscale yfix
set format y '%.3g×'
set xlabel 'threads'
set ylabel 'speedup over one thread'
set samples 1000
thick(i) = strstrt(' '.fit_line.' ', sprintf(' %d ', i+1)) ? 2.4 : 1
ideal(p) = p < cores ? p : cores
fitted(p, s) = p > cores ? NaN : 1 / (s + (1 - s) / p)
plot ideal(x) with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', \
     for [i = 1:words(fit_line)] fitted(x, real(word(fit_serial.' 0', i))) with lines linetype int(word(fit_line.' 1', i)) \
       dashtype 3 linewidth 1.1 notitle, @curves
