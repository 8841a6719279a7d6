/*
 * Fonts (.bcfnt). Structures have pointers of the host: fontFixPointers() creates them from a file
 * in memory. The console's system font is a file named by PICA_HOST_FONT or `pica host-run`;
 * without it, a built-in font with ASCII letters stands in.
 */
#ifndef CTRU_FONT_H
#define CTRU_FONT_H

#include <3ds/types.h>

typedef struct {
	s8 left;       /* from the pen to the glyph */
	u8 glyphWidth;
	u8 charWidth;  /* advance of the pen */
} charWidthInfo_s;

typedef struct {
	u8 cellWidth, cellHeight, baselinePos, maxCharWidth;
	u32 sheetSize; /* bytes */
	u16 nSheets;
	u16 sheetFmt;  /* GPU_TEXCOLOR */
	u16 nRows, nLines; /* glyphs in a row; rows */
	u16 sheetWidth, sheetHeight;
	u8 *sheetData; /* tiled textures, one after the other */
} TGLP_s;

typedef struct tag_CWDH_s CWDH_s;
/* C++ has no arrays of unknown length; its compilers do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
struct tag_CWDH_s {
	u16 startIndex, endIndex; /* glyphs, inclusive */
	CWDH_s *next;
	charWidthInfo_s widths[];
};
#pragma GCC diagnostic pop

enum {
	CMAP_TYPE_DIRECT = 0, CMAP_TYPE_TABLE = 1, CMAP_TYPE_SCAN = 2,
};

typedef struct {
	u16 code, glyphIndex;
} CMAP_entry_s;

typedef struct tag_CMAP_s CMAP_s;
struct tag_CMAP_s {
	u16 codeBegin, codeEnd; /* inclusive */
	u16 mappingMethod;      /* CMAP_TYPE_... */
	u16 reserved;
	CMAP_s *next;
	u16 nScanEntries; /* number of entries of a scan; else 0 */
	u16 indexOffset;
	const void *words; /* u16 of each code (table), CMAP_entry_s (scan) */
};

typedef struct {
	u32 signature, sectionSize;
	u8 fontType, lineFeed;
	u16 alterCharIndex; /* the glyph for missing ones */
	charWidthInfo_s defaultWidth;
	u8 encoding;
	TGLP_s *tglp;
	CWDH_s *cwdh;
	CMAP_s *cmap;
	u8 height, width, ascent, padding;
} FINF_s;

typedef struct {
	u32 signature;
	u16 endianness, headerSize;
	u32 version, fileSize, nBlocks;
	FINF_s finf;
} CFNT_s;

typedef struct {
	int sheetIndex;
	float xOffset, xAdvance, width;
	struct {
		float left, top, right, bottom;
	} texcoord, vtxcoord;
} fontGlyphPos_s;

enum {
	GLYPH_POS_CALC_VTXCOORD = BIT(0),
	GLYPH_POS_AT_BASELINE = BIT(1), /* y 0 is the baseline; else the upper edge */
	GLYPH_POS_Y_POINTS_UP = BIT(2),
};

/* Makes the system's font. Returns 0. A bad file ends the program with a message. */
Result fontEnsureMapped(void);
/*
 * Call once for a whole file in memory. A malformed file ends the program with a message. The
 * created parts are never freed.
 */
void fontFixPointers(CFNT_s *font);
int fontGlyphIndexFromCodePoint(CFNT_s *font, u32 code);
charWidthInfo_s *fontGetCharWidthInfo(CFNT_s *font, int glyph);
/* flags: GLYPH_POS_... */
void fontCalcGlyphPos(fontGlyphPos_s *out, CFNT_s *font, int glyph, u32 flags, float scale_x,
		float scale_y);

extern CFNT_s *g_sharedFont;

static inline CFNT_s *fontGetSystemFont(void) {
	if (!g_sharedFont) {
		fontEnsureMapped();
	}
	return g_sharedFont;
}
/* font NULL: the system's. */
static inline FINF_s *fontGetInfo(CFNT_s *font) {
	return &(font ? font : fontGetSystemFont())->finf;
}
static inline TGLP_s *fontGetGlyphInfo(CFNT_s *font) {
	return fontGetInfo(font)->tglp;
}
static inline void *fontGetGlyphSheetTex(CFNT_s *font, int sheet) {
	const TGLP_s *glyphs = fontGetGlyphInfo(font);
	return &glyphs->sheetData[(u32)sheet * glyphs->sheetSize];
}

#endif
