//go:build !goexperiment.arenas

package main

func buildArena() {}
