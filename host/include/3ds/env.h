/* The program's surroundings. */
#ifndef CTRU_ENV_H
#define CTRU_ENV_H

#include <3ds/os.h>

static inline bool envIsHomebrew(void) {
	return true;
}
static inline u32 envGetLinearHeapSize(void) {
	return __ctru_linear_heap_size;
}

#endif
