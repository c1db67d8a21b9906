lesson = '02'
load 'plots/pictures/roofs.gp'
