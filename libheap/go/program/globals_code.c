// globals_code.c: the runtime's variables by the code that refers to them.
//
// The tables say at which offset of which runtime function an instruction
// holds the address of a variable. Functions keep their names in a stripped
// program; where the compiler chose otherwise, the other references outvote.
#include "libheap/go/program/globals_find.h"

static const char *const functions[] = {
#define FUNCTION(name) name,
#include "libheap/go/tables/refs.inc"
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

// struct ref is one reference.
// Shape: amd64: second bytes of an immediate follow the 4 bytes at off;
//        arm64: the instructions are at off (ADRP) and second.
static const struct ref {
	uint16_t global, function, off, second;
	uint32_t delta; // what it leads to is the variable's address + delta
} refs[] = {
#define REF(g, function, off, second, delta) \
	{ G_##g, function, off, second, delta },
#include "libheap/go/tables/refs.inc"
};

static const struct {
	unsigned minor;
	enum core_arch arch;
	uint32_t experiments;
	uint32_t first, end;
} tables[] = {
#define REF_TABLE(minor, arch, mask, first, end) \
	{ minor, arch, mask, first, end },
#include "libheap/go/tables/refs.inc"
};

// code views 4 bytes of a function.
static bool code(const struct go_process *process, const struct go_func *fn,
		 uint64_t off, uint32_t *ret)
{
	return off < fn->end - fn->entry && fn->end - fn->entry - off >= 4 &&
	       !core_u32(process->core, fn->entry + off, ret, NULL);
}

// amd64: the displacement is relative to the next instruction.
static bool follow_amd64(const struct go_process *process,
			 const struct go_func *fn, const struct ref *r,
			 taddr *ret)
{
	uint32_t disp;

	if (!code(process, fn, r->off, &disp))
		return false;
	*ret = fn->entry + r->off + 4 + r->second +
	       (uint64_t)(int64_t)(int32_t)disp;
	return true;
}

// arm64: ADRP gives the page, ADD or a load or store the rest.
// Source: Arm Architecture Reference Manual, A64 base instructions.
static bool follow_arm64(const struct go_process *process,
			 const struct go_func *fn, const struct ref *r,
			 taddr *ret)
{
	uint32_t adrp, low;

	if (!code(process, fn, r->off, &adrp) ||
	    !code(process, fn, r->second, &low) ||
	    (adrp & 0x9f000000) != 0x90000000 ||
	    (adrp & 31) != (low >> 5 & 31))
		return false;
	uint64_t imm = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (imm & 1u << 20)
		imm |= ~(uint64_t)0 << 21;
	uint64_t page = ((fn->entry + r->off) & ~(uint64_t)0xfff) + (imm << 12);
	uint64_t rest = low >> 10 & 0xfff;
	if ((low & 0xff800000) == 0x91000000) // ADD (immediate)
		rest <<= (low >> 22 & 1) * 12;
	else if ((low & 0x3b000000) == 0x39000000) // LDR, STR (unsigned)
		rest <<= low >> 30;
	else
		return false;
	*ret = page + rest;
	return true;
}

enum { CANDIDATES = 16 };

// struct poll is the votes for one variable.
struct poll {
	taddr at[CANDIDATES];
	uint32_t votes[CANDIDATES];
	uint32_t n, of;
};

static void poll_add(struct poll *p, taddr at)
{
	uint32_t i = 0;

	p->of++;
	while (i < p->n && p->at[i] != at)
		i++;
	if (i == CANDIDATES)
		return;
	p->at[i] = at;
	p->votes[i]++;
	p->n += i == p->n;
}

static struct go_vote poll_close(const struct poll *p)
{
	struct go_vote v = { .of = p->of };

	for (uint32_t i = 0; i < p->n; i++) {
		if (p->votes[i] > v.votes) {
			v.against = v.votes;
			v.votes = p->votes[i];
			v.at = p->at[i];
		} else if (p->votes[i] > v.against) {
			v.against = p->votes[i];
		}
	}
	if (v.votes == v.against)
		v.at = 0;
	return v;
}

static size_t table_for(const struct go_layout *l)
{
	uint32_t experiments = l->version.experiments & GO_X_GREENTEA;
	size_t i = 0;

	while (i < sizeof(tables) / sizeof(tables[0]) &&
	       (tables[i].minor != l->version.minor ||
		tables[i].arch != l->arch ||
		tables[i].experiments != experiments))
		i++;
	return i;
}

// struct named is the functions that one table speaks of. The others are not
// looked for, so that the search ends where the runtime's code does.
struct named {
	const char **names;
	struct go_func *fns;
	uint16_t *index; // in both, by number of the function
	uint32_t n;
};

static bool find_functions(const struct go_process *process, size_t t,
			   struct named *ret)
{
	struct pool *pool = process->pool;
	bool *wanted = pool_new(pool, bool, N_FUNCTIONS);

	ret->names = pool_new(pool, const char *, N_FUNCTIONS);
	ret->fns = pool_new(pool, struct go_func, N_FUNCTIONS);
	ret->index = pool_new(pool, uint16_t, N_FUNCTIONS);
	if (!wanted || !ret->names || !ret->fns || !ret->index)
		return false;
	for (uint32_t i = tables[t].first; i < tables[t].end; i++)
		wanted[refs[i].function] = true;
	for (uint32_t i = 0; i < N_FUNCTIONS; i++) {
		ret->index[i] = (uint16_t)ret->n;
		if (wanted[i])
			ret->names[ret->n++] = functions[i];
	}
	go_funcs_named(process, ret->names, ret->n, ret->fns);
	return true;
}

void go_globals_from_code(const struct go_process *process,
			  struct go_vote votes[GO_N_GLOBALS])
{
	size_t t = table_for(&process->layout);
	char *mark = pool_mark(process->pool);
	struct named named = { 0 };
	struct poll *polls = pool_new(process->pool, struct poll,
				      GO_N_GLOBALS);

	memset(votes, 0, sizeof(votes[0]) * GO_N_GLOBALS);
	if (t == sizeof(tables) / sizeof(tables[0]) || !polls ||
	    !find_functions(process, t, &named))
		return;
	for (uint32_t i = tables[t].first; i < tables[t].end; i++) {
		const struct ref *r = &refs[i];
		const struct go_func *fn = &named.fns[named.index[r->function]];
		taddr to;
		if (fn->record &&
		    (process->layout.arch == CORE_AMD64 ?
			     follow_amd64(process, fn, r, &to) :
			     follow_arm64(process, fn, r, &to)))
			poll_add(&polls[r->global], to - r->delta);
	}
	for (size_t g = 0; g < GO_N_GLOBALS; g++)
		votes[g] = poll_close(&polls[g]);
	pool_rewind(process->pool, mark);
}
