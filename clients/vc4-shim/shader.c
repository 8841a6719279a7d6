/*
 * Finds the uniforms of a QPU program that need an address. [kernel: vc4_validate_shaders.c]
 *
 * A program reads its uniforms as one stream, so counting the reads in code order gives the word of
 * each: one for a uniform named as a source, and one for each write of a parameter to a texture
 * unit. A texture access whose only parameter is s takes a memory address; its base is the uniform
 * named in that instruction.
 *
 * A branch target begins with a write of the uniforms' address, the sum of a constant and a
 * uniform; that uniform is the address of the stream.
 */
#include "impl.h"

#include <errno.h>
#include <stdlib.h>

#include "vc4/qpu/qpu.h"

enum {
	SIG_END = 3, /* two more instructions are executed */
	READ_UNIFORM = 32,
	WRITE_UNIFORMS_ADDRESS = 40,
	WRITE_TMU0_S = 56,
	WRITE_TMU1_S = 60,
};

static bool reads_uniform(const struct qpu_instruction *q) {
	return q->raddr_a == READ_UNIFORM ||
			(q->raddr_b == READ_UNIFORM && q->sig != QPU_SIG_SMALL_IMMEDIATE);
}

static void walk_texture_write(struct shader_plan *p, uint32_t n_parameters[2], uint32_t first[2],
		unsigned waddr) {
	const unsigned tmu = waddr >= WRITE_TMU1_S;
	const bool is_s = waddr == WRITE_TMU0_S || waddr == WRITE_TMU1_S;
	const bool is_direct = is_s && n_parameters[tmu] == 0;
	if (n_parameters[tmu]++ == 0) {
		first[tmu] = p->n_uniforms;
	}
	if (!is_direct) {
		p->n_uniforms++;
	}
	if (is_s) {
		p->samples[p->n_samples++] = first[tmu];
		n_parameters[tmu] = 0;
	}
}

/* samples has two words for each word of code, resets two more than that. */
static int walk(struct shader_plan *p, const uint64_t *code, uint32_t n_words) {
	uint32_t n_parameters[2] = { 0, 0 }, first[2] = { 0, 0 };
	bool needs_reset = false; /* after the end of a loop, before the write of its address */
	uint32_t end = UINT32_MAX;
	for (uint32_t i = 0; i < n_words && i <= end; i++) {
		const struct qpu_instruction q = qpu_decode(code[i]);
		if (q.sig == QPU_SIG_BRANCH) {
			needs_reset |= (int32_t)q.immediate < 0;
			continue;
		}
		for (int is_mul = 0; is_mul < 2; is_mul++) {
			const unsigned waddr = is_mul ? q.waddr_mul : q.waddr_add;
			const bool is_file_b = is_mul != q.ws;
			if (waddr == WRITE_UNIFORMS_ADDRESS && !is_file_b && reads_uniform(&q)) {
				p->resets[p->n_resets++] = p->n_uniforms;
				needs_reset = false;
			} else if (waddr >= WRITE_TMU0_S) {
				walk_texture_write(p, n_parameters, first, waddr);
			}
		}
		p->n_uniforms += reads_uniform(&q);
		if (q.sig == SIG_END) {
			end = i + 2;
		}
	}
	if (end >= n_words) {
		return -EINVAL;
	}
	if (needs_reset) {
		p->resets[p->n_resets++] = p->n_uniforms++;
	}
	return 0;
}

int shader_plan_create(struct shader_plan **out, const uint64_t *code, uint32_t n_words) {
	struct shader_plan *p = calloc(1, sizeof(*p));
	if (!p) {
		return -ENOMEM;
	}
	p->samples = calloc(2 * (size_t)n_words + 2, sizeof(*p->samples));
	p->resets = calloc(2 * (size_t)n_words + 2, sizeof(*p->resets));
	int ret = p->samples && p->resets ? walk(p, code, n_words) : -ENOMEM;
	if (ret < 0) {
		shader_plan_destroy(p);
		return ret;
	}
	*out = p;
	return 0;
}

void shader_plan_destroy(struct shader_plan *p) {
	if (p) {
		free(p->samples);
		free(p->resets);
		free(p);
	}
}
