# 14: the products of eight digits by eight, by their weight s + t: those up to 7 are made, one sum for each diagonal.
height = 343
load 'plots/pictures/grid.gp'
set xrange [-1.4:21.8]; set yrange [12.8:-2.8]   # twenty-two pixels a unit
bold = 'DejaVu Sans Bold,14'
shade = "#e69f00 #f2c14e #fae3ac #cfe6f5 #9fd0ee #56b4e9 #a6d8c8 #5fb89a"
low = '₀ ₁ ₂ ₃ ₄ ₅ ₆ ₇'; high = '⁻² ⁻³ ⁻⁴ ⁻⁵ ⁻⁶ ⁻⁷ ⁻⁸ ⁻⁹'
set label 'b''s digits across, a''s down' at -1.2,-2.2 font bold
do for [s = 0:7] {
  set label 'd'.word(low, s + 1) at -0.6,s + 0.5 center
  set label 'e'.word(low, s + 1) at s + 0.5,-0.6 center
  do for [t = 0:7] {
    made = s + t < 8
    eval draw(t, s, made ? word(shade, s + t + 1) : '#ffffff')
    set label (made ? sprintf('%d', s + t) : '·') at t + 0.5,s + 0.52 center font ',13' front
  }
}
set label 's + t' at 9.9,-0.6 center font bold
set label 'one product of planes:' at 11,-1.5 font bold
set label 'this long a k' at 11,-0.6 font bold
set label 'weight' at 18.6,-0.6 font bold
do for [w = 0:7] {
  eval draw(9.4, w, word(shade, w + 1))
  set label sprintf('%d', w) at 9.9,w + 0.52 center font ',13' front
  do for [q = 0:w] { set object rectangle from 11 + 0.9*q,w + 0.2 to 11.84 + 0.9*q,w + 0.8 fillcolor rgb word(shade, w + 1) linewidth 0.6 }
  set label '128'.word(high, w + 1) at 18.8,w + 0.5
}
set label '36 of 64 products are made; those of one colour are one sum of' at -1.2,9.3
set label '32 bits, a product with s + t + 1 times the k. White: left out, all' at -1.2,10.2
set label '28 together below 2⁻⁵³ for factors near 1. A digit: 7 bits and a' at -1.2,11.1
set label 'sign. d₀ to d₇: the 56 bits below the row''s power of two.' at -1.2,12
plot NaN
