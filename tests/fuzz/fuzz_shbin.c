/* The reader of .shbin files. What is read keeps the promises of a program that was assembled. */
#include "fuzz.h"

#include <errno.h>

#include "program_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct pica_shader *shader = NULL;
	const char *reason = NULL;
	int ret = pica_shader_read(&shader, data, size, &reason);
	if (ret < 0) {
		FUZZ_CHECK(!shader && (ret == -EINVAL || ret == -ENOMEM));
		return 0;
	}
	check_program(shader);
	pica_shader_destroy(shader);
	return 0;
}
