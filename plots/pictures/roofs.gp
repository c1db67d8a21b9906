# The course's one roofline, for the lessons 00 to 05: the same axes in each, the rungs up to `lesson`, its own marked. A pictures/here.gp
# says lesson = '02' and loads this. x is what cost.hpp counts: operations for each byte that crosses between L2 and L1; y is measured.
set encoding utf8
set terminal svg size 510,440 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
is(name, text) = stringcolumn(name) eq text
fact(name, vector, threads, level) = is('name', name) && is('vector', vector) && is('threads', threads) && is('level', level) && !is('type', 'f64') && !is('type', 'i32')
array levels = ['L2', 'L3', 'memory', 'L1']; array colours = ['#0072B2', '#007A59', '#7A5C00', '#B34700']; array roofs = [NaN, NaN, NaN, NaN]
array peaks = [NaN, NaN]; add = NaN   # of a fact taken again the last counts
do for [l = 1:4] {
  stats machine using (fact('bandwidth', 'avx512', '1', levels[l]) ? (roofs[l] = column('value'), 0) : 0) nooutput
}
do for [t = 1:2] {
  stats machine using (fact('peak', 'avx512', ''.t, '') ? (peaks[t] = column('value'), 0) : 0) nooutput
}
stats machine using (fact('latency', '', '1', 'add') ? (add = column('value'), 0) : 0) nooutput
# lesson, program, variant, threads, n, and the name with its place beside the mark
array rung = ['01 01_naive ijk 1 2000', '01 01_naive ijk 1 2048', '02 02_loop_order ikj 1 2000', '02 02_loop_order-native ikj 1 2000', \
  '03 03_tiling-native tiled 1 2000', '03 03_tiling-native four_by_four 1 2000', '04 04_openmp-native tiled_simd 2 2000', \
  '05 05_avx2 packed_512 1 2000', '05 05_avx2 avx512_threads 2 2000']
array name = ['ijk, n = 2000', 'ijk, 2048', 'ikj', 'ikj, AVX-512', 'tiled', 'four_by_four', '4 × 4, both cores', 'packed', 'avx512, both cores']
array right_of = [1, 1, 0, 1, 0, 0, 0, 1, 0]; array down = [0, 0, -0.2, -0.4, 0.5, 0, 0, -1, 0.4]
array at_x[|rung|]; array at_y[|rung|]
do for [i = 1:|rung|] {
  at_x[i] = NaN; at_y[i] = NaN; best = 0
  if (word(rung[i], 1) <= lesson) {   # of several tiles the fastest
    stats rows using (is('step', word(rung[i], 2)) && is('variant', word(rung[i], 3)) && is('threads', word(rung[i], 4)) && is('type', 'f32') && \
      is('m', word(rung[i], 5)) && is('n', word(rung[i], 5)) && is('k', word(rung[i], 5)) && column('gflops') > best ? \
      (best = column('gflops'), at_x[i] = 2*column('m')**3/column('bytes_l2'), at_y[i] = best, 0) : 0) nooutput
  }
}
set logscale xy 2
left = 1.0/64; right = 512; bottom = 0.25; top = 1024
set xrange [left:right]; set yrange [bottom:top]
set xtics ('1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4, '16' 16, '64' 64, '256' 256)
set ytics ('1/4' 0.25, 1, 4, 16, 64, 256, 1024)
set border 3; set tics nomirror; unset key
set lmargin 8; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte that crosses '.(lesson eq '00' ? 'the arrow' : 'between L2 and L1')
set ylabel 'GFLOP/s' offset 0.8
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
do for [l = 1:(lesson eq '00' ? 4 : 3)] {
  start = left*roofs[l] > bottom ? left : bottom/roofs[l]
  set arrow from start,start*roofs[l] to peaks[1]/roofs[l],peaks[1] nohead linewidth 1.6 linecolor rgb colours[l]
  at = 0.4*1.7**(l == 4 ? 3 : 3 - l)   # their names stand where no mark is, the first from the left on top
  set label sprintf('%s %.0f GB/s', levels[l], roofs[l]) at 16,at left textcolor rgb colours[l]
  set arrow from 6,at to 12,at nohead linewidth 1.6 linecolor rgb colours[l]
}
do for [t = 1:2] {
  set arrow from (t == 1 ? peaks[1]/roofs[lesson eq '00' ? 4 : 1] : left),peaks[t] to right,peaks[t] nohead linewidth (t == 1 ? 1.8 : 1.2) dashtype t linecolor rgb 'black'
  set label sprintf(t == 1 ? 'one core %.0f' : 'peak of both cores %.0f', peaks[t]) at 0.95*right,peaks[t] offset 0,(t == 1 ? -0.7 : 0.6) right
}
set arrow from left,2/add to right,2/add nohead linewidth 1.2 dashtype 3 linecolor rgb '#555555'
set label sprintf('one chain of additions %.1f', 2/add) at 0.95*right,2/add offset 0,-0.7 right
do for [i = 1:|rung|] {
  ours = word(rung[i], 1) eq lesson
  if (at_y[i] == at_y[i]) {
    if (right_of[i]) { set label name[i] at at_x[i],at_y[i] left front boxed font (ours ? 'DejaVu Sans Bold,13' : ',13') offset 1.3,down[i] } else {
      set label name[i] at at_x[i],at_y[i] right front boxed font (ours ? 'DejaVu Sans Bold,13' : ',13') offset -1.3,down[i] }
  }
}
if (lesson eq '00') {   # question 2's two programs
  set label 'two numbers fetched for' at 0.25,0.25*roofs[3] front boxed font 'DejaVu Sans Bold,14' offset 1.4,0
  set label 'each multiply-add' at 0.25,0.25*roofs[3] front boxed font 'DejaVu Sans Bold,14' offset 1.4,-1.1
  set label 'each matrix once' at 0.95*right,peaks[1] right front boxed font 'DejaVu Sans Bold,14' offset 0,-2
  at_x[1] = 0.25; at_y[1] = 0.25*roofs[3]; at_x[2] = 250; at_y[2] = peaks[1]
}
mine(i) = lesson eq '00' || word(rung[i], 1) eq lesson
plot for [i = 1:|rung|] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype (mine(i) ? 7 : 6) pointsize (mine(i) ? 1.3 : 1.1) \
  linewidth 1.8 linecolor rgb (mine(i) ? '#D55E00' : '#777777')
