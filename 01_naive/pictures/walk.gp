# 01: what one element of C needs, and where B's column lies in memory.
height = 366
load 'plots/pictures/grid.gp'
m = 5; n = 8; k = 8; i = 2; j = 5
b = 12; c = 24
set xrange [-1.5:33.5]; set yrange [21.6:-3.4]  # a unit is as wide as it is high
bold = 'DejaVu Sans Bold,14'
set label 'A: m × k' at k/2.0,-2.4 center font bold
set label 'B: k × n' at b+n/2.0,-2.4 center font bold
set label 'C: m × n' at c+n/2.0,-2.4 center font bold
set label 'p →' at k/2.0,-0.8 center
set label 'j' at b+j+0.5,-0.8 center
set label 'p' at b-1.2,2.5 center; set label '↓' at b-1.2,3.9 center
set label 'i' at -0.8,i+0.5 center
set label 'i' at c-0.8,i+0.5 center
set label 'j' at c+j+0.5,-0.8 center
do for [r = 0:m-1] {
  do for [p = 0:k-1] { eval draw(p, r, r == i ? walk : plain) }
  do for [q = 0:n-1] { eval draw(c + q, r, r == i && q == j ? now : plain) }
}
do for [p = 0:k-1] { do for [q = 0:n-1] { eval draw(b + q, p, q == j ? walk : (q >= 4 ? line : plain)) } }
set arrow from 0.5,i+0.5 to k-0.3,i+0.5 front linewidth 2 linecolor rgb 'black'
set arrow from b+j+0.5,0.5 to b+j+0.5,k-0.3 front linewidth 2 linecolor rgb 'black'
set label 'B in memory, row by row. A bracket: a line (here of 4 numbers)' at 0,10.6
do for [e = 0:31] {
  eval sprintf('set object rectangle from %g,12 to %g,13.2 fillcolor rgb "%s" linewidth 0.6', e, e+1, \
    e % n == j ? walk : (e % n >= 4 ? line : plain))
}
do for [l = 0:7] {
  eval sprintf('set arrow from %g,13.6 to %g,13.6 nohead linewidth 2 linecolor rgb "#555555"', 4*l+0.15, 4*l+3.85)
}
set arrow from 5.5,15 to 13.5,15 heads front linewidth 1.5 linecolor rgb 'black'
set label 'n numbers, 4n bytes' at 14.4,15
set label 'Each step down the column needs another line, of which it' at 0,17.6
set label 'uses one number (blue). The rest (pale) is of use if the' at 0,19.2
set label 'line is still at hand when column j + 1 is wanted.' at 0,20.8
plot NaN
