# 03: one tile of each matrix, and how far a cache must reach without and with tiles.
width = 900; height = 470
load 'plots/pictures/grid.gp'
n = 8; t = 4
set xrange [-1:36]; set yrange [18.6:-1.8]
set label 1 'A: tile (i, p)' at 4,-0.8 center; set label 2 'B: tile (p, j)' at 15,-0.8 center; set label 3 'C: tile (i, j)' at 26,-0.8 center
do for [r = 0:n-1] { do for [c = 0:n-1] {
  eval draw(c, r, r < t && c < t ? (r == 1 && c == 2 ? now : line) : plain)
  eval draw(11 + c, r, r < t && c >= t ? (r == 2 ? walk : line) : plain)
  eval draw(22 + c, r, r < t && c >= t ? (r == 1 ? walk : line) : plain)
} }
frame = 'set object rectangle from %g,%g to %g,%g fillstyle empty border rgb "black" linewidth 2.4 front'
eval sprintf(frame, 0, 0, t, t); eval sprintf(frame, 11 + t, 0, 11 + n, t); eval sprintf(frame, 22 + t, 0, 22 + n, t)
along = 'set arrow from %g,%g to %g,%g front linewidth 2 linecolor rgb "black"'
eval sprintf(along, 11 + t + 0.4, 2.5, 11 + n - 0.3, 2.5); eval sprintf(along, 22 + t + 0.4, 1.5, 22 + n - 0.3, 1.5)
set label 4 'Inside a tile (framed) the loops run as in step 02: orange stays in a register, blue is walked along.' at 0,9.6
set label 5 'When the next row of C wants B again, what has been touched in between?' at 0,11.3
bar = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
eval sprintf(bar, 9, 12.2, 35, 13.3, line); set label 6 'ikj' at 0,12.8; set label 7 'all of B: k × n numbers' at 22,12.8 center front
eval sprintf(bar, 9, 14.0, 12.2, 15.1, walk); set label 8 'tiled' at 0,14.6; set label 9 'one tile of B: T × T numbers' at 12.8,14.6
set label 10 'A cache that holds this much finds B still there; a smaller one fetches it once more.' at 0,16.6
plot NaN
