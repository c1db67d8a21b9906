# 02: what each order reached, from the rows of the machine of the text; the scale is logarithmic, for they lie hundreds of times apart.
# The predictions are README.md's: the longest of the chain and of the bytes at each border, by the last limits of machine.csv.
machine = 'plots/reference/epyc-zen5/machine.csv'
data = 'plots/reference/epyc-zen5/results.csv'
set encoding utf8
set terminal svg size 510,440 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
orders = 'ikj kij ikj_scalar ijk jik jki kji'
place = '1 2 3 4.6 5.6 7.2 8.2'   # those with the same innermost loop stand together
sizes = '1000 1024 2000 2048'
row_of(order) = (order eq 'ijk' ? '01_naive/' : '02_loop_order/').order   # the baseline was measured in 01
here(order, n) = stringcolumn('type') eq 'f32' && column('m') == n && column('n') == n && column('k') == n && \
  stringcolumn('step').'/'.stringcolumn('variant') eq row_of(order)
name(order) = order eq 'ikj' || order eq 'kij' ? order.', in vectors' : order
addition = NaN   # its latency, ns
stats machine using (stringcolumn('name') eq 'latency' && stringcolumn('type') eq 'f32' && stringcolumn('level') eq 'add' ? \
  (addition = column('value'), 0) : 0) nooutput
array rates = [NaN, NaN, NaN]
do for [l = 1:3] {
  stats machine using (stringcolumn('name') eq 'bandwidth' && stringcolumn('vector') eq 'sse2' && stringcolumn('threads') eq '1' && \
    stringcolumn('level') eq sprintf('L%d', l) ? (rates[l] = column('value'), 0) : 0) nooutput
}
longer(x, y) = x > y ? x : y
crossing(l) = column(sprintf('bytes_l%d', l)) / rates[l]
lasts(n) = longer(stringcolumn('limit') eq 'chain' ? addition * n**3 : 0, \
  longer(crossing(1), longer(crossing(2), crossing(3))))   # ns a product
set print $found
do for [o = 1:words(orders)] { do for [s = 1:words(sizes)] {
  order = word(orders, o); n = word(sizes, s) + 0
  rate = NaN; foretold = NaN   # a row taken again counts as its last
  stats data using (here(order, n) ? (rate = column('gflops'), foretold = 2 * n**3 / lasts(n), 0) : 0) nooutput
  print sprintf('%s,%g,%g,%g,%g', word(place, o), s, rate, foretold, o)
} }
unset print
unset datafile
set datafile separator comma
set datafile missing 'NaN'
set lmargin 13; set rmargin 2; set tmargin 4.6; set bmargin 3.6
set border 1; set tics nomirror; set ytics scale 0
set logscale x 10; set xrange [0.1:100]
set xtics ('0.1' 0.1, '0.3' 0.3, '1' 1, '3' 3, '10' 10, '30' 30, '100' 100)
set yrange [8.9:0.3]
set ytics ('' 0.3)
do for [o = 1:words(orders)] { set ytics add (name(word(orders, o)) word(place, o) + 0) }
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
do for [o = 1:words(orders)] {
  set arrow from 0.1,word(place, o) + 0 to 100,word(place, o) + 0 nohead back linewidth 0.6 linecolor rgb '#dddddd'
}
set xlabel 'GFLOP/s in f32, one thread (logarithmic; right is better)'
set key at screen 0.98, screen 0.985 right top horizontal Left reverse samplen 1.2 width -3 maxcols 3 font ',13'
array colours = ['#0072B2', '#0072B2', '#D55E00', '#D55E00']
array marks = [7, 6, 9, 8]
plot $found using ($2 == 1 ? $4 : NaN):($1-0.36):(0):(0.72) with vectors nohead linewidth 3 dashtype 1 \
       linecolor rgb '#999999' title 'predicted, 1000', \
     for [s = 1:words(sizes)] $found using ($2 == s ? $3 : NaN):1 with points pointtype marks[s] pointsize 0.9 \
       linewidth 1.6 linecolor rgb colours[s] title 'n = '.word(sizes, s)
