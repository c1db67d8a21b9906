# 13: the largest error of 64 x 64 sums against k, and what the verifier allows; in units of u |a||b|, without what it allows for C.
# Of cuBLAS in f32, pedantic, C is n x n with n = k.
rows = 'plots/reference/h100/tensor_errors.csv'; theirs = 'plots/reference/h100/libraries_sustained.csv'
set encoding utf8
set terminal svg size 510,440 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
is(name, text) = stringcolumn(name) eq text
sizes = '64 256 1024 4096 16384 65536'
variants = 'tf32 stages'
types = 'tf32 bf16'
bound(k) = 8 + sqrt(k) / 4
set print $found
do for [v = 1:words(variants)] { do for [s = 1:words(sizes)] {
  k = word(sizes, s) + 0; share = NaN   # a row taken again counts as its last
  stats rows using (is('variant', word(variants, v)) && is('type', word(types, v)) && column('k') == k ? (share = column('error_share'), 0) : 0) nooutput
  print sprintf('%d,%g,%g', v, k, share * bound(k))
} }
do for [k in '1024 2048 4096 8192'] {
  share = NaN
  stats theirs using (is('against', 'cuBLAS pedantic') && is('variant', 'f32_by_fp16_sustained') && column('k') == k + 0 ? (share = column('against_error_share'), 0) : 0) nooutput
  print sprintf('3,%g,%g', k + 0, 8 * share)
}
unset print
unset datafile
set datafile separator comma
set datafile missing 'NaN'
set logscale x 2; set logscale y 2
set xrange [45:93000]; set yrange [0.25:300]
set xtics ('64' 64, '256' 256, '1024' 1024, '4096' 4096, '16384' 16384, '65536' 65536)
set ytics ('¼' 0.25, '½' 0.5, '1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128, '256' 256)
set border 3; set tics nomirror
set lmargin 9; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'k'
set ylabel 'largest error, times u ‖a‖ ‖b‖' offset 0
set key top left Left reverse samplen 2.5 spacing 1.1 font ',13'
array colours = ['#D55E00', '#0072B2', '#555555']
titles = '"TF32 (tf32)" "BF16 (stages)" "f32 units (cuBLAS)"'
plot bound(x) with lines linewidth 1.6 dashtype 2 linecolor rgb '#0072B2' title 'allowed: BF16, TF32', \
     8 with lines linewidth 1.6 dashtype 2 linecolor rgb '#555555' title 'allowed: f32', \
     for [v = 1:3] $found using ($1 == v ? $2 : NaN):3 with linespoints linewidth 1.8 pointtype 7 pointsize 0.8 \
       linecolor rgb colours[v] title word(titles, v)
