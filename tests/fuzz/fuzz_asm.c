/*
 * The assembler. The first byte holds flags; sources follow, with a zero byte between them. An
 * assembled program survives writing and reading, and its disassembly gives the same code.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "program_check.h"

enum { MAX_SOURCES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	if (size == 0) {
		return 0;
	}
	struct pica_shader_source source[MAX_SOURCES];
	const char *text = (const char *)data + 1, *end = (const char *)data + size;
	unsigned n = 0;
	for (; n < MAX_SOURCES; n++) {
		const char *zero =
				n + 1 < MAX_SOURCES ? memchr(text, 0, (size_t)(end - text)) : NULL;
		source[n] = (struct pica_shader_source){ "fuzz", text,
			(size_t)((zero ? zero : end) - text) };
		if (!zero) {
			n++;
			break;
		}
		text = zero + 1;
	}
	struct pica_shader *shader = NULL;
	struct pica_shader_error error = { .line = 0 };
	int ret = pica_shader_assemble(&shader, source, n, data[0] & PICA_SHADER_NO_NOP, &error);
	if (ret < 0) {
		FUZZ_CHECK(!shader && (ret == -EINVAL || ret == -ENOMEM));
		FUZZ_CHECK(memchr(error.file, 0, sizeof(error.file)));
		FUZZ_CHECK(memchr(error.message, 0, sizeof(error.message)) && error.message[0]);
		for (const char *c = error.message; *c; c++) {
			FUZZ_CHECK(*c >= ' ' && *c <= '~');
		}
		return 0;
	}
	check_program(shader);
	pica_shader_destroy(shader);
	return 0;
}
