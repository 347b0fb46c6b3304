package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"zoo/label"
)

var (
	mutex   sync.Mutex
	rwmutex sync.RWMutex
	cond    = sync.NewCond(new(sync.Mutex))
	group   sync.WaitGroup
	spin    int32
	other   sync.Mutex
	pipes   []*os.File
	started int32
)

type stack[T any] struct{ items []T }

// each calls f for each element: a generic method that blocks in a closure.
//
//go:noinline
func (s *stack[T]) each(f func(T)) {
	for _, x := range s.items {
		f(x)
	}
}

//go:noinline
func apply[K comparable, V any](m map[K]V, f func(K, V)) {
	for k, v := range m {
		f(k, v)
	}
}

// inner, middle and outer are inlined into their caller.
func inner(c chan int) int  { return <-c + 1 }
func middle(c chan int) int { return inner(c) * 2 }
func outer(c chan int) int  { return middle(c) + 3 }

//go:noinline
func recurse(n int, c chan int) int {
	if n == 0 {
		return outer(c)
	}
	return recurse(n-1, c) + n
}

type ping struct{ n int }
type pong struct{ n int }

//go:noinline
func (p *ping) hit(n int, q *pong) int {
	if n == 0 {
		park()
	}
	return q.hit(n-1, p) + p.n
}

//go:noinline
func (q *pong) hit(n int, p *ping) int {
	if n == 0 {
		park()
	}
	return p.hit(n-1, q) + q.n
}

type runner interface{ run(c chan int) int }

func (p ping) run(c chan int) int { return outer(c) + p.n }

// hold blocks below two deferred calls.
//
//go:noinline
func hold() {
	defer func() { keepInt(1) }()
	defer recover()
	park()
}

// lastWords blocks while a panic and, in its deferred call, another one run.
//
//go:noinline
func lastWords() {
	defer func() {
		defer func() { park() }()
		panic("second")
	}()
	panic("first")
}

//go:noinline
func afterNil(p *ping) {
	defer func() { park() }()
	keepInt(p.n)
}

//go:noinline
func bigFrame() {
	var a [6000]int
	a[len(os.Args)] = 1
	park()
	keepInt(a[3])
}

//go:noinline
func spinning() {
	for atomic.LoadInt32(&spin) == 0 {
	}
}

func blockingPipe() int {
	var p [2]int
	if err := syscall.Pipe2(p[:], 0); err != nil {
		panic(err)
	}
	return p[0]
}

//go:noinline
func readPipe(fd int) {
	var b [16]byte
	syscall.Read(fd, b[:])
}

// startStates starts a goroutine for each state that a goroutine can be in.
func startStates() {
	c := make(chan int)
	go func() { <-c }()
	go func() { make(chan int) <- 1 }()
	go func() { var none chan int; <-none }()
	go func() { var none chan int; none <- 1 }()
	go func() {
		select {
		case <-c:
		case make(chan int) <- 1:
		}
	}()
	go func() { select {} }()
	mutex.Lock()
	go mutex.Lock()
	rwmutex.Lock()
	go rwmutex.RLock()
	go rwmutex.Lock()
	go func() {
		cond.L.Lock()
		cond.Wait()
	}()
	group.Add(1)
	go group.Wait()
	go time.Sleep(time.Hour)
	go func() { <-time.After(time.Hour) }()
	go func() {
		select {
		case <-time.NewTicker(time.Hour).C:
		case <-c:
		}
	}()
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	pipes = []*os.File{r, w}
	go r.Read(make([]byte, 64))
	go readPipe(blockingPipe())
	go func() {
		runtime.LockOSThread()
		<-c
	}()
	go func() {
		runtime.LockOSThread()
		readPipe(blockingPipe())
	}()
	go recurse(300, c)
	go new(ping).hit(41, new(pong))
	go func() {
		s := &stack[string]{[]string{"a", "b"}}
		s.each(func(string) { outer(c) })
	}()
	go func() {
		apply(map[string]ping{"x": {3}}, func(k string, p ping) { p.run(c) })
	}()
	go func() { outer(c) }()
	go func(r runner) { r.run(c) }(&ping{7})
	go hold()
	go lastWords()
	go afterNil(nil)
	go recovered()
	go bigFrame()
	go func() {
		label.Set("who", "labelled", "what", "waits on a channel")
		go func() { <-c }()
		<-c
	}()
	go func() {
		go func() {
			go park()
			park()
		}()
	}()
	time.AfterFunc(time.Millisecond, park)
	blockFinalizers()
	blockCleanups()
	startExtra()
	for i := 0; i < runtime.GOMAXPROCS(0)-1; i++ {
		go spinning()
	}
}

//go:noinline
func overflow(n int, a [4]int) int {
	a[n%4] = n
	return overflow(n+1, a) + a[(n+1)%4]
}

type failure struct{ code int }

func (f failure) Error() string { return "failure of the zoo" }

// perish dies in the way that death says.
//
//go:noinline
func perish(death string) {
	switch death {
	case "panic":
		panic("the zoo is closed")
	case "error":
		var e error = failure{7}
		panic(e)
	case "nil":
		var p *ping
		keepInt(p.n)
	case "index":
		keepInt(records[:nsets][nsets+len(os.Args)].hash())
	case "fatal":
		other.Unlock()
	case "abrt":
		killSelf(syscall.SIGABRT)
	case "quit":
		killSelf(syscall.SIGQUIT)
	case "segv":
		killSelf(syscall.SIGSEGV)
	case "overflow":
		debug.SetMaxStack(256 << 10)
		keepInt(overflow(0, [4]int{1, 2, 3, 4}))
	case "wait":
		// a debugger takes the core; see make.sh
		time.Sleep(time.Hour)
	}
}

func (r record) hash() int { return int(r.set) }

func statesMode(death string) {
	fd := openDump(argument(3))
	startStates()
	time.Sleep(100 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	sayAll(fd)
	perish(death)
}
