# 05: the blocks of the five loops, and where each of them lives while it is used.
width = 900; height = 590
load 'plots/pictures/grid.gp'
set xrange [-0.5:36.5]; set yrange [23.2:-1.8]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
set label 1 'A  m × k' at 4,-0.8 center font 'DejaVu Sans Bold,13'
set label 2 'B  k × n' at 16.5,-0.8 center font 'DejaVu Sans Bold,13'
set label 3 'C  m × n' at 30.5,-0.8 center font 'DejaVu Sans Bold,13'
# A: panel mc x kc, in it a strip of mr rows
eval put(0, 0, 8, 10, plain);   eval put(3, 2, 2.4, 6, line);  eval put(3, 4, 2.4, 0.8, now)
# B: block kc x nc, in it a strip of nr columns
eval put(11, 0, 11, 8, plain);  eval put(14, 3, 5, 2.4, line); eval put(16, 3, 1.2, 2.4, walk)
# C: mc x nc, in it the tile mr x nr
eval put(25, 0, 11, 10, plain); eval put(28, 2, 5, 6, line);   eval put(30, 4, 1.2, 0.8, '#d55e00')
set label 4 'panel mc × kc: L3' at 0,10.9 font ',11'
set label 5 'strip mr × kc: L1, L2' at 0,11.9 font ',11'
set label 6 'block kc × nc: L2' at 11,8.9 font ',11'
set label 7 'strip kc × nr: passes through L1' at 11,9.9 font ',11'
set label 9 'tile mr × nr: registers' at 25,10.9 font ',11'
set label 11 'for ic: rows of C in pieces of mc' at 0,13.6 font 'DejaVu Sans Mono,12'
set label 12 '  for pc: k in pieces of kc' at 0,14.9 font 'DejaVu Sans Mono,12'
set label 13 '    for jc: columns of C in pieces of nc          the block of B is copied here' at 0,16.2 font 'DejaVu Sans Mono,12'
set label 14 '      for each strip of A: mr rows                copied here, with the first block of B' at 0,17.5 font 'DejaVu Sans Mono,12'
set label 15 '        for each strip of B: nr columns' at 0,18.8 font 'DejaVu Sans Mono,12'
set label 16 '          micro-kernel: the tile of C += strip of A · strip of B, kc steps' at 0,20.1 font 'DejaVu Sans Mono,12'
set label 17 'What is used again soonest lies nearest: each loop reuses what the loops inside it leave alone.' at 0,22.2
plot NaN
