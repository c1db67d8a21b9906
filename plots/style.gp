# What all charts share. tools/drawing.py gives the variables with -e: dir (of these scripts), data, out, format
# ('svg' or 'png'), title, machine, count (how many lines, or bars in a group), beside (how many to compare them
# with), longest (letters of the longest name), ticks (where the x axis is labelled), left and right (where it ends),
# and to some charts more. noenhanced leaves the `_` in names alone.
set encoding utf8
set micro
if (format eq 'svg') set terminal svg size 900,560 noenhanced font 'sans-serif,14' background 'white'
if (format eq 'png') set terminal pngcairo size 1350,840 noenhanced font 'sans-serif,14' fontscale 1.5 \
    linewidth 1.5 pointscale 1.5 background 'white'
set output out
set title title font ',16'
set label 1 machine at screen 0.012, screen 0.022 font ',10' textcolor rgb '#555555'
set bmargin 5.2
set border 3
set tics nomirror
set grid xtics ytics mytics linetype 1 linewidth 0.6 dashtype 1 linecolor rgb '#dddddd'
# The key has the right of the picture; where a name is long or there are many, in smaller letters: gnuplot would
# begin a second column, outside.
set rmargin at screen 0.645
if (!exists('entries')) entries = count + beside
wide = 30.0 / longest
high = 22.0 / entries
letters = sprintf(',%.1f', 11 * (wide < high ? (wide < 1 ? wide : 1) : (high < 1 ? high : 1)))
set key at screen 0.655, screen 0.9 left top Left reverse samplen 3 maxcols 1 font letters
set key spacing (entries > 16 ? 1.0 : 1.2)
set xrange [left:right]
eval 'set xtics ('.ticks.')'

# Okabe and Ito's colours, which the colour-blind can tell apart (wine for their yellow, too pale on white; grey is for what stands beside);
# points, dashes and patterns differ as well, for black and white.
colours = '#000000 #E69F00 #0072B2 #009E73 #D55E00 #56B4E9 #CC79A7 #882255 #000000 #E69F00 #0072B2 #D55E00 \
#009E73 #56B4E9 #CC79A7 #000000 #E69F00 #0072B2'
points = '7 5 9 11 13 15 4 6 8 10 12 14 5 7 9 1 2 3'
dashes = '1 2 4 5 3 1 2 4 3 5 1 2 3 4 5 2 3 1'
patterns = '3 1 4 2 5 6 7 3 1 4 2 5'
do for [i = 1:18] {
  set linetype i linecolor rgb word(colours, i) pointtype int(word(points, i)) dashtype int(word(dashes, i)) \
      linewidth 1.8 pointsize 0.9
}
set linetype cycle 18
pattern(i) = int(word(patterns, (i-1) % 12 + 1))
look(i) = int(word(looks, i+1))   # of a bar: which linetype and pattern

# Marks with their text on them: upright[i] at an x, such as the last thread that has a core of its own, and
# level[i] at a y, such as the processor's peak; with level_x[i] and level_side[i] they say where the text is in nobody's
# way, and lines are paler under it.
set style textbox opaque margins 0.2, 0.1 fillcolor rgb '#70ffffff' noborder
if (exists('upright')) {
  do for [i = 1:|upright|] {
    set arrow from upright[i], graph 0 to upright[i], graph 1 nohead dashtype 3 linewidth 1.2 linecolor rgb '#555555'
    set label upright_text[i] at upright[i], graph 1.03 center font ',11'
  }
}
if (exists('level')) {
  do for [i = 1:|level|] {
    set arrow from left, level[i] to right, level[i] nohead dashtype 2 linewidth 1.2
    if (!exists('level_x')) { set label level_text[i] at left, level[i] offset 1, 0.6 font ',11' }
    else { set label level_text[i] at level_x[i], level[i] offset 1, 0.6*level_side[i] front boxed font ',11' }
  }
}

# A data file holds one block for each line or kind of bar, two empty lines apart: its name, which
# columnheader(1) reads, then rows of x, y and the two ends of y's spread (NaN where there is none). Bars have
# two columns more: where their label stands, and the label.
# Error bars are arrows with flat heads: gnuplot's own wipe out the middle of what they stand on.
spread = 'using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 fixed'
# What stands beside the lines, to compare them with (beside blocks more): thin and grey, each with a point of its own.
others = 'for [i = count:count+beside-1] data index i using 1:2 with linespoints dashtype i%4+2 linewidth 1.1 \
  linecolor rgb "#777777" pointtype int(word("6 4 8 10 12 1 2 3 14", (i-count) % 9 + 1)) pointsize 0.6 \
  title columnheader(1)'
