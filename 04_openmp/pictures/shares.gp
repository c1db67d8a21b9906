# 04: who writes which element of C when i, tiles or p are shared out among four threads; and how two threads lose an addition.
height = 455
load 'plots/pictures/grid.gp'
n = 8
array colour = ['#e69f00', '#a6d8f5', '#f4f4f4', '#5fc3a3']
set xrange [-0.8:29.4]; set yrange [25.2:-1.8]
bold = "font 'DejaVu Sans Bold,14'"
array names = ['i: rows of C', 'i and j: tiles of C', 'p']
array owner = ['r / 2', '(r / 4) * 2 + c / 4', '0']
do for [p = 1:3] {
  x0 = 10 * (p - 1)
  set label names[p] at x0 + 4,-0.9 center @bold
  do for [r = 0:n-1] { do for [c = 0:n-1] {
    eval 't = '.owner[p]
    eval draw(x0 + c, r, p < 3 ? colour[t + 1] : 'white')
    set label p < 3 ? sprintf('%d', t) : '∗' at x0 + c + 0.5,r + 0.52 center front font ',13'
  } }
}
set label 'The number in an element of C is the thread that writes it; ∗: all four.' at -0.4,9.2
# An addition is lost.
set label 'p: two threads add 2 and 3 to the same element, which is 5' at -0.4,11.6 @bold
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
put(x, y, w, hue, text) = sprintf(box, x, y, x + w, y + 1.7, hue).sprintf("; set label '%s' at %g,%g center front", text, x + w/2.0, y + 0.85)
set label 'thread 0' at -0.4,14; set label 'thread 1' at -0.4,16.6; set label 'C(i, j)' at -0.4,19.2
eval put(4.6, 13.1, 4, colour[1], 'read 5'); eval put(10.6, 13.1, 4, colour[1], '5 + 2'); eval put(16.6, 13.1, 4, colour[1], 'write 7')
eval put(7.6, 15.7, 4, colour[2], 'read 5'); eval put(13.6, 15.7, 4, colour[2], '5 + 3'); eval put(22.6, 15.7, 4, colour[2], 'write 8')
eval put(4.6, 18.3, 16, colour[3], '5'); eval put(20.6, 18.3, 6, colour[3], '7'); eval put(26.6, 18.3, 2.4, colour[3], '8')
set arrow from 4.6,21.2 to 29,21.2 size 0.4,20 filled linewidth 1.4; set label 'time' at 3.9,21.2 right
set label 'Thread 1 has read before thread 0 writes: 8 is left, where 10 is right.' at -0.4,23.4
plot NaN
