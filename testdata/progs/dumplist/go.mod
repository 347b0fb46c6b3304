module dumplist

go 1.18
