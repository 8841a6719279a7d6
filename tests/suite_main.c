/* For programs without a main() of their own. */
#include "tests/suite.h"

int main(void) {
	return suite_run();
}
