# 01: what one element of C needs, and where B's column lies in memory.
width = 900; height = 430
load 'plots/pictures/grid.gp'
n = 8; i = 2; j = 5
set xrange [-1:36]; set yrange [17:-1.6]
set label 1 'A: along row i' at 4,-0.7 center
set label 2 'B: down column j' at 15,-0.7 center
set label 3 'C(i, j)' at 26,-0.7 center
do for [r = 0:n-1] { do for [c = 0:n-1] {
  eval draw(c, r, r == i ? walk : plain)
  eval draw(11 + c, r, c == j ? walk : (c >= 4 ? line : plain))
  eval draw(22 + c, r, r == i && c == j ? now : plain)
} }
set arrow 1 from 0.5,i+0.5 to 7.7,i+0.5 front linewidth 2 linecolor rgb 'black'
set arrow 2 from 11.5+j,0.5 to 11.5+j,7.7 front linewidth 2 linecolor rgb 'black'
set label 4 'B as it lies in memory, a row behind the other; a bracket is a cache line (here 4 elements):' at 0,10.4
do for [e = 0:31] {
  eval sprintf('set object rectangle from %g,11.2 to %g,12.4 fillcolor rgb "%s" linewidth 0.6', e, e+1, \
    e % n == j ? walk : (e % n >= 4 ? line : plain))
}
do for [l = 0:7] {
  eval sprintf('set arrow from %g,12.8 to %g,12.8 nohead linewidth 2 linecolor rgb "#555555"', 4*l+0.15, 4*l+3.85)
}
set label 5 '…' at 32.5,11.9
set label 6 'Each step down the column is in another line, n elements further on: one element of the line is used (blue),' at 0,14.2
set label 7 'the others were brought for nothing (pale), unless the line is still in the cache when column j + 1 wants them.' at 0,15.4
plot NaN
