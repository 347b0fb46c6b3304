//go:build !go1.24

package main

func blockCleanups()   {}
func buildNew()        {}
func buildPendingNew() {}
func buildGarbageNew() {}
