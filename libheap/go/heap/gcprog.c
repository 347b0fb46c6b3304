// gcprog.c: GC programs, run-length coded pointer masks (Go 1.18–1.23).
//
// One operation a byte: 0 ends; 1..127 are that many literal bits, which
// follow; 128 + n repeats the last n bits (n as a varint when 0), as often as
// the varint behind says.
// Source: runtime/mbitmap.go, runGCProg (1.18–1.23).
#include "libheap/go/heap/typemask.h"

struct prog_out {
	uint8_t *bits;
	uint64_t n, max;
};

static bool bit_at(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] >> (i % 8) & 1;
}

static void put_bit(struct prog_out *out, bool bit)
{
	if (bit)
		out->bits[out->n / 8] |= (uint8_t)(1u << (out->n % 8));
	out->n++;
}

// run_literal copies n bits out of the program.
static HC_MUST enum hc run_literal(struct bytes *prog, uint64_t n,
				   struct prog_out *out, struct hc_err *err)
{
	struct bytes lit;
	HC_TRY(bytes_take(prog, (n + 7) / 8, &lit, err));
	for (uint64_t i = 0; i < n && out->n < out->max; i++)
		put_bit(out, bit_at(lit.at, i));
	return HC_OK;
}

// run_repeat repeats the last n bits.
static HC_MUST enum hc run_repeat(struct bytes *prog, uint64_t n,
				  struct prog_out *out, struct hc_err *err)
{
	uint64_t times;
	if (!n)
		HC_TRY(bytes_uleb(prog, &n, err));
	HC_TRY(bytes_uleb(prog, &times, err));
	if (!n || n > out->n)
		return hc_fail(err, HC_CORRUPT, prog->org,
			       "a GC program repeats bits before its start");
	uint64_t left = out->max - out->n;
	uint64_t total = times > left / n ? left : times * n;
	for (uint64_t i = 0; i < total; i++)
		put_bit(out, bit_at(out->bits, out->n - n));
	return HC_OK;
}

enum hc go_gcprog_run(struct bytes prog, uint8_t *dst, uint64_t n_words,
		      struct hc_err *err)
{
	struct prog_out out = { dst, 0, n_words };
	while (out.n < out.max) {
		uint8_t op;
		HC_TRY(bytes_u8(&prog, &op, err));
		if (!op)
			return HC_OK;
		if (op & 0x80)
			HC_TRY(run_repeat(&prog, op & 0x7f, &out, err));
		else
			HC_TRY(run_literal(&prog, op, &out, err));
	}
	return HC_OK;
}
