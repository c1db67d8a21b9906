# 04: two threads' sums in one cache line, and in a line for each.
height = 364
load 'plots/pictures/grid.gp'; walk = '#a6d8f5'
set xrange [-0.6:33.4]; set yrange [23.6:-0.6]
cell2 = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.7 front'
# A line at (x, y): eight numbers of one thread, eight of another or of nobody.
linebox(x, y, first, second) = sprintf('do for [e = 0:15] { eval sprintf(cell2, %g + 0.8 * e, %g, %g + 0.8 * (e + 1), %g, e < 8 ? "%s" : "%s") }', \
  x, y, x, y + 1.3, first, second)
core(x, y, name) = sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "#ffffff" linewidth 1.2; set label "%s" at %g,%g center', \
  x, y, x + 14.4, y + 5.4, name, x + 7.2, y + 1)
way = 'set arrow from %g,%g to %g,%g heads front size 0.7,22 filled linewidth 2.4 linecolor rgb "black"'
set label 'side by side: one line for both' at 0,0.6 font 'DejaVu Sans Bold,14'
eval core(0.4, 1.7, 'core 0, its L1'); eval core(18, 1.7, 'core 1, its L1')
eval linebox(1.2, 4.1, now, walk)
do for [e = 0:15] { set object rectangle from 18.8 + 0.8*e,4.1 to 18.8 + 0.8*(e+1),5.4 fillstyle empty border rgb '#999999' linewidth 0.7 dashtype 2 front }
set label 'thread 0' at 4.4,6.3 center font ',13'; set label 'thread 1' at 10.8,6.3 center font ',13'
set label 'gone' at 25.2,6.3 center font ',13'
eval sprintf(way, 14.3, 4.75, 18.5, 4.75)
set label 'A line that is written is in one L1 only, so it goes to and fro,' at 0,8.5 font ',13'
set label 'once for each turn of a thread.' at 0,9.6 font ',13'
set label 'padded: a line for each' at 0,11.3 font 'DejaVu Sans Bold,14'
eval core(0.4, 12.4, 'core 0, its L1'); eval core(18, 12.4, 'core 1, its L1')
eval linebox(1.2, 14.8, now, plain); eval linebox(18.8, 14.8, walk, plain)
set label 'thread 0' at 4.4,17 center font ',13'; set label 'nobody' at 10.8,17 center font ',13'
set label 'thread 1' at 22,17 center font ',13'; set label 'nobody' at 28.4,17 center font ',13'
set label 'Each line stays where it is. The program is the same to the last' at 0,19.6 font ',13'
set label 'instruction; only the place of thread 1''s sums is different.' at 0,20.7 font ',13'
set label 'A cell is a number of 4 bytes; a line has sixteen.' at 0,22.4 font ',13'
plot NaN
