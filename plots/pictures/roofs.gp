# The course's one roofline, the same axes on every page, with the rungs up to `lesson`, its own marked. A pictures/here.gp says
# lesson = '02' and loads this. On a GPU operations and bytes are a thousand times as many, so the numbers of y count TFLOP/s.
set encoding utf8
set terminal svg size 510,440 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
set datafile columnheaders
is(name, text) = stringcolumn(name) eq text
number(of) = (word(of, 1).'.0') + 0   # 08 alone would be read as octal
gpu = number(lesson) > 6
left = 1.0/(gpu ? 128 : 64); right = 512; bottom = 0.25; top = 1024
load gpu ? 'plots/pictures/roofs_gpu.gp' : 'plots/pictures/roofs_cpu.gp'
set logscale xy 2
set xrange [left:right]; set yrange [bottom:top]
set xtics ('1/64' 1.0/64, '1/16' 1.0/16, '1/4' 0.25, '1' 1, '4' 4, '16' 16, '64' 64, '256' 256)
set ytics ('1/4' 0.25, 1, 4, 16, 64, 256, 1024)
set border 3; set tics nomirror; unset key
set lmargin 8; set rmargin 2; set tmargin 1; set bmargin 3.6
set grid linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set xlabel 'operations for each byte '.from
set ylabel unit.'FLOP/s' offset 0.8
set style textbox opaque margins 0.3, 0.2 fillcolor rgb '#ffffff' noborder
# The roofs' names stand where no mark is, the first from the left on top.
do for [l = 1:|roofs|] {
  start = left*roofs[l] > bottom ? left : bottom/roofs[l]
  set arrow from start,start*roofs[l] to peaks[1]/roofs[l],peaks[1] nohead linewidth 1.6 linecolor rgb colours[l]
  at = 0.4*1.7**(|roofs| - l)
  set label sprintf(gpu ? '%s %.1f TB/s' : '%s %.0f GB/s', levels[l], roofs[l]) at 16,at left textcolor rgb colours[l]
  set arrow from 6,at to 12,at nohead linewidth 1.6 linecolor rgb colours[l]
}
do for [t = 1:|peaks|] {
  start = peaks[t]/roofs[1] > left && (t == 1 || gpu) ? peaks[t]/roofs[1] : left
  set arrow from start,peaks[t] to right,peaks[t] nohead linewidth (t == 1 ? 1.8 : 1.2) dashtype t linecolor rgb 'black'
  set label sprintf(peak_names[t], peaks[t]) at 0.95*right,peaks[t] right offset 0,(peaks_down[t])
}
do for [i = 1:|rung|] {
  ours = word(rung[i], 1) eq lesson
  if (at_y[i] == at_y[i]) {
    if (right_of[i]) { set label name[i] at at_x[i],at_y[i] left front boxed font (ours ? 'DejaVu Sans Bold,13' : ',13') offset 1.3,down[i] } else {
      set label name[i] at at_x[i],at_y[i] right front boxed font (ours ? 'DejaVu Sans Bold,13' : ',13') offset -1.3,down[i] }
  }
}
mine(i) = lesson eq '00' || word(rung[i], 1) eq lesson
plot for [i = 1:|rung|] '+' using (at_x[i]):(at_y[i]) every ::0::0 with points pointtype (mine(i) ? 7 : 6) pointsize (mine(i) ? 1.3 : 1.1) \
  linewidth 1.8 linecolor rgb (mine(i) ? '#D55E00' : '#777777'), \
  for [i = 1:|rung|] '+' using (at_x[i]):(also_y[i]) every ::0::0 with points pointtype 2 pointsize 0.9 linewidth 1.6 linecolor rgb 'black'
