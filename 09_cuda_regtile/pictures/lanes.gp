# 09: the 32 lanes of a warp as 4 rows of 8 threads, in two orders; the colour is the quarter.
width = 900; height = 300
load 'plots/pictures/grid.gp'
set xrange [-0.5:29.5]; set yrange [8.4:-1.6]
tint = '#f4f4f4 #cfe6f5 #fbe3b3 #d9d9d9'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
word_at = 'set label "%d" at %g,%g center font ",11"'
cell(x, y, lane) = sprintf(box, x, y, x + 1.5, y + 1.3, word(tint, lane / 8 + 1)).'; '.sprintf(word_at, lane, x + 0.75, y + 0.65)
set label 1 'rows of 8' at 0,-0.7 font 'DejaVu Sans Bold,12'
set label 2 'in pairs' at 15.5,-0.7 font 'DejaVu Sans Bold,12'
do for [lane = 0:31] {
  eval cell(1.5 * (lane % 8), 1.3 * (lane / 8), lane)
  eval cell(15.5 + 1.5 * (lane / 2 % 8), 1.3 * (lane % 2 + lane / 16 * 2), lane)
}
set label 103 'A row of threads wants the same of A, a column the same of B. A colour is a quarter of the warp, 8 lanes.' at 0,6.5 font ',11'
set label 104 'Left, lanes 0 and 1 want the same of A, but not of B. Right, 0 and 1 want the same of B, 0 and 2 the same of A.' at 0,7.5 font ',11'
plot NaN
