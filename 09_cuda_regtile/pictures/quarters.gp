# 09: three loads of 16 bytes by the 32 lanes of a warp, and the wavefronts that answer them.
width = 900; height = 330
load 'plots/pictures/grid.gp'
set terminal svg size width,height noenhanced font 'DejaVu Sans,13' background rgb 'white'
set encoding utf8
set xrange [-0.5:35.5]; set yrange [13.2:0]
bold = 'DejaVu Sans Bold,13'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
tint = '#f4f4f4 #cfe6f5 #fbe3b3 #d9d9d9'
x(l) = l + (l/8)*0.8
do for [k = 0:2] {
  y = 1.3 + 4.1*k
  set label k == 0 ? 'neighbours want neighbours, 512 bytes in all: 4 wavefronts' : \
            k == 1 ? 'lanes 0 and 1 want the same, 2 and 3, … : 256 bytes, 2 wavefronts' : \
                     'all want the same 16 bytes: 2 wavefronts' at 0,y - 0.45 font bold
  do for [l = 0:31] {
    eval sprintf(box, x(l), y + 0.2, x(l) + 1, y + 1.3, word(tint, l/8 + 1))
    set label sprintf('%d', k == 0 ? l : k == 1 ? l/2 : 0) at x(l) + 0.5,y + 0.75 center font ',11'
  }
  do for [w = 0:(k == 0 ? 3 : 1)] {
    from = k == 0 ? x(8*w) : x(16*w); to = k == 0 ? x(8*w + 7) + 1 : x(16*w + 15) + 1
    eval sprintf(box, from, y + 1.6, to, y + 2.3, now)
    set label sprintf('wavefront %d', w + 1) at (from + to)/2,y + 1.95 center font ',11'
  }
}
plot NaN
