# 09: what a thread loads for one q, and how many multiply-adds that is good for.
height = 210
load 'plots/pictures/grid.gp'
set xrange [1.2:41]; set yrange [14.5:-1.9]
array at = [4, 17, 31]; array high = [1, 8, 8]; array wide = [1, 1, 8]
array title = ['one element', 'a column of 8', 'a square of 8 × 8']
array loads = [2, 9, 16]
do for [p = 1:3] {
  x0 = at[p]; h = high[p]; w = wide[p]
  set label title[p] at x0 + 3,-1.2 center font 'DejaVu Sans Bold,14'
  do for [r = 0:h-1] { eval draw(x0 - 2, 3 + r, walk) }
  do for [c = 0:w-1] { eval draw(x0 + c, 1, walk) }
  do for [r = 0:h-1] { do for [c = 0:w-1] { eval draw(x0 + c, 3 + r, now) } }
  set label 'A' at x0 - 1.5,2.3 center
  set label 'B' at x0 - 0.7,1.6 center
  set label sprintf('%d loads,', loads[p]) at x0 + 3,12.3 center
  set label sprintf('%d multiply-add%s', h*w, h*w == 1 ? '' : 's') at x0 + 3,13.6 center
}
plot NaN
