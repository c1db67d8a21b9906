# 07: the 32 addresses of one warp, for one p, and the 32-byte sectors they fall into.
width = 900; height = 590
load 'plots/pictures/grid.gp'
set xrange [-0.6:37.4]; set yrange [24.8:-1.6]
sector = 'set object rectangle from %g,%g to %g,%g fillstyle empty border rgb "black" linewidth 1.8 front'
u = 0.30  # an element, drawn
# A row of a matrix in sectors of eight numbers, those of sectors `some` to `last` drawn singly, numbers `from` to `to` coloured.
bar = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.3'
row(x, y, some, last, from, to, colour) = sprintf('do for [s = 0:5] { %s }; do for [e = 8 * %d:8 * %d + 7] { %s }', \
  sprintf('eval sprintf(bar, %g + 8 * s * u, %g, %g + 8 * (s + 1) * u, %g, plain)', x, y, x, y + 0.8), some, last, \
  sprintf('eval sprintf(bar, %g + e * u, %g, %g + (e + 1) * u, %g, e >= %d && e <= %d ? "%s" : plain)', x, y, x, y + 0.8, from, to, colour))
# left: uncoalesced; right: coalesced. A above, B below.
set label 'uncoalesced: 32 rows i, one column j' at 0.2,-0.8 font 'DejaVu Sans Bold,13'
set label 'coalesced: one row i, 32 columns j' at 19.8,-0.8 font 'DejaVu Sans Bold,13'
set arrow from 18.3,-1.2 to 18.3,21.6 nohead linewidth 0.8 linecolor rgb '#999999'
do for [r = 0:7] {
  y = 1.6 + 1.05 * r
  if (r == 6) { set label '⋮' at 3.2,y+0.4 center } else {
    eval row(1.6, y, 0, 0, 5, 5, now)
    eval sprintf(sector, 1.6, y, 1.6 + 8 * u, y + 0.8)
    set label (r == 7 ? '31' : sprintf('%d', r)) at 1.3,y+0.4 right font ',10'
  }
}
set label 'A(i, p): down a column' at 0.2,0.6
set label '32 sectors, 1,024 bytes asked for: 128 are wanted' at 1.6,10.8
do for [r = 0:2] {
  y = 13.8 + 1.05 * r
  eval row(1.6, y, 1, r == 1 ? 1 : 0, 13, 13, now)
  eval row(21.2, y, 1, r == 1 ? 4 : 0, 8, 39, walk)
}
eval sprintf(sector, 1.6 + 8 * u, 14.85, 1.6 + 16 * u, 15.65)
set label 'B(p, j): all threads the same number' at 0.2,12.8
set label '1 sector' at 1.6,17.8
do for [r = 0:2] {
  y = 1.6 + 1.05 * r
  eval row(21.2, y, 1, 0, 5, 5, now)
  if (r == 1) { eval row(21.2, y, 0, 0, 5, 5, now) }
}
eval sprintf(sector, 21.2, 2.65, 21.2 + 8 * u, 3.45)
set label 'A(i, p): all threads the same number' at 19.8,0.6
set label '1 sector' at 21.2,5.6
do for [s = 1:4] { eval sprintf(sector, 21.2 + 8 * s * u, 14.85, 21.2 + 8 * (s + 1) * u, 15.65) }
set label 'B(p, j): along a row' at 19.8,12.8
set label '4 sectors, 128 bytes asked for: 128 are wanted' at 21.2,17.8
set label 'A pale box is a sector of 32 bytes, 8 numbers in f32; a frame: one that is asked for. Sectors come whole.' at 0.2,22.4
set label 'Coloured: the numbers that the warp asks for (orange: one of a sector, blue: all eight). Only 48 columns are drawn.' at 0.2,23.6
plot NaN
