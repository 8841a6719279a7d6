/* The DVLB container, .shbin files. [fidelity: dvlb] */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica_shader.h"

enum {
	MAGIC_DVLB = 0x424C5644,
	MAGIC_DVLP = 0x504C5644,
	MAGIC_DVLE = 0x454C5644,
	DVLP_BYTES = 0x28,      /* header, as written */
	DVLP_MIN_BYTES = 0x18,  /* the bytes that are read: old tools write 0x1C */
	DVLE_BYTES = 0x40,
	DVLE_VERSION = 0x1002,
	DESCRIPTOR_BYTES = 8,
	CONSTANT_BYTES = 20,
	OUTPUT_BYTES = 8,
	UNIFORM_BYTES = 8,
};

/* ---- Reading ---- */

/*
 * A part of the file; all its offsets are relative to its start, which is at byte at of the file.
 */
struct part {
	const uint8_t *p;
	size_t size, at;
};

static uint32_t get32(const uint8_t *p) {
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static uint16_t get16(const uint8_t *p) {
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* Bytes [offset, offset + count * size) of a part, or NULL if they are not in the file. */
static const uint8_t *span(struct part part, uint32_t offset, uint32_t count, uint32_t size) {
	uint64_t bytes = (uint64_t)count * size;
	if (offset > part.size || bytes > part.size - offset) {
		return NULL;
	}
	return part.p + offset;
}

struct reader {
	struct pica_shader *s;
	struct pica_shader_error *error; /* may be NULL */
	const uint8_t *file;
	size_t size;
};

/* at: byte of the file. */
PICA_PRINTF(3, 4)
static int bad(struct reader *r, size_t at, const char *format, ...) {
	if (r->error) {
		char *message = r->error->message;
		const size_t size = sizeof(r->error->message);
		const int n = snprintf(message, size, "byte 0x%zX: ", at);
		va_list args;
		va_start(args, format);
		vsnprintf(message + n, size - (size_t)n, format, args);
		va_end(args);
	}
	return -EINVAL;
}

static size_t offset_of(const struct reader *r, const uint8_t *p) {
	return (size_t)(p - r->file);
}

/* A table whose offset and count are in a header at byte field of the part. */
struct table {
	const char *what;
	uint32_t field, most, size;
};

/* Returns its rows; NULL: the reason is stored. */
static const uint8_t *table_rows(
		struct reader *r, struct part part, const struct table *table, uint32_t *n) {
	const uint32_t at = get32(part.p + table->field);
	*n = get32(part.p + table->field + 4);
	if (*n > table->most) {
		bad(r, part.at + table->field + 4, "expected at most %u %s, got %u",
				(unsigned)table->most, table->what, (unsigned)*n);
		return NULL;
	}
	const uint8_t *p = span(part, at, *n, table->size);
	if (!p) {
		bad(r, part.at + table->field,
				"%u %s from byte 0x%" PRIX64 " on: the file ends at 0x%zX",
				(unsigned)*n, table->what, (uint64_t)part.at + at, r->size);
	}
	return p;
}

/* The header of a part, which begins with its four letters. */
static int part_header(struct reader *r, struct part part, const char *letters, uint32_t size) {
	if (part.size < size) {
		return bad(r, part.at,
				"expected the %" PRIu32
				" bytes of a %s header, the file ends at 0x%zX",
				size, letters, r->size);
	}
	if (memcmp(part.p, letters, 4) != 0) {
		return bad(r, part.at, "expected \"%s\"", letters);
	}
	return 0;
}

static int read_program(struct reader *r, struct part dvlp) {
	static const struct table codes = { "code words", 0x08, PICA_SHADER_CODE_WORDS, 4 };
	static const struct table descs = { "operand descriptors", 0x10, PICA_SHADER_DESCRIPTORS,
		DESCRIPTOR_BYTES };
	struct pica_shader *s = r->s;
	uint32_t n_code, n_descriptors;
	int ret = part_header(r, dvlp, "DVLP", DVLP_MIN_BYTES);
	if (ret < 0) {
		return ret;
	}
	const uint8_t *code = table_rows(r, dvlp, &codes, &n_code);
	const uint8_t *descriptors = code ? table_rows(r, dvlp, &descs, &n_descriptors) : NULL;
	if (!descriptors) {
		return -EINVAL;
	}
	if (n_code == 0) {
		return bad(r, dvlp.at + 0x0C, "expected 1 to %d code words, got none",
				PICA_SHADER_CODE_WORDS);
	}
	s->code = malloc(n_code * sizeof(*s->code));
	s->descriptors = malloc((n_descriptors ? n_descriptors : 1) * sizeof(*s->descriptors));
	if (!s->code || !s->descriptors) {
		return -ENOMEM;
	}
	s->n_code = n_code;
	s->n_descriptors = n_descriptors;
	memcpy(s->code, code, n_code * sizeof(*s->code));
	for (uint32_t i = 0; i < n_descriptors; i++) {
		s->descriptors[i] = get32(descriptors + i * DESCRIPTOR_BYTES);
	}
	return 0;
}

static int read_constants(struct reader *r, struct pica_shader_entry *e, struct part dvle) {
	static const struct table table = { "constants", 0x18, PICA_SHADER_MAX_CONSTANTS,
		CONSTANT_BYTES };
	static const struct {
		char letter;
		uint16_t count;
	} files[] = { [PICA_SHADER_BOOL] = { 'b', 16 }, [PICA_SHADER_INT] = { 'i', 4 },
		[PICA_SHADER_FLOAT] = { 'c', 96 } };
	uint32_t n;
	const uint8_t *p = table_rows(r, dvle, &table, &n);
	if (!p) {
		return -EINVAL;
	}
	e->constants = calloc(n ? n : 1, sizeof(*e->constants));
	if (!e->constants) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++, p += CONSTANT_BYTES) {
		struct pica_shader_constant *c = &e->constants[i];
		c->type = get16(p);
		c->reg = get16(p + 2);
		if (c->type > PICA_SHADER_FLOAT) {
			return bad(r, offset_of(r, p),
					"expected a type of constant, 0 to %d, got %u",
					PICA_SHADER_FLOAT, c->type);
		}
		if (c->reg >= files[c->type].count) {
			return bad(r, offset_of(r, p) + 2,
					"expected a constant in %c0 to %c%u, got number %u",
					files[c->type].letter, files[c->type].letter,
					files[c->type].count - 1u, c->reg);
		}
		for (int k = 0; k < 4; k++) {
			if (c->type == PICA_SHADER_FLOAT) {
				c->value[k] = get32(p + 4 + 4 * k) & 0xFFFFFF;
			} else if (c->type == PICA_SHADER_INT) {
				c->value[k] = p[4 + k];
			} else {
				c->value[k] = k == 0 ? get32(p + 4) & 1 : 0;
			}
		}
	}
	e->n_constants = n;
	return 0;
}

static int read_outputs(struct reader *r, struct pica_shader_entry *e, struct part dvle) {
	static const struct table table = { "outputs", 0x28, PICA_SHADER_MAX_OUTPUTS,
		OUTPUT_BYTES };
	uint32_t n;
	const uint8_t *p = table_rows(r, dvle, &table, &n);
	if (!p) {
		return -EINVAL;
	}
	e->output = calloc(n ? n : 1, sizeof(*e->output));
	if (!e->output) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++, p += OUTPUT_BYTES) {
		e->output[i] = (struct pica_shader_output){ get16(p), get16(p + 2), get16(p + 4) };
		if (e->output[i].reg >= 16) {
			return bad(r, offset_of(r, p) + 2,
					"expected an output in o0 to o15, got number %u",
					e->output[i].reg);
		}
		e->output[i].mask &= 15;
	}
	e->n_outputs = n;
	return 0;
}

