# 09: four numbers of A on their way: one load of 16 bytes along a row, four stores down a column of the transposed tile.
height = 390
load 'plots/pictures/grid.gp'
set xrange [0:34]; set yrange [26:0]   # fifteen pixels a unit
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
# In A: 16 of the tile's 128 rows, 8 columns.
set label 'in A and square''s tile' at 0.3,0.9 font bold
do for [r = 0:15] { do for [c = 0:7] {
  eval sprintf(box, 2 + c, 2 + r, 3 + c, 3 + r, r == 2 && c < 4 ? walk : r >= 8 && c == 5 ? now : 'white')
} }
set label 'q →' at 2,18.8; set label 'i ↓' at 0.3,3.0
# In the tile: 8 rows, 16 of 128 columns.
set label 'in the tile of transposed' at 16.5,0.9 font bold
do for [r = 0:7] { do for [c = 0:15] {
  eval sprintf(box, 17 + c, 2 + r, 18 + c, 3 + r, c == 2 && r < 4 ? walk : r == 5 && c >= 8 ? now : 'white')
} }
set label 'i →' at 17,10.8; set label 'q ↓' at 15,3.0
set arrow from 10.3,4.5 to 16.8,4.5 linewidth 1.5 linecolor rgb '#56b4e9'
eval sprintf(box, 0.3, 20.3, 1.3, 21.3, walk)
set label 'brought by a thread: in A side by side, one load of 16 bytes;' at 2,20.8
set label 'in the transposed tile one below the other, four stores' at 2,22.1
eval sprintf(box, 0.3, 23.3, 1.3, 24.3, now)
set label 'used by a thread for one q: in A one below the other,' at 2,23.8
set label 'eight loads; in the transposed tile two loads of 16 bytes' at 2,25.1
plot NaN
