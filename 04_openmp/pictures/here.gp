lesson = '04'
load 'plots/pictures/roofs.gp'
