# Where a rung stands under the machine's roofs. count blocks, of which the last is this one and those before it lead to it:
# x, GFLOP/s, where the text begins (x and y), the text, disturbed. Then come the roofs, as in roofline.gp.
entries = count
load dir.'/style.gp'
set logscale x 2
set xlabel 'FLOP for each byte across the level that limits'
set ylabel 'GFLOP/s (higher is better)'
here(i) = i == count-1
size(i) = here(i) ? 1.7 : 1.1
plot @roofs, \
     for [i = 0:count-1] data index i using 1:2 with points pointtype shape(i+1) pointsize size(i) \
       linecolor rgb (here(i) ? '#D55E00' : '#555555') title columnheader(1), \
     for [i = 0:hollow*count-1] data index i using 1:($6 > 0 ? $2 : NaN) with points pointtype shape(i+1) \
       pointsize 0.6*size(i) linecolor rgb 'white' notitle, \
     for [i = 0:count-1] data index i using 3:4:5 with labels left font (here(i) ? ',15' : ',13') notitle, \
     for [i = 1:count > 0] data index (count > 0 ? count-1 : 0) using 3:4:5 with labels left offset 0.07, 0 font ',15' notitle   # twice is bold
