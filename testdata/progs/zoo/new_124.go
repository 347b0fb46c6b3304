//go:build go1.24

package main

import (
	"runtime"
	"sync/atomic"
	"time"
	"unique"
	"unsafe"
	"weak"
)

type (
	tCleanTarget struct {
		id int
		a  [41]int
	}
	tCleanKept struct{ id, a, b int }
	tCleanArg  struct{ id, a int }
	tCleanPend struct{ id, a, b int }
	tWeakKept  struct {
		id int
		p  *int
	}
	tWeakOnly struct {
		id int
		a  [49]int
	}
	tUnique struct {
		id, a, b int
		s        string
	}
)

var (
	gCleanKept []*tCleanKept
	gWeak      []weak.Pointer[tWeakKept]
	gWeakKept  []*tWeakKept
	gWeakOnly  []weak.Pointer[tWeakOnly]
	gUnique    []unique.Handle[tUnique]

	cleanupsBlocked int32
)

// blockCleanups makes the goroutines that run cleanups block for good. In Go
// 1.24 they run on the goroutine of the finalizers, which is blocked already.
func blockCleanups() {
	setCleanupBlockers()
	runtime.GC()
	for i := 0; i < 50 && atomic.LoadInt32(&cleanupsBlocked) == 0; i++ {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(5 * time.Millisecond)
}

//go:noinline
func setCleanupBlockers() {
	for i := 0; i < 4; i++ {
		runtime.AddCleanup(&tBlocker{id: i}, func(n int) {
			atomic.StoreInt32(&cleanupsBlocked, 1)
			park()
		}, i)
	}
}

func buildNew() {
	for i := 0; i < 3; i++ {
		p := mk[tCleanKept]("object with a cleanup", true)
		runtime.AddCleanup(p, func(a *tCleanArg) { keepInt(a.a) },
			mk[tCleanArg]("cleanup argument", true))
		gCleanKept = append(gCleanKept, p)

		w := mk[tWeakKept]("weak and strong pointer", true)
		gWeakKept = append(gWeakKept, w)
		gWeak = append(gWeak, weak.Make(w))

		u := unique.Make(tUnique{i, 1, 2, "unique"})
		note("unique.Handle", "main.tUnique", unsafe.Sizeof(tUnique{}), true,
			*(*unsafe.Pointer)(unsafe.Pointer(&u)))
		gUnique = append(gUnique, u)
	}
	gWeakOnly = make([]weak.Pointer[tWeakOnly], 3)
}

//go:noinline
func buildPendingNew() {
	for i := 0; i < 3; i++ {
		p := mk[tCleanTarget]("object whose cleanup is pending", false)
		runtime.AddCleanup(p, func(a *tCleanPend) { keepInt(a.a) },
			mk[tCleanPend]("pending cleanup argument", true))
	}
}

//go:noinline
func buildGarbageNew() {
	for i := range gWeakOnly {
		gWeakOnly[i] = weak.Make(mk[tWeakOnly]("weak pointer only", false))
	}
}
