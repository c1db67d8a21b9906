# 06: what one of four ranks needs: by rows, and on a grid of 2 x 2.
height = 176
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [17.6:0]   # ten pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
do for [side = 0:1] {
  x = 0.6 + 26.2*side
  set label (side ? 'a grid of 2 × 2' : 'rows') at x,1.2 font 'DejaVu Sans Bold,14'
  do for [m = 0:2] {
    eval put(x + 8.1*m, 2.6, 7.2, 7.2, plain)
    set label word('A B C', m + 1) at x + 8.1*m + 3.6,10.9 center
  }
  if (side) { eval put(x, 2.6, 7.2, 3.6, walk).'; '.put(x + 11.7, 2.6, 3.6, 7.2, walk).'; '.put(x + 19.8, 2.6, 3.6, 3.6, now) } else { \
              eval put(x, 4.4, 7.2, 1.8, walk).'; '.put(x + 8.1, 2.6, 7.2, 7.2, walk).'; '.put(x + 16.2, 4.4, 7.2, 1.8, now) }
}
set label 'To compute its part of C (orange), a rank needs the blue parts:' at 0.6,13
set label 'by rows a quarter of A and all of B,' at 0.6,14.8
set label 'on the grid half of A and half of B.' at 0.6,16.6
plot NaN
