# 11: what one mma.sync multiplies, and where it lies in the tiles of a warp and of a block.
width = 900; height = 400
load 'plots/pictures/grid.gp'
set xrange [-3:57]; set yrange [26.4:-1.8]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
set label 1 'a block, a step: 8 warps, 32 columns of A' at -2.5,-0.8 font 'DejaVu Sans Bold,12'
eval put(0, 7, 4, 16, plain)
eval put(5.5, 1.5, 16, 4, plain)
eval put(5.5, 7, 16, 16, plain)
do for [w = 0:7] { eval put(5.5 + 4*(w % 4), 7 + 8*(w / 4), 4, 8, plain) }
eval put(0, 7, 4, 8, line)
eval put(9.5, 1.5, 4, 4, line)
eval put(9.5, 7, 4, 8, line)
eval put(0, 9, 2, 2, now)
eval put(10.5, 1.5, 1, 2, now)
eval put(10.5, 9, 1, 2, now)
set label 2 'A: 128 × 32' at 2,24 center font ',11'
set label 3 'B: 32 × 128' at 22,3.5 font ',11'
set label 4 'C: 128 × 128' at 13.5,24 center font ',11'
set label 5 'pale: one warp makes 64 × 32 of C, 4 × 4 fragments' at -2.5,25.6 font ',11'
set label 6 'one mma.sync: 16 · 8 · 16 multiply-adds' at 26,-0.8 font 'DejaVu Sans Bold,12'
eval put(30, 11, 12, 12, line)
eval put(30, 14.75, 12, 0.75, now)
eval put(43.5, -0.2, 6, 10, line)
eval put(45.75, -0.2, 0.75, 10, now)
eval put(43.5, 11, 6, 12, line)
eval put(45.75, 14.75, 0.75, 0.75, now)
set label 7 'A: 16 × 16, BF16' at 36,24 center font ',11'
set label 8 'B: 16 × 8, BF16' at 50,4.8 font ',11'
set label 9 'C: 16 × 8, f32' at 46.5,24 center font ',11'
set label 10 '+= a sum of' at 50,15 font ',11'
set label 11 '16 products' at 50,16.2 font ',11'
plot NaN
