lesson = '01'
load 'plots/pictures/roofs.gp'
