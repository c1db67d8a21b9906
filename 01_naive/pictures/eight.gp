# 01: a cache of eight sets and two ways, and where the lines of a column lie when rows are seven and when they are eight lines apart.
height = 340
load 'plots/pictures/grid.gp'
set xrange [-0.3:17.3]; set yrange [11.4:-0.4]
bold = 'DejaVu Sans Bold,14'
array apart = [7, 8]; array base = [3.2, 9.4]
array head = ['Rows 7 lines apart: each line lies one set before the last', 'Rows 8 lines apart: every line wants set 0']
array foot = ['16 lines have a place', 'two lines have a place: p = 2 drives out p = 0']
do for [g = 1:2] {
  set label head[g] at 0.1,base[g]-(g == 1 ? 2.7 : 3.6) font bold
  do for [s = 0:7] {
    set label sprintf('set %d', s) at 2*s+1.1,base[g]+0.4 center font ',13'
    do for [w = 0:1] { eval sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8', 2*s+0.1, base[g]-w-1, 2*s+2.1, base[g]-w, plain) }
  }
  do for [p = 0:(g == 1 ? 15 : 1)] {
    s = (p * apart[g]) % 8; w = g == 1 ? p / 8 : p
    eval sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8', 2*s+0.1, base[g]-w-1, 2*s+2.1, base[g]-w, w == 0 ? walk : line)
    set label sprintf('p = %d', p) at 2*s+1.1,base[g]-w-0.5 center front font ',13'
  }
  set label foot[g] at 0.1,base[g]+1.3
}
set label 'p = 2, 3, 4, …' at 0.1,base[2]-2.5
plot NaN
