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

#define NOOP(says, type, name, params, value) type name params;
#include <3ds/noops.def>
#undef NOOP

#endif
