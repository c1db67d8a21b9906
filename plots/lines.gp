# Lines against n, the tile, threads or ranks, each with its name at its end, at the heights `places` of the plot, which stand
# apart; what they are compared with is grey. dotted: of which lines, counted from 1, a fitted curve follows; marks: upright strokes.
entries = 0
load dir.'/style.gp'
set rmargin at screen 1-(22+7.9*longest)/wide
if (unit eq '%g' && top >= 1e5) set lmargin at screen 66.0/wide
set logscale x 2
if (logy) set logscale y logy
set xrange [left:right]; set yrange [bottom:top]
set offsets graph 0.03, graph 0.03, 0, 0
set xlabel xlabel
set format y unit
hue(i) = i > count ? grey : colour(i)
do for [i = 1:|names|] {
  set arrow from last_x[i], last_y[i] to graph 1.04, graph places[i] nohead linewidth 0.7 dashtype 3 linecolor rgb hue(i)
  set label names[i] at graph 1.04, graph places[i] left offset 0.4, 0 font ',14' textcolor rgb hue(i)
}
if (exists('marks')) {
  do for [i = 1:|marks|] { set arrow from marks[i], graph 0 to marks[i], graph 1 nohead dashtype 3 linewidth 1.2 linecolor rgb grey }
}
fits = words(dotted)
others = beside == fits ? '' : 'for [i = count:count+beside-fits-1] data index i using 1:2 with lines dashtype 2 linewidth 1.4 linecolor rgb grey notitle,'
curved = fits == 0 ? '' : 'for [i = 1:fits] data index count+beside-fits+i-1 using 1:2 with lines linetype int(word(dotted, i)) dashtype 3 linewidth 1.1 notitle,'
plot @others @curved @spread, for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 notitle, @emptied
