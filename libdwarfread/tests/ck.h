// ck.h: what the tests of this library share.
#pragma once

#include <check.h>

#include "libdwarfread/tests/dwarfwriter.h"

// ck_answers fails with our own message unless expr is HC_OK.
#define ck_answers(expr, err)                                                \
	do {                                                                 \
		enum hc ck_got_ = (expr);                                    \
		ck_assert_msg(ck_got_ == HC_OK, #expr " is %d: %s", ck_got_, \
			      ck_got_ == HC_FAIL ? (err)->msg : "none");     \
	} while (0)

// ck_fails pins the kind of a failure.
#define ck_fails(expr, err, KIND)                                     \
	do {                                                          \
		ck_assert_int_eq((expr), HC_FAIL);                    \
		ck_assert_str_eq(hc_kind_name((err)->kind),           \
				 hc_kind_name(HC_##KIND));            \
	} while (0)

// struct desk is a pool, a writer into it and what was opened from it.
struct desk {
	struct pool pool;
	struct dw_writer w;
	struct dwarf *d;
	struct hc_err err;
};

// desk_open gives an empty desk; desk_read opens what its writer wrote.
void desk_open(struct desk *desk);
void desk_read(struct desk *desk);
void desk_close(struct desk *desk);

// The suites, run by main.c.
Suite *forms_suite(void);
Suite *hostile_suite(void);
Suite *judge_suite(void);
Suite *mutants_suite(void);
Suite *places_suite(void);
Suite *questions_suite(void);
Suite *units_suite(void);
Suite *vars_suite(void);
