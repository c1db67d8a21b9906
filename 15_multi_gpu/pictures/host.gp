# 15: what three streams of each GPU did in from_host, n = 16384, by the program's own events (--timeline).
height = 320
load 'plots/pictures/grid.gp'
data = 'plots/reference/h200/host_timeline.csv'
set datafile separator ','
set lmargin at screen 0.25; set rmargin at screen 0.98; set tmargin at screen 0.99; set bmargin at screen 0.25
set border 1; set xtics 20 nomirror out offset 0,0.3; set xlabel 'ms since this GPU began' offset 0,0.6
set xrange [0:90]; set yrange [7.6:-0.2]
row(gpu, stream) = 3.8*gpu + (stream eq 'products' ? 1 : stream eq 'back' ? 2 : 0)
colour(stream, what) = stream eq 'products' ? 0x56b4e9 : stream eq 'back' ? 0x009e73 : what eq 'panel of B' ? 0xe69f00 : what eq 'panel of A' ? 0xf5d491 : 0x009e73
array streams = ['copies', 'products', 'back']
do for [g = 0:1] { do for [s = 0:2] {
  set label (s ? '' : sprintf('GPU %d ', g)).streams[s + 1] at -1.2,3.8*g + s + 0.5 right font ',13'
} }
set label 'orange: B, pale: A, green: C' at screen 0.02,0.05
plot data every ::1 using ($6/1000):(row($3, strcol(4)) + 0.5):($6/1000):($7/1000):(row($3, strcol(4)) + 0.1):(row($3, strcol(4)) + 0.9): \
  (colour(strcol(4), strcol(5))) with boxxyerror fillstyle solid 1 noborder linecolor rgb variable
