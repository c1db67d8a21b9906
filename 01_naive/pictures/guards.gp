# 01: the end of a row of C and what lies behind it, before and after a kernel that goes one column too far.
height = 280
load 'plots/pictures/grid.gp'
set xrange [0:31]; set yrange [16:-1]  # a unit is as wide as it is high
bold = 'DejaVu Sans Bold,14'
cell(x, y, colour, text) = sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8; set label "%s" at %g,%g center front font ",13"', \
  x, y, x+3.7, y+1.6, colour, text, x+1.85, y+0.8)
row(y, head, c, guard) = sprintf('set label "%s" at 0.2,%g; ', head, y+0.8).cell(6, y, plain, '3.50').'; '.cell(9.7, y, plain, c).'; '.guard
set label 'guards of NaN' at 0.2,-0.2 font bold
set label 'C(i, n−2)' at 7.85,1 center font ',13'; set label 'C(i, n−1)' at 11.6,1 center font ',13'
set label 'beyond' at 15.25,1 center font ',13'
eval row(2, 'before', '5.25', cell(13.4, 2, line, 'NaN').'; '.cell(17.1, 2, line, 'NaN'))
eval row(3.8, 'after', '6.75', cell(13.4, 3.8, line, 'NaN').'; '.cell(17.1, 3.8, line, 'NaN'))
set label 'the same bits: accepted' at 21.2,4.6 font ',13'
set label 'guards near 1' at 0.2,8.4 font bold
eval row(9.4, 'before', '5.25', cell(13.4, 9.4, line, '1.013').'; '.cell(17.1, 9.4, line, '1.014'))
eval row(11.2, 'after', '6.75', cell(13.4, 11.2, now, 'NaN').'; '.cell(17.1, 11.2, line, '1.014'))
set label 'other bits: found' at 21.2,12 font ',13'
set label 'The loop over j ends with j <= n: j = n − 1 adds 1.5,' at 0.2,14
set label 'and j = n adds NaN, read from B’s guard.' at 0.2,15.3
plot NaN
