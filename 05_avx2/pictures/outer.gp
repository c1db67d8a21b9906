# 05: one step of the register tile: a column of A times a row of B, an outer product that is added to 6 × 16 sums.
height = 486
load 'plots/pictures/grid.gp'
set xrange [-7.1:16.6]; set yrange [19.4:-2.4]
mr = 6; lanes = 8; row = 2; x0 = 0; y0 = 2.2
bold = "font 'DejaVu Sans Bold,14'"
frame = 'set object rectangle from %g,%g to %g,%g front fillstyle empty border rgb "black" linewidth 2'

# Row p of B, the column p of A, the tile of C.
do for [c = 0:15] { eval draw(x0 + c, -0.2, walk) }
do for [v = 0:1] { eval sprintf(frame, x0 + lanes * v, -0.2, x0 + lanes * (v + 1), 0.8) }
do for [r = 0:mr-1] {
  eval draw(x0 - 2.4, y0 + r, r == row ? now : plain)
  do for [c = 0:15] { eval draw(x0 + c, y0 + r, r == row ? line : plain) }
  do for [v = 0:1] { eval sprintf(frame, x0 + lanes * v, y0 + r, x0 + lanes * (v + 1), y0 + r + 1) }
}
set label 'row p of B: two registers' at 8,-1.1 center @bold
set label 'column p' at -1.9,0.5 center @bold
set label 'of A' at -1.9,1.5 center @bold
set label 'one number,' at -2.8,y0+row+0.2 right
set label 'broadcast' at -2.8,y0+row+1.1 right
set arrow from -1.2,y0+row+0.5 to -0.2,y0+row+0.5 front linewidth 2
set label 'tile of C: 6 × 2 registers of 8 sums' at 8,y0+mr+0.9 center @bold

# One instruction, lane by lane.
y1 = 12
set label 'One multiply-add of the twelve:' at -6.9,10.6 @bold
do for [part = 0:2] {
  y = y1 + 1.9 * part
  do for [c = 0:lanes-1] {
    eval draw(x0 + c, y, part == 0 ? line : part == 1 ? now : walk)
    set label part == 0 ? 'c' : part == 1 ? 'a' : 'b' at x0 + c + 0.5,y + 0.5 center front
  }
  eval sprintf(frame, x0, y, x0 + lanes, y + 1)
}
set label 'eight sums of C' at -0.5,y1+0.5 right
set label 'one number of A,' at -0.5,y1+2.0 right
set label 'in all eight lanes' at -0.5,y1+2.9 right
set label 'eight numbers of B' at -0.5,y1+4.3 right
set label '+=' at 8.5,y1+0.5 front @bold
set label '×' at 8.5,y1+2.4 front @bold
set label 'each lane: c += a · b' at 9.3,y1+2.4
set label 'For each p: 2 loads, 6 broadcasts, 12 multiply-adds.' at -6.9,18.6
plot NaN
