// version.c: reads a Go version string with its experiments.
//
// Source: Go 1.18 to 1.27 runtime/extern.go, Version; internal/buildcfg/exp.go
// for what is on by default. Behind the release stands " X:a,nob", from Go 1.26
// on "-X:a,nob", and what vendors add.
#include "libheap/go/program/layout.h"

// Experiments that change a structure we read. The rest of the list changes
// code only, or structures that are found by other means.
static const struct {
	const char *name;
	uint32_t bit;
	unsigned on_since; // minor version that has it on by default, 0: none
} experiments[] = {
	{ "greenteagc", GO_X_GREENTEA, 26 },
	{ "swissmap", GO_X_SWISSMAP, 24 },
	{ "arenas", GO_X_ARENAS, 0 },
	{ "mapsplitgroup", GO_X_MAPSPLITGROUP, 0 },
};

static const char *const harmless[] = {
	"aliastypeparams", "boringcrypto", "cacheprog", "cgocheck2",
	"coverageredesign", "dwarf5", "exectracer2", "fieldtrack",
	"goroutineleakprofile", "jsonv2", "loopvar", "opensslcrypto",
	"preemptibleloops", "randomizedheapbase64", "rangefunc", "regabiargs",
	"regabiwrappers", "simd", "strictfipsruntime", "synctest",
	"systemcrypto", "synchashtriemap", "unified",
};

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static bool word_is(struct bytes b, const char *word)
{
	return bytes_equal(b, word, strlen(word));
}

// one applies one name of the list, "no" in front turning it off.
static void one(struct bytes name, struct go_version *v)
{
	bool on = true;
	if (name.len > 2 && name.at[0] == 'n' && name.at[1] == 'o') {
		on = false;
		name = (struct bytes){ name.at + 2, name.len - 2, name.org };
	}
	for (size_t i = 0; i < N_OF(experiments); i++) {
		if (!word_is(name, experiments[i].name))
			continue;
		if (on)
			v->experiments |= experiments[i].bit;
		else
			v->experiments &= ~experiments[i].bit;
		return;
	}
	for (size_t i = 0; i < N_OF(harmless); i++)
		if (word_is(name, harmless[i]))
			return;
	if (name.len > 0)
		v->experiments |= GO_X_OTHER;
}

static void read_experiments(struct bytes text, struct go_version *v)
{
	for (size_t i = 0; i < N_OF(experiments); i++)
		if (experiments[i].on_since &&
		    v->minor >= experiments[i].on_since)
			v->experiments |= experiments[i].bit;
	const uint8_t *x = memmem(text.at, text.len, "X:", 2);
	if (!x || x == text.at || (x[-1] != ' ' && x[-1] != '-'))
		return;
	uint64_t left = text.len - (uint64_t)(x + 2 - text.at);
	struct bytes list = { x + 2, left, 0 };
	const uint8_t *space = memchr(list.at, ' ', list.len);
	if (space)
		list.len = (uint64_t)(space - list.at);
	while (list.len > 0) {
		const uint8_t *comma = memchr(list.at, ',', list.len);
		uint64_t len = comma ? (uint64_t)(comma - list.at) : list.len;
		one((struct bytes){ list.at, len, 0 }, v);
		len += comma ? 1 : 0;
		list = (struct bytes){ list.at + len, list.len - len, 0 };
	}
	if (v->minor >= 26) // no longer an experiment
		v->experiments |= GO_X_SWISSMAP;
}

// number takes decimal digits off *b; false when there are none or too many.
static bool number(struct bytes *b, unsigned *ret)
{
	unsigned n = 0;
	uint64_t i = 0;
	while (i < b->len && i < 6 && b->at[i] >= '0' && b->at[i] <= '9')
		n = n * 10 + (unsigned)(b->at[i++] - '0');
	if (i == 0 || i == 6)
		return false;
	*b = (struct bytes){ b->at + i, b->len - i, b->org };
	*ret = n;
	return true;
}

static bool skip(struct bytes *b, const char *word)
{
	uint64_t len = strlen(word);
	if (b->len < len || memcmp(b->at, word, len) != 0)
		return false;
	*b = (struct bytes){ b->at + len, b->len - len, b->org };
	return true;
}

static void copy_text(struct bytes b, char *dst, size_t room)
{
	size_t n = b.len < room - 1 ? (size_t)b.len : room - 1;
	for (size_t i = 0; i < n; i++)
		dst[i] = b.at[i] >= ' ' && b.at[i] < 0x7f ? (char)b.at[i] : '?';
	dst[n] = '\0';
}

enum hc go_version_parse(const char *text, uint64_t len,
			 struct go_version *ret, struct hc_err *err)
{
	struct bytes all = { (const uint8_t *)text, len, 0 }, b = all;
	struct go_version v = { 0 };
	copy_text(all, v.text, sizeof(v.text));
	v.devel = skip(&b, "devel ");
	bool named = skip(&b, "go1.") && number(&b, &v.minor);
	if (!named && !v.devel)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "\"%s\" is no Go 1 release", v.text);
	if (named && skip(&b, ".") && !number(&b, &v.patch))
		v.patch = 0;
	read_experiments(all, &v);
	*ret = v;
	return HC_OK;
}
