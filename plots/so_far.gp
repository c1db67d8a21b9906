# A lesson's ladder so far: count blocks of bars (y, share of the width, idea, %, 1 for this lesson's), y growing downwards; then the texts
# (y, text); then vertical strokes (share, from, to, dashes). An idea has 20 letters of room.
wide = 510
high = 23 * rows + 14
set encoding utf8
set terminal svg size wide,high noenhanced font 'DejaVu Sans,14' background 'white'
set output out
unset border; unset tics; unset key
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen 1-6.0/high; set bmargin at screen 8.0/high
bar = wide - 288.0   # of 0 to 1; on its left the ideas, on its right the shares
left = -210/bar; right = 1 + 63/bar
set xrange [-218/bar:1 + 70/bar]
set yrange [rows:0]
plot for [i = 0:count-1] data index i using 2:1:(0):($2 > 0.004 ? $2 : 0.004):($1+0.16):($1+0.84):($5 == 1 ? 0xe0912f : 0x8FB8D8) \
       with boxxyerror fillstyle solid 1 noborder linecolor rgb variable, \
     for [i = 0:count-1] data index i using (left):($5 == 1 ? NaN : $1+0.5):3 with labels left, \
     for [i = 0:count-1] data index i using (left):($5 == 1 ? $1+0.5 : NaN):3 with labels left font 'DejaVu Sans Bold,14', \
     for [i = 0:count-1] data index i using (right):($1+0.5):4 with labels right, \
     data index count using (left):($1+0.5):2 with labels left font ',13' textcolor rgb '#555555', \
     data index count+1 using 1:($4 == 1 ? $2 : NaN):(0):($3-$2) with vectors nohead linewidth 1.5 linecolor rgb '#222222', \
     data index count+1 using 1:($4 == 2 ? $2 : NaN):(0):($3-$2) with vectors nohead dashtype 2 linewidth 1.5 linecolor rgb '#222222'
