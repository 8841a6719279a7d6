#include "reads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "json.h"
#include "snapshot.h"

enum {
	LOADERS = 12,
	LOADER_REGS = PICA_REG_ATTRIBBUFFER1_OFFSET - PICA_REG_ATTRIBBUFFER0_OFFSET,
	ONE_VERTEX = 12 * 16, /* maximum bytes for a stride of 0 */
};

static void add(struct reads *out, const char *what, uint32_t addr, uint64_t size_bytes) {
	if (out->n < READS_MAX && size_bytes > 0 && size_bytes <= UINT32_MAX) {
		struct read_range *r = &out->r[out->n++];
		*r = (struct read_range){ .addr = addr, .size_bytes = (uint32_t)size_bytes };
		snprintf(r->what, sizeof(r->what), "%s", what);
	}
}

/* ---- Textures ---- */

static void add_textures(struct reads *out, const uint32_t *regs) {
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		struct facts_texture t;
		char what[24];
		facts_texture(regs, unit, &t);
		uint64_t bytes = 0;
		for (uint32_t level = 0; level <= t.levels; level++) {
			bytes += (uint64_t)(t.width >> level) * (t.height >> level) * t.bits / 8;
		}
		if (!t.is_on) {
			continue;
		}
		const bool is_cube = facts_is_cube(&t);
		for (unsigned face = 0; face < (is_cube ? FACTS_FACES : 1); face++) {
			snprintf(what, sizeof(what), "texture %u%s%s", unit,
					is_cube ? " face " : "", is_cube ? facts_faces[face] : "");
			add(out, what, facts_face_addr(regs, &t, face), bytes);
		}
	}
}

/* ---- Vertices ---- */

struct span {
	uint32_t min, max; /* vertex numbers */
};

/* Of an indexed draw. */
static struct span index_span(const uint8_t *index, uint32_t n, bool is_u16) {
	struct span s = { UINT32_MAX, 0 };
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t x = reads_index(index, is_u16, i);
		s.min = x < s.min ? x : s.min;
		s.max = x > s.max ? x : s.max;
	}
	return s;
}

static void add_vertices(struct reads *out, struct pica_ctx *ctx, const uint32_t *regs,
		enum draw_kind kind) {
	const uint32_t n = regs[PICA_REG_NUMVERTICES], loc = regs[PICA_REG_ATTRIBBUFFERS_LOC];
	const uint32_t base = get_ATTRIBBUFFERS_LOC_ADDR16(loc) << 4;
	const uint32_t first = regs[PICA_REG_VERTEX_OFFSET];
	struct span s = { first, first + (n - 1) };
	if (kind == DRAW_IMMEDIATE || n == 0) {
		return;
	}
	if (kind != DRAW_ARRAYS) {
		const uint32_t config = regs[PICA_REG_INDEXBUFFER_CONFIG];
		const uint32_t addr = base + get_INDEXBUFFER_CONFIG_OFFSET(config);
		const bool is_u16 = get_INDEXBUFFER_CONFIG_IS_U16(config);
		const uint64_t bytes = (uint64_t)n << is_u16;
		add(out, "indices", addr, bytes);
		const uint8_t *index = bytes <= UINT32_MAX ?
				pica_ctx_host(ctx, addr, (uint32_t)bytes) :
				NULL;
		if (!index) {
			return;
		}
		s = index_span(index, n, is_u16);
	}
	for (unsigned i = 0; i < LOADERS && s.max >= s.min; i++) {
		const uint32_t *r = regs + PICA_REG_ATTRIBBUFFER0_OFFSET + i * LOADER_REGS;
		const uint32_t stride = get_ATTRIBBUFFER_CONFIG2_STRIDE(r[2]);
		char what[24];
		if (!get_ATTRIBBUFFER_CONFIG2_COUNT(r[2])) {
			continue;
		}
		snprintf(what, sizeof(what), "vertex array %u", i);
		add(out, what, base + get_ATTRIBBUFFER_OFFSET_OFFSET(r[0]) + s.min * stride,
				stride ? (uint64_t)(s.max - s.min + 1) * stride : ONE_VERTEX);
	}
}

void reads_find(struct reads *out, struct pica_ctx *ctx, enum draw_kind kind) {
	uint32_t regs[PICA_REG_COUNT];
	out->n = 0;
	pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, regs);
	add_textures(out, regs);
	add_vertices(out, ctx, regs, kind);
}

