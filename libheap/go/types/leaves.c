// leaves.c: see leaves.h.
#include "libheap/go/types/leaves.h"

#include "libheap/go/types/settle.h"

#include <pthread.h>
#include <semaphore.h>

// struct go_back is a claim that came back.
struct go_back {
	taddr at;
	struct go_claim claim;
};

// struct go_leaves is the letters between the two threads.
// Shape: letter[sent % GO_LETTERS] is open. `to_read` counts letters under way,
//        `to_write` those that are free beside the open one. While there is no
//        thread, whoever sends reads. back is the reader's.
struct go_leaves {
	struct go_letter letter[GO_LETTERS];
	struct go_typing *t;
	uint64_t sent, read;
	sem_t to_read, to_write;
	pthread_t thread;
	bool may_start, started, hold;
	struct { VEC(struct go_back); } back;
	struct pool own; // of back
	bool short_of_memory;
};

// come_back keeps a claim for an object with pointers.
static void come_back(struct go_leaves *l, taddr at, struct go_claim claim)
{
	struct go_back *back = vec_push(&l->own, &l->back);
	if (back)
		*back = (struct go_back){ at, claim };
	else
		l->short_of_memory = true;
}

// settle_leaf decides about one claim and what it marks.
static inline void settle_leaf(struct go_leaves *l, taddr at,
			       struct go_claim claim,
			       const struct heap_aim *aim)
{
	struct go_typing *t = l->t;
	const struct go_lot *lot = &t->lots[aim->region];
	struct go_slots *slots = &t->slots[aim->word];
	if (!aim->word)
		return;
	if (lot->marks) {
		come_back(l, at, claim);
		return;
	}
	slots->seen |= (uint64_t)claim.live << aim->bit;
	if (lot->type == claim.type && aim->at_start && claim.n <= lot->most)
		slots->taken |= UINT64_C(1) << aim->bit;
	else
		go_settle_claim(t, at, claim, aim);
}

// letter_read settles the claims of a letter, some a while after they were
// looked up, so that their lines are there.
static void letter_read(struct go_leaves *l, struct go_letter *letter)
{
	struct heap_aim aims[2][GO_CLAIMS];
	const struct heap *heap = l->t->process->heap;
	uint32_t asked = 0, done = 0;
	for (unsigned turn = 0; done < letter->n; turn ^= 1) {
		uint32_t from = asked, n = letter->n - asked;
		n = n > GO_CLAIMS ? GO_CLAIMS : n;
		heap_aim(heap, letter->at + asked, n, l->t->slots,
			 GO_SLOTS_LOG, aims[turn]);
		asked += n;
		for (uint32_t i = done; i < from; i++)
			settle_leaf(l, letter->at[i], letter->claim[i],
				    &aims[turn ^ 1][i - done]);
		done = from;
		if (n == 0)
			break;
	}
	letter->n = 0;
}

// take waits for one of what sem counts.
static void take(sem_t *sem)
{
	while (sem_wait(sem)) // again, if interrupted
		;
}

// leaves_run is the second thread. It ends at an empty letter.
static void *leaves_run(void *arg)
{
	struct go_leaves *l = arg;
	for (bool more = true; more;) {
		take(&l->to_read);
		struct go_letter *letter = &l->letter[l->read++ % GO_LETTERS];
		more = letter->n != 0;
		letter_read(l, letter);
		sem_post(&l->to_write);
	}
	return NULL;
}

enum hc go_leaves_open(struct go_typing *t, struct hc_err *err)
{
	struct go_leaves *l = pool_new(t->pool, struct go_leaves, 1);
	if (!l)
		return hc_nomem(err);
	HC_TRY(pool_open((uint64_t)(t->pool->end - t->pool->next) + 1, &l->own,
			 err));
	l->t = t;
	l->may_start = heap_threads(t->process->heap) > 1;
	sem_init(&l->to_read, 0, 0);
	sem_init(&l->to_write, 0, GO_LETTERS - 1);
	t->leaves = l;
	t->letter = &l->letter[0];
	return HC_OK;
}

// letter_send hands over the open letter and waits for room.
static void letter_send(struct go_leaves *l)
{
	l->sent++;
	sem_post(&l->to_read);
	take(&l->to_write);
	l->t->letter = &l->letter[l->sent % GO_LETTERS];
}

void go_leaves_send(struct go_typing *t)
{
	struct go_leaves *l = t->leaves;
	if (l->may_start && !l->hold) {
		l->may_start = false;
		l->started = pthread_create(&l->thread, NULL, leaves_run, l) == 0;
	}
	if (l->started && !l->hold)
		letter_send(l);
	else
		letter_read(l, t->letter);
}

// leaves_wait waits until the second thread has read all letters.
static void leaves_wait(struct go_leaves *l)
{
	for (unsigned i = 0; l->started && i < GO_LETTERS - 1; i++)
		take(&l->to_write);
	for (unsigned i = 0; l->started && i < GO_LETTERS - 1; i++)
		sem_post(&l->to_write);
}

bool go_leaves_settle(struct go_typing *t)
{
	struct go_leaves *l = t->leaves;
	leaves_wait(l);
	letter_read(l, t->letter);
	uint64_t n = l->back.n;
	for (uint64_t i = 0; i < n; i++)
		go_typing_put(t, l->back.at[i].at, l->back.at[i].claim);
	l->back.n = 0;
	t->short_of_memory |= l->short_of_memory;
	return n;
}

void go_leaves_hold(struct go_leaves *l, bool hold)
{
	l->hold = hold;
}

void go_leaves_close(struct go_leaves *l)
{
	if (!l)
		return;
	if (l->started) {
		l->t->letter->n = 0;
		letter_send(l); // empty: the last
		pthread_join(l->thread, NULL);
	}
	sem_destroy(&l->to_read);
	sem_destroy(&l->to_write);
	pool_close(&l->own);
}
