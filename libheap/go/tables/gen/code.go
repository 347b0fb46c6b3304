// code.go: code references from unstripped executables.
//
// A reference counts when every executable of a version and architecture that
// has the function has it: the same instruction leading to the same place in
// the same variable, though these lie elsewhere. So give at least two that
// differ much.
package main

import (
	"debug/buildinfo"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// A span is a variable or function by address.
type span struct {
	name string
	addr uint64
	size uint64
}

// A program is one executable.
type program struct {
	table   refTable // what it is one of
	text    *elf.Section
	code    []byte
	vars    []span
	low     uint64 // of the variables asked for
	high    uint64
	funcs   []span
	foundIn map[string]map[ref]bool // references by variable
}

func readProgram(d *defs, path string) (*program, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := release.FindStringSubmatch(info.GoVersion)
	if m == nil {
		return nil, fmt.Errorf("%s: made by %q", path, info.GoVersion)
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &program{foundIn: map[string]map[ref]bool{}}
	p.table.minor, _ = strconv.Atoi(m[1])
	p.table.greentea = p.table.minor >= 26
	for _, x := range strings.FieldsFunc(info.GoVersion, isSeparator) {
		if x == "greenteagc" || x == "nogreenteagc" {
			p.table.greentea = x == "greenteagc"
		}
	}
	switch f.Machine {
	case elf.EM_X86_64:
		p.table.arch = "amd64"
	case elf.EM_AARCH64:
		p.table.arch = "arm64"
	default:
		return nil, fmt.Errorf("%s: no tables for %v", path, f.Machine)
	}
	p.text = f.Section(".text")
	if p.code, err = p.text.Data(); err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	p.take(d, symbols)
	for _, fn := range p.funcs {
		p.scan(fn)
	}
	return p, nil
}

func isSeparator(r rune) bool { return strings.ContainsRune(" ,:-", r) }

// take sorts out the variables asked for and the functions of the runtime. A
// name that two functions have is of no use.
func (p *program) take(d *defs, symbols []elf.Symbol) {
	want := map[string]bool{}
	for _, g := range d.globals {
		want["runtime."+g] = true
	}
	seen := map[string]int{}
	for _, s := range symbols {
		name := strings.TrimSuffix(s.Name, ".abi0")
		switch elf.ST_TYPE(s.Info) {
		case elf.STT_OBJECT:
			if want[s.Name] {
				p.vars = append(p.vars, span{strings.TrimPrefix(s.Name,
					"runtime."), s.Value, s.Size})
			}
		case elf.STT_FUNC:
			if strings.HasPrefix(name, "runtime.") ||
				strings.Contains(name, "poll.runtime_") {
				p.funcs = append(p.funcs, span{name, s.Value, s.Size})
				seen[name]++
			}
		}
	}
	kept := p.funcs[:0]
	for _, f := range p.funcs {
		if seen[f.name] == 1 && !strings.ContainsAny(f.name, "[·") {
			kept = append(kept, f)
		}
	}
	p.funcs = kept
	sort.Slice(p.vars, func(i, j int) bool { return p.vars[i].addr < p.vars[j].addr })
	if n := len(p.vars); n > 0 {
		p.low, p.high = p.vars[0].addr, p.vars[n-1].addr+p.vars[n-1].size
	}
}

// note records that code at off of fn leads to address to.
func (p *program) note(fn span, off, second int, to uint64) {
	i := sort.Search(len(p.vars), func(i int) bool { return p.vars[i].addr > to })
	if i == 0 || to >= p.vars[i-1].addr+p.vars[i-1].size {
		return
	}
	v := p.vars[i-1]
	r := ref{fn.name, int64(off), int64(second), int64(to - v.addr)}
	if off > 65535 || second > 65535 {
		return
	}
	if p.foundIn[v.name] == nil {
		p.foundIn[v.name] = map[ref]bool{}
	}
	p.foundIn[v.name][r] = true
}

func (p *program) scan(fn span) {
	if fn.addr < p.text.Addr || fn.addr+fn.size > p.text.Addr+p.text.Size {
		return
	}
	code := p.code[fn.addr-p.text.Addr:][:fn.size]
	if p.table.arch == "amd64" {
		p.scanAMD64(fn, code)
	} else {
		p.scanARM64(fn, code)
	}
}

// scanAMD64 takes every 4 bytes as a displacement; what is none differs
// between executables.
func (p *program) scanAMD64(fn span, code []byte) {
	for i := 0; i+4 <= len(code); i++ {
		disp := int32(binary.LittleEndian.Uint32(code[i:]))
		for _, imm := range []int{0, 1, 2, 4} {
			to := fn.addr + uint64(i+4+imm) + uint64(int64(disp))
			if to >= p.low && to < p.high {
				p.note(fn, i, imm, to)
			}
		}
	}
}

// scanARM64 pairs each ADRP with the first instruction that uses its register,
// unless another one writes that register first.
func (p *program) scanARM64(fn span, code []byte) {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(code[i:]) }
	for i := 0; i+8 <= len(code); i += 4 {
		w := word(i)
		if w&0x9f000000 != 0x90000000 {
			continue
		}
		imm := int64(w>>5&0x7ffff)<<2 | int64(w>>29&3)
		imm = imm << 43 >> 43
		page := (fn.addr+uint64(i))&^0xfff + uint64(imm<<12)
		reg := w & 31
		for k := i + 4; k+4 <= len(code) && k <= i+32; k += 4 {
			use := word(k)
			if use>>5&31 == reg {
				rest := uint64(use >> 10 & 0xfff)
				switch {
				case use&0xff800000 == 0x91000000:
					p.note(fn, i, k, page+rest<<(12*(use>>22&1)))
				case use&0x3f000000 == 0x39000000:
					p.note(fn, i, k, page+rest<<(use>>30))
				}
				break
			}
			if use&31 == reg {
				break
			}
		}
	}
}

// commonRefs makes a table for each version: the references of which two
// executables know, and against which none speaks that has the function.
func commonRefs(d *defs, programs []*program) []*refTable {
	var kinds []string
	byKind := map[string][]*program{}
	for _, p := range programs {
		kind := p.table.kind()
		if byKind[kind] == nil {
			kinds = append(kinds, kind)
		}
		byKind[kind] = append(byKind[kind], p)
	}
	var ret []*refTable
	for _, kind := range kinds {
		ps := byKind[kind]
		has := map[string]int{}
		for _, p := range ps {
			for _, f := range p.funcs {
				has[f.name]++
			}
		}
		t := ps[0].table
		t.refs = map[string][]ref{}
		for _, g := range d.globals {
			known := map[ref]int{}
			for _, p := range ps {
				for r := range p.foundIn[g] {
					known[r]++
				}
			}
			for r, n := range known {
				if n < 2 || n < has[r.fn] {
					delete(known, r)
				}
			}
			t.refs[g] = spread(known)
		}
		ret = append(ret, &t)
	}
	return ret
}

// spread chooses a few references from as many functions as there are.
func spread(refs map[ref]int) []ref {
	best := map[[2]string]ref{} // one meaning for each place in the code
	for r := range refs {
		k := [2]string{r.fn, strconv.FormatInt(r.off, 10)}
		b, ok := best[k]
		if !ok || r.delta < b.delta || r.delta == b.delta && r.second < b.second {
			best[k] = r
		}
	}
	byFunc := map[string][]ref{}
	for _, r := range best {
		byFunc[r.fn] = append(byFunc[r.fn], r)
	}
	names := make([]string, 0, len(byFunc))
	for n, rs := range byFunc {
		rs := rs
		sort.Slice(rs, func(i, j int) bool { return rs[i].off < rs[j].off })
		names = append(names, n)
	}
	sort.Strings(names)
	var ret []ref
	for round := 0; len(ret) < refsPerGlobal; round++ {
		more := false
		for _, n := range names {
			if round < len(byFunc[n]) && len(ret) < refsPerGlobal {
				ret = append(ret, byFunc[n][round])
				more = true
			}
		}
		if !more {
			break
		}
	}
	return ret
}
