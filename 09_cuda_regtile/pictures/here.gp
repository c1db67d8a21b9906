lesson = '09'
load 'plots/pictures/roofs.gp'
