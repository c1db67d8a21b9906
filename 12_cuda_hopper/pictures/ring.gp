# 12: the rung tma in step 1: three stages, one thread that begins copies, barriers that count bytes.
width = 900; height = 400
load 'plots/pictures/grid.gp'
set xrange [-3:57]; set yrange [26.4:-1.8]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
say(x, y, text) = sprintf('set label "%s" at %g,%g center font ",11"', text, x, y)
step(s) = s == 1 ? now : s == 3 ? walk : s == 2 ? line : plain
set label 'memory: boxes of 64 columns' at -2.5,-0.8 font 'DejaVu Sans Bold,12'
do for [s = 0:4] {
  eval put(-2 + 2.4*s, 3, 2.4, 4.6, step(s)).'; '.say(-0.8 + 2.4*s, 5.3, sprintf('%d', s))
  do for [h = 0:1] { eval put(12.2 + 2.4*h, 3 + 2.4*s, 2.4, 2.4, step(s)).'; '.say(13.4 + 2.4*h, 4.2 + 2.4*s, sprintf('%d', s)) }
}
set label 'A: 128 rows' at 4,2.2 center font ',11'
set label 'B: 128 columns' at 14.6,2.2 center font ',11'
set label 'a box of A: 128 × 64 · 2 = 16,384 bytes' at -2,17.4 font ',11'
set label 'one of B: 64 × 64 · 2 = 8,192 bytes' at -2,18.8 font ',11'
set label 'thread 0, once a step:' at -2,22 font 'DejaVu Sans Bold,12'
set label 'full[0] expects 32,768 bytes; copy three boxes' at -2,23.4 font ',11'
set object rectangle from 21,9 to 27,14 fillcolor rgb 'white' linewidth 1.6
set label 'TMA' at 24,11 center font 'DejaVu Sans Bold,13'
set label 'swizzles' at 24,12.6 center font ',11'
set arrow from 17.4,11.4 to 20.8,11.4 linewidth 1.6
set arrow from 27.2,11 to 30.7,5.4 linewidth 1.6
set arrow from 24,21.4 to 24,14.3 dashtype 2 linewidth 1.2
set arrow from 19.6,22.9 to 24,21.4 nohead dashtype 2 linewidth 1.2
set label 'shared memory: a ring of three stages' at 31,-0.8 font 'DejaVu Sans Bold,12'
array of[3] = [3, 1, 2]
do for [s = 0:2] {
  y = 2.6 + 7*s
  set label sprintf('stage %d', s) at 31,y - 0.6 font ',11'
  eval put(31, y, 4.6, 4.4, step(of[s + 1])).'; '.say(33.3, y + 2.3, sprintf('A, step %d', of[s + 1]))
  do for [h = 0:1] { eval put(36 + 3*h, y, 3, 4.4, s == 0 ? 'white' : step(of[s + 1])).'; '.say(37.5 + 3*h, y + 2.3, s == 0 ? '' : sprintf('B, %d', of[s + 1])) }
}
set label 'full[0]: phase 1' at 43.4,3.6 font 'DejaVu Sans Bold,11'
set label '16,384 bytes are missing' at 43.4,5 font ',11'
set label 'wait for parity 1: waits' at 43.4,6.4 font ',11'
set label 'full[1]: phase 0 is over' at 43.4,10.6 font 'DejaVu Sans Bold,11'
set label 'the warps multiply step 1' at 43.4,12 font ',11'
set label 'full[2]: phase 0 is over' at 43.4,17.6 font 'DejaVu Sans Bold,11'
set label 'step 2 is there' at 43.4,19 font ',11'
set label 'orange: multiplied; dark blue: on its way; pale blue: has arrived' at 31,23.4 font ',11'
plot NaN
