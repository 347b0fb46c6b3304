// Package dup has a namesake, zoo/a/dup.
package dup

type T struct {
	ID   int
	Next *T
	B    [3]int
}
