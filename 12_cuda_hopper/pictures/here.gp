lesson = '12'
load 'plots/pictures/roofs.gp'
