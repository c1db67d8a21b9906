# 08: what a block copies to shared memory, and who uses each number of it.
height = 385
load 'plots/pictures/grid.gp'
n = 12; t = 4
set xrange [-0.4:42.4]; set yrange [29.7:-2.6]
set label 'A' at 6,-1.9 center font 'DejaVu Sans Bold,14'
set label 'B' at 21,-1.9 center font 'DejaVu Sans Bold,14'
set label 'C' at 36,-1.9 center font 'DejaVu Sans Bold,14'
set label 'k' at 6,-0.7 center; set label 'n' at 21,-0.7 center; set label 'n' at 36,-0.7 center
frame = 'set object rectangle from %g,%g to %g,%g fillstyle empty border rgb "black" linewidth %g front'
along = 'set arrow from %g,%g to %g,%g front size 0.6,22 filled linewidth 2 linecolor rgb "black"'
do for [r = 0:n-1] { do for [c = 0:n-1] {
  ina = r / t == 1; inb = c / t == 1
  eval draw(c, r, ina && c / t == 1 ? line : plain)
  eval draw(15 + c, r, inb && r / t == 1 ? line : plain)
  eval draw(30 + c, r, ina && inb ? line : plain)
} }
# the walk: tiles along k
do for [s = 0:2] {
  eval sprintf(frame, s * t, t, (s + 1) * t, 2 * t, s == 1 ? 3.0 : 1.4)
  eval sprintf(frame, 15 + t, s * t, 15 + 2 * t, (s + 1) * t, s == 1 ? 3.0 : 1.4)
}
eval sprintf(frame, 30 + t, t, 30 + 2 * t, 2 * t, 3.0)
eval sprintf(along, 0.6, 2 * t + 0.7, n - 0.6, 2 * t + 0.7)
eval sprintf(along, 15 + 2 * t + 0.7, 0.6, 15 + 2 * t + 0.7, n - 0.6)
set label 'p' at 6,2*t+1.6 center; set label 'p' at 15+2*t+1.5,6 center
# one thread: its element of C, its row of A's tile, its column of B's; and one number with its users
do for [q = 0:t-1] {
  eval draw(t + q, t + 2, walk)
  eval draw(15 + t + 1, t + q, walk)
}
eval draw(30 + t + 1, t + 2, now)
set label 'The thread (x = 1, y = 2) of the block makes the orange element:' at -0.1,13.6
set label 'in each tile it needs the blue row of A and the blue column of B.' at -0.1,15.1
set label 'The whole block, one thread an element of C, walks with p' at -0.1,16.6
set label 'from tile to tile.' at -0.1,18.1
# below: the sharing
do for [r = 0:t-1] { do for [c = 0:t-1] {
  eval draw(2 + c, 21.6 + r, r == 2 && c == 1 ? walk : plain)
  eval draw(12 + c, 21.6 + r, r == 2 ? now : plain)
  eval draw(24 + c, 21.6 + r, r == 1 && c == 2 ? walk : plain)
  eval draw(34 + c, 21.6 + r, c == 2 ? now : plain)
} }
set arrow from 4,24.1 to 11.9,24.1 front size 0.6,22 filled linewidth 2 linecolor rgb 'black'
set arrow from 27,23.1 to 35.9,23.1 front size 0.6,22 filled linewidth 2 linecolor rgb 'black'
set label 'tile of A' at 4,20.8 center; set label 'its users in C' at 14,20.8 center
set label 'tile of B' at 26,20.8 center; set label 'its users in C' at 36,20.8 center
set label 'a number of A: a row of' at -0.1,27.2; set label 'threads, 4 here, 32 in tiles of 32' at -0.1,28.7
set label 'a number of B: a column,' at 23,27.2; set label '4 here, 32 in tiles of 32' at 23,28.7
plot NaN
