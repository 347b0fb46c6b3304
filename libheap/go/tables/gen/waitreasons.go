// waitreasons.go: why a goroutine waits, by version.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
)

// reasons are the texts of runtime.waitReason by number.
type reasons []string

// readReasons adds what a source knows to all, by minor version.
func readReasons(source string, all map[int]reasons) error {
	if b, err := os.ReadFile(filepath.Join(source, "waitreasons.json")); err == nil {
		return reasonsOfJSON(b, all)
	}
	if b, err := os.ReadFile(filepath.Join(source, "VERSION")); err == nil {
		m := regexp.MustCompile(`^go1\.(\d+)`).FindSubmatch(b)
		if m == nil {
			return nil
		}
		minor, _ := strconv.Atoi(string(m[1]))
		return reasonsOfTree(source, minor, all)
	}
	return nil
}

func reasonsOfJSON(b []byte, all map[int]reasons) error {
	var byVersion map[string]map[string]string
	if err := json.Unmarshal(b, &byVersion); err != nil {
		return err
	}
	for version, byNumber := range byVersion {
		var minor int
		if _, err := fmt.Sscanf(version, "1.%d", &minor); err != nil {
			return err
		}
		r := make(reasons, len(byNumber))
		for number, text := range byNumber {
			i, err := strconv.Atoi(number)
			if err != nil || i >= len(r) {
				return fmt.Errorf("wait reason %q of %s", number, version)
			}
			r[i] = text
		}
		all[minor] = r
	}
	return nil
}

// reasonsOfTree reads the constants in their order and the texts by name out of
// runtime/runtime2.go.
func reasonsOfTree(source string, minor int, all map[int]reasons) error {
	path := filepath.Join(source, "src", "runtime", "runtime2.go")
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	var order []string
	text := map[string]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for i, s := range g.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if first := g.Specs[0].(*ast.ValueSpec).Names[0].Name; g.Tok == token.CONST &&
				(first == "waitReasonZero") && i == len(order) {
				order = append(order, v.Names[0].Name)
			}
			if v.Names[0].Name != "waitReasonStrings" {
				continue
			}
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				kv := e.(*ast.KeyValueExpr)
				s, err := strconv.Unquote(kv.Value.(*ast.BasicLit).Value)
				if err != nil {
					return err
				}
				text[kv.Key.(*ast.Ident).Name] = s
			}
		}
	}
	if len(order) == 0 {
		return fmt.Errorf("%s: no wait reasons", path)
	}
	r := make(reasons, len(order))
	for i, name := range order {
		r[i] = text[name]
	}
	all[minor] = r
	return nil
}

// emitReasons returns waitreasons.inc.
func emitReasons(all map[int]reasons) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// waitreasons.inc: why a goroutine waits, by number and version.\n%s", header)
	fmt.Fprintf(&b, "// Source: runtime/runtime2.go, waitReasonStrings.\n\n")
	var minors []int
	for m := range all {
		minors = append(minors, m)
	}
	sort.Ints(minors)
	for _, m := range minors {
		fmt.Fprintf(&b, "REASONS(%d", m)
		for _, s := range all[m] {
			fmt.Fprintf(&b, ",\n\t%q", s)
		}
		fmt.Fprintf(&b, ")\n")
	}
	return b.Bytes()
}
