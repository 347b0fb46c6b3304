// place.c: what a location expression says, as pieces.
//
// Go writes frame offsets, registers, pieces of both and addresses; C compilers
// more. The machine follows what is a sum of one base and numbers; all else is
// unclear rather than wrong.
#include "libdwarfread/place.h"

#define DEPTH 8

// Source: DWARF 5, 2.5 and 7.7.1.
enum { OP_ADDR = 0x03, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S,
       OP_CONST4U, OP_CONST4S, OP_CONST8U, OP_CONST8S, OP_CONSTU, OP_CONSTS,
       OP_MINUS = 0x1c, OP_PLUS = 0x22, OP_PLUS_UCONST = 0x23, OP_LIT0 = 0x30,
       OP_LIT31 = 0x4f, OP_REG0 = 0x50, OP_REG31 = 0x6f, OP_BREG0 = 0x70,
       OP_BREG31 = 0x8f, OP_REGX = 0x90, OP_FBREG = 0x91, OP_BREGX = 0x92,
       OP_PIECE = 0x93, OP_NOP = 0x96, OP_CALL_FRAME_CFA = 0x9c,
       OP_STACK_VALUE = 0x9f, OP_ADDRX = 0xa1 };

// struct machine is the stack of an expression; a DWARF_IS_VALUE on it is a
// number, a DWARF_IN_REG is not on it but named.
struct machine {
	struct dwarf_piece stack[DEPTH];
	uint32_t n;
	bool unclear;
	struct places *out;
};

static void push(struct machine *m, enum dwarf_place place, uint32_t reg,
		 int64_t off)
{
	if (m->n == DEPTH)
		m->unclear = true;
	else
		m->stack[m->n++] = (struct dwarf_piece){ place, reg, off, 0 };
}

// add sums the two topmost, of which at most one is more than a number.
static void add(struct machine *m, int64_t sign)
{
	if (m->n < 2) {
		m->unclear = true;
		return;
	}
	const struct dwarf_piece right = m->stack[--m->n];
	struct dwarf_piece *left = &m->stack[m->n - 1];
	const uint64_t a = (uint64_t)left->off, b = (uint64_t)right.off;
	if (left->place == DWARF_IN_REG || right.place == DWARF_IN_REG ||
	    (right.place != DWARF_IS_VALUE &&
	     (sign < 0 || left->place != DWARF_IS_VALUE))) {
		m->unclear = true;
		return;
	}
	if (right.place != DWARF_IS_VALUE)
		*left = right;
	left->off = (int64_t)(sign < 0 ? a - b : a + b);
}

// end_piece puts what the machine holds into the answer.
static void end_piece(struct machine *m, uint64_t len, bool is_value)
{
	struct dwarf_piece p = { .place = DWARF_NOWHERE };
	if (m->unclear || m->n > 1)
		p.place = DWARF_UNCLEAR;
	else if (m->n == 1)
		p = m->stack[0];
	if (m->n == 1 && !m->unclear) {
		if (is_value && p.place != DWARF_IS_VALUE)
			p.place = DWARF_UNCLEAR; // a sum, not a place
		else if (!is_value && p.place == DWARF_IS_VALUE)
			p.place = DWARF_AT_ADDR; // a number is an address
	}
	p.len = len;
	m->out->at[m->out->n++] = p;
	m->n = 0;
	m->unclear = false;
}

static void push_addrx(struct machine *m, struct dwarf *d,
		       const struct unit *u, uint64_t index)
{
	struct value v;
	if (index_address(d, u, index, &v.number))
		push(m, DWARF_AT_ADDR, 0, (int64_t)v.number);
	else
		m->unclear = true;
}

// number_of says whether the operation pushes a number.
static bool number_of(const struct dw_op *o, int64_t *ret)
{
	*ret = (int64_t)o->a;
	switch (o->op) {
	case OP_CONST1S:
		*ret = (int8_t)o->a;
		return true;
	case OP_CONST2S:
		*ret = (int16_t)o->a;
		return true;
	case OP_CONST4S:
		*ret = (int32_t)o->a;
		return true;
	case OP_CONST1U: case OP_CONST2U: case OP_CONST4U: case OP_CONST8U:
	case OP_CONST8S: case OP_CONSTU: case OP_CONSTS:
		return true;
	default:
		*ret = o->op - OP_LIT0;
		return o->op >= OP_LIT0 && o->op <= OP_LIT31;
	}
}

