#include "kit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "pictures/picture.h"
#include "pictures/writer.h"

/* Registers of the top screen's controller. [fidelity: displays] */
enum {
	TOP_LEFT = 0x10400468,
	TOP_FORMAT = 0x10400470,
	TOP_STRIDE = 0x10400490,
	TOP_SELECT = 0x10400478,
	FORMAT_TOP = 0x80340
};

static const char *const origins[ORIGIN_COUNT] = { "console", "arithmetic", "renderers", "guess" };

/* Coordinates 0 have their own w. */
static const char plain_program[] = OUT_COLOR ".out out_tex0 texcoord0\n"
					      ".out out_tex0w texcoord0w\n"
					      ".out out_tex1 texcoord1\n"
					      ".out out_tex2 texcoord2\n"
					      ".in in_pos v0\n"
					      ".in in_color v1\n"
					      ".in in_tex v2\n"
					      ".proc main\n"
					      "	mov out_pos, in_pos\n"
					      "	mov out_color, in_color\n"
					      "	mov out_tex0, in_tex\n"
					      "	mov out_tex0w, in_tex.zzzz\n"
					      "	mov out_tex1, in_tex\n"
					      "	mov out_tex2, in_tex\n" END;

/* ---- The begin ---- */

bool case_begin(struct maker *m, enum origin origin, const char *rule, unsigned width,
		unsigned height, const char *name, ...) {
	char path[4096], full[128];
	va_list args;
	if (m->error < 0) {
		return false;
	}
	va_start(args, name);
	vsnprintf(full, sizeof(full), name, args);
	va_end(args);
	snprintf(m->name, sizeof(m->name), "%.63s", full);
	m->origin = origin;
	m->width = width;
	m->height = height;
	snprintf(path, sizeof(path), "%s/%s.%s", m->folder, m->name, m->form);
	m->error = recorder_init(&m->r, path, m->name, true);
	if (m->error < 0) {
		return false;
	}
	m->list = &m->r.list;
	EACH_PIXEL(m, x, y) {
		m->want[y][x] = GROUND;
	}
	fprintf(m->rows, "%s %s %s %ux%u ", m->name, origins[origin], rule, width, height);
	m->n_targets = 0;
	m->shown_flags = 0;
	m->lines_addr = 0;
	pica_emit_defaults(m->list);
	use_program(&m->r, plain_program);
	tev_primary(&m->r);
	case_target(m, PICA_COLOR_FORMAT_RGBA8, PICA_DEPTH_FORMAT_D24S8);
	return true;
}

void case_target(struct maker *m, uint32_t color, uint32_t depth) {
	/* The transfer engine counts formats in another order. [fidelity: transfer-fields] */
	static const uint32_t transfer[] = { [PICA_COLOR_FORMAT_RGBA8] = TRANSFER_RGBA8,
		[PICA_COLOR_FORMAT_RGB8] = TRANSFER_RGB8,
		[PICA_COLOR_FORMAT_RGB5A1] = TRANSFER_RGB5A1,
		[PICA_COLOR_FORMAT_RGB565] = TRANSFER_RGB565,
		[PICA_COLOR_FORMAT_RGBA4] = TRANSFER_RGBA4 };
	struct pica_framebuffer fb = { .color_format = color, .depth_format = depth };
	case_framebuffer(m, &fb);
	m->shown_from = transfer[color];
	m->shown_to = m->shown_from == TRANSFER_RGBA8 ? TRANSFER_RGB8 : m->shown_from;
}

void case_framebuffer(struct maker *m, struct pica_framebuffer *fb) {
	const uint32_t size = LINE_PX * m->height * 4;
	fb->color_addr = COLOR_ADDR + m->n_targets * TARGET_BYTES;
	fb->depth_addr = DEPTH_ADDR + m->n_targets++ * TARGET_BYTES;
	fb->width = LINE_PX;
	fb->height = m->height;
	recorder_fill(&m->r, 0, fb->color_addr, size, 0);
	recorder_fill(&m->r, 1, fb->depth_addr, size, 0);
	recorder_draw_target(&m->r, fb);
	pica_emit_viewport(m->list, 0, 0, m->width, m->height);
	BOX(m, .rgba = GROUND);
	m->shown_addr = fb->color_addr;
}

void case_show_depth(struct maker *m, uint32_t depth) {
	m->shown_addr = DEPTH_ADDR + (m->n_targets - 1) * TARGET_BYTES;
	m->shown_from = depth == PICA_DEPTH_FORMAT_D16 ? TRANSFER_RGB565 :
			depth == PICA_DEPTH_FORMAT_D24 ? TRANSFER_RGB8 :
							 TRANSFER_RGBA8;
	m->shown_to = depth == PICA_DEPTH_FORMAT_D16 ? TRANSFER_RGB565 : TRANSFER_RGB8;
}

void case_job(struct maker *m, const struct pica_job *job) {
	struct recorder *r = &m->r;
	if (r->error == 0) {
		recorder_fail(r, sink_job(r->sink, job));
	}
}

