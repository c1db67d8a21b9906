# 11: what ldmatrix does with a matrix of 8 × 8, and where its rows lie in plain tiles and in swizzled ones.
height = 510
load 'plots/pictures/grid.gp'
set xrange [0:510]; set yrange [510:0]   # a pixel a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.7'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 18, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",13"', text, x + w/2.0, y + 9)
bold = 'DejaVu Sans Bold,14'
set label 'one matrix of ldmatrix, 8 × 8' at 4,12 font bold
set label 'plain: chunk e at place e' at 48,214 font bold
set label 'swizzled: at place e XOR r' at 282,214 font bold
set label 'bank' at 44,238 right font ',13'
array x0 = [48, 290]; array hue = ['#d55e00', now]
do for [p = 0:7] { do for [s = 1:2] { set label sprintf('%d', 4*p) at x0[s] + 26*p + 2,238 font ',13' } }
do for [r = 0:7] {
  set label sprintf('lane %d →', r) at 68,37 + 18*r right font ',13'
  set label sprintf('r = %d', r) at 44,259 + 18*r right font ',13'
  do for [t = 0:3] { eval put(72 + 42*t, 28 + 18*r, 42, t == 2 && r == 1 ? now : line, sprintf('%d', 4*r + t)) }
  do for [p = 0:7] {
    e = 0
    do for [b = 0:2] { e = e + 2**b * ((p / 2**b + r / 2**b) % 2) }
    eval put(x0[1] + 26*p, 250 + 18*r, 26, p == 2 ? hue[1] : plain, sprintf('%d', p))
    eval put(x0[2] + 26*p, 250 + 18*r, 26, e == 2 ? hue[2] : plain, sprintf('%d', int(e)))
  }
}
array words = ['Lane r gives the address of row r,', '16 bytes. In each box: the lane that', 'receives its two elements, 4g + t.', 'Three more matrices follow in the', 'same instruction; lanes 8–15, 16–23', 'and 24–31 give the addresses of', 'their rows.']
do for [i = 1:7] { set label words[i] at 254,40 + 18*i - 10 font ',13' }
set label '8 wavefronts: all in banks 8–11' at 48,408 font ',13'
set label '1 wavefront: each in its own' at 290,408 font ',13'
set label 'In each box: which chunk of its row lies there, 8 BF16, 16 bytes.' at 4,438
set label 'Coloured: chunk 2 of each row, the rows of one matrix, in a tile' at 4,456
set label 'whose rows are 128 bytes long or a multiple of that. A chunk' at 4,474
set label 'lies in four banks; the first is named.' at 4,492
plot NaN
