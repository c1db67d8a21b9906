# 14: how far eight blocks that share panels have come, in steps of 128 of k over two tiles of k = 16384, and what L2 still holds.
height = 400
load 'plots/pictures/grid.gp'
set xrange [-34:260]; set yrange [28:-2.6]
bar = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
array drift = [238, 201, 124, 166, 58, 231, 96, 183]
array kept = [150, 146, 148, 143, 151, 145, 149, 147]
do for [marching = 0:1] {
  y = marching ? 13.4 : 0
  last = marching ? 151 : 238
  set label (marching ? 'marching: nobody runs ahead' : 'panels: each block at its own pace') at -33,y - 1.9 font 'DejaVu Sans Bold,14'
  set object rectangle from last - 130,y to last,y + 8 fillcolor rgb '#fdf1d6' fillstyle solid 1.0 noborder behind
  do for [b = 1:8] {
    at = marching ? kept[b] : drift[b]
    late = at < last - 130
    set object rectangle from 0,y + b - 0.8 to at,y + b - 0.2 fillcolor rgb line linewidth 0.4
    eval sprintf(bar, at - 5, y + b - 0.9, at, y + b - 0.1, late ? now : walk)
    set label sprintf('block %d', b) at -3,y + b - 0.5 right font ',13'
    if (late) { set label 'from memory again' at at + 3,y + b - 0.48 font ',13' }
  }
  do for [q in '128 256'] { set arrow from q + 0,y - 0.1 to q + 0,y + 8.2 nohead linewidth 1 dashtype 2 linecolor rgb '#555555' }
  set label 'panels still in L2' at last - 65,y + 8.6 center font ',13'
  set label 'end of a tile' at 128,y - 0.7 center font ',13'
  set label 'of the next' at 254,y - 0.7 right font ',13'
}
set label 'k, in steps of 128 →' at 0,8.7 font ',13'
set label 'Blue: what a block reads now, from L2; orange: from memory.' at -33,24.6
set label 'L2 holds some 130 steps of all panels (63 MB).' at -33,26
plot NaN
