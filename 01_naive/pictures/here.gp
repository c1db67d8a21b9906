# 01: where ijk stands under the roofs that 00 measured: two operations for each line of 64 bytes.
set encoding utf8
set terminal svg size 560,500 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
is(name, text) = stringcolumn(name) eq text
array levels = ['L2', 'L3', 'memory']
array roofs = [NaN, NaN, NaN]; array colours = ['#0072B2', '#009E73', '#B8860B']
peak = NaN; add = NaN   # a row taken again counts as its last
do for [l = 1:3] {
  stats machine using (is('name', 'bandwidth') && is('vector', 'sse2') && is('threads', '1') && is('level', levels[l]) ? \
    (roofs[l] = column('value'), 0) : 0) nooutput
}
stats machine using (is('name', 'peak') && is('vector', 'sse2') && is('type', 'f32') && is('threads', '1') ? \
  (peak = column('value'), 0) : is('name', 'latency') && is('type', 'f32') && is('level', 'add') ? \
  (add = column('value'), 0) : 0) nooutput
array size = [1000, 1024, 2000, 2048]; array rate = [NaN, NaN, NaN, NaN]
do for [i = 1:4] {
  found = NaN
  stats rows using (is('step', '01_naive') && is('variant', 'ijk') && is('type', 'f32') && column('m') == size[i] && \
    column('n') == size[i] && column('k') == size[i] ? (found = column('gflops'), 0) : 0) nooutput
  rate[i] = found
}
at_x = 2.0/64
set logscale xy 2
left = 1.0/512; right = 8; bottom = 0.125
set xrange [left:right]; set yrange [bottom:100]
set xtics ('1/256' 1.0/256, '1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4)
set ytics ('1/8' 0.125, '1/4' 0.25, '1/2' 0.5, 1, 2, 4, 8, 16, 32, 64)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte fetched into the first level'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
do for [l = 1:3] {
  start = left*roofs[l] > bottom ? left : bottom/roofs[l]
  set arrow from start,start*roofs[l] to peak/roofs[l],peak nohead linewidth 1.6 linecolor rgb colours[l]
}
set label levels[1] at 0.09,0.09*roofs[1] offset 0,0.7 right front textcolor rgb colours[1]
set label levels[2] at 0.2,0.2*roofs[2] center front boxed textcolor rgb colours[2]
set label levels[3] at 0.25,0.25*roofs[3] center front boxed textcolor rgb colours[3]
set arrow from peak/roofs[1],peak to right,peak nohead linewidth 1.6 linecolor rgb 'black'
set label 'peak of SSE2' at 0.95*right,peak offset 0,0.7 right
set arrow from left,2/add to right,2/add nohead linewidth 1.4 dashtype 2 linecolor rgb '#555555'
set label 'one chain of additions' at 0.95*right,2/add offset 0,0.7 right
set label '01 ijk, n = 1000 and 2000' at at_x,sqrt(rate[1]*rate[3]) front boxed font 'DejaVu Sans Bold,13' offset 1.4,0
set label '1024' at at_x,rate[2] front boxed font 'DejaVu Sans Bold,13' offset 1.4,0
set label '2048' at at_x,rate[4] front boxed font 'DejaVu Sans Bold,13' offset 1.4,0
plot for [i = 1:4] '+' using (at_x):(rate[i]) every ::0::0 with points pointtype 7 pointsize 1.3 linecolor rgb '#D55E00'
