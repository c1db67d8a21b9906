# 07: a branch that the lanes of a warp take differently.
height = 230
load 'plots/pictures/grid.gp'
set xrange [-9.4:35.2]; set yrange [11.5:-1.5]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
set label 'lane' at -0.6,-0.6 right font ',13'
do for [l = 0:31] { set label (l % 8 && l != 31 ? '' : sprintf('%d', l)) at l+0.5,-0.6 center font ',13' }
do for [s = 0:3] {
  do for [l = 0:31] { eval sprintf(box, l, 0.3 + 2*s, l + 1, 1.9 + 2*s, s == 1 ? (l < 20 ? now : plain) : s == 2 ? (l < 20 ? plain : walk) : line) }
}
set label 'if (l < 20)' at -0.6,1.1 right; set label 'first();' at -0.6,3.1 right; set label 'else second();' at -0.6,5.1 right; set label 'together();' at -0.6,7.1 right
set arrow from 33.4,0.3 to 33.4,8.3 filled size 0.5,22 linewidth 2 linecolor rgb 'black'
set label 'time' at 33.4,9.3 center
set label 'A white lane waits: the warp spends the time of both branches.' at -9.2,10.8
plot NaN
