# 07: the 32 addresses of one warp, for one p, and the 32-byte sectors they fall into.
height = 450
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [45:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'
sector = 'set object rectangle from %g,%g to %g,%g fillstyle empty border rgb "black" linewidth 1.8 front'
u = 0.98; left = 3.0  # an element, drawn
bar = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.4'
# A row of a matrix in sectors of eight numbers, those of sectors `some` to `last` drawn singly, numbers `from` to `to` coloured.
row(y, some, last, from, to, colour) = sprintf('do for [s = 0:5] { %s }; do for [e = 8 * %d:8 * %d + 7] { %s }', \
  sprintf('eval sprintf(bar, left + 8 * s * u, %g, left + 8 * (s + 1) * u, %g, plain)', y, y + 1), some, last, \
  sprintf('eval sprintf(bar, left + e * u, %g, left + (e + 1) * u, %g, e >= %d && e <= %d ? "%s" : plain)', y, y + 1, from, to, colour))
asked(y, s) = sprintf(sector, left + 8 * s * u, y, left + 8 * (s + 1) * u, y + 1)
set label 'uncoalesced: 32 rows i, one column j' at 0.4,1.2 font bold
set label 'A(i, p): down a column: 32 sectors, of 1,024 bytes 128 are wanted' at 0.4,3.1 font ',13'
do for [r = 0:5] {
  y = 4.2 + 1.3 * r
  if (r == 4) { set label '⋮' at left + 4 * u,y + 0.5 center } else {
    eval row(y, 0, 0, 5, 5, now).'; '.asked(y, 0)
    set label (r == 5 ? '31' : sprintf('%d', r)) at left - 0.5,y + 0.5 right font ',13'
  }
}
set label 'B(p, j): all threads the same number: 1 sector' at 0.4,13.5 font ',13'
do for [r = 0:2] { eval row(14.6 + 1.3 * r, 1, r == 1 ? 1 : 0, 13, 13, now) }
eval asked(15.9, 1)
set label 'coalesced: one row i, 32 columns j' at 0.4,20.6 font bold
set label 'A(i, p): all threads the same number: 1 sector' at 0.4,22.5 font ',13'
do for [r = 0:2] { eval row(23.6 + 1.3 * r, r == 1 ? 0 : 1, 0, 5, 5, now) }
eval asked(24.9, 0)
set label 'B(p, j): along a row: 4 sectors, all 128 bytes are wanted' at 0.4,29 font ',13'
do for [r = 0:2] { eval row(30.1 + 1.3 * r, 1, r == 1 ? 4 : 0, 8, 39, walk) }
do for [s = 1:4] { eval asked(31.4, s) }
set label 'A pale box is a sector of 32 bytes, 8 numbers in f32; a frame: one' at 0.4,36.6
set label 'that is asked for. Sectors come whole. Coloured: the numbers that' at 0.4,38.4
set label 'the warp asks for (orange: one of a sector, blue: all eight). Only' at 0.4,40.2
set label '48 columns are drawn.' at 0.4,42
plot NaN
