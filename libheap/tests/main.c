// main.c: runs the suites of the graph library.
#include <check.h>
#include <stdlib.h>

Suite *find_suite(void);
Suite *keepers_suite(void);
Suite *mark_suite(void);
Suite *open_suite(void);
Suite *paths_suite(void);
Suite *reach_suite(void);
Suite *referrers_suite(void);
Suite *retained_suite(void);
Suite *suspects_suite(void);
Suite *tree_suite(void);

int main(void)
{
	SRunner *runner = srunner_create(find_suite());
	srunner_add_suite(runner, open_suite());
	srunner_add_suite(runner, mark_suite());
	srunner_add_suite(runner, paths_suite());
	srunner_add_suite(runner, reach_suite());
	srunner_add_suite(runner, referrers_suite());
	srunner_add_suite(runner, retained_suite());
	srunner_add_suite(runner, keepers_suite());
	srunner_add_suite(runner, suspects_suite());
	srunner_add_suite(runner, tree_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
