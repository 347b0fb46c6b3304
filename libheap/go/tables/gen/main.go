// main.go: makes libheap/go/tables/*.inc from what is known of Go's runtime.
//
//	gen -go libheap/go -o libheap/go/tables SOURCE...
//
// A SOURCE is a folder of JSON files (1.27-amd64.json, refs-1.27-amd64.json,
// waitreasons.json), a Go source tree (a GOROOT), or an unstripped executable.
// What executables tell of a version's code goes before what JSON files tell.
// A table of which no source has anything stays as it is.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("go", "libheap/go", "folder of the .def lists")
	out := flag.String("o", "libheap/go/tables", "folder to write into")
	flag.Parse()
	if err := run(*dir, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// A harvest is what the sources gave.
type harvest struct {
	layouts  []*layout
	refs     []*refTable
	programs []*program
	waits    map[int]reasons
}

// add reads one source.
func (h *harvest) add(d *defs, source string) error {
	if st, err := os.Stat(source); err == nil && st.Mode().IsRegular() {
		p, err := readProgram(d, source)
		h.programs = append(h.programs, p)
		return err
	}
	if err := readReasons(source, h.waits); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(source, "src", "runtime")); err == nil {
		ls, err := readGoTree(d, source)
		h.layouts = append(h.layouts, ls...)
		return err
	}
	ls, err := readJSON(d, source)
	if err != nil {
		return err
	}
	rs, err := readRefs(d, source)
	h.layouts = append(h.layouts, ls...)
	h.refs = append(h.refs, rs...)
	return err
}

func run(dir, out string, sources []string) error {
	d, err := readDefs(dir)
	if err != nil {
		return err
	}
	h := &harvest{waits: map[int]reasons{}}
	for _, s := range sources {
		if err := h.add(d, s); err != nil {
			return err
		}
	}
	put := func(name string, text []byte) {
		if err == nil {
			err = os.WriteFile(filepath.Join(out, name), text, 0o644)
		}
	}
	refs := mergeRefs(commonRefs(d, h.programs), h.refs)
	if len(h.layouts) > 0 {
		warnMissing(d, h.layouts)
		put("layouts.inc", emitLayouts(d, sortLayouts(h.layouts)))
	}
	if len(h.waits) > 0 {
		put("waitreasons.inc", emitReasons(h.waits))
	}
	if len(refs) > 0 {
		put("refs.inc", emitRefs(d, refs))
	}
	if len(h.layouts)+len(h.waits)+len(refs) == 0 {
		return fmt.Errorf("nothing to read in %q", sources)
	}
	return err
}

// warnMissing names what no version has: a slip of the pen in a list.
func warnMissing(d *defs, all []*layout) {
	for i, f := range d.fields {
		found := false
		for _, l := range all {
			found = found || l.fields[i].size > 0
		}
		if !found {
			fmt.Fprintf(os.Stderr, "gen: no version has field %s\n", f.id)
		}
	}
	for i, s := range d.sizes {
		found := false
		for _, l := range all {
			found = found || l.sizes[i] > 0
		}
		if !found {
			fmt.Fprintf(os.Stderr, "gen: no version has struct %s\n", s.id)
		}
	}
	for i, c := range d.consts {
		found := false
		for _, l := range all {
			found = found || l.consts[i] != nil
		}
		if !found {
			fmt.Fprintf(os.Stderr, "gen: no version has constant %s\n", c.id)
		}
	}
}
