# 09: two tiles of C on six SMs, whole and with k in three parts; and two forms of tiles over a C of 16 rows.
width = 900; height = 360
load 'plots/pictures/grid.gp'
set xrange [-6:58]; set yrange [17.6:-1.4]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
bold = 'DejaVu Sans Bold,12'
set label 'a tile a block: four SMs of six are idle' at -6,-0.5 font bold
set label 'k in three parts' at -6,8.3 font bold
do for [b = 0:5] {
  y = 0.4 + 1.2*b
  set label sprintf('SM %d', b) at -6,y + 0.5 font ',11'
  if (b < 2) { eval put(0, y, 24, 1, now); set label sprintf('tile %d, all of k', b) at 12,y + 0.5 center font ',11' }
  y = 9.2 + 1.2*b
  set label sprintf('SM %d', b) at -6,y + 0.5 font ',11'
  eval put(0, y, 8, 1, line); set label sprintf('tile %d, part %d', b % 2, b / 2) at 4,y + 0.5 center font ',11'
  eval put(8.6, y, 1.6, 1, now)
}
set label "the second kernel: a thread adds" at 11,10.8 font ',11'
set label "an element's three sums to C" at 11,11.9 font ',11'
set label 'time →' at 24,17.1 right font ',11'
set label 'a C of 16 rows under tiles of 64 × 128' at 30,-0.5 font bold
do for [t = 0:3] { eval put(30 + 6.8*t, 0.6, 6.8, 6.4, plain); eval put(30 + 6.8*t, 0.6, 6.8, 1.6, now) }
set label 'three quarters of the products are for nothing' at 30,7.7 font ',11'
set label '… and of 16 × 256' at 30,9.7 font bold
do for [t = 0:1] { eval put(30 + 13.6*t, 10.6, 13.6, 1.6, now) }
set label 'no product is for nothing; of A a number is used 256 times, of B 16' at 30,13 font ',11'
plot NaN
