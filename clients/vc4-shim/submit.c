/*
 * A submission becomes a job: the binning list and the shader records are copied into the region,
 * and handles in them become bus addresses. [kernel: vc4_validate.c]
 *
 * One block of the region holds, in this order, the binning list, the shader records, the uniforms
 * and the rendering list; another holds the tile states and the tile lists. Both are freed when the
 * job has ended.
 */
#include "impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vc4/list/record.h"

/* Not hardware: two indices of handles, for the records that follow. */
enum { OP_HANDLES = 0xfe, SIZE_HANDLES = 9 };

/* Sizes of the records that a driver may submit; 0: none. */
#define BINNED(name) [VC4_OP_##name] = VC4_SIZE_##name
static const uint8_t record_bytes[256] = {
	BINNED(HALT),
	BINNED(NOP),
	BINNED(FLUSH),
	BINNED(FLUSH_ALL_STATE),
	BINNED(START_TILE_BINNING),
	BINNED(INCREMENT_SEMAPHORE),
	BINNED(INDEXED_PRIMITIVES),
	BINNED(ARRAY_PRIMITIVES),
	BINNED(PRIMITIVE_LIST_FORMAT),
	BINNED(GL_SHADER_STATE),
	BINNED(CONFIGURATION_BITS),
	BINNED(FLAT_SHADE_FLAGS),
	BINNED(POINT_SIZE),
	BINNED(LINE_WIDTH),
	BINNED(RHT_X_BOUNDARY),
	BINNED(DEPTH_OFFSET),
	BINNED(CLIP_WINDOW),
	BINNED(VIEWPORT_OFFSET),
	BINNED(CLIPPER_XY_SCALING),
	BINNED(CLIPPER_Z_SCALE_OFFSET),
	BINNED(TILE_BINNING_MODE),
	[OP_HANDLES] = SIZE_HANDLES,
};
enum {
	RECORD_ALIGNMENT = 16,
	TILE_STATE_BYTES = 48,
	TILE_LIST_BYTES = 32,
	TILE_SPARE_BYTES = 64 << 10, /* for what does not fit into the tiles' first blocks */
	BINNING_FLAGS_KEPT = 0x87, /* without the block sizes, which become 32 and 128 bytes */
	BINNING_AUTO_INITIALISE = 4,
	BINNING_BLOCKS_32_128 = 2 << 5,
	SHADERS = 3, /* of a record: fragment, vertex, coordinate */
	MOST_BYTES = 16 << 20, /* of each of a submission's arrays */
};

static uint32_t read_word(const void *at) {
	uint32_t word;
	memcpy(&word, at, sizeof(word));
	return word;
}

static void write_word(void *at, uint32_t word) {
	memcpy(at, &word, sizeof(word));
}

static uint32_t up(uint32_t bytes, uint32_t multiple) {
	return (bytes + multiple - 1) / multiple * multiple;
}

int submission_refuse(const struct submission *s, const char *format, ...) {
	char text[160];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fprintf(stderr, "libpica-vc4-shim: submission %llu: %s\n", (unsigned long long)s->k->n_jobs,
			text);
	return -EINVAL;
}

static const void *pointer(uint64_t address) {
	return (const void *)(uintptr_t)address;
}

struct buffer *submission_buffer(const struct submission *s, uint32_t index) {
	if (index >= s->args->bo_handle_count) {
		return NULL;
	}
	const uint8_t *handles = pointer(s->args->bo_handles);
	return buffer_get(s->k, read_word(handles + 4 * (size_t)index));
}

static uint32_t shader_record_bytes(uint32_t word) {
	const uint32_t n_arrays = word & 7 ? word & 7 : 8;
	return word & 8 ? 100 + 4 * n_arrays : 36 + 8 * n_arrays;
}

/* ---- Shader records and uniforms ---- */

struct records {
	const uint8_t *record; /* the next one of the submission, and the remaining bytes */
	uint32_t record_left;
	const uint8_t *uniforms;
	uint32_t uniforms_left;
	uint32_t to_record, to_uniforms; /* offsets in the region */
};

