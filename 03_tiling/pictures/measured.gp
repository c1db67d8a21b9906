# 03: what each tile reached, from the rows of the machine of the text, and where the tile of B fills a cache; the bound of L1 on
# tiled, and what the chain through memory alone allows: 2 T operations in the time of one row of eight numbers.
machine = 'plots/reference/epyc-zen5/machine.csv'; orders = 'plots/reference/epyc-zen5/orders.csv'
data = 'plots/reference/epyc-zen5/results.csv'
set encoding utf8
set terminal svg size 510,480 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
sizes = '2000 1024'; tiles = '8 16 32 64 128 256 512'; variants = 'four_by_four tiled'
here(step, variant, n, tile) = stringcolumn('type') eq 'f32' && stringcolumn('step') eq step && \
  stringcolumn('variant') eq variant && column('m') == n && column('n') == n && column('k') == n && stringcolumn('tile') eq tile && \
  stringcolumn('quiet') ne 'no'   # what was measured in a disturbed moment is not drawn
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
link = NaN; l1 = NaN
stats orders using (column('m') == 1 && stringcolumn('variant') eq 'ikj' ? (link = 1e9*column('best_s')/column('k'), 0) : 0) nooutput
stats machine using (stringcolumn('name') eq 'bandwidth' && stringcolumn('vector') eq 'avx512' && \
  stringcolumn('threads') eq '1' && stringcolumn('level') eq 'L1' ? (l1 = column('value')/6, 0) : 0) nooutput
unset datafile
set datafile separator comma
set datafile missing 'NaN'
set lmargin 7; set rmargin 3; set tmargin 4.6; set bmargin 3.6
set samples 2; set border 3; set tics nomirror
set logscale xy 2; set xrange [7:620]; set yrange [4:300]
set ytics (4, 8, 16, 32, 64, 128, 256)
set xtics (8, 16, 32, 64, 128, 256, 512)
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'T, tiles of T × T numbers'
set ylabel 'GFLOP/s in f32, one thread' offset 1
array side = [110.9, 512]; array fills = ['fills L1', 'fills L2']
do for [i = 1:2] {
  set arrow from side[i],graph 0 to side[i],graph 1 nohead dashtype 3 linewidth 1.4 linecolor rgb '#555555'
  set label fills[i] at side[i],graph 1.035 center textcolor rgb '#444444'
}
set label 'the tile of B' at 7,graph 1.035 left textcolor rgb '#444444'
set key at screen 0.98,screen 0.99 right top vertical Left reverse samplen 1.3 width -4 maxrows 2 font ',13'
array marks = [7, 6, 9, 8]; array colours = ['#D55E00', '#D55E00', '#0072B2', '#0072B2']
array names = ['four_by_four, 2000', 'four_by_four, 1024', 'tiled, 2000', 'tiled, 1024']
set label 'tiled: bound of L1' at 8,l1 offset 0,0.6 left front textcolor rgb '#444444'
set label 'the chain alone' at 9.5,2*9.5/link offset 0.8,-0.5 left front textcolor rgb '#444444'
set arrow from 7,l1 to 620,l1 nohead linewidth 1.4 linecolor rgb '#888888'
set arrow from 7,2*7/link to l1*link/2,l1 nohead linewidth 1.4 linecolor rgb '#888888'
plot for [i = 0:3] $found index i using 1:2 with linespoints linewidth 1.8 dashtype i%2+1 pointtype marks[i+1] pointsize 0.9 \
       linecolor rgb colours[i+1] title names[i+1], \
     for [s = 1:2] plainly[s] with lines linewidth 1.6 dashtype s linecolor rgb '#009E73' title sprintf('ikj, %s (%.1f)', word(sizes, s), plainly[s])
