lesson = '03'
load 'plots/pictures/roofs.gp'
