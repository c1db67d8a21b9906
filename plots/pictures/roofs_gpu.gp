# The roofline's data from 07 on, n = 4096. x is by the rungs' cost.hpp: of bytes from L1 or shared memory, 128 for each wavefront.
folder = 'plots/reference/h100/'
unit = 'T'; from = 'from L1 or shared memory'
array levels = ['L1, shared', 'L2', 'memory']; array facts = ['shared', 'L2', 'memory']; array roofs = [NaN, NaN, NaN]
array colours = ['#B34700', '#0072B2', '#7A5C00']
do for [l = 1:3] { stats folder.'machine.csv' using (is('name', 'bandwidth') && is('level', facts[l]) ? (roofs[l] = column('value')/1000, 0) : 0) nooutput }
array peaks = [NaN, NaN]
stats folder.'machine.csv' using (is('name', 'peak') && is('type', 'bf16') && is('level', 'wgmma_shared') ? (peaks[1] = column('value')/1000, 0) : 0) nooutput
stats folder.'machine.csv' using (is('name', 'peak') && is('type', 'f32') ? (peaks[2] = column('value')/1000, 0) : 0) nooutput
array peak_names = ['tensor cores, BF16 %.0f', 'f32 units %.0f']; array peaks_down = [0.6, -0.7]
# lesson, program, variant, type, bytes for each multiply-add; 13's are of three FP16 products or six of BF16
array rung = ['07 07_cuda_global uncoalesced f32 132', '07 07_cuda_global coalesced f32 8', '08 08_cuda_shared shared f32 6.5', \
  '09 09_cuda_regtile square f32 1.5', '09 09_cuda_regtile conflict_free f32 0.75', '09 09_cuda_regtile stream_k f32 0.5', \
  '11 11_cuda_tensor swizzled bf16 0.09375', '11 11_cuda_tensor deep_steps bf16 0.09375', \
  '12 12_cuda_hopper wgmma bf16 0.0390625', '12 12_cuda_hopper ping_pong bf16 0.046875', \
  '13 13_f32_by_halves f32_by_bf16 f32 0.28125', '13 13_f32_by_halves f32_by_fp16 f32 0.140625']
array name[|rung|]; array right_of = [1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0]; array down = [0, -0.3, 0.3, 0, -0.3, 0.3, 0, -0.3, -0.4, 0, 0, 0.2]
array at_x[|rung|]; array at_y[|rung|]; array also_y[|rung|]
do for [i = 1:|rung|] {
  name[i] = word(rung[i], 3); at_x[i] = 2.0/word(rung[i], 5); at_y[i] = NaN; also_y[i] = NaN
  if (number(rung[i]) <= number(lesson)) { do for [card in 'h100 h200'] {
    best = 0
    stats 'plots/reference/'.card.'/results.csv' using (is('step', word(rung[i], 2)) && is('variant', word(rung[i], 3)) && \
      is('type', word(rung[i], 4)) && is('m', '4096') && is('n', '4096') && is('k', '4096') && column('gflops') > best ? (best = column('gflops'), 0) : 0) nooutput
    if (card eq 'h100') { at_y[i] = best/1000 } else { also_y[i] = best/1000 }
  } }
}
set label '● H100, × H200' at 0.95*right,3 right
