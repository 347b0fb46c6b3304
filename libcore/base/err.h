// err.h: the one way a heapcore function says that it has no answer.
#pragma once

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#define HC_MUST __attribute__((warn_unused_result))

// enum hc is what every fallible function returns. HC_OK is zero, so
// `if (f(...))` reads "if f gave no answer".
enum hc {
	HC_OK,   // answered; the ret arguments are set
	HC_NONE, // looked properly, and there is no such thing
	HC_FAIL, // could not find out; the struct hc_err says why
};

// HC_KINDS lists each kind of failure once; the enum and the words that the
// command line prints are both made from it.
#define HC_KINDS(X)                                                           \
	X(TRUNCATED, "truncated")     /* the input ends too soon */           \
	X(CORRUPT, "corrupt")         /* it contradicts its own format */     \
	X(UNSAVED, "not in the core") /* the core left this address out */    \
	X(LIMIT, "over a limit")      /* well formed, but past limits.h */    \
	X(UNSUPPORTED, "unsupported") /* well formed, but not ours to read */ \
	X(MISMATCH, "does not match") /* two inputs that do not belong */     \
	X(IO, "cannot read")          /* the system refused */                \
	X(NOMEM, "out of memory")

enum hc_kind {
#define X(name, text) HC_##name,
	HC_KINDS(X)
#undef X
};

// struct hc_err holds one failure. The caller owns it, usually on main's
// stack; filling it allocates nothing, so it works when memory is short.
// Units: at is an address or a file offset (msg says which), 0 when neither.
struct hc_err {
	enum hc_kind kind;
	uint64_t at;
	const char *src; // "file.c:line" that first noticed
	char msg[320];   // NUL-terminated, one line
};

// hc_kind_name returns the words for kind: never NULL, never freed.
const char *hc_kind_name(enum hc_kind kind);

// hc_err_set fills *err; use it through hc_fail. err may be NULL.
__attribute__((format(printf, 5, 6))) void
hc_err_set(struct hc_err *err, enum hc_kind kind, uint64_t at, const char *src,
	   const char *fmt, ...);

// hc_fail fills *err and yields HC_FAIL, as in `return hc_fail(err, ...);`.
#define hc_fail(err, kind, at, ...)                                          \
	(hc_err_set(err, kind, at, HC_SRC(__FILE__, __LINE__), __VA_ARGS__), \
	 HC_FAIL)
#define HC_SRC(file, line) file ":" HC_STR(line)
#define HC_STR(x) #x

// HC_TRY returns from the calling function unless expr is HC_OK. It is the
// only macro in the tree that hides a return.
#define HC_TRY(expr)                      \
	do {                              \
		enum hc hc_try_ = (expr); \
		if (hc_try_)              \
			return hc_try_;   \
	} while (0)
