# 08: the banks that a warp's load wants for a tile of 16: two rows of 16 words, for three leading dimensions.
height = 300
load 'plots/pictures/grid.gp'
set xrange [-6.6:32.6]; set yrange [19.2:-1.6]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
array n[3] = [2048, 2000, 1000]
array begin[3] = [0, 16, 8]
array lines[3] = ['64', '62½', '31¼']
do for [m = 1:3] {
  top = 6.4*m - 6
  set label sprintf('n = %d: a row is %s times 128 bytes', n[m], lines[m]) at -6.3,top-0.9 font 'DejaVu Sans Bold,14'
  do for [row = 0:1] {
    first = row*begin[m]
    do for [b = 0:31] { eval sprintf(box, b, top+1.2*row, b+1, top+1.2*row+1, b >= first && b < first + 16 ? (b < 16 && b >= begin[m] ? now : walk) : plain) }
    set label sprintf('lanes %s', row ? '16–31' : '0–15') at -0.4,top+1.2*row+0.55 right font ',13'
  }
  set label (begin[m] == 16 ? 'all banks differ: 1 wavefront' : sprintf('%d banks twice: 2 wavefronts', 16 - begin[m])) at 0,top+3
}
do for [b = 0:31:8] { set label sprintf('%d', b) at b+0.5,18.4 center font ',13' }
set label '31' at 31.5,18.4 center font ',13'
set label 'bank' at -0.4,18.4 right font ',13'
plot NaN
