# 12: the consumers of a block over 128 rows and 768 columns of C: ordered, three tiles of both groups; ping_pong, six tiles in turns.
# Lengths are drawn for the eye: the products of 128 columns take 4, adding a tile's sums 2.
height = 300
load 'plots/pictures/grid.gp'
set xrange [-6.3:30.3]; set yrange [20.8:-1.2]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 1.3, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",13"', text, x + w/2.0, y + 0.65)
say(x, y, text) = sprintf('set label "%s" at %g,%g right font ",13"', text, x, y)
shade(tile) = tile % 2 ? walk : line
do for [turns = 0:1] {
  y = turns ? 9.6 : 0
  set label (turns ? 'ping_pong: a tile of 128 × 128 each, in turns' : 'ordered: both groups make one tile of 128 × 256') at -6.1,y - 0.4 font 'DejaVu Sans Bold,14'
  eval say(-0.3, y + 1.4, 'group 0').'; '.say(-0.3, y + 3.2, 'group 1').'; '.say(-0.3, y + 5.4, 'tensor cores')
  do for [t = 0:(turns ? 5 : 2)] {
    start = turns ? 4*t : 10*t; long = turns ? 4 : 8
    do for [g = 0:1] {
      if (!turns || g == t % 2) {
        eval put(start, y + 0.8 + 1.8*g, long, shade(t), sprintf('%d', t)).'; '.put(start + long, y + 0.8 + 1.8*g, 2, now, 'add')
      }
    }
    eval put(start, y + 4.8, long, shade(t), '')
    if (turns && t < 5) {
      from = t % 2 ? 2.6 : 2.1; to = t % 2 ? 2.1 : 2.6
      set arrow from start + 4,y + from to start + 4,y + to linewidth 1.6 front
    }
  }
  end = turns ? 26 : 30
  set arrow from end,y + 0.5 to end,y + 6.4 nohead linewidth 1 dashtype 2
}
set label 'idle while both add' at 9,7.2 center font ',13'
set label 'the turn is passed on: one adds, the other multiplies' at 12,16.8 center font ',13'
set label 'Blue: a tile''s products; orange: its sums are added to C;' at -6.1,18.4
set label 'gaps: a group waits.' at -6.1,19.8
set label 'time →' at 30.1,-0.4 right font ',13'
plot NaN
