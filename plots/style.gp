# What all charts share. tools/drawing.py gives the variables with -e: dir (of these scripts), data, out, format
# ('svg' or 'png'), title, footer, count (how many lines, or kinds of bar), beside (how many to compare them with),
# longest (letters of the longest name), hollow (1 if there are disturbed points), ticks (where the x axis is labelled),
# left and right (where it ends), and to some charts more. In title, footer and labels a ¶ begins a new line.
# noenhanced leaves the `_` in names alone.
set encoding utf8
set micro

# All lengths are pixels of a picture 600 wide, to be read on a telephone too: below the plot of height `tall` stand the
# axis' name, the key in one to three columns, and the footer; each as high as it needs.
wide = 600
if (!exists('tall')) tall = 300
if (!exists('before')) before = 74
if (!exists('after')) after = exists('level') ? 104 : 18
if (!exists('turned')) turned = 0   # more room for long labels of the x axis
if (!exists('entries')) entries = count + beside
columns = longest > 35 ? 1 : longest > 20 ? 2 : 3
keyrows = (entries + columns - 1) / columns
lines_in(text) = strstrt(text, '¶') ? 1 + lines_in(text[strstrt(text, '¶')+1:]) : 1
broken(text) = strstrt(text, '¶') ? text[1:strstrt(text, '¶')-1]."\n".broken(text[strstrt(text, '¶')+1:]) : text
foot = 16 * lines_in(footer) + 8
under = foot + 24 * keyrows + 58 + turned
over = 22 * lines_in(title) + (exists('upright') ? 34 : 14)
high = over + tall + under
if (format eq 'svg') set terminal svg size wide,high noenhanced font 'sans-serif,14' background 'white'
# pngcairo's letters are points of 4/3 pixels, svg's are pixels.
if (format eq 'png') set terminal pngcairo size 2*wide,2*high noenhanced font 'sans-serif,14' fontscale 1.5 \
    linewidth 2 pointscale 2 background 'white'
set output out
set label 1 broken(title) at screen 0.5, screen 1-16.0/high center font ',16'
set label 2 broken(footer) at screen 8.0/wide, screen (foot-10.0)/high left font ',12' textcolor rgb '#444444'
set lmargin at screen 1.0*before/wide
set rmargin at screen 1-1.0*after/wide
set tmargin at screen 1-1.0*over/high
set bmargin at screen 1.0*under/high
set border 3
set tics nomirror
set clip two
set grid xtics ytics mytics linetype 1 linewidth 0.8 dashtype 1 linecolor rgb '#d0d0d0', \
    linetype 1 linewidth 0.4 dashtype 1 linecolor rgb '#e4e4e4'
set key at screen 4.0/wide, screen (foot+24.0*keyrows+3)/high left top Left reverse samplen 1.8 font ',13' \
    maxrows (keyrows > 0 ? keyrows : 1) spacing 1.2 width 1-0.22*longest   # letters are narrower than gnuplot thinks
if (entries == 0) unset key
set xlabel offset 0, 0.4
# Where labels have five digits or more gnuplot, which thinks them wider than they are, would have no room for the axis' name.
if (exists('top')) set ylabel offset (top >= 1e4 ? floor(log10(top)) - 3 : 0), 0
set xrange [left:right]
eval 'set xtics ('.ticks.')'
# Rates begin at zero: twice as high is twice as fast. Given rates, the axis is logarithmic
# and labelled there: what is a hundred times as slow would lie on the floor.
if (!exists('bottom')) bottom = 0
set yrange [bottom:*]
if (exists('top')) set yrange [bottom:top]
set format y '%g'
if (exists('rates')) {
  set logscale y
  eval 'set ytics ('.rates.')'
}

