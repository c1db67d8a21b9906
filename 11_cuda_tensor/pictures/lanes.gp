# 11: which lane holds which elements of the fragments of mma.m16n8k16; the colour is the lane's register.
width = 900; height = 470
load 'plots/pictures/grid.gp'
set xrange [-2.6:43]; set yrange [20.8:-2.6]
tint = '#fbe3b3 #cfe6f5 #f3c9a8 #9fd0ee'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
say = 'set label "%d" at %g,%g center font "%s"'
put(x, y, w, h, r, lane) = sprintf(box, x, y, x + w, y + h, word(tint, r + 1), lane == 6 ? 2.6 : 0.7) \
  .'; '.sprintf(say, lane, x + w/2.0, y + h/2.0, lane == 6 ? 'DejaVu Sans Bold,12' : ',10')
set label 'A: 16 × 16' at 8,-1.9 center font 'DejaVu Sans Bold,12'
set label 'B: 16 × 8' at 23.5,-1.9 center font 'DejaVu Sans Bold,12'
set label 'C: 16 × 8' at 36,-1.9 center font 'DejaVu Sans Bold,12'
do for [k = 0:15] {
  set label sprintf('%d', k) at k + 0.5,-0.6 center font ',9'
  set label sprintf('%d', k) at -0.4,k + 0.5 right font ',9'
  set label sprintf('%d', k) at 19.1,k + 0.5 right font ',9'
  set label sprintf('%d', k) at 31.6,k + 0.5 right font ',9'
}
do for [k = 0:7] {
  set label sprintf('%d', k) at 19.5 + k + 0.5,-0.6 center font ',9'
  set label sprintf('%d', k) at 32 + k + 0.5,-0.6 center font ',9'
}
do for [heavy = 0:1] { do for [lane = 0:31] { if ((lane == 6) == heavy) {
  g = lane / 4; t = lane % 4
  do for [r = 0:3] { eval put(2*t + 8*(r / 2), g + 8*(r % 2), 2, 1, r, lane) }
  do for [r = 0:1] { eval put(19.5 + g, 2*t + 8*r, 1, 2, r, lane) }
  do for [r = 0:1] { eval put(32 + 2*t, g + 8*r, 2, 1, r, lane) }
} } }
set label 'In each box the lane that holds its two elements: lane 4g + t. Bold: lane 6, so g = 1 and t = 2.' at -1,17.6 font ',11'
set label 'A colour is a register of the lane: in A four and in B two, of two BF16 each; in C it is two registers, an f32 each.' at -1,18.9 font ',11'
set label 'A lane has 8 elements of A, 4 of B and 4 of C.' at -1,20.2 font ',11'
plot NaN
