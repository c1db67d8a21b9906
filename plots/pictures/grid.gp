# Shared by the pictures: matrices as grids of cells. `set object` counts on by itself; y grows downwards.
set encoding utf8
width = 510   # a telephone shows it in 358 pixels, where letters of 13 are 9 pixels high: none is smaller
set terminal svg size width, height noenhanced font 'DejaVu Sans,14' background rgb 'white'
unset key; unset tics; unset border
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0
set style fill solid 1.0 border rgb '#555555'
plain = '#f4f4f4'; now = '#e69f00'; line = '#cfe6f5'; walk = '#56b4e9'  # Okabe-Ito, and a pale one for "in the same line"

# cell X Y COLOUR: a unit square whose upper left corner is (x, y)
cell = 'set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" linewidth 0.6'
draw(x, y, colour) = sprintf(cell, x, y, x + 1, y + 1, colour)
