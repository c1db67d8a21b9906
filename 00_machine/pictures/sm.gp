# 00: one SM of an H100, and what lies between it and the memory.
height = 398
load 'plots/pictures/grid.gp'
set xrange [0:32]; set yrange [25:-0.4]
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 1'
eval sprintf(box, 0.3, 1.4, 31.7, 16.7, '#ffffff')
set label 'one SM of 132' at 0.4,0.5 font bold
do for [q = 0:3] {
  left = 0.8 + q*7.75; right = left + 7.15
  eval sprintf(box, left, 2, right, 10.6, plain)
  set label sprintf('scheduler %d', q) at left+3.6,2.8 center font 'DejaVu Sans Bold,14'
  set label 'picks one warp' at left+3.6,3.9 center font ',13'
  set label 'a cycle' at left+3.6,4.9 center font ',13'
  do for [l = 0:31] { eval sprintf(box, left+0.35+(l%16)*0.4, 5.8+int(l/16)*0.9, left+0.75+(l%16)*0.4, 6.6+int(l/16)*0.9, walk) }
  set label '32 units for f32' at left+3.6,8.1 center font ',13'
  set label 'a tensor core' at left+3.6,9.1 center font ',13'
  set label '16,384 registers' at left+3.6,10.1 center font ',13'
}
eval sprintf(box, 0.8, 11.4, 31.2, 15.9, line)
set label 'L1 and shared memory, 256 KiB: 32 banks of 4 bytes a cycle' at 16,12.5 center
do for [b = 0:31] { eval sprintf(box, 1.2+b*0.926, 13.4, 1.2+b*0.926+0.8, 15.4, walk) }
set label 'TMA: copies' at 20.5,17.4 font ',13'
set arrow from 20,16.8 to 20,18.0 heads front size 0.4,25 filled linewidth 2 linecolor rgb 'black'
set arrow from 16,16.8 to 16,18.0 heads front size 0.4,25 filled linewidth 2 linecolor rgb 'black'
eval sprintf(box, 0.3, 18.1, 31.7, 20.1, now)
set label 'L2, shared by all SMs' at 16,19.1 center font bold front
set arrow from 16,20.2 to 16,21.4 heads front size 0.4,25 filled linewidth 2 linecolor rgb 'black'
eval sprintf(box, 0.3, 21.5, 31.7, 23.5, plain)
set label 'device memory' at 16,22.5 center font bold front
plot NaN
