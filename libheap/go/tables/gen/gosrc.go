// gosrc.go: layouts from a Go source tree, through go/types.
//
// Build it with Go 1.23 or newer: older ones do not know where atomic 64-bit
// fields are aligned to 8 bytes on 386.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A goSource is one source tree for one architecture and set of tags.
type goSource struct {
	ctx   build.Context
	fset  *token.FileSet
	done  map[string]*types.Package
	sizes types.Sizes
}

var goVersion = regexp.MustCompile(`go1\.\d+(\.\d+)?`)

// readGoTree returns the layouts of the tree at root for every architecture,
// with the experiments as they are by default and each one turned round.
func readGoTree(d *defs, root string) ([]*layout, error) {
	text, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return nil, err
	}
	version := goVersion.FindString(string(text))
	m := release.FindStringSubmatch(version)
	if m == nil {
		return nil, fmt.Errorf("%s/VERSION: no Go release", root)
	}
	minor, _ := strconv.Atoi(m[1])
	var ret []*layout
	for _, arch := range arches {
		for _, tags := range experiments(minor) {
			s := newGoSource(root, arch, minor, tags)
			l, err := newLayout(d, s, version, arch, tags)
			if err != nil {
				return nil, err
			}
			ret = append(ret, l)
		}
	}
	return ret, nil
}

// experiments returns the sets of tags that change structures.
// Source: Go internal/buildcfg/exp.go, baseline of each version.
func experiments(minor int) [][]string {
	tag := func(names ...string) (ret []string) {
		for _, n := range names {
			ret = append(ret, "goexperiment."+n)
		}
		return ret
	}
	switch {
	case minor >= 27:
		return [][]string{tag("regabiwrappers", "regabiargs", "greenteagc",
			"randomizedheapbase64", "sizespecializedmalloc")}
	case minor == 26:
		return [][]string{
			tag("regabiwrappers", "regabiargs", "greenteagc", "randomizedheapbase64"),
			tag("regabiwrappers", "regabiargs", "randomizedheapbase64")}
	case minor == 25:
		return [][]string{
			tag("regabiwrappers", "regabiargs", "swissmap", "synchashtriemap"),
			tag("regabiwrappers", "regabiargs", "swissmap", "synchashtriemap",
				"greenteagc"),
			tag("regabiwrappers", "regabiargs", "synchashtriemap")}
	case minor == 24:
		return [][]string{
			tag("regabiwrappers", "regabiargs", "swissmap", "spinbitmutex",
				"synchashtriemap"),
			tag("regabiwrappers", "regabiargs", "spinbitmutex", "synchashtriemap")}
	case minor == 22:
		return [][]string{tag("regabiwrappers", "regabiargs", "allocheaders",
			"exectracer2")}
	case minor == 18:
		return [][]string{tag("regabiwrappers", "regabiargs", "regabireflect",
			"pacerredesign")}
	}
	return [][]string{tag("regabiwrappers", "regabiargs")}
}

func newGoSource(root, arch string, minor int, tags []string) *goSource {
	ctx := build.Default
	ctx.GOROOT, ctx.GOARCH, ctx.GOOS, ctx.Compiler = root, arch, "linux", "gc"
	ctx.CgoEnabled = true
	ctx.BuildTags, ctx.ReleaseTags = nil, nil
	ctx.ToolTags = tags
	if arch == "386" {
		ctx.ToolTags = nil
		for _, t := range tags {
			if !strings.Contains(t, "regabi") {
				ctx.ToolTags = append(ctx.ToolTags, t)
			}
		}
	}
	for i := 1; i <= minor; i++ {
		ctx.ReleaseTags = append(ctx.ReleaseTags, fmt.Sprintf("go1.%d", i))
	}
	return &goSource{ctx: ctx, fset: token.NewFileSet(),
		done: map[string]*types.Package{}, sizes: types.SizesFor("gc", arch)}
}

// Import type-checks package path without function bodies; errors in it are
// ignored, as what we ask for does not depend on them.
func (s *goSource) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.done[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(s.ctx.GOROOT, "src", path)
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Join(s.ctx.GOROOT, "src", "vendor", path)
	}
	bp, err := s.ctx.ImportDir(dir, 0)
	if bp == nil || len(bp.GoFiles)+len(bp.CgoFiles) == 0 {
		return nil, fmt.Errorf("no files in %s: %v", dir, err)
	}
	var files []*ast.File
	for _, names := range [][]string{bp.GoFiles, bp.CgoFiles} {
		for _, n := range names {
			f, err := parser.ParseFile(s.fset, filepath.Join(dir, n), nil,
				parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	cfg := types.Config{Importer: s, IgnoreFuncBodies: true, FakeImportC: true,
		Sizes: s.sizes, Error: func(error) {}}
	as := path
	if path == "runtime/internal/atomic" {
		// go/types knows the mark of 8-byte alignment by its new path.
		as = "internal/runtime/atomic"
	}
	p, _ := cfg.Check(as, s.fset, files, nil)
	s.done[path] = p
	return p, nil
}

func (s *goSource) lookup(name string) types.Object {
	pkg, ident := split(name)
	if _, err := os.Stat(filepath.Join(s.ctx.GOROOT, "src", pkg)); err != nil {
		return nil
	}
	p, err := s.Import(pkg)
	if err != nil || p == nil {
		return nil
	}
	return p.Scope().Lookup(ident)
}

// typeOf returns the type of that name, or that of a variable: some structs
// have no name of their own.
func (s *goSource) typeOf(name string) types.Type {
	switch t := s.lookup(name).(type) {
	case *types.TypeName:
		return t.Type()
	case *types.Var:
		return t.Type()
	}
	return nil
}

func (s *goSource) sizeOf(name string) (int64, bool) {
	t := s.typeOf(name)
	if t == nil {
		return 0, false
	}
	return s.sizes.Sizeof(t), true
}

func (s *goSource) constant(name string) (int64, bool) {
	c, ok := s.lookup(name).(*types.Const)
	if !ok {
		return 0, false
	}
	v := constant.ToInt(c.Val())
	if n, exact := constant.Int64Val(v); exact {
		return n, true
	}
	n, exact := constant.Uint64Val(v)
	return int64(n), exact
}

func (s *goSource) field(name, path string) (off, size int64, ok bool) {
	t := s.typeOf(name)
	if t == nil {
		return 0, 0, false
	}
	return s.walk(t, strings.Split(path, "."))
}

func (s *goSource) walk(t types.Type, path []string) (off, size int64, ok bool) {
	st, isStruct := t.Underlying().(*types.Struct)
	if !isStruct {
		return 0, 0, false
	}
	var vars []*types.Var
	for i := 0; i < st.NumFields(); i++ {
		vars = append(vars, st.Field(i))
	}
	offs := s.sizes.Offsetsof(vars)
	for i, v := range vars {
		if v.Name() != path[0] {
			continue
		}
		if len(path) == 1 {
			return offs[i], s.sizes.Sizeof(v.Type()), true
		}
		off, size, ok = s.walk(v.Type(), path[1:])
		return offs[i] + off, size, ok
	}
	for i, v := range vars { // promoted fields
		if v.Embedded() {
			if off, size, ok = s.walk(v.Type(), path); ok {
				return offs[i] + off, size, ok
			}
		}
	}
	return 0, 0, false
}
