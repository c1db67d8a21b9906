# What all charts share. tools/charts.py gives the variables with -e: dir (of these scripts), data, out, format ('svg', 'wide' or 'png'),
# title, footer, count (how many lines, or kinds of bar), beside (how many to compare them with), longest (letters of the
# longest name), hollow (1 if there are disturbed points), and to some charts more. Ticks, their labels and the columns of a key are gnuplot's.
set encoding utf8
set micro
# 400 pixels wide, to be read on a telephone too, or 900 where the page has the room ('wide'); higher where the key has many
# lines. Below stands the footer.
wide = format eq 'wide' ? 900 : 400
if (!exists('tall')) tall = format eq 'wide' ? 400 : 270
if (!exists('turned')) turned = 0   # more room for long labels of the x axis
if (!exists('entries')) entries = count + beside
columns = int((wide-16) / (7.5*longest+50))
columns = columns < 1 ? 1 : columns > 4 ? 4 : columns
keyrows = (entries + columns - 1) / columns
lines_in(text) = strstrt(text, "\n") ? 1 + lines_in(text[strstrt(text, "\n")+1:]) : 1
foot = 20 * lines_in(footer) + 8
over = 18 + 20 * lines_in(title)
line = 24   # pixels of the key's lines
if (tall < line * keyrows + 20) tall = line * keyrows + 20   # else gnuplot adds columns, that the picture has no room for
under = 54 + line * keyrows + turned
high = over + tall + under + foot
if (format ne 'png') set terminal svg size wide,high noenhanced font 'sans-serif,15' background 'white'
# pngcairo's letters are points of 4/3 pixels, svg's are pixels.
if (format eq 'png') set terminal pngcairo size 3*wide,3*high noenhanced font 'sans-serif,15' fontscale 2.25 \
    linewidth 3 pointscale 3 background 'white'   # noenhanced leaves the `_` in names alone
set output out
set bmargin at screen 1.0*(foot+under)/high
set label 2 title at screen 0.5, screen 1-18.0/high center font ',16'
set tmargin at screen 1-1.0*over/high
set label 1 footer at screen 8.0/wide, screen (foot-12.0)/high left font ',14' textcolor rgb '#444444'
set border 3
set tics nomirror
set clip two
set grid xtics ytics mytics linetype 1 linewidth 0.8 dashtype 1 linecolor rgb '#d0d0d0', \
    linetype 1 linewidth 0.4 dashtype 1 linecolor rgb '#e4e4e4'
set key at screen 8.0/wide, screen 1.0*(foot+line*keyrows)/high left top vertical Left reverse samplen 1.8 font ',15' \
    maxrows (keyrows > 0 ? keyrows : 1) width 1-0.22*longest   # letters are narrower than gnuplot thinks
if (entries == 0) unset key
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set xlabel offset 0, 0.5
# Rates begin at zero: twice as high is twice as fast. With `log` the axis is logarithmic.
if (exists('log') && log) set logscale y; else set yrange [0:*]
set format y '%g'

# Okabe and Ito's colours, which the colour-blind can tell apart (wine for their yellow, too pale on white; grey is for
# what stands beside); points, dashes and patterns differ as well, for black and white. Points are full: a hollow one was disturbed.
colours = '#000000 #E69F00 #0072B2 #009E73 #D55E00 #56B4E9 #CC79A7 #882255 #000000 #E69F00 #0072B2 #D55E00 \
#009E73 #56B4E9 #CC79A7 #000000 #E69F00 #0072B2'
points = '7 5 9 11 13 15'
dashes = '1 2 4 5 3 1 2 4 3 5 1 2 3 4 5 2 3 1'
shape(i) = int(word(points, (i-1) % 6 + 1))
do for [i = 1:18] {
  set linetype i linecolor rgb word(colours, i) pointtype shape(i) dashtype int(word(dashes, i)) linewidth 1.8 pointsize 0.9
}
set linetype cycle 18
thick(i) = exists('bold') && i == bold ? 4 : 1.8

# Marks with their text on them: upright[i] at an x, such as the last thread that has a core of its own.
if (exists('upright')) {
  do for [i = 1:|upright|] {
    set arrow from upright[i], graph 0 to upright[i], graph 1 nohead dashtype 3 linewidth 1.2 linecolor rgb '#555555'
    set label upright_text[i] at upright[i], graph 0.02 left rotate by 90 offset -1.1, 0 font ',15'
  }
}

# A data file holds one block for each line, two empty lines apart: its name, which columnheader(1) reads, then rows of x, y,
# the two ends of y's spread (NaN where there is none), and 1 if the row was disturbed.
# Error bars are arrows with flat heads: gnuplot's own wipe out the middle of what they stand on.
curves = 'for [i = 0:count-1] data index i using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 fixed linetype i+1 dashtype 1 notitle, \
  for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 linewidth thick(i) title columnheader(1), \
  for [i = 0:hollow*count-1] data index i using 1:($5 > 0 ? $2 : NaN) with points pointtype shape(i+1) pointsize 0.5 \
    linecolor rgb "white" notitle'
# What stands beside the lines, to compare them with (beside blocks more): thin and grey.
others = 'for [i = count:count+beside-1] data index i using 1:2 with linespoints dashtype 2+(i-count)%4 linewidth 1.2 \
  linecolor rgb "#666666" pointtype shape(i-count+1) pointsize 0.6 title columnheader(1)'
