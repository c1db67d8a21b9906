# 15: what two GPUs have of C += A·B by rows, and what they need.
height = 300
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [30:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'; side = 9.0; half = side/2
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
way = 'set arrow from %g,%g to %g,%g size 1.1,20 filled front linewidth 2.5 linecolor rgb "%s"'
array at = [7, 21, 34]; array names = ['C', 'A', 'B']
do for [g = 0:1] {
  top = 3 + 13.5*g
  set label sprintf('GPU %d', g) at 0.5,top + half font bold
  do for [m = 1:3] {
    do for [h = 0:1] {
      shade = h == g ? (m == 3 ? walk : line) : m == 3 ? now : 'white'
      eval sprintf(box, at[m], top + h*half, at[m] + side, top + (h + 1)*half, shade)
    }
    set label names[m] at at[m] + half,top - 1.1 center font bold
  }
  set label '+=' at 18.5,top + half center font bold; set label '·' at 32,top + half center font bold
}
eval sprintf(way, 44.2, 3 + half/2, 44.2, 16.3 + half/2, now)
eval sprintf(way, 45.7, 16.5 + half*1.5, 45.7, 3.2 + half*1.5, now)
set label 'half' at 48.6,13.2 center; set label 'of B' at 48.6,14.9 center
set label 'Blue: rows that a GPU has. Orange: rows of B that it receives.' at 0.5,28
plot NaN
