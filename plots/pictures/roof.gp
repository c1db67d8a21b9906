# 00: what lies between the core and the memory, and what 00_machine measures of each.
width = 900; height = 400
load 'plots/pictures/grid.gp'
set xrange [0:36]; set yrange [16:-0.6]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 1'
eval sprintf(box, 0.5, 2, 7.5, 12, line)
set label 'core' at 4,1.2 center font 'DejaVu Sans Bold,14'
set label 'registers' at 4,3.4 center; set label 'multiply-add units' at 4,5.6 center
set label 'peak:' at 4,8.2 center; set label 'GFLOP/s' at 4,9.3 center; set label 'latency: ns' at 4,10.9 center
array x = [10.6, 17.0, 23.5, 30.5]; array w = [3.6, 3.8, 4.6, 5.0]; array h = [4.0, 6.0, 8.0, 10.0]
array names = ['L1', 'L2', 'L3', 'memory']; array sizes = ['32–64 KiB', '1 or 2 MiB', 'some 10 MiB', 'GiB']
do for [i = 1:4] {
  eval sprintf(box, x[i], 12 - h[i], x[i] + w[i], 12, i == 4 ? plain : walk)
  set label names[i] at x[i] + w[i] / 2,12 - h[i] / 2 - 0.5 center font 'DejaVu Sans Bold,14' front
  set label sizes[i] at x[i] + w[i] / 2,12 - h[i] / 2 + 0.8 center font ',11' front
  from = i == 1 ? 7.5 : x[i-1] + w[i-1]
  set arrow from from + 0.15,11 to x[i] - 0.15,11 heads front linewidth 2 linecolor rgb 'black'
}
set label 'bandwidth: GB/s over each of these arrows, measured by a triad whose arrays just fit that far' at 18,13.6 center
set label 'further from the core: larger, slower, and (from L3 on) shared by more cores' at 18,15.0 center
plot NaN
