# 06: two turns of SUMMA on 2 x 2 ranks: panels of A along the grid's rows, panels of B along its columns.
height = 410
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [41:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'; side = 8.0; half = side/2
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
way = 'set arrow from %g,%g to %g,%g size 1.1,20 filled front linewidth 2.5 linecolor rgb "%s"'
array at = [0.6, 11.2, 20.8]; array names = ['C', 'A', 'B']
do for [turn = 0:1] {
  top = 4.4 + 16.4*turn
  set label sprintf('turn %d: C += panel %d of A · panel %d of B', turn, turn, turn) at 0.6,top - 3.1 font bold
  do for [m = 1:3] {
    do for [r = 0:1] { do for [c = 0:1] {
      shade = m == 1 ? line : m == 2 ? (c == turn ? now : 'white') : (r == turn ? walk : 'white')
      eval sprintf(box, at[m] + c*half, top + r*half, at[m] + (c + 1)*half, top + (r + 1)*half, shade, 0.8)
    } }
    set label names[m] at at[m] + half,top + side + 1.4 center font bold
  }
  set label '+=' at 9.9,top + half center font bold; set label '·' at 20,top + half center font bold
  # The ranks: who has the panels, and where they go.
  do for [r = 0:1] { do for [c = 0:1] {
    x = 32 + 11*c; y = top - 1.4 + 7.6*r
    eval sprintf(box, x, y, x + 7.4, y + 4.6, '#f4f4f4', 0.8)
    set label sprintf('(%d, %d)', r, c) at x + 3.7,y + 1.2 center
    if (c == turn) { eval sprintf(box, x + 0.6, y + 2.4, x + 3.3, y + 4.1, now, 0.6); eval sprintf(way, c ? x : x + 7.4, y + 2.3, c ? x - 3.6 : x + 11, y + 2.3, now) }
    if (r == turn) { eval sprintf(box, x + 4.1, y + 2.4, x + 6.8, y + 4.1, walk, 0.6); eval sprintf(way, x + 3.7, r ? y : y + 4.6, x + 3.7, r ? y - 3 : y + 7.6, walk) }
  } }
}
set label 'n = 512: a panel has 256 columns of A or 256 rows of B.' at 0.6,34.2
set label 'Right: the four ranks; each has a quarter of each matrix.' at 0.6,36
set label 'Orange arrows: 256 × 256 numbers of A, along a row of ranks.' at 0.6,37.8
set label 'Blue arrows: as many of B, along a column.' at 0.6,39.6
plot NaN
