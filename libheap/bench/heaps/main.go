// Command heaps builds a heap of about N objects in one of four shapes, says
// what the runtime counts, and dies so that its core can be measured.
//
//	heaps tree|random|list|chained N
//
// tree: a binary tree with strings and byte slices, sessions in maps, a slice
// of interfaces: what programs look like. random: nodes with two or three
// pointers to anywhere: the worst for caches. list: a shuffled linked list:
// one cache miss after another. chained: a list whose nodes' strings are also
// in a table: dominators that are quadratic are so here.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

type node struct {
	left, right *node
	key         int64
	name        string
	data        []byte
}

type session struct {
	id    string
	attrs map[string]string
	node  *node
}

type vertex struct {
	a, b, c *vertex
	key     int64
}

type link struct {
	next *link
	name *string
}

var (
	root     *node
	sessions = map[string]*session{}
	values   []fmt.Stringer
	start    *vertex
	chain    *link
	table    []*string
)

func (n *node) String() string { return n.name }

// build makes a tree of n nodes, each with a name and data: 3 objects.
func build(n int, key int64) *node {
	if n == 0 {
		return nil
	}
	left := (n - 1) / 2
	return &node{build(left, 2*key), build(n-1-left, 2*key+1), key,
		"node " + strconv.FormatInt(key, 10), make([]byte, 40)}
}

func makeTree(n int) {
	root = build(n*4/15, 1)
	for i, at := 0, root; i < n/50; i++ {
		id := "session " + strconv.Itoa(i)
		sessions[id] = &session{id, map[string]string{"user": id}, at}
		if at = at.left; at == nil {
			at = root
		}
		values = append(values, at)
	}
}

func makeRandom(n int) {
	all := make([]*vertex, n)
	for i := range all {
		all[i] = &vertex{key: int64(i)}
	}
	for _, v := range all {
		v.a, v.b = all[rand.Intn(n)], all[rand.Intn(n)]
		if rand.Intn(2) == 0 {
			v.c = all[rand.Intn(n)]
		}
	}
	start = all[0]
}

func makeList(n int) {
	all := make([]*vertex, n)
	for i := range all {
		all[i] = new(vertex)
	}
	rand.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := 1; i < n; i++ {
		all[i-1].a = all[i]
	}
	start = all[0]
}

func makeChained(n int) {
	for i := 0; i < n/2; i++ {
		name := new(string)
		*name = "x"
		table = append(table, name)
		chain = &link{chain, name}
	}
}

func main() {
	shapes := map[string]func(int){"tree": makeTree, "random": makeRandom,
		"list": makeList, "chained": makeChained}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil || shapes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: heaps tree|random|list|chained N")
		os.Exit(2)
	}
	shapes[os.Args[1]](n)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.HeapObjects)
	syscall.Kill(os.Getpid(), syscall.SIGABRT)
	time.Sleep(time.Second)
}
