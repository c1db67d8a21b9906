# 05: sixty random shapes by their smallest side: avx512 over the best library, before small.hpp and now.
set encoding utf8
set terminal svg size 510,340 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
folder = 'plots/reference/epyc-zen5/'
least(a, b) = a < b ? a : b
is = "stringcolumn('variant') eq 'avx512' && stringcolumn('type') eq 'f32'"
side(m, n, k) = least(m, least(n, k))
set border 3; set tics nomirror
set logscale xy; set xrange [0.85:1300]; set yrange [0.03:4]
set xtics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128, '256' 256, '1000' 1000)
set ytics ('0.05' 0.05, '0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2)
set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set arrow from graph 0,first 1 to graph 1,first 1 nohead front linecolor rgb '#555555'
set xlabel 'smallest of m, n and k (f32, one thread)'
set ylabel 'rate, best library = 1'
set key bottom right reverse Left samplen 1.2
plot folder.'small_random_before.csv' using (@is ? side(column('m'), column('n'), column('k')) : NaN):'ratio' with points \
       pointtype 6 pointsize 0.7 linewidth 1.4 linecolor rgb '#999999' title 'before', \
     folder.'small_random.csv' using (@is ? side(column('m'), column('n'), column('k')) : NaN):'ratio' with points \
       pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' title 'now'
