//go:build reflectmade

package main

import "reflect"

// buildReflected makes objects of types that only reflect knows. It costs
// 100 KB of program, so only some builds have it.
func buildReflected() {
	st := reflect.StructOf([]reflect.StructField{
		{Name: "First", Type: reflect.TypeOf(0)},
		{Name: "Second", Type: reflect.TypeOf((*tGlobal)(nil))},
	})
	v := reflect.New(st)
	v.Elem().Field(1).Set(reflect.ValueOf(mk[tGlobal]("in a reflect-made struct", true)))
	note("reflect-made struct", st.String(), st.Size(), true, v.UnsafePointer())
	gReflected = v.Interface()
}

type (
	tMade     struct{ id, a int }
	tReceiver struct{ id, a, b int }
)

func (r *tReceiver) Wait(n int) int {
	park()
	return r.a + n
}

// startReflected blocks goroutines in functions that reflect made: their
// frames have no argument maps of their own.
func startReflected() {
	f := func(*tMade, [3]*tMade) {}
	made := reflect.MakeFunc(reflect.TypeOf(f), func([]reflect.Value) []reflect.Value {
		park()
		return nil
	}).Interface().(func(*tMade, [3]*tMade))
	go func() {
		p := mk[tMade]("argument of a reflect-made function", true)
		q := mk[tMade]("argument of a reflect-made function", true)
		made(p, [3]*tMade{q, p, nil})
	}()
	go func() {
		r := reflect.ValueOf(mk[tReceiver]("receiver of a reflected method", true))
		keepInt(r.MethodByName("Wait").Interface().(func(int) int)(5))
	}()
}
