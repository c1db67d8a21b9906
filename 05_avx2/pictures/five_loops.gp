# 05: the five loops as five nested frames: what each loop chooses from C, A and B, and where that stays.
height = 645
load 'plots/pictures/grid.gp'
set xrange [0:60]; set yrange [76:0]
bold = "font 'DejaVu Sans Bold,14'"
frame = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "white" linewidth 1.4'
box = 'set object rectangle from %g,%g to %g,%g front fillcolor rgb "%s" linewidth 0.7'
put(x, y, w, h, hue) = sprintf(box, x, y, x + w, y + h, hue)
tile = '#d55e00'; share = '#b8dfc8'
band = 14.2; side = 8.0; xc = 27.2; xa = 37.4; xb = 47.6
array names = ['jc: nc columns of C and B', 'pc: kc of k', 'ic: mc rows of C and A', 'jr: nr columns of the blocks', 'ir: mr rows of the blocks']
array what = ['columns of B,', 'block of B, kc × nc:', 'block of A, mc × kc:', 'micro-panel of B, kc × nr:', 'micro-panel of A, mr × kc:']
array where = ['k × nc', 'copied, stays in L3', 'copied, stays in L2', 'stays in L1', 'passes through L1']
do for [i = 1:5] {
  y = 0.5 + band*(i - 1)
  eval sprintf(frame, 0.4 + 0.7*(i - 1), y, 59.6 - 0.7*(i - 1), 74.8 - 0.7*(i - 1))
  set label names[i] at 1.4 + 0.7*(i - 1),y + 1.6 @bold front
  set label what[i] at 1.4 + 0.7*(i - 1),y + 5 front
  set label where[i] at 1.4 + 0.7*(i - 1),y + 7.2 front
  t = y + 3.2
  set label 'C' at xc + side/2,y + 1.6 center front; set label 'A' at xa + side/2,y + 1.6 center front; set label 'B' at xb + side/2,y + 1.6 center front
  set label '+=' at (xc + side + xa)/2,t + side/2 center front; set label '·' at (xa + side + xb)/2,t + side/2 center front
  eval put(xc, t, side, side, plain); eval put(xa, t, side, side, plain); eval put(xb, t, side, side, plain)
  if (i == 1) { eval put(xc + 2, t, 5, side, line); eval put(xb + 2, t, 5, side, share) }
  if (i == 2) { eval put(xc + 2, t, 5, side, line); eval put(xa + 2.5, t, 2.2, side, line); eval put(xb + 2, t + 2.5, 5, 2.2, share) }
  if (i == 3) { eval put(xc + 2, t + 2, 5, 3, line); eval put(xa + 2.5, t + 2, 2.2, 3, now); eval put(xb + 2, t + 2.5, 5, 2.2, share) }
}
# From here on the matrices are the blocks.
do for [i = 4:5] {
  t = 0.5 + band*(i - 1) + 3.2
  eval put(xc, t, side, side, line); eval put(xa, t, side, side, now); eval put(xb, t, side, side, share)
  set label 'its block' at xc + side/2,t + side + 1.1 center front font ',13'
  set label 'block of A' at xa + side/2,t + side + 1.1 center front font ',13'
  set label 'block of B' at xb + side/2,t + side + 1.1 center front font ',13'
  eval put(xb + 3, t, 1.4, side, walk)
  if (i == 4) { eval put(xc + 3, t, 1.4, side, plain) }
  if (i == 5) { eval put(xa, t + 4, side, 1, '#f7d488'); eval put(xc + 3, t + 4, 1.4, 1, tile) }
}
set label 'tile of C, mr × nr:' at 4.2,0.5 + 4*band + 9.8 front; set label 'in registers' at 4.2,0.5 + 4*band + 12 front
plot NaN
