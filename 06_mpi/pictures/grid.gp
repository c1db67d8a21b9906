# 06: what one of four ranks needs: by rows, and on a grid of 2 x 2.
width = 900; height = 330
load 'plots/pictures/grid.gp'
set xrange [-1:41]; set yrange [12.6:-2.2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
matrix(x, name, tag) = sprintf('set label %d "%s" at %g,8.8 center font "DejaVu Sans,12"', tag, name, x + 2.75)
set label 1 'rows' at 0,-1.2 font 'DejaVu Sans Bold,13'
set label 2 'a grid of 2 × 2' at 22,-1.2 font 'DejaVu Sans Bold,13'
do for [side = 0:1] {
  do for [m = 0:2] {
    x = 22 * side + 6.6 * m
    eval put(x, 0, 5.5, 8, plain)
    eval matrix(x, word('A B C', m + 1), 10 + 3 * side + m)
  }
}
eval put(0, 2, 5.5, 2, walk);      eval put(6.6, 0, 5.5, 8, walk);       eval put(13.2, 2, 5.5, 2, now)
eval put(22, 0, 5.5, 4, walk);     eval put(28.6 + 2.75, 0, 2.75, 8, walk); eval put(35.2 + 2.75, 0, 2.75, 4, now)
set label 3 'To compute its part of C (orange), a rank needs the blue parts of A and B:' at 0,10.6 font ',11'
set label 4 'a quarter of A and all of B by rows, half of A and half of B on the grid.' at 0,11.7 font ',11'
plot NaN
