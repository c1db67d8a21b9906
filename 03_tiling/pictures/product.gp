# 03: a product of 4 x 4 matrices, cut into tiles of 2 x 2: one tile of C takes two products of tiles.
height = 246
load 'plots/pictures/grid.gp'
set xrange [0:28]; set yrange [13.5:0]   # twenty pixels a unit
bold = 'DejaVu Sans Bold,14'
cell = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
tile = 'set object rectangle from %g,%g to %g,%g front fillstyle empty border rgb "black" linewidth 2'
array at = [1.5, 11, 20.5]; array names = ['C', 'A', 'B']; side = 1.6; top = 2.2
do for [m = 1:3] {
  x = at[m]
  set label names[m] at x + 2*side,1.1 center font bold
  do for [r = 0:3] { do for [c = 0:3] {
    shade = m == 1 ? (r < 2 && c < 2 ? line : 'white') : m == 2 ? (r < 2 ? (c < 2 ? now : '#f5d9a0') : 'white') : (c < 2 ? (r < 2 ? walk : '#b5dcf3') : 'white')
    eval sprintf(cell, x + c*side, top + r*side, x + (c + 1)*side, top + (r + 1)*side, shade)
  } }
  do for [r = 0:1] { do for [c = 0:1] { eval sprintf(tile, x + 2*c*side, top + 2*r*side, x + 2*(c + 1)*side, top + 2*(r + 1)*side) } }
}
set label '+=' at 9.4,top + 2*side center font bold; set label '·' at 19,top + 2*side center font bold
set label '70' at at[1] + 0.5*side,top + 0.5*side center front
do for [i = 0:3] {
  set label sprintf('%d', i + 1) at at[2] + (i + 0.5)*side,top + 0.5*side center front
  set label sprintf('%d', i + 5) at at[3] + 0.5*side,top + (i + 0.5)*side center front
}
set label 'first    C₀₀ += A₀₀ · B₀₀:   1 · 5 + 2 · 6 = 17 of the 70' at 1.5,10.4
set label 'then    C₀₀ += A₀₁ · B₁₀:   3 · 7 + 4 · 8 = 53, the rest' at 1.5,12.2
plot NaN
