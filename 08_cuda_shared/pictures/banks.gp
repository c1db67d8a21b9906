# 08: where the words lie that a warp reads from shared memory at once: along a row of a tile, down a column, and with padding.
height = 490
load 'plots/pictures/grid.gp'
set xrange [-4.9:32.9]; set yrange [35:0]   # about fourteen pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
array title = ['along a row, tile[q][x]: 32 banks', 'down a column, tile[x][q]: one bank', 'down a column of rows padded to 33 words: 32 banks']
array says = ['1 wavefront', '32 wavefronts', '1 wavefront']
do for [m = 1:3] {
  top = 2.8 + 10.4*(m-1)
  set label title[m] at -4.6,top-1.9 font 'DejaVu Sans Bold,14'
  set label 'bank' at -0.4,top-0.5 right font ',13'
  do for [b = 0:31] { set label (b % 8 && b != 31 ? '' : sprintf('%d', b)) at b+0.5,top-0.5 center font ',13' }
  do for [r = 0:5] {
    do for [b = 0:31] {
      hit = r == 4 ? 0 : m == 1 ? r == 2 : m == 2 ? b == 3 : b == (3 + (r == 5 ? 31 : r)) % 32
      eval sprintf(box, b, top + r, b + 1, top + r + 0.85, hit ? (m == 2 ? '#d55e00' : now) : plain)
    }
    set label (r == 4 ? '⋮' : sprintf('row %d', r == 5 ? 31 : r)) at -0.4,top+r+0.4 right font ',13'
  }
  set label says[m] at 0,top+6.7
}
set label 'Coloured: the words that the 32 lanes of a warp read at once (above' at -4.6,32.8
set label 'q = 2, below q = 3). A bank delivers one word a cycle.' at -4.6,34.2
plot NaN
