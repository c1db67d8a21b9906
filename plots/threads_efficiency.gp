# Speedup over one thread, divided by the threads: what share of them does useful work. 100 % is ideal, and beyond the
# cores what those allow. Dotted: the fits, as in threads_speedup.gp.
entries = count + 1
load dir.'/style.gp'
set logscale x 2
set yrange [0:110<*]
set format y '%g %%'
set xlabel 'threads'
set ylabel 'speedup / threads (higher is better)'
set samples 1000
thick(i) = strstrt(' '.fit_line.' ', sprintf(' %d ', i+1)) ? 2.4 : 1
ideal(p) = p < cores ? 100 : 100.0 * cores / p
fitted(p, s) = p > cores ? NaN : 100 / (s * p + 1 - s)
plot ideal(x) with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' title 'ideal', \
     for [i = 1:words(fit_line)] fitted(x, real(word(fit_serial.' 0', i))) with lines linetype int(word(fit_line.' 1', i)) \
       dashtype 3 linewidth 1.1 notitle, @curves
