// threads.h: the runtime's threads (m) beside the system's, and where the list
// of goroutines is.
#pragma once

#include "libheap/go/process.h"
#include "libheap/go/heap/record.h"

// struct go_thread is one m.
// Shape: lwp is the system's thread of the same id, NULL when it has none
//        (not started, or gone). The stacks are [lo, hi), both 0 when none.
// Source: runtime/runtime2.go, type m (1.18–1.27).
struct go_thread {
	taddr m, g0, gsignal, curg;
	taddr g0_lo, g0_hi, signal_lo, signal_hi;
	taddr vdso_pc, vdso_sp; // where it called the vDSO, 0 when it did not
	uint32_t tid;
	const struct core_thread *lwp;
};

#define GO_NO_THREAD UINT32_MAX

// struct go_threads is what the goroutine modules share.
// Shape: slot is an open hash of indexes + 1 by m, n_slots a power of two.
//        gs views n_gs pointers to g. told has a bit per goroutine whose
//        stack is already reported as broken.
// Owns:  scratch, given back by go_threads_done; the rest is the process's.
struct go_threads {
	struct go_thread *at;
	uint32_t n, n_slots;
	uint32_t *slot;
	uint32_t crashed; // the thread that brought the process down
	const uint8_t *gs;
	uint32_t n_gs;
	uint64_t *told;
	struct go_pcs *pcs;
	taddr sigreturn; // where signal handlers return to, 0 when not known
	struct pool scratch;
};

// go_threads_find fills process->threads: the m list, their system threads,
// the goroutine list. A broken list ends there, with a finding.
// Fails: NOMEM.
HC_MUST enum hc go_threads_find(struct go_process *process,
				struct hc_err *err);

// go_threads_done gives back what go_threads_find took outside the pool.
void go_threads_done(struct go_process *process);

// go_thread_of_m returns the thread of an m, or NULL.
const struct go_thread *go_thread_of_m(const struct go_process *process,
				       taddr m);

// go_g_at returns the address of goroutine i of the list.
static inline taddr go_g_at(const struct go_process *process, uint32_t i)
{
	unsigned word = core_info(process->core)->word;

	return go_word(process->threads->gs + (uint64_t)i * word, word);
}

// enum go_status is g.atomicstatus without the scan bit.
// Source: runtime/runtime2.go, _Gidle… (1.18–1.27; leaked and deadextra from
//         1.26).
enum go_status {
	GO_IDLE = 0,
	GO_RUNNABLE = 1,
	GO_RUNNING = 2,
	GO_SYSCALL = 3,
	GO_WAITING = 4,
	GO_DEAD = 6,
	GO_COPYSTACK = 8,
	GO_PREEMPTED = 9,
	GO_LEAKED = 10,
	GO_DEADEXTRA = 11,
};
#define GO_SCAN_BIT 0x1000u

// struct go_g is one goroutine's record and what all need of it.
struct go_g {
	struct go_record record;
	uint32_t index, status;
	uint64_t id;
	taddr lo, hi; // its stack
	taddr m;
};

// go_g_open sets *ret to goroutine i of the list.
// Fails: NONE when it is dead or was never used; UNSAVED.
HC_MUST enum hc go_g_open(const struct go_process *process, uint32_t i,
			  struct go_g *ret, struct hc_err *err);

// go_g_told says whether goroutine i's stack was already reported, and
// remembers that it now is.
bool go_g_told(const struct go_process *process, uint32_t i);

// go_g_take sets *ret to goroutine i of the list, for a pass over all: false
// when there is none to take. One that cannot be read is a finding, once.
bool go_g_take(const struct go_process *process, uint32_t i, struct go_g *ret);
