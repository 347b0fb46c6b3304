// json.go: layouts from a folder of JSON files, one a version.
package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"math/big"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

type jsonField struct {
	Name     string `json:"name"`
	Off      int64  `json:"off"`
	Size     int64  `json:"size"`
	Type     string `json:"type"`
	Embedded bool   `json:"embedded"`
}

type jsonStruct struct {
	Size   int64            `json:"size"`
	Fields []jsonField      `json:"fields"`
	Flat   map[string]int64 `json:"flat"`
}

type jsonPackage struct {
	Structs map[string]*jsonStruct `json:"structs"`
	Named   map[string]struct {
		Size int64 `json:"size"`
	} `json:"named"`
	Consts map[string]json.RawMessage `json:"consts"`
}

// A jsonSource is one such file.
type jsonSource struct {
	Version  string                  `json:"go_version"`
	Arch     string                  `json:"goarch"`
	Tags     []string                `json:"tags"`
	Packages map[string]*jsonPackage `json:"packages"`
}

// readJSON returns the layouts of every <version>-<arch>.json in dir.
func readJSON(d *defs, dir string) ([]*layout, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "1.*-*.json"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	var ret []*layout
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		s := &jsonSource{}
		if err := json.Unmarshal(text, s); err != nil {
			return nil, err
		}
		l, err := newLayout(d, s, s.Version, s.Arch, s.Tags)
		if err != nil {
			return nil, err
		}
		l.derived = true
		ret = append(ret, l)
	}
	return ret, nil
}

// split cuts "internal/abi.Type" into package and name.
func split(name string) (pkg, ident string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

func (s *jsonSource) structure(name string) *jsonStruct {
	pkg, ident := split(name)
	if p := s.Packages[pkg]; p != nil {
		return p.Structs[ident]
	}
	return nil
}

func (s *jsonSource) sizeOf(name string) (int64, bool) {
	pkg, ident := split(name)
	p := s.Packages[pkg]
	if p == nil {
		return 0, false
	}
	if st := p.Structs[ident]; st != nil {
		return st.Size, true
	}
	n, ok := p.Named[ident]
	return n.Size, ok
}

func (s *jsonSource) constant(name string) (int64, bool) {
	pkg, ident := split(name)
	p := s.Packages[pkg]
	if p == nil {
		return 0, false
	}
	raw, ok := p.Consts[ident]
	if !ok {
		return 0, false
	}
	v, ok := new(big.Int).SetString(strings.Trim(string(raw), `"`), 0)
	if !ok || v.BitLen() > 64 {
		return 0, false
	}
	if v.IsInt64() {
		return v.Int64(), true
	}
	return int64(v.Uint64()), true
}

func (s *jsonSource) field(name, path string) (off, size int64, ok bool) {
	pkg, _ := split(name)
	return s.walk(pkg, s.structure(name), strings.Split(path, "."))
}

// walk follows path through named structs; an anonymous one on the way is
// read from the text of its type, its offsets from the flat map.
func (s *jsonSource) walk(pkg string, st *jsonStruct, path []string) (off, size int64, ok bool) {
	if st == nil {
		return 0, 0, false
	}
	for _, f := range st.Fields {
		if f.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			return f.Off, f.Size, true
		}
		if strings.HasPrefix(f.Type, "struct{") {
			off, ok = st.Flat[strings.Join(path, ".")]
			size, known := s.textSize(pkg, parseType(f.Type), path[1:])
			return off, size, ok && known
		}
		typ := f.Type
		if !strings.Contains(typ, ".") {
			typ = pkg + "." + typ
		}
		p, _ := split(typ)
		off, size, ok = s.walk(p, s.structure(typ), path[1:])
		return f.Off + off, size, ok
	}
	for _, f := range st.Fields { // promoted fields
		if !f.Embedded {
			continue
		}
		if off, size, ok = s.walk(pkg, s.structure(qualify(pkg, f.Type)), path); ok {
			return f.Off + off, size, ok
		}
	}
	return 0, 0, false
}

func qualify(pkg, typ string) string {
	if strings.Contains(typ, ".") {
		return typ
	}
	return pkg + "." + typ
}

// slash stands for the '/' of import paths while a type's text is parsed.
const slash = "ǁ"

func parseType(text string) ast.Expr {
	e, err := parser.ParseExpr(strings.ReplaceAll(text, "/", slash))
	if err != nil {
		return nil
	}
	return e
}

// textSize returns the size of what path leads to in a type given as text; an
// empty path means the type itself.
func (s *jsonSource) textSize(pkg string, e ast.Expr, path []string) (int64, bool) {
	switch e := e.(type) {
	case *ast.StructType:
		if len(path) == 0 {
			return 0, false // alignment is not worth deriving
		}
		for _, f := range e.Fields.List {
			for _, n := range f.Names {
				if n.Name == path[0] {
					return s.textSize(pkg, f.Type, path[1:])
				}
			}
		}
		return 0, false
	case *ast.Ident:
		return s.namedSize(pkg, e.Name, path)
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		if !ok {
			return 0, false
		}
		if x.Name == "unsafe" {
			return s.word(), len(path) == 0
		}
		return s.namedSize(strings.ReplaceAll(x.Name, slash, "/"), e.Sel.Name, path)
	case *ast.ArrayType:
		if e.Len == nil {
			return 3 * s.word(), len(path) == 0
		}
		n, ok := e.Len.(*ast.BasicLit)
		if !ok {
			return 0, false
		}
		count, err := strconv.ParseInt(n.Value, 0, 64)
		size, ok := s.textSize(pkg, e.Elt, nil)
		return count * size, ok && err == nil && len(path) == 0
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType:
		return s.word(), len(path) == 0
	case *ast.InterfaceType:
		return 2 * s.word(), len(path) == 0
	}
	return 0, false
}

func (s *jsonSource) word() int64 {
	if s.Arch == "386" {
		return 4
	}
	return 8
}

func (s *jsonSource) namedSize(pkg, name string, path []string) (int64, bool) {
	if len(path) > 0 {
		_, size, ok := s.walk(pkg, s.structure(pkg+"."+name), path)
		return size, ok
	}
	switch name {
	case "bool", "int8", "uint8", "byte":
		return 1, true
	case "int16", "uint16":
		return 2, true
	case "int32", "uint32", "float32", "rune":
		return 4, true
	case "int64", "uint64", "float64", "complex64":
		return 8, true
	case "int", "uint", "uintptr":
		return s.word(), true
	case "string":
		return 2 * s.word(), true
	}
	return s.sizeOf(pkg + "." + name)
}
