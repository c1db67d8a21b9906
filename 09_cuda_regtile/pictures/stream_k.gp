# 09: seven tiles on five SMs, tile by tile and in equal parts.
width = 900; height = 420
load 'plots/pictures/grid.gp'
set xrange [-10:36]; set yrange [17.4:-1.4]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour) = sprintf(box, x, y, x + w, y + 1.1, colour)
set label 1 'a tile a block' at -10,-0.5 font 'DejaVu Sans Bold,12'
do for [b = 0:4] { set label 10 + b sprintf('SM %d', b) at -10,0.9 + 1.25 * b font ',11' }
do for [t = 0:6] {
  y = 0.35 + 1.25 * (t % 5); x = t < 5 ? 0 : 10.2
  eval put(x, y, 10, now)
  set label 20 + t sprintf('tile %d', t) at x + 5,y + 0.55 center font ',11'
}
set label 2 'three of five have nothing to do' at 21.4,5 font ',11'
set label 3 'equal parts' at -10,8.4 font 'DejaVu Sans Bold,12'
do for [b = 0:4] { set label 40 + b sprintf('block %d', b) at -10,9.8 + 1.25 * b font ',11' }
# Part b: 14 of the 70 steps, from 14 b on; drawn from its last tile to its first, as it is worked.
id = 50
do for [b = 0:4] {
  x = 0; y = 9.25 + 1.25 * b
  do for [t = 6:0:-1] {
    first = 14 * b > 10 * t ? 14 * b : 10 * t
    last = 14 * (b + 1) < 10 * (t + 1) ? 14 * (b + 1) : 10 * (t + 1)
    if (first < last) {
      eval put(x, y, last - first - 0.1, last == 10 * (t + 1) ? now : line)
      set label id sprintf('%d', t) at x + (last - first) / 2.0,y + 0.55 center font ',11'
      id = id + 1; x = x + last - first
    }
  }
}
set label 4 'writes C, after the fix-up: adds' at 16,9.8 font ',11'
set label 5 "others' partial sums for this tile" at 16,10.9 font ',11'
set label 6 'stores partial sums for the block after it' at 16,12.8 font ',11'
eval sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8', 14.6, 9.4, 15.6, 10.2, now)
eval sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8', 14.6, 12.4, 15.6, 13.2, line)
set label 7 'time →' at 21,16.6 right font ',11'
plot NaN
