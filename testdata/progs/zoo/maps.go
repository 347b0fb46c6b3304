package main

import (
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Maps of every kind, each with the entries that it must show.

type (
	point struct{ X, Y int32 }
	big   struct {
		N    int
		Rest [20]int
	} // over 128 bytes: kept indirectly
	shape  interface{ area() float64 }
	square struct{ Side float64 }
	disk   struct{ R float64 }
	mapped struct {
		ID   int
		Name string
	}
	wrapper struct{ inner map[string]int }
)

func (s square) area() float64 { return s.Side * s.Side }
func (d *disk) area() float64  { return d.R * d.R * 3 }

var (
	mNil      map[string]int
	mEmpty    = map[string]int{}
	mOne      = map[string]int{}
	mEight    = map[int]string{}
	mNine     = map[int]string{}
	mGrown    = map[int]int{}
	mMany     = map[int32]bool{}
	mDeleted  = map[int]int{}
	mCleared  = map[int]int{}
	mHinted   = make(map[int]int, 1000)
	mSet      = map[string]struct{}{}
	mZeroKey  = map[struct{}]int{}
	mPoints   = map[point]*mapped{}
	mBigKey   = map[big]int{}
	mBigValue = map[int]big{}
	mBytes    = map[[3]byte]bool{}
	mFloats   = map[float64]float32{}
	mIfaces   = map[interface{}]interface{}{}
	mShapes   = map[string]shape{}
	mSlices   = map[string][]int{}
	mMaps     = map[string]map[int]bool{}
	mPointers = map[*mapped]string{}
	mChans    = map[chan int]func(){}
	mUint8    = map[uint8]uint64{}
	mComplex  = map[complex128]uintptr{}
	mStrings  = map[string]string{}
	mWrapper  wrapper
)

//go:noinline
func noop() {}

func digits(i int) string {
	b := []byte{}
	for {
		b = append([]byte{'0' + byte(i%10)}, b...)
		i /= 10
		if i == 0 {
			return string(b)
		}
	}
}

func fillMaps(n int) {
	mOne["only"] = 1
	for i := 0; i < 9; i++ {
		if i < 8 {
			mEight[i*10] = digits(i * i)
		}
		mNine[-i] = digits(i * i * i)
	}
	// 105 entries: in Go before 1.24 the growth that the 105th starts (from
	// 16 buckets) is under way when the filling stops
	for i := 0; i < 105; i++ {
		mGrown[i] = i * 7
	}
	for i := int32(0); i < int32(n); i++ {
		mMany[i] = true
	}
	for i := 0; i < 300; i++ {
		mDeleted[i] = -i
		mCleared[i] = i
	}
	for i := 0; i < 300; i++ {
		if i%3 != 0 {
			delete(mDeleted, i)
		}
	}
	for i := range mCleared {
		delete(mCleared, i)
	}
	for i := 0; i < 3; i++ {
		mHinted[i] = i
		mZeroKey[struct{}{}] = i
		mBigKey[big{N: i}] = i
		mBigValue[i] = big{N: i * 2}
		mFloats[float64(i)+0.5] = float32(i) / 4
		mStrings[digits(i)+" key"] = `quote " and \ in ` + digits(i)
		mUint8[uint8(250+i)] = math.MaxUint64 - uint64(i)
		mComplex[complex(float64(i), -0.5)] = uintptr(i)
		mPointers[&mapped{i, "pointed"}] = digits(i)
		mChans[make(chan int, i)] = noop
		mSet[digits(i)] = struct{}{}
		mPoints[point{int32(i), int32(-i)}] = &mapped{i, "at " + digits(i)}
		mBytes[[3]byte{byte(i), 2, 3}] = i%2 == 0
		mSlices[digits(i)] = []int{i, i + 1, i + 2}[:i]
		mMaps[digits(i)] = map[int]bool{i: true}
	}
	mMaps["none"] = nil
	mIfaces[1] = "int"
	mIfaces["s"] = 2.5
	mIfaces[point{1, 2}] = nil
	mIfaces[int8(-3)] = &mapped{9, "in an interface"}
	mIfaces[true] = square{2}
	mShapes["square"] = square{3}
	mShapes["disk"] = &disk{4}
	mShapes["none"] = nil
	mWrapper.inner = map[string]int{"a": 1, "b": 2}
}

// sayMap prints a map: its name, address, type, and its entries as
// [key, value] pairs, or the rule that they follow where they are many.
func sayMap(name string, m interface{}, rule string) {
	v := reflect.ValueOf(m)
	put(`{"map":`)
	putString("main." + name)
	put(`,"address":`)
	putAddress(v.Pointer())
	put(`,"type":`)
	putString(v.Type().String())
	put(`,"len":`)
	putInt(int64(v.Len()))
	if rule != "" {
		put(`,"rule":`)
		putString(rule)
		put("}\n")
		return
	}
	put(`,"entries":[`)
	first := true
	for it := v.MapRange(); it.Next(); {
		if !first {
			put(",")
		}
		first = false
		put("[")
		sayValue(it.Key())
		put(",")
		sayValue(it.Value())
		put("]")
	}
	put("]}\n")
}

// sayValue prints a value as JSON: numbers, strings and booleans as they are,
// structs and arrays as lists of their parts, pointers and the like as
// addresses, interfaces as {"dynamic type": value}. Of slices come the
// elements, of maps the address.
func sayValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			put("true")
		} else {
			put("false")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		putInt(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		putUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		sayQuarters(v.Float())
	case reflect.Complex128:
		put("[")
		sayQuarters(real(v.Complex()))
		put(",")
		sayQuarters(imag(v.Complex()))
		put("]")
	case reflect.String:
		putString(v.String())
	case reflect.Struct:
		put("[")
		for i := 0; i < v.NumField(); i++ {
			if i > 0 {
				put(",")
			}
			sayValue(v.Field(i))
		}
		put("]")
	case reflect.Array, reflect.Slice:
		put("[")
		for i := 0; i < v.Len(); i++ {
			if i > 0 {
				put(",")
			}
			sayValue(v.Index(i))
		}
		put("]")
	case reflect.Interface:
		if v.IsNil() {
			put("null")
			break
		}
		put("{")
		putString(v.Elem().Type().String())
		put(":")
		sayValue(v.Elem())
		put("}")
	default:
		putAddress(v.Pointer())
	}
}

