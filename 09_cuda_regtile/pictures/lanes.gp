# 09: the 32 lanes of a warp as 4 rows of 8 threads, in two orders; the colour is the quarter.
height = 200
load 'plots/pictures/grid.gp'
set xrange [-0.4:33.6]; set yrange [11.7:-1.6]   # fifteen pixels a unit
tint = '#f4f4f4 #cfe6f5 #fbe3b3 #d9d9d9'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
cell(x, y, lane) = sprintf(box, x, y, x + 2, y + 1.3, word(tint, lane / 8 + 1)).'; '.sprintf('set label "%d" at %g,%g center font ",13"', lane, x + 1, y + 0.65)
set label 'rows of 8' at 0,-0.7 font 'DejaVu Sans Bold,14'
set label 'in pairs' at 17.2,-0.7 font 'DejaVu Sans Bold,14'
do for [lane = 0:31] {
  eval cell(2 * (lane % 8), 1.3 * (lane / 8) + 0.3, lane)
  eval cell(17.2 + 2 * (lane / 2 % 8), 1.3 * (lane % 2 + lane / 16 * 2) + 0.3, lane)
}
set label 'A row of threads wants the same of A, a column the same of B.' at 0,6.8
set label 'A colour is a quarter of the warp, 8 lanes. Left, lanes 0 and 1' at 0,8.1
set label 'want the same of A, but not of B. Right, 0 and 1 want the same' at 0,9.4
set label 'of B, 0 and 2 the same of A.' at 0,10.7
plot NaN
