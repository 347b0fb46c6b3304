//go:build !go1.24

package label

import "unsafe"

type labelMap map[string]string

// Set labels the calling goroutine and those that it starts.
func Set(key, value, key2, value2 string) {
	m := &labelMap{key: value, key2: value2}
	setProfLabel(unsafe.Pointer(m))
}
