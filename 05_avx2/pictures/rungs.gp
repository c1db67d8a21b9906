# 05: the share of the peak of its vectors that the tile reaches, alone, in blocks, and in blocks that are copied.
data = 'plots/reference/epyc-zen5/results.csv'; machine = 'plots/reference/epyc-zen5/machine.csv'
set encoding utf8
set terminal svg size 510,400 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
rungs = 'register_tile blocked packed tile_512 blocked_512 packed_512'
sizes = '2000 2048'
is(name, text) = stringcolumn(name) eq text
wide(row) = strstrt(row, '512') > 0
here(row, n) = is('type', 'f32') && is('threads', '1') && column('m') == n && column('n') == n && \
  column('k') == n && is('step', '05_avx2') && is('variant', row)
peak(vector) = is('name', 'peak') && is('vector', vector) && is('type', 'f32') && is('threads', '1')
short = NaN; long = NaN
stats machine using (peak('avx2') ? (short = column('value'), 0) : 0) nooutput
stats machine using (peak('avx512') ? (long = column('value'), 0) : 0) nooutput
set print $found
do for [o = 1:words(rungs)] { do for [s = 1:words(sizes)] {
  row = word(rungs, o); n = word(sizes, s) + 0; roof = wide(row) ? long : short
  rate = NaN; foretold = NaN   # a row taken again counts as its last
  stats data using (here(row, n) ? (rate = column('gflops'), foretold = 2e-9 * n**3 / column('predicted_s'), 0) : 0) nooutput
  print sprintf('%g,%g,%g,%g,%g', o, s, 100 * rate / roof, 100 * foretold / roof, rate)
} }
unset print
unset datafile
set datafile separator comma
set datafile missing 'NaN'
set lmargin 16; set rmargin 3; set tmargin 4.2; set bmargin 3.6
set border 1; set tics nomirror; set ytics scale 0
set xrange [0:104]; set xtics 0,20
set yrange [words(rungs) + 0.6:0.4]
set ytics ('' 0.4)
do for [o = 1:words(rungs)] {
  row = word(rungs, o)
  set ytics add (row o)
  set arrow from 0,o to 104,o nohead back linewidth 0.6 linecolor rgb '#dddddd'
  if (wide(row)) { set label '64 bytes' at 1,o+0.3 left textcolor rgb '#555555' font ',13' }
}
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel '% of the peak of its vectors (f32, one thread)'
set key at screen 0.02, screen 0.985 left top horizontal Left reverse samplen 1.2 width 1 maxcols 3
array colours = ['#0072B2', '#D55E00']
array marks = [7, 8]
plot $found using ($2 == 1 ? $4 : NaN):($1-0.34):(0):(0.68) with vectors nohead linewidth 4 dashtype 1 \
       linecolor rgb '#999999' title 'predicted, 2000', \
     for [s = 1:2] $found using ($2 == s ? $3 : NaN):1 with points pointtype marks[s] pointsize 1.1 linewidth 1.8 \
       linecolor rgb colours[s] title 'n = '.word(sizes, s)
