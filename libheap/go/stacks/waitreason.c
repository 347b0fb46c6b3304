// waitreason.c: why a goroutine waits, in the words of each version.
#include "libheap/go/stacks/goroutines.h"

#define REASONS(minor, ...) \
	static const char *const reasons_##minor[] = { __VA_ARGS__ };
#include "libheap/go/tables/waitreasons.inc"
#undef REASONS

struct reasons {
	const char *const *at;
	size_t n;
};
#define REASONS_OF(minor) \
	{ reasons_##minor, sizeof(reasons_##minor) / sizeof(*reasons_##minor) }
#define FIRST 18
static const struct reasons by_minor[] = {
	REASONS_OF(18), REASONS_OF(19), REASONS_OF(20), REASONS_OF(21),
	REASONS_OF(22), REASONS_OF(23), REASONS_OF(24), REASONS_OF(25),
	REASONS_OF(26), REASONS_OF(27),
};
#define N_MINORS (sizeof(by_minor) / sizeof(*by_minor))

const char *go_wait_reason(const struct go_process *process, uint64_t number)
{
	unsigned minor = process->version.minor;
	const struct reasons *r;

	if (minor < FIRST)
		return NULL;
	r = &by_minor[minor - FIRST < N_MINORS ? minor - FIRST : N_MINORS - 1];
	return number < r->n && r->at[number][0] ? r->at[number] : NULL;
}
