# 06: what goes from rank 0 to rank 1, and back, when each computes half of the rows of C.
height = 390
load 'plots/pictures/grid.gp'
set xrange [0:64]; set yrange [40:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'; side = 9.0
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
way = 'set arrow from %g,%g to %g,%g size 1.2,18 filled linewidth 2 linecolor rgb "%s"'
set label 'rank 0 has all of A, B and C' at 1,1.6 font bold
set label 'rank 1 gets' at 42,1.6 font bold
array names = ['A', 'B', 'C']; array from = [0.5, 0, 0.5]; array hue = [now, walk, '#b5dcf3']
do for [m = 1:3] {
  top = 3.8 + (m - 1)*12; low = top + from[m]*side
  set label names[m] at 2,top + side/2 center font bold
  eval sprintf(box, 5, top, 5 + side, top + side, 'white', 0.8)
  eval sprintf(box, 5, low, 5 + side, top + side, hue[m], 0.8)
  eval sprintf(box, 47, low, 47 + side, top + side, hue[m], 0.8)
  y = (low + top + side)/2 - (m == 3 ? 0.7 : 0)
  eval sprintf(way, 15.5, y, 45.5, y, 'black')
}
eval sprintf(way, 45.5, 34.8, 15.5, 34.8, 'black')
set label 'n/2 rows of A: 8 MiB' at 30.5,8.6 center
set label 'all of B: 16 MiB' at 30.5,18.8 center
set label 'n/2 rows of C: 8 MiB' at 30.5,31.6 center
set label 'back, after the product: 8 MiB' at 30.5,36.2 center
set label 'n = 2048, f32: a matrix has 16 MiB' at 1,39
plot NaN
