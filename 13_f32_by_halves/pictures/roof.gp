# 13: f32 products, each kernel alone for a second; the line is the peak of the f32 units.
data = 'plots/reference/h100/libraries_sustained.csv'; machine = 'plots/reference/h100/machine.csv'
set encoding utf8
set terminal svg size 510,400 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
is(name, text) = stringcolumn(name) eq text
sizes = '2048 4096 8192'
here(variant, n) = is('type', 'f32') && is('variant', 'f32_by_'.variant.'_sustained') && is('against', 'cuBLAS pedantic') && \
  column('m') == n && column('n') == n && column('k') == n
peak = NaN
stats machine using (is('name', 'peak') && is('type', 'f32') && is('vector', 'cuda') ? (peak = column('value') / 1000, 0) : 0) nooutput
set print $found
do for [s = 1:words(sizes)] {
  n = word(sizes, s) + 0; three = NaN; two = NaN; theirs = NaN   # a row taken again counts as its last
  stats data using (here('bf16', n) ? (three = column('gflops'), 0) : 0) nooutput
  stats data using (here('fp16', n) ? (two = column('gflops'), theirs = column('against_gflops'), 0) : 0) nooutput
  print sprintf('%d,%g,%g,%g', s, theirs / 1000, three / 1000, two / 1000)
}
unset print
unset datafile
set datafile separator comma
set datafile missing 'NaN'
set xrange [0.4:3.6]; set yrange [0:*]
set xtics ('n = 2048' 1, '4096' 2, '8192' 3) scale 0; set ytics 50
set border 3; set tics nomirror
set lmargin 8; set rmargin 2; set tmargin 4.4; set bmargin 2.4
set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set ylabel 'TFLOP/s' offset 1
set style fill solid 1.0
set boxwidth 0.24
set key at screen 0.98, screen 0.985 right top vertical Left reverse samplen 1.6 maxrows 2 font ',13'
array colours = ['#999999', '#56b4e9', '#e69f00']
titles = '"cuBLAS pedantic" "f32_by_bf16" "f32_by_fp16"'
plot peak with lines linewidth 1.6 dashtype 2 linecolor rgb '#555555' title 'peak of the f32 units', \
     for [v = 1:3] $found using ($1 + 0.27 * (v - 2)):(column(v + 1)) with boxes linecolor rgb colours[v] title word(titles, v), \
     for [v = 1:3] $found using ($1 + 0.27 * (v - 2)):(column(v + 1)):(sprintf('%.0f', column(v + 1))) with labels offset 0,(v == 1 ? -0.8 : 0.6) font ',13' notitle