/* Its name, a copy; row: its row of the table. */
static int read_name(struct reader *r, struct part symbols, const uint8_t *row, char **name) {
	const uint32_t at = get32(row);
	if (at >= symbols.size) {
		return bad(r, offset_of(r, row),
				"expected a name within the %zu bytes of names, got one at %u",
				symbols.size, (unsigned)at);
	}
	size_t most = symbols.size - at;
	most = most < PICA_SHADER_MAX_NAME + 1 ? most : PICA_SHADER_MAX_NAME + 1;
	const uint8_t *end = memchr(symbols.p + at, '\0', most);
	if (!end) {
		return bad(r, symbols.at + at, "expected a name that ends after at most %d bytes",
				PICA_SHADER_MAX_NAME);
	}
	*name = strdup((const char *)symbols.p + at);
	return *name ? 0 : -ENOMEM;
}

static int read_uniforms(struct reader *r, struct pica_shader_entry *e, struct part dvle) {
	static const struct table table = { "uniforms", 0x30, PICA_SHADER_MAX_UNIFORMS,
		UNIFORM_BYTES };
	static const struct table names = { "bytes of names", 0x38, UINT32_MAX, 1 };
	uint32_t n, n_symbols;
	const uint8_t *p = table_rows(r, dvle, &table, &n);
	const uint8_t *symbol = p ? table_rows(r, dvle, &names, &n_symbols) : NULL;
	if (!symbol) {
		return -EINVAL;
	}
	const struct part symbols = { symbol, n_symbols, offset_of(r, symbol) };
	e->uniforms = calloc(n ? n : 1, sizeof(*e->uniforms));
	if (!e->uniforms) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++, p += UNIFORM_BYTES) {
		struct pica_shader_uniform u = { NULL, get16(p + 4), get16(p + 6) };
		if (u.first > u.last || u.last >= PICA_SHADER_REG_END) {
			return bad(r, offset_of(r, p) + 4,
					"expected a uniform in ascending registers from 0x00 to 0x%02X, got 0x%02X to 0x%02X",
					PICA_SHADER_REG_END - 1, u.first, u.last);
		}
		int ret = read_name(r, symbols, p, &u.name);
		if (ret < 0) {
			return ret;
		}
		e->uniforms[e->n_uniforms++] = u;
	}
	return 0;
}

