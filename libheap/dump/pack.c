// pack.c: see pack.h.
//
// Blocks stand in a ring. The writer fills one; threads pack those that are
// full; when the ring is full the writer waits for the oldest and writes it.
#include "libheap/dump/pack.h"

#include "libheap/dump/append.h"

#include "libcore/base/codec.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define LEVEL 3
#define THREADS_MAX 64u

enum state { FILLING, FULL, PACKED };

struct block {
	uint8_t *raw, *packed;
	uint64_t n, n_packed;
	uint32_t section, crc;
	enum state state;
	bool failed;
	struct hc_err err;
};

struct entry {
	uint32_t section, raw, packed, crc;
};

// struct pack_crew is shared by the writer and its threads.
// Shape: blocks [written, taken) are being packed, [taken, filled) wait, the
//        block number `filled` is the writer's; numbers count on for ever.
struct pack_crew {
	struct dump_sink sink;
	struct pool *pool;
	pthread_mutex_t lock;
	pthread_cond_t full, packed;
	pthread_t thread[THREADS_MAX];
	unsigned n_threads;
	bool stop;
	struct block *block;
	uint64_t n_blocks, written, taken, filled;
	struct { VEC(struct entry); } toc;
	uint64_t len; // of the file so far
	bool failed;
	struct hc_err err;
};

static void block_pack(struct block *b)
{
	struct bytes in = { b->raw, b->n, 0 };
	b->failed = pack_zstd(in, LEVEL, b->packed, pack_bound(DUMP_BLOCK),
			      &b->n_packed, &b->err) != HC_OK;
	if (!b->failed)
		b->crc = crc32_more(0, b->packed, b->n_packed);
}

static void *work(void *ctx)
{
	struct pack_crew *c = ctx;
	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->taken == c->filled && !c->stop)
			pthread_cond_wait(&c->full, &c->lock);
		if (c->taken == c->filled)
			break;
		struct block *b = &c->block[c->taken++ % c->n_blocks];
		pthread_mutex_unlock(&c->lock);
		block_pack(b);
		pthread_mutex_lock(&c->lock);
		b->state = PACKED;
		pthread_cond_signal(&c->packed);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static void put(struct pack_crew *c, const void *bytes, uint64_t len)
{
	if (!c->failed && len)
		c->failed = c->sink.write(c->sink.ctx, bytes, len, &c->err) !=
			    HC_OK;
	c->len += len;
}

static void fail(struct pack_crew *c, const struct hc_err *err)
{
	if (!c->failed)
		c->err = *err;
	c->failed = true;
}

