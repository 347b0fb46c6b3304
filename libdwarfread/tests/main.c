// main.c: runs the suites of libdwarfread.
#include "libdwarfread/tests/ck.h"

#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(questions_suite());
	srunner_add_suite(runner, forms_suite());
	srunner_add_suite(runner, units_suite());
	srunner_add_suite(runner, hostile_suite());
	srunner_add_suite(runner, mutants_suite());
	srunner_add_suite(runner, places_suite());
	srunner_add_suite(runner, vars_suite());
	srunner_add_suite(runner, judge_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
