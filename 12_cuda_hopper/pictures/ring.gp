# 12: the rung tma in step 1: three stages, one thread that begins copies, barriers that count bytes.
height = 465
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [46.5:0]   # ten pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
say(x, y, text) = sprintf('set label "%s" at %g,%g center font ",13"', text, x, y)
step(s) = s == 1 ? now : s == 3 ? walk : s == 2 ? line : plain
bold = 'DejaVu Sans Bold,14'
set label 'memory: boxes of 64 columns' at 0.5,1.2 font bold
do for [s = 0:4] {
  eval put(0.5 + 2.4*s, 4.2, 2.4, 4.8, step(s)).'; '.say(1.7 + 2.4*s, 6.6, sprintf('%d', s))
  do for [h = 0:1] { eval put(16 + 2.4*h, 4.2 + 2.4*s, 2.4, 2.4, step(s)).'; '.say(17.2 + 2.4*h, 5.4 + 2.4*s, sprintf('%d', s)) }
}
set label 'A: 128 rows' at 0.5,3.2 font ',13'
set label 'B: 128 columns' at 13.6,3.2 font ',13'
set object rectangle from 36,6.4 to 44,12 fillcolor rgb 'white' linewidth 1.6
set label 'TMA' at 40,8.2 center font bold
set label 'swizzles' at 40,10.2 center font ',13'
set arrow from 21.4,9.2 to 35.7,9.2 linewidth 1.6
set arrow from 40,12.3 to 40,20.2 linewidth 1.6
set label 'a box of A: 128 · 64 · 2' at 23.2,4.7 font ',13'
set label '= 16,384 bytes,' at 23.2,6.2 font ',13'
set label 'of B: 8,192' at 23.2,7.7 font ',13'
set label 'thread 0, once a step:' at 0.5,18 font bold
set label 'full[0] expects 32,768' at 18.4,18 font ',13'; set label 'bytes; copy three boxes' at 18.4,19.6 font ',13'
set arrow from 33,17 to 36.4,12.3 dashtype 2 linewidth 1.2
set label 'shared memory: a ring of three stages' at 0.5,23 font bold
array of[3] = [3, 1, 2]
array state = ['full[0]: phase 1', 'full[1]: phase 0 is over', 'full[2]: phase 0 is over']
array what = ['16,384 bytes are missing;', 'the warps multiply step 1', 'step 2 is there']
do for [s = 0:2] {
  y = 25 + 6.2*s
  set label sprintf('stage %d', s) at 0.5,y + 2.4 font ',13'
  eval put(6.4, y, 7.4, 4.8, step(of[s + 1])).'; '.say(10.1, y + 2.4, sprintf('A, step %d', of[s + 1]))
  do for [h = 0:1] { eval put(14.4 + 4.2*h, y, 4.2, 4.8, s == 0 ? 'white' : step(of[s + 1])).'; '.say(16.5 + 4.2*h, y + 2.4, s == 0 ? '' : sprintf('B, %d', of[s + 1])) }
  set label state[s + 1] at 24.4,y + 0.8 font bold
  set label what[s + 1] at 24.4,y + 2.5 font ',13'
}
set label 'wait for parity 1: waits' at 24.4,29.1 font ',13'
set label 'Orange: multiplied; dark blue: on its way; pale blue: has arrived.' at 0.5,45
plot NaN