static int check_entry(struct reader *r, const struct pica_shader_entry *e, size_t at) {
	if (e->type > PICA_SHADER_GEOMETRY) {
		return bad(r, at + 0x06, "expected a vertex (0) or a geometry shader (1), got %u",
				e->type);
	}
	if (e->start >= r->s->n_code) {
		return bad(r, at + 0x08, "expected an entry point within the %u code words, got %u",
				(unsigned)r->s->n_code, (unsigned)e->start);
	}
	if (e->type == PICA_SHADER_GEOMETRY && e->gs_mode > PICA_SHADER_GS_FIXED) {
		return bad(r, at + 0x14, "expected a mode of geometry shaders, 0 to %d, got %u",
				PICA_SHADER_GS_FIXED, e->gs_mode);
	}
	if (e->type == PICA_SHADER_GEOMETRY && e->gs_mode == PICA_SHADER_GS_FIXED &&
			e->gs_first >= 96) {
		return bad(r, at + 0x15, "expected an array of vertices from c0 to c95, got c%u",
				e->gs_first);
	}
	return 0;
}

static int read_entry(struct reader *r, struct pica_shader_entry *e, struct part dvle) {
	int ret = part_header(r, dvle, "DVLE", DVLE_BYTES);
	if (ret < 0) {
		return ret;
	}
	const uint8_t *h = dvle.p;
	e->type = h[0x06];
	e->merge_outputs = h[0x07] & 1;
	e->start = get32(h + 0x08);
	e->end = get32(h + 0x0C);
	e->inputs = get16(h + 0x10);
	e->outputs = get16(h + 0x12);
	e->gs_mode = h[0x14];
	e->gs_first = h[0x15];
	e->gs_full = h[0x16];
	e->gs_vertices = h[0x17];
	ret = check_entry(r, e, dvle.at);
	ret = ret < 0 ? ret : read_constants(r, e, dvle);
	ret = ret < 0 ? ret : read_outputs(r, e, dvle);
	return ret < 0 ? ret : read_uniforms(r, e, dvle);
}

