# 09: seven tiles on five SMs, tile by tile and in equal parts.
height = 336
load 'plots/pictures/grid.gp'
set xrange [-2.9:20.7]; set yrange [24:0]   # fourteen pixels high
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, t) = sprintf(box, x, y, x + w, y + 1.2, colour).sprintf('; set label "%s" at %g,%g center font ",13"', t, x + w/2.0, y + 0.6)
set label 'a tile a block' at -2.7,0.9 font 'DejaVu Sans Bold,14'
set label 'time →' at 20.5,0.9 right font ',13'
do for [b = 0:4] { set label sprintf('SM %d', b) at -2.7,2.4 + 1.4 * b font ',13' }
do for [t = 0:6] { eval put(t < 5 ? 0 : 10.2, 1.8 + 1.4 * (t % 5), 10, now, sprintf('tile %d', t)) }
set label 'three of five have nothing to do' at 15.2,6.6 center font ',13'
set label 'equal parts' at -2.7,10.3 font 'DejaVu Sans Bold,14'
do for [b = 0:4] { set label sprintf('block %d', b) at -2.7,11.8 + 1.4 * b font ',13' }
# Part b: 14 of the 70 steps, from 14 b on; drawn from its last tile to its first, as it is worked.
do for [b = 0:4] {
  x = 0
  do for [t = 6:0:-1] {
    first = 14 * b > 10 * t ? 14 * b : 10 * t
    last = 14 * (b + 1) < 10 * (t + 1) ? 14 * (b + 1) : 10 * (t + 1)
    if (first < last) { eval put(x, 11.2 + 1.4 * b, last - first - 0.1, last == 10 * (t + 1) ? now : line, sprintf('%d', t)); x = x + last - first }
  }
}
set label 'Orange writes C, after the fix-up has added others'' partial sums' at -2.7,19.8
set label 'for this tile; blue stores partial sums for the block after it.' at -2.7,21.2
set label 'A number is a tile.' at -2.7,22.6
plot NaN
