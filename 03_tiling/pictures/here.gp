# 03: where the loops stand under the roofs that 00 measured, at two borders: that of the first level with the core, and that of
# the second level with what lies beyond. x is what the loops say, y what the rows say.
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
set encoding utf8
set terminal svg size 560,520 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
array levels = ['L1', 'L3', 'memory']; array dashes_of = [1, 4, 5]
array roofs = [NaN, NaN, NaN]; array roof_colours = ['#882255', '#009E73', '#B8860B']
is(column_name, text) = stringcolumn(column_name) eq text
peak = NaN   # a row taken again counts as its last
do for [l = 1:3] {
  stats machine using (is('name', 'bandwidth') && is('vector', 'avx512') && is('threads', '1') && is('level', levels[l]) ? \
    (roofs[l] = column('value'), 0) : 0) nooutput
}
stats machine using (is('name', 'peak') && is('vector', 'avx512') && is('type', 'f32') && is('threads', '1') ? \
  (peak = column('value'), 0) : 0) nooutput
array step = ['01_naive', '02_loop_order-native', '03_tiling-native', '03_tiling-native']
array variant = ['ijk', 'ikj', 'tiled', 'four_by_four']; array tile = ['', '', '256', '256']
array near = [1.0/4, 1.0/6, 1.0/6, 2.0/3]     # two operations for 8 bytes, for 12, or for 3
array far = [1.0/2, 1.0/2, 128.0/3, 128.0/3]   # for 4 bytes, or for 12/256
array at_y = [NaN, NaN, NaN, NaN]
do for [i = 1:4] {
  found = NaN
  stats rows using (is('step', step[i]) && is('variant', variant[i]) && is('type', 'f32') && is('tile', tile[i]) && \
    column('m') == 2000 && column('n') == 2000 && column('k') == 2000 ? (found = column('gflops'), 0) : 0) nooutput
  at_y[i] = found
}
set logscale xy 2
left = 1.0/16; right = 128; bottom = 1
set xrange [left:right]; set yrange [bottom:480]
set xtics ('1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4, '16' 16, '64' 64)
set ytics (1, 2, 4, 8, 16, 32, 64, 128, 256)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'arithmetic intensity: operations for each byte that crosses the border'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
do for [l = 1:3] {
  x = bottom/roofs[l] > left ? bottom/roofs[l] : left
  set arrow from x,x*roofs[l] to peak/roofs[l],peak nohead linewidth 1.6 dashtype dashes_of[l] linecolor rgb roof_colours[l]
}
set label levels[1] at 0.36,0.36*roofs[1] offset -0.6,0.2 right front textcolor rgb roof_colours[1]
set label levels[2] at 0.085,0.085*roofs[2] center front boxed textcolor rgb roof_colours[2]
set label levels[3] at 0.2,0.2*roofs[3] center front boxed textcolor rgb roof_colours[3]
set arrow from peak/roofs[1],peak to right,peak nohead linewidth 1.6 linecolor rgb 'black'
set label 'peak of AVX-512' at 0.95*right,peak offset 0,0.7 right
do for [i = 1:4] {
  if (at_y[i] == at_y[i]) {
    set arrow from near[i],at_y[i] to far[i],at_y[i] nohead linewidth 1 dashtype 3 linecolor rgb '#555555'
    set label step[i][1:2].' '.variant[i] at (i < 3 ? 0.7 : 4),at_y[i] offset 0,(i < 3 ? 0 : 0.6) front \
      font (i < 3 ? 'DejaVu Sans,13' : 'DejaVu Sans Bold,13')
  }
}
set label 'open: between core and L1' at 0.95*right,3.0 right
set label 'filled: between L2 and what lies beyond' at 0.95*right,2.0 right
plot for [i = 1:4] '+' using (near[i]):(at_y[i]) every ::0::0 with points pointtype 6 pointsize 1.2 linewidth 2 \
       linecolor rgb (i < 3 ? '#777777' : '#D55E00'), \
     for [i = 1:4] '+' using (far[i]):(at_y[i]) every ::0::0 with points pointtype 7 pointsize 1.2 \
       linecolor rgb (i < 3 ? '#777777' : '#D55E00')
