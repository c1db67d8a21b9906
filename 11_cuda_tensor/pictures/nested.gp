# 11: what one mma.sync multiplies, and where it lies in the tiles of a warp and of a block.
height = 310
load 'plots/pictures/grid.gp'
set xrange [0:510]; set yrange [310:0]   # a pixel a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, h, colour) = sprintf(box, x, y, x + w, y + h, colour)
bold = 'DejaVu Sans Bold,14'
a = 6; c = 52; b = 48; t = 94; u = 8.5   # the block's A, C and B; the top of A and C; four rows of a tile
set label 'a block, a step' at 4,12 font bold
set label '8 warps, 32 columns of A' at 4,30 font ',13'
eval put(a, t, 4*u, 16*u, plain)
eval put(c, b, 16*u, 4*u, plain)
do for [w = 0:7] { eval put(c + 4*u*(w % 4), t + 8*u*(w / 4), 4*u, 8*u, plain) }
eval put(a, t, 4*u, 8*u, line)
eval put(c + 4*u, b, 4*u, 4*u, line)
eval put(c + 4*u, t, 4*u, 8*u, line)
eval put(a, t + 2*u, 2*u, 2*u, now)
eval put(c + 5*u, b, u, 2*u, now)
eval put(c + 5*u, t + 2*u, u, 2*u, now)
set label 'A:' at a + 2*u,240 center font ',13'; set label '128 × 32' at 2,255 font ',13'
set label 'B: 32' at c + 16*u + 4,b + 10 font ',13'; set label '× 128' at c + 16*u + 4,b + 25 font ',13'
set label 'C: 128 × 128' at c + 8*u,240 center font ',13'
set label 'pale: a warp makes 64 × 32 of C, 4 × 4 fragments' at 4,292 font ',13'
set label 'one mma.sync' at 262,12 font bold
set label '16 · 8 · 16 multiply-adds' at 262,30 font ',13'
eval put(262, 146, 94, 94, line)
eval put(262, 175, 94, 6, now)
eval put(372, 44, 47, 94, line)
eval put(390, 44, 6, 94, now)
eval put(372, 146, 47, 94, line)
eval put(390, 175, 6, 6, now)
set label 'A: 16 × 16,' at 309,252 center font ',13'; set label 'BF16' at 309,267 center font ',13'
set label 'B: 16 × 8,' at 426,84 font ',13'; set label 'BF16' at 426,99 font ',13'
set label 'C: 16 × 8,' at 400,252 center font ',13'; set label 'f32' at 400,267 center font ',13'
set label '+= a sum of' at 426,172 font ',13'
set label '16 products' at 426,187 font ',13'
plot NaN