/* A shader of a record: its code at +0, its uniforms at +4. */
static int relocate_shader(struct submission *s, struct records *r, uint8_t *slot, uint32_t index) {
	struct kernel *const k = s->k;
	const struct buffer *b = submission_buffer(s, index);
	if (!b || !b->shader) {
		return submission_refuse(s, "shader record: buffer %u of %u is not a shader", index,
				s->args->bo_handle_count);
	}
	const struct shader_plan *plan = b->shader;
	const uint64_t n_bytes = 4 * ((uint64_t)plan->n_samples + plan->n_uniforms);
	if (n_bytes > r->uniforms_left) {
		return submission_refuse(s, "uniforms: %u bytes left: expected %llu",
				r->uniforms_left, (unsigned long long)n_bytes);
	}
	const uint8_t *const handles = r->uniforms;
	const uint32_t address = k->base + r->to_uniforms;
	uint8_t *const to = k->memory + r->to_uniforms;
	memcpy(to, handles + 4 * (size_t)plan->n_samples, 4 * (size_t)plan->n_uniforms);
	for (uint32_t i = 0; i < plan->n_samples; i++) {
		const uint32_t at = plan->samples[i];
		const struct buffer *t = submission_buffer(s, read_word(handles + 4 * (size_t)i));
		if (!t || t->shader || at >= plan->n_uniforms) {
			return submission_refuse(s,
					"texture access %u of %u: buffer %u is not a texture", i,
					plan->n_samples, read_word(handles + 4 * (size_t)i));
		}
		uint8_t *const word = to + 4 * (size_t)at;
		write_word(word, read_word(word) + k->base + t->offset);
	}
	for (uint32_t i = 0; i < plan->n_resets; i++) {
		write_word(to + 4 * (size_t)plan->resets[i], address);
	}
	write_word(slot, k->base + b->offset);
	write_word(slot + 4, address);
	r->uniforms += n_bytes;
	r->uniforms_left -= (uint32_t)n_bytes;
	r->to_uniforms += 4 * plan->n_uniforms;
	return 0;
}

/* The indices of the shaders and arrays come before the record itself. */
static int copy_record(struct submission *s, struct records *r, uint32_t word) {
	static const uint8_t shader_at[SHADERS] = { 4, 16, 28 };
	const uint32_t n_arrays = word & 7 ? word & 7 : 8;
	const uint32_t n_indices = SHADERS + n_arrays;
	const uint32_t n_bytes = shader_record_bytes(word);
	if (4 * n_indices + n_bytes > r->record_left) {
		return submission_refuse(s, "shader records: %u bytes left: expected %u",
				r->record_left, 4 * n_indices + n_bytes);
	}
	const uint8_t *const indices = r->record;
	uint8_t *const to = s->k->memory + r->to_record;
	memcpy(to, r->record + 4 * n_indices, n_bytes);
	for (uint32_t i = 0; i < SHADERS; i++) {
		int ret = relocate_shader(s, r, to + shader_at[i], read_word(indices + 4 * i));
		if (ret < 0) {
			return ret;
		}
	}
	for (uint32_t i = 0; i < n_arrays; i++) {
		const uint32_t index = read_word(indices + 4 * (SHADERS + i));
		const struct buffer *b = submission_buffer(s, index);
		if (!b || b->shader) {
			return submission_refuse(s, "array %u: buffer %u of %u is not data", i,
					index, s->args->bo_handle_count);
		}
		uint8_t *const base = to + 36 + 8 * i;
		write_word(base, read_word(base) + s->k->base + b->offset);
	}
	r->record += 4 * n_indices + n_bytes;
	r->record_left -= 4 * n_indices + n_bytes;
	r->to_record += up(n_bytes, RECORD_ALIGNMENT);
	return 0;
}

/* ---- The binning list ---- */

static int relocate_indexed(struct submission *s, uint8_t *record, uint32_t at, uint32_t index) {
	const struct buffer *b = submission_buffer(s, index);
	if (!b || b->shader) {
		return submission_refuse(s, "list offset %u: indices: buffer %u of %u is not data",
				at, index, s->args->bo_handle_count);
	}
	write_word(record + 6, read_word(record + 6) + s->k->base + b->offset);
	return 0;
}

static int relocate_binning_mode(struct submission *s, uint8_t *record, uint32_t at) {
	s->tiles_x = record[13];
	s->tiles_y = record[14];
	const uint32_t n_tiles = s->tiles_x * s->tiles_y;
	if (n_tiles == 0 || s->tile_bytes) {
		return submission_refuse(
				s, "list offset %u: binning mode: expected one, with tiles", at);
	}
	const uint32_t n_list_bytes = up(TILE_LIST_BYTES * n_tiles, PAGE) + TILE_SPARE_BYTES;
	const uint32_t n_state_bytes = up(TILE_STATE_BYTES * n_tiles, PAGE);
	const int64_t block = pages_take(s->k, n_state_bytes + n_list_bytes);
	if (block < 0) {
		return (int)block;
	}
	s->tile_state = (uint32_t)block;
	s->tile_bytes = n_state_bytes + n_list_bytes;
	s->tile_lists = s->tile_state + n_state_bytes;
	write_word(record + 1, s->k->base + s->tile_lists);
	write_word(record + 5, n_list_bytes);
	write_word(record + 9, s->k->base + s->tile_state);
	record[15] = (uint8_t)((record[15] & BINNING_FLAGS_KEPT) | BINNING_AUTO_INITIALISE |
			BINNING_BLOCKS_32_128);
	return 0;
}

