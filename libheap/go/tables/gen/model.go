// model.go: one version of the runtime for one architecture.
package main

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// A source answers for one version, whatever it was read from. Names are
// package-qualified ("runtime.mspan"); ok is false for what is not there.
type source interface {
	field(typ, path string) (off, size int64, ok bool)
	sizeOf(typ string) (int64, bool)
	constant(name string) (int64, bool)
}

// A layout is what the lists ask for, for one version and architecture.
type layout struct {
	minor, patch int
	arch         string
	swissmap     bool
	greentea     bool
	derived      bool    // from JSON, which may be of a version near by
	fields       []place // size 0: not there
	sizes        []int64 // 0: not there
	consts       []*int64
}

type place struct{ off, size int64 }

var arches = []string{"amd64", "arm64", "386"}

var release = regexp.MustCompile(`^go1\.(\d+)(?:\.(\d+))?(?:(?:rc|beta)\d+)?(?:[ -]|$)`)

// newLayout asks src for everything in d. tags are the build's tool tags.
func newLayout(d *defs, src source, version, arch string, tags []string) (*layout, error) {
	m := release.FindStringSubmatch(version)
	if m == nil {
		return nil, fmt.Errorf("%q is no Go release", version)
	}
	l := &layout{arch: arch}
	l.minor, _ = strconv.Atoi(m[1])
	l.patch, _ = strconv.Atoi(m[2])
	l.swissmap = l.minor >= 26 // no longer an experiment
	for _, t := range tags {
		switch strings.TrimPrefix(t, "goexperiment.") {
		case "swissmap":
			l.swissmap = true
		case "greenteagc":
			l.greentea = true
		}
	}
	for _, f := range d.fields {
		l.fields = append(l.fields, findField(src, f))
	}
	for _, s := range d.sizes {
		size := int64(0)
		for _, t := range s.structs {
			if n, ok := src.sizeOf(t); ok {
				size = n
				break
			}
		}
		l.sizes = append(l.sizes, size)
	}
	for _, c := range d.consts {
		var value *int64
		for _, n := range c.names {
			if v, ok := src.constant(n); ok {
				value = &v
				break
			}
		}
		l.consts = append(l.consts, value)
	}
	return l, nil
}

func findField(src source, f fieldDef) place {
	for _, t := range f.structs {
		for _, p := range f.paths {
			if off, size, ok := src.field(t, p); ok && size > 0 {
				return place{off, size}
			}
		}
	}
	return place{}
}

// name is what stands in reports: "go1.25.6 amd64 X:greenteagc".
func (l *layout) name() string {
	s := fmt.Sprintf("go1.%d.%d %s", l.minor, l.patch, l.arch)
	if l.swissmap != (l.minor >= 24) {
		s += " X:" + no(l.swissmap) + "swissmap"
	}
	if l.greentea != (l.minor >= 26) {
		s += " X:" + no(l.greentea) + "greenteagc"
	}
	return s
}

func no(on bool) string {
	if on {
		return ""
	}
	return "no"
}

func (l *layout) archIndex() int {
	for i, a := range arches {
		if a == l.arch {
			return i
		}
	}
	return len(arches)
}

// sortLayouts puts them in the order of the tables, by architecture first so
// that equal neighbours are many, and drops one that says what the patch
// release before it says.
func sortLayouts(all []*layout) []*layout {
	key := func(l *layout) [6]int {
		k := [6]int{l.archIndex(), l.minor, 0, 0, l.patch, 0}
		if l.swissmap != (l.minor >= 24) {
			k[2] = 1
		}
		if l.greentea != (l.minor >= 26) {
			k[3] = 1
		}
		if l.derived {
			k[5] = 1
		}
		return k
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := key(all[i]), key(all[j])
		for n := range a {
			if a[n] != b[n] {
				return a[n] < b[n]
			}
		}
		return false
	})
	var ret []*layout
	for _, l := range all {
		if n := len(ret); n > 0 && l.sameKind(ret[n-1]) &&
			(l.same(ret[n-1]) || l.patch == ret[n-1].patch) {
			continue
		}
		ret = append(ret, l)
	}
	return ret
}

func (l *layout) sameKind(o *layout) bool {
	return l.arch == o.arch && l.minor == o.minor &&
		l.swissmap == o.swissmap && l.greentea == o.greentea
}

func (l *layout) same(o *layout) bool {
	for i := range l.fields {
		if l.fields[i] != o.fields[i] {
			return false
		}
	}
	for i := range l.sizes {
		if l.sizes[i] != o.sizes[i] {
			return false
		}
	}
	for i := range l.consts {
		a, b := l.consts[i], o.consts[i]
		if (a == nil) != (b == nil) || a != nil && *a != *b {
			return false
		}
	}
	return true
}
