# 08: who waits at which barrier, and the two races.
height = 430
load 'plots/pictures/grid.gp'
set xrange [-6.0:32.4]; set yrange [27.6:-1.4]
piece = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8'
wait = 'set arrow from %g,%g to %g,%g nohead dashtype 3 linewidth 1.8 linecolor rgb "#777777"'
bar  = 'set arrow from %g,%g to %g,%g nohead front linewidth 3 linecolor rgb "black"'
word = 'set label "%s" at %g,%g center font ",13" front'
load_colour = '#e69f00'; use_colour = '#56b4e9'; bad = '#d55e00'
act(x, y, w, colour, what) = sprintf(piece, x, y, x + w, y + 1.5, colour).'; '.sprintf(word, what, x + w / 2, y + 0.75)
# as it should be
set label 'with both barriers' at -5.8,-0.4 font 'DejaVu Sans Bold,14'
set label 'thread 0' at -0.6,1.55 right; set label 'thread 32' at -0.6,4.05 right
eval act(0, 0.8, 4.6, load_colour, 'load 0');   eval act(0, 3.3, 6.6, load_colour, 'load 0')
eval sprintf(wait, 4.6, 1.55, 7.2, 1.55);            eval sprintf(wait, 6.6, 4.05, 7.2, 4.05)
eval sprintf(bar, 7.2, 0.4, 7.2, 5.2)
eval act(7.2, 0.8, 4.6, use_colour, 'use 0');   eval act(7.2, 3.3, 8.2, use_colour, 'use 0')
eval sprintf(wait, 11.8, 1.55, 15.9, 1.55);          eval sprintf(wait, 15.4, 4.05, 15.9, 4.05)
eval sprintf(bar, 15.9, 0.4, 15.9, 5.2)
eval act(15.9, 0.8, 4.6, load_colour, 'load 1'); eval act(15.9, 3.3, 6.6, load_colour, 'load 1')
eval sprintf(wait, 20.5, 1.55, 23.1, 1.55);          eval sprintf(wait, 22.5, 4.05, 23.1, 4.05)
eval sprintf(bar, 23.1, 0.4, 23.1, 5.2)
eval act(23.1, 0.8, 4.6, use_colour, 'use 1');  eval act(23.1, 3.3, 8.2, use_colour, 'use 1')
set label 'time →' at 32.2,-0.4 right
set label '1st barrier' at 7.2,6.0 center; set label '2nd' at 15.9,6.0 center; set label '1st' at 23.1,6.0 center
# first missing
set label 'without the first: thread 0 reads before 32 has written' at -5.8,8.2 font 'DejaVu Sans Bold,14'
set label 'thread 0' at -0.6,10.15 right; set label 'thread 32' at -0.6,12.65 right
eval act(0, 9.4, 4.6, load_colour, 'load 0');   eval act(0, 11.9, 6.6, load_colour, 'load 0')
eval act(4.6, 9.4, 4.6, bad, 'use 0');          eval act(6.6, 11.9, 8.2, use_colour, 'use 0')
eval sprintf(wait, 9.2, 10.15, 15.4, 10.15)
eval sprintf(bar, 15.4, 9.0, 15.4, 13.8)
set arrow from 4.9,11.0 to 4.9,11.8 backhead front size 0.4,22 filled linewidth 2 linecolor rgb 'black'
set label 'its number is not' at 16.2,10.8; set label 'there yet' at 16.2,12.1
# second missing
set label 'without the second: thread 0 overwrites what 32 reads' at -5.8,16.2 font 'DejaVu Sans Bold,14'
set label 'thread 0' at -0.6,18.15 right; set label 'thread 32' at -0.6,20.65 right
eval act(0, 17.4, 4.6, load_colour, 'load 0');  eval act(0, 19.9, 6.6, load_colour, 'load 0')
eval sprintf(wait, 4.6, 18.15, 7.2, 18.15);          eval sprintf(wait, 6.6, 20.65, 7.2, 20.65)
eval sprintf(bar, 7.2, 17.0, 7.2, 21.8)
eval act(7.2, 17.4, 4.6, use_colour, 'use 0');  eval act(7.2, 19.9, 8.2, bad, 'use 0')
eval act(11.8, 17.4, 4.6, load_colour, 'load 1')
eval sprintf(wait, 16.4, 18.15, 20.6, 18.15)
eval act(15.4, 19.9, 4.6, load_colour, 'load 1')
eval sprintf(wait, 20.0, 20.65, 20.6, 20.65)
eval sprintf(bar, 20.6, 17.0, 20.6, 21.8)
set arrow from 12.3,19.0 to 12.3,19.8 front size 0.4,22 filled linewidth 2 linecolor rgb 'black'
set label 'a number of tile 1' at 21.2,18.8; set label 'where 0 is expected' at 21.2,20.1
set label 'A number is a tile. Orange writes shared memory, blue reads it, red' at -5.8,24
set label 'reads the wrong numbers; dotted: the thread waits. Which thread is' at -5.8,25.3
set label 'fast, and so whether a race shows, changes from run to run.' at -5.8,26.6
plot NaN
