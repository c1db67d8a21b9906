# GFLOP/s against the FLOP done for each byte moved, under the machine's roofs. count blocks hold a point each: x,
# measured, predicted. Then come the roofs, each a line: slanted ones, as many as that variable says, and level ones.
# looks and roof_looks give points and slanted roofs the colour of their limit; a point's shape is its own.
load dir.'/style.gp'
set logscale x 2
set logscale y 2
set yrange [bottom:top]
set format y '%g'
set xlabel 'FLOP for each byte moved across the level that limits'
set ylabel 'GFLOP/s (higher is better)'
set key samplen 2

#          arithmetic  chain     L1        L2        L3        memory
colours = '#000000     #CC79A7   #D55E00   #0072B2   #009E73   #B8860B'
colour(words, i) = word(colours, int(word(words, i)))
shape(i) = int(word(points, i % 12 + 1))
plot for [i = 0:count-1] data index i using 1:2:(0):($3-$2) with vectors head size screen 0.006,90 fixed linewidth 1 \
       dashtype 1 linecolor rgb colour(looks, i+1) notitle, \
     for [i = 0:count-1] data index i using 1:2 with points pointtype shape(i) pointsize 1.1 linewidth 1.4 \
       linecolor rgb colour(looks, i+1) title columnheader(1), \
     NaN with lines linecolor rgb '#ffffff' title ' ', \
     for [i = count:count+slanted-1] data index i using 1:2 with lines linewidth 1.8 dashtype 1 \
       linecolor rgb colour(roof_looks, i-count+1) title columnheader(1), \
     for [i = count+slanted:count+beside-1] data index i using 1:2 with lines linewidth 1.2 dashtype i%4+2 \
       linecolor rgb '#777777' title columnheader(1)
