# emulator: the fibers of one block, and whose turn it is: from barrier to barrier.
width = 900; height = 430; w = 2.4; round = 11.6
load 'plots/pictures/grid.gp'
set xrange [-3.6:36]; set yrange [17.4:-1.6]
array colour = ['#e69f00', '#56b4e9', '#009e73', '#cc79a7']
wait = 'set arrow from %g,%g to %g,%g nohead dashtype 3 linewidth 1.6 linecolor rgb "#888888"'
do for [t = 0:3] {
  y = 1.6 + 2.2 * t
  set label 'thread '.t at -0.6,y+0.7 right
  do for [r = 0:2] {
    x = 0.2 + round * r + w * t
    set object rectangle from x,y to x + w,y + 1.4 fillcolor rgb colour[t + 1] linewidth 0.8
    if (t > 0) { eval sprintf(wait, 0.2 + round * r, y + 0.7, x, y + 0.7) }
    eval sprintf(wait, x + w, y + 0.7, 0.2 + round * r + 4 * w + 0.9, y + 0.7)
    if (t < 3) { set arrow from x + w,y + 1.4 to x + w,y + 2.2 front size 0.5,20 filled linewidth 1.4 linecolor rgb 'black' }
  }
}
do for [r = 0:2] { set label sprintf('round %d', r + 1) at 0.2 + round*r + 2*w,0.3 center font 'DejaVu Sans Bold,13' }
do for [r = 1:2] {
  x = r*round - 0.55
  set arrow from x,1.0 to x,10.4 nohead front linewidth 3 linecolor rgb "black"
  set label 'all four wait at' at x,11.2 center
  set label 'the '.word('first second', r).' barrier' at x,12.2 center
}
set label 'all four have ended' at 3*round - 2.6,11.2 center
set label 'A coloured piece is a turn: one fiber runs, nothing interrupts it; the dotted ones wait on their own stacks.' at -3.4,14.4
set label 'An arrow hands the turn on: here "forward", 0 1 2 3; "reversed" goes up, 3 2 1 0; a seed shuffles every round anew.' at -3.4,15.6
set label 'One host core runs one block; other cores run other blocks meanwhile.' at -3.4,16.8
plot NaN
