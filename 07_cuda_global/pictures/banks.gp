# 07: in which bank of L1 the rows of A begin, for two leading dimensions.
height = 378
load 'plots/pictures/grid.gp'
set xrange [-4.6:32.9]; set yrange [27:0]   # about fourteen pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
do for [m = 0:1] {
  top = 2.8 + 10.8*m
  set label (m == 0 ? 'n = 2048: a row is 64 times 128 bytes' : 'n = 2000: a row is 62½ times 128 bytes') at -4.3,top-1.9 font 'DejaVu Sans Bold,14'
  set label 'bank' at -0.4,top-0.5 right font ',13'
  do for [b = 0:31] { set label (b % 8 && b != 31 ? '' : sprintf('%d', b)) at b+0.5,top-0.5 center font ',13' }
  do for [r = 0:5] {
    do for [b = 0:31] { eval sprintf(box, b, top + r, b + 1, top + r + 0.85, r != 4 && b == (m == 1 && r % 2 ? 16 : 0) ? now : plain) }
    set label (r == 4 ? '⋮' : sprintf('lane %d', r == 5 ? 31 : r)) at -0.4,top+r+0.4 right font ',13'
  }
  set label (m == 0 ? 'one bank, 32 words: 32 wavefronts' : 'two banks, 16 words each: 16 wavefronts') at 0,top+6.7
}
set label 'Orange: the word A(i, 0) of each lane. A bank delivers one word' at -4.3,23.2
set label 'a cycle; words in different banks come together. Along a row, as' at -4.3,24.6
set label 'for B, 32 neighbours lie in 32 banks: one wavefront.' at -4.3,26
plot NaN
