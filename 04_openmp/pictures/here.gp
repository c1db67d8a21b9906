# 04: where the loops stand under the roofs of two cores that 00 measured; x is what the loops say, y what the rows say.
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
set encoding utf8
set terminal svg size 560,500 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
array levels = ['L2', 'L3', 'memory']
array roofs = [NaN, NaN, NaN]; array colours = ['#0072B2', '#007A59', '#7A5C00']
is(column_name, text) = stringcolumn(column_name) eq text
array peak = [NaN, NaN]   # a row taken again counts as its last
do for [l = 1:3] {
  stats machine using (is('name', 'bandwidth') && is('vector', 'avx512') && is('threads', '2') && is('level', levels[l]) ? \
    (roofs[l] = column('value'), 0) : 0) nooutput
}
do for [t = 1:2] {
  found = NaN
  stats machine using (is('name', 'peak') && is('vector', 'avx512') && is('type', 'f32') && column('threads') == t ? \
    (found = column('value'), 0) : 0) nooutput
  peak[t] = found
}
array step = ['01_naive', '04_openmp-native', '03_tiling-native', '04_openmp-native', '04_openmp-native', '04_openmp-native']
array variant = ['ijk', 'parallel_for', 'four_by_four', 'tiled_simd', 'parallel_for', 'tiled_simd']
array tile = [0, 0, 256, 128, 0, 128]
array threads = [1, 1, 1, 1, 2, 2]
array at_x = [2.0/64, 2.0/4, 2.0, 2.0, 2.0/4, 2.0]   # two operations; a line of B, 4 bytes of a row of B, or a fourth of them
array who = ['01 ijk', 'one thread', '03 four_by_four', 'one thread', '04 parallel_for', '04 tiled_simd']
array at_y = [NaN, NaN, NaN, NaN, NaN, NaN]
do for [i = 1:6] {
  found = NaN; calm = 0   # an undisturbed row counts before a disturbed one
  stats rows using (is('step', step[i]) && is('variant', variant[i]) && is('type', 'f32') && column('m') == 2000 && \
    column('n') == 2000 && column('k') == 2000 && column('threads') == threads[i] && (tile[i] == 0 || column('tile') == tile[i]) ? \
    (calm && is('quiet', 'no') ? 0 : (found = column('gflops'), calm = !is('quiet', 'no'), 0)) : 0) nooutput
  at_y[i] = found
}
set logscale xy 2
left = 1.0/64; right = 16; bottom = 1
set xrange [left:right]; set yrange [bottom:1024]
set xtics ('1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4, '16' 16)
set ytics (1, 4, 16, 64, 256, 1024)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte fetched into the first level'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
array name_y = [60, 13, 6]; array aside = [0.5, 0.5, -0.9]; along = 46   # degrees: names run along their lines
do for [l = 1:3] {
  start = bottom/roofs[l] > left ? bottom/roofs[l] : left
  set arrow from start,start*roofs[l] to peak[2]/roofs[l],peak[2] nohead linewidth 1.6 linecolor rgb colours[l]
  set label sprintf('%s %.0f GB/s', levels[l], roofs[l]) at name_y[l]/roofs[l],name_y[l] left rotate by along \
    offset (l == 3 ? 0.6 : -1),aside[l] front textcolor rgb colours[l]
}
set arrow from peak[2]/roofs[1],peak[2] to right,peak[2] nohead linewidth 1.6 linecolor rgb 'black'
set label sprintf('peak of two cores %.0f', peak[2]) at 0.95*right,peak[2] offset 0,0.7 right
set arrow from left,peak[1] to right,peak[1] nohead linewidth 1.2 dashtype 2 linecolor rgb '#555555'
set label sprintf('of one %.0f', peak[1]) at 1.4*left,peak[1] offset 0,0.7 left
do for [i = 1:6] {
  if (at_y[i] == at_y[i]) {
    set label who[i] at at_x[i],at_y[i] front boxed font (i < 5 ? ',13' : 'DejaVu Sans Bold,13') offset 1.4,(i == 6 ? 0.4 : i == 3 ? 0.15 : i == 4 ? -0.3 : 0)
  }
}
plot for [i = 1:6] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype (i < 5 ? 6 : 7) \
  pointsize (i < 5 ? 1 : 1.3) linewidth 1.8 linecolor rgb (i < 5 ? '#777777' : '#D55E00')
