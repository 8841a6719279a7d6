/* The parts of a Result: level in bits 27-31, summary 21-26, module 10-17, description 0-9. */
#ifndef CTRU_RESULT_H
#define CTRU_RESULT_H

#include <3ds/types.h>

#define R_SUCCEEDED(result) ((result) >= 0)
#define R_FAILED(result) ((result) < 0)
#define R_LEVEL(result) ((result) >> 27 & 0x1F)
#define R_SUMMARY(result) ((result) >> 21 & 0x3F)
#define R_MODULE(result) ((result) >> 10 & 0xFF)
#define R_DESCRIPTION(result) ((result) & 0x3FF)
#define MAKERESULT(level, summary, module, description) \
	((Result)(((u32)(level) & 0x1F) << 27 | ((summary) & 0x3F) << 21 | \
			((module) & 0xFF) << 10 | ((description) & 0x3FF)))

/* Levels: 0 and 1 are success. */
enum {
	RL_SUCCESS = 0, RL_INFO = 1, RL_STATUS = 0x19, RL_TEMPORARY = 0x1A, RL_PERMANENT = 0x1B,
	RL_USAGE = 0x1C, RL_REINITIALIZE = 0x1D, RL_RESET = 0x1E, RL_FATAL = 0x1F,
};

/* Summaries. */
enum {
	RS_SUCCESS = 0, RS_NOP = 1, RS_WOULDBLOCK = 2, RS_OUTOFRESOURCE = 3, RS_NOTFOUND = 4,
	RS_INVALIDSTATE = 5, RS_NOTSUPPORTED = 6, RS_INVALIDARG = 7, RS_WRONGARG = 8,
	RS_CANCELED = 9, RS_STATUSCHANGED = 10, RS_INTERNAL = 11, RS_INVALIDRESVAL = 63,
};

/* Modules and descriptions used by this library or graphics programs. */
enum {
	RM_COMMON = 0, RM_KERNEL = 1, RM_OS = 6, RM_GSP = 10, RM_FS = 17, RM_HID = 19,
	RM_ROMFS = 31, RM_DSP = 41, RM_APPLET = 51, RM_APPLICATION = 254,
};
enum {
	RD_SUCCESS = 0, RD_INVALID_SELECTION = 0x3E8, RD_TOO_LARGE = 0x3E9,
	RD_NOT_AUTHORIZED = 0x3EA, RD_ALREADY_DONE = 0x3EB, RD_INVALID_SIZE = 0x3EC,
	RD_INVALID_ENUM_VALUE = 0x3ED, RD_INVALID_COMBINATION = 0x3EE, RD_NO_DATA = 0x3EF,
	RD_BUSY = 0x3F0, RD_MISALIGNED_ADDRESS = 0x3F1, RD_MISALIGNED_SIZE = 0x3F2,
	RD_OUT_OF_MEMORY = 0x3F3, RD_NOT_IMPLEMENTED = 0x3F4, RD_INVALID_ADDRESS = 0x3F5,
	RD_INVALID_POINTER = 0x3F6, RD_INVALID_HANDLE = 0x3F7, RD_NOT_INITIALIZED = 0x3F8,
	RD_ALREADY_INITIALIZED = 0x3F9, RD_NOT_FOUND = 0x3FA, RD_CANCEL_REQUESTED = 0x3FB,
	RD_ALREADY_EXISTS = 0x3FC, RD_OUT_OF_RANGE = 0x3FD, RD_TIMEOUT = 0x3FE,
	RD_INVALID_RESULT_VALUE = 0x3FF,
};

#endif
