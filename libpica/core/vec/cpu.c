#include "core/vec/cpu.h"

#include <errno.h>
#include <string.h>

#define NAME(id, set, name, runs, a, b) [ISA_##id] = name,
static const char *const names[ISA_COUNT] = { [ISA_C] = "c", ISA_SETS(NAME, , ) };

const char *isa_name(enum isa isa) {
	return names[isa];
}

int isa_from_name(const char *name) {
	for (int i = 0; i < ISA_COUNT; i++) {
		if (strcmp(name, names[i]) == 0) {
			return isa_available((enum isa)i) ? i : -EOPNOTSUPP;
		}
	}
	return -EINVAL;
}

int isa_available(enum isa isa) {
	switch (isa) {
	case ISA_C:
		return 1;
#define RUNS(id, set, name, runs, a, b) ISA_IF(HAVE_##id)(case ISA_##id: return (runs) != 0;)
	ISA_SETS(RUNS, , )
	default:
		return 0;
	}
}

enum isa isa_best(void) {
	for (int i = ISA_COUNT - 1; i > ISA_EMUL16; i--) {
		if (isa_available((enum isa)i)) {
			return (enum isa)i;
		}
	}
	return ISA_C;
}
