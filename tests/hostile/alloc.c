/*
 * Out of memory: for every k, the k-th allocation of a small scenario fails, or all from the k-th
 * on. Each run must end, with -ENOMEM or with correct pictures, and leak nothing (which the address
 * sanitizer checks). A frame that was drawn before must allocate nothing.
 */
#include <limits.h>

#include "pica.h"
#include "tests/kth.h"
#include "tests/pass.h"

WRAP_ALLOCATIONS
WRAP_MMAP(mmap)
WRAP_MMAP(mmap64)
WRAP_EVENTFD(ENOMEM)
WRAP_THREADS

/* ---- The scenario ---- */

enum {
	VRAM = 0x18000000,
	VRAM_BYTES = 0x100000,
	COLOR = VRAM,
	DEPTH = VRAM + 0x10000,
	OTHER = VRAM + 0x20000,
	TEXTURE = VRAM + 0x40000,
	FCRAM = 0x20000000,
	FCRAM_BYTES = 0x100000,
	VERTICES = FCRAM,
	LISTS = FCRAM + 0x80000,
	LIST_BYTES = 0x10000,
	N_LISTS = 5,
	SIDE = 64,
};

static struct pica_emit list[N_LISTS];
static uint8_t *memory; /* of both windows, to look at afterwards */

static void emit_target(struct pica_emit *e, uint32_t color, bool depth) {
	const struct pica_framebuffer fb = { .color_addr = color,
		.depth_addr = depth ? DEPTH : 0,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = SIDE,
		.height = SIDE };
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, SIDE, SIDE);
	pica_emit_depth_test(e, depth, PICA_COMPARE_ALWAYS, depth, 15);
}

static void emit_state(struct pica_emit *e) {
	emit_pass(e, VERTICES, PICA_OUTPUT_COLOR, 15);
	emit_target(e, COLOR, true);
}

static void emit_texture(struct pica_emit *e, unsigned unit, uint32_t addr, uint32_t max_level) {
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 },
		{ PICA_OUTPUT_TEXCOORD1, 1, 12 },
	};
	const struct pica_texture t = { .addr = addr,
		.width = SIDE,
		.height = SIDE,
		.format = PICA_TEXTURE_FORMAT_RGBA8,
		.min = PICA_FILTER_LINEAR,
		.mip = PICA_FILTER_LINEAR,
		.max_level = max_level };
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0 + unit;
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 3);
	pica_emit_texture(e, unit, &t);
	pica_emit_texture_units(e, 1u << unit, 0, false);
	pica_emit_tev(e, 0, &tev);
}

/* Several passes, textures with levels, the target as a texture, many clipped triangles. */
static void make_drawing(struct pica_emit *e) {
	emit_state(e);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_STRIP, 0, 2000);
	pica_emit_draw_elements(e, PICA_PRIMITIVE_FAN, 0x8000, true, 300);
	emit_target(e, OTHER, false);
	emit_texture(e, 0, TEXTURE, 3);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 100);
	emit_texture(e, 1, OTHER, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 3, 99);
	/* Textures and targets that extend beyond memory, and colour over depth. */
	emit_target(e, VRAM + VRAM_BYTES - 0x1000, false);
	emit_texture(e, 0, VRAM + VRAM_BYTES - 0x2000, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 12);
	emit_target(e, DEPTH + 0x1000, true);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 12);
}

/* Unit 0 by its faces, one of which is the target, one at address 0, one beyond memory. */
static void emit_cube(struct pica_emit *e, uint32_t type, uint32_t max_level) {
	const struct pica_texture t = { .addr = TEXTURE,
		.width = SIDE,
		.height = SIDE,
		.type = type,
		.faces = { TEXTURE + 0x8000, OTHER, TEXTURE, VRAM, VRAM + VRAM_BYTES - 64 },
		.format = PICA_TEXTURE_FORMAT_RGBA8,
		.min = PICA_FILTER_LINEAR,
		.mip = PICA_FILTER_LINEAR,
		.max_level = max_level };
	pica_emit_texture(e, 0, &t);
	pica_emit_texture_units(e, 1, 0, false);
}

static void make_cubes(struct pica_emit *e) {
	emit_state(e);
	emit_texture(e, 0, TEXTURE, 0); /* combiner and coordinates */
	emit_target(e, OTHER, false);
	emit_cube(e, PICA_TEXTURE_TYPE_CUBE, 3);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 60);
	emit_cube(e, PICA_TEXTURE_TYPE_SHADOW_CUBE, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 3, 60);
	emit_target(e, VRAM + 0x40000, false);
	emit_cube(e, PICA_TEXTURE_TYPE_CUBE, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 6, 60);
}

