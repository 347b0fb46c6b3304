// main.c: runs the suites of heap-dump files.
#include <check.h>
#include <stdlib.h>

Suite *append_suite(void);
Suite *moar_suite(void);
Suite *pack_suite(void);

int main(void)
{
	SRunner *runner = srunner_create(pack_suite());
	srunner_add_suite(runner, append_suite());
	srunner_add_suite(runner, moar_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
