# 07: the two ways from the host's memory to the GPU's.
height = 180
load 'plots/pictures/grid.gp'
set datafile separator comma
set datafile columnheaders
array way = ['to_device_pageable', 'to_device_pinned']; array rate[2]
do for [w = 1:2] { stats 'plots/reference/h100/machine.csv' using (stringcolumn('name') eq 'copy' && stringcolumn('level') eq way[w] ? (rate[w] = column('value'), 0) : 0) nooutput }
set xrange [0:51]; set yrange [18:0]   # ten pixels a unit
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 1 front'
go = 'set arrow from %g,%g to %g,%g filled size 0.9,22 linewidth %g linecolor rgb "black" front'
set object rectangle from 0.4,2.4 to 29.9,17.6 fillstyle empty border rgb '#555555'
set object rectangle from 39.6,2.4 to 50.6,17.6 fillstyle empty border rgb '#555555'
set label 'host' at 0.6,1.2 font 'DejaVu Sans Bold,14'; set label 'GPU' at 39.8,1.2 font 'DejaVu Sans Bold,14'
eval sprintf(box, 1.2, 3.6, 9.4, 8.4, plain); set label 'pageable' at 5.3,5.2 center front; set label 'A, B, C' at 5.3,6.9 center front
eval sprintf(box, 18, 3.6, 29, 8.4, line); set label 'buffer of the' at 23.5,5.2 center front; set label 'driver, pinned' at 23.5,6.9 center front
eval sprintf(box, 18, 11.6, 29, 16.4, line); set label 'pinned' at 23.5,13.2 center front; set label 'A, B, C' at 23.5,14.9 center front
eval sprintf(box, 40.5, 3.6, 49.7, 16.4, now); set label 'device' at 45.1,9.1 center front; set label 'memory' at 45.1,10.8 center front
eval sprintf(go, 9.6, 6.4, 17.8, 6.4, 2); set label 'the host' at 13.7,4 center font ',13'; set label 'copies' at 13.7,5.4 center font ',13'
eval sprintf(go, 29.2, 6.4, 40.3, 6.4, 2); set label 'the GPU' at 34.7,4 center font ',13'; set label 'fetches' at 34.7,5.4 center font ',13'
eval sprintf(go, 29.2, 14.4, 40.3, 14.4, 4); set label 'the GPU' at 34.7,11.8 center font ',13'; set label 'fetches' at 34.7,13.2 center font ',13'
set label sprintf('in all %.1f GB/s', rate[1]) at 9.4,10 center front font 'DejaVu Sans Bold,14'
set label sprintf('%.0f GB/s', rate[2]) at 34.7,16.1 center front font 'DejaVu Sans Bold,14'
plot NaN
