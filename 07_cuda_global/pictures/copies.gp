# 07: the two ways from the host's memory to the GPU's.
width = 860; height = 300
load 'plots/pictures/grid.gp'
set datafile separator comma
set datafile columnheaders
array way = ['to_device_pageable', 'to_device_pinned']; array rate[2]
do for [w = 1:2] { stats 'plots/reference/h100/machine.csv' using (stringcolumn('name') eq 'copy' && stringcolumn('level') eq way[w] ? (rate[w] = column('value'), 0) : 0) nooutput }
set xrange [0:43]; set yrange [15:0]
box = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 1 front'
go = 'set arrow from %g,%g to %g,%g filled size 0.6,22 linewidth %g linecolor rgb "black" front'
set object rectangle from 0.5,1.8 to 25,14 fillstyle empty border rgb '#555555'
set object rectangle from 32.5,1.8 to 42.5,14 fillstyle empty border rgb '#555555'
set label 'host' at 0.7,1 font 'DejaVu Sans Bold,13'; set label 'GPU' at 32.7,1 font 'DejaVu Sans Bold,13'
eval sprintf(box, 1.5, 3, 9.5, 6.5, plain); set label 'pageable' at 5.5,4.2 center front; set label 'A, B, C' at 5.5,5.5 center front
eval sprintf(box, 15.5, 3, 23.5, 6.5, line); set label 'buffer of the' at 19.5,4.2 center front; set label 'driver, pinned' at 19.5,5.5 center front
eval sprintf(box, 15.5, 9, 23.5, 12.5, line); set label 'pinned' at 19.5,10.2 center front; set label 'A, B, C' at 19.5,11.5 center front
eval sprintf(box, 33.5, 3, 41.5, 12.5, now); set label 'device' at 37.5,6.9 center front; set label 'memory' at 37.5,8.2 center front
eval sprintf(go, 9.7, 4.75, 15.3, 4.75, 2); set label 'the host copies' at 12.5,3.6 center font ',11'
eval sprintf(go, 23.7, 4.75, 33.3, 4.75, 2); set label 'the GPU fetches' at 28.75,3.6 center font ',11'
eval sprintf(go, 23.7, 10.75, 33.3, 10.75, 4); set label 'the GPU fetches' at 28.75,9.5 center font ',11'
set label sprintf('in all %.1f GB/s', rate[1]) at 12.5,7.6 center front font 'DejaVu Sans Bold,12'
set label sprintf('%.0f GB/s', rate[2]) at 28.75,12.2 center front font 'DejaVu Sans Bold,12'
plot NaN
