// profiles allocates and waits in known ways, then aborts. "profiles write"
// writes its own heap and goroutine profiles before that, heap.own and
// goroutine.own, as a program has them that serves net/http/pprof; "profiles
// early" dies before any collection and without having read a profile.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"time"
)

type node struct {
	next *node
	room [6]int
}

var (
	kept  []*node
	blobs [][]byte
	table = map[string][]byte{}
	words []string
	known [][]byte
	pairs []any
)

func inlined(n int) *node { return &node{room: [6]int{n}} }

func twice(n int) *node {
	a := inlined(n)
	a.next = inlined(n + 1)
	return a
}

type pair[A, B any] struct {
	a A
	b B
}

//go:noinline
func makePair[A, B any](a A, b B) *pair[A, B] { return &pair[A, B]{a, b} }

//go:noinline
func list(n int) {
	for i := 0; i < n; i++ {
		kept = append(kept, twice(i))
	}
}

//go:noinline
func tree(depth int) *node {
	if depth == 0 {
		return inlined(0)
	}
	n := tree(depth - 1)
	return &node{next: n}
}

//go:noinline
func fill(n int) {
	for i := 0; i < n; i++ {
		key := fmt.Sprint("key ", i)
		table[key] = make([]byte, 100+i%2000)
		words = append(words, strings.Repeat("word", 1+i%9))
		blobs = append(blobs, make([]byte, i%40<<8))
		pairs = append(pairs, makePair(i, key))
	}
}

//go:noinline
func work(c chan int, wg *sync.WaitGroup) {
	wg.Done()
	<-c
}

//go:noinline
func waitDeep(depth int, c chan int, wg *sync.WaitGroup) {
	if depth == 0 {
		work(c, wg)
		return
	}
	waitDeep(depth-1, c, wg)
}

func start() {
	var wg sync.WaitGroup
	c := make(chan int)
	for i := 0; i < 20; i++ {
		depth := i % 3
		wg.Add(2)
		go func() { work(c, &wg) }()
		go func() { waitDeep(depth, c, &wg) }()
	}
	for i := 0; i < 6; i++ {
		wg.Add(1)
		labels := pprof.Labels("request", fmt.Sprint(i%2), "kind", "slow")
		go func() { // not `go pprof.Do`: a profile leaves its wrapper out
			pprof.Do(context.Background(), labels,
				func(context.Context) { work(c, &wg) })
		}()
	}
	wg.Wait()
}

func write(name string) {
	f, err := os.Create(name + ".own")
	if err != nil {
		panic(err)
	}
	if err := pprof.Lookup(name).WriteTo(f, 0); err != nil {
		panic(err)
	}
	f.Close()
}

//go:noinline
func hundred() {
	for i := 0; i < 100; i++ {
		known = append(known, make([]byte, 1024))
	}
}

func die() {
	syscall.Kill(syscall.Getpid(), syscall.SIGABRT)
	time.Sleep(time.Hour)
}

func main() {
	debug.SetGCPercent(-1)
	if os.Args[1] == "early" {
		runtime.MemProfileRate = 1
		hundred()
		die()
	}
	runtime.MemProfileRate = 4096
	list(2000)
	kept = append(kept, tree(50))
	fill(3000)
	start()
	runtime.GC()
	kept, blobs = kept[:1000], nil
	fill(500)
	runtime.GC()
	runtime.GC()
	fill(300) // not published
	time.Sleep(50 * time.Millisecond)
	write("goroutine")
	write("heap")
	die()
}
