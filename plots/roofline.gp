# GFLOP/s against the FLOP done for each byte moved. count blocks hold a mark each: x, measured, predicted, disturbed; over them
# the roofs: slanted[i] GB/s up to the peak, and flat[i] GFLOP/s, with their texts. With `here` the last mark is the one to see.
entries = count + 1
tall = 330
load dir.'/style.gp'
set logscale x 2
set logscale y
set offsets 0, 0, 0, 0
set xrange [left:right]
set yrange [bottom:top]
set xlabel 'FLOP a byte across the level that limits'
set ylabel 'GFLOP/s (higher is better)' offset (top >= 1e4 ? 3 : 0), 0   # gnuplot thinks long labels wider than they are
set lmargin at screen 92.0/wide
set rmargin at screen 1-14.0/wide
set xtics 4
along = atan2(tall / log(top/bottom), (wide-106) / log(right/left)) * 180 / pi   # degrees: names run along their roofs
hue(i) = word('#B34700 #0072B2 #007A59 #7A5C00', (i-1) % 4 + 1)
steepest = slanted[1]
do for [i = 1:|slanted|] {
  steepest = slanted[i] > steepest ? slanted[i] : steepest
  set label slanted_text[i] at peak/slanted[i]*0.86, peak*0.86 right rotate by along offset 0, 0.5 font ',15' textcolor rgb hue(i)
}
do for [i = 1:|flat|] { set label flat_text[i] at right, flat[i] right offset -0.5, 0.6 font ',15' }
under_roof(x, gbs) = gbs * x > peak ? NaN : gbs * x
this(i) = exists('here') && i == count-1
size(i) = this(i) ? 2 : 1.2
set samples 1000
plot for [i = 1:|slanted|] under_roof(x, slanted[i]) with lines linewidth 1.6 dashtype 1 linecolor rgb hue(i) notitle, \
     for [i = 1:|flat|] (x * steepest < flat[i] ? NaN : flat[i]) with lines linewidth 1.4 dashtype 2 linecolor rgb '#555555' notitle, \
     for [i = 0:count-1] data index i using 1:2:(0):($3-$2) with vectors head size screen 0.009,90 fixed \
       linewidth 1.2 linetype i+1 dashtype 1 notitle, \
     for [i = 0:count-1] data index i using 1:2 with points linetype i+1 pointsize size(i) title columnheader(1), \
     for [i = 0:hollow*count-1] data index i using 1:($4 > 0 ? $2 : NaN) with points pointtype shape(i+1) pointsize 0.6*size(i) \
       linecolor rgb 'white' notitle, \
     data index 0 using (NaN):(NaN):(0):(0) with vectors head size screen 0.009,90 fixed linewidth 1 dashtype 1 \
       linecolor rgb '#555555' title 'from measured to predicted'
