# 11: five steps of a block: by one pair of tiles, and by three whose copies run ahead.
width = 900; height = 400
load 'plots/pictures/grid.gp'
set xrange [-6.5:40.5]; set yrange [15.8:-1.4]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 1.2, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",11"', text, x + w/2.0, y + 0.6)
set label 'swizzled: one pair of tiles' at -6.3,-0.6 font 'DejaVu Sans Bold,12'
set label 'on its way' at -0.5,0.9 right font ',11'
set label 'multiplied' at -0.5,2.5 right font ',11'
do for [s = 0:3] {
  eval put(10*s, 0.3, 6, line, sprintf('tiles %d', s))
  eval put(10*s + 6, 1.9, 4, now, sprintf('tiles %d', s))
}
set label 'stages: three pairs' at -6.3,5 font 'DejaVu Sans Bold,12'
do for [p = 0:2] { set label sprintf('pair %d', p) at -0.5,6.5 + 1.6*p right font ',11' }
do for [s = 0:4] {
  start = s < 2 ? 0.3*s : 8 + 4*(s - 2)
  eval put(start, 5.9 + 1.6*(s % 3), 8 + 4*s - start, line, s == 0 ? 'tiles 0 on their way' : sprintf('tiles %d', s))
  eval put(8 + 4*s, 5.9 + 1.6*(s % 3), 4, now, sprintf('tiles %d', s))
  set arrow from 8 + 4*s,4.6 to 8 + 4*s,5.8 nohead linewidth 1 dashtype 2 linecolor rgb '#555555'
  set arrow from 8 + 4*s,10.4 to 8 + 4*s,11.4 nohead linewidth 1 dashtype 2 linecolor rgb '#555555'
  set label sprintf('step %d', s) at 10 + 4*s,4.9 center font ',11'
}
set label 'dashed: wait for this step''s tiles, then the barrier, then begin the tiles two steps ahead' at 0,12.2 font ',11'
set label 'blue: the time that a copy may take; orange: multiplied' at 0,13.5 font ',11'
set label 'time →' at 40,15 right font ',11'
plot NaN
