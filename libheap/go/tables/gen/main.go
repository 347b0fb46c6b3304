// main.go: makes libheap/go/tables/*.inc from what is known of Go's runtime.
//
//	gen -go libheap/go -o libheap/go/tables SOURCE...
//
// A SOURCE is a folder of JSON layouts (1.27-amd64.json, refs-1.27-amd64.json)
// or a Go source tree (a GOROOT); waitreasons.json may lie in the former.
// refs.inc is only written when a source has
// code references.
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

func run(dir, out string, sources []string) error {
	d, err := readDefs(dir)
	if err != nil {
		return err
	}
	var all []*layout
	var refs []*refTable
	waits := map[int]reasons{}
	for _, s := range sources {
		if err := readReasons(s, waits); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(s, "src", "runtime")); err == nil {
			ls, err := readGoTree(d, s)
			if err != nil {
				return err
			}
			all = append(all, ls...)
			continue
		}
		ls, err := readJSON(d, s)
		if err != nil {
			return err
		}
		rs, err := readRefs(d, s)
		if err != nil {
			return err
		}
		all = append(all, ls...)
		refs = append(refs, rs...)
	}
	if len(all) == 0 {
		return fmt.Errorf("no layouts in %q", sources)
	}
	warnMissing(d, all)
	err = os.WriteFile(filepath.Join(out, "layouts.inc"),
		emitLayouts(d, sortLayouts(all)), 0o644)
	if err == nil && len(waits) > 0 {
		err = os.WriteFile(filepath.Join(out, "waitreasons.inc"),
			emitReasons(waits), 0o644)
	}
	if err != nil || len(refs) == 0 {
		return err
	}
	return os.WriteFile(filepath.Join(out, "refs.inc"), emitRefs(d, refs), 0o644)
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
