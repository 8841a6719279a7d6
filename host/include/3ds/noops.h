/* Calls that do nothing here (noops.def), and the types that they take. */
#ifndef CTRU_NOOPS_H
#define CTRU_NOOPS_H

#include <3ds/result.h>
#include <3ds/services/hid.h>

#define CTRU_NOT_HERE \
	MAKERESULT(RL_PERMANENT, RS_NOTSUPPORTED, RM_APPLICATION, RD_NOT_IMPLEMENTED)

typedef enum {
	MEDIATYPE_NAND = 0, MEDIATYPE_SD = 1, MEDIATYPE_GAME_CARD = 2,
} FS_MediaType;

typedef enum {
	CFG_REGION_JPN = 0, CFG_REGION_USA = 1, CFG_REGION_EUR = 2, CFG_REGION_AUS = 3,
	CFG_REGION_CHN = 4, CFG_REGION_KOR = 5, CFG_REGION_TWN = 6,
} CFG_Region;

typedef enum {
	CFG_LANGUAGE_DEFAULT = -1, CFG_LANGUAGE_JP, CFG_LANGUAGE_EN, CFG_LANGUAGE_FR,
	CFG_LANGUAGE_DE, CFG_LANGUAGE_IT, CFG_LANGUAGE_ES, CFG_LANGUAGE_ZH, CFG_LANGUAGE_KO,
	CFG_LANGUAGE_NL, CFG_LANGUAGE_PT, CFG_LANGUAGE_RU, CFG_LANGUAGE_TW,
} CFG_Language;

/* ---- Sound ---- */

typedef enum {
	NDSP_OUTPUT_MONO = 0, NDSP_OUTPUT_STEREO = 1, NDSP_OUTPUT_SURROUND = 2,
} ndspOutputMode;

typedef enum {
	NDSP_INTERP_POLYPHASE = 0, NDSP_INTERP_LINEAR = 1, NDSP_INTERP_NONE = 2,
} ndspInterpType;

enum {
	NDSP_ENCODING_PCM8 = 0, NDSP_ENCODING_PCM16 = 1, NDSP_ENCODING_ADPCM = 2,
};
#define NDSP_CHANNELS(n) ((u32)(n) & 3)
#define NDSP_ENCODING(n) (((u32)(n) & 3) << 2)
enum {
	NDSP_FORMAT_MONO_PCM8 = NDSP_CHANNELS(1) | NDSP_ENCODING(NDSP_ENCODING_PCM8),
	NDSP_FORMAT_MONO_PCM16 = NDSP_CHANNELS(1) | NDSP_ENCODING(NDSP_ENCODING_PCM16),
	NDSP_FORMAT_MONO_ADPCM = NDSP_CHANNELS(1) | NDSP_ENCODING(NDSP_ENCODING_ADPCM),
	NDSP_FORMAT_STEREO_PCM8 = NDSP_CHANNELS(2) | NDSP_ENCODING(NDSP_ENCODING_PCM8),
	NDSP_FORMAT_STEREO_PCM16 = NDSP_CHANNELS(2) | NDSP_ENCODING(NDSP_ENCODING_PCM16),
};

enum {
	NDSP_WBUF_FREE = 0, NDSP_WBUF_QUEUED = 1, NDSP_WBUF_PLAYING = 2, NDSP_WBUF_DONE = 3,
};

typedef struct {
	u16 index;
	s16 history0, history1;
} ndspAdpcmData;

typedef struct tag_ndspWaveBuf {
	union {
		s8 *data_pcm8;
		s16 *data_pcm16;
		u8 *data_adpcm;
		const void *data_vaddr;
	};
	u32 nsamples;
	ndspAdpcmData *adpcm_data;
	u32 offset;
	bool looping;
	u8 status; /* stays as it is */
	u16 sequence_id;
	struct tag_ndspWaveBuf *next;
} ndspWaveBuf;

typedef void (*ndspCallback)(void *data);

/* ---- Files ---- */

typedef u64 FS_Archive;

typedef enum {
	ARCHIVE_ROMFS = 3, ARCHIVE_SAVEDATA = 4, ARCHIVE_EXTDATA = 6, ARCHIVE_SDMC = 9,
} FS_ArchiveID;

typedef enum {
	PATH_INVALID = 0, PATH_EMPTY = 1, PATH_BINARY = 2, PATH_ASCII = 3, PATH_UTF16 = 4,
} FS_PathType;

typedef struct {
	FS_PathType type;
	u32 size; /* in bytes, with the zero at the end */
	const void *data;
} FS_Path;

enum {
	FS_OPEN_READ = BIT(0), FS_OPEN_WRITE = BIT(1), FS_OPEN_CREATE = BIT(2),
};

static inline FS_Path fsMakePath(FS_PathType type, const void *path) {
	u32 n = 0;
	while (type == PATH_ASCII && ((const char *)path)[n++]) {
	}
	while (type == PATH_UTF16 && ((const u16 *)path)[n++]) {
	}
	const u32 size = type == PATH_UTF16 ? 2 * n : n;
	const FS_Path made = { type, size, path };
	return made;
}

