# Speedup over one thread, divided by the threads: what share of them does useful work. 100 % is ideal, and beyond the
# cores what those allow. Dotted: the fits, as in threads_speedup.gp.
entries = count + 1
before = 92
load dir.'/style.gp'
set logscale x 2
set yrange [0:110<*]
set format y '%g %%'
set xlabel 'threads'
set ylabel 'speedup / threads (higher is better)'
set samples 1000
thick(i) = strstrt(' '.fit_line.' ', sprintf(' %d ', i+1)) ? 2.4 : 1
# Beyond the cores, cores / p; straight from doubling to doubling, or the straight lines of the data would rise above it.
doublings(p) = log(1.0 * p / cores) / log(2)
ideal(p) = p < 1 ? NaN : p < cores ? 100 : \
    100 / 2**floor(doublings(p)) * (1 - (doublings(p) - floor(doublings(p))) / 2)
fitted(p, s) = p < 1 || p > cores ? NaN : 100 / (s * p + 1 - s)
plot [left:right] ideal(x) with lines dashtype 2 linewidth 1.2 linecolor rgb '#555555' \
       title 'ideal: 100 %'.(right > cores ? ' up to the cores' : ''), \
     for [i = 1:words(fit_line)] fitted(x, real(word(fit_serial.' 0', i))) with lines linetype int(word(fit_line.' 1', i)) \
       dashtype 3 linewidth 1.1 notitle, \
     @curves
