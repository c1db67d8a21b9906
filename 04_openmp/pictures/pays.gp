# 04: from which size two threads pay: parallel_for over itself on one thread, beside question 2's curve: the start of two, and half of the work.
rows = 'plots/reference/epyc-zen5/results.csv'
set encoding utf8
set terminal svg size 510,420 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
is(column_name, text) = stringcolumn(column_name) eq text
sizes = '2 16 24 32 48 64 96 128 192 256 384 512'
array time[2]; array start[2]
set print $found; any = 0
do for [s = 1:words(sizes)] {
  n = word(sizes, s) + 0; disturbed = 0   # a row taken again counts as its last, an undisturbed one before a disturbed one
  do for [t = 1:2] {
    found = NaN; loud = 0; calm = 0
    stats rows using (is('step', '04_openmp-native') && is('variant', 'parallel_for') && is('type', 'f32') && column('m') == n && \
      column('n') == n && column('k') == n && column('threads') == t ? (calm && is('quiet', 'no') ? 0 : (found = column('median_s'), loud = is('quiet', 'no'), calm = !loud, 0)) : 0) nooutput
    time[t] = found; disturbed = disturbed || loud; any = any || loud
  }
  if (s == 1) { start[1] = time[1]; start[2] = time[2] }   # next to nothing is multiplied at n = 2
  if (s > 1 && time[1] == time[1] && time[2] == time[2]) {
    print sprintf('%g,%g,%g,%d', n, time[1] / time[2], time[1] / (start[2] + (time[1] - start[1]) / 2), disturbed)
  }
}
unset print
unset datafile
set datafile separator comma
set logscale x 2
set xrange [14:600]; set yrange [0:2.4]
set xtics ('16' 16, '32' 32, '64' 64, '128' 128, '256' 256, '512' 512)
set ytics (0, 0.5, 1, 1.5, 2)
set border 3; set tics nomirror
set lmargin 7; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'n'
set ylabel 'times as fast as one thread' offset 1
set key bottom right Left reverse samplen 2.5 spacing 1.1 width -6 font ',13'
set arrow from 14,1 to 600,1 nohead linewidth 1.2 linecolor rgb '#555555'
set label 'above this line two threads pay off' at 560,1 offset 0,-0.7 right font ',13'
plot $found using 1:3 with lines linewidth 2 dashtype 2 linecolor rgb '#0072B2' title 'predicted: the start, plus half of the work', \
     $found using 1:2 with lines linewidth 1.6 linecolor rgb '#D55E00' notitle, \
     $found using 1:($4 == 0 ? $2 : NaN) with points pointtype 7 pointsize 0.9 linewidth 1.6 linecolor rgb '#D55E00' title 'measured', \
     $found using 1:($4 == 1 ? $2 : NaN) with points pointtype 7 pointsize 0.9 linecolor rgb '#FFFFFF' notitle, \
     $found using 1:($4 == 1 ? $2 : NaN) with points pointtype 6 pointsize 0.9 linewidth 1.6 linecolor rgb '#D55E00' title (any ? 'measured, a core disturbed' : '')
