# GFLOP/s against the FLOP done for each byte moved. count blocks hold a mark each: x, measured, predicted, disturbed; over them
# the roofs: slanted[i] GB/s up to the peak, named above it, and flat[i] GFLOP/s, named on the right; names stand apart, those on the
# right in `room` pixels.
entries = count + 1
tall = 300
above = 105   # pixels for the slanted roofs' names
load dir.'/style.gp'
set rmargin at screen 1-1.0*room/wide
set logscale x 4; set logscale y
set xrange [left:right]; set yrange [bottom:top]
set format x '%.2g'
set xlabel 'FLOP for each byte across the level that limits'
hue(i) = word('#B34700 #0072B2 #007A59 #7A5C00', (i-1) % 4 + 1)
do for [i = 1:|slanted|] {
  set arrow from peak/slanted[i], peak to graph slanted_at[i], graph 1.02 nohead linewidth 0.8 linecolor rgb hue(i)
  set label slanted_text[i] at graph slanted_at[i], graph 1.03 left rotate by 60 font ',14' textcolor rgb hue(i)
}
do for [i = 1:|flat|] {
  set arrow from right, flat[i] to graph 1.02, graph flat_at[i] nohead linewidth 0.8 linecolor rgb grey
  set label flat_text[i] at graph 1.02, graph flat_at[i] left offset 0.2, 0 font ',13'
}
under_roof(x, gbs) = gbs * x > peak ? NaN : gbs * x
steepest = slanted[1]
do for [i = 1:|slanted|] { steepest = slanted[i] > steepest ? slanted[i] : steepest }
set samples 1000
foretold = 'with vectors head size screen 0.012,30 filled linewidth 1.2'
plot for [i = 1:|slanted|] under_roof(x, slanted[i]) with lines linewidth 1.6 dashtype 1 linecolor rgb hue(i) notitle, \
     for [i = 1:|flat|] (x * steepest < flat[i] ? NaN : flat[i]) with lines linewidth 1.4 dashtype 2 linecolor rgb grey notitle, \
     for [i = 0:count-1] data index i using 1:2:(0):($3-$2) @foretold linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with points linetype i+1 pointsize 1.2 title columnheader(1), \
     for [i = 0:hollow*count-1] data index i using 1:($4 > 0 ? $2 : NaN) with points pointtype shape(i+1) pointsize 0.7 linecolor rgb 'white' notitle, \
     data index 0 using (NaN):(NaN):(0):(0) @foretold dashtype 1 linecolor rgb grey title 'from measured to predicted'
