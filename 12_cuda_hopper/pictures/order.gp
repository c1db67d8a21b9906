# 12: the tiles of C that 132 blocks make at the same time, n = 8192, by rows of tiles and in groups of 16.
width = 900; height = 400
load 'plots/pictures/grid.gp'
set xrange [-2:78]; set yrange [33.6:-2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
put(x, y, w, h, colour, thick) = sprintf(box, x, y, x + w, y + h, colour, thick)
do for [grouped = 0:1] {
  x = 9 + 40*grouped; y = 5.6
  set label (grouped ? 'groups of 16 rows of tiles' : 'row by row') at x - 8,-0.8 font 'DejaVu Sans Bold,12'
  rows = grouped ? 16 : 5; cols = grouped ? 9 : 32
  eval put(x - 5, y, 4, 24, plain, 0.8).'; '.put(x - 5, y, 4, 0.375*rows, line, 0.8)
  eval put(x, 1, 26, 4, plain, 0.8).'; '.put(x, 1, 26*cols/32.0, 4, line, 0.8)
  eval put(x, y, 26, 24, plain, 0.8)
  do for [t = 0:131] {
    row = grouped ? t % 16 : t / 32; col = grouped ? t / 16 : t % 32
    eval put(x + 26*col/32.0, y + 0.375*row, 26/32.0, 0.375, now, 0.4)
  }
  set label 'A' at x - 3,y - 0.8 center font ',11'
  set label 'B' at x - 0.7,3 center font ',11'
  set label 'C' at x + 24.4,y + 22.8 center font ',11'
  set label (grouped ? 'A: 16 · 128 rows, 34 MB; B: 9 · 256 columns, 38 MB' : 'A: 5 · 128 rows, 10 MB; B: all 8192 columns, 134 MB') at x - 5,31.4 font ',11'
}
set label 'then on in the group →' at 57.6,9 font ',11'
plot NaN
