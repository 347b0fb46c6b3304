// dataroots.c: global variables that may hold pointers, by the modules' masks.
//
// Source: runtime/mgcmark.go, markrootBlock (1.18–1.27): data and bss of every
// module; noptrdata, noptrbss and read-only data are no roots.
#include "libheap/go/roots/rootparts.h"

struct area {
	taddr low, high, mask;
	uint32_t n_bits, module;
	enum go_place place;
};

// scan_run takes the words of [at, at + len), all of one window.
static void scan_run(const struct area *area, const uint8_t *mask, taddr at,
		     const uint8_t *bytes, uint64_t len, unsigned word,
		     heap_root_fn *fn, void *ctx)
{
	uint64_t i = (at - area->low) / word, end = i + len / word;

	if (end > area->n_bits)
		end = area->n_bits;
	for (; i < end; i++, at += word, bytes += word) {
		uint64_t value;

		if (!(mask[i / 8] >> (i % 8) & 1))
			continue;
		value = go_word(bytes, word);
		if (value != 0)
			fn(ctx, &(struct heap_root){
					.target = value,
					.at = at,
					.kind = HEAP_ROOT_GLOBAL,
					.owner = HEAP_NO_OWNER,
					.detail = go_detail(area->place, 0,
							    area->module),
				});
	}
}

static void scan_area(struct go_process *process, const struct area *area,
		      heap_root_fn *fn, void *ctx)
{
	unsigned word = core_info(process->core)->word;
	struct core_window window;
	struct hc_err why;
	const uint8_t *mask;
	taddr at = area->low;

	if (area->high <= area->low || area->n_bits == 0)
		return;
	if (core_view(process->core, area->mask, (area->n_bits + 7u) / 8,
		      &mask, &why)) {
		findings_add_err(process->findings, "bad module", &why);
		return;
	}
	while (at < area->high &&
	       core_next_window(process->core, at, &window) == HC_OK &&
	       window.base < area->high) {
		taddr from = window.base > at ? window.base : at;
		uint64_t len = window.len - (from - window.base);

		from += (area->low - from) % word; // words, not halves
		if (from - window.base >= window.len)
			len = 0;
		else
			len = window.len - (from - window.base);
		if (len > area->high - from)
			len = area->high - from;
		if (from > at && from - at >= word)
			findings_add(process->findings, "not saved", at,
				     "%" PRIu64 " bytes of global variables "
				     "are not in the core", from - at);
		scan_run(area, mask, from,
			 window.bytes + (from - window.base), len, word, fn,
			 ctx);
		at = from + (len > 0 ? len : word);
	}
}

void go_data_roots(struct go_process *process, heap_root_fn *fn, void *ctx)
{
	uint32_t i;

	for (i = 0; i < process->n_modules; i++) {
		const struct go_module *m = &process->modules[i];
		struct area data = { m->data, m->edata, m->gcdatamask,
				     m->n_gcdatamask, i, GO_IN_DATA };
		struct area bss = { m->bss, m->ebss, m->gcbssmask,
				    m->n_gcbssmask, i, GO_IN_BSS };

		scan_area(process, &data, fn, ctx);
		scan_area(process, &bss, fn, ctx);
	}
}
