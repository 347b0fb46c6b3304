// Dumplist turns what debug.WriteHeapDump wrote into plain text.
//
//	dumplist objects DUMP    a line "ADDRESS SIZE" for each object record, by address
//	dumplist memprof DUMP    a line "SIZE ALLOCS FREES" for each bucket of the memory
//	                         profile, then its stack, a line "\tFUNCTION FILE:LINE" each
//	dumplist frames DUMP     a line "goroutine ID" each, then "\tPC FUNCTION" per frame
//
// The format is that of "go1.7 heap dump", which is what every Go since writes.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
)

const header = "go1.7 heap dump\n"

// The tags of the records (runtime/heapdump.go).
const (
	tagEOF = iota
	tagObject
	tagOtherRoot
	tagType
	tagGoroutine
	tagStackFrame
	tagParams
	tagFinalizer
	tagItab
	tagOSThread
	tagMemStats
	tagQueuedFinalizer
	tagData
	tagBSS
	tagDefer
	tagPanic
	tagMemProf
	tagAllocSample
)

type object struct{ address, size uint64 }

type reader struct{ *bufio.Reader }

func (r reader) num() uint64 {
	x, err := binary.ReadUvarint(r)
	check(err)
	return x
}

func (r reader) nums(n int) (x []uint64) {
	for ; n > 0; n-- {
		x = append(x, r.num())
	}
	return x
}

func (r reader) str() string {
	b := make([]byte, r.num())
	_, err := io.ReadFull(r, b)
	check(err)
	return string(b)
}

// skip leaves out a string and tells its length.
func (r reader) skip() uint64 {
	n := r.num()
	_, err := io.CopyN(io.Discard, r, int64(n))
	check(err)
	return n
}

// fields leaves out a list of pointer slots.
func (r reader) fields() {
	for r.num() != 0 {
		r.num()
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "dumplist:", err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: dumplist objects|memprof|frames DUMP")
		os.Exit(2)
	}
	f, err := os.Open(os.Args[2])
	check(err)
	r := reader{bufio.NewReaderSize(f, 1<<20)}
	h := make([]byte, len(header))
	_, err = io.ReadFull(r, h)
	check(err)
	if string(h) != header {
		check(fmt.Errorf("%s is no heap dump", os.Args[2]))
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	list(r, w, os.Args[1])
}

func list(r reader, w *bufio.Writer, what string) {
	var objects []object
	for {
		switch t := r.num(); t {
		case tagEOF:
			sort.Slice(objects, func(i, j int) bool { return objects[i].address < objects[j].address })
			for _, o := range objects {
				fmt.Fprintf(w, "%x %d\n", o.address, o.size)
			}
			return
		case tagObject:
			o := object{r.num(), r.skip()}
			r.fields()
			if what == "objects" {
				objects = append(objects, o)
			}
		case tagOtherRoot:
			r.skip()
			r.num()
		case tagType:
			r.nums(2)
			r.skip()
			r.num()
		case tagGoroutine:
			g := r.nums(8)
			r.skip()
			r.nums(4)
			if what == "frames" {
				fmt.Fprintf(w, "goroutine %d\n", g[2])
			}
		case tagStackFrame:
			r.nums(3)
			r.skip()
			p := r.nums(3)
			name := r.str()
			r.fields()
			if what == "frames" {
				fmt.Fprintf(w, "\t%x %s\n", p[1], name)
			}
		case tagParams:
			r.nums(4)
			r.skip()
			r.skip()
			r.num()
		case tagFinalizer, tagQueuedFinalizer:
			r.nums(5)
		case tagItab, tagAllocSample:
			r.nums(2)
		case tagOSThread:
			r.nums(3)
		case tagMemStats:
			r.nums(24 + 256 + 1)
		case tagData, tagBSS:
			r.num()
			r.skip()
			r.fields()
		case tagDefer:
			r.nums(7)
		case tagPanic:
			r.nums(6)
		case tagMemProf:
			bucket(r, w, what == "memprof")
		default:
			check(fmt.Errorf("unknown record %d", t))
		}
	}
}

func bucket(r reader, w *bufio.Writer, show bool) {
	r.num()
	size, n := r.num(), r.num()
	stack := ""
	for ; n > 0; n-- {
		function, file := r.str(), r.str()
		stack += fmt.Sprintf("\t%s %s:%d\n", function, file, r.num())
	}
	allocs, frees := r.num(), r.num()
	if show {
		fmt.Fprintf(w, "%d %d %d\n%s", size, allocs, frees, stack)
	}
}
