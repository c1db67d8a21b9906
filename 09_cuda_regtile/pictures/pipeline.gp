# 09: four steps of a block, without and with the next tiles on their way.
width = 900; height = 330
load 'plots/pictures/grid.gp'
set xrange [-9:47]; set yrange [12.6:-1.2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour) = sprintf(box, x, y, x + w, y + 1.4, colour)
set label 1 'conflict\_free' at -9,0.7 font 'DejaVu Sans Bold,12'
set label 2 'on its way' at -9,2.2 font ',11'
set label 3 'multiplied' at -9,4.0 font ',11'
do for [s = 0:3] {
  eval put(11.4 * s, 1.5, 5, line)
  eval put(11.4 * s + 5.4, 3.3, 5.6, now)
  set label 10 + s sprintf('tiles %d', s) at 11.4 * s + 2.5,2.2 center font ',11'
  set label 20 + s sprintf('tiles %d', s) at 11.4 * s + 8.2,4.0 center font ',11'
}
set label 4 'double\_buffered' at -9,6.9 font 'DejaVu Sans Bold,12'
set label 5 'on its way' at -9,8.4 font ',11'
set label 6 'multiplied' at -9,10.2 font ',11'
eval put(0, 7.7, 5, line)
set label 30 'tiles 0' at 2.5,8.4 center font ',11'
do for [s = 0:3] {
  eval put(5.4 + 6 * s, 9.5, 5.6, now)
  set label 40 + s sprintf('tiles %d', s) at 5.4 + 6 * s + 2.8,10.2 center font ',11'
  if (s < 3) { eval put(5.4 + 6 * s, 7.7, 5, line); set label 31 + s sprintf('tiles %d', s + 1) at 5.4 + 6 * s + 2.5,8.4 center font ',11' }
}
set label 7 'time →' at 45,12.2 right font ',11'
plot NaN
