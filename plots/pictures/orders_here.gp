# 02: where the loops stand under the roofs that 00 measured; x is what the loops say, y what the rows say.
rows = 'plots/reference/epyc-zen3/results.csv'; machine = 'plots/reference/epyc-zen3/machine.csv'
set encoding utf8
set terminal svg size 560,500 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
array dashes_of = [2, 4, 5]
array levels = ['L2', 'L3', 'memory']
array roofs = [NaN, NaN, NaN]; array roof_colours = ['#0072B2', '#009E73', '#B8860B']
is(column_name, text) = stringcolumn(column_name) eq text
peak = NaN; add = NaN   # a row taken again counts as its last
do for [l = 1:3] {
  stats machine using (is('name', 'bandwidth') && is('vector', 'sse2') && is('threads', '1') && is('level', levels[l]) ? \
    (roofs[l] = column('value'), 0) : 0) nooutput
}
stats machine using (is('name', 'peak') && is('vector', 'sse2') && is('type', 'f32') && is('threads', '1') ? \
  (peak = column('value'), 0) : is('name', 'latency') && is('type', 'f32') && is('level', 'add') ? \
  (add = column('value'), 0) : 0) nooutput
array step = ['01_naive', '02_loop_order', '02_loop_order-native', '02_loop_order']
array variant = ['ijk', 'ikj', 'ikj', 'ikj']
array size = [1000, 1000, 1000, 2000]
array at_x = [2.0/64, 2.0/4, 2.0/4, 2.0/4]   # two operations; a line of B from L2, or 4 bytes of a row of B
array who = ['01 ijk, n = 1000', '02 ikj, 1000', 'the same, AVX2', '02 ikj, 2000']
array at_y = [NaN, NaN, NaN, NaN]
do for [i = 1:4] {
  found = NaN
  stats rows using (is('step', step[i]) && is('variant', variant[i]) && is('type', 'f32') && column('m') == size[i] && \
    column('n') == size[i] && column('k') == size[i] ? (found = column('gflops'), 0) : 0) nooutput
  at_y[i] = found
}
set logscale xy 2
left = 1.0/512; right = 8; bottom = 0.7
set xrange [left:right]; set yrange [bottom:100]
set xtics ('1/256' 1.0/256, '1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4)
set ytics (1, 2, 4, 8, 16, 32, 64)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte fetched into the first level'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
do for [l = 1:3] {
  set arrow from bottom/roofs[l],bottom to peak/roofs[l],peak nohead linewidth 1.6 dashtype dashes_of[l] linecolor rgb roof_colours[l]
}
set label levels[1] at 0.06,0.06*roofs[1] offset 0,0.7 right front textcolor rgb roof_colours[1]
set label levels[2] at 0.2,0.2*roofs[2] center front boxed textcolor rgb roof_colours[2]
set label levels[3] at 0.25,0.25*roofs[3] center front boxed textcolor rgb roof_colours[3]
set arrow from peak/roofs[1],peak to right,peak nohead linewidth 1.6 linecolor rgb 'black'
set label 'peak of SSE2' at 0.95*right,peak offset 0,0.7 right
set arrow from left,2/add to right,2/add nohead linewidth 1.4 dashtype 2 linecolor rgb '#555555'
set label 'one chain of additions' at 0.95*right,2/add offset 0,-0.8 right
do for [i = 1:4] {
  face = i == 1 ? 'DejaVu Sans,13' : 'DejaVu Sans Bold,13'
  if (at_y[i] == at_y[i] && i == 1) {
    set label who[i] at 1.0/60,3.6/add right font face
    set arrow from 1.0/58,3.5/add to 0.92*at_x[i],1.06*at_y[i] nohead linewidth 1 linecolor rgb '#777777'
  }
  if (at_y[i] == at_y[i] && i > 1) { set label who[i] at at_x[i],at_y[i] front boxed font face offset 1.4,0 }
}
plot for [i = 1:4] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype (i == 1 ? 6 : i == 3 ? 5 : 7) \
  pointsize (i == 1 ? 1 : 1.3) linewidth 1.8 linecolor rgb (i == 1 ? '#777777' : '#D55E00')
