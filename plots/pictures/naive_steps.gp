# 01: nanoseconds a step of ijk against n, at multiples of 128 and 24 before each; and in pages of 2 MiB.
set encoding utf8
set terminal svg size 600,430 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
folder = 'plots/reference/epyc-zen3/'
is(name, text) = stringcolumn(name) eq text
add = NaN
stats folder.'machine.csv' using (is('name', 'latency') && is('type', 'f32') && is('level', 'add') ? \
  (add = column('value'), 0) : 0) nooutput
ours = "is('step', '01_naive') && is('variant', 'ijk') && is('type', 'f32') && column('m') == 16 && column('n') == column('k')"
step = "column('median_s') / column('m') / column('n') / column('k') * 1e9"
set border 3; set tics nomirror
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set lmargin 6; set rmargin 2.5; set tmargin 0.6; set bmargin 3.4
set xrange [200:2090]; set yrange [0:10]
set xtics 256; set ytics 2
set xlabel 'n'; set ylabel 'ns a step' offset 1.2
set key top left Left reverse samplen 2 spacing 1.25
set arrow from 200,add to 2090,add nohead linewidth 1.4 dashtype 2 linecolor rgb '#555555'
set label 'the chain' at 2080,add offset 0,-0.7 right textcolor rgb '#555555'
at_1024 = NaN; at_2000 = NaN
stats folder.'naive_pages.csv' using (column('n') == 1024 ? (at_1024 = @step, 0) : column('n') == 2000 ? (at_2000 = @step, 0) : 0) nooutput
set label '1024' at 1050,at_1024
set label '2000' at 1965,at_2000 right
plot folder.'naive.csv' using 'n':(@ours && int(column('n')) % 128 == 0 ? @step : NaN) with points pointtype 5 pointsize 0.9 \
       linecolor rgb '#D55E00' title 'n a multiple of 128', \
     folder.'naive.csv' using 'n':(@ours && (int(column('n')) % 128 == 104 || column('n') == 2000) ? @step : NaN) with points pointtype 7 pointsize 0.9 \
       linecolor rgb '#0072B2' title '24 less, and 2000', \
     folder.'naive_pages.csv' using 'n':(@step) with points pointtype 6 pointsize 1.4 linewidth 1.8 \
       linecolor rgb '#000000' title 'in pages of 2 MiB: 1000, 1024, 2000, 2048'
