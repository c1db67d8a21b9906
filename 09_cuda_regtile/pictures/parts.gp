# 09: two tiles of C on six SMs, whole and with k in three parts; and two forms of tiles over a C of 16 rows.
height = 430
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [43:0]   # ten pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
bold = 'DejaVu Sans Bold,14'
set label 'a tile a block: four SMs of six are idle' at 0.5,1.2 font bold
set label 'k in three parts' at 0.5,13.8 font bold
set label 'time →' at 50.5,13.8 right font ',13'
do for [b = 0:5] {
  y = 2.4 + 1.7*b
  set label sprintf('SM %d', b) at 0.5,y + 0.7 font ',13'
  if (b < 2) { eval put(5, y, 29.4, 1.5, now); set label sprintf('tile %d, all of k', b) at 19.7,y + 0.75 center font ',13' }
  y = 15 + 1.7*b
  set label sprintf('SM %d', b) at 0.5,y + 0.7 font ',13'
  eval put(5, y, 9.8, 1.5, line); set label sprintf('tile %d, part %d', b % 2, b / 2) at 9.9,y + 0.75 center font ',13'
  eval put(15.6, y, 1.8, 1.5, now)
}
set label "the second kernel: a thread adds" at 18.2,18.8 font ',13'
set label "an element's three sums to C" at 18.2,20.4 font ',13'
set label 'a C of 16 rows under tiles of 64 × 128' at 0.5,27 font bold
do for [t = 0:3] { eval put(0.5 + 12.5*t, 28.2, 12.5, 6, plain); eval put(0.5 + 12.5*t, 28.2, 12.5, 1.5, now) }
set label 'three quarters of the products are for nothing' at 0.5,35.3 font ',13'
set label '… and of 16 × 256' at 0.5,38 font bold
do for [t = 0:1] { eval put(0.5 + 25*t, 39.2, 25, 1.5, now) }
set label 'no product is for nothing; of A a number is used 256 times, of B 16' at 0.5,41.9 font ',13'
plot NaN
