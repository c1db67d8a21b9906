# GFLOP/s against the FLOP done for each byte moved, under the machine's roofs. count blocks hold a point each: x,
# measured, predicted, where its number stands, and that. Then come the roofs: slanted ones, as many as that variable
# says, and level ones; each is a line: x, y, where its label stands, and that. looks, roof_looks and limit_looks give
# points, slanted roofs and entries of the key the shape and colour of their limit.
entries = count + 4 + |limit_text|
load dir.'/style.gp'
set logscale x 2
set logscale y 2
set yrange [bottom:top]
set format y '%g'
set xlabel 'FLOP for each byte moved across the level that limits'
set ylabel 'GFLOP/s (higher is better)'
set lmargin at screen 0.105
set tmargin at screen 0.91
set bmargin at screen 0.15
set key samplen 1
# The angle of a line whose y grows as x: the picture is 900 wide and 560 high.
angle = atan2(0.76*560 / log(top/bottom), 0.54*900 / log(right/left)) * 180 / pi

#          arithmetic  chain     L1        L2        L3        memory
colours = '#000000     #CC79A7   #D55E00   #0072B2   #009E73   #B8860B'
filled = '7 15 9 5 13 11'
hollow = '6 14 8 4 12 10'
colour(words, i) = word(colours, int(word(words, i)))
shape(marks, words, i) = int(word(marks, int(word(words, i))))
plot for [i = count:count+slanted-1] data index i using 1:2 with lines linewidth 1.4 dashtype 1 \
       linecolor rgb colour(roof_looks, i-count+1) notitle, \
     for [i = count:count+slanted-1] data index i using 3:4:5 with labels rotate by angle right \
       font ',11' textcolor rgb colour(roof_looks, i-count+1) notitle, \
     for [i = count+slanted:count+beside-1] data index i using 1:2 with lines linewidth 1.2 dashtype 2 \
       linecolor rgb '#777777' notitle, \
     for [i = count+slanted:count+beside-1] data index i using 3:4:5 with labels right offset 0, 0.6 \
       font ',11' notitle, \
     for [i = 0:count-1] data index i using 1:2:(0):($3-$2) with vectors nohead linewidth 1 dashtype 1 \
       linecolor rgb colour(looks, i+1) notitle, \
     for [i = 0:count-1] data index i using 1:3 with points pointtype shape(hollow, looks, i+1) pointsize 1 \
       linewidth 1.2 linecolor rgb colour(looks, i+1) notitle, \
     for [i = 0:count-1] data index i using 1:2 with points pointtype shape(filled, looks, i+1) pointsize 1 \
       linecolor rgb colour(looks, i+1) title columnheader(1), \
     for [i = 0:count-1] data index i using 4:5:6 with labels center font ',11' notitle, \
     NaN with lines linecolor rgb '#ffffff' title ' ', \
     NaN with points pointtype 7 linecolor rgb '#777777' title 'filled: measured', \
     NaN with points pointtype 6 linecolor rgb '#777777' title 'hollow: predicted', \
     NaN with lines linecolor rgb '#ffffff' title ' ', \
     for [i = 1:|limit_text|] NaN with points pointtype shape(filled, limit_looks, i) pointsize 1 \
       linecolor rgb colour(limit_looks, i) title limit_text[i]
