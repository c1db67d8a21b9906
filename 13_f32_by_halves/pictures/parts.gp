# 13: the 24 significant bits of a float, as three BF16 and as two FP16.
height = 300
load 'plots/pictures/grid.gp'
set xrange [-0.4:33.6]; set yrange [19.4:-0.6]   # fifteen pixels a unit
bold = 'DejaVu Sans Bold,14'
row(x, y, count, colour) = count == 0 ? '' : draw(x, y, colour).'; '.row(x + 1, y, count - 1, colour)
set label 'a float, 1 ≤ x < 2' at 0,0.2 font bold
eval row(0, 2.4, 24, plain)
set label '2⁰' at 0.5,1.7 center; set label '2⁻⁸' at 8.5,1.7 center
set label '2⁻¹⁶' at 16.5,1.7 center; set label '2⁻²³' at 23.5,1.7 center
set label '24 bits' at 24.5,2.9 font ',13'
set label 'three BF16' at 0,5 font bold
eval row(0, 6, 8, now).row(8, 7.4, 8, line).row(16, 8.8, 8, walk)
set label 'x₁: 8 bits, rounded' at 24.5,6.5 font ',13'
set label 'x₂: the rest, rounded' at 24.5,7.9 font ',13'
set label 'x₃: the rest of that' at 24.5,9.3 font ',13'
set label 'two FP16' at 0,11.6 font bold
eval row(0, 12.6, 11, now).row(11, 14, 1, plain).row(12, 14, 11, line).row(23, 14, 1, '#ffffff')
set label '±' at 11.5,14.55 center font ',13'; set label '?' at 23.5,14.55 center font ',13'
set label 'x₁: 11 bits, rounded' at 24.5,13.1 font ',13'
set label 'x₂: the rest, rounded' at 24.5,14.5 font ',13'
set label 'x₂''s sign is worth a bit; the last bit is lost where x₂' at 0,17
set label 'needs that one, too.' at 0,18.3
plot NaN
