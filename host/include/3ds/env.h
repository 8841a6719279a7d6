/* The program's surroundings. */
#ifndef CTRU_ENV_H
#define CTRU_ENV_H

#include <3ds/os.h>

static inline bool envIsHomebrew(void) {
	return true;
}
static inline u32 envGetHeapSize(void) {
	return __ctru_heap_size;
}
static inline u32 envGetLinearHeapSize(void) {
	return __ctru_linear_heap_size;
}
/* The number of applications. */
static inline u32 envGetAptAppId(void) {
	return 0x300;
}
static inline u32 envGetSystemRunFlags(void) {
	return 0;
}
/* There is none: argv has the arguments. */
static inline const char *envGetSystemArgList(void) {
	return NULL;
}
/* Returns no handle: the program's own are all that there are. */
static inline Handle envGetHandle(const char *name) {
	(void)name;
	return 0;
}

#endif
