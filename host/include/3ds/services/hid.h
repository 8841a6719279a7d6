/* Buttons, circle pad and touch screen, from the script of `pica host-run --input`. */
#ifndef CTRU_HID_H
#define CTRU_HID_H

#include <3ds/types.h>

enum {
	KEY_A = BIT(0), KEY_B = BIT(1), KEY_SELECT = BIT(2), KEY_START = BIT(3),
	KEY_DRIGHT = BIT(4), KEY_DLEFT = BIT(5), KEY_DUP = BIT(6), KEY_DDOWN = BIT(7),
	KEY_R = BIT(8), KEY_L = BIT(9), KEY_X = BIT(10), KEY_Y = BIT(11), KEY_ZL = BIT(14),
	KEY_ZR = BIT(15), KEY_TOUCH = BIT(20), KEY_CSTICK_RIGHT = BIT(24),
	KEY_CSTICK_LEFT = BIT(25), KEY_CSTICK_UP = BIT(26), KEY_CSTICK_DOWN = BIT(27),
	KEY_CPAD_RIGHT = BIT(28), KEY_CPAD_LEFT = BIT(29), KEY_CPAD_UP = BIT(30),
	KEY_UP = KEY_DUP | KEY_CPAD_UP, KEY_LEFT = KEY_DLEFT | KEY_CPAD_LEFT,
	KEY_RIGHT = KEY_DRIGHT | KEY_CPAD_RIGHT,
};
/* An enumerator of C11 has 31 bits. */
#define KEY_CPAD_DOWN BIT(31)
#define KEY_DOWN (KEY_DDOWN | KEY_CPAD_DOWN)

typedef struct {
	u16 px, py;
} touchPosition;
typedef struct {
	s16 dx, dy;
} circlePosition;
typedef struct {
	s16 x, y, z;
} accelVector;
typedef struct {
	s16 x, z, y;
} angularRate;

Result hidInit(void);
void hidExit(void);
/* Sets the frames until a held key repeats, and between repetitions. */
void hidSetRepeatParameters(u32 delay, u32 interval);
/* Reads the state of this frame, for the functions below. */
void hidScanInput(void);
u32 hidKeysHeld(void);
u32 hidKeysDown(void);
u32 hidKeysDownRepeat(void);
u32 hidKeysUp(void);
void hidTouchRead(touchPosition *position);
void hidCircleRead(circlePosition *position);

#define scanKeys hidScanInput
#define keysHeld hidKeysHeld
#define keysDown hidKeysDown
#define keysUp hidKeysUp
#define touchRead hidTouchRead
#define circleRead hidCircleRead

#endif
