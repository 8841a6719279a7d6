/* Counts of work by job, and their estimated cost on hardware. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica/front/ctx.h"

/* [fidelity: memory-map] */
enum { VRAM_ADDR = 0x18000000, VRAM_BYTES = 6 << 20 };

static struct billed sums_of(const struct pica200 *ctx) {
	const struct pica_stats *s = &ctx->base.stats;
	const struct exec_stats *e = &ctx->base.exec.stats;
	return (struct billed){ .list_words = s->list_words, .draws = s->draws,
		.vertices = s->vertices, .command_steps = ctx->command_steps,
		.unit_steps = e->steps, .triangles = e->triangles, .pixels = e->fragments };
}

int bill_switch(struct pica200 *ctx, bool on) {
	free(ctx->bills);
	ctx->bills = on ? calloc(1, sizeof(*ctx->bills)) : NULL;
	if (ctx->bills) {
		ctx->bills->sums = sums_of(ctx);
	}
	return on && !ctx->bills ? -ENOMEM : 0;
}

/* NULL: it is not counted. */
static struct pica_job_counts *bill_of(const struct pica200 *ctx, uint64_t seq) {
	const uint64_t i = seq % PICA_COUNTED_JOBS;
	return ctx->bills && ctx->bills->seq[i] == seq ? &ctx->bills->counts[i] : NULL;
}

void bill_begin(struct pica200 *ctx) {
	if (ctx->bills) {
		const uint64_t seq = ctx->base.run.seq, i = seq % PICA_COUNTED_JOBS;
		ctx->bills->seq[i] = seq;
		ctx->bills->counts[i] = (struct pica_job_counts){
			.size = sizeof(struct pica_job_counts)
		};
	}
}

void bill_commands(struct pica200 *ctx) {
	struct pica_job_counts *c = bill_of(ctx, ctx->base.run.seq);
	if (!c) {
		return;
	}
	const struct billed now = sums_of(ctx);
	struct billed *before = &ctx->bills->sums;
	c->list_words += now.list_words - before->list_words;
	c->draws += now.draws - before->draws;
	c->vertices += now.vertices - before->vertices;
	c->shader_steps += now.command_steps - before->command_steps;
	before->list_words = now.list_words;
	before->draws = now.draws;
	before->vertices = now.vertices;
	before->command_steps = now.command_steps;
}

void bill_unit(struct pica200 *ctx, uint64_t job) {
	if (!ctx->bills) {
		return;
	}
	struct pica_job_counts *c = bill_of(ctx, job); /* NULL: cancelled */
	const struct billed now = sums_of(ctx);
	struct billed *before = &ctx->bills->sums;
	if (c) {
		c->shader_steps += now.unit_steps - before->unit_steps;
		c->triangles += now.triangles - before->triangles;
		c->pixels += now.pixels - before->pixels;
	}
	before->unit_steps = now.unit_steps;
	before->triangles = now.triangles;
	before->pixels = now.pixels;
}

void bill_fill(struct pica200 *ctx, uint64_t size_bytes) {
	struct pica_job_counts *c = bill_of(ctx, ctx->base.run.seq);
	if (c) {
		c->filled_bytes += size_bytes;
	}
}

static bool in_vram(uint32_t addr) {
	return addr - VRAM_ADDR < VRAM_BYTES;
}

void bill_move(struct pica200 *ctx, uint32_t src, uint32_t dst, uint64_t size_bytes) {
	struct pica_job_counts *c = bill_of(ctx, ctx->base.run.seq);
	if (c) {
		c->moved_bytes[in_vram(src)][in_vram(dst)] += size_bytes;
	}
}

int bill_find(const struct pica200 *ctx, uint64_t seq, struct pica_job_counts *out) {
	const struct pica_job_counts *c = bill_of(ctx, seq);
	if (!c) {
		return -ENODATA;
	}
	*out = *c;
	return 0;
}

/* ---- The model [fidelity: timing-model] ---- */

PICA_EXPORT void pica_rates_init(struct pica_rates *rates) {
	*rates = (struct pica_rates){
		.job = 1000,
		.list_word = 1024,
		.vertex = 1024,
		.shader_step = 256,  /* four units, an instruction a cycle each */
		.triangle = 13 * 1024, /* 15.3 million a second at 200 MHz */
		.pixel = 256,        /* 800 million a second at 200 MHz */
		.filled_byte = 48,
		/* 450, 3100, 5400 and 5400 MiB a second */
		.moved_byte = { { 582, 84 }, { 48, 48 } },
	};
}

static uint64_t add(uint64_t a, uint64_t b) {
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t price(uint64_t n, uint32_t rate) {
	const uint64_t whole = n / 1024;
	if (rate && whole > UINT64_MAX / rate) {
		return UINT64_MAX;
	}
	return add(whole * rate, n % 1024 * rate / 1024);
}

static uint64_t greater(uint64_t a, uint64_t b) {
	return a > b ? a : b;
}

PICA_EXPORT uint64_t pica_job_cycles(
		const struct pica_job_counts *c, const struct pica_rates *rates) {
	struct pica_rates defaults;
	if (!rates) {
		pica_rates_init(&defaults);
		rates = &defaults;
	}
	const uint64_t vertices = add(price(c->vertices, rates->vertex),
			price(c->shader_steps, rates->shader_step));
	const uint64_t triangles = price(c->triangles, rates->triangle);
	uint64_t sum = add(rates->job, price(c->list_words, rates->list_word));
	sum = add(sum, greater(greater(vertices, triangles), price(c->pixels, rates->pixel)));
	sum = add(sum, price(c->filled_bytes, rates->filled_byte));
	for (unsigned from = 0; from < 2; from++) {
		for (unsigned to = 0; to < 2; to++) {
			sum = add(sum, price(c->moved_bytes[from][to],
						      rates->moved_byte[from][to]));
		}
	}
	return sum;
}
