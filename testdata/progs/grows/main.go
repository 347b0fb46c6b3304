// grows: leaks 500 tickets more for each byte that it reads, and says what it
// then has, so that a debugger may take cores in between.
//
// What else it does is larger or busier, but does not grow: whoever compares
// two cores must find the tickets.
package main

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

type ticket struct {
	id   int
	text [120]byte
}

type office struct {
	open map[int]*ticket
}

// What leaks.
var gOffice = &office{open: map[int]*ticket{}}

// Large, there from the beginning.
var gPlan [][]byte

// Replaced each time, so all of it is new.
var gDay []*[64]int

// Grows as well, but little.
var gLog []string

var gLine int // where tickets are allocated

//go:noinline
func issue(id int) *ticket {
	_, _, gLine, _ = runtime.Caller(0)
	t := &ticket{id: id}
	gLine++
	return t
}

func work(from int) {
	for i := from; i < from+500; i++ {
		gOffice.open[i] = issue(i)
	}
	gDay = nil
	for i := 0; i < 300; i++ {
		gDay = append(gDay, &[64]int{i})
	}
	gLog = append(gLog, fmt.Sprintf("day %d", from))
}

func main() {
	profile()
	for i := 0; i < 100; i++ {
		gPlan = append(gPlan, make([]byte, 10000))
	}
	for b := make([]byte, 1); ; {
		work(len(gOffice.open))
		runtime.GC()
		runtime.GC()
		objects, bytes := profiled("main.issue")
		fmt.Printf(`{"type": "%T", "count": %d, "bytes": %d, `+
			`"line": %d, "profile_objects": %d, "profile_bytes": %d}`+
			"\n", ticket{}, len(gOffice.open),
			len(gOffice.open)*int(unsafe.Sizeof(ticket{})), gLine,
			objects, bytes)
		if n, _ := os.Stdin.Read(b); n != 1 {
			return
		}
	}
}
