# 12: rows of 9 BF16 as they lie, and packed; a cell is an element, eight of them lie between multiples of 16 bytes.
width = 780; height = 330
load 'plots/pictures/grid.gp'
set xrange [-0.5:39]; set yrange [16.4:-1.4]
bold = 'DejaVu Sans Bold,12'
colours = now.' '.walk.' '.line
at_ = 'set label "%d" at %g,%g center font ",10"'
tick = 'set arrow from %g,%g to %g,%g nohead linewidth 2 linecolor rgb "black" front'
set label 'as they lie: row r begins 2 r bytes beyond a multiple of 16' at 0,-0.7 font bold
do for [e = 0:26] {
  eval draw(e, 0.4, word(colours, e / 9 + 1)); eval sprintf(at_, e % 9, e + 0.5, 0.95)
}
do for [x = 0:24:8] { eval sprintf(tick, x, 0.1, x, 2); set label sprintf('%d bytes', 2*x) at x + 0.1,2.4 font ',10' }
set label 'packed: a row of 32 bytes, as many as 9 elements need' at 0,4.7 font bold
do for [r = 0:1] { do for [e = 0:15] {
  eval draw(16*r + e, 5.8, e < 9 ? word(colours, r + 1) : plain); if (e < 9) { eval sprintf(at_, e, 16*r + e + 0.5, 6.35) }
} }
do for [x = 0:32:8] { eval sprintf(tick, x, 5.5, x, 7.4) }
set label '…' at 32.6,6.3
set label 'elements 24 to 31 of a longer row: five words of 4 bytes are loaded, shifted by half a word, and stored as one' at 0,10 font bold
do for [e = 0:9] { eval draw(8 + e, 11, e % 9 == 0 ? plain : walk); eval sprintf(at_, 23 + e, 8.5 + e, 11.55) }
do for [x = 8:18:2] { eval sprintf(tick, x, 10.8, x, 12.3) }
set arrow from 13,12.5 to 13,14 linewidth 1.5 linecolor rgb '#555555'
do for [e = 0:7] { eval draw(9 + e, 14.2, walk); eval sprintf(at_, 24 + e, 9.5 + e, 14.75) }
plot NaN
