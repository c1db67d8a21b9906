lesson = '13'
load 'plots/pictures/roofs.gp'
