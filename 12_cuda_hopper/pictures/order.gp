# 12: the tiles of C that 132 blocks make at the same time, n = 8192, by rows of tiles and in groups of 16.
height = 252
load 'plots/pictures/grid.gp'
set xrange [3.2:78.2]; set yrange [37:-2.2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
put(x, y, w, h, colour, thick) = sprintf(box, x, y, x + w, y + h, colour, thick)
do for [grouped = 0:1] {
  x = 9 + 40*grouped; y = 5.6
  set label (grouped ? 'groups of 16 rows of tiles' : 'row by row') at x - 5,-0.8 font 'DejaVu Sans Bold,14'
  rows = grouped ? 16 : 5; cols = grouped ? 9 : 32
  eval put(x - 5, y, 4, 24, plain, 0.8).'; '.put(x - 5, y, 4, 0.375*rows, line, 0.8)
  eval put(x, 1, 26, 4, plain, 0.8).'; '.put(x, 1, 26*cols/32.0, 4, line, 0.8)
  eval put(x, y, 26, 24, plain, 0.8)
  do for [t = 0:131] {
    row = grouped ? t % 16 : t / 32; col = grouped ? t / 16 : t % 32
    eval put(x + 26*col/32.0, y + 0.375*row, 26/32.0, 0.375, now, 0.4)
  }
  set label 'A' at x - 3,y - 0.8 center font ',13'
  set label 'B' at x - 0.7,3 center font ',13'
  set label 'C' at x + 24.4,y + 22.8 center font ',13'
  set label (grouped ? 'A: 16 · 128 rows, 34 MB;' : 'A: 5 · 128 rows, 10 MB;') at x - 5,32.4 font ',13'
  set label (grouped ? 'B: 9 · 256 columns, 38 MB' : 'B: 8192 columns, 134 MB') at x - 5,35 font ',13'
}
set label 'then on in' at 58,8.4 font ',13'
set label 'the group →' at 58,11 font ',13'
plot NaN
