package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	adup "zoo/a/dup"
	bdup "zoo/b/dup"
)

// One type for each way of being kept alive.
type (
	tGlobal struct {
		id, a int
		next  *tGlobal
	}
	tGlobalArray struct{ id, a, b int }
	tSpare       struct{ id, a, b, c int }
	tMapValue    struct {
		id int
		p  *int
	}
	tMapKey    struct{ id, a int }
	tBigKeyPtr struct{ id, a int }
	tBigValPtr struct{ id, a, b, c, d int }
	tClosure   struct{ id, a, b int }
	tMethod    struct {
		id, a int
		self  *tMethod
	}
	tIface      struct{ id, a, b, c, d, e int }
	tIfaceField struct{ id, a int }
	tIfaceBox   struct {
		p *tIfaceField
		n int
	}
	tChanBuf  struct{ id, a int }
	tSend     struct{ id, a int }
	tSelect   struct{ id, a, b int }
	tInterior struct {
		id, a int
		b     [20]int
		c     int
	}
	tUnsafe struct {
		id int
		p  *int
		a  [4]int
	}
	tLarge      struct{ id, a, b int }
	tHeader     struct{ id, a int }
	tStackVar   struct{ id, a, b int }
	tStackObj   struct{ id, a, b, c int }
	tStackChain struct{ id, a int }
	tStackArray struct{ id, a, b int }
	tArena      struct{ id, a, b int }
	tArg        struct {
		id, a int
		p     *int
	}
	tArgStack  struct{ id, a int }
	tDeferLoop struct{ id, a int }
	tDeferOpen struct{ id, a, b int }
	tPanic     struct{ id, a int }
	tPanicRun  struct{ id, a, b int }
	tGoArg     struct{ id, a int }
	tTimer     struct{ id, a int }
	tPool      struct {
		id int
		a  [30]int
	}
	tPoolGone struct {
		id int
		a  [170]int
	}
	tSyncMap   struct{ id, a int }
	tContext   struct{ id, a, b, c int }
	tFinObject struct {
		id int
		p  *tFinField
	}
	tFinField   struct{ id, a, b, c int }
	tFinClosure struct{ id, a int }
	tFinPending struct {
		id, a int
		p     *tFinPendFld
	}
	tFinPendFld struct{ id, a int }
	tFinPendClo struct{ id, a, b int }
	tString     struct {
		id int
		s  string
	}
	tAtomic                    struct{ id, a int }
	tPair[K comparable, V any] struct {
		key   K
		value V
		id    int
	}
	tDeadStack struct {
		id int
		a  [21]int
	}
	tGarbage struct {
		id   int
		next *tGarbage
		a    [25]int
	}
	tCycle struct {
		id    int
		other *tCycle
		a     [33]int
	}
)

type bigKey struct {
	p *tBigKeyPtr
	a [18]int
} // 152 bytes: kept indirectly
type bigVal struct {
	p *tBigValPtr
	a [20]int
}

// header is over 512 bytes and has pointers, more than 128 words of them.
type header struct {
	p [100]*tHeader
	n [20]int
	q [40]*tHeader
}
type holder struct {
	p *tStackObj
	n int
}
type chain struct {
	next *chain
	p    *tStackChain
}

func (t *tMethod) get() int { return t.id }

var (
	gGlobal   *tGlobal
	gArray    [5]*tGlobalArray
	gSpare    []*tSpare
	gMap      = map[string]*tMapValue{}
	gMapKeys  = map[*tMapKey]int{}
	gMapBig   = map[bigKey]bigVal{}
	gFunc     func() int
	gMethod   func() int
	gIface    interface{}
	gIfaceBox interface{}
	gGetter   interface{ get() int }
	gChan     = make(chan *tChanBuf, 6)
	gInterior [3]*int
	gUnsafe   unsafe.Pointer
	gLarge    *[20000]*tLarge
	gHeaders  []header
	gPool     sync.Pool
	gPoolGone sync.Pool
	gSyncMap  sync.Map
	gCtx      context.Context
	gFin      []*tFinObject
	gStrings  []tString
	gAtomic   atomic.Value
	gPair     *tPair[int, string]
	gPairPtr  *tPair[string, *tPair[int, string]]
	gLocal    interface{}
	gAnon     *struct {
		ID, A int
		B     *int
	}
	gReflected interface{}
	gDupA      *adup.T
	gDupB      *bdup.T
	gGone      interface{} // set and cleared again
	sink       int
)

//go:noinline
func keepInt(n int) { sink += n }

