# 05: the blocks of the textbook's five loops (f32), and which level holds each of them.
width = 640; height = 630
load 'plots/pictures/grid.gp'
set terminal svg size width, height font 'DejaVu Sans,16' background rgb 'white'
set xrange [-0.6:31.4]; set yrange [29.4:-2.2]
box = 'set object rectangle from %g,%g to %g,%g front fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
size = 'set arrow from %g,%g to %g,%g front heads size 0.3,25 linewidth 1'
tile = '#d55e00'; share = '#b8dfc8'
bold = "font 'DejaVu Sans Bold,16'"
set label 'A' at 3.8,-1.2 center @bold
set label 'B' at 14.7,-1.2 center @bold
set label 'C' at 26.1,-1.2 center @bold
# A: block mc × kc, in it a strip of mr rows. B: block kc × nc, in it a strip of nr columns. C: the tile.
eval put(0, 0, 7.6, 10, plain);    eval put(2.4, 2, 2.2, 6, line); eval put(2.4, 5, 2.2, 0.9, now)
eval put(9.4, 0, 10.6, 7.6, plain); eval put(11.2, 2.4, 7, 2.2, share); eval put(14.2, 2.4, 1.4, 2.2, walk)
eval put(21.8, 0, 9, 10, plain);   eval put(23.4, 2, 6, 6, 'white'); eval put(26, 5, 1.2, 0.9, tile)
eval sprintf(size, 2.4, 8.7, 4.6, 8.7);   set label 'kc' at 4.9,8.7 left front
eval sprintf(size, 5.1, 2, 5.1, 8);       set label 'mc' at 5.4,3.6 left front
set label 'mr' at 2.1,5.4 right front
eval sprintf(size, 11.2, 1.6, 18.2, 1.6); set label 'nc' at 14.7,0.8 center front
eval sprintf(size, 10.8, 2.4, 10.8, 4.6); set label 'kc' at 10.6,3.5 right front
set label 'nr' at 14.9,5.5 center front
eval sprintf(size, 22.9, 2, 22.9, 8);     set label 'mc' at 22.8,1 center front
eval sprintf(size, 23.4, 8.7, 29.4, 8.7); set label 'nc' at 29.7,8.7 left front
set label 'mr × nr' at 26.6,6.8 center front

set label 'lives in' at 0,12.6 @bold
set label 'what' at 7.2,12.6 @bold
set label 'used again by' at 19.4,12.6 @bold
array where = ['registers', 'L1', 'L2', 'L3']
array holds = ['16 vectors', '48 KiB', '1 MiB', '16 MiB of it']
array what = ['tile of C, mr × nr', 'strip of B, kc × nr', 'block of A, mc × kc', 'block of B, kc × nc']
array bytes = ['6 × 16 numbers', 'half of L1', 'half of L2', 'half of our share of L3']
array again = ['each of the kc steps', 'each strip of A', 'each strip of B', 'each block of A']
array shade = [tile, walk, line, share]
do for [i = 1:4] {
  y = 14.6 + 3.2 * (i - 1)
  eval put(5.2, y - 0.6, 1.2, 1.2, shade[i])
  set label where[i] at 0,y @bold
  set label holds[i] at 0,y+1.3 textcolor rgb '#444444'
  set label what[i] at 7.2,y
  set label bytes[i] at 7.2,y+1.3 textcolor rgb '#444444'
  set label again[i] at 19.4,y
}
eval put(5.2, 26.8, 1.2, 1.2, now)
set label 'strip of A, mr × kc: passes through L1' at 7.2,27.4
plot NaN
