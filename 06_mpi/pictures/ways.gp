# 06: a panel from rank 0 to seven others: by a binomial tree, and along a ring.
width = 720; height = 300
load 'plots/pictures/grid.gp'
set terminal svg size width,height noenhanced font 'DejaVu Sans,14' background rgb 'white'
set encoding utf8
set xrange [0:72]; set yrange [30:0]   # ten pixels a unit
bold = 'DejaVu Sans Bold,14'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
way = 'set arrow from %g,%g to %g,%g size 0.9,20 filled front linewidth 2 linecolor rgb "%s"'
set label 'a binomial tree: 3 rounds, rank 0 sends three times' at 1,1.6 font bold
set label 'a ring: 7 hops, each rank sends once' at 1,20.2 font bold
at(r) = 13 + 7.4*r
do for [round = 0:3] {
  y = 4 + 4*round
  set label (round == 0 ? 'has it' : sprintf('round %d', round)) at 1,y + 0.9
  do for [r = 0:7] {
    step = 8 >> round
    eval sprintf(box, at(r), y, at(r) + 4, y + 1.8, r % step == 0 ? now : 'white')
    set label sprintf('%d', r) at at(r) + 2,y + 0.9 center front
    if (round > 0 && r % step == 0 && r % (2*step) != 0) { eval sprintf(way, at(r - step) + 2, y - 2.2, at(r) + 2, y, 'black') }
  }
}
do for [r = 0:7] {
  eval sprintf(box, at(r), 22.5, at(r) + 4, 24.3, r == 0 ? now : 'white')
  set label sprintf('%d', r) at at(r) + 2,23.4 center front
  if (r < 7) { eval sprintf(way, at(r) + 4, 23.4, at(r + 1), 23.4, 'black') }
}
set label 'Rank 0 may send the next panel after one hop; in the tree, after three rounds.' at 1,27.6
plot NaN
