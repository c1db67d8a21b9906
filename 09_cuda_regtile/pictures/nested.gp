# 09: the three nested tiles: a block's tile of C, a step of k in shared memory, a thread's sums in registers.
height = 461
load 'plots/pictures/grid.gp'
set xrange [0:62]; set yrange [56:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth %g'
away = 'set arrow from %g,%g to %g,%g nohead linewidth 0.8 dashtype 3 linecolor rgb "#777777"'
c0 = 20; a0 = 35; b0 = 50; side = 10.0; t = side/8; thin = 2.5
do for [m = 1:3] { set label word('C A B', m) at 5 + 15*m + side/2,1.7 center font bold }
do for [r = 0:2] { set label '+=' at 32.5,8.5 + 17*r center font bold; set label '·' at 47.5,8.5 + 17*r center font bold }

# The matrices: a tile of C needs a panel of A and one of B; a step takes BK columns and rows of them.
top = 3.5
set label 'memory, L2' at 0.5,top + 1 font bold
set label 'a block: BM × BN' at 0.5,top + 3.4; set label '= 128 × 128 of C,' at 0.5,top + 5.4; set label 'along all of k' at 0.5,top + 7.4
do for [r = 0:7] { do for [c = 0:7] {
  eval sprintf(box, c0 + c*t, top + r*t, c0 + (c + 1)*t, top + (r + 1)*t, r == 2 && c == 5 ? now : 'white', 0.5)
} }
eval sprintf(box, a0, top, a0 + side, top + side, 'white', 0.8); eval sprintf(box, b0, top, b0 + side, top + side, 'white', 0.8)
eval sprintf(box, a0, top + 2*t, a0 + side, top + 3*t, line, 0.6); eval sprintf(box, a0 + 4, top + 2*t, a0 + 4.5, top + 3*t, walk, 0.6)
eval sprintf(box, b0 + 5*t, top, b0 + 6*t, top + side, line, 0.6); eval sprintf(box, b0 + 5*t, top + 4, b0 + 6*t, top + 4.5, walk, 0.6)

# The tiles of a step, in shared memory; and the block's 16 × 16 threads.
top = 20.5; s = side/16
set label 'shared memory' at 0.5,top + 1 font bold
set label 'a step: BM × BK' at 0.5,top + 3.4; set label '= 128 × 8 of A,' at 0.5,top + 5.4; set label '8 × 128 of B' at 0.5,top + 7.4
eval sprintf(away, c0 + 5*t, 3.5 + 3*t, c0, top); eval sprintf(away, c0 + 6*t, 3.5 + 3*t, c0 + side, top)
do for [r = 0:15] { do for [c = 0:15] {
  eval sprintf(box, c0 + c*s, top + r*s, c0 + (c + 1)*s, top + (r + 1)*s, r == 5 && c == 9 ? now : 'white', 0.4)
} }
ax = a0 + (side - thin)/2; by = top + (side - thin)/2
eval sprintf(away, a0 + 4, 3.5 + 3*t, ax, top); eval sprintf(away, a0 + 4.5, 3.5 + 3*t, ax + thin, top)
eval sprintf(away, b0 + 5*t, 8, b0, by); eval sprintf(away, b0 + 6*t, 8, b0 + side, by)
eval sprintf(box, ax, top, ax + thin, top + side, walk, 0.8); eval sprintf(box, b0, by, b0 + side, by + thin, walk, 0.8)
q = thin/8
eval sprintf(box, ax + 3*q, top + 5*s, ax + 4*q, top + 6*s, now, 0.6); eval sprintf(box, b0 + 9*s, by + 3*q, b0 + 10*s, by + 4*q, now, 0.6)

# A thread's numbers for one q.
top = 37.5; u = side/8
set label 'registers' at 0.5,top + 1 font bold
set label 'a thread: TM × TN' at 0.5,top + 3.4; set label '= 8 × 8 sums; for a q' at 0.5,top + 5.4; set label '8 of A, 8 of B' at 0.5,top + 7.4
eval sprintf(away, c0 + 9*s, 20.5 + 6*s, c0, top); eval sprintf(away, c0 + 10*s, 20.5 + 6*s, c0 + side, top)
ax2 = a0 + side/2 - u/2; by2 = top + side/2 - u/2
eval sprintf(away, ax + 3*q, 20.5 + 6*s, ax2, top); eval sprintf(away, ax + 4*q, 20.5 + 6*s, ax2 + u, top)
eval sprintf(away, b0 + 9*s, by + 4*q, b0, by2); eval sprintf(away, b0 + 10*s, by + 4*q, b0 + side, by2)
do for [r = 0:7] {
  do for [c = 0:7] { eval sprintf(box, c0 + c*u, top + r*u, c0 + (c + 1)*u, top + (r + 1)*u, now, 0.6) }
  eval sprintf(box, ax2, top + r*u, ax2 + u, top + (r + 1)*u, now, 0.6)
  eval sprintf(box, b0 + r*u, by2, b0 + (r + 1)*u, by2 + u, now, 0.6)
}
set label 'A step has 8 q. For each, a thread loads 16 numbers and does 64' at 0.5,51
set label 'multiply-adds. The block has 16 × 16 threads, each with 8 × 8 sums.' at 0.5,53.5
plot NaN