static void put_reg(struct maker *m, uint32_t addr, uint32_t value) {
	case_job(m,
			&(struct pica_job){ .op = PICA_OP_REG_WRITE,
					.u.reg_write = { .addr = addr, .value = value } });
}

void case_show_lines(struct maker *m, uint32_t addr) {
	m->lines_addr = addr;
	m->shown_to = TRANSFER_RGB8;
	recorder_fill(&m->r, 0, addr, LINE_PX * 3 * m->height, 0);
}

/* Takes the picture in the corner of the screen: column 0 is the top row of the window. */
static int corner(const struct maker *m, struct picture *p) {
	const int ret = picture_alloc(p, m->height, m->width);
	for (unsigned y = 0; ret == 0 && y < m->width; y++) {
		for (unsigned x = 0; x < m->height; x++) {
			const uint32_t color = m->want[m->height - 1 - x][m->width - 1 - y];
			put_color(p->rgb + 3 * (y * m->height + x), 3, color);
		}
	}
	return ret;
}

/* The hash of the whole screen with that corner. */
static int screen_hash(const struct picture *corner, uint8_t hash[16]) {
	uint8_t *rgb = calloc(TOP_WIDTH * SCREEN_HEIGHT, 3);
	if (!rgb) {
		return -ENOMEM;
	}
	for (unsigned y = 0; y < corner->height; y++) {
		memcpy(rgb + 3 * TOP_WIDTH * (SCREEN_HEIGHT - corner->height + y),
				corner->rgb + 3 * corner->width * y, 3 * corner->width);
	}
	pica_picture_hash(rgb, TOP_WIDTH, SCREEN_HEIGHT, 3 * TOP_WIDTH, hash);
	free(rgb);
	return 0;
}

/* The hash of the open case in the manifest. */
static bool known_hash(const struct maker *m, uint8_t hash[16]) {
	char text[PICTURE_HASH_TEXT], start[80];
	snprintf(start, sizeof(start), "\n%s ", m->name);
	const char *row = strstr(m->known, start);
	if (!row || sscanf(row + 1, "%*s %*s %*s %*s %32s", text) != 1 || strlen(text) != 32) {
		return false;
	}
	for (unsigned i = 0; i < 16; i++) {
		unsigned byte = 0;
		if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
			return false;
		}
		hash[i] = (uint8_t)byte;
	}
	return true;
}

/* Uses m->want as the picture: writes it, and its hash. */
static int take_wanted(struct maker *m, uint8_t hash[16]) {
	char text[PICTURE_HASH_TEXT], path[4096];
	struct picture p = { 0 };
	int ret = corner(m, &p);
	ret = ret < 0 ? ret : screen_hash(&p, hash);
	if (ret == 0) {
		picture_hash_text(hash, text);
		fprintf(m->rows, "%s\n", text);
	}
	if (ret == 0 && m->pictures) {
		snprintf(path, sizeof(path), "%s/%s.png", m->pictures, m->name);
		ret = picture_write_png(&p, path);
	}
	picture_finish(&p);
	return ret;
}

/* ---- The edge ---- */

enum { EDGE_PX = 1, EDGE_COLOR = 0x00FF00FF, EDGE_DEPTH = 0x004FFF00 };

static bool is_of_one_color(const struct maker *m) {
	EACH_PIXEL(m, x, y) {
		if (m->want[y][x] >> 8 != m->want[0][0] >> 8) {
			return false;
		}
	}
	return true;
}

void case_edge(struct maker *m) {
	const bool is_depth = m->shown_addr == DEPTH_ADDR + (m->n_targets - 1) * TARGET_BYTES;
	pica_emit_defaults(m->list);
	use_program(&m->r, plain_program);
	tev_primary(&m->r);
	pica_emit_reg(m->list, PICA_REG_COLORBUFFER_WRITE, 0xF);
	pica_emit_viewport(m->list, 0, 0, m->width, m->height);
	/* 5/16 of 0xFFFFFF is 0x4FFFFF.  [fidelity: depth-integer] */
	BOX(m, .x0 = (float)(m->width - EDGE_PX), .x1 = (float)m->width, .y1 = (float)m->height,
			.z = -0.3125f, .rgba = EDGE_COLOR);
	EACH_PIXEL(m, x, y) {
		if (x >= m->width - EDGE_PX) {
			m->want[y][x] = is_depth ? (m->want[y][x] & 0xFF000000) | EDGE_DEPTH :
						   EDGE_COLOR;
		}
	}
}

/* ---- The end ---- */

