package main

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"
)

type churned struct {
	next *churned
	data [5]*int
	name string
}

var (
	gChurn []*churned
	gNames = map[string]*churned{}
)

// dieOf makes the kernel's default action happen on the signal: the process
// ends with a core on the spot, no handler of the runtime's in between.
func dieOf(s syscall.Signal) {
	var action [4]uintptr
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}

// gcMode collects without end while a goroutine replaces what it keeps. A
// debugger stops it where it wants, in the middle of marking or of sweeping,
// and sends it SIGSYS.
func gcMode() {
	dieOf(syscall.SIGSYS)
	for i := 0; i < 3000; i++ {
		c := &churned{name: digits(i)}
		c.data[i%5] = new(int)
		gChurn = append(gChurn, c)
		if i%10 == 0 {
			gNames[c.name] = c
		}
	}
	debug.SetGCPercent(20)
	go func() {
		for i := 0; ; i++ {
			c := &churned{name: digits(i), next: &churned{}}
			c.data[0] = new(int)
			gChurn[i*7%len(gChurn)] = c
			if i%100 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	for {
		runtime.GC()
	}
}

type session struct {
	id    int
	token string
	body  [200]byte
}

type cache struct{ sessions map[int]*session }

var gCache = &cache{sessions: map[int]*session{}}

//go:noinline
func (c *cache) remember(id int) {
	c.sessions[id] = &session{id: id, token: "session " + digits(id)}
}

// leakMode keeps 100 sessions more for each byte that it reads, and says so.
func leakMode() {
	var b [1]byte
	for id := 0; ; {
		for i := 0; i < 100; i++ {
			gCache.remember(id)
			id++
		}
		runtime.GC()
		runtime.GC()
		put(`{"sessions":`)
		putInt(int64(id))
		put("}\n")
		flush()
		if n, _ := syscall.Read(0, b[:]); n != 1 {
			killSelf(syscall.SIGABRT)
		}
	}
}
