# 07: the grid, one of its blocks, one of its warps; x runs down the rows of C, as in the first program.
width = 900; height = 500
load 'plots/pictures/grid.gp'
set xrange [0:45]; set yrange [25:0]
bold = 'DejaVu Sans Bold,13'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g front'
line_to = 'set arrow from %g,%g to %g,%g nohead front dashtype 3 linewidth 1.2 linecolor rgb "#555555"'
# C and its blocks
set label 'C, 1000 × 1000: a grid of blocks' at 1,1 font bold
do for [x = 0:4] { do for [y = 0:5] { eval sprintf(box, 3 + 2*y, 4 + 3.2*x, 5 + 2*y, 7.2 + 3.2*x, x == 1 && y == 2 ? walk : plain, 0.8) } }
do for [x = 0:4] { set label (x == 3 ? '⋮' : sprintf('%d', x == 4 ? 31 : x)) at 2.6,5.6+3.2*x right font ',11' }
do for [y = 0:5] { set label (y == 4 ? '…' : sprintf('%d', y == 5 ? 124 : y)) at 4+2*y,3.3 center font ',11' }
set label 'blockIdx.y' at 9,2.2 center font ',11'; set label 'blockIdx.x' at 1,12 center rotate by 90 font ',11'
eval sprintf(box, 3, 17.6, 15, 20, '#dddddd', 0.8)
set label 'grey: beyond C, threads that return at once' at 9,20.9 center font ',11'
# a block
set label 'block (1, 2): 32 × 8 threads' at 19,1 font bold
eval sprintf(line_to, 9, 7.2, 20.5, 4); eval sprintf(line_to, 9, 10.4, 20.5, 20)
do for [w = 0:7] { eval sprintf(box, 20.5 + 1.2*w, 4, 21.7 + 1.2*w, 20, w == 5 ? now : line, 0.8) }
do for [w = 0:7] { set label sprintf('%d', w) at 21.1+1.2*w,3.3 center font ',11' }
set label 'threadIdx.y' at 25.3,2.2 center font ',11'; set label 'threadIdx.x, 0 to 31' at 19.7,12 center rotate by 90 font ',11'
set label 'eight warps, each a column of 32 rows;' at 25.3,20.9 center font ',11'; set label 'all eight run on the same SM' at 25.3,21.9 center font ',11'
# a warp
set label 'warp 5: 32 lanes' at 34,1 font bold
eval sprintf(line_to, 27.7, 4, 37, 4); eval sprintf(line_to, 27.7, 20, 37, 20)
do for [l = 0:31] { eval sprintf(box, 37, 4 + 0.5*l, 38.2, 4.5 + 0.5*l, now, 0.6) }
set label 'lane 0: C(32, 21)' at 38.6,4.3 font ',11'; set label 'lane 1: C(33, 21)' at 38.6,5.2 font ',11'; set label '⋮' at 39.6,12
set label 'lane 31: C(63, 21)' at 38.6,19.8 font ',11'
set label 'all execute the same' at 39,20.9 center font ',11'; set label 'instruction at a time' at 39,21.9 center font ',11'
plot NaN
