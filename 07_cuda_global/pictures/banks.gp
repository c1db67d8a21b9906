# 07: in which bank of L1 the rows of A begin, for two leading dimensions.
width = 900; height = 430
load 'plots/pictures/grid.gp'
set xrange [-6:44]; set yrange [23.5:-1.8]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
do for [m = 0:1] {
  top = 1.6 + 10.4*m
  set label (m == 0 ? 'n = 2048: a row is 64 times 128 bytes' : 'n = 2000: a row is 62½ times 128 bytes') at -5.6,top-2.4 font 'DejaVu Sans Bold,13'
  set label 'bank' at -0.5,top-0.7 right font ',11'
  do for [b = 0:31] { set label (b % 8 && b != 31 ? '' : sprintf('%d', b)) at b+0.5,top-0.7 center font ',11' }
  do for [r = 0:5] {
    do for [b = 0:31] { eval sprintf(box, b, top + r, b + 1, top + r + 0.85, r != 4 && b == (m == 1 && r % 2 ? 16 : 0) ? now : plain) }
    set label (r == 4 ? '⋮' : sprintf('lane %d', r == 5 ? 31 : r)) at -0.5,top+r+0.4 right font ',11'
  }
  set label (m == 0 ? 'one bank, 32 words:' : 'two banks, 16 words each:') at 33,top+2
  set label (m == 0 ? '32 wavefronts' : '16 wavefronts') at 33,top+3.2 font 'DejaVu Sans Bold,13'
}
set label 'Orange: the word A(i, 0) of each lane. A bank delivers one word a cycle; words in different banks come together.' at -5.6,20.6
set label 'Along a row, as for B, 32 neighbours lie in 32 banks: one wavefront.' at -5.6,22
plot NaN
