# 01: the end of a row of C and what lies behind it, before and after a kernel that goes one column too far.
width = 600; height = 330
load 'plots/pictures/grid.gp'
set xrange [0:31]; set yrange [16.5:0]  # a unit is as wide as it is high
bold = 'DejaVu Sans Bold,14'
cell(x, y, colour, text) = sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.8; set label "%s" at %g,%g center front font ",13"', \
  x, y, x+3.4, y+1.6, colour, text, x+1.7, y+0.8)
row(y, head, c, guard) = sprintf('set label "%s" at 0.2,%g; ', head, y+0.8).cell(8, y, plain, '3.50').'; '.cell(11.4, y, plain, c).'; '.guard
set label 'Guards of NaN' at 0.2,1 font bold
set label 'C(i, n−2)' at 9.5,1 center; set label 'C(i, n−1)' at 13.2,1 center
set label 'beyond' at 16.5,1 center
eval row(2, 'before', '5.25', cell(14.8, 2, line, 'NaN').'; '.cell(18.2, 2, line, 'NaN'))
eval row(3.8, 'after += 1.5', '6.75', cell(14.8, 3.8, line, 'NaN').'; '.cell(18.2, 3.8, line, 'NaN'))
set label 'the same bits: accepted' at 22.2,4.6
set label 'Guards near 1' at 0.2,8.4 font bold
eval row(9.4, 'before', '5.25', cell(14.8, 9.4, line, '1.013').'; '.cell(18.2, 9.4, line, '1.014'))
eval row(11.2, 'after += 1.5', '6.75', cell(14.8, 11.2, now, '2.513').'; '.cell(18.2, 11.2, line, '1.014'))
set label 'another number: found' at 22.2,12
set label 'The loop over j ends with j <= n, and the kernel adds 1.5 to each number.' at 0.2,14.8
plot NaN
