# 02: one vector instruction does the same to four neighbours of a row.
height = 273
load 'plots/pictures/grid.gp'
set xrange [-1:28.4]; set yrange [15:0]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
array heights = [1, 4.2, 7.4, 11.4]
array names = ['row p of B', 'A(i, p), four times', 'row i of C', 'row i of C, new']
array signs = ['', '×', '+', '=']
array fills = [walk, now, walk, walk]
do for [r = 1:4] {
  set label names[r] at -0.6,heights[r] + 0.9
  set label signs[r] at 9.2,heights[r] + 0.9 center font 'DejaVu Sans Bold,14'
  if (r != 2) { do for [e = 0:7] { eval sprintf(box, 10.2 + 2 * e, heights[r], 12.2 + 2 * e, heights[r] + 1.8, e < 4 ? fills[r] : plain) } }
  if (r == 2) { do for [e = 0:3] {
    eval sprintf(box, 10.2 + 2 * e, heights[r], 12.2 + 2 * e, heights[r] + 1.8, fills[r])
    set label '●' at 11.2 + 2 * e,heights[r] + 0.9 center front font ',13'
  } }
  if (r != 2) { set label '…' at 27.2,heights[r] + 0.9 center }
}
do for [e = 0:3] { set label sprintf('%d', e) at 11.2 + 2 * e,14.1 center }
set label 'lane' at -0.6,14.1
set label 'the next step' at 22.2,14.1 center
plot NaN
