# 05: sixteen threads on C: a strip each, or a tile each, and what of A and of B one of them reads.
height = 273
load 'plots/pictures/grid.gp'
set xrange [0:56]; set yrange [30:0]
bold = "font 'DejaVu Sans Bold,14'"
box = 'set object rectangle from %g,%g to %g,%g front fillcolor rgb "%s" linewidth 0.7'
put(x, y, w, h, hue) = sprintf(box, x, y, x + w, y + h, hue)
side = 12.0
do for [g = 0:1] {
  x = 2 + 28.0*g; down = g == 0 ? 16 : 4; across = 16/down; h = side/down; w = side/across
  me = g == 0 ? 5 : 1; mine = g == 0 ? 0 : 2; xc = x + 9; yc = 12.0
  set label sprintf('%d × %d', down, across) at x + 10,1.2 center @bold front
  eval put(x, yc, 6, side, plain); eval put(x, yc + me*h, 6, h, now)
  eval put(xc, 4, side, 6, plain); eval put(xc + mine*w, 4, w, 6, walk)
  do for [r = 0:down-1] { do for [c = 0:across-1] { eval put(xc + c*w, yc + r*h, w, h, (r == me && c == mine) ? '#d55e00' : 'white') } }
  set label 'A' at x - 0.4,yc + 0.9 right front; set label 'B' at xc - 0.6,5 right front
  set label 'C' at xc + side + 0.6,yc + side/2 left front
  set label sprintf('n/%d rows of A, %s of B', down, across == 1 ? 'all columns' : sprintf('n/%d columns', across)) at x - 1,26.4 left front font ',13'
}
set label 'is what the thread of the dark part of C reads' at 1,28.8 left front font ',13'
plot NaN
