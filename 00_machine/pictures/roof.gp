# 00: what lies between the core and the memory, and what 00_machine measures of each.
height = 343
load 'plots/pictures/grid.gp'
set xrange [0:32]; set yrange [21:-0.5]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 1'
eval sprintf(box, 0.3, 1.6, 8.3, 15, line)
set label 'core' at 4.3,0.7 center font 'DejaVu Sans Bold,14'
set label 'registers' at 4.3,2.9 center; set label 'two units that' at 4.3,4.7 center; set label 'multiply and add' at 4.3,5.8 center font ',14'
set label 'two that only add' at 4.3,7.3 center font ',14'
set label 'peak: GFLOP/s' at 4.3,9.6 center font 'DejaVu Sans Bold,13'
set label 'latency: ns' at 4.3,11.2 center font 'DejaVu Sans Bold,13'
array x = [10.8, 16.2, 21.6, 27.2]; array w = [3.0, 3.0, 3.0, 4.5]; array h = [3.6, 6.0, 9.0, 13.4]
array names = ['L1', 'L2', 'L3', 'memory']; array sizes = ['48 KiB', '1 MiB', '32 MiB', 'many GiB']
array whose = ['of the core', 'of the core', 'of all cores', 'of all cores']
do for [i = 1:4] {
  eval sprintf(box, x[i], 15 - h[i], x[i] + w[i], 15, i == 4 ? plain : walk)
  set label names[i] at x[i] + w[i] / 2,13.8 - h[i] center font 'DejaVu Sans Bold,14' front
  set label sizes[i] at x[i] + w[i] / 2,16.0 center font ',14'
  set label whose[i] at x[i] + w[i] / 2,17.2 center font ',13'
  from = i == 1 ? 8.3 : x[i-1] + w[i-1]
  set arrow from from + 0.2,13.6 to x[i] - 0.2,13.6 heads front size 0.5,25 filled linewidth 2 linecolor rgb 'black'
}
set label 'Bandwidth, GB/s, is measured over each arrow: by a loop whose' at 0.3,19.0
set label 'arrays fit there, but not in the level before.' at 0.3,20.2
plot NaN
