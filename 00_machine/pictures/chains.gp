# 00: multiply-adds in time, each waiting for the one before it, and of eight chains that do not wait for one another.
height = 600
load 'plots/pictures/grid.gp'
set xrange [-4.6:14.2]; set yrange [27.2:-1.4]
bar = 'set object rectangle from %g,%g to %g,%g front fillcolor rgb "%s" linewidth 1'
shade(r) = r == 0 ? now : r == 1 ? line : walk
heading = "set label '%s' at -4.4,%g font 'DejaVu Sans Bold,14'"
grid = 'set arrow from %g,%g to %g,%g nohead back linewidth 0.7 linecolor rgb "#bbbbbb"'
eval sprintf(heading, 'One chain: each waits for the one before', -0.5)
eval sprintf(heading, 'Eight chains: none waits for another', 7.3)
do for [t = 0:12] { eval sprintf(grid, t, 0.4, t, 5.4); eval sprintf(grid, t, 8.1, t, 22.7) }
do for [t = 0:12:2] { set label sprintf('%d', t) at t,6.1 center; set label sprintf('%d', t) at t,23.4 center }
set label 'cycle' at 14.1,6.1 right; set label 'cycle' at 14.1,23.4 right

set label 'chain 1' at -0.4,1.3 right
do for [r = 0:2] {
  eval sprintf(bar, 4 * r, 0.7, 4 * r + 4, 1.9, shade(r))
  set label sprintf('multiply-add %d', r + 1) at 4 * r + 2,1.3 center front font ',13'
}
do for [c = 0:7] {
  set label sprintf('chain %d', c + 1) at -0.4,8.9 + 1.3 * c right
  do for [r = 0:2] {
    from = 4 * r + c / 2; to = from + 4 > 12.6 ? 12.6 : from + 4
    eval sprintf(bar, from, 8.4 + 1.3 * c, to, 9.4 + 1.3 * c, shade(r))
    set label sprintf('%d', r + 1) at (from + to) / 2.0,8.9 + 1.3 * c center front
  }
}
# What each unit starts in each cycle: which chain, of which round.
do for [panel = 0:1] { do for [u = 0:1] {
  y = (panel == 0 ? 2.9 : 19.9) + 1.4 * u
  set label sprintf('unit %s starts', u == 0 ? 'A' : 'B') at -0.4,y + 0.5 right
  do for [t = 0:11] {
    busy = panel == 1 || (u == 0 && t % 4 == 0)
    eval sprintf(bar, t, y, t + 1, y + 1, busy ? shade(t / 4) : plain)
    if (busy) { set label sprintf('%d', panel == 0 ? 1 : 2 * (t % 4) + u + 1) at t + 0.5,y + 0.5 center front }
  }
} }
set label 'A multiply-add takes 4 cycles. Bars are numbered along their chain,' at -4.4,24.8
set label 'boxes by the chain that starts. In 4 cycles, one ends above,' at -4.4,25.7
set label 'eight end below.' at -4.4,26.6
plot NaN
