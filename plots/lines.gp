# Lines against what stands evenly in panels, each with its name at its end, at the heights `places` of the plot, which stand apart.
# count blocks of lines hold x, y, the ends of y's spread, what is told of it, and 1 if it was disturbed; one more block the numbers of
# the x axis. Panels reach from starts[i] to stops[i]; bound: a dashed stroke across.
entries = 0; under = 48
load dir.'/style.gp'
set label 1 title at screen 12.0/wide, screen 1-17.0/high left
set lmargin at screen 76.0/wide; set rmargin at screen 1-(22+8.2*longest)/wide
if (logy) set logscale y logy
set xrange [0:stops[|stops|]]; set yrange [bottom:top]
set format y unit
set border 2
set xlabel xlabel offset 0, 0.8
set tics scale 0; set xtics offset 0, 0.5
set grid noxtics
do for [i = 1:|starts|] {
  if (i > 1) {
    set object i rectangle from stops[i-1], graph -0.02 to starts[i], graph 1.02 back fillcolor rgb 'white' fillstyle solid noborder
    set arrow from starts[i], graph 0 to starts[i], graph 1 nohead
    set label heading at (starts[i]+stops[i])/2, graph 1 center offset 0, 0.6 font ',13' textcolor rgb grey
  }
  set arrow from starts[i], graph 0 to stops[i], graph 0 nohead
}
do for [i = 1:|names|] {
  if (names[i] ne " ") { set arrow from last_x[i], last_y[i] to graph 1.03, graph places[i] nohead linewidth 0.7 dashtype 3 linecolor rgb hues[i] }
  set label names[i] at graph 1.03, graph places[i] left offset 0.4, 0.55*(lines_in(names[i])-1) font ',14' textcolor rgb hues[i]
}
if (bound > 0) set arrow from graph 0, first bound to graph 1, first bound nohead dashtype 2 linewidth 1.4 linecolor rgb grey
told = 'with labels hypertext point linewidth 1.5'
plot for [i = 1:count] data index i-1 using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 fixed linecolor rgb hues[i] notitle, \
     for [i = 1:count] data index i-1 using 1:2 with lines linewidth 1.8 dashtype strokes[i] linecolor rgb hues[i] notitle, \
     for [i = 1:count] data index i-1 using 1:($6 == 1 ? NaN : $2):5 @told pointtype shapes[i] pointsize 0.8 linecolor rgb hues[i] notitle, \
     for [i = 1:count] data index i-1 using 1:($6 == 1 ? $2 : NaN):5 @told pointtype shapes[i]-1 pointsize 0.8 linecolor rgb hues[i] notitle, \
     data index count using 1:(bottom):xtic(2) with points pointsize 0.01 notitle
