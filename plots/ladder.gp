# The ladder: count blocks of bars (y, share of the width, idea, rate, colour), y growing downwards, one a rung; then the texts (y, 1 for
# small ones, text); then where the library is, a mark across each bar (share, y, text).
wide = 480; each = 40; letter = 14
high = each*rows
set encoding utf8
set terminal svg size wide,high noenhanced font 'sans-serif,'.letter background 'white'
set output out
unset border; unset tics; unset key
set lmargin at screen 12.0/wide; set rmargin at screen 1-12.0/wide
set tmargin at screen 1; set bmargin at screen 0
set xrange [0:1]
set yrange [rows:0]
plot for [i = 0:count-1] data index i using 2:1:(0):($2 > 0.004 ? $2 : 0.004):($1+0.46):($1+0.86):5 with boxxyerror \
       fillstyle solid 1 noborder linecolor rgb variable notitle, \
     for [i = 0:count-1] data index i using (0):($1+0.2):3 with labels left notitle, \
     for [i = 0:count-1] data index i using (1):($1+0.2):4 with labels right notitle, \
     data index count using (0):($2 == 0 ? $1 : NaN):3 with labels left font ','.(letter+2) notitle, \
     data index count using (0):($2 == 1 ? $1 : NaN):3 with labels left font ','.(letter-1) textcolor rgb '#555555' notitle, \
     data index count+1 using 1:($2+0.42):(0):(0.5) with vectors nohead linewidth 2.5 linecolor rgb '#b3261e' notitle, \
     data index count+1 using (1):($2+1.2):3 with labels right font ','.(letter-1) textcolor rgb '#b3261e' notitle
