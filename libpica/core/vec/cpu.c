#include "core/vec/cpu.h"

#include <errno.h>
#include <string.h>

static const char *const names[ISA_COUNT] = {
	[ISA_C] = "c",
	[ISA_EMUL] = "emul",
	[ISA_SSE41] = "sse4.1",
};

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
	case ISA_EMUL:
		return 1;
	case ISA_SSE41:
#ifdef HAVE_SSE41
		return __builtin_cpu_supports("sse4.1") != 0;
#else
		return 0;
#endif
	case ISA_COUNT:
		break;
	}
	return 0;
}

enum isa isa_best(void) {
	return isa_available(ISA_SSE41) ? ISA_SSE41 : ISA_C;
}
