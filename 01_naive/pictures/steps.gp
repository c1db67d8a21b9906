# 01: nanoseconds a multiply-add of ijk against n, at multiples of 128 and 24 before each.
set encoding utf8
set terminal svg size 510,430 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
folder = 'plots/reference/epyc-zen5/'
is(name, text) = stringcolumn(name) eq text
add = NaN
stats folder.'machine.csv' using (is('name', 'latency') && is('type', 'f32') && is('level', 'add') ? \
  (add = column('value'), 0) : 0) nooutput
ours = "is('step', '01_naive') && is('variant', 'ijk') && is('type', 'f32') && column('m') == 16 && column('n') == column('k')"
step = "column('median_s') / column('m') / column('n') / column('k') * 1e9"
# Rows of B are n/16 lines apart. What that has in common with the 64 and the 1024 sets: the sets a column meets in the first
# level, and its places in the second, of 16 ways.
n = "int(column('n'))"
common(n, sets) = (n/16) % sets == 0 ? sets : common(n, sets/2)
sets(n) = 64 / common(n, 64)
fits(n) = n <= 16 * 1024 / common(n, 1024)
set border 3; set tics nomirror
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set lmargin 6; set rmargin 2.5; set tmargin 0.6; set bmargin 3.4
set logscale y 2
set xrange [200:2110]; set yrange [0.25:40]
set xtics 256; set ytics ('1/4' 0.25, '1/2' 0.5, 1, 2, 4, 8, 16, 32)
set xlabel 'n = k, for m = 16'; set ylabel 'ns a multiply-add' offset 1.2
set key top left Left reverse samplen 2 spacing 1.25
set arrow from 200,add to 2110,add nohead linewidth 1.4 dashtype 2 linecolor rgb '#555555'
set label 'the chain' at 2100,add offset 0,-0.7 right textcolor rgb '#555555'
plot folder.'naive.csv' using 'n':(@ours && @n % 128 == 0 && fits(@n) ? @step : NaN) with points pointtype 5 pointsize 0.9 \
       linecolor rgb '#D55E00' title 'over 1, 2, 4 or 8 sets: n a multiple of 128', \
     folder.'naive.csv' using 'n':(@ours && @n % 128 == 0 && !fits(@n) ? @step : NaN) with points pointtype 4 pointsize 1 \
       linewidth 1.8 linecolor rgb '#D55E00' title '… and without room in L2', \
     folder.'naive.csv' using 'n':(@ours && (@n % 128 == 104 || @n == 2000) ? @step : NaN) with points pointtype 7 \
       pointsize 0.9 linecolor rgb '#0072B2' title 'over all 64 sets: n is 24 less, and 2000', \
     folder.'naive.csv' using 'n':(@ours && @n % 128 == 0 ? @step : NaN):(sprintf('%d', sets(@n))) with labels offset 0,0.75 \
       textcolor rgb '#8a3c00' notitle
