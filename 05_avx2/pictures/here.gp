lesson = '05'
load 'plots/pictures/roofs.gp'