// sayQuarters prints a multiple of 1/4.
func sayQuarters(f float64) {
	if f < 0 {
		put("-")
		f = -f
	}
	putUint(uint64(f), 10)
	put([]string{"", ".25", ".5", ".75"}[int(f*4)%4])
}

func mapsMode() {
	fd := openDump(argument(2))
	n := 100000
	if argument(3) == "few" {
		n = 5000
	}
	fillMaps(n)
	sayMap("mNil", mNil, "")
	sayMap("mEmpty", mEmpty, "")
	sayMap("mOne", mOne, "")
	sayMap("mEight", mEight, "")
	sayMap("mNine", mNine, "")
	sayMap("mGrown", mGrown, "")
	sayMap("mMany", mMany, "true for each key from 0 to len-1")
	sayMap("mDeleted", mDeleted, "")
	sayMap("mCleared", mCleared, "")
	sayMap("mHinted", mHinted, "")
	sayMap("mSet", mSet, "")
	sayMap("mZeroKey", mZeroKey, "")
	sayMap("mPoints", mPoints, "")
	sayMap("mBigKey", mBigKey, "")
	sayMap("mBigValue", mBigValue, "")
	sayMap("mBytes", mBytes, "")
	sayMap("mFloats", mFloats, "")
	sayMap("mIfaces", mIfaces, "")
	sayMap("mShapes", mShapes, "")
	sayMap("mSlices", mSlices, "")
	sayMap("mMaps", mMaps, "")
	sayMap("mPointers", mPointers, "")
	sayMap("mChans", mChans, "")
	sayMap("mUint8", mUint8, "")
	sayMap("mComplex", mComplex, "")
	sayMap("mStrings", mStrings, "")
	sayMap("mWrapper.inner", mWrapper.inner, "")
	sayValues()
	runtime.GC()
	debug.FreeOSMemory() // collects again, and leaves little for the core
	sayAll(fd)
	killSelf(6)
}

// kinds has a field of every kind.
type kinds struct {
	Bool       bool
	Int8       int8
	Int16      int16
	Int32      int32
	Int64      int64
	Uint8      uint8
	Uint16     uint16
	Uint32     uint32
	Uint64     uint64
	Float32    float32
	Float64    float64
	Complex128 complex128
	String     string
	Empty      string
	Bytes      []byte
	Slice      []int
	Array      [3]int16
	Pointer    *mapped
	Iface      interface{}
	Shape      shape
	NoShape    shape
	Map        map[string]int
	Chan       chan int
	Func       func()
	Unsafe     unsafe.Pointer
	mapped     // embedded
	point
	Anon struct{ A, B int }
	Zero struct{}
	Self *kinds
}

var gKinds *kinds

// sayValues builds a struct with a field of each kind and prints its values.
func sayValues() {
	k := &kinds{true, -8, -16, -32, -64, 8, 16, 32, 1 << 63, 1.25, -2.5, complex(1, -0.75),
		"text", "", []byte{1, 2, 255}, []int{10, 20, 30}, [3]int16{-1, 0, 1}, &mapped{5, "five"},
		int16(77), square{1.5}, nil, mOne, make(chan int, 4), noop, nil, mapped{6, "six"},
		point{3, 4}, struct{ A, B int }{1, 2}, struct{}{}, nil}
	k.Self = k
	gKinds = k
	v := reflect.ValueOf(k).Elem()
	put(`{"object":"main.gKinds","address":`)
	putAddress(uintptr(unsafe.Pointer(k)))
	put(`,"fields":{`)
	for i := 0; i < v.NumField(); i++ {
		if i > 0 {
			put(",")
		}
		putString(v.Type().Field(i).Name)
		put(":")
		sayValue(v.Field(i))
	}
	put("}}\n")
}
