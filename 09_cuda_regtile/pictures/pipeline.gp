# 09: four steps of a block, without and with the next tiles on their way.
height = 196
load 'plots/pictures/grid.gp'
set xrange [-7.6:46]; set yrange [13:-0.4]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, s) = sprintf(box, x, y, x + w, y + 1.6, colour).sprintf('; set label "tiles %d" at %g,%g center font ",13"', s, x + w/2.0, y + 0.8)
array names = ['conflict_free', 'double_buffered']
do for [d = 0:1] {
  y = 6.6*d
  set label names[d + 1] at -7.4,y + 0.6 font 'DejaVu Sans Bold,14'
  set label 'on its way' at -0.3,y + 2.4 right font ',13'; set label 'multiplied' at -0.3,y + 4.3 right font ',13'
  do for [s = 0:3] {
    eval put(d == 0 ? 11.4*s : s == 0 ? 0 : 6*s - 0.6, y + 1.6, 5, line, s)
    eval put(d == 0 ? 11.4*s + 5.4 : 5.4 + 6*s, y + 3.5, 5.6, now, s)
  }
}
set label 'time →' at 45.8,12.4 right font ',13'
plot NaN
