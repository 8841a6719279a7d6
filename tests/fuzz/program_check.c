#include "program_check.h"

#include <errno.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_ENTRIES = 4 }; /* of a program that are tried: a file may hold 256 */

static void check_limits(const struct pica_shader *s) {
	FUZZ_CHECK(s->n_code <= PICA_SHADER_CODE_WORDS &&
			s->n_descriptors <= PICA_SHADER_DESCRIPTORS);
	FUZZ_CHECK(s->n_entries <= PICA_SHADER_MAX_ENTRIES);
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct pica_shader_entry *e = &s->entries[i];
		FUZZ_CHECK(e->type <= PICA_SHADER_GEOMETRY && e->start < s->n_code);
		FUZZ_CHECK(e->type == PICA_SHADER_VERTEX || e->gs_mode <= PICA_SHADER_GS_FIXED);
		FUZZ_CHECK(e->n_constants <= PICA_SHADER_MAX_CONSTANTS);
		FUZZ_CHECK(e->n_outputs <= PICA_SHADER_MAX_OUTPUTS &&
				e->n_uniforms <= PICA_SHADER_MAX_UNIFORMS);
		for (uint32_t k = 0; k < e->n_uniforms; k++) {
			FUZZ_CHECK(e->uniforms[k].first <= e->uniforms[k].last);
			FUZZ_CHECK(e->uniforms[k].last < PICA_SHADER_REG_END);
			int found = pica_shader_find_uniform(e, e->uniforms[k].name);
			FUZZ_CHECK(found >= 0 &&
					strcmp(e->uniforms[found].name, e->uniforms[k].name) == 0);
		}
	}
}

static void check_file(const struct pica_shader *s) {
	void *data = NULL, *again = NULL;
	size_t size = 0, again_size = 0;
	int ret = pica_shader_write(s, &data, &size);
	FUZZ_CHECK(ret == 0 || ret == -EINVAL);
	if (ret < 0) {
		return;
	}
	struct pica_shader *read = NULL;
	FUZZ_CHECK(pica_shader_read(&read, data, size, NULL) == 0);
	FUZZ_CHECK(pica_shader_write(read, &again, &again_size) == 0);
	FUZZ_CHECK(size == again_size && memcmp(data, again, size) == 0);
	pica_shader_destroy(read);
	free(data);
	free(again);
}

static void check_text(const struct pica_shader *s, int entry) {
	char *text = NULL;
	int ret = pica_shader_disassemble(s, entry, &text);
	FUZZ_CHECK(ret == 0);
	const struct pica_shader_source source = { "disassembly", text, strlen(text) };
	struct pica_shader *again = NULL;
	struct pica_shader_error error;
	ret = pica_shader_assemble(&again, &source, 1, 0, &error);
	if (ret < 0) {
		fprintf(stderr, "line %u: %s\n%s", (unsigned)error.line, error.message, text);
	}
	FUZZ_CHECK(ret == 0);
	FUZZ_CHECK(again->n_code == s->n_code);
	FUZZ_CHECK(s->n_code == 0 || memcmp(again->code, s->code, 4 * s->n_code) == 0);
	FUZZ_CHECK(again->n_descriptors == s->n_descriptors);
	FUZZ_CHECK(s->n_descriptors == 0 ||
			memcmp(again->descriptors, s->descriptors, 4 * s->n_descriptors) == 0);
	pica_shader_destroy(again);
	free(text);
}

static int look_at_write(void *user, uint32_t reg, uint32_t mask, const uint32_t *values,
		uint32_t n, int consecutive) {
	uint32_t *sum = user;
	FUZZ_CHECK(n >= 1 && n <= 128 && mask >= 1 && mask <= 15);
	FUZZ_CHECK(reg < 0x300 && (!consecutive || reg + n <= 0x300));
	for (uint32_t i = 0; i < n; i++) {
		*sum += values[i];
	}
	return 0;
}

static void check_binding(const struct pica_shader *s, uint32_t entry) {
	uint32_t sum = 0;
	struct pica_shader_binding b = { .vs = s, .vs_entry = entry };
	int ret = pica_shader_bind(&b, look_at_write, &sum);
	FUZZ_CHECK(ret == 0 || ret == -EINVAL);
	b.vs_entry = 0;
	b.gs = s;
	b.gs_entry = entry;
	ret = pica_shader_bind(&b, look_at_write, &sum);
	FUZZ_CHECK(ret == 0 || ret == -EINVAL);
}

void check_program(const struct pica_shader *shader) {
	check_limits(shader);
	check_file(shader);
	check_text(shader, PICA_SHADER_NO_ENTRY);
	for (uint32_t i = 0; i < shader->n_entries && i < MAX_ENTRIES; i++) {
		check_text(shader, (int)i);
		check_binding(shader, i);
	}
}
