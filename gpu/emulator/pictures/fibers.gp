# emulator: the fibers of one block, and whose turn it is: from barrier to barrier.
height = 316; w = 2.4; round = 11.6
load 'plots/pictures/grid.gp'
set xrange [-5.6:35.6]; set yrange [20.6:-0.9]
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
do for [r = 0:2] { set label sprintf('round %d', r + 1) at 0.2 + round*r + 2*w,0.3 center font 'DejaVu Sans Bold,14' }
do for [r = 1:2] {
  x = r*round - 0.55
  set arrow from x,1.0 to x,10.4 nohead front linewidth 3 linecolor rgb "black"
  set label 'all four wait at' at x,11.2 center
  set label 'the '.word('first second', r).' barrier' at x,12.2 center
}
set label 'all four' at 35.4,11.2 right; set label 'have ended' at 35.4,12.2 right
set label 'A coloured piece is a turn: one fiber runs, nothing interrupts it;' at -5.2,14.4
set label 'the dotted ones wait on their own stacks. An arrow hands the turn' at -5.2,15.7
set label 'on: here "forward", 0 1 2 3; "reversed" goes up, 3 2 1 0; a seed' at -5.2,17
set label 'shuffles every round anew. One host core runs one block; other' at -5.2,18.3
set label 'cores run other blocks meanwhile.' at -5.2,19.6
plot NaN
