// defs.go: what the .def lists of libheap/go ask for.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A fieldDef is one FIELD line: alternatives of structs and of paths.
type fieldDef struct {
	id             string
	structs, paths []string
}

// A sizeDef is one SIZE line.
type sizeDef struct {
	id      string
	structs []string
}

// A constDef is one CONSTANT line: the names to try, in order.
type constDef struct {
	id    string
	names []string
}

type defs struct {
	fields  []fieldDef
	sizes   []sizeDef
	consts  []constDef
	globals []string
}

var (
	fieldLine  = regexp.MustCompile(`^FIELD\((\w+), "([^"]+)", "([^"]+)"\)$`)
	sizeLine   = regexp.MustCompile(`^SIZE\((\w+), "([^"]+)"\)$`)
	constLine  = regexp.MustCompile(`^CONSTANT\((\w+), "([^"]+)", "([^"]*)"\)$`)
	globalName = regexp.MustCompile(`X\((\w+)\)`)
)

// matches returns the submatches of each line that is not blank or a comment,
// and fails on a line that is something else.
func matches(path string, re *regexp.Regexp) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var ret [][]string
	seen := map[string]bool{}
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		m := re.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s:%d: cannot read %q", path, n, line)
		}
		if seen[m[1]] {
			return nil, fmt.Errorf("%s:%d: %s is there twice", path, n, m[1])
		}
		seen[m[1]] = true
		ret = append(ret, m)
	}
	return ret, in.Err()
}

// readDefs reads the three lists and the names of GO_GLOBALS from dir.
func readDefs(dir string) (*defs, error) {
	d := &defs{}
	ms, err := matches(filepath.Join(dir, "fields.def"), fieldLine)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		d.fields = append(d.fields, fieldDef{m[1],
			strings.Split(m[2], "|"), strings.Split(m[3], "|")})
	}
	if ms, err = matches(filepath.Join(dir, "sizes.def"), sizeLine); err != nil {
		return nil, err
	}
	for _, m := range ms {
		d.sizes = append(d.sizes, sizeDef{m[1], strings.Split(m[2], "|")})
	}
	if ms, err = matches(filepath.Join(dir, "constants.def"), constLine); err != nil {
		return nil, err
	}
	for _, m := range ms {
		c := constDef{id: m[1]}
		for _, s := range m[2:] {
			if s != "" {
				c.names = append(c.names, strings.Split(s, "|")...)
			}
		}
		d.consts = append(d.consts, c)
	}
	text, err := os.ReadFile(filepath.Join(dir, "globals.h"))
	if err != nil {
		return nil, err
	}
	list := string(text)
	if i := strings.Index(list, "#define GO_GLOBALS"); i >= 0 {
		list = list[i:]
	}
	if i := strings.Index(list, "\n\n"); i >= 0 {
		list = list[:i]
	}
	for _, m := range globalName.FindAllStringSubmatch(list, -1) {
		d.globals = append(d.globals, m[1])
	}
	return d, nil
}
