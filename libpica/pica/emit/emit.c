/* The list itself: words, entries, names. */
#include "pica/emit/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* Request bytes 0-3, which FINALIZE compares with. [fidelity: finalize] */
#define FINALIZE_VALUE 0x12345678u

enum { FIRST_CAPACITY = 1024 };

/* Keeps the first error. */
static void emit_fail(struct pica_emit *e, int error) {
	if (!e->error) {
		e->error = error;
	}
}

bool emit_refuse(struct pica_emit *e, bool is_invalid) {
	if (is_invalid) {
		emit_fail(e, -EINVAL);
	}
	return is_invalid;
}

/* Room for n more words at e->words + e->count, or NULL and an error. */
static uint32_t *reserve(struct pica_emit *e, size_t n) {
	if (e->error) {
		return NULL;
	}
	if (n <= e->capacity - e->count) {
		return e->words + e->count;
	}
	if (e->is_fixed) {
		emit_fail(e, -ENOSPC);
		return NULL;
	}
	size_t capacity = e->capacity ? e->capacity : FIRST_CAPACITY;
	while (capacity - e->count < n) {
		if (capacity > SIZE_MAX / 2 / sizeof(*e->words)) {
			emit_fail(e, -ENOMEM);
			return NULL;
		}
		capacity *= 2;
	}
	uint32_t *words = realloc(e->words, capacity * sizeof(*words));
	if (!words) {
		emit_fail(e, -ENOMEM);
		return NULL;
	}
	e->words = words;
	e->capacity = capacity;
	return words + e->count;
}

/* Appends one entry of 1..256 words completely, or sets the error. */
static void emit_entry(struct pica_emit *e, uint32_t id, uint32_t mask, int consecutive,
		const uint32_t *values, size_t n) {
	if (emit_refuse(e, id > 0xFFFF || mask > 0xF)) {
		return;
	}
	/* First parameter, header, the others, a padding word: [fidelity: command-list]. */
	size_t extra = n - 1;
	uint32_t *w = reserve(e, 2 + extra + (extra & 1));
	if (!w) {
		return;
	}
	w[0] = values[0];
	w[1] = id | mask << 16 | (uint32_t)extra << 20 | (consecutive ? 0x80000000u : 0);
	memcpy(w + 2, values + 1, extra * sizeof(*values));
	if (extra & 1) {
		w[2 + extra] = 0;
	}
	e->count += 2 + extra + (extra & 1);
}

void emit_fifo_chunks(struct pica_emit *e, uint32_t id, const uint32_t *values, size_t n,
		size_t chunk) {
	for (size_t i = 0; i < n && !e->error; i += chunk) {
		emit_entry(e, id, 0xF, 0, values + i, n - i < chunk ? n - i : chunk);
	}
}

PICA_EXPORT void pica_emit_init(struct pica_emit *e) {
	memset(e, 0, sizeof(*e));
}

PICA_EXPORT void pica_emit_init_fixed(struct pica_emit *e, uint32_t *words, size_t capacity) {
	memset(e, 0, sizeof(*e));
	e->words = words;
	e->capacity = capacity;
	e->is_fixed = true;
}

PICA_EXPORT void pica_emit_finish(struct pica_emit *e) {
	if (!e) {
		return;
	}
	if (!e->is_fixed) {
		free(e->words);
	}
	memset(e, 0, sizeof(*e));
}

PICA_EXPORT void pica_emit_reset(struct pica_emit *e) {
	e->count = 0;
	e->error = 0;
}

PICA_EXPORT int pica_emit_error(const struct pica_emit *e) {
	return e->error;
}

/*
 * The last entry of a list must end at a multiple of 16 bytes. If it does not, the entry that ends
 * the list is written twice; the second one is never reached. [fidelity: finalize]
 */
static int end_list(struct pica_emit *e, uint32_t id, uint32_t value) {
	pica_emit_reg(e, id, value);
	if (e->count & 3) {
		pica_emit_reg(e, id, value);
	}
	return e->error;
}

PICA_EXPORT int pica_emit_finalize(struct pica_emit *e) {
	return end_list(e, REG_FINALIZE, FINALIZE_VALUE);
}

PICA_EXPORT int pica_emit_jump(struct pica_emit *e, unsigned channel, uint32_t addr,
		uint32_t size_bytes) {
	uint32_t size_word = size_bytes >> 3, addr_word = addr >> 3;
	emit_refuse(e, channel > 1 || reg_addr16(addr_word) != addr ||
			reg_cmdbuf_bytes(size_word) != size_bytes || !size_bytes);
	pica_emit_reg(e, REG_CMDBUF_SIZE0 + channel, size_word);
	pica_emit_reg(e, REG_CMDBUF_ADDR0 + channel, addr_word);
	return end_list(e, REG_CMDBUF_JUMP0 + channel, 1);
}

PICA_EXPORT void pica_emit_reg(struct pica_emit *e, uint32_t id, uint32_t value) {
	emit_entry(e, id, 0xF, 0, &value, 1);
}

PICA_EXPORT void pica_emit_reg_masked(struct pica_emit *e, uint32_t id, uint32_t value,
		uint32_t mask) {
	emit_entry(e, id, mask, 0, &value, 1);
}

PICA_EXPORT void pica_emit_burst(struct pica_emit *e, uint32_t id, const uint32_t *values,
		size_t n) {
	if (emit_refuse(e, n > 0x10000 || id + n > 0x10000)) {
		return;
	}
	for (size_t i = 0; i < n && !e->error; i += EMIT_MAX_WORDS) {
		emit_entry(e, id + (uint32_t)i, 0xF, 1, values + i,
				n - i < EMIT_MAX_WORDS ? n - i : EMIT_MAX_WORDS);
	}
}

PICA_EXPORT void pica_emit_fifo(struct pica_emit *e, uint32_t id, const uint32_t *values,
		size_t n) {
	emit_fifo_chunks(e, id, values, n, EMIT_MAX_WORDS);
}

PICA_EXPORT void pica_emit_words(struct pica_emit *e, const uint32_t *words, size_t n) {
	if (emit_refuse(e, n & 1)) {
		return;
	}
	uint32_t *w = n ? reserve(e, n) : NULL;
	if (w) {
		memcpy(w, words, n * sizeof(*words));
		e->count += n;
	}
}

PICA_EXPORT void pica_emit_named(struct pica_emit *e, const char *reg, const char *fields) {
	int id = reg_find(reg);
	uint32_t word = 0;
	int ret = id < 0 ? id : reg_parse((uint32_t)id, fields, &word);
	if (ret < 0) {
		emit_fail(e, ret);
		return;
	}
	pica_emit_reg(e, (uint32_t)id, word);
}

PICA_EXPORT int pica_reg_id(const char *reg) {
	return reg_find(reg);
}

PICA_EXPORT const char *pica_reg_name(uint32_t id) {
	return reg_name(id);
}

PICA_EXPORT int pica_reg_set_fields(uint32_t id, const char *fields, uint32_t *word) {
	return reg_parse(id, fields, word);
}

PICA_EXPORT size_t pica_reg_describe(uint32_t id, uint32_t word, char *buf, size_t size) {
	return reg_dump(id, word, buf, size);
}

PICA_EXPORT uint32_t pica_f16(float value) {
	return f32_to_f16(value);
}

PICA_EXPORT uint32_t pica_f20(float value) {
	return f32_to_f20(value);
}

PICA_EXPORT uint32_t pica_f24(float value) {
	return f32_to_f24(value);
}

PICA_EXPORT uint32_t pica_f31(float value) {
	return f32_to_f31(value);
}
