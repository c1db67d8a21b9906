# GFLOP/s against the operations for each byte moved. count blocks hold a mark each: x, measured, predicted, what is told of it; over them
# the roofs: slanted[i] GB/s up to the peak, named in the key, and flat[i] GFLOP/s. Marks and flat roofs are named on the right, apart.
entries = |slanted|
load dir.'/style.gp'
set label 2 title at screen 12.0/wide, screen 1-17.0/high left
set lmargin at screen 76.0/wide; set rmargin at screen 1-(22+8.2*room)/wide
set logscale x 4; set logscale y
set xrange [left:right]; set yrange [bottom:top]
set format x '%.2g'
set xlabel 'operations for each byte moved'
do for [i = 1:|names|] {
  set arrow from last_x[i], last_y[i] to graph 1.03, graph places[i] nohead linewidth 0.7 dashtype 3 linecolor rgb hues[i]
  set label names[i] at graph 1.03, graph places[i] left offset 0.4, 0 font ',14' textcolor rgb hues[i]
}
under_roof(x, gbs) = gbs * x > peak ? NaN : gbs * x
set samples 200
plot for [i = 1:|slanted|] under_roof(x, slanted[i]) with lines linewidth 1.4 dashtype i linecolor rgb 'black' title roofs[i], \
     for [i = 1:|flat|] (x * steepest < flat[i] ? NaN : flat[i]) with lines linewidth 1.4 dashtype 2 linecolor rgb grey notitle, \
     for [i = 1:count] data index i-1 using 1:2:(0):($3-$2) with vectors nohead linecolor rgb hues[i] notitle, \
     for [i = 1:count] data index i-1 using 1:3 with points pointtype 2 pointsize 0.7 linewidth 1.6 linecolor rgb hues[i] notitle, \
     for [i = 1:count] data index i-1 using 1:2:4 with labels hypertext point pointtype shapes[i] pointsize 0.9 linecolor rgb hues[i] notitle
