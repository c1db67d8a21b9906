lesson = '08'
load 'plots/pictures/roofs.gp'
