# The roofline's data for 00 to 05. x is what cost.hpp counts: operations for each byte that crosses between L2 and L1; y is measured.
rows = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
unit = 'G'; from = 'that crosses '.(lesson eq '00' ? 'the arrow' : 'between L2 and L1')
fact(name, vector, threads, level) = is('name', name) && is('vector', vector) && is('threads', threads) && is('level', level) && !is('type', 'f64') && !is('type', 'i32')
array levels = ['L1', 'L2', 'L3', 'memory']; array colours = ['#B34700', '#0072B2', '#007A59', '#7A5C00']; array roofs = [NaN, NaN, NaN, NaN]
if (lesson ne '00') { array levels = ['L2', 'L3', 'memory']; array colours = ['#0072B2', '#007A59', '#7A5C00']; array roofs = [NaN, NaN, NaN] }
array peaks = [NaN, NaN, NaN]   # of a fact taken again the last counts
do for [l = 1:|roofs|] {
  stats machine using (fact('bandwidth', 'avx512', '1', levels[l]) ? (roofs[l] = column('value'), 0) : 0) nooutput
}
do for [t = 1:2] {
  stats machine using (fact('peak', 'avx512', ''.t, '') ? (peaks[t] = column('value'), 0) : 0) nooutput
}
stats machine using (fact('latency', '', '1', 'add') ? (peaks[3] = 2/column('value'), 0) : 0) nooutput
array peak_names = ['one core %.0f', 'peak of both cores %.0f', 'one chain of additions %.1f']; array peaks_down = [-0.7, 0.6, -0.7]
# lesson, program, variant, threads, n, and the name with its place beside the mark
array rung = ['01 01_naive ijk 1 2000', '01 01_naive ijk 1 2048', '02 02_loop_order ikj 1 2000', '02 02_loop_order-native ikj 1 2000', \
  '03 03_tiling-native tiled 1 2000', '03 03_tiling-native four_by_four 1 2000', '04 04_openmp-native tiled_simd 2 2000', \
  '05 05_avx2 packed_512 1 2000']
array name = ['ijk, n = 2000', 'ijk, 2048', 'ikj', 'ikj, AVX-512', 'tiled', 'four_by_four', '4 × 4, both cores', 'packed']
array right_of = [1, 1, 0, 1, 0, 0, 0, 1]; array down = [0, 0, -0.2, -0.4, 0.5, 0, 0, -1]
array at_x[|rung|]; array at_y[|rung|]; array also_y[|rung|]
do for [i = 1:|rung|] {
  at_x[i] = NaN; at_y[i] = NaN; also_y[i] = NaN; best = 0
  if (number(rung[i]) <= number(lesson)) {   # of several tiles the fastest
    stats rows using (is('step', word(rung[i], 2)) && is('variant', word(rung[i], 3)) && is('threads', word(rung[i], 4)) && is('type', 'f32') && \
      is('m', word(rung[i], 5)) && is('n', word(rung[i], 5)) && is('k', word(rung[i], 5)) && column('gflops') > best ? \
      (best = column('gflops'), at_x[i] = 2*column('m')**3/column('bytes_l2'), at_y[i] = best, 0) : 0) nooutput
  }
}
if (lesson eq '00') {   # question 2's two programs
  set label 'two numbers fetched for' at 0.25,0.25*roofs[4] front boxed font 'DejaVu Sans Bold,14' offset 1.4,0
  set label 'each multiply-add' at 0.25,0.25*roofs[4] front boxed font 'DejaVu Sans Bold,14' offset 1.4,-1.1
  set label 'each matrix once' at 0.95*right,peaks[1] right front boxed font 'DejaVu Sans Bold,14' offset 0,-2
  at_x[1] = 0.25; at_y[1] = 0.25*roofs[4]; at_x[2] = 250; at_y[2] = peaks[1]; name[1] = ''; name[2] = ''
}
