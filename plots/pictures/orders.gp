# 02: where the innermost loop walks in each pair of orders.
width = 900; height = 560
load 'plots/pictures/grid.gp'
n = 6
set xrange [-9:28]; set yrange [27.5:-2]
set label 1 'A' at 3,-0.7 center; set label 2 'B' at 12,-0.7 center; set label 3 'C' at 21,-0.7 center
array names = ['ijk, jik', 'ikj, kij', 'jki, kji']
array inner = ['innermost p', 'innermost j', 'innermost i']
do for [g = 0:2] {
  y = 9 * g
  set label at -8.5,y+1.6 names[g+1] font 'DejaVu Sans Bold,14'
  set label at -8.5,y+3.0 inner[g+1]
  do for [r = 0:n-1] { do for [c = 0:n-1] {
    a = g == 0 ? (r == 2) : g == 1 ? (r == 2 && c == 3) : (c == 3)
    b = g == 0 ? (c == 4) : g == 1 ? (r == 3) : (r == 3 && c == 4)
    d = g == 0 ? (r == 2 && c == 4) : g == 1 ? (r == 2) : (c == 4)
    eval draw(c, y + r, a ? (g == 1 ? now : walk) : plain)
    eval draw(9 + c, y + r, b ? (g == 2 ? now : walk) : plain)
    eval draw(18 + c, y + r, d ? (g == 0 ? now : walk) : plain)
  } }
}
along = 'set arrow from %g,%g to %g,%g front linewidth 2 linecolor rgb "black"'
eval sprintf(along, 0.4, 2.5, 5.7, 2.5);   eval sprintf(along, 13.5, 0.4, 13.5, 5.7)   # ijk: A's row, B's column
eval sprintf(along, 9.4, 12.5, 14.7, 12.5); eval sprintf(along, 18.4, 11.5, 23.7, 11.5) # ikj: B's row, C's row
eval sprintf(along, 3.5, 18.4, 3.5, 23.7); eval sprintf(along, 22.5, 18.4, 22.5, 23.7)  # jki: A's column, C's column
set label 10 'orange: one element, kept in a register; blue: where the innermost loop walks' at -8.5,26.2
plot NaN
