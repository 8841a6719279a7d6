/* For programs without a main() of their own. */
#include "tests/suite.h"

int main(int argc, char **argv) {
	return suite_run_file(argc > 1 ? argv[1] : NULL);
}