/* ---- Applets: all input is cancelled ---- */

typedef enum {
	SWKBD_TYPE_NORMAL = 0, SWKBD_TYPE_QWERTY, SWKBD_TYPE_NUMPAD, SWKBD_TYPE_WESTERN,
} SwkbdType;

typedef enum {
	SWKBD_BUTTON_LEFT = 0, SWKBD_BUTTON_MIDDLE, SWKBD_BUTTON_RIGHT, SWKBD_BUTTON_NONE,
	SWKBD_BUTTON_CONFIRM = SWKBD_BUTTON_RIGHT,
} SwkbdButton;

typedef enum {
	SWKBD_ANYTHING = 0, SWKBD_NOTEMPTY, SWKBD_NOTEMPTY_NOTBLANK, SWKBD_NOTBLANK, SWKBD_FIXEDLEN,
} SwkbdValidInput;

typedef enum {
	SWKBD_PASSWORD_NONE = 0, SWKBD_PASSWORD_HIDE, SWKBD_PASSWORD_HIDE_DELAY,
} SwkbdPasswordMode;

typedef enum {
	SWKBD_NONE = -1, SWKBD_INVALID_INPUT = -2, SWKBD_OUTOFMEM = -3, SWKBD_D0_CLICK = 0,
	SWKBD_D1_CLICK0, SWKBD_D1_CLICK1, SWKBD_D2_CLICK0, SWKBD_D2_CLICK1, SWKBD_D2_CLICK2,
	SWKBD_HOMEPRESSED = 10, SWKBD_RESETPRESSED, SWKBD_POWERPRESSED, SWKBD_PARENTAL_OK = 20,
	SWKBD_PARENTAL_FAIL, SWKBD_BANNED_INPUT = 30,
} SwkbdResult;

typedef enum {
	SWKBD_CALLBACK_OK = 0, SWKBD_CALLBACK_CLOSE, SWKBD_CALLBACK_CONTINUE,
} SwkbdCallbackResult;

/* message: what the keyboard shows then. Never called. */
typedef SwkbdCallbackResult (*SwkbdCallbackFn)(
		void *user, const char **message, const char *text, size_t len);

enum {
	SWKBD_FILTER_DIGITS = BIT(0), SWKBD_FILTER_AT = BIT(1), SWKBD_FILTER_PERCENT = BIT(2),
	SWKBD_FILTER_BACKSLASH = BIT(3), SWKBD_FILTER_PROFANITY = BIT(4),
	SWKBD_FILTER_CALLBACK = BIT(5),
	SWKBD_PARENTAL = BIT(0), SWKBD_DARKEN_TOP_SCREEN = BIT(1), SWKBD_PREDICTIVE_INPUT = BIT(2),
	SWKBD_MULTILINE = BIT(3), SWKBD_FIXED_WIDTH = BIT(4), SWKBD_ALLOW_HOME = BIT(5),
	SWKBD_ALLOW_RESET = BIT(6), SWKBD_ALLOW_POWER = BIT(7), SWKBD_DEFAULT_QWERTY = BIT(9),
};

typedef struct {
	u32 unused;
} SwkbdState, SwkbdDictWord, SwkbdStatusData, SwkbdLearningData, MiiSelectorConf;

typedef enum {
	ERROR_CODE = 0, ERROR_TEXT = 1, ERROR_EULA = 2, ERROR_LANGUAGE_FLAG = 0x100,
	ERROR_WORD_WRAP_FLAG = 0x200, ERROR_CODE_LANGUAGE = ERROR_CODE | ERROR_LANGUAGE_FLAG,
	ERROR_TEXT_LANGUAGE = ERROR_TEXT | ERROR_LANGUAGE_FLAG,
	ERROR_TEXT_WORD_WRAP = ERROR_TEXT | ERROR_WORD_WRAP_FLAG,
	ERROR_TEXT_LANGUAGE_WORD_WRAP = ERROR_TEXT | ERROR_LANGUAGE_FLAG | ERROR_WORD_WRAP_FLAG,
} errorType;

typedef struct {
	u32 unused;
} errorConf;

enum {
	MIISELECTOR_CANCEL = BIT(0), MIISELECTOR_GUESTS = BIT(1), MIISELECTOR_TOP = BIT(2),
	MIISELECTOR_GUESTSTART = BIT(3),
};

typedef struct {
	u32 no_mii_selected; /* 1 */
} MiiSelectorReturn;

#define NOOP(subject, type, name, params, value) type name params;
#define OUT(subject, type, name, params, out, value) type name params;
#include <3ds/noops.def>
#undef NOOP
#undef OUT

static inline void miiSelectorLaunch(const MiiSelectorConf *config, MiiSelectorReturn *out) {
	(void)config;
	out->no_mii_selected = 1;
}
/* Prints the text on the standard error. */
void errorText(errorConf *error, const char *text);

#endif
