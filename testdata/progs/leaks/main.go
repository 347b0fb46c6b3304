// leaks: one leak of a kind that real programs have, then death by abort.
//
//	leaks MODE
//
// Everything else that it does is small, so that whoever looks into the core
// must find the leak.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
)

type session struct {
	user string
	data [256]byte
}

// A map that only grows.
var gSessions = map[int]*session{}

func leakMap() {
	for i := 0; i < 20000; i++ {
		gSessions[i] = &session{user: fmt.Sprintf("user %d", i)}
	}
}

type job struct {
	id      int
	payload []byte
}

// A stack whose popped slots are not cleared.
var gStack []*job

func leakSlice() {
	for i := 0; i < 10000; i++ {
		gStack = append(gStack, &job{i, make([]byte, 512)})
	}
	gStack = gStack[:3]
}

// Goroutines that wait for what never comes.
func waitForever(ch chan int) {
	<-ch
}

func leakGoroutines() {
	for i := 0; i < 5000; i++ {
		go waitForever(make(chan int))
	}
	time.Sleep(200 * time.Millisecond)
}

// The other side of leakBodies: another process, which ends with this one.
func serve() {
	server := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			w.Write(bytes.Repeat([]byte("x"), 100000))
		}))
	fmt.Println(server.URL)
	io.Copy(io.Discard, os.Stdin)
}

// Responses whose bodies are not closed.
func leakBodies() {
	server := exec.Command(os.Args[0], "serve")
	server.StdinPipe()
	out, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		panic(err)
	}
	var url string
	fmt.Fscanln(out, &url)
	for i := 0; i < 100; i++ {
		response, err := http.Get(url)
		if err != nil {
			panic(err)
		}
		_ = response.StatusCode
	}
}

type contextKey int

// A context that grows by one value for each request.
var gContext = context.Background()

func leakContext() {
	for i := 0; i < 20000; i++ {
		gContext = context.WithValue(gContext, contextKey(i),
			fmt.Sprintf("request %d", i))
	}
}

// A pool into which very large buffers go back.
var gPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func leakPool() {
	var all []*bytes.Buffer
	for i := 0; i < 40; i++ {
		b := gPool.Get().(*bytes.Buffer)
		b.Grow(1 << 20)
		all = append(all, b)
	}
	for _, b := range all {
		gPool.Put(b)
	}
}

// Handlers, each of which captured all of what it needs a word of.
var gHandlers []func() int

//go:noinline
func handlers(n int) {
	for i := 0; i < n; i++ {
		body := make([]byte, 1<<20)
		gHandlers = append(gHandlers, func() int { return len(body) })
	}
}

func leakClosures() { handlers(20) }

// A queue that nobody empties, and those who wait to put more into it.
var gQueue = make(chan *job, 5000)

//go:noinline
func send(j *job) { gQueue <- j }

func leakQueue() {
	for i := 0; i < 5000; i++ {
		gQueue <- new(job)
	}
	for i := 0; i < 40; i++ {
		go send(new(job))
	}
	time.Sleep(200 * time.Millisecond)
}

type watcher struct {
	name   string
	ticker *time.Ticker
	seen   [64]int
}

func (w *watcher) run() {
	for range w.ticker.C {
		w.seen[0]++
	}
}

// Tickers that are never stopped, each with its goroutine.
func leakTickers() {
	for i := 0; i < 3000; i++ {
		w := &watcher{name: "w", ticker: time.NewTicker(time.Hour)}
		go w.run()
	}
	time.Sleep(200 * time.Millisecond)
}

type answer struct {
	text string
	at   time.Time
}

type cache struct {
	mu sync.Mutex
	by map[string]*answer
}

// A cache without a bound, keyed by a string.
var gCache = &cache{by: map[string]*answer{}}

func leakCache() {
	for i := 0; i < 20000; i++ {
		key := fmt.Sprintf("GET /items/%d?session=%064d", i, i)
		gCache.by[key] = &answer{strings.Repeat("=", 100), time.Now()}
	}
}

// The same names again and again.
var gNames []string

func leakStrings() {
	for i := 0; i < 20000; i++ {
		gNames = append(gNames, string([]byte(
			"a name that is read from a request each time")))
	}
}

// A map that was large once.
var gEmptied = map[int][4]int{}

func leakEmptied() {
	for i := 0; i < 100000; i++ {
		gEmptied[i] = [4]int{i}
	}
	for i := 10; i < 100000; i++ {
		delete(gEmptied, i)
	}
}

func main() {
	if os.Args[1] == "serve" {
		serve()
		return
	}
	leak, ok := map[string]func(){
		"map": leakMap, "slice": leakSlice,
		"goroutines": leakGoroutines, "bodies": leakBodies,
		"context": leakContext, "pool": leakPool, "closures": leakClosures,
		"queue":   leakQueue,
		"tickers": leakTickers, "cache": leakCache,
		"strings": leakStrings, "emptied": leakEmptied,
	}[os.Args[1]]
	if !ok {
		os.Exit(2)
	}
	leak()
	if os.Args[1] != "pool" {
		runtime.GC()
	}
	debug.SetTraceback("crash")
	syscall.Kill(syscall.Getpid(), syscall.SIGABRT)
	time.Sleep(time.Minute)
}
