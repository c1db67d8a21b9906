# 15: the rungs so far, in percent of twice one GPU's rate, f32, n = 8192: `local` in turns with one GPU, the others with `local`.
height = 176
load 'plots/pictures/grid.gp'
data = 'plots/reference/h200/two_gpus_ratios.csv'
set datafile separator ','
ratio(variant, beside) = sprintf('(strcol(1) eq "%s" && strcol(2) eq "f32" && $3 == 8192 && strcol(6) eq "%s" ? $8 : NaN)', variant, beside)
array names = ['local', 'staged', 'peer', 'nccl', 'overlapped']
array ideas = ['nothing to send', 'through the host', 'over NVLink', 'by NCCL', 'panels, overlapped']
array shares[5]
do for [v = 1:5] {
  eval 'stats data every ::1 using '.ratio(names[v], v == 1 ? 'one GPU' : 'local').' nooutput'
  shares[v] = v == 1 ? STATS_mean/2 : STATS_mean*shares[1]
}
set xrange [-0.82:1.27]; set yrange [6.6:0]
set label 'f32, n = 8192; 100 %: twice the rate of one H200' at -0.8,0.6 font ',13' textcolor rgb '#555555'
do for [v = 1:5] {
  set object rectangle from 0,v + 0.2 to shares[v],v + 0.85 fillcolor rgb '#e0912f' linewidth 0
  set label ideas[v] at -0.8,v + 0.52
  set label sprintf('%.1f %%', 100*shares[v]) at 1.03,v + 0.52
}
set arrow from 1,1 to 1,6 nohead linewidth 1.5 linecolor rgb '#222222'
plot NaN notitle
