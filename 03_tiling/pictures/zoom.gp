# 03: the same cut twice: matrices into tiles for L2, a tile into blocks for the registers.
height = 423
load 'plots/pictures/grid.gp'
set xrange [0:56]; set yrange [46.5:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
away = 'set arrow from %g,%g to %g,%g nohead linewidth 0.8 dashtype 3 linecolor rgb "#777777"'
array at = [17, 31, 45]; array names = ['C', 'A', 'B']; side = 10.0
array row = [2, 2, 4]; array col = [5, 4, 5]; array hue = [line, now, walk]

# The matrices in tiles.
top = 3.5
set label 'L3, memory' at 0.5,top + 1 font bold
set label 'matrices,' at 0.5,top + 3.4; set label '2048 × 2048' at 0.5,top + 5.4; set label 'in tiles' at 0.5,top + 7.4
t = side/8
do for [m = 1:3] {
  set label names[m] at at[m] + side/2,1.7 center font bold
  do for [r = 0:7] { do for [c = 0:7] { eval sprintf(box, at[m] + c*t, top + r*t, at[m] + (c + 1)*t, top + (r + 1)*t, (r == row[m] && c == col[m]) ? hue[m] : 'white', 0.5) } }
}
set label '+=' at 29,top + side/2 center font bold; set label '·' at 43,top + side/2 center font bold

# A tile of each: the block of A, the rows of B and of C that it works on.
top = 17.5
set label 'L2, 1 MiB' at 0.5,top + 1 font bold
set label 'tiles,' at 0.5,top + 3.4; set label '256 × 256,' at 0.5,top + 5.4; set label 'in fours' at 0.5,top + 7.4
do for [m = 1:3] {
  eval sprintf(away, at[m] + col[m]*t, 3.5 + (row[m] + 1)*t, at[m], top)
  eval sprintf(away, at[m] + (col[m] + 1)*t, 3.5 + (row[m] + 1)*t, at[m] + side, top)
  eval sprintf(box, at[m], top, at[m] + side, top + side, 'white', 0.8)
}
s = 0.9
eval sprintf(box, at[1], top + 3, at[1] + side, top + 3 + s, line, 0.6)
eval sprintf(box, at[2] + 5, top + 3, at[2] + 5 + s, top + 3 + s, now, 0.6)
eval sprintf(box, at[3], top + 5, at[3] + side, top + 5 + s, walk, 0.6)
set label '+=' at 29,top + side/2 center font bold; set label '·' at 43,top + side/2 center font bold

# The block: sixteen numbers of A stay in registers, a column of B and of C passes by.
top = 31.5; q = 2.5
set label 'registers' at 0.5,top + 1 font bold
set label '4 × 4 of A stay;' at 0.5,top + 3.4; set label '4 of B and of C' at 0.5,top + 5.4; set label 'for each j' at 0.5,top + 7.4
eval sprintf(away, at[1], 17.5 + 3 + s, at[1], top); eval sprintf(away, at[1] + side, 17.5 + 3 + s, at[1] + side, top)
eval sprintf(away, at[2] + 5, 17.5 + 3 + s, at[2], top); eval sprintf(away, at[2] + 5 + s, 17.5 + 3 + s, at[2] + side, top)
eval sprintf(away, at[3], 17.5 + 5 + s, at[3], top); eval sprintf(away, at[3] + side, 17.5 + 5 + s, at[3] + side, top)
do for [r = 0:3] {
  eval sprintf(box, at[1], top + r*q, at[1] + side, top + (r + 1)*q, 'white', 0.6)
  eval sprintf(box, at[3], top + r*q, at[3] + side, top + (r + 1)*q, 'white', 0.6)
  eval sprintf(box, at[1] + 4, top + r*q, at[1] + 6, top + (r + 1)*q, line, 0.8)
  eval sprintf(box, at[3] + 4, top + r*q, at[3] + 6, top + (r + 1)*q, walk, 0.8)
  do for [c = 0:3] { eval sprintf(box, at[2] + c*q, top + r*q, at[2] + (c + 1)*q, top + (r + 1)*q, now, 0.8) }
}
set label 'j' at at[1] + 5,top + side + 1.4 center font 'DejaVu Sans Oblique,14'; set label 'j' at at[3] + 5,top + side + 1.4 center font 'DejaVu Sans Oblique,14'
set label '+=' at 29,top + side/2 center font bold; set label '·' at 43,top + side/2 center font bold
set label 'For each j: 4 b and 4 c are loaded, 16 multiply-adds done, 4 c stored.' at 0.5,45
plot NaN
