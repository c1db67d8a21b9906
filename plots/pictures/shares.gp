# 04: which elements of C four threads write, by the loop that is shared out.
width = 900; height = 340
load 'plots/pictures/grid.gp'
n = 8
array colour = ['#e69f00', '#56b4e9', '#009e73', '#cc79a7']
set xrange [-1:36]; set yrange [13.2:-1.8]
set label 1 'rows' at 4,-0.8 center font 'DejaVu Sans Bold,14'
set label 2 'tiles' at 13.2,-0.8 center font 'DejaVu Sans Bold,14'
set label 3 'columns in blocks' at 22.4,-0.8 center font 'DejaVu Sans Bold,14'
set label 4 'columns in turn' at 31.6,-0.8 center font 'DejaVu Sans Bold,14'
do for [r = 0:n-1] { do for [c = 0:n-1] {
  eval draw(c, r, colour[r / 2 + 1])
  eval draw(9.2 + c, r, colour[(r / 4) * 2 + c / 4 + 1])
  eval draw(18.4 + c, r, colour[c / 2 + 1])
  eval draw(27.6 + c, r, colour[c % 4 + 1])
} }
bracket = 'set arrow from %g,8.5 to %g,8.5 nohead linewidth 2.4 linecolor rgb "black" front'
do for [g = 0:3] { do for [l = 0:1] { eval sprintf(bracket, 9.2*g + 4*l + 0.15, 9.2*g + 4*l + 3.85) } }
set label 5 'C, a colour for each of four threads; a bracket is a cache line.' at 0,10.0
set label 6 'A line of several colours has several writers: each must fetch it from the last one before it may write.' at 0,11.2
set label 7 'In turn, that is every line, all the time; in blocks, only the lines at the borders.' at 0,12.4
plot NaN
