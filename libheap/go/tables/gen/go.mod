module gen

go 1.18