int reads_copy(struct reads *r, struct pica_ctx *ctx) {
	for (unsigned i = 0; i < r->n; i++) {
		struct read_range *x = &r->r[i];
		const void *host = pica_ctx_host(ctx, x->addr, x->size_bytes);
		if (!host) {
			continue;
		}
		x->bytes = malloc(x->size_bytes);
		if (!x->bytes) {
			return -ENOMEM;
		}
		memcpy(x->bytes, host, x->size_bytes);
	}
	return 0;
}

void reads_finish(struct reads *r) {
	for (unsigned i = 0; i < r->n; i++) {
		free(r->r[i].bytes);
	}
	r->n = 0;
}

XXH128_hash_t reads_hash(const struct reads *r, struct pica_ctx *ctx) {
	XXH128_hash_t parts[READS_MAX];
	for (unsigned i = 0; i < r->n; i++) {
		const struct read_range *x = &r->r[i];
		const void *host = pica_ctx_host(ctx, x->addr, x->size_bytes);
		const uint32_t where[] = { x->addr, x->size_bytes };
		parts[i] = host ? XXH3_128bits_withSeed(host, x->size_bytes, x->addr) :
				  XXH3_128bits(where, sizeof(where));
	}
	return XXH3_128bits(parts, r->n * sizeof(parts[0]));
}

/* ---- Two of them ---- */

struct bytes_differ {
	uint32_t n, first;
};

static struct bytes_differ compare(const struct read_range *a, const struct read_range *b) {
	struct bytes_differ d = { 0, 0 };
	for (uint32_t i = 0; i < a->size_bytes; i++) {
		if (a->bytes[i] != b->bytes[i] && d.n++ == 0) {
			d.first = i;
		}
	}
	return d;
}

/* Returns the other side's range of this name, if they can be compared. */
static const struct read_range *partner(const struct reads *b, const struct read_range *a) {
	for (unsigned i = 0; i < b->n; i++) {
		const struct read_range *r = &b->r[i];
		if (strcmp(r->what, a->what) == 0) {
			return r->size_bytes == a->size_bytes && r->bytes && a->bytes ? r : NULL;
		}
	}
	return NULL;
}

json_t *reads_diff_json(const struct reads *a, const struct reads *b) {
	json_t *rows = json_array();
	for (unsigned i = 0; i < a->n; i++) {
		const struct read_range *x = &a->r[i], *y = partner(b, x);
		const struct bytes_differ d = y ? compare(x, y) : (struct bytes_differ){ 0, 0 };
		if (d.n) {
			json_array_append_new(rows,
					json_pack("{ss so so sI sI s{sI si si}}", "what", x->what,
							"a_addr", json_addr(x->addr), "b_addr",
							json_addr(y->addr), "size",
							(json_int_t)x->size_bytes, "bytes",
							(json_int_t)d.n, "first", "offset",
							(json_int_t)d.first, "a", x->bytes[d.first],
							"b", y->bytes[d.first]));
		}
	}
	return rows;
}

void reads_diff_text(const json_t *rows) {
	const json_t *row;
	size_t i;
	json_array_foreach(rows, i, row) {
		const char *what = "";
		const char *a_text = "0", *b_text = "0";
		json_int_t size = 0, bytes = 0, offset = 0;
		int a = 0, b = 0;
		json_unpack((json_t *)row, "{ss ss ss sI sI s{sI si si}}", "what", &what, "a_addr",
				&a_text, "b_addr", &b_text, "size", &size, "bytes", &bytes, "first",
				"offset", &offset, "a", &a, "b", &b);
		const unsigned long a_addr = strtoul(a_text, NULL, 16),
				    b_addr = strtoul(b_text, NULL, 16);
		printf("  it reads other bytes: %s, 0x%08" PRIx64 "-0x%08" PRIx64, what,
				(uint64_t)a_addr, (uint64_t)a_addr + (uint64_t)size - 1);
		if (b_addr != a_addr) {
			printf(" (B: 0x%08" PRIx64 ")", (uint64_t)b_addr);
		}
		printf(": %" PRIu64 " differ%s, first at 0x%08" PRIx64 ": A %02x, B %02x\n",
				(uint64_t)bytes, bytes == 1 ? "s" : "",
				(uint64_t)a_addr + (uint64_t)offset, (unsigned)a, (unsigned)b);
	}
}
