#include "missing.h"

#include <stddef.h>

#include "core/base/attributes.h"
#include "pica_inspect.h"

/* [fidelity: citrace-missing] */
static const struct missing_kind kinds[] = {
	{ PICA_CAPTURE_NO_MEMORY, "memory", "memory at the start (begins as 0)", "" },
	{ PICA_CAPTURE_NO_TABLES, "tables",
		"lighting, fog, procedural and gas tables at the start", "" },
	{ PICA_CAPTURE_NO_ATTRIBUTES, "attributes", "fixed attributes at the start", "" },
	{ PICA_CAPTURE_NO_GEOMETRY, "geometry", "memories of the geometry shader at the start",
		"" },
	{ PICA_CAPTURE_UNKNOWN_W, "uniform_w",
		"w of uniforms at the start (look from frame 1 on)", "" },
	{ PICA_CAPTURE_EMPTY_LOADS, "empty_loads",
		"textures in formats that the recorder leaves out", "load" },
	{ PICA_CAPTURE_NO_VERTEX_CODE, "vertex_code", "vertex program at the start", "" },
	{ PICA_CAPTURE_LOST_END, "end", "the end of the capture", "" },
	{ PICA_CAPTURE_NO_TEXTURES, "textures", "textures that draws sample", "page" },
	{ PICA_CAPTURE_NO_LEVELS, "levels", "smaller levels of textures", "page" },
	{ PICA_CAPTURE_NO_FACES, "faces", "faces of cube textures but +X", "page" },
	{ PICA_CAPTURE_NO_VERTICES, "vertices", "indices and vertex arrays that draws read",
		"page" },
	{ PICA_CAPTURE_NO_TARGETS, "targets", "targets that draws blend with or test against",
		"page" },
	{ PICA_CAPTURE_NO_LISTS, "lists", "command lists", "page" },
	{ PICA_CAPTURE_NO_SOURCES, "sources", "sources of transfers and copies", "page" },
	{ PICA_CAPTURE_NO_SCREENS, "screens", "what screens show", "page" },
	{ PICA_CAPTURE_NO_DMA, "dma", "copies by DMA (the recorder leaves no trace of them)", "" },
	{ PICA_CAPTURE_NO_EXTERNAL, "external", "registers of the copy engines at the start", "" },
	{ PICA_CAPTURE_NO_LCD, "lcd", "registers of the screens (LCD) at the start", "" },
	{ PICA_CAPTURE_NO_REGISTERS, "registers", "internal registers at the start", "" },
	{ PICA_CAPTURE_NO_VERTEX_DESCRIPTORS, "vertex_descriptors",
		"operand descriptors of the vertex program at the start", "" },
	{ PICA_CAPTURE_NO_VERTEX_UNIFORMS, "vertex_uniforms",
		"float uniforms of the vertex program at the start", "" },
};

const struct missing_kind *missing_kind(uint32_t what) {
	static const struct missing_kind unknown = { 0, NULL, "something that a later version knows",
		"" };
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (kinds[i].what == what) {
			return &kinds[i];
		}
	}
	return &unknown;
}

int missing_begin(const struct pica_capture *capture, struct pica_ctx *ctx) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	/* A .pica lists what it lacks. */
	return pica_ctx_find_unwritten(ctx, info.form != PICA_CAPTURE_PICA);
}

/* Unwritten memory that was read, of the kind of this bit. */
static struct pica_unwritten unwritten(struct pica_ctx *ctx, uint32_t what) {
	static const uint32_t bits[PICA_READ_COUNT] = {
		[PICA_READ_TEXTURE] = PICA_CAPTURE_NO_TEXTURES,
		[PICA_READ_LEVELS] = PICA_CAPTURE_NO_LEVELS,
		[PICA_READ_FACES] = PICA_CAPTURE_NO_FACES,
		[PICA_READ_VERTICES] = PICA_CAPTURE_NO_VERTICES,
		[PICA_READ_TARGET] = PICA_CAPTURE_NO_TARGETS,
		[PICA_READ_LIST] = PICA_CAPTURE_NO_LISTS,
		[PICA_READ_SOURCE] = PICA_CAPTURE_NO_SOURCES,
		[PICA_READ_SCREEN] = PICA_CAPTURE_NO_SCREENS,
	};
	struct pica_unwritten none = { .pages = 0 }, found;
	for (unsigned i = 0; i < PICA_READ_COUNT; i++) {
		if (bits[i] == what && pica_ctx_unwritten(ctx, (enum pica_read)i, &found) == 0) {
			return found;
		}
	}
	return none;
}

void missing_find(struct missing *out, const struct pica_capture *capture, struct pica_ctx *ctx) {
	struct pica_capture_lack said[LACKS_MAX];
	struct pica_capture_info info;
	const unsigned n_said = pica_capture_lacks(capture, said, LACKS_MAX);
	unsigned next = 0;
	pica_capture_info(capture, &info);
	out->n = 0;
	for (unsigned bit = 0; bit < LACKS_MAX; bit++) {
		struct pica_capture_lack row = { .what = 1u << bit };
		const struct pica_unwritten u = unwritten(ctx, row.what);
		if (next < n_said && said[next].what == row.what) {
			row = said[next++];
		} else if (u.pages) {
			row.count = u.pages;
			row.first = u.first;
		} else if (!(info.missing & row.what)) {
			continue;
		}
		out->row[out->n++] = row;
	}
}
