# GFLOP/s as bars in groups, a shade a kind, each with its value: count blocks of group, GFLOP/s, low, high, label.
load dir.'/style.gp'
set grid noxtics
set xtics scale 0
set xlabel xlabel
set ylabel 'GFLOP/s (higher is better)'
set style fill solid 1 border linecolor rgb '#333333'
set style histogram errorbars gap 1 linewidth 1
shades = '#e9f1f9 #b5d3ec #78b0da #3a7fb8 #f3dfb0 #e69f00 #cfe8dc #009e73'   # from light to dark
set offsets 0, 0, graph (log ? 0.3 : 0.16), 0
if (log) set yrange [least/3:*]
set errorbars 0.4
middle(i) = column(0) - 1 + (i - (count-1)/2.0) / (count + 1)
plot for [i = 0:count-1] data index i using 2:3:4:xtic(1) with histograms linecolor rgb word(shades, i % 8 + 1) dashtype 1 title columnheader(1), \
     for [i = 0:count-1] data index i using (middle(i)):4:5 with labels rotate by 90 left offset 0, 0.4 font (count > 4 ? ',12' : ',15') notitle
