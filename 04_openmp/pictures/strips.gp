# 04: 64 strips of 1, 2, ... 64 shares on two threads, to scale.
height = 273
load 'plots/pictures/grid.gp'; walk = '#a6d8f5'
set xrange [-250:1640]; set yrange [14.4:-0.6]
bar = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.5'
array colour = [now, walk]
set label 'schedule(static)' at -240,0.4 font 'DejaVu Sans Bold,14'
set label 'schedule(dynamic, 1)' at -240,6.4 font 'DejaVu Sans Bold,14'
do for [t = 0:1] {
  set label sprintf('thread %d', t) at -240,2.1 + 1.8*t; set label sprintf('thread %d', t) at -240,8.1 + 1.8*t
}
array end[2]; end[1] = 0; end[2] = 0
do for [s = 1:64] {
  t = s <= 32 ? 1 : 2
  eval sprintf(bar, end[t], 1.4 + 1.8*(t-1), end[t] + s, 2.8 + 1.8*(t-1), colour[t]); end[t] = end[t] + s
}
set label 'waits' at 1040,2.1 center
set arrow from 1120,2.1 to 1545,2.1 nohead linewidth 1.2 dashtype 2; set arrow from 540,2.1 to 960,2.1 nohead linewidth 1.2 dashtype 2
end[1] = 0; end[2] = 0
do for [s = 1:64] {
  t = end[1] <= end[2] ? 1 : 2
  eval sprintf(bar, end[t], 7.4 + 1.8*(t-1), end[t] + s, 8.8 + 1.8*(t-1), colour[t]); end[t] = end[t] + s
}
set arrow from 0,12 to 1600,12 size 20,20 filled linewidth 1.4
do for [x = 0:1500:500] { set arrow from x,11.8 to x,12.2 nohead linewidth 1.4; set label sprintf('%d', x) at x,12.9 center font ',13' }
set label 'shares of the work, one after the other' at 800,13.9 center font ',13'
plot NaN
