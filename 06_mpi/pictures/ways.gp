# 06: a panel from rank 0 to seven others: by a binomial tree, and along a ring.
height = 310
load 'plots/pictures/grid.gp'
set xrange [0:51]; set yrange [31:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
way = 'set arrow from %g,%g to %g,%g size 0.9,20 filled front linewidth 2 linecolor rgb "%s"'
set label 'a binomial tree: 3 rounds, rank 0 sends three times' at 1,1.6 font bold
set label 'a ring: 7 hops, each rank sends once' at 1,20.2 font bold
at(r) = 8.4 + 5.4*r
do for [round = 0:3] {
  y = 4 + 4*round
  set label (round == 0 ? 'has it' : sprintf('round %d', round)) at 1,y + 0.9
  do for [r = 0:7] {
    step = 8 >> round
    eval sprintf(box, at(r), y, at(r) + 3, y + 1.8, r % step == 0 ? now : 'white')
    set label sprintf('%d', r) at at(r) + 1.5,y + 0.9 center front
    if (round > 0 && r % step == 0 && r % (2*step) != 0) { eval sprintf(way, at(r - step) + 1.5, y - 2.2, at(r) + 1.5, y, 'black') }
  }
}
do for [r = 0:7] {
  eval sprintf(box, at(r), 22.5, at(r) + 3, 24.3, r == 0 ? now : 'white')
  set label sprintf('%d', r) at at(r) + 1.5,23.4 center front
  if (r < 7) { eval sprintf(way, at(r) + 3, 23.4, at(r + 1), 23.4, 'black') }
}
set label 'Rank 0 may send the next panel after one hop;' at 1,27
set label 'in the tree, after three rounds.' at 1,28.8
plot NaN
