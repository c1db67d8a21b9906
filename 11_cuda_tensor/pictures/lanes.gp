# 11: which lane holds which elements of the fragments of mma.m16n8k16; the colour is the lane's register.
height = 410
load 'plots/pictures/grid.gp'
set xrange [0:510]; set yrange [410:0]   # a pixel a unit
tint = '#fbe3b3 #cfe6f5 #f3c9a8 #9fd0ee'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
say = 'set label "%d" at %g,%g center font "%s"'
put(x, y, w, h, r, lane) = sprintf(box, x, y, x + w, y + h, word(tint, r + 1), lane == 6 ? 2.6 : 0.7) \
  .'; '.sprintf(say, lane, x + w/2.0, y + h/2.0, lane == 6 ? 'DejaVu Sans Bold,14' : ',13')
a = 24; b = 214; c = 400; wa = 10.5; wb = 20; wc = 13; h = 16; top = 46   # where they begin, how wide a column is
set label 'A: 16 × 16' at a + 8*wa,12 center font 'DejaVu Sans Bold,14'
set label 'B: 16 × 8' at b + 4*wb,12 center font 'DejaVu Sans Bold,14'
set label 'C: 16 × 8' at c + 4*wc,12 center font 'DejaVu Sans Bold,14'
do for [k = 0:15] {
  if (k % 2 == 0) { set label sprintf('%d', k) at a + (k + 0.5)*wa,36 center font ',13' }
  do for [x in sprintf('%g %g %g', a, b, c)] { set label sprintf('%d', k) at x - 4,top + (k + 0.5)*h right font ',13' }
}
do for [k = 0:7] {
  set label sprintf('%d', k) at b + (k + 0.5)*wb,36 center font ',13'
  set label sprintf('%d', k) at c + (k + 0.5)*wc,36 center font ',13'
}
do for [heavy = 0:1] { do for [lane = 0:31] { if ((lane == 6) == heavy) {
  g = lane / 4; t = lane % 4
  do for [r = 0:3] { eval put(a + (2*t + 8*(r / 2))*wa, top + (g + 8*(r % 2))*h, 2*wa, h, r, lane) }
  do for [r = 0:1] { eval put(b + g*wb, top + (2*t + 8*r)*h, wb, 2*h, r, lane) }
  do for [r = 0:1] { eval put(c + 2*t*wc, top + (g + 8*r)*h, 2*wc, h, r, lane) }
} } }
set label 'In each box the lane that holds its two elements: lane 4g + t.' at 4,322
set label 'Bold: lane 6, so g = 1 and t = 2. A colour is a register of the' at 4,340
set label 'lane: in A four and in B two, of two BF16 each; in C it is two' at 4,358
set label 'registers, an f32 each. A lane has 8 elements of A, 4 of B and' at 4,376
set label '4 of C.' at 4,394
plot NaN
