# 01: L1's 64 sets of 12 lines, and where a column of B wants to lie at n = 1000 and at n = 1024.
height = 544
load 'plots/pictures/grid.gp'
set xrange [-2:66]; set yrange [71.5:-1]  # a unit is as wide as it is high
bold = 'DejaVu Sans Bold,14'
lost = '#f6dfae'

# Element p of a column lies p rows of 4n bytes, 64 bytes a line, further on than the first.
set_of(p, n) = int(p * n * 4 / 64) % 64
wanted(s, n) = sum [p = 0:n-1] (set_of(p, n) == s)
early(s, n) = sum [p = 0:7] (set_of(p, n) == s)

set label 'An address, and its place in L1:' at 0,0.6
set object rectangle from 0,2.2 to 38,5.2 fillcolor rgb plain
set object rectangle from 38,2.2 to 51,5.2 fillcolor rgb line
set object rectangle from 51,2.2 to 64,5.2 fillcolor rgb plain
set label 'which line is it?' at 19,3.7 center front
set label 'set: 6 bits' at 44.5,3.7 center front
set label 'byte: 6 bits' at 57.5,3.7 center front
set label 'lines 4096 bytes apart have the same set' at 64,6.9 right

array base = [29, 61]
array head = ['n = 1000: rows of B are 4000 bytes, 62½ lines, apart', 'n = 1024: rows of B are 4096 bytes, 64 lines, apart']
array size = [1000, 1024]
do for [g = 1:2] {
  set object rectangle from 0,base[g]-12 to 64,base[g] fillcolor rgb plain behind
  set label head[g] at 0,base[g]-18.6 font bold
  do for [w = 0:12] { set arrow from 0,base[g]-w to 64,base[g]-w nohead front linewidth (w == 12 ? 2.5 : 0.5) }
  do for [s = 0:64:8] { set arrow from s,base[g] to s,base[g]-12 nohead front linewidth 0.5 }
}
set label 'room for 12' at 64,base[2]-13.2 right
set label '… 1024 lines' at 1.6,base[2]-15.4
set label 'set 0: p = 0' at 0,30.3; set label '… p = 5, 4, 3, 2, 1' at 64,30.3 right
set label 'Each row is 1½ sets to the left of the one before. 15 or 16' at 0,32.8
set label 'lines want each set, which has room for 12: each is gone' at 0,34.8
set label 'before it is wanted again.' at 0,36.8
set label 'set 0: p = 0, 1, 2, 3, …' at 0,62.3; set label 'set 63' at 64,62.3 right
set label 'All 1024 lines want this set, which has room for 12. The other' at 0,64.8
set label '63 sets are of no use to this column.' at 0,66.8
set label 'brown: the first eight elements;  pale: lines without a place' at 0,69.8
set samples 64  # '+' then has the 64 sets as column 0
most(h, room) = h < room ? h : room
plot for [g = 1:2] '+' using 0:0:0:($0+1):(base[g] - most(wanted($0, size[g]), 16.4)):(base[g]) \
       with boxxyerror fillcolor rgb lost linewidth 0.5, \
     for [g = 1:2] '+' using 0:0:0:($0+1):(base[g] - most(wanted($0, size[g]), 12)):(base[g]) \
       with boxxyerror fillcolor rgb walk linewidth 0.5, \
     for [g = 1:2] '+' using 0:0:0:($0+1):(base[g] - most(early($0, size[g]), 8)):(base[g]) \
       with boxxyerror fillcolor rgb '#a63f00' linewidth 0.5