static void make_geometry(struct pica_emit *e) {
	/*
	 * setemit 0; mov o0, v0; mov o1, v1; emit; setemit 1; mov o0, v2; emit; setemit 2, prim;
	 * mov o0, v4; emit; end
	 */
	static const uint32_t code[] = { 0xAC000000, 0x4C000000, 0x4C201000, 0xA8000000, 0xAD000000,
		0x4C002000, 0xA8000000, 0xAE800000, 0x4C004000, 0xA8000000, 0x88000000 };
	static const uint32_t descriptor[] = { 0x36F };
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 },
	};
	const struct pica_geometry g = { .mode = PICA_GS_MODE_POINT, .inputs = 6, .vs_outputs = 2 };
	emit_state(e);
	pica_emit_geometry(e, &g);
	pica_emit_vs_output_mask(e, 3);
	pica_emit_outputs(e, PICA_UNIT_GS, outputs, 2);
	pica_emit_code(e, PICA_UNIT_GS, 0, code, sizeof(code) / 4);
	pica_emit_operand_descriptors(e, PICA_UNIT_GS, 0, descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_GS, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_GEOMETRY, 0, 300);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_GEOMETRY, 300, 5);
}

static void make_immediate(struct pica_emit *e) {
	const float v[6][4] = { { -1, -1, -0.5f, 1 }, { 1, 0, 0, 1 }, { 1, -1, -0.5f, 1 },
		{ 0, 1, 0, 1 }, { -1, 1, -0.5f, 1 }, { 0, 0, 1, 1 } };
	emit_state(e);
	pica_emit_inputs(e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(e, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(e, v[0], 6);
	pica_emit_immediate_end(e);
	/* Vertices that stay in the assembler. */
	pica_emit_reg(e, PICA_REG_NUMVERTICES, 2);
	pica_emit_reg(e, PICA_REG_DRAWARRAYS, 1);
	emit_target(e, OTHER, false);
	pica_emit_reg(e, PICA_REG_NUMVERTICES, 4);
	pica_emit_reg(e, PICA_REG_DRAWARRAYS, 1);
}

static bool make_lists(void) {
	make_drawing(&list[0]);
	make_geometry(&list[1]);
	make_immediate(&list[2]);
	make_cubes(&list[3]);
	make_immediate(&list[4]); /* as register writes */
	for (unsigned i = 0; i < N_LISTS; i++) {
		if (pica_emit_finalize(&list[i]) < 0 || 4 * list[i].count > LIST_BYTES) {
			return false;
		}
	}
	return true;
}

static void fill_memory(uint8_t *fcram) {
	for (unsigned i = 0; i < 2048; i++) {
		float v[8] = { (float)(i * 37 % 64) / 24 - 1.33f, (float)(i * 91 % 64) / 24 - 1.33f,
			-0.5f, 1, (float)(i % 8) / 8, (float)(i % 16) / 16, 0.5f, 1 };
		uint16_t index = (uint16_t)(i % 100);
		memcpy(fcram + 32 * i, v, sizeof(v));
		if (i < 512) {
			memcpy(fcram + 0x8000 + 2 * i, &index, sizeof(index));
		}
	}
	for (unsigned i = 0; i < N_LISTS; i++) {
		memcpy(fcram + LISTS - FCRAM + LIST_BYTES * i, list[i].words, 4 * list[i].count);
	}
}

/* The results of a run. */
struct outcome {
	bool refused; /* a call or job reported -ENOMEM */
	bool wrong;   /* or another, unexpected error */
};

static void look(struct outcome *o, int ret) {
	o->refused |= ret == -ENOMEM || ret == -EAGAIN;
	o->wrong |= ret < 0 && ret != -ENOMEM && ret != -EAGAIN;
}

static void submit(struct pica_ctx *ctx, struct outcome *o, const struct pica_job *jobs, size_t n) {
	look(o, pica_submit(ctx, jobs, n, NULL));
}

static void register_writes(struct pica_ctx *ctx, struct outcome *o, const struct pica_emit *e) {
	for (size_t i = 0; i + 1 < e->count;) {
		uint32_t value = e->words[i], header = e->words[i + 1];
		uint32_t id = header & 0xFFFF, mask = header >> 16 & 15, n = header >> 20 & 0xFF;
		i += 2;
		for (uint32_t k = 0;; k++) {
			if (mask && id < PICA_REG_COUNT) {
				look(o, pica_ctx_write_reg(ctx, id, value, mask, NULL));
			}
			if (k == n) {
				break;
			}
			id += header >> 31;
			value = e->words[i++];
		}
		i = (i + 1) & ~(size_t)1;
	}
}

static void copy_engines(struct pica_ctx *ctx, struct outcome *o) {
	struct pica_job jobs[4];
	memset(jobs, 0, sizeof(jobs));
	jobs[0].op = PICA_OP_TRANSFER;
	jobs[0].u.transfer.src = COLOR;
	jobs[0].u.transfer.dst = VRAM + 0x60000;
	jobs[0].u.transfer.out_dim = jobs[0].u.transfer.in_dim = SIDE << 16 | SIDE;
	jobs[1].op = PICA_OP_COPY;
	jobs[1].u.copy.src = VRAM + 0x60000;
	jobs[1].u.copy.dst = VRAM + 0x70000;
	jobs[1].u.copy.size_bytes = 0x4000;
	jobs[2].op = PICA_OP_FILL;
	jobs[2].u.fill.start = VRAM + 0x80000;
	jobs[2].u.fill.end = VRAM + 0x81000;
	jobs[2].u.fill.value = 0x12345678;
	jobs[3].op = PICA_OP_PRESENT;
	submit(ctx, o, jobs, 4);
}

static void use_context(struct pica_ctx *ctx, struct outcome *o) {
	struct pica_done done;
	struct pica_job job = { .op = PICA_OP_LIST };
	uint8_t *fcram = pica_ctx_host(ctx, FCRAM, FCRAM_BYTES);
	uint8_t *vram = pica_ctx_host(ctx, VRAM, VRAM_BYTES);
	memset(memory, 0, VRAM_BYTES);
	fill_memory(fcram);
	for (unsigned i = 0; i < N_LISTS - 1; i++) {
		job.u.list.addr = LISTS + LIST_BYTES * i;
		job.u.list.size_bytes = (uint32_t)(4 * list[i].count);
		submit(ctx, o, &job, 1);
		copy_engines(ctx, o);
	}
	register_writes(ctx, o, &list[N_LISTS - 1]);
	/* More than the first ring of slots holds. */
	struct pica_job many[100];
	memset(many, 0, sizeof(many));
	for (unsigned i = 0; i < 100; i++) {
		many[i].op = PICA_OP_BARRIER;
	}
	submit(ctx, o, many, 100);
	struct pica_stats stats = { .size = sizeof(stats) };
	look(o, pica_stats(ctx, &stats));
	while (pica_reap(ctx, &done, 1) > 0) {
		look(o, done.result);
	}
	memcpy(memory, vram, VRAM_BYTES);
}

static struct outcome scenario(unsigned threads) {
	struct pica_settings settings;
	struct pica_ctx_settings c;
	struct pica_device *device;
	struct pica_ctx *ctx;
	struct outcome o = { false, false };
	pica_settings_init(&settings);
	settings.n_threads = threads;
	settings.texture_cache_bytes = 40000;
	pica_ctx_settings_init(&c);
	c.vram_bytes = VRAM_BYTES;
	c.fcram_bytes = FCRAM_BYTES;
	int ret = pica_device_create(&device, &settings);
	look(&o, ret);
	if (ret < 0) {
		return o;
	}
	ret = pica_ctx_create(&ctx, device, &c);
	look(&o, ret);
	if (ret == 0) {
		use_context(ctx, &o);
		pica_ctx_destroy(ctx);
	}
	pica_device_destroy(device);
	return o;
}

/* ---- Runs ---- */

static struct outcome run(unsigned threads, enum failures how, unsigned at) {
	kth_begin(how, at);
	struct outcome o = scenario(threads);
	kth_end();
	return o;
}

/* ---- Frames that were drawn before ---- */

enum { FRAMES = 4, MANY_DRAWS = 400, FRAME_LIST = LISTS + LIST_BYTES * N_LISTS };

/* Draws with two states in turn, so that all parts of a draw change each time. */
static bool make_frame(struct pica_emit *e, unsigned draws) {
	emit_state(e);
	emit_texture(e, 0, TEXTURE, 3);
	for (unsigned i = 0; i < draws; i++) {
		emit_target(e, COLOR, i & 1);
		emit_texture(e, 0, i & 1 ? TEXTURE : TEXTURE + 0x8000, i & 1 ? 3 : 0);
		pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 3 * i, 3 + i % 4 * 3);
	}
	return pica_emit_finalize(e) >= 0 && 4 * e->count <= FCRAM + FCRAM_BYTES - FRAME_LIST;
}

/* Returns the allocations of all frames but the first; UINT_MAX: a failure. */
static unsigned count_in_later_frames(unsigned threads, unsigned draws) {
	struct pica_settings settings;
	struct pica_ctx_settings c;
	struct pica_device *device;
	struct pica_ctx *ctx;
	struct pica_emit e;
	struct pica_job job = { .op = PICA_OP_LIST, .u.list.addr = FRAME_LIST };
	struct pica_stats stats = { .size = sizeof(stats) };
	bool ok = make_frame(&e, draws);
	pica_settings_init(&settings);
	settings.n_threads = threads;
	pica_ctx_settings_init(&c);
	c.vram_bytes = VRAM_BYTES;
	c.fcram_bytes = FCRAM_BYTES;
	if (!ok || pica_device_create(&device, &settings) < 0 ||
			pica_ctx_create(&ctx, device, &c) < 0) {
		return UINT_MAX;
	}
	uint8_t *fcram = pica_ctx_host(ctx, FCRAM, FCRAM_BYTES);
	fill_memory(fcram);
	memcpy(fcram + FRAME_LIST - FCRAM, e.words, 4 * e.count);
	job.u.list.size_bytes = (uint32_t)(4 * e.count);
	mode = FAIL_NONE;
	atomic_store(&calls, 0);
	for (unsigned i = 0; i < FRAMES && ok; i++) {
		struct pica_done done = { .result = -1 };
		uint64_t seq;
		ok = pica_submit(ctx, &job, 1, &seq) == 0 && pica_wait(ctx, seq, -1) == 0 &&
				pica_reap(ctx, &done, 1) == 1 && done.result == 0;
		atomic_store(&armed, ok);
	}
	atomic_store(&armed, false);
	ok &= pica_stats(ctx, &stats) == 0 && stats.draws == (uint64_t)FRAMES * draws;
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	pica_emit_finish(&e);
	return ok ? atomic_load(&calls) : UINT_MAX;
}

static unsigned check_later_frames(void) {
	unsigned bad = 0;
	for (unsigned threads = 0; threads < 3; threads += 2) {
		for (unsigned draws = 10; draws <= MANY_DRAWS; draws *= 40) {
			const unsigned n = count_in_later_frames(threads, draws);
			if (n != 0) {
				printf("%u threads, %u draws: %u allocations in frames that were drawn before\n",
						threads, draws, n);
				bad++;
			}
		}
	}
	return bad;
}

int main(void) {
	static uint8_t expect[VRAM_BYTES];
	unsigned bad = 0;
	memory = calloc(1, VRAM_BYTES);
	if (!memory || !make_lists()) {
		return 2;
	}
	for (unsigned threads = 0; threads < 2; threads++) {
		struct outcome o = run(threads, FAIL_NONE, 0);
		unsigned n = atomic_load(&calls);
		if (o.refused || o.wrong) {
			printf("%u threads: fails without failures\n", threads);
			return 1;
		}
		if (threads == 0) {
			unsigned drawn = 0;
			memcpy(expect, memory, VRAM_BYTES);
			for (unsigned i = 0; i < VRAM_BYTES; i++) {
				drawn += memory[i] != 0;
			}
			if (drawn < 20000) {
				printf("hardly anything is drawn: %u bytes\n", drawn);
				return 1;
			}
		}
		bad += memcmp(expect, memory, VRAM_BYTES) != 0;
		unsigned refusals = 0, runs = 0;
		for (enum failures how = FAIL_ONE; how <= FAIL_FROM; how++) {
			/* A few more than there were: with threads their number varies. */
			for (unsigned at = 0; at < n + 4; at++) {
				o = run(threads, how, at);
				bool same = memcmp(expect, memory, VRAM_BYTES) == 0;
				bool silent = atomic_load(&failed) && !o.refused && !same;
				if (o.wrong || silent || (!atomic_load(&failed) && !same)) {
					printf("%u threads, %s %u: %s\n", threads,
							how == FAIL_ONE ? "call" : "calls from", at,
							o.wrong ? "another error" :
							"another picture, and nobody said why");
					bad++;
				}
				refusals += o.refused;
				runs++;
			}
		}
		printf("%u threads: %u allocations, %u runs, %u of them refused\n", threads, n,
				runs, refusals);
	}
	bad += check_later_frames();
	for (unsigned i = 0; i < N_LISTS; i++) {
		pica_emit_finish(&list[i]);
	}
	free(memory);
	return bad != 0;
}
