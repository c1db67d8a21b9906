# 02: where the loops stand under the roofs that 00 measured; x is what the loops say, y what the rows say.
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
set encoding utf8
set terminal svg size 560,500 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
is(name, text) = stringcolumn(name) eq text
array levels = ['L2', 'L3', 'memory']
array roofs = [NaN, NaN, NaN]; array colours = ['#0072B2', '#007A59', '#7A5C00']
array sets = ['avx512', 'sse2']; array names = ['AVX-512', 'SSE2']
array peaks = [NaN, NaN]; array ceiling = [NaN, NaN]
add = NaN   # a row taken again counts as its last
do for [l = 1:3] {
  stats machine using (is('name', 'bandwidth') && is('vector', 'avx512') && is('threads', '1') && is('level', levels[l]) ? \
    (roofs[l] = column('value'), 0) : 0) nooutput
}
do for [s = 1:2] {
  stats machine using (is('vector', sets[s]) && is('threads', '1') ? \
    (is('name', 'peak') && is('type', 'f32') ? (peaks[s] = column('value'), 0) : \
     is('name', 'bandwidth') && is('level', 'L1') ? (ceiling[s] = column('value') / 6, 0) : 0) : 0) nooutput   # two operations, 12 bytes
}
stats machine using (is('name', 'latency') && is('type', 'f32') && is('level', 'add') ? (add = column('value'), 0) : 0) nooutput
array step = ['01_naive', '01_naive', '02_loop_order', '02_loop_order-native']
array variant = ['ijk', 'ijk', 'ikj', 'ikj']
array size = [2000, 2048, 2000, 2000]
array at_x = [2.0/64, 2.0/64, 2.0/4, 2.0/4]   # two operations; a line of B, or 4 bytes of a row of B
array who = ['01 ijk, n = 2000', '01 ijk, 2048', '02 ikj, 2000', 'with AVX-512']
array at_y = [NaN, NaN, NaN, NaN]
do for [i = 1:4] {
  found = NaN
  stats rows using (is('step', step[i]) && is('variant', variant[i]) && is('type', 'f32') && column('m') == size[i] && \
    column('n') == size[i] && column('k') == size[i] ? (found = column('gflops'), 0) : 0) nooutput
  at_y[i] = found
}
set logscale xy 2
left = 1.0/128; right = 32; bottom = 0.25
set xrange [left:right]; set yrange [bottom:512]
set xtics ('1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4, '16' 16)
set ytics ('1/4' 0.25, '1/2' 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte fetched into the first level'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
array name_y = [2.6, 1.4, 0.45]; along = 49   # degrees: names run along their lines
do for [l = 1:3] {
  start = left*roofs[l] > bottom ? left : bottom/roofs[l]
  set arrow from start,start*roofs[l] to peaks[1]/roofs[l],peaks[1] nohead linewidth 1.6 linecolor rgb colours[l]
}
set label sprintf('L2 %.0f GB/s', roofs[1]) at 0.0105,0.0105*roofs[1] left rotate by along offset -0.8,0.5 front textcolor rgb colours[1]
set label sprintf('L3 %.0f', roofs[2]) at 0.0105,0.0105*roofs[2] left rotate by along offset 0.9,-0.5 front textcolor rgb colours[2]
set label sprintf('memory %.0f', roofs[3]) at 0.0125,0.0125*roofs[3] left rotate by along offset 0.9,-0.5 front textcolor rgb colours[3]
do for [s = 1:2] {
  set arrow from peaks[s]/roofs[1],peaks[s] to right,peaks[s] nohead linewidth (s == 1 ? 1.8 : 1.2) linecolor rgb (s == 1 ? 'black' : '#555555')
  set label sprintf('peak of %s %.0f', names[s], peaks[s]) at 0.95*right,peaks[s] offset 0,0.7 right
  set arrow from ceiling[s]/roofs[1],ceiling[s] to right,ceiling[s] nohead linewidth 1.4 dashtype 2 linecolor rgb '#B34700'
  set label sprintf('L1 in ikj, %s %.0f', names[s], ceiling[s]) at 0.95*right,ceiling[s] offset 0,(s == 1 ? 0.7 : -0.75) right textcolor rgb '#B34700'
}
set arrow from left,2/add to right,2/add nohead linewidth 1.4 dashtype 3 linecolor rgb '#555555'
set label sprintf('chain %.1f', 2/add) at 0.95*right,2/add offset 0,-0.75 right
array aside = [-0.5, 0, -0.3, 0]
do for [i = 1:4] {
  face = i <= 2 ? 'DejaVu Sans,13' : 'DejaVu Sans Bold,13'
  if (at_y[i] == at_y[i]) { set label who[i] at at_x[i],at_y[i] front boxed font face offset 1.3,aside[i] }
}
plot for [i = 1:4] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype (i <= 2 ? 6 : 7) \
  pointsize (i <= 2 ? 1.1 : 1.3) linewidth 1.8 linecolor rgb (i <= 2 ? '#777777' : '#D55E00')