static int relocate_shader_state(
		struct submission *s, struct records *r, uint8_t *record, uint32_t at) {
	const uint32_t word = read_word(record + 1);
	if (word > 15) {
		return submission_refuse(s,
				"list offset %u: shader state: %08x: expected at most 15", at,
				word);
	}
	write_word(record + 1, (s->k->base + r->to_record) | word);
	return copy_record(s, r, word);
}

static int copy_list(struct submission *s) {
	const struct drm_vc4_submit_cl *a = s->args;
	const uint8_t *const list = pointer(a->bin_cl);
	struct records r = { pointer(a->shader_rec), a->shader_rec_size, pointer(a->uniforms),
		a->uniforms_size, s->records, s->uniforms };
	uint32_t index = 0; /* of the buffer with the indices */
	uint8_t *to = s->k->memory + s->block;
	for (uint32_t at = 0; at < a->bin_cl_size;) {
		const uint8_t op = list[at];
		const uint32_t n_bytes = record_bytes[op];
		int ret = 0;
		if (n_bytes == 0) {
			return submission_refuse(s, "list offset %u: %02x is not a record", at, op);
		}
		if (n_bytes > a->bin_cl_size - at) {
			return submission_refuse(s,
					"list offset %u: record %02x: the list ends in it", at, op);
		}
		if (op == OP_HANDLES) {
			index = read_word(list + at + 1);
			at += n_bytes;
			continue;
		}
		memcpy(to, list + at, n_bytes);
		if (op == VC4_OP_INDEXED_PRIMITIVES) {
			ret = relocate_indexed(s, to, at, index);
		} else if (op == VC4_OP_TILE_BINNING_MODE) {
			ret = relocate_binning_mode(s, to, at);
		} else if (op == VC4_OP_GL_SHADER_STATE) {
			ret = relocate_shader_state(s, &r, to, at);
		}
		if (ret < 0) {
			return ret;
		}
		to += n_bytes;
		at += n_bytes;
		if (op == VC4_OP_HALT) {
			break;
		}
	}
	s->n_bin_bytes = (uint32_t)(to - s->k->memory) - s->block;
	return 0;
}

/* ---- The whole ---- */

/* Allocates the block, and lays out its parts. */
static int place(struct submission *s) {
	const struct drm_vc4_submit_cl *a = s->args;
	if (a->bin_cl_size > MOST_BYTES || a->shader_rec_size > MOST_BYTES ||
			a->uniforms_size > MOST_BYTES) {
		return submission_refuse(s,
				"%u bytes of list, %u of records, %u of uniforms: at most %u each",
				a->bin_cl_size, a->shader_rec_size, a->uniforms_size,
				(unsigned)MOST_BYTES);
	}
	const uint32_t records = up(a->bin_cl_size, RECORD_ALIGNMENT);
	/* The indices of each record, at least 16 bytes, make room for its padding. */
	const uint32_t uniforms = records + up(a->shader_rec_size, RECORD_ALIGNMENT);
	const uint32_t render = uniforms + up(a->uniforms_size, RECORD_ALIGNMENT);
	s->block_bytes = render + render_list_bytes(a);
	const int64_t block = pages_take(s->k, s->block_bytes);
	if (block < 0) {
		return (int)block;
	}
	s->block = (uint32_t)block;
	s->records = s->block + records;
	s->uniforms = s->block + uniforms;
	s->render = s->block + render;
	return 0;
}

int submit(struct kernel *k, struct drm_vc4_submit_cl *args) {
	const struct drm_vc4_submit_cl copy = *args;
	struct submission s = { .k = k, .args = &copy };
	k->n_jobs++;
	int ret = place(&s);
	if (ret < 0) {
		return ret;
	}
	uint32_t n_render_bytes = 0;
	ret = copy_list(&s);
	ret = ret < 0 ? ret : render_list_write(&s, &n_render_bytes);
	if (ret == 0) {
		const struct buffer *target = copy.color_write.hindex == UINT32_MAX ?
				NULL :
				submission_buffer(&s, copy.color_write.hindex);
		const struct kernel_job job = {
			.number = k->n_jobs,
			.ct0ca = k->base + s.block,
			.ct0ea = k->base + s.block + s.n_bin_bytes,
			.ct1ca = k->base + s.render,
			.ct1ea = k->base + s.render + n_render_bytes,
			.target = target ? k->base + target->offset + copy.color_write.offset : 0,
			.width = copy.width,
			.height = copy.height,
			.config = copy.color_write.bits,
			.used_bytes = pages_end(k),
		};
		ret = k->run(k->user, &job);
		args->seqno = k->n_jobs;
	}
	pages_free(k, s.tile_state, s.tile_bytes);
	pages_free(k, s.block, s.block_bytes);
	return ret;
}
