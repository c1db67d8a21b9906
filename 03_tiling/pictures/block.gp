# 03: what a multiply-add asks of the first level, in ikj and in a block of four by four.
width = 560; height = 310
load 'plots/pictures/grid.gp'
set terminal svg size width,height noenhanced font 'DejaVu Sans,14' background rgb 'white'
set encoding utf8
set xrange [0:28]; set yrange [15.5:0]   # twenty pixels a unit
bold = 'DejaVu Sans Bold,14'
eval draw(0.5, 2.2, now); set label '·' at 2.5,2.7 center
eval draw(3.4, 2.2, walk); set label '+=' at 6.3,2.7 center
eval draw(7.8, 2.2, line)
set label 'ikj' at 0.5,0.9 font bold
set label 'A' at 1,4.0 center; set label 'B' at 3.9,4.0 center; set label 'C' at 8.3,4.0 center
set label '1 multiply-add' at 12,1.6
set label 'loads b and c, stores c: 12 bytes' at 12,2.9
set label '12 bytes for each' at 12,4.2 font bold
set arrow from 0.5,5.5 to 27.5,5.5 nohead linewidth 0.8 linecolor rgb '#999999'
set label 'four by four' at 0.5,6.8 font bold
y = 8
do for [r = 0:3] { do for [c = 0:3] { eval draw(0.5 + c, y + r, now) } }
set label '·' at 5.2,y + 2 center
do for [r = 0:3] { eval draw(5.9, y + r, walk) }
set label '+=' at 7.9,y + 2 center
do for [r = 0:3] { eval draw(8.9, y + r, line) }
set label 'A' at 2.5,y + 4.8 center; set label 'B' at 6.4,y + 4.8 center; set label 'C' at 9.4,y + 4.8 center
set label '16 multiply-adds' at 12,y + 0.4
set label 'load 4 b and 4 c, store 4 c: 48 bytes' at 12,y + 1.7
set label '3 bytes for each' at 12,y + 3 font bold
set label 'This for every column j of the tile in turn; the sixteen numbers of A stay.' at 0.5,y + 6.6
plot NaN
