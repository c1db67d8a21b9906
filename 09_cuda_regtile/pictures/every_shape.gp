# 09: random shapes by their smallest side: best over cuBLAS at its best, as it was and now.
set encoding utf8
set terminal svg size 510,360 noenhanced font 'DejaVu Sans,14' background rgb 'white'
set datafile separator comma
# A line for each random shape: its smallest side, and the smaller ratio of its rows.
random = system('python3 09_cuda_regtile/search/shapes.py 62 200')
least = 'BEGIN { split("'.random.'", shapes, ","); for (i in shapes) is[shapes[i]] } '. \
        'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } '. \
        '{ m = $at["m"]; n = $at["n"]; k = $at["k"]; of = m "x" n "x" k; ratio = $at["ratio"] + 0 } '. \
        '$at["type"] == "f32" && $at["variant"] == "best" && of in is { if (!(of in least) || ratio < least[of]) least[of] = ratio; '. \
        'side[of] = m < n ? m : n; if (k + 0 < side[of] + 0) side[of] = k } END { for (of in least) print side[of] "," least[of] }'
rows(name) = "< awk -F, '".least."' plots/reference/h200/".name.".csv"
set border 3; set tics nomirror
set logscale xy; set xrange [0.85:9000]; set yrange [0.015:8]
set xtics ('1' 1, '4' 4, '16' 16, '64' 64, '256' 256, '1024' 1024, '4096' 4096)
set ytics ('0.02' 0.02, '0.05' 0.05, '0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2, '5' 5)
set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'
set arrow from graph 0,first 1 to graph 1,first 1 nohead front linecolor rgb '#555555'
set xlabel 'smallest of m, n and k (f32, one H200)'
set ylabel 'rate, cuBLAS = 1'
set key bottom right reverse Left samplen 1.2
plot rows('every_shape_before') with points pointtype 6 pointsize 0.6 linewidth 1.2 linecolor rgb '#999999' title 'before', \
     rows('every_shape') with points pointtype 7 pointsize 0.6 linecolor rgb '#0072B2' title 'now'
