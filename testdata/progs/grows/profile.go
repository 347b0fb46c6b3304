//go:build !noprofile

package main

import "runtime"

// profile has every allocation counted.
func profile() {
	runtime.MemProfileRate = 1
}

// profiled sums up what the runtime says that a function has in use.
func profiled(function string) (objects, bytes int64) {
	records := make([]runtime.MemProfileRecord, 10000)
	n, ok := runtime.MemProfile(records, false)
	if !ok {
		panic("too many records")
	}
	for _, r := range records[:n] {
		frames := runtime.CallersFrames(r.Stack())
		for {
			f, more := frames.Next()
			if f.Function == function {
				objects += r.InUseObjects()
				bytes += r.InUseBytes()
				break
			}
			if !more {
				break
			}
		}
	}
	return objects, bytes
}
