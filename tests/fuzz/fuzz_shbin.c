/* The reader of .shbin files. A program that it accepts passes check_program(). */
#include "fuzz.h"

#include <errno.h>

#include "program_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct pica_shader *shader = NULL;
	struct pica_shader_error error;
	int ret = pica_shader_read(&shader, data, size, &error);
	if (ret < 0) {
		FUZZ_CHECK(!shader && (ret == -EINVAL || ret == -ENOMEM) && error.message[0]);
		return 0;
	}
	check_program(shader);
	pica_shader_destroy(shader);
	return 0;
}
