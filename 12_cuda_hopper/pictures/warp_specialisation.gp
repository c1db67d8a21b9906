# 12: two tiles of six steps, by a block each (warp_specialised) and by one persistent block; four stages. Lengths are drawn for the eye:
# a copy takes 1.6, a step's products 2, adding the sums 3, a new block 0.8.
height = 310
load 'plots/pictures/grid.gp'
set xrange [-7.4:35.6]; set yrange [20.6:-1.2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 1.3, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",13"', text, x + w/2.0, y + 0.65)
most(x, y) = x > y ? x : y
array copied[12]; array done[12]
do for [all = 0:1] {
  y = all ? 9.2 : 0
  set label (all ? 'persistent: one block, tile after tile' : 'warp specialisation: a block a tile') at -7.2,y - 0.4 font 'DejaVu Sans Bold,14'
  set label 'producer' at -0.2,y + 1.4 right font ',13'
  set label 'consumers 0' at -0.2,y + 3.2 right font ',13'
  set label 'consumers 1' at -0.2,y + 4.8 right font ',13'
  do for [s = 0:11] {
    fresh = s % 6 == 0 && s > 0
    free = s == 0 ? 0 : fresh && !all ? done[6] + 3.8 : copied[s]
    if (s > 3 && (all || s % 6 > 3)) { free = most(free, done[s - 3]) }
    copied[s + 1] = free + 1.6
    start = most(copied[s + 1], s == 0 ? 0 : fresh ? done[s] + 3 : done[s])
    done[s + 1] = start + 2
    colour = s < 6 ? line : walk
    eval put(free, y + 0.8, 1.6, colour, sprintf('%d', s % 6))
    do for [g = 0:1] { eval put(start, y + 2.6 + 1.6*g, 2, colour, sprintf('%d', s % 6)) }
    if (s % 6 == 5) { do for [g = 0:1] { eval put(start + 2, y + 2.6 + 1.6*g, 3, now, 'add') } }
  }
  set arrow from done[12] + 3,y + 0.6 to done[12] + 3,y + 6.2 nohead linewidth 1 dashtype 2
  if (!all) {
    set arrow from done[6] + 3,y + 0.6 to done[6] + 3,y + 6.2 nohead linewidth 1 dashtype 2
    set label 'a new block begins: its stages are empty' at done[6] + 3,y + 7.0 center font ',13'
  } else {
    set label 'meanwhile the four stages are filled again' at done[6] + 1.5,y + 7.0 center font ',13'
  }
}
set label 'Pale blue: steps 0 to 5 of the first tile; dark blue: of the second;' at -7.2,18
set label 'orange: sums are added to C.' at -7.2,19.4
set label 'time →' at 35.4,-0.4 right font ',13'
plot NaN
