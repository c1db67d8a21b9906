# 05: what is done well in small and thin products, with vectors of 16 numbers.
height = 480
load 'plots/pictures/grid.gp'
set xrange [0:510]; set yrange [480:0]   # a pixel a unit
box = 'set object rectangle from %g,%g to %g,%g front fillcolor rgb "%s" linewidth 0.7'
put(x, y, w, h, hue) = sprintf(box, x, y, x + w, y + h, hue)
frame(x, y, w, h) = sprintf('set object rectangle from %g,%g to %g,%g front fillstyle empty border rgb "black" linewidth 2.2', x, y, x + w, y + h)
say(x, y, text) = sprintf('set label "%s" at %g,%g front font ",13"', text, x, y)
mid(x, y, text) = sprintf('set label "%s" at %g,%g center front font ",13"', text, x, y)
array heads = ['even tiles: 64 columns', 'the last vector: 49 columns', 'chains', 'flat tiles', 'rows from end to end: k ≤ 8', 'dot products: n = 3']
do for [p = 0:5] { set label heads[p + 1] at 6 + 258*(p % 2),12 + 160*(p/2) font 'DejaVu Sans Bold,14' }

x = 6; y = 30   # even tiles
do for [r = 0:1] {
  eval say(x, y + 12 + 34*r, r ? '2 + 2' : '3 + 1')
  do for [v = 0:3] { eval put(x + 48 + 44*v + (v > 2 - r ? 10 : 0), y + 34*r, 44, 24, (v > 2 - r) ? line : walk) }
  eval frame(x + 48, y + 34*r, 44*(3 - r), 24).'; '.frame(x + 58 + 44*(3 - r), y + 34*r, 44*(1 + r), 24)
}
eval say(x, y + 76, 'frame: a tile; each loads the numbers').'; '.say(x, y + 92, 'of A anew')

x = 266; y = 30   # the last vector
do for [v = 0:2] { eval put(x + 64*v, y, 64, 24, walk) }
eval put(x + 33*4, y, 15*4, 24, now).'; '.put(x + 33*4, y + 30, 15*4, 24, now).'; '.put(x + 48*4, y + 30, 4, 24, walk)
eval mid(x + 32, y + 12, '0–15').'; '.mid(x + 96, y + 12, '16–31').'; '.mid(x + 162, y + 12, '33–47').'; '.mid(x + 162, y + 42, '33–48')
eval say(x, y + 76, 'orange: computed twice, no mask')

x = 6; y = 190   # chains
array hue = [walk, now, line, '#f5d9a0']
do for [t = 0:9] {
  eval put(x + 70 + 18*t, y, 18, 22, t % 4 ? plain : walk).'; '.put(x + 70 + 18*t, y + 32, 18, 22, hue[t % 4 + 1])
  if (t % 4 == 0) { eval mid(x + 79 + 18*t, y + 11, sprintf('%d', t/4)) }
  eval mid(x + 79 + 18*t, y + 43, sprintf('%d', t))
}
eval say(x, y + 11, 'one sum').'; '.say(x, y + 43, 'four sums').'; '.say(x, y + 72, 'the p that starts in each cycle;').'; '.say(x, y + 88, 'a colour is a sum')

x = 264; y = 186   # flat tiles
array high = [1, 2, 4, 9]; array across = [12, 8, 6, 3]; array top = [4, 18, 38, 68]
do for [i = 1:4] {
  eval say(x, y + top[i] + 2.5*high[i], sprintf('%d × %d', high[i], across[i]))
  do for [r = 0:high[i]-1] { do for [v = 0:across[i]-1] { eval put(x + 48 + 15*v, y + top[i] + 5*r, 15, 5, i < 4 ? walk : plain) } }
}
eval say(x + 104, y + 80, 'rows × vectors;').'; '.say(x + 104, y + 96, 'grey: large C')

x = 6; y = 356   # rows from end to end
array at = [0, 112, 146]; array w = [88, 14, 88]; array h = [56, 56, 14]
do for [i = 1:3] { eval put(x + at[i], y, w[i], h[i], plain).'; '.mid(x + at[i] + w[i]/2, y - 9, word('C A B', i)) }
eval put(x, y + 20, 88, 12, line).'; '.put(x + 112, y + 20, 14, 12, now).'; '.put(x + 146, y, 88, 14, walk)
set arrow from x + 4,y + 26 to x + 84,y + 26 front size 8,20 filled linewidth 1.6
eval mid(x + 100, y + 28, '+=').'; '.mid(x + 136, y + 28, '·')
eval say(x, y + 76, 'A in registers, B in L1; C is read').'; '.say(x, y + 92, 'and written once')

x = 264; y = 350   # dot products
do for [r = 0:1] {
  eval say(x, y + 12 + 34*r, r ? 'along k' : 'along n')
  do for [l = 0:15] { eval put(x + 58 + 11*l, y + 34*r, 11, 24, r || l < 3 ? walk : plain) }
}
eval say(x, y + 82, 'white lanes work in vain; along k').'; '.say(x, y + 98, 'the lanes are added up at the end')
plot NaN
