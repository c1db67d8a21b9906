# What all charts share. tools/report/drawing.py gives the variables with -e: dir (of these scripts), data, out, title,
# count (how many lines), beside (how many further blocks), longest (letters of the longest name), and to each script more.
set encoding utf8
set micro
# Not wide, to be read on a telephone too; as high as plot and key need. lines.gp has no key, but names on the right.
if (!exists('wide')) wide = 400
if (!exists('tall')) tall = 270
if (!exists('under')) under = 58   # pixels of the x axis
if (!exists('entries')) entries = count + beside   # of the key
columns = int((wide-8) / (8.6*longest+44)); columns = columns < 1 ? 1 : columns > 4 ? 4 : columns
keyrows = (entries + columns - 1) / columns
lines_in(text) = strstrt(text, "\n") ? 1 + lines_in(text[strstrt(text, "\n")+1:]) : 1
foot = 4
if (!exists('above')) above = 0   # pixels of panels' headings
over = 14 + 20 * lines_in(title) + above
line = 22   # pixels of a line of the key
high = over + tall + under + line*keyrows + foot
set terminal svg size wide,high noenhanced font 'sans-serif,15' background 'white'
set output out
set tmargin at screen 1-1.0*over/high
set bmargin at screen 1.0*(foot+line*keyrows+under)/high
set lmargin at screen 62.0/wide; set rmargin at screen 1-14.0/wide
set label 1 title at screen 0.5, screen 1-17.0/high center font ',16'
set border 3
set tics nomirror font ',14'
set xlabel offset 0, 0.5
set grid xtics ytics linetype 1 linewidth 0.8 dashtype 1 linecolor rgb '#dddddd'
set key at screen 6.0/wide, screen 1.0*(foot+line*keyrows+2)/high left top vertical Left reverse samplen 1.6 font ',14' \
    maxrows (keyrows > 0 ? keyrows : 1) width 1-0.1*longest
if (entries == 0) unset key

# Okabe and Ito's colours, which the colour-blind can tell apart (wine for their yellow, too pale on white; grey is for
# what stands beside); points and dashes differ as well, for black and white.
colours = '#000000 #C77F00 #0072B2 #007A59 #D55E00 #3C9BD6 #B0558A #882255'
points = '7 5 9 11 13 15'
dashes = '1 2 4 5 3'
colour(i) = word(colours, (i-1) % 8 + 1)
shape(i) = int(word(points, (i-1) % 6 + 1))
do for [i = 1:24] {
  set linetype i linecolor rgb colour(i) pointtype shape(i) dashtype int(word(dashes, (i-1) / 6 % 5 + 1)) linewidth 1.8 pointsize 0.8
}
grey = '#666666'
