# 13: the 24 significant bits of a float, as three BF16 and as two FP16.
width = 900; height = 340
load 'plots/pictures/grid.gp'
set xrange [-8:33]; set yrange [13.2:-1.2]
set label 'a float, 1 ≤ x < 2' at -7.7,1 font 'DejaVu Sans Bold,12'
set label 'three BF16' at -7.7,5.4 font 'DejaVu Sans Bold,12'
set label 'two FP16' at -7.7,10.4 font 'DejaVu Sans Bold,12'
row(x, y, count, colour) = count == 0 ? '' : draw(x, y, colour).'; '.row(x + 1, y, count - 1, colour)
eval row(0, 0.5, 24, plain)
set label '2^{0}' at 0.5,-0.3 center font ',10'
set label '2^{-8}' at 8.5,-0.3 center font ',10'
set label '2^{-16}' at 16.5,-0.3 center font ',10'
set label '2^{-23}' at 23.5,-0.3 center font ',10'
set label '24 bits' at 24.6,1 font ',11'
eval row(0, 3.5, 8, now)
eval row(8, 4.9, 8, line)
eval row(16, 6.3, 8, walk)
set label 'x₁: 8 bits, rounded' at 24.6,4 font ',11'
set label 'x₂: the rest, rounded' at 24.6,5.4 font ',11'
set label 'x₃: the rest of that' at 24.6,6.8 font ',11'
eval row(0, 9.2, 11, now)
eval row(11, 10.6, 1, plain)
eval row(12, 10.6, 11, line)
set label '±' at 11.5,11.1 center font ',11'
eval row(23, 10.6, 1, '#ffffff')
set label '?' at 23.5,11.1 center font ',11'
set label 'x₁: 11 bits, rounded' at 24.6,9.7 font ',11'
set label 'x₂: the rest, rounded' at 24.6,11.1 font ',11'
set label 'x₂''s sign is worth a bit; the last bit is lost where x₂ needs that one, too' at 0,12.6 font ',11'
plot NaN
