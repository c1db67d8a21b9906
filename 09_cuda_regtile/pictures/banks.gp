# 09: the banks that the eight lanes of a quarter want by one load of 16 bytes of B.
width = 900; height = 300
load 'plots/pictures/grid.gp'
set terminal svg size width,height noenhanced font 'DejaVu Sans,13' background rgb 'white'
set encoding utf8
set xrange [-5:71]; set yrange [14.2:-3]
bold = 'DejaVu Sans Bold,13'
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.4'
do for [p = 0:1] {
  x0 = 38*p
  set label p == 0 ? 'columns side by side: 2 wavefronts a quarter' : 'in two runs of four: 1 wavefront a quarter' at x0,-2 font bold
  do for [b = 0:31:4] { set label sprintf('%d', b) at x0 + b,-0.6 font ',10' }
  do for [l = 0:7] {
    if (p == 0) { set label sprintf('lane %d', l) at x0 - 0.6,l + 0.5 right font ',10' }
    first = (p == 0 ? 8*l : 4*l) % 32
    do for [b = 0:31] { eval sprintf(box, x0 + b, l, x0 + b + 1, l + 1, b >= first && b < first + 4 ? (p == 0 && l > 3 ? now : walk) : '#f4f4f4') }
  }
  set label 'bank' at x0 - 0.6,-0.6 right font ',10'
}
eval sprintf(box, 0, 9.6, 1, 10.6, walk); set label 'first wavefront' at 1.8,10.1
eval sprintf(box, 14, 9.6, 15, 10.6, now); set label 'second: lane 4 wants other words of lane 0''s banks' at 15.8,10.1
set label 'Side by side, neighbouring lanes'' loads begin 8 numbers apart; in runs, 4.' at 0,12.4
plot NaN
