# 00: the roofs of one core, as 00_machine measured them, and the bounds that they set to question 3's two programs.
set encoding utf8
set terminal svg size 560,500 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
machine = 'plots/reference/epyc-zen5/machine.csv'
is(name, text) = stringcolumn(name) eq text
array levels = ['L1', 'L2', 'L3', 'memory']
array roofs = [NaN, NaN, NaN, NaN]; array colours = ['#B34700', '#0072B2', '#007A59', '#7A5C00']
array sets = ['avx512', 'avx2', 'sse2']; array names = ['AVX-512', 'AVX2', 'SSE2']; array peaks = [NaN, NaN, NaN]
add = NaN   # a row taken again counts as its last
do for [l = 1:4] {
  stats machine using (is('name', 'bandwidth') && is('vector', 'avx512') && is('threads', '1') && is('level', levels[l]) ? \
    (roofs[l] = column('value'), 0) : 0) nooutput
}
do for [s = 1:3] {
  stats machine using (is('name', 'peak') && is('vector', sets[s]) && is('type', 'f32') && is('threads', '1') ? \
    (peaks[s] = column('value'), 0) : 0) nooutput
}
stats machine using (is('name', 'latency') && is('type', 'f32') && is('level', 'add') ? (add = column('value'), 0) : 0) nooutput
array at_x = [0.25, 250]; array at_y = [NaN, NaN]
at_y[1] = 0.25*roofs[4]; at_y[2] = peaks[1]
set logscale xy 2
left = 1.0/64; right = 512
set xrange [left:right]; set yrange [2:512]
set xtics ('1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4, '16' 16, '64' 64, '256' 256)
set ytics (2, 4, 8, 16, 32, 64, 128, 256, 512)
set border 3; set tics nomirror; unset key
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'I: operations for each byte that crosses the border of the level'
set ylabel 'GFLOP/s' offset 1.2
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
array name_y = [26, 13, 13, 13]; along = 59   # degrees: names run along their lines
do for [l = 1:4] {
  start = left*roofs[l] > 2 ? left : 2/roofs[l]
  set arrow from start,start*roofs[l] to peaks[1]/roofs[l],peaks[1] nohead linewidth 1.6 linecolor rgb colours[l]
  set label sprintf('%s %.0f GB/s', levels[l], roofs[l]) at name_y[l]/roofs[l],name_y[l] left rotate by along \
    offset -1.2,0.35 front textcolor rgb colours[l]
}
do for [s = 1:3] {
  weight = s == 1 ? 1.8 : 1.2; dashes = s == 1 ? 1 : 2; colour = s == 1 ? 'black' : '#555555'
  set arrow from peaks[s]/roofs[1],peaks[s] to right,peaks[s] nohead linewidth weight dashtype dashes linecolor rgb colour
  set label sprintf('%s%s %.0f', s == 1 ? 'peak: ' : '', names[s], peaks[s]) at 12,peaks[s] offset 0,0.7 left
}
set arrow from left,2/add to right,2/add nohead linewidth 1.2 dashtype 3 linecolor rgb '#555555'
set label sprintf('chain %.1f', 2/add) at 12,2/add offset 0,0.7 left
set label 'two numbers fetched for' at at_x[1],at_y[1] front boxed font 'DejaVu Sans Bold,13' offset 1.4,0
set label 'each multiply-add' at at_x[1],at_y[1] front boxed font 'DejaVu Sans Bold,13' offset 1.4,-1.1
set label 'each matrix once' at 0.95*right,at_y[2] right front boxed font 'DejaVu Sans Bold,13' offset 0,-1.2
plot for [i = 1:2] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype 7 pointsize 1.3 linecolor rgb '#D55E00'
