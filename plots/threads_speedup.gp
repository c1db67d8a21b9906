# How many times as fast as with one thread. Dashed: what p threads could give at most, p, but no more than the cores.
# Dotted: the fits; fit_line says of which lines, counted from 1 and drawn thick, fit_serial their serial fractions.
entries = count + 1
before = 92
load dir.'/style.gp'
set logscale x 2
set logscale y 2
set autoscale yfix
set yrange [*<0.9:*]
if (right < 10) set ytics add ('1.25×' 1.25, '1.5×' 1.5, '1.75×' 1.75, '3×' 3)
set format y '%g×'
set xlabel 'threads'
set ylabel 'speedup over one thread'
set samples 1000
thick(i) = strstrt(' '.fit_line.' ', sprintf(' %d ', i+1)) ? 2.4 : 1
ideal(p) = p < 1 ? NaN : p < cores ? p : cores
fitted(p, s) = p < 1 || p > cores ? NaN : 1 / (s + (1 - s) / p)
plot [left:right] ideal(x) with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' \
       title 'ideal: p×'.(right > cores ? sprintf(', at most %d×', cores) : ''), \
     for [i = 1:words(fit_line)] fitted(x, real(word(fit_serial.' 0', i))) with lines linetype int(word(fit_line.' 1', i)) \
       dashtype 3 linewidth 1.1 notitle, \
     @curves
