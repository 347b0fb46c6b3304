// main.c: runs the suites of the core library.
#include <check.h>
#include <stdlib.h>

Suite *base_suite(void);
Suite *damage_suite(void);
Suite *debugfile_suite(void);
Suite *exe_suite(void);
Suite *find_suite(void);
Suite *image_suite(void);
Suite *inflate_suite(void);
Suite *input_suite(void);
Suite *kinds_suite(void);
Suite *memory_suite(void);
Suite *modules_suite(void);
Suite *notes_suite(void);
Suite *objfile_suite(void);
Suite *segments_suite(void);

int main(void)
{
	SRunner *runner = srunner_create(base_suite());
	srunner_add_suite(runner, image_suite());
	srunner_add_suite(runner, memory_suite());
	srunner_add_suite(runner, notes_suite());
	srunner_add_suite(runner, segments_suite());
	srunner_add_suite(runner, debugfile_suite());
	srunner_add_suite(runner, kinds_suite());
	srunner_add_suite(runner, damage_suite());
	srunner_add_suite(runner, modules_suite());
	srunner_add_suite(runner, exe_suite());
	srunner_add_suite(runner, inflate_suite());
	srunner_add_suite(runner, input_suite());
	srunner_add_suite(runner, objfile_suite());
	srunner_add_suite(runner, find_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
