lesson = '07'
load 'plots/pictures/roofs.gp'
