//go:build !cgo

package main

func startExtra() {}