void case_end(struct maker *m) {
	static const uint32_t bytes[] = { [TRANSFER_RGBA8] = 4,
		[TRANSFER_RGB8] = 3,
		[TRANSFER_RGB565] = 2,
		[TRANSFER_RGB5A1] = 2,
		[TRANSFER_RGBA4] = 2 };
	struct recorder *r = &m->r;
	struct pica_expected expected = {
		.screen = PICA_SCREEN_TOP, .width = TOP_WIDTH, .height = SCREEN_HEIGHT
	};
	bool has_hash = false;
	if (m->origin == ORIGIN_RULE || m->origin == ORIGIN_CONSOLE) {
		if (is_of_one_color(m)) {
			case_edge(m);
		}
		recorder_fail(r, take_wanted(m, expected.hash));
		has_hash = true;
	} else {
		has_hash = known_hash(m, expected.hash);
		fputs("-\n", m->rows);
	}
	recorder_run(r);
	if (m->lines_addr) {
		put_reg(m, TOP_LEFT, m->lines_addr);
	} else {
		recorder_transfer(r,
				&(const struct recorder_transfer){ .from = m->shown_addr,
						.to = SHOWN_ADDR,
						.width = LINE_PX,
						.height = m->height,
						.from_format = m->shown_from,
						.to_format = m->shown_to,
						.flags = m->shown_flags });
	}
	put_reg(m, TOP_FORMAT, FORMAT_TOP | m->shown_to);
	put_reg(m, TOP_STRIDE, LINE_PX * bytes[m->shown_to]);
	put_reg(m, TOP_SELECT, 0);
	sink_expect(r->sink, &expected, has_hash);
	case_job(m, &(struct pica_job){ .op = PICA_OP_PRESENT, .u.present = { .screens = 1 } });
	const int ret = recorder_finish(r);
	if (ret < 0) {
		fprintf(stderr, "conformance: %s: %s\n", m->name, strerror(-ret));
		m->error = ret;
	}
}

/* ---- Drawing ---- */

float case_x(const struct maker *m, float x) {
	return 2 * x / (float)m->width - 1;
}

float case_y(const struct maker *m, float y) {
	return 2 * y / (float)m->height - 1;
}

void case_vertices(struct maker *m, uint32_t primitive, const struct vertex *v, unsigned n) {
	pica_emit_inputs(m->list, 3, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(m->list, primitive);
	for (unsigned i = 0; i < n; i++) {
		const float all[12] = { v[i].x, v[i].y, v[i].z, v[i].w, v[i].r, v[i].g, v[i].b,
			v[i].a, v[i].u, v[i].v, v[i].q, 1 };
		pica_emit_immediate(m->list, all, 3);
	}
	pica_emit_immediate_end(m->list);
}

void case_box(struct maker *m, const struct box *box) {
	const float x1 = box->x1 > 0 ? box->x1 : (float)m->width;
	const float y1 = box->x1 > 0 ? box->y1 : (float)m->height;
	const float u1 = box->u1 > 0 ? box->u1 : 1, v1 = box->u1 > 0 ? box->v1 : 1;
	struct vertex v[4];
	float color[4];
	put_color_float(color, box->rgba);
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (struct vertex){ case_x(m, k & 1 ? x1 : box->x0),
			case_y(m, k & 2 ? y1 : box->y0), box->z, 1, color[0], color[1], color[2],
			color[3], k & 1 ? u1 : box->u0, k & 2 ? v1 : box->v0, 1 };
	}
	case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
}

/* ---- Textures ---- */

/* Place of a texel in the order of tiles. [fidelity: texel-address] */
unsigned texel_index(unsigned x, unsigned row, unsigned width) {
	unsigned index = (row / 8 * (width / 8) + x / 8) * 64;
	for (unsigned bit = 0; bit < 3; bit++) {
		index += (x >> bit & 1) << 2 * bit | (row >> bit & 1) << (2 * bit + 1);
	}
	return index;
}

uint32_t case_store_texels(struct maker *m) {
	static uint8_t bytes[CASE_SIDE * CASE_SIDE * 4];
	EACH_PIXEL(m, x, y) {
		const unsigned row = m->height - 1 - y;
		const unsigned index = texel_index(x, row, m->width);
		for (unsigned k = 0; k < 4; k++) {
			bytes[4 * index + k] = (uint8_t)(m->texels[y][x] >> 8 * k);
		}
	}
	return recorder_store(&m->r, bytes, 4 * m->width * m->height);
}

struct pica_texture case_texture(struct maker *m, unsigned unit, uint32_t mask) {
	const struct pica_texture t = texture_at(case_store_texels(m), m->width, m->height,
			PICA_TEXTURE_FORMAT_RGBA8, PICA_FILTER_NEAREST);
	pica_emit_texture(m->list, unit, &t);
	use_units(&m->r, mask);
	return t;
}

void case_reveal_alpha(struct maker *m) {
	pica_emit_defaults(m->list);
	tev_primary(&m->r);
	pica_emit_blend(m->list,
			&(const struct pica_blend){ .rgb_src = PICA_BLEND_FACTOR_DST_ALPHA });
	BOX(m, .rgba = 0xFFFFFFFF);
}

uint8_t edge_byte(unsigned i) {
	static const uint8_t bytes[16] = { 0, 1, 2, 15, 17, 51, 85, 100, 127, 128, 129, 170, 200,
		238, 254, 255 };
	return bytes[i & 15];
}

uint32_t edge_color(unsigned x, unsigned y, unsigned variant) {
	const unsigned i = variant == 0 ? x : variant == 1 ? y : x + 3 * y;
	return (uint32_t)edge_byte(i) << 24 | (uint32_t)edge_byte(i * 5 + variant) << 16 |
			(uint32_t)edge_byte(i * 7 + 3) << 8 | edge_byte(i * 3 + 9 + variant);
}
