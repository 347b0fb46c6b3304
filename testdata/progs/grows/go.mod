module grows

go 1.18
