# 09: three loads of 16 bytes by the 32 lanes of a warp, sixteen in a row, and the wavefronts that answer them.
height = 390
load 'plots/pictures/grid.gp'
set xrange [-0.3:16.9]; set yrange [39:0]   # thirty pixels wide, ten high
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
tint = '#f4f4f4 #cfe6f5 #fbe3b3 #d9d9d9'
x(l) = l % 16 + (l % 16 / 8)*0.4
array heads = ['neighbours want neighbours, 512 bytes: 4 wavefronts', 'lanes 0 and 1 the same, 2 and 3, …: 256 bytes, 2 wavefronts', 'all want the same 16 bytes: 2 wavefronts']
do for [k = 0:2] {
  y = 2.4 + 11.7*k
  set label heads[k + 1] at -0.1,y - 1.2 font 'DejaVu Sans Bold,14'
  do for [l = 0:31] {
    top = y + 4.6*(l/16)
    eval sprintf(box, x(l), top, x(l) + 1, top + 2, word(tint, l/8 + 1))
    set label sprintf('%d', k == 0 ? l : k == 1 ? l/2 : 0) at x(l) + 0.5,top + 1 center font ',13'
  }
  do for [w = 0:(k == 0 ? 3 : 1)] {
    first = k == 0 ? 8*w : 16*w; last = first + (k == 0 ? 7 : 15); top = y + 4.6*(first/16) + 2.3
    eval sprintf(box, x(first), top, x(last) + 1, top + 1.6, now)
    set label sprintf('wavefront %d', w + 1) at (x(first) + x(last) + 1)/2,top + 0.8 center font ',13'
  }
}
set label 'The number in a lane says which 16 bytes it wants;' at -0.1,36
set label 'a colour is a quarter of the warp.' at -0.1,37.7
plot NaN
