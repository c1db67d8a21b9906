# 05: what each change of `tuned` gains: avx512 in turns with itself without the change, medians and quartiles of the pairs.
data = 'plots/reference/epyc-zen5/changes.csv'
set encoding utf8
set terminal svg size 510,340 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
shapes = '96 256 512 1000 2000 2048 2048x2048x64'
shape(s) = strstrt(word(shapes, s), 'x') ? word(shapes, s) : word(shapes, s).'x'.word(shapes, s).'x'.word(shapes, s)
changes = 'prefetches choice_of_copies longer_kc'
array names = ['data fetched ahead', 'copies only what pays', 'a longer kc']
array colours = ['#0072B2', '#D55E00', '#009E73']
is(c, s) = stringcolumn('against') eq 'libcourse_without_'.word(changes, c).'.so' && stringcolumn('variant') eq 'avx512' && \
  stringcolumn('m').'x'.stringcolumn('n').'x'.stringcolumn('k') eq shape(s)
set print $found
do for [c = 1:3] { do for [s = 1:words(shapes)] {
  middle = NaN; low = NaN; high = NaN
  stats data using (is(c, s) ? (middle = column('ratio'), low = column('ratio_low'), high = column('ratio_high'), 0) : 0) nooutput
  print sprintf('%d,%g,%g,%g,%g', c, s + 0.24 * (c - 2), middle, low, high)
} }
unset print
unset datafile
set datafile separator comma
set border 3; set tics nomirror; set xtics scale 0
set xtics ('' 0)
do for [s = 1:words(shapes)] { set xtics add (word(shapes, s) eq '2048x2048x64' ? "2048²\n× 64" : word(shapes, s) s) }
set xrange [0.5:words(shapes) + 0.5]; set yrange [0.97:1.22]
set ytics ('1' 1, '1.1' 1.1, '1.2' 1.2)
set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set arrow from graph 0,first 1 to graph 1,first 1 nohead front linecolor rgb '#555555'
set xlabel 'n, or m × n × k'
set ylabel 'with it / without it'
set key top left horizontal Left reverse samplen 1 font ',13'
set style fill solid 1
plot for [c = 1:3] $found using ($1 == c ? $2 : NaN):(0.5*($3+1)):(0.11):(0.5*abs($3-1)) with boxxyerror linecolor rgb colours[c] title names[c], \
     $found using 2:4:(0):($5-$4) with vectors nohead linewidth 1.6 linecolor rgb '#333333' notitle
