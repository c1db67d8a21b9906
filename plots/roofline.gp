# GFLOP/s against the FLOP done for each byte moved, under the machine's roofs. count blocks hold a mark each: x,
# measured, predicted. Then come the roofs, each a line of two points with a label at its end: slanted ones, as many as
# that variable says, then level ones.
entries = count + slanted + 1
load dir.'/style.gp'
set logscale x 2
set logscale y 2
set yrange [bottom:top]
set format y '%g'
set xlabel 'FLOP for each byte moved across the level that limits'
set ylabel 'GFLOP/s (higher is better)'
letters = sprintf(',%.1f', 11 * (longest > 33 ? 33.0 / longest : 1) * (entries > 22 ? 22.0 / entries : 1))
set key samplen 1.4 font letters
roof(i) = word('#D55E00 #0072B2 #009E73 #B8860B', (i-count) % 4 + 1)
plot for [i = count:count+slanted-1] data index i using 1:2 with lines linewidth 1.4 dashtype 1 \
       linecolor rgb roof(i) title columnheader(1), \
     for [i = count:count+slanted-1] data index i using 1:2:3 every ::1 with labels rotate by 40 left offset 0.2, 0.5 \
       font ',11' textcolor rgb roof(i) notitle, \
     for [i = count+slanted:count+beside-1] data index i using 1:2 with lines linewidth 1.2 dashtype 2 \
       linecolor rgb '#777777' notitle, \
     for [i = count+slanted:count+beside-1] data index i using 1:2:3 every ::1 with labels right offset 0, -0.6 \
       font ',11' notitle, \
     for [i = 0:count-1] data index i using 1:2:(0):($3-$2) with vectors head size screen 0.007,90 fixed \
       linewidth 1 linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with points linetype i+1 pointsize 1.1 title columnheader(1), \
     data index 0 using (NaN):(NaN):(0):(0) with vectors head size screen 0.007,90 fixed linewidth 1 dashtype 1 \
       linecolor rgb '#555555' title 'from measured to predicted'
