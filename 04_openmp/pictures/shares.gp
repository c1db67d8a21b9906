# 04: which thread writes which element of C, by the loop that is shared out among four.
width = 560; height = 272
load 'plots/pictures/grid.gp'
set terminal svg size width, height font 'DejaVu Sans,14' background rgb 'white'
n = 8
array colour = ['#e69f00', '#a6d8f5', '#f4f4f4', '#5fc3a3']
set xrange [-0.8:29.4]; set yrange [13.1:-1.6]
array names = ['rows', 'tiles', 'columns in turn']
array owner = ['r / 2', '(r / 4) * 2 + c / 4', 'c % 4']
do for [p = 1:3] {
  x0 = 10 * (p - 1)
  set label names[p] at x0 + 4,-0.8 center font 'DejaVu Sans Bold,14'
  do for [r = 0:n-1] { do for [c = 0:n-1] {
    eval 't = '.owner[p]
    eval draw(x0 + c, r, colour[t + 1])
    set label sprintf('%d', t) at x0 + c + 0.5,r + 0.52 center front font ',13'
  } }
  do for [l = 0:1] {
    set arrow from x0 + 4*l + 0.2,8.5 to x0 + 4*l + 3.8,8.5 nohead linewidth 2.6 linecolor rgb 'black' front
  }
}
set label 'C; a number is the thread that writes there; a bar below, the' at -0.4,10.1
set label 'width of a cache line (drawn with 4 numbers; it has 16 in f32).' at -0.4,11.3
set label 'With columns in turn, all four write to every line.' at -0.4,12.5
plot NaN
