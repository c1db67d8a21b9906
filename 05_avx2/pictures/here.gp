# 05: where the rungs stand between the core and the first level; x is what the loops say, y what the rows say.
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
set encoding utf8
set terminal svg size 560,470 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
is(name, text) = stringcolumn(name) eq text
array sets = ['avx2', 'avx512']; array names = ['AVX2', 'AVX-512']
array peaks = [NaN, NaN]; array roofs = [NaN, NaN]   # a row taken again counts as its last
array colours = ['#0072B2', '#B34700']
do for [s = 1:2] {
  stats machine using (is('vector', sets[s]) && is('threads', '1') ? \
    (is('name', 'peak') && is('type', 'f32') ? (peaks[s] = column('value'), 0) : \
     is('name', 'bandwidth') && is('level', 'L1') ? (roofs[s] = column('value'), 0) : 0) : 0) nooutput
}
# Two operations, and the bytes of a multiply-add: two loads; two and a store; 4 x 4; the tiles 6 x 16 and 9 x 48.
array step = ['01_naive', '02_loop_order', '03_tiling-native', '05_avx2', '05_avx2', '05_avx2']
array variant = ['ijk', 'ikj', 'four_by_four', 'register_tile', 'packed', 'avx512']
array size = [2000, 2000, 2000, 2048, 2000, 2000]
array tile = ['', '', '256', '', '', '']
array at_x = [2.0/8, 2.0/12, 2.0/3, 2/(4.0/6+4.0/16), 2/(4.0/6+4.0/16), 2/(4.0/9+4.0/48)]
array who = ['01 ijk', '02 ikj', '03 four_by_four', '05 register_tile, 2048', '05 packed', '05 avx512']
array at_y = [NaN, NaN, NaN, NaN, NaN, NaN]
do for [i = 1:6] {
  found = NaN
  stats rows using (is('step', step[i]) && is('variant', variant[i]) && is('type', 'f32') && is('threads', '1') && is('tile', tile[i]) && \
    column('m') == size[i] && column('n') == size[i] && column('k') == size[i] ? (found = column('gflops'), 0) : 0) nooutput
  at_y[i] = found
}
set logscale xy 2
left = 1.0/16; right = 32; bottom = 2
set xrange [left:right]; set yrange [bottom:512]
set xtics ('1/16' 1.0/16, '1/8' 1.0/8, '1/4' 0.25, '1/2' 0.5, '1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32)
set ytics (2, 4, 8, 16, 32, 64, 128, 256, 512)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte between the core and the first level'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
do for [s = 1:2] {
  set arrow from left,left*roofs[s] to peaks[s]/roofs[s],peaks[s] nohead linewidth 1.6 linecolor rgb colours[s]
  set arrow from peaks[s]/roofs[s],peaks[s] to right,peaks[s] nohead linewidth 1.6 linecolor rgb colours[s]
  set label sprintf('peak of %s %.0f', names[s], peaks[s]) at 0.95*right,peaks[s] offset 0,0.7 right textcolor rgb colours[s]
}
along = 42   # degrees: names run along their lines
set label sprintf('L1, AVX-512, %.0f GB/s', roofs[2]) at 0.068,0.068*roofs[2] left rotate by along offset -0.6,0.8 front textcolor rgb colours[2]
set label sprintf('L1, AVX2, %.0f', roofs[1]) at 0.075,0.075*roofs[1] left rotate by along offset 0.6,-0.8 front textcolor rgb colours[1]
array dx = [1.3, 1.3, 1.3, 1.3, 1.3, 1.3]; array dy = [0, -0.3, 0, 0, -0.9, -0.9]
do for [i = 1:6] {
  face = i <= 3 ? 'DejaVu Sans,13' : 'DejaVu Sans Bold,13'
  if (at_y[i] == at_y[i]) { set label who[i] at at_x[i],at_y[i] front boxed font face offset dx[i],dy[i] }
}
plot for [i = 1:6] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype (i <= 3 ? 6 : 7) \
  pointsize (i <= 3 ? 1.1 : 1.3) linewidth 1.8 linecolor rgb (i <= 3 ? '#777777' : '#D55E00')
