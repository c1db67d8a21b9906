# 12: rows of 9 BF16 as they lie, and packed; a cell is an element, eight of them lie between multiples of 16 bytes.
height = 250
load 'plots/pictures/grid.gp'
set xrange [-0.3:33.7]; set yrange [15.3:-1.4]
bold = 'DejaVu Sans Bold,14'
colours = now.' '.walk.' '.line
at_ = 'set label "%d" at %g,%g center font ",13"'
tick = 'set arrow from %g,%g to %g,%g nohead linewidth 2 linecolor rgb "black" front'
set label 'as they lie: row r begins 2 r bytes beyond a multiple of 16' at 0,-0.7 font bold
do for [e = 0:26] {
  eval draw(e, 0.4, word(colours, e / 9 + 1)); eval sprintf(at_, e % 9, e + 0.5, 0.95)
}
do for [x = 0:24:8] { eval sprintf(tick, x, 0.1, x, 2); set label sprintf('%d bytes', 2*x) at x,2.6 font ',13' }
set label 'packed: a row of 32 bytes, as many as 9 elements need' at 0,4.7 font bold
do for [r = 0:1] { do for [e = 0:15] {
  eval draw(16*r + e, 5.8, e < 9 ? word(colours, r + 1) : plain); if (e < 9) { eval sprintf(at_, e, 16*r + e + 0.5, 6.35) }
} }
do for [x = 0:32:8] { eval sprintf(tick, x, 5.5, x, 7.4) }
set label '…' at 32.6,6.3
set label 'elements 24 to 31 of a longer row: five words of 4 bytes are' at 0,8.8 font bold
set label 'loaded, shifted by half a word, and stored as one' at 0,10 font bold
wide(x, y, colour, e) = sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6', x, y, x + 1.5, y + 1, colour).'; '.sprintf(at_, e, x + 0.75, y + 0.55)
do for [e = 0:9] { eval wide(8 + 1.5*e, 11, e % 9 == 0 ? plain : walk, 23 + e) }
do for [x = 0:5] { eval sprintf(tick, 8 + 3*x, 10.8, 8 + 3*x, 12.3) }
set arrow from 15.5,12.3 to 15.5,13.5 linewidth 1.5 linecolor rgb '#555555'
do for [e = 0:7] { eval wide(9.5 + 1.5*e, 13.7, walk, 24 + e) }
plot NaN
