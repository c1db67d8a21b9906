# 11: what ldmatrix does with a matrix of 8 × 8, and where its rows lie in plain tiles and in swizzled ones.
width = 900; height = 400
load 'plots/pictures/grid.gp'
set xrange [-4.2:41.8]; set yrange [15.6:-3.4]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.7'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 1, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",10"', text, x + w/2.0, y + 0.5)
pale = '#cfe6f5'
set label 'one matrix of ldmatrix, 8 × 8' at -4,-2.6 font 'DejaVu Sans Bold,12'
set label 'plain: chunk e at place e' at 13.5,-2.6 font 'DejaVu Sans Bold,12'
set label 'swizzled: at place e XOR r' at 29,-2.6 font 'DejaVu Sans Bold,12'
set label 'bank' at 12.9,-0.7 right font ',9'
set label 'bank' at 28.4,-0.7 right font ',9'
do for [p = 0:7] {
  set label sprintf('%d–%d', 4*p, 4*p + 3) at 13.5 + 1.5*p + 0.75,-0.7 center font ',9'
  set label sprintf('%d–%d', 4*p, 4*p + 3) at 29 + 1.5*p + 0.75,-0.7 center font ',9'
}
do for [r = 0:7] {
  set label sprintf('lane %d →', r) at -0.3,r + 0.5 right font ',10'
  set label sprintf('r = %d', r) at 13.1,r + 0.5 right font ',10'
  do for [t = 0:3] { eval put(2.4*t, r, 2.4, t == 2 && r == 1 ? now : pale, sprintf('%d', 4*r + t)) }
  do for [p = 0:7] {
    x = r; s = 0
    do for [b = 0:2] { s = s + 2**b * ((p / 2**b + r / 2**b) % 2) }
    eval put(13.5 + 1.5*p, r, 1.5, p == 2 ? '#d55e00' : plain, sprintf('%d', p))
    eval put(29 + 1.5*p, r, 1.5, s == 2 ? now : plain, sprintf('%d', int(s)))
  }
}
set label 'Lane r gives the address of row r, 16 bytes.' at -4,9.2 font ',11'
set label 'In each box: the lane that receives' at -4,10.3 font ',11'
set label 'its two elements, 4g + t.' at -4,11.4 font ',11'
set label '8 wavefronts: all in banks 8–11' at 13.5,9.2 font ',11'
set label '1 wavefront: each in banks of its own' at 29,9.2 font ',11'
set label 'In each box: which chunk of its row lies there, 8 BF16, 16 bytes. Coloured: chunk 2 of each row,' at 13.5,11.4 font ',11'
set label 'the rows of one matrix, in a tile whose rows are 128 bytes long or a multiple of that.' at 13.5,12.5 font ',11'
set label 'Three more matrices follow in the same instruction; lanes 8–15, 16–23 and 24–31 give the addresses of their rows.' at -4,14.6 font ',11'
plot NaN
