/*
 * Fonts. A file has 32-bit offsets where programs expect pointers, so new parts are made beside it,
 * and its first bytes become the structure that programs use. The sheets stay in place.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <3ds/allocator/linear.h>
#include <3ds/font.h>
#include <3ds/gpu/enums.h>

#include "pictures.h"
#include "pictures/font.h"

/* Positions in a file, in bytes; an offset of a part points after its 8 bytes of header. */
enum {
	FILE_SIZE = 0x0C,
	FINF = HOST_FONT_MARK_AT,
	FINF_PARTS = FINF + 0x10,
	FINF_BYTES = 0x20,
	TGLP_SHEETS = 0x14, /* offset of the sheets */
	TGLP_BYTES = 0x18,
	CWDH_HEAD = 8,
	CMAP_HEAD = 12,
	MAX_PARTS = 4096,
};

CFNT_s *g_sharedFont __attribute__((visibility("default")));

struct file {
	const uint8_t *data;
	uint32_t size;
};

/* ---- A file ---- */

static const uint8_t *at(const struct file *f, uint32_t offset, uint32_t n) {
	if (offset > f->size || n > f->size - offset) {
		host_fail("a font: 0x%X: expected %u bytes, the file has 0x%X", offset, n, f->size);
	}
	return f->data + offset;
}

