# 12: when the groups of a block of ordered and of ping_pong multiplied and added, n = 4096, by their SM's clock (timeline.cu).
height = 318
load 'plots/pictures/grid.gp'
data = 'plots/reference/h200/groups.csv'
set datafile separator ','
set lmargin at screen 0.17; set rmargin at screen 0.98; set tmargin at screen 0.99; set bmargin at screen 0.24
set border 1; set xtics 50 nomirror out offset 0,0.3; set xlabel 'thousand cycles since the block''s first copy' offset 0,0.6
set xrange [0:330]; set yrange [9.6:-0.3]
top(variant) = variant eq 'ordered' ? 1 : 6
row(group) = group eq 'producer' ? 0 : 1.2 + 1.2*group
y(variant, group) = top(variant) + row(group)
do for [v = 0:1] {
  set label (v ? 'ping_pong: a tile of 128 × 128 each, in turns' : 'ordered: both groups make one tile of 128 × 256') at 0,5.0*v + 0.3 font 'DejaVu Sans Bold,14'
  set label 'producer' at -4,5.0*v + 1.5 right font ',13'
  do for [g = 0:1] { set label sprintf('group %d', g) at -4,5.0*v + 2.7 + 1.2*g right font ',13' }
}
set label 'Pale: copies begun; blue: a tile''s products; orange: its sums are added.' at screen 0.02,0.035
style = 'fillstyle solid 1 border rgb "#333333" linewidth 0.6'
of(block, group, copies) = block == 0 && (group eq 'producer') == copies ? 1 : NaN
plot data every ::1 using (of($2, strcol(3), 1)*$5/1000):(0):($5/1000):($7/1000):(y(strcol(1), strcol(3))):(y(strcol(1), strcol(3)) + 1) with boxxyerror @style linecolor rgb line, \
  '' every ::1 using (of($2, strcol(3), 0)*$5/1000):(0):($5/1000):($7/1000):(y(strcol(1), strcol(3))):(y(strcol(1), strcol(3)) + 1) with boxxyerror @style linecolor rgb walk, \
  '' every ::1 using (of($2, strcol(3), 0)*$7/1000):(0):($7/1000):($8/1000):(y(strcol(1), strcol(3))):(y(strcol(1), strcol(3)) + 1) with boxxyerror @style linecolor rgb now
