# 06: two turns of SUMMA on 2 x 2 ranks: panels of A along the grid's rows, panels of B along its columns.
width = 760; height = 440
load 'plots/pictures/grid.gp'
set terminal svg size width,height noenhanced font 'DejaVu Sans,14' background rgb 'white'
set encoding utf8
set xrange [0:76]; set yrange [44:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'; side = 10.0; half = side/2
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
way = 'set arrow from %g,%g to %g,%g size 1.1,20 filled front linewidth 2.5 linecolor rgb "%s"'
array at = [1, 15.5, 28.5]; array names = ['C', 'A', 'B']
do for [turn = 0:1] {
  top = 5.5 + 19.5*turn
  set label sprintf('turn %d: C += panel %d of A · panel %d of B', turn, turn, turn) at 1,top - 3.2 font bold
  do for [m = 1:3] {
    do for [r = 0:1] { do for [c = 0:1] {
      shade = m == 1 ? line : m == 2 ? (c == turn ? now : 'white') : (r == turn ? walk : 'white')
      eval sprintf(box, at[m] + c*half, top + r*half, at[m] + (c + 1)*half, top + (r + 1)*half, shade, 0.8)
    } }
    set label names[m] at at[m] + half,top + side + 1.5 center font bold
  }
  set label '+=' at 13.3,top + half center font bold; set label '·' at 27,top + half center font bold
  # The ranks: who has the panels, and where they go.
  do for [r = 0:1] { do for [c = 0:1] {
    x = 45 + 18*c; y = top - 2 + 9*r
    eval sprintf(box, x, y, x + 10, y + 5, '#f4f4f4', 0.8)
    set label sprintf('(%d, %d)', r, c) at x + 5,y + 1.5 center
    if (c == turn) { eval sprintf(box, x + 1, y + 2.8, x + 4.5, y + 4.6, now, 0.6); eval sprintf(way, c ? x : x + 10, y + 2.5, c ? x - 8 : x + 18, y + 2.5, now) }
    if (r == turn) { eval sprintf(box, x + 5.5, y + 2.8, x + 9, y + 4.6, walk, 0.6); eval sprintf(way, x + 5, r ? y : y + 5, x + 5, r ? y - 4 : y + 9, walk) }
  } }
}
set label 'the four ranks' at 45,1.2 font bold
set label 'n = 512: a panel has 256 columns of A or 256 rows of B, and each rank has a quarter of each matrix.' at 1,41
set label 'Orange arrows: 256 × 256 numbers of A, along a row of ranks. Blue: as many of B, along a column.' at 1,43
plot NaN