static uint16_t u16_at(const struct file *f, uint32_t offset) {
	const uint8_t *p = at(f, offset, 2);
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t u32_at(const struct file *f, uint32_t offset) {
	return u16_at(f, offset) | (uint32_t)u16_at(f, offset + 2) << 16;
}

static void *room(size_t size) {
	void *p = calloc(1, size);
	if (!p) {
		host_fail("a font: %s", strerror(ENOMEM));
	}
	return p;
}

static TGLP_s *make_glyphs(const struct file *f, uint32_t offset, uint8_t *data) {
	TGLP_s *g = room(sizeof(*g));
	const uint8_t *head = at(f, offset, TGLP_BYTES);
	memcpy(g, head, TGLP_SHEETS); /* the same fields */
	const uint32_t sheets = u32_at(f, offset + TGLP_SHEETS);
	if (g->nSheets && g->sheetSize > f->size / g->nSheets) {
		host_fail("a font: %u sheets of %u bytes: the file is too small", g->nSheets,
				g->sheetSize);
	}
	if (!g->nRows || !g->nLines || !g->sheetWidth || !g->sheetHeight ||
			sheets < sizeof(CFNT_s)) {
		host_fail("a font: its sheets are inconsistent");
	}
	at(f, sheets, g->nSheets * g->sheetSize);
	g->sheetData = data + sheets;
	return g;
}

static CWDH_s *make_widths(const struct file *f, uint32_t offset) {
	CWDH_s *first = NULL, **last = &first;
	for (unsigned i = 0; offset && i < MAX_PARTS; i++) {
		const uint16_t begin = u16_at(f, offset), end = u16_at(f, offset + 2);
		const uint32_t n = end < begin ? 0 : end - begin + 1u;
		const uint32_t bytes = n * (uint32_t)sizeof(charWidthInfo_s);
		CWDH_s *w = room(sizeof(*w) + bytes);
		w->startIndex = begin;
		w->endIndex = end;
		memcpy(w->widths, at(f, offset + CWDH_HEAD, bytes), bytes);
		offset = u32_at(f, offset + 4);
		*last = w;
		last = &w->next;
	}
	return first;
}

static CMAP_s *make_map(const struct file *f, uint32_t offset) {
	CMAP_s *first = NULL, **last = &first;
	for (unsigned i = 0; offset && i < MAX_PARTS; i++) {
		CMAP_s *m = room(sizeof(*m));
		m->codeBegin = u16_at(f, offset);
		m->codeEnd = u16_at(f, offset + 2);
		m->mappingMethod = u16_at(f, offset + 4);
		const uint32_t body = offset + CMAP_HEAD;
		uint32_t bytes = 0, from = body;
		if (m->mappingMethod == CMAP_TYPE_DIRECT) {
			m->indexOffset = u16_at(f, body);
		} else if (m->mappingMethod == CMAP_TYPE_TABLE) {
			bytes = m->codeEnd < m->codeBegin ? 0 :
							    2 * (m->codeEnd - m->codeBegin + 1u);
		} else {
			m->nScanEntries = u16_at(f, body);
			bytes = m->nScanEntries * 4u;
			from = body + 2;
		}
		if (bytes) {
			m->words = memcpy(room(bytes), at(f, from, bytes), bytes);
		}
		offset = u32_at(f, offset + 8);
		*last = m;
		last = &m->next;
	}
	return first;
}

PICA_EXPORT void fontFixPointers(CFNT_s *font) {
	uint8_t *data = (uint8_t *)font;
	struct file f = { data, FINF + FINF_BYTES };
	f.size = u32_at(&f, FILE_SIZE);
	if (memcmp(data + FINF, HOST_FONT_MARK, 4) != 0) {
		host_fail("a font: expected %s at 0x%X", HOST_FONT_MARK, FINF);
	}
	const FINF_s head = {
		.signature = u32_at(&f, FINF),
		.sectionSize = u32_at(&f, FINF + 4),
		.fontType = *at(&f, FINF + 8, 1),
		.lineFeed = *at(&f, FINF + 9, 1),
		.alterCharIndex = u16_at(&f, FINF + 10),
		.defaultWidth = { (s8)data[FINF + 12], data[FINF + 13], data[FINF + 14] },
		.encoding = data[FINF + 15],
		.tglp = make_glyphs(&f, u32_at(&f, FINF_PARTS), data),
		.cwdh = make_widths(&f, u32_at(&f, FINF_PARTS + 4)),
		.cmap = make_map(&f, u32_at(&f, FINF_PARTS + 8)),
		.height = data[FINF + 28],
		.width = data[FINF + 29],
		.ascent = data[FINF + 30],
	};
	font->finf = head;
}

/* ---- The system's ---- */

enum {
	SCALE = 3, /* of the built-in letters, which look sharp at usual sizes */
	CELL = SCALE * FONT_CELL,
	PER_ROW = 10,
	SHEET = 256,
	FIRST = ' ',
	LETTERS = '~' - ' ' + 1,
	BASELINE = 7 * SCALE,
};

/* Of a tiled texture. */
static u8 *texel(u8 *sheet, unsigned x, unsigned y) {
	unsigned at = (y / 8 * (SHEET / 8) + x / 8) * 64;
	for (unsigned bit = 0; bit < 3; bit++) {
		at += (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
	}
	return &sheet[at];
}

static void draw_letter(u8 *sheet, unsigned letter, unsigned left, unsigned top) {
	const unsigned code = FIRST + letter;
	for (unsigned y = 0; y < CELL; y++) {
		for (unsigned x = 0; x < CELL; x++) {
			uint8_t rgba[4];
			picture_font(code % 16 * FONT_CELL + x / SCALE,
					code / 16 * FONT_CELL + y / SCALE, FONT_SIZE, rgba);
			*texel(sheet, left + x, top + y) = rgba[3];
		}
	}
}

/* Makes a font of the letters of pictures/font.h. */
static CFNT_s *make_own(void) {
	static TGLP_s glyphs = { .cellWidth = CELL,
		.cellHeight = CELL,
		.baselinePos = BASELINE,
		.maxCharWidth = CELL,
		.sheetSize = SHEET * SHEET,
		.nSheets = 1,
		.sheetFmt = GPU_A8,
		.nRows = PER_ROW,
		.nLines = PER_ROW,
		.sheetWidth = SHEET,
		.sheetHeight = SHEET };
	static CMAP_s map = { .codeBegin = FIRST, .codeEnd = FIRST + LETTERS - 1 };
	static CFNT_s font = { .finf = { .lineFeed = CELL + SCALE,
					       .alterCharIndex = '?' - FIRST,
					       .defaultWidth = { 0, CELL, CELL },
					       .tglp = &glyphs,
					       .cmap = &map,
					       .height = CELL,
					       .width = CELL,
					       .ascent = BASELINE } };
	CWDH_s *widths = room(sizeof(*widths) + LETTERS * sizeof(charWidthInfo_s));
	glyphs.sheetData = linearAlloc(glyphs.sheetSize);
	if (!glyphs.sheetData) {
		host_fault("a font: no room in the linear heap");
	}
	memset(glyphs.sheetData, 0, glyphs.sheetSize);
	widths->endIndex = LETTERS - 1;
	for (unsigned i = 0; i < LETTERS; i++) {
		const u8 width = (u8)(SCALE * font_advance((char)(FIRST + i)));
		widths->widths[i] = (charWidthInfo_s){ 0, width, width };
		draw_letter(glyphs.sheetData, i, i % PER_ROW * (CELL + 1) + 1,
				i / PER_ROW * (CELL + 1) + 1);
	}
	font.finf.cwdh = widths;
	host_log("the system's font is missing: using another one; host-run --font FILE chooses one");
	return &font;
}

static CFNT_s *load(const char *path) {
	FILE *f = fopen(path, "rb");
	const long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	uint8_t *data = size > FINF + FINF_BYTES ? linearAlloc((size_t)size) : NULL;
	if (f) {
		rewind(f);
	}
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		host_fail("%s: this file cannot be read, or is too short: expected a font (.bcfnt)", path);
	}
	fclose(f);
	const struct file all = { data, (uint32_t)size };
	if (u32_at(&all, FILE_SIZE) > all.size) {
		host_fail("%s: the font is truncated: expected the bytes that its header tells", path);
	}
	fontFixPointers((CFNT_s *)(void *)data);
	return (CFNT_s *)(void *)data;
}

PICA_EXPORT Result fontEnsureMapped(void) {
	const char *path = host_options.font;
	if (!g_sharedFont) {
		g_sharedFont = path ? load(path) : make_own();
	}
	return 0;
}

/* ---- Glyphs ---- */

static CFNT_s *given(CFNT_s *font) {
	return font ? font : fontGetSystemFont();
}

PICA_EXPORT int fontGlyphIndexFromCodePoint(CFNT_s *font, u32 code) {
	font = given(font);
	for (const CMAP_s *m = font->finf.cmap; m; m = m->next) {
		if (code < m->codeBegin || code > m->codeEnd) {
			continue;
		}
		const u32 i = code - m->codeBegin;
		u32 glyph = UINT16_MAX;
		if (m->mappingMethod == CMAP_TYPE_DIRECT) {
			glyph = m->indexOffset + i;
		} else if (m->mappingMethod == CMAP_TYPE_TABLE) {
			glyph = ((const u16 *)m->words)[i];
		}
		for (u32 k = 0; k < m->nScanEntries; k++) {
			const CMAP_entry_s *entry = &((const CMAP_entry_s *)m->words)[k];
			glyph = entry->code == code ? entry->glyphIndex : glyph;
		}
		if (glyph < UINT16_MAX) {
			return (int)glyph;
		}
	}
	return font->finf.alterCharIndex;
}

PICA_EXPORT charWidthInfo_s *fontGetCharWidthInfo(CFNT_s *font, int glyph) {
	font = given(font);
	for (CWDH_s *w = font->finf.cwdh; w; w = w->next) {
		if (glyph >= w->startIndex && glyph <= w->endIndex) {
			return &w->widths[glyph - w->startIndex];
		}
	}
	return &font->finf.defaultWidth;
}

/* Cells have a pixel between them. */
PICA_EXPORT void fontCalcGlyphPos(fontGlyphPos_s *out, CFNT_s *font, int glyph, u32 flags,
		float scale_x, float scale_y) {
	font = given(font);
	const TGLP_s *g = font->finf.tglp;
	const charWidthInfo_s *w = fontGetCharWidthInfo(font, glyph);
	const int in_sheet = g->nRows * g->nLines, k = glyph % in_sheet;
	const float x = (float)(k % g->nRows * (g->cellWidth + 1) + 1);
	const float y = (float)(k / g->nRows * (g->cellHeight + 1) + 1);
	const float width = (float)g->sheetWidth, height = (float)g->sheetHeight;
	*out = (fontGlyphPos_s){ .sheetIndex = glyph / in_sheet,
		.xOffset = scale_x * (float)w->left,
		.xAdvance = scale_x * (float)w->charWidth,
		.width = scale_x * (float)w->glyphWidth,
		.texcoord = { x / width, 1 - y / height, (x + (float)w->glyphWidth) / width,
				1 - (y + (float)g->cellHeight) / height } };
	if (flags & GLYPH_POS_CALC_VTXCOORD) {
		const float up = flags & GLYPH_POS_Y_POINTS_UP ? -1.0f : 1.0f;
		const float top = flags & GLYPH_POS_AT_BASELINE ? -(float)g->baselinePos : 0;
		out->vtxcoord.left = out->xOffset;
		out->vtxcoord.right = out->xOffset + out->width;
		out->vtxcoord.top = up * scale_y * top;
		out->vtxcoord.bottom = up * scale_y * (top + (float)g->cellHeight);
	}
}
