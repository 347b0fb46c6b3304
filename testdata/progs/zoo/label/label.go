// Package label gives the goroutine profiler labels without the weight of
// runtime/pprof: it hands the runtime a list of the same shape.
package label

import "unsafe"

//go:linkname setProfLabel runtime/pprof.runtime_setProfLabel
func setProfLabel(p unsafe.Pointer)
