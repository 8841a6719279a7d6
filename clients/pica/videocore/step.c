/* Instructions of the QPU as text and as JSON (docs/inspect.md). */
#include "videocore.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "core/base/f24.h"
#include "vc4/qpu/qpu.h"

static void flags_text(uint8_t flags, char out[4]) {
	snprintf(out, 4, "%c%c%c", flags & 1 ? 'z' : '-', flags & 2 ? 'n' : '-',
			flags & 4 ? 'c' : '-');
}

static json_t *written(const struct pica_qpu_step *s, unsigned bit, uint32_t value) {
	return s->wrote & bit ? json_addr(value) : json_null();
}

json_t *videocore_step_json(const struct pica_qpu_step *s) {
	char text[QPU_TEXT_SIZE], flags[4];
	qpu_disassemble(s->word, text);
	flags_text(s->flags, flags);
	return json_pack("{so ss so so so ss}", "address", json_addr(s->address), "text", text,
			"add", written(s, PICA_QPU_WROTE_ADD, s->value[0]), "mul",
			written(s, PICA_QPU_WROTE_MUL, s->value[1]), "r4",
			written(s, PICA_QPU_WROTE_R4, s->r4), "flags", flags);
}

static void print_value(const char *unit, uint32_t bits) {
	const float f = f32_from_bits(bits);
	printf("  %s %08" PRIX32, unit, bits);
	if (isfinite(f)) {
		printf(" (%.7g)", (double)f);
	}
}

void videocore_print_step(const struct pica_qpu_step *s) {
	char text[QPU_TEXT_SIZE], flags[4];
	qpu_disassemble(s->word, text);
	flags_text(s->flags, flags);
	printf("      %08" PRIX32 " %s %-44s", s->address, flags, text);
	if (s->wrote & PICA_QPU_WROTE_ADD) {
		print_value("add", s->value[0]);
	}
	if (s->wrote & PICA_QPU_WROTE_MUL) {
		print_value("mul", s->value[1]);
	}
	if (s->wrote & PICA_QPU_WROTE_R4) {
		printf("  r4 %08" PRIX32, s->r4);
	}
	printf("\n");
}
