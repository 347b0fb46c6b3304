module profiles

go 1.18
