// Zoo is the program whose cores heapcore is tested on: it builds things that
// are known, says what they are, and dies in the way that it was told.
//
//	zoo heap  [DUMP]          every way of being kept alive, then abort
//	zoo dirty [DUMP]          the same with garbage that no collection saw
//	zoo maps  [DUMP [few]]    maps of every kind, then abort
//	zoo states DEATH [DUMP]   goroutines in every state, then DEATH
//	zoo gc                    collections without end, for a debugger to stop
//	zoo leak                  grows by one batch for each byte on its input
//
// DUMP is a file for debug.WriteHeapDump. What the program knows of itself
// goes to its standard output as JSON lines.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

var never = make(chan int) // nobody ever sends on it
var memStats runtime.MemStats

// park blocks the goroutine for good.
//
//go:noinline
func park() { <-never }

func argument(i int) string {
	if i < len(os.Args) {
		return os.Args[i]
	}
	return ""
}

// openDump opens the heap-dump file without an os.File, which would be an
// object of its own.
func openDump(name string) int {
	if name == "" {
		return -1
	}
	fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_TRUNC|syscall.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	return fd
}

// sayAll writes the heap dump, the memory statistics and the records, all of
// it without a heap allocation. It comes after the last collection, so that
// what is allocated is what the collector kept.
func sayAll(fd int) {
	if fd >= 0 {
		debug.WriteHeapDump(uintptr(fd))
	}
	runtime.ReadMemStats(&memStats)
	sayStats()
	saySets()
	flush()
}

// killSelf sends the signal to the process and waits for the end.
//
//go:noinline
func killSelf(s syscall.Signal) {
	syscall.Kill(syscall.Getpid(), s)
	time.Sleep(time.Hour)
}

func main() {
	runtime.MemProfile(nil, false) // keeps the memory profile linked in
	runtime.MemProfileRate = 2048
	debug.SetGCPercent(-1) // collections happen where the program says
	switch argument(1) {
	case "heap":
		heapMode(false)
	case "dirty":
		heapMode(true)
	case "maps":
		mapsMode()
	case "states":
		statesMode(argument(2))
	case "gc":
		gcMode()
	case "leak":
		leakMode()
	default:
		println("usage: zoo heap|dirty|maps|states|gc|leak")
		os.Exit(2)
	}
}
