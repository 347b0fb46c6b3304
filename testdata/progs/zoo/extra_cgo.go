//go:build cgo

package main

/*
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

extern int zooCallback(int);

static void *sleeper(void *x) { for (;;) sleep(100); return x; }
static void *caller(void *x) { zooCallback(7); return x; }

static void start_threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sleeper, NULL);
	pthread_create(&t, NULL, caller, NULL);
}

static void block_in_c(void) { for (;;) sleep(1000); }
static int call_back(int n) { return zooCallback(n) + 1; }
static void *c_memory(void) { char *p = malloc(300000); p[0] = 1; p[200000] = 2; return p; }
*/
import "C"

import "unsafe"

type tCallback struct{ id, a, b int }

var cMemory unsafe.Pointer

//export zooCallback
func zooCallback(n C.int) C.int {
	p := mk[tCallback]("variable of a callback from C", true)
	park()
	return C.int(p.a)
}

// startExtra adds what only a program with C has: a goroutine in C, a
// callback from C on a goroutine and on a thread of C's own, a thread that
// never knew Go, memory of malloc.
func startExtra() {
	cMemory = C.c_memory()
	C.start_threads()
	go C.block_in_c()
	go C.call_back(3)
}
