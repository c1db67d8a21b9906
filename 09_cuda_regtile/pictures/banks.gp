# 09: the banks that the eight lanes of a quarter want by one load of 16 bytes of B.
height = 350
load 'plots/pictures/grid.gp'
set xrange [-4.6:32.9]; set yrange [25:0]   # about fourteen pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.4'
do for [p = 0:1] {
  top = 2.8 + 10.8*p
  set label p == 0 ? 'columns side by side: 2 wavefronts a quarter' : 'in two runs of four: 1 wavefront a quarter' at -4.3,top - 1.9 font 'DejaVu Sans Bold,14'
  set label 'bank' at -0.4,top - 0.5 right font ',13'
  do for [b = 0:31:4] { set label sprintf('%d', b) at b,top - 0.5 font ',13' }
  do for [l = 0:7] {
    set label sprintf('lane %d', l) at -0.4,top + l + 0.5 right font ',13'
    first = (p == 0 ? 8*l : 4*l) % 32
    do for [b = 0:31] { eval sprintf(box, b, top + l, b + 1, top + l + 1, b >= first && b < first + 4 ? (p == 0 && l > 3 ? now : walk) : '#f4f4f4') }
  }
}
set label 'Blue: first wavefront; orange: second, for lane 4 wants other words' at -4.3,22.8
set label 'of lane 0''s banks. Lanes side by side load 8 numbers apart; in runs 4.' at -4.3,24.2
plot NaN
