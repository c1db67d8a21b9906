# 07: the grid, one of its blocks, one of its warps; x runs down the rows of C, as in the first program.
height = 312
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [31.2:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'; small = ',13'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g front'
line_to = 'set arrow from %g,%g to %g,%g nohead front dashtype 3 linewidth 1.2 linecolor rgb "#555555"'
# C and its blocks
set label 'a grid of blocks' at 0.5,1.2 font bold; set label 'over C, 1000 × 1000' at 0.5,2.9 font small
do for [x = 0:4] { do for [y = 0:5] { eval sprintf(box, 4.6 + 2.2*y, 7.4 + 3*x, 6.8 + 2.2*y, 10.4 + 3*x, x == 1 && y == 2 ? walk : plain, 0.8) } }
do for [x = 0:4] { set label (x == 3 ? '⋮' : sprintf('%d', x == 4 ? 31 : x)) at 4.2,8.9+3*x right font small }
do for [y = 0:5] { set label (y == 4 ? '…' : sprintf('%d', y == 5 ? 124 : y)) at 5.7+2.2*y,6.6 center font small }
set label 'blockIdx.y' at 11.2,5 center font small; set label 'blockIdx.x' at 1.2,15 center rotate by 90 font small
eval sprintf(box, 4.6, 20.2, 17.8, 22.4, '#dddddd', 0.8)
# a block
set label 'block (1, 2)' at 22.4,1.2 font bold; set label '32 × 8 threads' at 22.4,2.9 font small
eval sprintf(line_to, 11.2, 10.4, 24, 7.4); eval sprintf(line_to, 11.2, 13.4, 24, 22.4)
do for [w = 0:7] { eval sprintf(box, 24 + 1.3*w, 7.4, 25.3 + 1.3*w, 22.4, w == 5 ? now : line, 0.8) }
do for [w = 0:7] { set label sprintf('%d', w) at 24.65+1.3*w,6.6 center font small }
set label 'threadIdx.y' at 29.2,5 center font small; set label 'threadIdx.x, 0 to 31' at 22.9,15 center rotate by 90 font small
# a warp
set label 'warp 5' at 39.4,1.2 font bold; set label '32 lanes' at 39.4,2.9 font small
eval sprintf(line_to, 31.8, 7.4, 41, 7.4); eval sprintf(line_to, 31.8, 22.4, 41, 22.4)
do for [l = 0:31] { eval sprintf(box, 41, 7.4 + 15*l/32.0, 42.6, 7.4 + 15*(l + 1)/32.0, now, 0.6) }
set label 'lane 0:' at 43.2,7.9 font small; set label 'C(32, 21)' at 43.2,9.4 font small; set label '⋮' at 45,15
set label 'lane 31:' at 43.2,20.4 font small; set label 'C(63, 21)' at 43.2,21.9 font small
set label 'Grey: beyond C, threads that return at once. Eight warps, each' at 0.5,26.4
set label 'a column of 32 rows of C, run on the same SM. The lanes of a' at 0.5,28.2
set label 'warp all execute the same instruction at a time.' at 0.5,30
plot NaN
