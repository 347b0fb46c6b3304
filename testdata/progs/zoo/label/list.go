//go:build go1.24

package label

import "unsafe"

type pair struct{ key, value string }
type labelMap struct{ list []pair }

// Set labels the calling goroutine and those that it starts.
func Set(key, value, key2, value2 string) {
	m := &labelMap{[]pair{{key, value}, {key2, value2}}}
	setProfLabel(unsafe.Pointer(m))
}
