# 05: packing, with micro-panels of 3 rows and 4 columns for 6 and 16: in which order the numbers of the blocks lie afterwards.
height = 586
load 'plots/pictures/grid.gp'
set xrange [-1.2:25]; set yrange [29.4:-2.4]
bold = "font 'DejaVu Sans Bold,14'"
frame = 'set object rectangle from %g,%g to %g,%g front fillstyle empty border rgb "black" linewidth 2.2'
number(x, y, i) = sprintf("set label '%d' at %g,%g center front font ',13'", i, x + 0.5, y + 0.5)

# A: two micro-panels of 3 rows, 6 columns; B: 6 rows, three micro-panels of 4 columns. Numbered as they lie in the copies.
set label 'A: micro-panels of mr rows' at -1,-1.4 @bold
do for [r = 0:5] { do for [c = 0:5] {
  eval draw(c, r, c == 0 ? now : plain)
  eval number(c, r, r / 3 * 18 + 3 * c + r % 3)
} }
do for [s = 0:1] { eval sprintf(frame, 0, 3 * s, 6, 3 * s + 3) }
set label 'B: of nr columns' at 12,-1.4 @bold
do for [r = 0:5] { do for [c = 0:11] {
  eval draw(12 + c, r, r == 0 ? walk : plain)
  eval number(12 + c, r, c / 4 * 24 + 4 * r + c % 4)
} }
do for [s = 0:2] { eval sprintf(frame, 12 + 4 * s, 0, 16 + 4 * s, 6) }
set label 'The number in a cell is its place in the copy. Here mr = 3 and nr = 4.' at -1,7.4

# The copies.
set label 'copy of A: what one p of the tile wants, side by side' at -1,10 @bold
do for [i = 0:20] {
  eval draw(i, 11, i % 18 < 3 ? now : plain)
  eval number(i, 11, i)
}
do for [s = 0:6] { eval sprintf(frame, 3 * s, 11, 3 * s + 3, 12) }
set label '…' at 21.4,11.5
set label 'copy of B: a row of the micro-panel, then the next' at -1,14.4 @bold
do for [i = 0:19] {
  eval draw(i, 15.4, i % 24 < 4 ? walk : plain)
  eval number(i, 15.4, i)
}
do for [s = 0:4] { eval sprintf(frame, 4 * s, 15.4, 4 * s + 4, 16.4) }
set label '…' at 20.4,15.9

# How far it is from one row of B's micro-panel to the next, 64 bytes each.
set label 'One row of a micro-panel of B to the next, n = 2048:' at -1,19.6 @bold
gap = 'set arrow from %g,%g to %g,%g front heads size 0.3,25 linewidth 1'
do for [i = 0:2] {
  eval sprintf('set object rectangle from %g,21 to %g,22 fillcolor rgb "%s" linewidth 0.6', 10 * i, 10 * i + 1.6, walk)
  eval sprintf('set object rectangle from %g,26 to %g,27 fillcolor rgb "%s" linewidth 0.6', 1.6 * i, 1.6 * i + 1.6, walk)
}
do for [i = 0:1] { eval sprintf(gap, 10 * i, 22.6, 10 * i + 10, 22.6) }
set label '8192 bytes: another page,' at 5,23.6 center
set label 'the same set of L1' at 5,24.6 center
set label 'in B' at 24.6,21.5 right
set label '64 bytes: the next line, the next set' at 0,28.2
set label 'in the copy' at 24.6,26.5 right
plot NaN
