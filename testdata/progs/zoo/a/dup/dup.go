// Package dup has a namesake, zoo/b/dup.
package dup

type T struct{ ID, A int }