# Okabe and Ito's colours, which the colour-blind can tell apart (wine for their yellow, too pale on white; grey is for
# what stands beside); points, dashes and patterns differ as well, for black and white. Points are full: a hollow one was disturbed.
colours = '#000000 #E69F00 #0072B2 #009E73 #D55E00 #56B4E9 #CC79A7 #882255 #000000 #E69F00 #0072B2 #D55E00 \
#009E73 #56B4E9 #CC79A7 #000000 #E69F00 #0072B2'
points = '7 5 9 11 13 15'
dashes = '1 2 4 5 3 1 2 4 3 5 1 2 3 4 5 2 3 1'
patterns = '3 1 4 2 5 6 7 3 1 4 2 5'
shades = '#e9f1f9 #c9def1 #a3c9e7 #78b0da #5496c9 #3a7fb8'   # kinds of bar that have an order: light to dark
shape(i) = int(word(points, (i-1) % 6 + 1))
do for [i = 1:18] {
  set linetype i linecolor rgb word(colours, i) pointtype shape(i) dashtype int(word(dashes, i)) linewidth 1.8 pointsize 0.9
}
set linetype cycle 18
pattern(i) = int(word(patterns, (i-1) % 12 + 1))
look(i) = int(word(looks, i+1))   # of a bar: which linetype and pattern
thick(i) = exists('bold') && i == bold ? 4 : 1.8

# Marks with their text on them: upright[i] at an x, such as the last thread that has a core of its own, and
# level[i] at a y, such as the processor's peak, with its text in the margin, where no line runs.
if (exists('upright')) {
  do for [i = 1:|upright|] {
    set arrow from upright[i], graph 0 to upright[i], graph 1 nohead dashtype 3 linewidth 1.2 linecolor rgb '#555555'
    set label upright_text[i] at upright[i], graph 1.045 center font ',13'
  }
}
if (exists('level')) {
  do for [i = 1:|level|] {
    set arrow from left, level[i] to right, level[i] nohead dashtype 2 linewidth 1.2
    set label broken(level_text[i]) at right, level[i] left offset 0.6, (|level| > 1 ? 0.9*(i > 1) : 0.5) font ',13'
  }
}

# A data file holds one block for each line or kind of bar, two empty lines apart: its name, which
# columnheader(1) reads, then rows of x, y, the two ends of y's spread (NaN where there is none), and 1 if the row was
# disturbed. Bars have two columns more before that: where their label stands, and the label.
# Error bars are arrows with flat heads: gnuplot's own wipe out the middle of what they stand on.
spread = 'using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 fixed'
curves = 'for [i = 0:count-1] data index i @spread linetype i+1 dashtype 1 notitle, \
  for [i = 0:count-1] data index i using 1:2 with linespoints linetype i+1 linewidth thick(i) title columnheader(1), \
  for [i = 0:hollow*count-1] data index i using 1:($5 > 0 ? $2 : NaN) with points pointtype shape(i+1) pointsize 0.5 \
    linecolor rgb "white" notitle'
# What stands beside the lines, to compare them with (beside blocks more): thin and grey.
others = 'for [i = count:count+beside-1] data index i using 1:2 with linespoints dashtype 2+(i-count)%4 linewidth 1.2 \
  linecolor rgb "#666666" pointtype shape(i-count+1) pointsize 0.6 title columnheader(1)'
# Bars, the disturbed ones empty; over each its spread and its label.
bars_of = 'for [i = 0:count-1] data index i using 1:($7 > 0 ? NaN : $2):(width) with boxes @filled title columnheader(1), \
  for [i = 0:hollow*count-1] data index i using 1:($7 > 0 ? $2 : NaN):(width) with boxes fillstyle empty linecolor rgb "#333333" \
    dashtype 1 linewidth 1.4 notitle, \
  for [i = 0:count-1] data index i @spread linetype 1 linewidth 1.2 notitle'
# The slanted roofs of a roofline, each a line of two points with its name at the end, in the room above the peak; then
# the level ones, with theirs in the margin.
hue(i) = word('#B34700 #0072B2 #007A59 #7A5C00', (i-count) % 4 + 1)
roofs = 'for [i = count:count+slanted-1] data index i using 1:2 with lines linewidth 1.6 dashtype 1 linecolor rgb hue(i) notitle, \
  for [i = count:count+slanted-1] data index i using 3:2:4 every ::2 with labels rotate by angle left offset 0.4, 0.5 \
    font ",13" textcolor rgb hue(i) notitle, \
  for [i = count+slanted:count+beside-1] data index i using 1:2 with lines linewidth 1.4 dashtype 2 \
    linecolor rgb "#555555" notitle, \
  for [i = count+slanted:count+beside-1] data index i using (right):2:4 every ::2 with labels left offset 0.4, 0 \
    font ",13" notitle'
