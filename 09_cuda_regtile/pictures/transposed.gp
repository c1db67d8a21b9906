# 09: four numbers of A on their way: one load of 16 bytes along a row, four stores down a column of the transposed tile.
width = 780; height = 330
load 'plots/pictures/grid.gp'
set terminal svg size width,height noenhanced font 'DejaVu Sans,13' background rgb 'white'
set encoding utf8
set xrange [0:52]; set yrange [22:0]   # fifteen pixels a unit
bold = 'DejaVu Sans Bold,13'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
# In A: 16 of the tile's 128 rows, 8 columns.
set label 'in A, and in the tile of square' at 1,0.9 font bold
do for [r = 0:15] { do for [c = 0:7] {
  eval sprintf(box, 2 + c, 2 + r, 3 + c, 3 + r, r == 2 && c < 4 ? walk : r >= 8 && c == 5 ? now : 'white')
} }
set label 'q →' at 2,19.2; set label 'i ↓' at 0.3,3.0
# In the tile: 8 rows, 16 of 128 columns.
set label 'in the tile of transposed' at 24,0.9 font bold
do for [r = 0:7] { do for [c = 0:15] {
  eval sprintf(box, 24 + c, 2 + r, 25 + c, 3 + r, c == 2 && r < 4 ? walk : r == 5 && c >= 8 ? now : 'white')
} }
set label 'i →' at 24,11.2; set label 'q ↓' at 22.2,3.0
set arrow from 10.3,4.5 to 21.8,4.5 linewidth 1.5 linecolor rgb '#56b4e9'
eval sprintf(box, 12, 13.2, 13, 14.2, walk)
set label 'brought by a thread: side by side in A, so one load of 16 bytes;' at 13.6,13.7
set label 'in the transposed tile one below the other, so four stores' at 13.6,15.2
eval sprintf(box, 12, 17.2, 13, 18.2, now)
set label 'used by a thread for one q: one below the other in A, eight loads;' at 13.6,17.7
set label 'in the transposed tile side by side, two loads of 16 bytes' at 13.6,19.2
plot NaN