func buildGlobals() {
	gGlobal = mk[tGlobal]("global", true)
	gGlobal.next = mk[tGlobal]("global", true)
	for i := range gArray {
		gArray[i] = mk[tGlobalArray]("global array", true)
	}
	s := make([]*tSpare, 8)
	for i := range s {
		s[i] = mk[tSpare]("slice spare capacity", true)
	}
	gSpare = s[:2]
	for _, k := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
		gMap[k] = mk[tMapValue]("map value", true)
		gMapKeys[mk[tMapKey]("map key", true)] = len(k)
		var b bigKey
		b.p = mk[tBigKeyPtr]("indirect map key", true)
		gMapBig[b] = bigVal{p: mk[tBigValPtr]("indirect map value", true)}
	}
	gIface = mk[tIface]("interface", true)
	gIfaceBox = tIfaceBox{mk[tIfaceField]("boxed interface value", true), 3}
	gGetter = mk[tMethod]("non-empty interface", true)
	gUnsafe = unsafe.Pointer(mk[tUnsafe]("unsafe.Pointer", true))
	for i := range gInterior {
		gInterior[i] = &mk[tInterior]("interior pointer only", true).c
	}
	gLarge = new([20000]*tLarge)
	for _, i := range []int{0, 1, 777, 19998, 19999} {
		gLarge[i] = mk[tLarge]("large array", true)
	}
	gHeaders = make([]header, 5)
	for i := range gHeaders {
		gHeaders[i].p[0] = mk[tHeader]("object with a header", true)
		gHeaders[i].q[39] = mk[tHeader]("object with a header", true)
	}
	gAtomic.Store(mk[tAtomic]("atomic.Value", true))
	gPair = mk[tPair[int, string]]("generic type", true)
	gPairPtr = mk[tPair[string, *tPair[int, string]]]("generic type", true)
	gPairPtr.value = mk[tPair[int, string]]("generic type", true)
	type local struct{ id, a, b, c, d int }
	gLocal = mk[local]("type of a function", true)
	gAnon = mk[struct {
		ID, A int
		B     *int
	}]("anonymous struct", true)
	gDupA = mk[adup.T]("package a/dup", true)
	gDupB = mk[bdup.T]("package b/dup", true)
	buildReflected()
	for i := 0; i < 3; i++ {
		b := make([]byte, 100+i)
		for j := range b {
			b[j] = 'a' + byte(j%26)
		}
		t := tString{i, string(b)}
		note("string data", "string (data)", uintptr(len(b)), true, *(*unsafe.Pointer)(unsafe.Pointer(&t.s)))
		gStrings = append(gStrings, t)
	}
}

func buildFuncs() {
	p := mk[tClosure]("closure capture", true)
	gFunc = func() int { return p.a }
	gMethod = mk[tMethod]("method value", true).get
	t := mk[tTimer]("running timer", true)
	time.AfterFunc(time.Hour, func() { keepInt(t.a) })
	for i := 0; i < 6; i++ {
		gChan <- mk[tChanBuf]("channel buffer", i >= 3)
		if i == 2 {
			// these three are taken out again, so the ring wraps
			for j := 0; j < 3; j++ {
				<-gChan
				sets[nsets-1].name = "received from a channel"
			}
		}
	}
	for i := 0; i < 2; i++ {
		gChan <- mk[tChanBuf]("channel buffer", true)
	}
	for i := 0; i < 20; i++ {
		gSyncMap.Store(i, mk[tSyncMap]("sync.Map", true))
		if i == 10 {
			gSyncMap.Range(func(k, v interface{}) bool { return true })
		}
	}
	type ctxKey int
	ctx := context.WithValue(context.Background(), ctxKey(1), mk[tContext]("context chain", true))
	ctx, cancel := context.WithCancel(ctx)
	_ = cancel
	child, cancel := context.WithCancel(ctx)
	_ = cancel
	note("context child", "context.cancelCtx", 0, true, (*[2]unsafe.Pointer)(unsafe.Pointer(&child))[1])
	gCtx = context.WithValue(ctx, ctxKey(2), mk[tContext]("context chain", true))
}

func buildFinalizers() {
	for i := 0; i < 3; i++ {
		o := mk[tFinObject]("object with a finalizer", true)
		o.p = mk[tFinField]("field of an object with a finalizer", true)
		c := mk[tFinClosure]("finalizer closure", true)
		runtime.SetFinalizer(o, func(o *tFinObject) { keepInt(o.id + c.a) })
		gFin = append(gFin, o)
	}
}

// buildPending leaves objects whose finalizers will wait in the queue: the
// goroutine that runs finalizers is blocked by then.
func buildPending() {
	for i := 0; i < 3; i++ {
		o := mk[tFinPending]("pending finalizer", true)
		o.p = mk[tFinPendFld]("field of a pending finalizer's object", true)
		c := mk[tFinPendClo]("pending finalizer closure", true)
		runtime.SetFinalizer(o, func(o *tFinPending) { keepInt(o.id + c.a) })
	}
}

var finalizerBlocked int32

type tBlocker struct{ id, a, b, c, d, e, f int }

// blockFinalizers makes the goroutine that runs finalizers block for good.
func blockFinalizers() {
	setBlocker()
	runtime.GC()
	for atomic.LoadInt32(&finalizerBlocked) == 0 {
		time.Sleep(time.Millisecond)
	}
}

//go:noinline
func setBlocker() {
	runtime.SetFinalizer(&tBlocker{id: 1}, func(b *tBlocker) {
		atomic.StoreInt32(&finalizerBlocked, 1)
		park()
	})
}

//go:noinline
func buildGarbage() {
	for i := 0; i < 4; i++ {
		g := mk[tGarbage]("garbage", false)
		g.next = mk[tGarbage]("garbage", false)
		a, b := mk[tCycle]("garbage cycle", false), mk[tCycle]("garbage cycle", false)
		a.other, b.other = b, a
		gGone = g
		gGone = a
	}
	gGone = nil
}

//go:noinline
func putPool() {
	for i := 0; i < 3; i++ {
		gPool.Put(mk[tPool]("sync.Pool", true))
	}
}

//go:noinline
func putPoolGone() {
	for i := 0; i < 3; i++ {
		gPoolGone.Put(mk[tPoolGone]("sync.Pool, two collections ago", false))
	}
}

// heapMode builds everything and dies. With dirty the last collection does
// not happen: what is garbage is still allocated.
func heapMode(dirty bool) {
	fd := openDump(argument(2))
	blockFinalizers()
	blockCleanups()
	buildGlobals()
	buildFuncs()
	buildFinalizers()
	buildNew()
	buildArena()
	startKeepers()
	time.Sleep(50 * time.Millisecond)
	buildPending()
	buildPendingNew()
	if !dirty {
		putPoolGone()
	}
	runtime.GC()
	if !dirty {
		putPool()
	}
	buildGarbage()
	buildGarbageNew()
	if !dirty {
		runtime.GC()
	}
	sayAll(fd)
	killSelf(6)
}
