// process.c: see process.h.
#include "cli/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *process_arch(const struct core_info *info)
{
	static const char *const names[] = { [CORE_AMD64] = "amd64",
					     [CORE_ARM64] = "arm64",
					     [CORE_386] = "386" };
	return names[info->arch];
}

struct word process_signal(int number)
{
	struct word w;
	const char *name = number > 0 ? sigabbrev_np(number) : NULL;
	if (name)
		snprintf(w.at, sizeof(w.at), "SIG%s", name);
	else
		snprintf(w.at, sizeof(w.at), "signal %d", number);
	return w;
}

// cause_of_fault names the si_code values of signals that a fault raises.
static const char *cause_of_fault(int number, int code)
{
	static const char *const segv[] = { "address not mapped",
					    "no permission for the address",
					    "bounds check",
					    "protection key" };
	static const char *const bus[] = { "unaligned address",
					   "address beyond the file's end",
					   "hardware error" };
	static const char *const fpe[] = { "integer division by zero",
					   "integer overflow" };
	static const char *const ill[] = { "illegal instruction",
					   "illegal operand" };
#define ONE_OF(names)                                                     \
	(code >= 1 && (size_t)code <= sizeof(names) / sizeof((names)[0]) ? \
		 (names)[code - 1] :                                      \
		 NULL)
	switch (number) {
	case SIGSEGV:
		return ONE_OF(segv);
	case SIGBUS:
		return ONE_OF(bus);
	case SIGFPE:
		return ONE_OF(fpe);
	case SIGILL:
		return ONE_OF(ill);
	default:
		return NULL;
	}
}

const char *process_signal_cause(const struct core_info *info)
{
	if (!info->has_siginfo)
		return NULL;
	switch (info->si_code) {
	case SI_USER:
		return "sent by kill";
	case SI_TKILL:
		return "sent by tgkill, as abort and the Go runtime do";
	case SI_QUEUE:
		return "sent by sigqueue";
	case SI_TIMER:
		return "a timer ran out";
	case SI_KERNEL:
		return "sent by the kernel";
	default:
		return cause_of_fault(info->signal, info->si_code);
	}
}

bool process_has_fault(const struct core_info *info)
{
	return info->has_siginfo && info->si_code > 0 &&
	       info->si_code < SI_KERNEL &&
	       (info->signal == SIGSEGV || info->signal == SIGBUS ||
		info->signal == SIGILL || info->signal == SIGFPE);
}

bool process_has_sender(const struct core_info *info)
{
	return info->has_siginfo && info->sender_pid &&
	       (info->si_code == SI_USER || info->si_code == SI_TKILL ||
		info->si_code == SI_QUEUE);
}
