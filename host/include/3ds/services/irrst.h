/* The C-stick, ZL and ZR, from the script of host-run --input; hid*() has their keys, too. */
#ifndef CTRU_IRRST_H
#define CTRU_IRRST_H

#include <3ds/services/gspgpu.h>
#include <3ds/services/hid.h>

static inline Result irrstInit(void) {
	return 0;
}
static inline void irrstExit(void) {
}
/* Reads the state of this frame, for the functions below. */
void irrstScanInput(void);
u32 irrstKeysHeld(void);
void irrstCstickRead(circlePosition *position);
/* The state changes with frames. */
static inline void irrstWaitForEvent(bool next) {
	gspWaitForEvent(GSPGPU_EVENT_VBlank0, next);
}

#endif
