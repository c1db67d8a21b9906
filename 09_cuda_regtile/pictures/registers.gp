# 09: what a thread loads for one q, and how many multiply-adds that is good for.
width = 900; height = 330
load 'plots/pictures/grid.gp'
set xrange [-1:44]; set yrange [14.6:-1.9]
panel = 'x0 = %d; h = %d; w = %d; title = "%s"; below = "%s"'
do for [p = 0:2] {
  eval p == 0 ? sprintf(panel, 4, 1, 1, 'one element', '2 loads, 1 multiply-add') : \
       p == 1 ? sprintf(panel, 18, 8, 1, 'a column of 8', '9 loads, 8 multiply-adds') : \
                sprintf(panel, 32, 8, 8, 'a square of 8 × 8', '16 loads, 64 multiply-adds')
  set label title at x0 + 4,-1.2 center font 'DejaVu Sans Bold,13'
  do for [r = 0:h-1] { eval draw(x0 - 2, 3 + r, walk) }
  do for [c = 0:w-1] { eval draw(x0 + c, 1, walk) }
  do for [r = 0:h-1] { do for [c = 0:w-1] { eval draw(x0 + c, 3 + r, now) } }
  set label 'A' at x0 - 1.5,2.3 center
  set label 'B' at x0 - 0.7,1.6 center
  set label below at x0 + 3,13 center
}
plot NaN