// write_oldest waits for the oldest block, writes it and lists it.
static void write_oldest(struct pack_crew *c)
{
	struct block *b = &c->block[c->written % c->n_blocks];
	pthread_mutex_lock(&c->lock);
	while (b->state != PACKED && c->n_threads)
		pthread_cond_wait(&c->packed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	struct entry *e = vec_push(c->pool, &c->toc);
	struct hc_err nomem;
	if (b->failed)
		fail(c, &b->err);
	if (!e) {
		(void)hc_nomem(&nomem);
		fail(c, &nomem);
	} else {
		*e = (struct entry){ b->section, (uint32_t)b->n,
				     (uint32_t)b->n_packed, b->crc };
	}
	put(c, b->packed, b->n_packed);
	b->state = FILLING;
	c->written++;
}

// give hands the block that was filled to the threads.
static void give(struct pack *p)
{
	struct pack_crew *c = p->crew;
	struct block *b = &c->block[c->filled % c->n_blocks];
	b->n = (uint64_t)(p->at - b->raw);
	if (b->n == 0)
		return;
	b->section = p->section;
	b->state = FULL;
	pthread_mutex_lock(&c->lock);
	c->filled++;
	pthread_cond_signal(&c->full);
	pthread_mutex_unlock(&c->lock);
	if (!c->n_threads) {
		block_pack(b);
		c->taken++;
		write_oldest(c);
	}
	while (c->filled - c->written >= c->n_blocks)
		write_oldest(c);
	b = &c->block[c->filled % c->n_blocks];
	p->at = b->raw;
	p->end = b->raw + DUMP_BLOCK;
}

void pack_next(struct pack *p)
{
	give(p);
}

void pack_section(struct pack *p, enum dump_section section)
{
	give(p);
	p->section = section;
}

void pack_bytes(struct pack *p, const void *bytes, uint64_t len)
{
	const uint8_t *from = bytes;
	while (len > 0) {
		uint64_t room = (uint64_t)(p->end - p->at);
		uint64_t part = len < room ? len : room;
		memcpy(p->at, from, part);
		p->at += part;
		from += part;
		len -= part;
		if (p->at == p->end)
			pack_next(p);
	}
}

bool pack_failed(const struct pack *p)
{
	return p->crew->failed;
}

static unsigned threads_of(const struct dump_options *options)
{
	cpu_set_t set;
	unsigned n = options->threads;
	if (n == 0)
		n = sched_getaffinity(0, sizeof(set), &set) ?
			    1 :
			    (unsigned)CPU_COUNT(&set);
	return n < THREADS_MAX ? n : THREADS_MAX;
}

static enum hc blocks_open(struct pack_crew *c, struct hc_err *err)
{
	c->block = pool_new(c->pool, struct block, c->n_blocks);
	for (uint64_t i = 0; c->block && i < c->n_blocks; i++) {
		c->block[i].raw = pool_new(c->pool, uint8_t, DUMP_BLOCK);
		c->block[i].packed = pool_new(c->pool, uint8_t,
					      pack_bound(DUMP_BLOCK));
		if (!c->block[i].raw || !c->block[i].packed)
			return hc_nomem(err);
	}
	return c->block ? HC_OK : hc_nomem(err);
}

static void write_head(struct pack_crew *c, bool values)
{
	uint8_t head[DUMP_HEAD] = DUMP_MAGIC;
	uint32_t word[] = { DUMP_VERSION, values ? DUMP_WITH_VALUES : 0, 0 };
	memcpy(head + 16, word, 12);
	uint32_t crc = crc32_more(0, head, 28);
	memcpy(head + 28, &crc, 4);
	put(c, head, sizeof(head));
}

enum hc pack_open(const struct dump_sink *sink,
		  const struct dump_options *options, struct pool *pool,
		  struct pack *ret, struct hc_err *err)
{
	unsigned n = threads_of(options);
	struct pack_crew *c = pool_new(pool, struct pack_crew, 1);
	if (!c)
		return hc_nomem(err);
	c->sink = *sink;
	c->pool = pool;
	c->n_blocks = 2 * (uint64_t)n + 1;
	HC_TRY(blocks_open(c, err));
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->full, NULL);
	pthread_cond_init(&c->packed, NULL);
	const struct dump_base *base = options->base;
	if (base)
		put(c, base->file.file.at, base->file.end);
	else
		write_head(c, options->values);
	while (n > 1 && c->n_threads < n &&
	       pthread_create(&c->thread[c->n_threads], NULL, work, c) == 0)
		c->n_threads++;
	*ret = (struct pack){ c->block[0].raw, c->block[0].raw + DUMP_BLOCK, 0,
			      { .pool = pool }, 0, c };
	if (base)
		strings_begin(&ret->strings, (const char *)base->strings.at,
			      base->strings.len);
	ret->old_strings = ret->strings.n;
	return HC_OK;
}

static void write_tail(struct pack_crew *c)
{
	uint8_t tail[DUMP_HEAD];
	uint64_t at = c->len, n = c->toc.n;
	uint64_t len = n * DUMP_ENTRY;
	uint32_t crc = crc32_more(0, c->toc.at, len);
	put(c, c->toc.at, len);
	uint64_t whole = c->len + DUMP_HEAD;
	uint32_t count = (uint32_t)n;
	memcpy(tail, &at, 8);
	memcpy(tail + 8, &count, 4);
	memcpy(tail + 12, &crc, 4);
	memcpy(tail + 16, &whole, 8);
	crc = crc32_more(0, tail, 24);
	memcpy(tail + 24, &crc, 4);
	memcpy(tail + 28, DUMP_END, 4);
	put(c, tail, sizeof(tail));
}

enum hc pack_close(struct pack *p, bool whole, struct hc_err *err)
{
	struct pack_crew *c = p->crew;
	struct hc_err nomem;
	pack_section(p, DUMP_STRINGS);
	if (p->strings.n > p->old_strings)
		pack_bytes(p, p->strings.at + p->old_strings,
			   p->strings.n - p->old_strings);
	give(p);
	while (c->written < c->filled)
		write_oldest(c);
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->full);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->n_threads; i++)
		pthread_join(c->thread[i], NULL);
	if (p->strings.failed) {
		(void)hc_nomem(&nomem);
		fail(c, &nomem);
	}
	if (whole && !c->failed)
		write_tail(c);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->full);
	pthread_cond_destroy(&c->packed);
	if (!whole || !c->failed)
		return HC_OK;
	if (err)
		*err = c->err;
	return HC_FAIL;
}
