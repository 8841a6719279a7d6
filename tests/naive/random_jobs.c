/* Groups of draws that each change a part of the state, with fills, transfers, copies and writes
 * between them. */
#include "random.h"

#include "core/base/attributes.h"

static uint32_t round_to(uint32_t x, uint32_t to) {
	return (x + to - 1) / to * to;
}

static void push_job(const struct gen *gen, struct group *g, const struct pica_job *job) {
	g->item[g->n_items++] = (struct item){.job = *job, .target = gen->target};
}

/* ---- Ranges that jobs may read and write: targets, textures, never lists and vertices ---- */

static uint32_t random_place(struct gen *gen, uint32_t bytes) {
	struct rng *r = &gen->r;
	if (gen->n_recent > 0 && rng_chance(r, 50)) {
		const unsigned n = gen->n_recent < ARRAY_LEN(gen->recent) ? gen->n_recent :
				ARRAY_LEN(gen->recent);
		const uint32_t addr = gen->recent[rng_below(r, n)].addr;
		if (addr + bytes <= WIN_VRAM + WIN_BYTES) {
			return addr;
		}
	}
	const bool vram = rng_chance(r, 60);
	const uint32_t area = vram ? WIN_VRAM : TEXTURE_AREA;
	const uint32_t size = vram ? WIN_BYTES : TEXTURE_AREA_BYTES;
	return area + rng_below(r, (size - bytes) / 16 + 1) * 16;
}

/* A place that does not touch the other range. */
static uint32_t random_place_beside(struct gen *gen, uint32_t bytes, struct range other) {
	for (;;) {
		const uint32_t addr = random_place(gen, bytes);
		if (!ranges_overlap((struct range){addr, bytes}, other)) {
			return addr;
		}
	}
}

/* ---- Jobs ---- */

static void random_fill(struct gen *gen, struct group *g) {
	static const uint32_t clear[] = { 0, 0xFFFFFFFF, 0x00FFFFFF, 0x007FFFFF, 0x00800000,
		0x01000000 };
	struct rng *r = &gen->r;
	struct pica_job job = {.op = PICA_OP_FILL};
	struct range to = rng_chance(r, 50) ? gen->target.depth : gen->target.color;
	if (rng_chance(r, 30)) {
		to.bytes = 16 * (1 + rng_below(r, 512));
		to.addr = random_place(gen, to.bytes);
	}
	if (to.bytes > 0x8000) {
		to.bytes = 0x8000;
	}
	job.u.fill.start = to.addr;
	job.u.fill.end = to.addr + round_to(to.bytes, 16);
	job.u.fill.value = rng_chance(r, 70) ? clear[rng_below(r, ARRAY_LEN(clear))] : rng_word(r);
	job.u.fill.control = 1 | rng_below(r, 4) << 8;
	job.u.fill.unit = rng_below(r, 2);
	push_job(gen, g, &job);
}

static void random_transfer(struct gen *gen, struct group *g) {
	static const uint8_t bytes[5] = {4, 3, 2, 2, 2};
	struct rng *r = &gen->r;
	struct pica_job job = {.op = PICA_OP_TRANSFER};
	const bool flip = rng_chance(r, 40), from_linear = rng_chance(r, 30),
		   crop = rng_chance(r, 30);
	const bool keep = rng_chance(r, 20), block32 = rng_chance(r, 15);
	const uint32_t in = rng_below(r, 5), out = rng_chance(r, 50) ? in : rng_below(r, 5);
	/* Flipping, cropping and scaling together is undefined; 3 is not a scale. */
	const uint32_t scale = flip && crop ? 0 : rng_chance(r, 50) ? 0 : rng_below(r, 3);
	const uint32_t w = 16 * (1 + rng_below(r, 6)), h = 16 * (1 + rng_below(r, 6));
	const uint32_t in_w = crop ? w + 8 * rng_below(r, 6) : w;
	const uint32_t src_bytes = round_to(in_w, 32) * round_to(h, 32) * bytes[in];
	const uint32_t dst_bytes = round_to(in_w, 32) * round_to(h, 32) * bytes[out];
	job.u.transfer.src = random_place(gen, src_bytes);
	job.u.transfer.dst = random_place_beside(gen, dst_bytes,
			(struct range){job.u.transfer.src, src_bytes});
	/* The low three bits of the output's sides have no effect. */
	job.u.transfer.out_dim = (w | (rng_chance(r, 10) ? rng_below(r, 8) : 0)) |
			(h | (rng_chance(r, 10) ? rng_below(r, 8) : 0)) << 16;
	job.u.transfer.in_dim = in_w | rng_below(r, 1024) << 16;
	job.u.transfer.flags = (uint32_t)flip | (uint32_t)from_linear << 1 | (uint32_t)crop << 2 |
			       (uint32_t)keep << 5 | in << 8 | out << 12 | (uint32_t)block32 << 16 |
			       scale << 24;
	push_job(gen, g, &job);
}

