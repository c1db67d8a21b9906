# 11: five steps of a block: by one pair of tiles, and by three whose copies run ahead.
height = 270
load 'plots/pictures/grid.gp'
set xrange [-7:40.4]; set yrange [18.4:-1]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 1.3, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",13"', text, x + w/2.0, y + 0.65)
set label 'swizzled: one pair of tiles' at -6.8,0 font 'DejaVu Sans Bold,14'
set label 'time →' at 40.2,0 right font ',13'
set label 'on its way' at -0.3,1.45 right font ',13'
set label 'multiplied' at -0.3,3.05 right font ',13'
do for [s = 0:3] {
  eval put(10*s, 0.8, 6, line, sprintf('tiles %d', s))
  eval put(10*s + 6, 2.4, 4, now, sprintf('%d', s))
}
set label 'stages: three pairs' at -6.8,5.6 font 'DejaVu Sans Bold,14'
set label 'step' at -0.3,6.9 right font ',13'
do for [p = 0:2] { set label sprintf('pair %d', p) at -0.3,8.45 + 1.6*p right font ',13' }
do for [s = 0:4] {
  start = s < 2 ? 0.3*s : 8 + 4*(s - 2)
  eval put(start, 7.8 + 1.6*(s % 3), 8 + 4*s - start, line, sprintf('tiles %d', s))
  eval put(8 + 4*s, 7.8 + 1.6*(s % 3), 4, now, sprintf('%d', s))
  set arrow from 8 + 4*s,6.4 to 8 + 4*s,7.7 nohead linewidth 1 dashtype 2 linecolor rgb '#555555'
  set arrow from 8 + 4*s,12.4 to 8 + 4*s,13.3 nohead linewidth 1 dashtype 2 linecolor rgb '#555555'
  set label sprintf('%d', s) at 10 + 4*s,6.9 center font ',13'
}
set label 'Dashed: wait for this step''s tiles, then the barrier, then begin' at -6.8,14.5
set label 'the tiles two steps ahead. Blue: the time that a copy may take;' at -6.8,15.8
set label 'orange: multiplied.' at -6.8,17.1
plot NaN
