module leaks

go 1.18
