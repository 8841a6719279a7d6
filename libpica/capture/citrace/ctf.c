/* Reading CiTrace files. Checks are in ctf_check.c, list sizes in ctf_sizes.c. */
#include "capture/citrace/ctf.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/f24.h"
#include "pica/regs/regfile.h"
#include "pica/regs/regs.h"

/* ---- State ---- */

static uint32_t min_u32(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

/* Loads up to n words of an array; the others stay unchanged. Returns the number in the file. */
static uint32_t load_words(
		const struct ctf *c, enum ctf_array array, uint32_t *out, uint32_t n) {
	uint32_t have = min_u32(c->array[array].words, n);
	memcpy(out, c->data + c->array[array].offset, have * sizeof(*out));
	return have;
}

/*
 * x, y, z, w of f24 in the low 24 bits. Recorders of the Citra family leave w uninitialised: a word
 * with a non-zero top byte is not an f24.  [fidelity: citrace]
 */
static void clean_vectors(uint32_t (*v)[4], uint32_t n, uint32_t unknown_w, bool keep_w) {
	for (uint32_t i = 0; i < n; i++) {
		if (!keep_w || v[i][3] >> 24 != 0) {
			v[i][3] = unknown_w;
		}
		for (int k = 0; k < 3; k++) {
			v[i][k] &= 0xFFFFFF;
		}
	}
}

static void load_shader(
		const struct ctf *c, enum ctf_array code, struct pica_shader_state *out) {
	load_words(c, code, out->code, ARRAY_LEN(out->code));
	load_words(c, code + 1, out->operand_descriptors, ARRAY_LEN(out->operand_descriptors));
	uint32_t have = load_words(c, code + 2, &out->uniforms[0][0], ARRAY_LEN(out->uniforms) * 4);
	clean_vectors(out->uniforms, have / 4, 0, true);
}

/*
 * Recorders omit the registers that only the CPU writes; programs find them as set by system
 * software. [fidelity: finalize]
 */
static void set_up_interrupts(uint32_t *regs) {
	if (regs[REG_IRQ_CMP0] || regs[REG_IRQ_MASK_LOW] || regs[REG_IRQ_MASK_HIGH] ||
			regs[REG_IRQ_AUTOSTOP]) {
		return;
	}
	struct regfile reset;
	regfile_init(&reset);
	regs[REG_IRQ_CMP0] = reset.w[REG_IRQ_CMP0];
	regs[REG_IRQ_MASK_LOW] = reset.w[REG_IRQ_MASK_LOW];
	regs[REG_IRQ_MASK_HIGH] = reset.w[REG_IRQ_MASK_HIGH];
	regs[REG_IRQ_AUTOSTOP] = reset.w[REG_IRQ_AUTOSTOP];
}

/* State that the file lacks. */
static uint32_t missing_arrays(const struct ctf *c) {
	static const struct {
		enum ctf_array array;
		uint32_t flag;
	} flags[] = {
		{ CTF_GPU, PICA_CAPTURE_NO_EXTERNAL },
		{ CTF_LCD, PICA_CAPTURE_NO_LCD },
		{ CTF_PICA, PICA_CAPTURE_NO_REGISTERS },
		{ CTF_ATTRIBUTES, PICA_CAPTURE_NO_ATTRIBUTES },
		{ CTF_VS_CODE, PICA_CAPTURE_NO_VERTEX_CODE },
		{ CTF_VS_DESCRIPTORS, PICA_CAPTURE_NO_VERTEX_DESCRIPTORS },
		{ CTF_VS_UNIFORMS, PICA_CAPTURE_NO_VERTEX_UNIFORMS },
		{ CTF_GS_CODE, PICA_CAPTURE_NO_GEOMETRY },
		{ CTF_GS_DESCRIPTORS, PICA_CAPTURE_NO_GEOMETRY },
		{ CTF_GS_UNIFORMS, PICA_CAPTURE_NO_GEOMETRY },
	};
	uint32_t missing = 0;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		missing |= c->array[flags[i].array].words ? 0 : flags[i].flag;
	}
	return missing;
}

