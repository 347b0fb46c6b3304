//go:build !reflectmade

package main

func buildReflected() {}
func startReflected() {}
