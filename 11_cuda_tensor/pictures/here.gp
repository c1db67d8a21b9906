lesson = '11'
load 'plots/pictures/roofs.gp'