static void load_state(struct ctf *c) {
	struct pica_state *s = &c->base.state;
	const bool is_exact = c->base.info.form == PICA_CAPTURE_CTF_BYTES;
	load_words(c, CTF_GPU, s->external, PICA_EXTERNAL_WORDS);
	load_words(c, CTF_LCD, s->lcd, PICA_LCD_WORDS);
	load_words(c, CTF_PICA, s->regs, PICA_REG_COUNT);
	set_up_interrupts(s->regs);
	uint32_t have = load_words(c, CTF_ATTRIBUTES, &s->fixed_attributes[0][0], 16 * 4);
	clean_vectors(s->fixed_attributes, have / 4, f32_to_f24(1.0f), is_exact);
	load_shader(c, CTF_VS_CODE, &s->vs);
	load_shader(c, CTF_GS_CODE, &s->gs);

	const bool has_gs = c->array[CTF_GS_CODE].words || c->array[CTF_GS_DESCRIPTORS].words ||
			c->array[CTF_GS_UNIFORMS].words;
	const bool is_separate = VSH_COM_MODE_SEPARATE(s->regs[REG_VSH_COM_MODE]) ||
			GEOSTAGE_CONFIG_GS(s->regs[REG_GEOSTAGE_CONFIG]) == GEOSTAGE_ON;
	if (!has_gs && !is_separate) {
		s->gs = s->vs; /* uploads reached both units  [fidelity: citrace-replay] */
	}
	c->base.info.missing |= PICA_CAPTURE_NO_MEMORY | PICA_CAPTURE_NO_TABLES;
	c->base.info.missing |= missing_arrays(c);
	c->base.info.missing |= is_exact ? 0 : PICA_CAPTURE_UNKNOWN_W;
	/*
	 * Recorders that write sizes in bytes record all changes of memory, also those by the GPU.
	 */
	c->base.info.missing |= is_exact ? 0 : PICA_CAPTURE_NO_DMA;
	const struct pica_capture_lack empty = { .what = PICA_CAPTURE_EMPTY_LOADS,
		.first = c->empty_load, .count = c->base.info.skipped_empty_loads };
	capture_add_missing(&c->base, &empty);
}

/* ---- Reading ---- */

/* The job of a load or a write, or false if the element is left out. */
static bool make_job(
		const struct ctf *c, const struct ctf_element *e, struct pica_job *job) {
	if (e->type == CTF_LOAD) {
		if (e->size == 0 || !ctf_memory_ok(e->addr, e->size)) {
			return false;
		}
		job->op = PICA_OP_WRITE;
		job->flags = c->base.trust_loads ? 0 : PICA_WRITE_KEEP_RENDERED;
		job->u.write.addr = e->addr;
		job->u.write.size_bytes = e->size;
		job->u.write.data = (uint64_t)(uintptr_t)(c->data + e->data);
		return true;
	}
	if (e->width != CTF_WIDTH_32 || !ctf_register_ok(e->addr)) {
		return false;
	}
	job->op = PICA_OP_REG_WRITE;
	job->u.reg_write.addr = e->addr;
	job->u.reg_write.value = e->value;
	return true;
}

static int next(struct pica_capture *base, struct pica_capture_event *event) {
	struct ctf *c = (struct ctf *)base;
	while (c->next < c->count) {
		uint32_t i = c->next++;
		struct ctf_element e = ctf_element_at(c, i);
		memset(event, 0, sizeof(*event));
		event->frame = c->frame;
		event->offset = ctf_element_offset(c, i);
		if (c->next_size < c->n_sizes && c->sizes[c->next_size].element == i) {
			e.value = c->sizes[c->next_size++].value;
		}
		if (e.type == CTF_FRAME) {
			event->kind = PICA_CAPTURE_FRAME;
			event->job.op = PICA_OP_PRESENT;
			event->job.u.present.screens = 3;
			c->frame++;
			return 1;
		}
		if (make_job(c, &e, &event->job)) {
			event->kind = PICA_CAPTURE_JOB;
			return 1;
		}
	}
	return 0;
}

/* There is one state, at the start. */
static int seek(struct pica_capture *base, uint32_t frame, uint32_t *at) {
	struct ctf *c = (struct ctf *)base;
	c->next = 0;
	c->next_size = 0;
	c->frame = 0;
	*at = 0;
	return 0;
}

/* ---- Opening ---- */

static void finish(struct pica_capture *base) {
	struct ctf *c = (struct ctf *)base;
	free(c->sizes);
	free(c->owned);
}

static const struct capture_form ctf_form = { .next = next, .seek = seek, .finish = finish };

bool ctf_is(const uint8_t *data, uint64_t size) {
	return size >= 4 && capture_u32(data) == CTF_MAGIC;
}

int ctf_open(struct pica_capture **out, const uint8_t *data, uint64_t size, uint8_t *owned,
		const struct capture_source *source, struct pica_capture_error *err) {
	struct ctf *c = calloc(1, sizeof(*c));
	if (!c) {
		return capture_no_memory(source, err);
	}
	c->data = data;
	c->size = size;
	int ret = capture_init(&c->base, &ctf_form, source);
	if (ret < 0) {
		capture_no_memory(source, err);
	} else if (size > UINT32_MAX) {
		ret = capture_fail(&c->base.source, err, -EFBIG, UINT64_MAX,
				"expected at most 4 GiB, which 32-bit offsets can name");
	}
	ret = ret < 0 ? ret : ctf_check(c, err);
	if (ret == 0 && ctf_find_sizes(c) < 0) {
		ret = capture_no_memory(&c->base.source, err);
	}
	if (ret < 0) {
		pica_capture_close(&c->base);
		return ret;
	}
	load_state(c);
	c->owned = owned;
	*out = &c->base;
	return 0;
}
