lesson = '00'
load 'plots/pictures/roofs.gp'
