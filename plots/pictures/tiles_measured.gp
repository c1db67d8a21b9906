# 03: what each tile reached, from the rows of the machine of the text, and where the tile of B fills a cache.
data = 'plots/reference/epyc-zen3/results.csv'
set encoding utf8
set terminal svg size 560,480 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
sizes = '2000 2048'; tiles = '8 16 32 64 128 256 512'; variants = 'four_by_four tiled'
here(step, variant, n, tile) = stringcolumn('type') eq 'f32' && stringcolumn('step') eq step && \
  stringcolumn('variant') eq variant && column('m') == n && column('n') == n && column('k') == n && stringcolumn('tile') eq tile
array plainly = [NaN, NaN]
set print $found
do for [v = 1:2] { do for [s = 1:2] {
  n = word(sizes, s) + 0
  do for [t = 1:words(tiles)] {
    rate = NaN   # a row taken again counts as its last
    stats data using (here('03_tiling-native', word(variants, v), n, word(tiles, t)) ? (rate = column('gflops'), 0) : 0) nooutput
    print sprintf('%s,%g', word(tiles, t), rate)
  }
  print ''; print ''
} }
unset print
do for [s = 1:2] {
  rate = NaN
  stats data using (here('02_loop_order-native', 'ikj', word(sizes, s) + 0, '') ? (rate = column('gflops'), 0) : 0) nooutput
  plainly[s] = rate
}
unset datafile
set datafile separator comma
set datafile missing 'NaN'
set lmargin 7; set rmargin 3; set tmargin 4.6; set bmargin 3.6
set samples 2; set border 3; set tics nomirror
set logscale x 2; set xrange [7:580]; set yrange [0:*]
set xtics (8, 16, 32, 64, 128, 256, 512)
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'T, tiles of T × T numbers'
set ylabel 'GFLOP/s in f32, one thread' offset 1
array side = [90.5, 362]; array fills = ['fills L1', 'fills L2']
do for [i = 1:2] {
  set arrow from side[i],graph 0 to side[i],graph 1 nohead dashtype 3 linewidth 1.4 linecolor rgb '#555555'
  set label fills[i] at side[i],graph 1.035 center textcolor rgb '#444444'
}
set label 'the tile of B' at 7,graph 1.035 left textcolor rgb '#444444'
set key at screen 0.98,screen 0.99 right top vertical Left reverse samplen 2.2 width -4 maxrows 2 font ',12'
array marks = [7, 6, 9, 8]; array colours = ['#D55E00', '#D55E00', '#0072B2', '#0072B2']
array names = ['four_by_four, 2000', 'four_by_four, 2048', 'tiled, 2000', 'tiled, 2048']
plot for [i = 0:3] $found index i using 1:2 with linespoints linewidth 1.8 dashtype i%2+1 pointtype marks[i+1] pointsize 0.9 \
       linecolor rgb colours[i+1] title names[i+1], \
     for [s = 1:2] '+' using 1:(plainly[s]) with lines \
       linewidth 1.6 dashtype s linecolor rgb '#777777' title 'ikj, '.word(sizes, s)