static int read_file(struct reader *r) {
	const struct part file = { r->file, r->size, 0 };
	if (file.size < 8 || get32(file.p) != MAGIC_DVLB) {
		return bad(r, 0, "not a .shbin file: %s",
				file.size == 0 ? "it is empty" :
				"expected the bytes \"DVLB\" and a header after them");
	}
	uint32_t n = get32(file.p + 4);
	if (n == 0 || n > PICA_SHADER_MAX_ENTRIES) {
		return bad(r, 4, "expected 1 to %d entries, got %u", PICA_SHADER_MAX_ENTRIES,
				(unsigned)n);
	}
	const uint8_t *offsets = span(file, 8, n, 4);
	if (!offsets) {
		return bad(r, 8, "expected the offsets of %u entries, the file ends at 0x%zX",
				(unsigned)n, file.size);
	}
	const size_t dvlp_at = 8 + 4 * (size_t)n;
	int ret = read_program(r, (struct part){ file.p + dvlp_at, file.size - dvlp_at, dvlp_at });
	if (ret < 0) {
		return ret;
	}
	r->s->entries = calloc(n, sizeof(*r->s->entries));
	if (!r->s->entries) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = get32(offsets + 4 * i);
		if (at > file.size) {
			return bad(r, 8 + 4 * (size_t)i,
					"expected entry %u within the file's 0x%zX bytes, got 0x%X",
					(unsigned)i, file.size, (unsigned)at);
		}
		r->s->n_entries = i + 1; /* partly read ones are destroyed, too */
		ret = read_entry(r, &r->s->entries[i],
				(struct part){ file.p + at, file.size - at, at });
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

PICA_EXPORT int pica_shader_read(struct pica_shader **out, const void *data, size_t size,
		struct pica_shader_error *error) {
	struct reader r = { calloc(1, sizeof(struct pica_shader)), error, data, size };
	if (error) {
		*error = (struct pica_shader_error){ 0 };
	}
	int ret = r.s ? read_file(&r) : -ENOMEM;
	if (error && ret == -ENOMEM) {
		*error = (struct pica_shader_error){ .message = "out of memory" };
	}
	if (ret < 0) {
		pica_shader_destroy(r.s);
		return ret;
	}
	*out = r.s;
	return 0;
}

/* ---- Writing ---- */

/* Bytes go to p if it is not NULL; at counts them either way. */
struct sink {
	uint8_t *p;
	size_t at;
};

static void put_bytes(struct sink *k, const void *data, size_t n) {
	if (k->p && n) {
		memcpy(k->p + k->at, data, n);
	}
	k->at += n;
}

static void put32(struct sink *k, uint32_t v) {
	put_bytes(k, &v, sizeof(v));
}

static void put16(struct sink *k, unsigned v) {
	uint16_t half = (uint16_t)v;
	put_bytes(k, &half, sizeof(half));
}

static void put8(struct sink *k, unsigned v) {
	uint8_t byte = (uint8_t)v;
	put_bytes(k, &byte, sizeof(byte));
}

static void put_program(struct sink *k, const struct pica_shader *s) {
	uint32_t descriptors_at = DVLP_BYTES + s->n_code * 4;
	uint32_t end = descriptors_at + s->n_descriptors * DESCRIPTOR_BYTES;
	const uint32_t header[DVLP_BYTES / 4] = { MAGIC_DVLP, 0, DVLP_BYTES, s->n_code,
		descriptors_at, s->n_descriptors, end };
	put_bytes(k, header, sizeof(header));
	put_bytes(k, s->code, (size_t)s->n_code * 4);
	for (uint32_t i = 0; i < s->n_descriptors; i++) {
		put32(k, s->descriptors[i]);
		put32(k, 0);
	}
}

static void put_constant(struct sink *k, const struct pica_shader_constant *c) {
	put16(k, c->type);
	put16(k, c->reg);
	switch ((enum pica_shader_constant_type)c->type) {
	case PICA_SHADER_FLOAT:
		put_bytes(k, c->value, sizeof(c->value));
		return;
	case PICA_SHADER_INT:
		for (int i = 0; i < 4; i++) {
			put8(k, c->value[i]);
		}
		break;
	case PICA_SHADER_BOOL:
		put32(k, c->value[0]);
		break;
	}
	for (int i = 0; i < 3; i++) {
		put32(k, 0);
	}
}

static void put_entry(struct sink *k, const struct pica_shader_entry *e) {
	uint32_t constants_at = DVLE_BYTES;
	uint32_t outputs_at = constants_at + e->n_constants * CONSTANT_BYTES;
	uint32_t uniforms_at = outputs_at + e->n_outputs * OUTPUT_BYTES;
	uint32_t symbols_at = uniforms_at + e->n_uniforms * UNIFORM_BYTES;
	uint32_t n_symbols = 0;
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		n_symbols += (uint32_t)strlen(e->uniforms[i].name) + 1;
	}
	put32(k, MAGIC_DVLE);
	put16(k, DVLE_VERSION);
	put8(k, e->type);
	put8(k, e->merge_outputs);
	put32(k, e->start);
	put32(k, e->end);
	put16(k, e->inputs);
	put16(k, e->outputs);
	put8(k, e->gs_mode);
	put8(k, e->gs_first);
	put8(k, e->gs_full);
	put8(k, e->gs_vertices);
	const uint32_t tables[] = { constants_at, e->n_constants, outputs_at, 0 /* labels */,
		outputs_at, e->n_outputs, uniforms_at, e->n_uniforms, symbols_at, n_symbols };
	put_bytes(k, tables, sizeof(tables));
	for (uint32_t i = 0; i < e->n_constants; i++) {
		put_constant(k, &e->constants[i]);
	}
	for (uint32_t i = 0; i < e->n_outputs; i++) {
		put16(k, e->output[i].type);
		put16(k, e->output[i].reg);
		put16(k, e->output[i].mask);
		put16(k, 0);
	}
	uint32_t symbol = 0;
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		put32(k, symbol);
		put16(k, e->uniforms[i].first);
		put16(k, e->uniforms[i].last);
		symbol += (uint32_t)strlen(e->uniforms[i].name) + 1;
	}
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		put_bytes(k, e->uniforms[i].name, strlen(e->uniforms[i].name) + 1);
	}
	while (k->at % 4) {
		put8(k, 0);
	}
}

