/* The assembler of the QPU: the disassembly of its output assembles to the same words. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vc4/qpu/qpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	uint64_t *words = NULL;
	size_t n = 0;
	struct qpu_error error = { 0 };
	const int ret = qpu_assemble((const char *)data, size, &words, &n, &error);
	if (ret < 0) {
		FUZZ_CHECK(!words && (ret == -EINVAL || ret == -ENOMEM));
		FUZZ_CHECK(error.line >= 1 && error.column >= 1 && error.column <= size + 1);
		FUZZ_CHECK(memchr(error.message, 0, sizeof(error.message)) && error.message[0]);
	}
	for (size_t i = 0; i < n; i++) {
		char text[QPU_TEXT_SIZE];
		uint64_t back = ~words[i];
		qpu_disassemble(words[i], text);
		FUZZ_CHECK(qpu_assemble_line(text, strlen(text), &back, NULL) == 0);
		FUZZ_CHECK(back == words[i]);
	}
	free(words);
	return 0;
}
