# GFLOP/s against the FLOP done for each byte moved, under the machine's roofs. count blocks hold a mark each: x,
# measured, predicted, disturbed. Then come the roofs: slanted ones, as many as that variable says, then level ones.
entries = count + 1
load dir.'/style.gp'
set logscale x 2
set xlabel 'FLOP for each byte across the level that limits'
set ylabel 'GFLOP/s (higher is better)'
plot @roofs, \
     for [i = 0:count-1] data index i using 1:2:(0):($3-$2) with vectors head size screen 0.009,90 fixed \
       linewidth 1.2 linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with points linetype i+1 pointsize 1.2 title columnheader(1), \
     for [i = 0:hollow*count-1] data index i using 1:($4 > 0 ? $2 : NaN) with points pointtype shape(i+1) pointsize 0.7 \
       linecolor rgb 'white' notitle, \
     data index 0 using (NaN):(NaN):(0):(0) with vectors head size screen 0.009,90 fixed linewidth 1 dashtype 1 \
       linecolor rgb '#555555' title 'from measured to predicted'
