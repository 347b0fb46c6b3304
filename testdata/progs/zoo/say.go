package main

import (
	"reflect"
	"runtime"
	"syscall"
	"unsafe"
)

// What the program knows of itself is kept where the collector does not look:
// these arrays hold no pointers and live outside of the heap, and addresses
// are kept inverted so that no word of them looks like a pointer.

type record struct{ set, inverted uintptr }

type setInfo struct {
	name, typ string
	size      uintptr
	live      bool
}

var (
	records  [2048]record
	nrecords int
	sets     [128]setInfo
	nsets    int
	out      [1 << 20]byte
	nout     int
)

// note records that the object at p belongs to the named set.
//
//go:noinline
func note(set, typ string, size uintptr, live bool, p unsafe.Pointer) {
	i := 0
	for i < nsets && (sets[i].name != set || sets[i].typ != typ) {
		i++
	}
	if i == nsets {
		sets[i] = setInfo{set, typ, size, live}
		nsets++
	}
	records[nrecords] = record{uintptr(i), ^uintptr(p)}
	nrecords++
}

// typeName is the type's name with its full import path.
func typeName(t reflect.Type) string {
	if t.Name() != "" && t.PkgPath() != "" {
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}

// mk allocates a T, records it, and returns it.
//
//go:noinline
func mk[T any](set string, live bool) *T {
	p := new(T)
	t := reflect.TypeOf(p).Elem()
	note(set, typeName(t), t.Size(), live, unsafe.Pointer(p))
	return p
}

func put(s string) { nout += copy(out[nout:], s) }

func putUint(x uint64, base uint64) {
	var b [24]byte
	i := len(b)
	for {
		i--
		b[i] = "0123456789abcdef"[x%base]
		x /= base
		if x == 0 {
			break
		}
	}
	nout += copy(out[nout:], b[i:])
}

func putInt(x int64) {
	if x < 0 {
		put("-")
		x = -x
	}
	putUint(uint64(x), 10)
}

func putAddress(p uintptr) {
	put(`"0x`)
	putUint(uint64(p), 16)
	put(`"`)
}

// putString writes s as a JSON string; bytes that need more than a
// backslash do not occur in what this program says.
func putString(s string) {
	put(`"`)
	for i := 0; i < len(s); i++ {
		if s[i] == '"' || s[i] == '\\' {
			put(`\`)
		}
		out[nout] = s[i]
		nout++
	}
	put(`"`)
}

func putField(name string, v uint64) {
	put(`,"`)
	put(name)
	put(`":`)
	putUint(v, 10)
}

func sayStats() {
	m := &memStats
	put(`{"go":`)
	putString(runtime.Version())
	put(`,"arch":"` + runtime.GOARCH + `"`)
	putField("pid", uint64(syscall.Getpid()))
	putField("goroutines", uint64(runtime.NumGoroutine()))
	put("}\n")
	put(`{"memstats":{"Sys":`)
	putUint(m.Sys, 10)
	putField("HeapAlloc", m.HeapAlloc)
	putField("HeapObjects", m.HeapObjects)
	putField("HeapInuse", m.HeapInuse)
	putField("HeapIdle", m.HeapIdle)
	putField("HeapReleased", m.HeapReleased)
	putField("HeapSys", m.HeapSys)
	putField("StackInuse", m.StackInuse)
	putField("StackSys", m.StackSys)
	putField("MSpanInuse", m.MSpanInuse)
	putField("MCacheInuse", m.MCacheInuse)
	putField("BuckHashSys", m.BuckHashSys)
	putField("GCSys", m.GCSys)
	putField("OtherSys", m.OtherSys)
	putField("Mallocs", m.Mallocs)
	putField("Frees", m.Frees)
	putField("NumGC", uint64(m.NumGC))
	put("}}\n")
}

func saySets() {
	for i := 0; i < nsets; i++ {
		s := &sets[i]
		put(`{"set":`)
		putString(s.name)
		put(`,"type":`)
		putString(s.typ)
		put(`,"size":`)
		putUint(uint64(s.size), 10)
		if s.live {
			put(`,"live":true`)
		} else {
			put(`,"live":false`)
		}
		put(`,"addresses":[`)
		first := true
		for j := 0; j < nrecords; j++ {
			if records[j].set == uintptr(i) {
				if !first {
					put(",")
				}
				first = false
				putAddress(^records[j].inverted)
			}
		}
		put("]}\n")
	}
}

// flush writes what was said so far with the bare system call.
func flush() {
	for i := 0; i < nout; {
		n, _, e := syscall.RawSyscall(syscall.SYS_WRITE, 1, uintptr(unsafe.Pointer(&out[i])), uintptr(nout-i))
		if e != 0 {
			break
		}
		i += int(n)
	}
	nout = 0
}
