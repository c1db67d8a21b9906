# Ranks × threads, as many together in each column: a cell's colour and number are the rate of all phases.
entries = 0
tall = 46 * bars
load dir.'/style.gp'
unset grid
set tics scale 0 font ',15'
set yrange [bars-0.5:-0.5]
set offsets 0.5, 0.5, 0, 0
set xlabel 'ranks × threads of each'
set cbrange [0:*]
unset colorbox
set palette defined (0 '#ffffff', 1 '#56B4E9')
plot data index 0 using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46):3:xtic(5):ytic(6) with boxxyerror fillstyle solid 1.0 noborder \
       linecolor palette, \
     data index 0 using 1:2:4 with labels font ',15'
