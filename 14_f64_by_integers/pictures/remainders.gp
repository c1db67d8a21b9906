# 14: 123 times 456 by remainders modulo 99, 100 and 101, nearest to 0.
height = 310
load 'plots/pictures/grid.gp'
set xrange [0.4:35.6]; set yrange [20.4:-0.8]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, colour, text) = sprintf(box, x, y, x + w, y + 2, colour) \
  .'; '.sprintf('set label "%s" at %g,%g center font ",13" front', text, x + w/2.0, y + 1.03)
link(x, y, to_x, to_y) = sprintf('set arrow from %g,%g to %g,%g size 0.5,20 linewidth 1 linecolor rgb "#555555"', x, y, to_x, to_y)
set label 'numbers' at 3,0 center font 'DejaVu Sans Bold,14'
set label 'remainders' at 12.5,0 center font 'DejaVu Sans Bold,14'
set label 'products' at 21.5,0 center font 'DejaVu Sans Bold,14'
set label 'one number' at 31.5,0 center font 'DejaVu Sans Bold,14'
eval put(1, 4.1, 4, line, 'a = 123').'; '.put(1, 8.5, 4, walk, 'b = 456')
array ra = ['24', '23', '22']; array rb = ['−39', '−44', '−49']; array rc = ['−45', '−12', '33']; array p = ['99', '100', '101']
do for [t = 1:3] {
  y = 2.2 + 4*(t - 1)
  set label 'modulo '.p[t] at 12.5,y - 0.55 center font ',13'
  eval put(9.4, y, 2.8, line, ra[t]).'; '.put(12.8, y, 2.8, walk, rb[t]).'; '.put(20, y, 3, now, rc[t])
  eval link(5.1, 5.1, 9.2, y + 0.8).'; '.link(5.1, 9.5, 9.2, y + 1.3)
  eval link(15.8, y + 1, 19.8, y + 1).'; '.link(23.2, y + 1, 28.1, 7.3)
  set label '·' at 12.5,y + 1 center font ',13' front
}
eval put(28.3, 6.2, 6.4, now, 'c = 56,088')
set label 'c = −45·505,000 + 12·9,999 + 33·504,900 + 6·999,900' at 0.6,14.6
set label 'remainders times weights, less q·P: q = −6' at 0.6,16
set label 'In the kernels: 14 moduli, so 14 planes of bytes of A, of B, and' at 0.6,18
set label 'of C; a and b have 54 bits, c up to 110.' at 0.6,19.3
plot NaN