static void put_file(struct sink *k, const struct pica_shader *s, const uint32_t *entry_at) {
	put32(k, MAGIC_DVLB);
	put32(k, s->n_entries);
	put_bytes(k, entry_at, (size_t)s->n_entries * 4);
	put_program(k, s);
	for (uint32_t i = 0; i < s->n_entries; i++) {
		put_entry(k, &s->entries[i]);
	}
}

static bool is_writable(const struct pica_shader *s) {
	if (s->n_entries == 0 || s->n_entries > PICA_SHADER_MAX_ENTRIES ||
			s->n_code > PICA_SHADER_CODE_WORDS ||
			s->n_descriptors > PICA_SHADER_DESCRIPTORS) {
		return false;
	}
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct pica_shader_entry *e = &s->entries[i];
		if (e->n_constants > PICA_SHADER_MAX_CONSTANTS ||
				e->n_outputs > PICA_SHADER_MAX_OUTPUTS ||
				e->n_uniforms > PICA_SHADER_MAX_UNIFORMS) {
			return false;
		}
		for (uint32_t k = 0; k < e->n_constants; k++) {
			if (e->constants[k].type > PICA_SHADER_FLOAT) {
				return false;
			}
		}
		for (uint32_t k = 0; k < e->n_uniforms; k++) {
			if (strlen(e->uniforms[k].name) > PICA_SHADER_MAX_NAME) {
				return false;
			}
		}
	}
	return true;
}

PICA_EXPORT int pica_shader_write(const struct pica_shader *shader, void **data, size_t *size) {
	if (!is_writable(shader)) {
		return -EINVAL;
	}
	uint32_t entry_at[PICA_SHADER_MAX_ENTRIES];
	struct sink count = { NULL, 8 + 4 * (size_t)shader->n_entries };
	put_program(&count, shader);
	for (uint32_t i = 0; i < shader->n_entries; i++) {
		entry_at[i] = (uint32_t)count.at;
		put_entry(&count, &shader->entries[i]);
	}
	struct sink file = { malloc(count.at), 0 };
	if (!file.p) {
		return -ENOMEM;
	}
	put_file(&file, shader, entry_at);
	*data = file.p;
	*size = file.at;
	return 0;
}
