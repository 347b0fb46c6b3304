//go:build goexperiment.arenas

package main

import "arena"

type tInArena struct {
	id int
	p  *tArena
	q  [3]*tArena
}

var (
	gArena      *arena.Arena
	gInArena    *tInArena
	gArenaSlice []tInArena
)

// buildArena keeps objects from a user arena, and frees another one: the
// runtime holds on to that one's chunk, which is not full, and to what it
// points to, for the next arena to fill.
func buildArena() {
	gArena = arena.NewArena()
	gInArena = arena.New[tInArena](gArena)
	gInArena.p = mk[tArena]("pointer in a user arena", true)
	gInArena.q[2] = mk[tArena]("pointer in a user arena", true)
	gArenaSlice = arena.MakeSlice[tInArena](gArena, 10, 10)
	for i := range gArenaSlice {
		gArenaSlice[i].q[1] = mk[tArena]("pointer in a user arena", true)
	}
	gone := arena.NewArena()
	arena.New[tInArena](gone).p = mk[tArena]("pointer in a freed arena, chunk in reuse", true)
	gone.Free()
}
