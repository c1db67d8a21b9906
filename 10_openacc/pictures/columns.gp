# 10: which elements of C a lane of four_by_four has, and which the next lane.
height = 300
load 'plots/pictures/grid.gp'
set xrange [-1.4:29.0]; set yrange [16.9:-1.0]   # about seventeen pixels a unit
do for [r = 0:15] { do for [c = 0:15] { eval draw(c, r, r % 4 == 1 && c % 4 < 2 ? (c % 4 ? walk : now) : plain) } }
do for [q = 4:12:4] {
  set arrow from q,0 to q,16 nohead front linewidth 2
  set arrow from 0,q to 16,q nohead front linewidth 2
}
set label 'C' at -0.7,8 center
set label 'n / 4' at 2,-0.5 center; set label 'n / 4' at 6,-0.5 center; set label 'n / 4' at 10,-0.5 center; set label 'n / 4' at 14,-0.5 center
set label 'orange: the 4 × 4' at 17,1.5
set label 'elements of a lane' at 17,2.6
set label 'blue: the next lane''s' at 17,4.6
set label 'A load of B brings' at 17,7.4
set label 'neighbours to the lanes' at 17,8.5
set label 'of a warp: coalesced.' at 17,9.6
set label 'One of A serves them all.' at 17,11.6
plot NaN
