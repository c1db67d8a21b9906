# 05: which micro-panel stays in L1, in packed and in tuned, and how long it may be; the lower part is to scale.
height = 470
load 'plots/pictures/grid.gp'
set xrange [0:510]; set yrange [470:0]   # a pixel a unit
box = 'set object rectangle from %g,%g to %g,%g front fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, hue) = sprintf(box, x, y, x + w, y + h, hue)
say(x, y, text) = sprintf('set label "%s" at %g,%g front', text, x, y)
mid(x, y, text) = sprintf('set label "%s" at %g,%g center front', text, x, y)
tile = '#d55e00'; share = '#b8dfc8'; pale = '#f7d488'
array heads = ['packed: jc, pc, ic, jr, ir', 'tuned: ic, pc, jc, ir, jr']
do for [t = 0:1] {
  y = 160*t
  set label heads[t + 1] at 6,y + 12 font 'DejaVu Sans Bold,14'
  # C, A's block or panel and B's block; kc is the width of A's and the height of B's
  eval mid(56, y + 36, 'C').'; '.mid(164, y + 36, 'A').'; '.mid(274, y + 36, 'B')
  eval put(6, y + 46, 100, 80, line).'; '.put(136, y + 46, 56, 80, t ? pale : now).'; '.put(224, y + 46, 100, 56, share)
  eval mid(121, y + 86, '+=').'; '.mid(208, y + 86, '·')
  eval put(136, y + 76, 56, 10, t ? now : pale).'; '.put(264, y + 46, 16, 56, walk).'; '.put(46, y + 76, 16, 10, tile)
  set arrow from (t ? 284 : 164),(t ? y + 74 : y + 90) to (t ? 316 : 164),(t ? y + 74 : y + 120) front size 8,20 filled linewidth 2
  eval say(334, y + 48, 'registers: a tile of C')
  eval say(334, y + 68, t ? 'L1: A, mr × kc (orange)' : 'L1: B, kc × nr (blue)')
  eval say(334, y + 88, t ? 'L2: block of B (green)' : 'L2: block of A (orange)')
  eval say(334, y + 108, t ? 'L3: panel of A (pale)' : 'L3: block of B (green)')
  eval say(334, y + 128, t ? 'pass by: B''s, by jr' : 'pass by: A''s, by ir')
}
set label 'half of L1, 24 KiB, for avx512''s tile of 9 × 48' at 6,332 font 'DejaVu Sans Bold,14'
s = 0.7
eval put(6, 348, 128*s, 48*s, walk).'; '.put(6, 412, 682*s, 9*s, now)
eval say(6 + 128*s + 10, 365, 'B: 48 columns of 128 numbers: kc = 128')
eval say(6, 432, 'A: 9 rows of 682 numbers: kc = 682')
eval say(6, 456, 'C is loaded and stored once for each kc.')
plot NaN
