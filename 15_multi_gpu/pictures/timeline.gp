# 15: what each stream of two GPUs did in peer and in overlapped, by the program's own events (--timeline).
height = 340
load 'plots/pictures/grid.gp'
data = 'plots/reference/h200/timeline.csv'
set datafile separator ','
set lmargin at screen 0.25; set rmargin at screen 0.98; set tmargin at screen 0.99; set bmargin at screen 0.17
set border 1; set xtics 2 nomirror out offset 0,0.3; set xlabel 'ms since this GPU began' offset 0,0.6
set xrange [0:11]; set yrange [12.2:-0.4]
top(variant) = variant eq 'peer' ? 1 : 7
row(variant, gpu, stream) = top(variant) + 2.2*gpu + (stream eq 'products')
mine(variant) = variant eq 'peer' || variant eq 'overlapped'
colour(stream) = stream eq 'products' ? 0x56b4e9 : 0xe69f00
do for [v = 0:1] {
  set label (v ? 'overlapped' : 'peer') at 0,6.0*v + 0.3 font 'DejaVu Sans Bold,14'
  do for [g = 0:1] {
    set label sprintf('GPU %d copies', g) at -0.15,6.0*v + 1.5 + 2.2*g right font ',13'
    set label 'products' at -0.15,6.0*v + 2.5 + 2.2*g right font ',13'
  }
}
plot data every ::1 using (mine(strcol(1)) ? $6/1000 : NaN):(row(strcol(1), $3, strcol(4)) + 0.5):($6/1000):($7/1000): \
  (row(strcol(1), $3, strcol(4)) + 0.1):(row(strcol(1), $3, strcol(4)) + 0.9):(colour(strcol(4))) \
  with boxxyerror fillstyle solid 1 border rgb '#333333' linecolor rgb variable
