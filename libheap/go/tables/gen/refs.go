// refs.go: writes refs.inc, where the runtime's code refers to its variables.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// refsPerGlobal bounds the table: the vote needs a handful of references from
// different functions, and some must survive another compiler's choices.
const refsPerGlobal = 12

// A ref is one reference: code at off of function fn leads to the variable's
// address + delta. second is the length of a trailing immediate on amd64, and
// the offset of the second instruction on arm64.
type ref struct {
	fn                 string
	off, second, delta int64
}

// A refTable is all references of one version and architecture.
type refTable struct {
	minor    int
	arch     string
	greentea bool // moves fields of some of the variables
	refs     map[string][]ref
}

func (t *refTable) kind() string {
	return fmt.Sprint(t.arch, " ", t.minor, " ", t.greentea)
}

// readRefs reads every refs-<version>-<arch>.json in dir.
func readRefs(d *defs, dir string) ([]*refTable, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "refs-1.*-*.json"))
	if err != nil {
		return nil, err
	}
	var ret []*refTable
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".json")
		part := strings.Split(name, "-")
		minor, err := strconv.Atoi(strings.TrimPrefix(part[1], "1."))
		if err != nil || len(part) != 3 {
			return nil, fmt.Errorf("%s: which version is it?", p)
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		var raw map[string][][4]json.RawMessage
		if err := json.Unmarshal(text, &raw); err != nil {
			return nil, err
		}
		t := &refTable{minor, part[2], minor >= 26, map[string][]ref{}}
		for _, g := range d.globals {
			for _, r := range raw[g] {
				if len(t.refs[g]) == refsPerGlobal {
					break
				}
				one, err := parseRef(r)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %v", p, g, err)
				}
				t.refs[g] = append(t.refs[g], one)
			}
		}
		ret = append(ret, t)
	}
	return ret, nil
}

// mergeRefs keeps, of two tables for one version, the first.
func mergeRefs(tables ...[]*refTable) []*refTable {
	var ret []*refTable
	seen := map[string]bool{}
	for _, ts := range tables {
		for _, t := range ts {
			if !seen[t.kind()] {
				ret = append(ret, t)
			}
			seen[t.kind()] = true
		}
	}
	sort.Slice(ret, func(i, j int) bool {
		if ret[i].arch != ret[j].arch {
			return ret[i].arch < ret[j].arch
		}
		if ret[i].minor != ret[j].minor {
			return ret[i].minor < ret[j].minor
		}
		return !ret[i].greentea
	})
	return ret
}

func parseRef(r [4]json.RawMessage) (ret ref, err error) {
	for i, p := range []interface{}{&ret.fn, &ret.off, &ret.second, &ret.delta} {
		if err := json.Unmarshal(r[i], p); err != nil {
			return ret, err
		}
	}
	if ret.off < 0 || ret.off > 65535 || ret.second < 0 || ret.second > 65535 ||
		ret.delta < 0 || ret.delta > 1<<32-1 {
		return ret, fmt.Errorf("out of range: %v", ret)
	}
	return ret, nil
}

func (t *refTable) mask() string {
	if t.greentea {
		return "GO_X_GREENTEA"
	}
	return "0"
}

// emitRefs returns refs.inc: the pooled function names, then each table.
func emitRefs(d *defs, all []*refTable) []byte {
	set := map[string]bool{}
	for _, t := range all {
		for _, rs := range t.refs {
			for _, r := range rs {
				set[r.fn] = true
			}
		}
	}
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	index := map[string]int{}
	for i, n := range names {
		index[n] = i
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// refs.inc: where the runtime's code refers to its variables, by version.\n%s\n", header)
	fmt.Fprintf(&b, "#ifdef FUNCTION\n")
	for _, n := range names {
		fmt.Fprintf(&b, "FUNCTION(%q)\n", n)
	}
	fmt.Fprintf(&b, "#undef FUNCTION\n#endif\n\n#ifdef REF\n")
	var ends []string
	n := 0
	for _, t := range all {
		fmt.Fprintf(&b, "// go1.%d %s %s\n", t.minor, t.arch, t.mask())
		first := n
		for _, g := range d.globals {
			col := 0
			for _, r := range t.refs[g] {
				one := fmt.Sprintf("REF(%s, %d, %d, %d, %d) ", g,
					index[r.fn], r.off, r.second, r.delta)
				if col > 0 && col+len(one) > 79 {
					b.WriteString("\n")
					col = 0
				}
				b.WriteString(one)
				col += len(one)
				n++
			}
			if col > 0 {
				b.WriteString("\n")
			}
		}
		ends = append(ends, fmt.Sprintf("REF_TABLE(%d, CORE_%s, %s, %d, %d)\n",
			t.minor, upper(t.arch), t.mask(), first, n))
	}
	fmt.Fprintf(&b, "#undef REF\n#endif\n\n#ifdef REF_TABLE\n%s#undef REF_TABLE\n#endif\n",
		strings.Join(ends, ""))
	return bytes.ReplaceAll(b.Bytes(), []byte(" \n"), []byte("\n"))
}
