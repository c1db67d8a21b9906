# 02: where the innermost loop walks through A, B and C, for each pair of orders. Drawn small, so that it can be read on a phone.
height = 628
load 'plots/pictures/grid.gp'
n = 8; apart = 12; high = 13.4   # cells of a matrix; from one to the next, to the right and down
set xrange [-1:33.4]; set yrange [41.2:-3.2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
rule = 'set arrow from %g,%g to %g,%g nohead front linewidth 0.5 linecolor rgb "#777777"'
walks = 'set arrow from %g,%g to %g,%g front linewidth 2.2 linecolor rgb "black"'
array heads = ['innermost p:  ijk, jik', 'innermost j:  ikj, kij', 'innermost i:  jki, kji']
array names = ['A', 'B', 'C']
array down = ['i', 'p', 'i']; array across = ['p', 'j', 'j']   # what counts the rows and the columns of each
# What each matrix is to the innermost loop: r a row along, c a column down, e one element.
array kinds = ['rce', 'err', 'cec']
at_row = 2; at_column = 5
do for [g = 1:3] {
  y = high * (g - 1)
  set label heads[g] at -0.4,y-2.1 font 'DejaVu Sans Bold,14'
  do for [k = 1:3] {
    x = apart * (k - 1)
    kind = kinds[g][k:k]
    # p is a column of A and a row of B; i is a row of A and of C; j is a column of B and of C.
    r = k == 2 ? 3 : at_row; c = k == 1 ? 3 : at_column
    eval sprintf(box, x, y, x + n, y + n, plain)
    if (kind eq 'c') { eval sprintf(box, x + 4 * (c / 4), y, x + 4 * (c / 4) + 4, y + n, line) }
    if (kind eq 'c') { eval sprintf(box, x + c, y, x + c + 1, y + n, walk) }
    if (kind eq 'r') { eval sprintf(box, x, y + r, x + n, y + r + 1, walk) }
    if (kind eq 'e') { eval sprintf(box, x + c, y + r, x + c + 1, y + r + 1, now) }
    do for [s = 0:n] { eval sprintf(rule, x, y + s, x + n, y + s); eval sprintf(rule, x + s, y, x + s, y + n) }
    if (kind eq 'c') { eval sprintf(walks, x + c + 0.5, y + 0.3, x + c + 0.5, y + n - 0.2) }
    if (kind eq 'r') { eval sprintf(walks, x + 0.3, y + r + 0.5, x + n - 0.2, y + r + 0.5) }
    if (kind eq 'e') { set label '●' at x + c + 0.5, y + r + 0.5 center front font ',13' }
    set label down[k] at x - 0.75, y + n / 2.0 center font 'DejaVu Sans Oblique,14'
    set label across[k] at x + n / 2.0, y - 0.6 center font 'DejaVu Sans Oblique,14'
    set label names[k].(kind eq 'c' ? ': down' : kind eq 'r' ? ': along' : ': stays') at x + n / 2.0, y + n + 1.15 center
  }
}
eval sprintf(box, 0, 38.2, 1, 39.2, now); set label '●' at 0.5,38.7 center front font ',13'
set label 'kept in a register' at 1.6,38.7
eval sprintf(box, 12, 38.2, 13, 39.2, walk)
set label 'used, one after the other' at 13.6,38.7
eval sprintf(box, 0, 39.8, 1, 40.8, line)
set label 'comes along in the same cache line (here of 4 numbers)' at 1.6,40.3
plot NaN
