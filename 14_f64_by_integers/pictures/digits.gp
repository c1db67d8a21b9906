# 14: the products of eight digits by eight, by their weight s + t: those up to 7 are made, one sum for each diagonal.
width = 900; height = 480
load 'plots/pictures/grid.gp'
set xrange [-1.2:21.6]; set yrange [12.4:-2]
shade = "#e69f00 #f2c14e #fae3ac #cfe6f5 #9fd0ee #56b4e9 #a6d8c8 #5fb89a"
set label 'digits of b (across) and of a (down)' at -0.9,-1.4 font 'DejaVu Sans Bold,12'
do for [s = 0:7] {
  set label sprintf('d_%d', s) at -0.5,s + 0.5 center font ',12'
  set label sprintf('e_%d', s) at s + 0.5,-1.6 + 1.1 center font ',12'
  do for [t = 0:7] {
    made = s + t < 8
    eval draw(t, s, made ? word(shade, s + t + 1) : '#ffffff')
    set label (made ? sprintf('%d', s + t) : '·') at t + 0.5,s + 0.52 center font ',12' front
  }
}
set label 's + t' at 10.1,-0.5 center font 'DejaVu Sans Bold,12'
set label 'one product of planes: this long a k' at 11.4,-0.5 font 'DejaVu Sans Bold,12'
set label 'weight' at 19,-0.5 font 'DejaVu Sans Bold,12'
do for [w = 0:7] {
  eval draw(9.6, w, word(shade, w + 1))
  set label sprintf('%d', w) at 10.1,w + 0.52 center font ',12' front
  do for [q = 0:w] { set object rectangle from 11.4 + 0.85*q,w + 0.2 to 12.2 + 0.85*q,w + 0.8 fillcolor rgb word(shade, w + 1) linewidth 0.6 }
  set label sprintf('128^{−%d}', w + 2) at 19,w + 0.5 font ',12'
}
set label '36 of 64 products are made; those of one colour are one sum of 32 bits, a product with s + t + 1 times the k.' at -0.9,9.4 font ',12'
set label 'White: left out, all 28 together below 2^{−53} for factors near 1.' at -0.9,10.6 font ',12'
set label 'A digit: 7 bits and a sign. d_0 to d_7: the 56 bits below the row''s power of two.' at -0.9,11.8 font ',12'
plot NaN
