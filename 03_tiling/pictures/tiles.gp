# 03: one product of tiles: which tiles, and what of them stays in which cache.
height = 382
load 'plots/pictures/grid.gp'
set xrange [0:56]; set yrange [42:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'

# Three matrices of 8 x 8 tiles, the last ones cut.
side = 13.0; t = side * 256 / 2000; top = 3.4; end(i) = i < 7 ? (i + 1)*t : side
array at = [2.5, 21.5, 40.5]; array names = ['A', 'B', 'C']
array row = [2, 4, 2]; array col = [4, 5, 5]; array colours = [plain, walk, line]
do for [m = 1:3] {
  set label names[m].': 2000 × 2000' at at[m] + side/2,top - 1.6 center font bold
  do for [r = 0:7] { do for [c = 0:7] {
    eval sprintf(box, at[m] + c*t, top + r*t, at[m] + end(c), top + end(r), 'white', 0.5)
  } }
  eval sprintf(box, at[m] + col[m]*t, top + row[m]*t, at[m] + col[m]*t + t, top + row[m]*t + t, m == 1 ? now : colours[m], 2)
}
set label 'One step: a tile of C += a tile of A · a tile of B. Each is 256 × 256,' at 0.5,top + side + 1.6
set label '256 KiB in f32. Inside, the loops run as in lesson 02. What stays:' at 0.5,top + side + 3.5

# What stays where, and for how long.
y = 23.6
bar = 39.0; from = 16.5
set label 'register' at 0.5,y + 1.3 font bold
eval sprintf(box, from, y, from + 2.6, y + 2.6, now, 0.8)
set label 'a number of A, for 256 multiply-adds' at from + 3.6,y + 1.3
y = y + 4.4
set label 'L1, 48 KiB' at 0.5,y + 1.3 font bold
eval sprintf(box, from, y, from + bar, y + 2.6, plain, 0.8)
eval sprintf(box, from, y, from + bar/48, y + 2.6, line, 0.8)
set label 'a row of the tile of C, 1 KiB: for 256 p' at from + 3.6,y + 1.3 front
y = y + 4.4
set label 'L2, 1 MiB' at 0.5,y + 1.3 font bold
eval sprintf(box, from, y, from + bar, y + 2.6, plain, 0.8)
array held = ['tile of B', 'tile of C', 'tile of A']; array how = [walk, line, now]
do for [i = 1:3] {
  eval sprintf(box, from + (i - 1)*bar/4, y, from + i*bar/4, y + 2.6, how[i], 0.8)
  set label held[i] at from + (i - 0.5)*bar/4,y + 1.3 center front
}
set label 'B: for 256 rows of C. A: for 8 tiles of B' at from + 1,y + 3.9 front
y = y + 1.9
y = y + 4.4
set label 'L3, memory' at 0.5,y + 1.3 font bold
eval sprintf(box, from, y, from + bar, y + 2.6, plain, 0.8)
set label 'A, B and C: 16 MB each' at from + 1,y + 1.3 front
plot NaN