static uint32_t copy_extent(uint32_t total, uint32_t dim) {
	const uint32_t line = (dim & 0xFFFF) * 16, gap = (dim >> 16) * 16;
	return gap == 0 ? total : (total / line + 1) * (line + gap);
}

static void random_copy(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	struct pica_job job = {.op = PICA_OP_COPY};
	const uint32_t total = 16 * (1 + rng_below(r, 256));
	uint32_t dim[2];
	for (unsigned i = 0; i < 2; i++) {
		dim[i] = (1 + rng_below(r, 32)) | (rng_chance(r, 50) ? rng_below(r, 16) : 0) << 16;
	}
	const uint32_t from = copy_extent(total, dim[0]), to = copy_extent(total, dim[1]);
	job.u.copy.src = random_place(gen, from);
	job.u.copy.dst = random_place_beside(gen, to, (struct range){job.u.copy.src, from});
	job.u.copy.size_bytes = total + (rng_chance(r, 10) ? rng_below(r, 16) : 0);
	job.u.copy.in_line = dim[0];
	job.u.copy.out_line = dim[1];
	push_job(gen, g, &job);
}

static void random_write(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	struct pica_job job = {.op = PICA_OP_WRITE};
	const uint32_t bytes = 1 + rng_below(r, 2048);
	if (g->n_data + bytes > GROUP_MAX_DATA) {
		return;
	}
	rng_bytes(r, g->data + g->n_data, bytes);
	job.u.write.addr = random_place(gen, bytes + 16) + rng_below(r, 16);
	if (rng_chance(r, 50) && gen->tex[0].bytes > bytes && gen->tex[0].addr >= WIN_VRAM) {
		job.u.write.addr = gen->tex[0].addr + rng_below(r, gen->tex[0].bytes - bytes);
	}
	job.u.write.size_bytes = bytes;
	job.u.write.data = (uint64_t)(uintptr_t)(g->data + g->n_data);
	g->n_data += bytes;
	push_job(gen, g, &job);
}

static void random_job(struct gen *gen, struct group *g) {
	const unsigned kind = rng_below(&gen->r, 100);
	if (kind < 40) {
		random_fill(gen, g);
	} else if (kind < 65) {
		random_transfer(gen, g);
	} else if (kind < 80) {
		random_copy(gen, g);
	} else if (kind < 95) {
		random_write(gen, g);
	} else {
		push_job(gen, g, &(struct pica_job){.op = PICA_OP_BARRIER});
	}
}

/* ---- Draws ---- */

static void random_draw(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const uint32_t first = g->n_words;
	const bool all = gen->is_fresh;
	const bool new_target = all || rng_chance(r, 20);
	if (new_target) {
		random_target(gen, g);
	}
	if (new_target || rng_chance(r, 20)) {
		random_raster(gen, g);
	}
	if (all || rng_chance(r, 30)) {
		random_textures(gen, g);
	}
	if (all || rng_chance(r, 15)) {
		random_proctex(gen, g);
	}
	if (all || rng_chance(r, 25)) {
		random_light(gen, g);
	}
	if (all || rng_chance(r, 35)) {
		random_combiner(gen, g);
	}
	if (all || rng_chance(r, 35)) {
		random_output(gen, g);
	}
	if (all || rng_chance(r, 25)) {
		random_fog(gen, g);
		random_shadow(gen, g);
		random_gas(gen, g);
	}
	if (all || rng_chance(r, 30)) {
		random_vertex_stage(gen, g);
	} else if (rng_chance(r, 20)) {
		random_uniforms(gen, g);
	}
	if (rng_chance(r, 25)) {
		random_ignored(gen, g);
	}
	random_trigger(gen, g);
	gen->is_fresh = false;
	g->item[g->n_items++] = (struct item){
		.is_draw = true,
		.draw = gen->next_draw++,
		.first_word = first,
		.n_words = g->n_words - first,
		.target = gen->target,
	};
}

void random_group(struct gen *gen, struct group *g, unsigned draws) {
	group_reset(g);
	gen->can_repeat = false; /* the vertices of the last group are about to be overwritten */
	g->n_items = 1;          /* the job that writes the vertices */
	for (unsigned i = 0; i < draws; i++) {
		if (!gen->is_fresh && rng_chance(&gen->r, 30)) {
			random_job(gen, g);
		}
		random_draw(gen, g);
	}
	struct pica_job job = { .op = PICA_OP_WRITE,
		.u.write = { .addr = VERTEX_AREA, .size_bytes = g->n_vertices,
			.data = (uint64_t)(uintptr_t)g->vertices } };
	if (g->n_vertices == 0) {
		job = (struct pica_job){.op = PICA_OP_BARRIER};
	}
	g->item[0] = (struct item){.job = job};
}