static void step(struct machine *m, struct dwarf *d, const struct unit *u,
		 const struct dwarf_piece *base, const struct dw_op *o)
{
	int64_t number;
	if (number_of(o, &number))
		push(m, DWARF_IS_VALUE, 0, number);
	else if (o->op >= OP_REG0 && o->op <= OP_REG31)
		push(m, DWARF_IN_REG, o->op - OP_REG0, 0);
	else if (o->op == OP_REGX && o->a <= UINT32_MAX)
		push(m, DWARF_IN_REG, (uint32_t)o->a, 0);
	else if (o->op >= OP_BREG0 && o->op <= OP_BREG31)
		push(m, DWARF_AT_REG, o->op - OP_BREG0, (int64_t)o->a);
	else if (o->op == OP_BREGX && o->a <= UINT32_MAX)
		push(m, DWARF_AT_REG, (uint32_t)o->a, (int64_t)o->b);
	else if (o->op == OP_CALL_FRAME_CFA)
		push(m, DWARF_AT_CFA, 0, 0);
	else if (o->op == OP_FBREG && base->place != DWARF_UNCLEAR)
		push(m, base->place, base->reg,
		     (int64_t)((uint64_t)base->off + o->a));
	else if (o->op == OP_ADDR)
		push(m, DWARF_AT_ADDR, 0, (int64_t)o->a);
	else if (o->op == OP_ADDRX)
		push_addrx(m, d, u, o->a);
	else if (o->op == OP_PLUS_UCONST && m->n == 1 &&
		 m->stack[0].place != DWARF_IN_REG)
		m->stack[0].off = (int64_t)((uint64_t)m->stack[0].off + o->a);
	else if (o->op == OP_PLUS || o->op == OP_MINUS)
		add(m, o->op == OP_PLUS ? 1 : -1);
	else if (o->op != OP_NOP)
		m->unclear = true;
}

void places_from(struct dwarf *d, const struct unit *u,
		 const struct dwarf_piece *base, const struct dw_op *ops,
		 uint32_t n_ops, struct places *ret)
{
	struct machine m = { .out = ret };
	bool is_value = false;
	ret->n = 0;
	m.unclear = n_ops > DW_MAX_OPS;
	for (uint32_t i = 0; i < n_ops && n_ops <= DW_MAX_OPS; i++) {
		if (ops[i].op == OP_PIECE)
			end_piece(&m, ops[i].a, is_value);
		else if (ops[i].op != OP_STACK_VALUE)
			step(&m, d, u, base, &ops[i]);
		is_value = ops[i].op == OP_STACK_VALUE;
	}
	if (m.n || m.unclear || ret->n == 0)
		end_piece(&m, 0, is_value);
}

struct dwarf_piece frame_base_of(const struct entry *func)
{
	struct dwarf_piece ret = { .place = DWARF_UNCLEAR };
	struct bytes b;
	uint8_t op;
	if (!entry_block(func, SLOT_FRAME_BASE, &b) ||
	    bytes_u8(&b, &op, NULL))
		return ret;
	if (op == OP_CALL_FRAME_CFA && b.len == 0)
		ret.place = DWARF_AT_CFA;
	// A frame base of one register is what that register holds.
	// Source: DWARF 5, 3.3.5, and what clang writes.
	else if (op >= OP_REG0 && op <= OP_REG31 && b.len == 0)
		ret = (struct dwarf_piece){ DWARF_AT_REG, op - OP_REG0, 0, 0 };
	else if (op >= OP_BREG0 && op <= OP_BREG31 &&
		 bytes_sleb(&b, &ret.off, NULL) == HC_OK && b.len == 0)
		ret = (struct dwarf_piece){ DWARF_AT_REG, op - OP_BREG0,
					    ret.off, 0 };
	return ret;
}
