package main

// Goroutines whose stacks keep objects alive, one way each.

//go:noinline
func stackVariable() {
	p := mk[tStackVar]("stack variable", true)
	park()
	keepInt(p.a)
}

//go:noinline
func stackObject() {
	// its address is passed down and it is not used again: only the
	// pointer in the callee leads to it
	var h holder
	h.p = mk[tStackObj]("stack object only", true)
	readHolder(&h)
}

//go:noinline
func readHolder(h *holder) {
	park()
	keepInt(h.p.a)
}

// stackList is a list whose elements lie in the frames of the recursion.
//
//go:noinline
func stackList(n int, next *chain) {
	c := chain{next, mk[tStackChain]("list of stack objects", true)}
	if n > 0 {
		stackList(n-1, &c)
		return
	}
	walkList(&c)
}

//go:noinline
func walkList(c *chain) {
	park()
	for ; c != nil; c = c.next {
		keepInt(c.p.a)
	}
}

// stackArray is large enough for its pointer mask to be a program or to be
// made on demand, where the version knows such.
//
//go:noinline
func stackArray() {
	var a [17000]*tStackArray
	for _, i := range []int{0, 1, 16998, 16999} {
		a[i] = mk[tStackArray]("large array on the stack", true)
	}
	readArray(&a)
}

//go:noinline
func readArray(a *[17000]*tStackArray) {
	park()
	for _, p := range a {
		keepInt(p.a)
	}
}

//go:noinline
func argumentOf(p *tArg) {
	park()
	keepInt(p.a)
}

// stackArgument's arguments do not go in registers.
//
//go:noinline
func stackArgument(n int, ps [2]*tArgStack) {
	park()
	keepInt(ps[n].a)
}

//go:noinline
func deferLoop() {
	for i := 0; i < 3; i++ {
		p := mk[tDeferLoop]("defer argument in a loop", true)
		defer deferred(p)
	}
	park()
}

//go:noinline
func deferred(p *tDeferLoop) { keepInt(p.a) }

//go:noinline
func deferOpen() {
	p := mk[tDeferOpen]("open-coded defer", true)
	defer func() { keepInt(p.a) }()
	park()
}

// recovered blocks while its panic, though recovered, is still running.
//
//go:noinline
func recovered() {
	defer func() {
		if recover() != nil {
			park()
		}
	}()
	panic(mk[tPanic]("value of a recovered panic", true))
}

//go:noinline
func panicking() {
	defer func() { recover() }()
	defer func() { park() }()
	panic(mk[tPanicRun]("value of a running panic", true))
}

//go:noinline
func goArgument(p *tGoArg) {
	park()
	keepInt(p.a)
}

//go:noinline
func blockedSender() {
	c := make(chan *tSend)
	c <- mk[tSend]("blocked sender", true)
}

//go:noinline
func blockedSelect() {
	c, d := make(chan *tSelect), make(chan *tSelect)
	select {
	case c <- mk[tSelect]("select", true):
	case d <- mk[tSelect]("select", true):
	case <-never:
	}
}

// deadVariable's object is not used after the goroutine has blocked.
//
//go:noinline
func deadVariable() {
	p := mk[tDeadStack]("dead stack variable", false)
	keepInt(p.id)
	park()
}

func startKeepers() {
	go stackVariable()
	go stackObject()
	go stackList(5, nil)
	go stackArray()
	go func() { argumentOf(mk[tArg]("argument", true)) }()
	go func() {
		stackArgument(1, [2]*tArgStack{
			mk[tArgStack]("argument on the stack", true),
			mk[tArgStack]("argument on the stack", true)})
	}()
	go deferLoop()
	go deferOpen()
	go recovered()
	go panicking()
	go goArgument(mk[tGoArg]("goroutine argument", true))
	go blockedSender()
	go blockedSelect()
	go deadVariable()
	startReflected()
}
