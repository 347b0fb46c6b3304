// ck.h: assertions on the answers of fallible functions.
#pragma once

#include "libcore/base/err.h"

#include <check.h>

// ck_ok wants HC_OK of an expression that fills err.
#define ck_ok(expr, err)                                                   \
	do {                                                               \
		enum hc ck_rc_ = (expr);                                   \
		ck_assert_msg(ck_rc_ == HC_OK, "%s: %d %s: %s (%s)",       \
			      #expr, (int)ck_rc_,                          \
			      hc_kind_name((err)->kind), (err)->msg,       \
			      (err)->src ? (err)->src : "");               \
	} while (0)

#define ck_none(expr) ck_assert_int_eq((int)(expr), HC_NONE)

// ck_fails wants HC_FAIL of this kind at this place.
#define ck_fails(expr, err, want_kind, want_at)                            \
	do {                                                               \
		ck_assert_int_eq((int)(expr), HC_FAIL);                    \
		ck_assert_str_eq(hc_kind_name((err)->kind),                \
				 hc_kind_name(want_kind));                 \
		ck_assert_uint_eq((err)->at, (want_at));                   \
	} while (0)

// ck_says wants a failure whose message holds text.
#define ck_says(expr, err, want_kind, text)                                \
	do {                                                               \
		ck_assert_int_eq((int)(expr), HC_FAIL);                    \
		ck_assert_str_eq(hc_kind_name((err)->kind),                \
				 hc_kind_name(want_kind));                 \
		ck_assert_msg(strstr((err)->msg, (text)) != NULL,          \
			      "'%s' is not in '%s'", (text), (err)->msg);  \
	} while (0)
