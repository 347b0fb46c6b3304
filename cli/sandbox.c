// sandbox.c: see sandbox.h.
//
// The filter is a list: what is on it works, everything else fails as if the
// caller had no permission, so that a C library that tries something optional
// goes on without it.
#include "cli/sandbox.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define NR_LIMIT 0x40000000u // from there on: the x32 calls
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#define NR_LIMIT 0x40000000u
#endif

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef ARCH
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	defined(HEAPCORE_NO_SANDBOX)
#undef ARCH
#endif

#ifdef ARCH

#define LOAD(what)                       \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
		 (unsigned)offsetof(struct seccomp_data, what))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define REFUSE \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define MAY(name) IF(__NR_##name, 0, 1), ALLOW

// What the answers are made with: memory, threads, clocks, open descriptors.
#define WORK                                                                  \
	MAY(read), MAY(pread64), MAY(readv), MAY(write), MAY(pwrite64),       \
	MAY(writev), MAY(close), MAY(lseek), MAY(fstat), MAY(ftruncate),      \
	MAY(fallocate), MAY(fsync), MAY(mmap), MAY(munmap), MAY(mprotect),    \
	MAY(mremap), MAY(madvise), MAY(brk), MAY(futex), MAY(clone),          \
	MAY(clone3), MAY(exit), MAY(exit_group), MAY(set_robust_list),        \
	MAY(rseq), MAY(sched_getaffinity), MAY(sched_yield), MAY(getpid),     \
	MAY(gettid), MAY(tgkill), MAY(rt_sigaction), MAY(rt_sigprocmask),     \
	MAY(rt_sigreturn), MAY(sigaltstack), MAY(restart_syscall),            \
	MAY(clock_gettime), MAY(clock_nanosleep), MAY(nanosleep),             \
	MAY(gettimeofday), MAY(getrusage), MAY(getrandom), MAY(sysinfo)

// fstat by descriptor is this call with an empty path in newer C libraries;
// with any other it tells of a file, and opens none.
#define TELL MAY(newfstatat)

// Is it a terminal, and how wide: nothing else of ioctl, which could type.
#define TERMINAL                                                           \
	IF(__NR_ioctl, 0, 4), LOAD(args[1]), IF(TCGETS, 1, 0),             \
	IF(TIOCGWINSZ, 0, 1), ALLOW

// A new file for an answer that is a folder of them; never one that is there.
#define NEW_FILE                                                           \
	IF(__NR_openat, 0, 5), LOAD(args[2]),                              \
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_CREAT | O_EXCL | O_ACCMODE), \
	IF(O_CREAT | O_EXCL | O_WRONLY, 0, 1), ALLOW, REFUSE

static struct sock_filter work_only[] = {
	LOAD(arch),
	IF(ARCH, 1, 0), REFUSE,
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, NR_LIMIT, 0, 1), REFUSE,
	WORK, TELL, TERMINAL, REFUSE,
};

static struct sock_filter with_names[] = {
	LOAD(arch),
	IF(ARCH, 1, 0), REFUSE,
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, NR_LIMIT, 0, 1), REFUSE,
	WORK, TELL,
#ifdef __NR_rename
	MAY(rename), MAY(link), MAY(unlink), MAY(rmdir),
#endif
	MAY(renameat2), MAY(linkat), MAY(unlinkat),
	NEW_FILE, TERMINAL, REFUSE,
};

bool sandbox_enter(bool names)
{
	struct sock_fprog program = {
		.len = sizeof(work_only) / sizeof(work_only[0]),
		.filter = work_only,
	};
	if (names)
		program = (struct sock_fprog){
			.len = sizeof(with_names) / sizeof(with_names[0]),
			.filter = with_names,
		};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

bool sandbox_enter(bool names)
{
	(void)names;
	return false;
}

#endif
