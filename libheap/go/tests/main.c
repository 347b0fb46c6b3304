// main.c: runs the suites of the Go reader.
#include <check.h>
#include <stdlib.h>

// A line for each file.
#define SUITES(X)      \
	X(buildinfo)   \
	X(cut)         \
	X(damage)      \
	X(fixtures)    \
	X(functab)     \
	X(goroutines)  \
	X(layout)      \
	X(lines)       \
	X(mangled)     \
	X(pcvalue)     \
	X(rtype)       \
	X(small)       \
	X(typename)    \
	X(types)       \
	X(typeshape)   \
	X(unwind)      \
	X(verify)      \
	X(version)     \
	X(walk)        \
	X(zoo)

#define X(name) Suite *name##_suite(void);
SUITES(X)
#undef X

int main(void)
{
	SRunner *runner = srunner_create(NULL);
#define X(name) srunner_add_suite(runner, name##_suite());
	SUITES(X)
#undef X
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
