/* Work that never ends, leaves memory, or reads its own writes. The session survives it. */
#include "hostile.h"

#include "pica_emit.h"

enum { ANY = 1, MANY = 40 };

static int run_at(struct neighbour *n, uint32_t addr, uint32_t size_bytes) {
	struct pica_job *job = raw_slot(&n->raw, n->context, PICA_OP_LIST, 1);
	job->u.list.addr = addr;
	job->u.list.size_bytes = size_bytes;
	return raw_run(&n->raw);
}

/* Checks the result (expect ANY: none in particular), and that the offender's next picture is
 * correct. */
static bool ends_with(struct neighbour *n, int ret, int expect) {
	if (expect != ANY && ret != expect) {
		printf("  ended with %d, not %d\n", ret, expect);
		return false;
	}
	EXPECT(ret != -ETIME && ret != -ECONNRESET);
	/* The scene's own list sets all state that another list may have changed. */
	n->list_bytes = scene_write(n->fcram);
	return true;
}

static bool run_list(struct bench *b, struct pica_emit *e, int expect) {
	struct neighbour evil;
	EXPECT(neighbour_open(&evil, b->daemon->socket) == 0);
	int ret = run_at(&evil, SCENE_LIST, scene_write_list(evil.fcram, e));
	bool ok = ends_with(&evil, ret, expect);
	EXPECT(neighbour_is_well(b));
	EXPECT(neighbour_frame(&evil) == 0);
	neighbour_close(&evil);
	return ok;
}

NEIGHBOUR_CASE(list_that_jumps_in_circles) {
	struct pica_emit e;
	pica_emit_init(&e);
	EXPECT(pica_emit_jump(&e, 0, SCENE_LIST, 64) == 0);
	EXPECT(4 * e.count <= 64);
	memset(evil->fcram + (SCENE_LIST - SCENE_FCRAM), 0, 64);
	memcpy(evil->fcram + (SCENE_LIST - SCENE_FCRAM), e.words, 4 * e.count);
	pica_emit_finish(&e);
	EXPECT(ends_with(evil, run_at(evil, SCENE_LIST, 64), -EDQUOT));
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

NEIGHBOUR_CASE(lists_outside_of_memory) {
	static const uint32_t at[][2] = { { 0, 64 }, { 0xFFFFFFF0, 16 },
			{ SCENE_FCRAM + SCENE_FCRAM_BYTES - 16, 32 },
		{ SCENE_FCRAM - 16, 32 }, { SCENE_FCRAM, 0x7FFFFFF8 } };
	for (unsigned i = 0; i < 5; i++) {
		EXPECT(run_at(evil, at[i][0], at[i][1]) < 0);
	}
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

/* Words of noise as lists, as state and as vertices. */
NEIGHBOUR_CASE(lists_of_noise) {
	uint32_t x = 0x9E3779B9;
	for (unsigned k = 0; k < MANY; k++) {
		for (unsigned i = 0; i < SCENE_FCRAM_BYTES; i += 4) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			/* Half of it entries for registers that exist. */
			uint32_t word = k & 1 && i % 8 == 4 ? (x & 0x2FF) | 0xF0000 : x;
			memcpy(evil->fcram + i, &word, sizeof(word));
		}
		EXPECT(ends_with(evil, run_at(evil, SCENE_LIST, 0x8000), ANY));
	}
	EXPECT(neighbour_is_well(b));
	return true;
}

/*
 * A list that the copy engine overwrites while it waits, and one that overwrites itself by drawing.
 */
HOSTILE_CASE(list_that_draws_on_itself) {
	struct pica_emit e;
	scene_emit_state(&e);
	const struct pica_framebuffer fb = { .color_addr = SCENE_LIST,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_addr = SCENE_LIST + 0x4000,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = 64,
		.height = 64 };
	pica_emit_framebuffer(&e, &fb);
	for (unsigned i = 0; i < 8; i++) {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3 * SCENE_TRIANGLES);
	}
	return run_list(b, &e, ANY);
}

HOSTILE_CASE(viewport_that_is_not_a_number) {
	struct pica_emit e;
	scene_emit_state(&e);
	static const uint32_t nan_f24 = 0x7F8001;
	for (uint32_t id = PICA_REG_VIEWPORT_WIDTH; id <= PICA_REG_VIEWPORT_INVH; id++) {
		pica_emit_reg(&e, id, nan_f24);
	}
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3 * SCENE_TRIANGLES);
	return run_list(b, &e, 0);
}

NEIGHBOUR_CASE(vertices_that_are_not_numbers) {
	struct pica_emit e;
	scene_emit_state(&e);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, 3 * SCENE_TRIANGLES);
	uint32_t size = scene_write_list(evil->fcram, &e);
	static const uint32_t bad[] = { 0x7FC00000, 0xFF800000, 0x7F800000, 0x7F800001, 0x7F7FFFFF,
			0x00000001 };
	for (unsigned i = 0; i < 3 * SCENE_TRIANGLES; i++) {
		memcpy(evil->fcram + 32 * i + 4 * (i % 4), &bad[i % 6], 4);
	}
	EXPECT(ends_with(evil, run_at(evil, SCENE_LIST, size), 0));
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

/* ---- Shaders ---- */

static bool program(
		struct bench *b, const uint32_t *code, unsigned n, uint32_t vertices, int expect) {
	struct pica_emit e;
	scene_emit_state(&e);
	pica_emit_code(&e, PICA_UNIT_VS, 0, code, n);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, vertices);
	return run_list(b, &e, expect);
}

HOSTILE_CASE(shader_without_end) {
	static const uint32_t code[] = { 0xB4000001 }; /* jmpu !b0, 0 */
	EXPECT(program(b, code, 1, 3, -EDQUOT));
	return program(b, code, 1, 100000, -EDQUOT);
}

/* call 0, 255 words: itself, again and again */
HOSTILE_CASE(calls_without_bottom) {
	static const uint32_t code[] = { 0x90000002, 0x900000FF, 0x88000000 };
	return program(b, code, 3, 300, ANY);
}

/* loop in loop in loop, each over the whole program. */
HOSTILE_CASE(loops_in_loops) {
	uint32_t code[64];
	for (unsigned i = 0; i < 63; i++) {
		code[i] = 0xA4000000 | 62u << 10 | (i & 3) << 22;
	}
	code[63] = 0x88000000;
	return program(b, code, 64, 300, ANY);
}

HOSTILE_CASE(program_of_noise) {
	uint32_t code[512], x = 1;
	for (unsigned i = 0; i < 512; i++) {
		x = x * 1664525 + 1013904223;
		code[i] = x ^ x >> 13;
	}
	return program(b, code, 512, 300, ANY);
}

HOSTILE_CASE(geometry_without_end) {
	struct pica_emit e;
	scene_emit_endless_geometry(&e);
	return run_list(b, &e, -EDQUOT);
}

/* ---- Draws ---- */

HOSTILE_CASE(vertices_without_end) {
	struct pica_emit e;
	scene_emit_state(&e);
	for (unsigned i = 0; i < 64; i++) {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 0xFFFFFFFF);
	}
	return run_list(b, &e, -EDQUOT);
}

HOSTILE_CASE(vertices_from_nowhere) {
	struct pica_emit e;
	scene_emit_state(&e);
	pica_emit_reg(&e, PICA_REG_ATTRIBBUFFERS_LOC, 0x1FFFFFFE);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0x7FFFFFFF, 300);
	pica_emit_draw_elements(&e, PICA_PRIMITIVE_FAN, 0x0FFFFFF0, true, 3000);
	pica_emit_reg(&e, PICA_REG_ATTRIBBUFFERS_LOC, (SCENE_FCRAM + SCENE_FCRAM_BYTES - 16) >> 3);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0xFFFFFFF0, 300);
	return run_list(b, &e, ANY);
}

static void put_target(struct pica_emit *e, uint32_t color, uint32_t depth, uint32_t side) {
	const struct pica_framebuffer fb = { .color_addr = color,
		.depth_addr = depth,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = side,
		.height = side };
	pica_emit_framebuffer(e, &fb);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 30);
}

HOSTILE_CASE(targets_that_overlap) {
	struct pica_emit e;
	scene_emit_state(&e);
	put_target(&e, SCENE_VRAM, SCENE_VRAM, 128);
	put_target(&e, SCENE_VRAM, SCENE_VRAM + 64, 128);
	put_target(&e, SCENE_TEXTURE, SCENE_VRAM, 64);  /* its own texture */
	put_target(&e, SCENE_VERTICES, SCENE_VRAM, 64); /* its own vertices */
	return run_list(b, &e, 0);
}

HOSTILE_CASE(targets_that_leave_memory) {
	struct pica_emit e;
	scene_emit_state(&e);
	put_target(&e, SCENE_VRAM + SCENE_VRAM_BYTES - 64, SCENE_VRAM + SCENE_VRAM_BYTES - 4096,
			1024);
	put_target(&e, 0, 0x30000000, 1024);
	pica_emit_reg(&e, PICA_REG_DEPTHBUFFER_LOC, 0xFFFFFFFF);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 30);
	pica_emit_reg(&e, PICA_REG_FRAMEBUFFER_DIM, 0xFFFFFFFF);
	pica_emit_reg(&e, PICA_REG_VIEWPORT_XY, 0xFFFFFFFF);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 30);
	return run_list(b, &e, ANY);
}

HOSTILE_CASE(textures_without_measure) {
	struct pica_emit e;
	scene_emit_state(&e);
	static const uint32_t dims[] = { 0, 0x07FF07FF, 0xFFFFFFFF, 0x00010001, 0x04000008 };
	for (unsigned i = 0; i < 5; i++) {
		pica_emit_reg(&e, PICA_REG_TEXUNIT0_DIM, dims[i]);
		pica_emit_reg(&e, PICA_REG_TEXUNIT0_LOD, 0xFFFFFFFF);
		pica_emit_reg(&e, PICA_REG_TEXUNIT0_TYPE, i & 1 ? 0xFFFFFFFF : 13);
		pica_emit_reg(&e, PICA_REG_TEXUNIT0_ADDR1,
				i & 1 ? 0x1FFFFFFF : (SCENE_FCRAM + SCENE_FCRAM_BYTES - 64) >> 3);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 30);
	}
	return run_list(b, &e, ANY);
}

/* ---- Copy engines ---- */

NEIGHBOUR_CASE(copies_without_measure) {
	static const uint32_t dims[] = { 0, 0xFFFFFFFF, 0x00010001, 0x00800080, 0xFFF8FFF8 };
	static const uint32_t addrs[] = { 0, SCENE_VRAM, SCENE_VRAM + SCENE_VRAM_BYTES - 16,
		0xFFFFFFF0, SCENE_VRAM + 64 };
	for (unsigned i = 0; i < 5 * 5 * 2; i++) {
		struct raw *r = &evil->raw;
		struct pica_job *job = raw_slot(
				r, evil->context, i & 1 ? PICA_OP_TRANSFER : PICA_OP_COPY, i);
		job->u.transfer = (struct pica_job_transfer){ .src = addrs[i % 5],
			.dst = addrs[i / 5 % 5],
			.out_dim = dims[i % 5],
			.in_dim = dims[i / 5 % 5],
			.flags = i & 1 ? 0xFFFFFFFFu >> (i % 7) : 0x10001 };
		int ret = raw_run(r);
		EXPECT(ret != -ETIME && ret != -ECONNRESET);
		job = raw_slot(r, evil->context, PICA_OP_FILL, i);
		job->u.fill.start = addrs[i % 5] & ~15u;
		job->u.fill.end = addrs[i / 5 % 5] & ~15u;
		job->u.fill.control = 0x100u * (i % 4);
		ret = raw_run(r);
		EXPECT(ret != -ETIME && ret != -ECONNRESET);
	}
	evil->list_bytes = scene_write(evil->fcram);
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

/*
 * Draws by register writes, without a job that ends the pass: inspection must not block the
 * service.
 */
NEIGHBOUR_CASE(draws_by_register_and_looks_in) {
	struct pica_emit e;
	scene_emit_endless(&e);
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 15);
	int ret = run_at(evil, SCENE_LIST, scene_write_list(evil->fcram, &e));
	EXPECT(ret == 0);
	for (unsigned i = 0; i < 4; i++) {
		struct pica_job *job = raw_slot(&evil->raw, evil->context, PICA_OP_REG_WRITE, i);
		job->u.reg_write.addr = 0x10401000 + 4 * PICA_REG_DRAWARRAYS;
		job->u.reg_write.value = 1;
	}
	raw_publish(&evil->raw);
	/* No job follows the draws: they still complete. */
	for (unsigned i = 0; i < 4; i++) {
		struct pica_done done;
		EXPECT(raw_wait(&evil->raw, &done, RAW_PATIENCE_MS) == 0 && done.user_data == i);
	}
	struct pica_msg_query q = { .context = evil->context, .count = 1 };
	raw_head(&evil->raw, &q, PICA_MSG_READ_REGS, sizeof(q));
	EXPECT(raw_send(evil->raw.sock, &q, sizeof(q), NULL, 0) == 0);
	EXPECT(neighbour_is_well(b));
	uint8_t answer[PICA_MESSAGE_MAX];
	EXPECT(raw_receive(evil->raw.sock, answer, sizeof(answer), NULL, RAW_PATIENCE_MS) > 0);
	return true;
}

/* ---- Leaving ---- */

HOSTILE_CASE(leaves_with_work_in_flight) {
	for (unsigned k = 0; k < 4; k++) {
		struct neighbour evil;
		struct pica_emit e;
		EXPECT(neighbour_open(&evil, b->daemon->socket) == 0);
		scene_emit_endless(&e);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 15);
		uint32_t size = scene_write_list(evil.fcram, &e);
		for (unsigned i = 0; i < 8; i++) {
			struct pica_job *job = raw_slot(&evil.raw, evil.context, PICA_OP_LIST, i);
			job->u.list.addr = SCENE_LIST;
			job->u.list.size_bytes = size;
		}
		raw_publish(&evil.raw);
		neighbour_close(&evil);
	}
	return true;
}

/* Destroys contexts whose work never ends at once: their memory must not accumulate. */
HOSTILE_CASE(throws_endless_work_away) {
	struct neighbour evil;
	struct pica_emit e;
	EXPECT(neighbour_open_wide(&evil, b->daemon->socket, 64) == 0);
	scene_emit_endless(&e);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 15);
	uint32_t size = scene_write_list(evil.fcram, &e);
	int fds = process_fds(b->daemon->pid);
	for (unsigned k = 0; k < 40; k++) {
		int64_t context = raw_context(&evil.raw); /* waits while too many are dying */
		EXPECT(context > 0);
		/* The same list: staged into the memory of each context. */
		EXPECT(raw_region(&evil.raw, (uint32_t)context, SCENE_FCRAM, SCENE_FCRAM_BYTES,
				       NULL, NULL) > 0);
		struct pica_job *job = raw_slot(&evil.raw, (uint32_t)context, PICA_OP_WRITE, k);
		job->u.write = (struct pica_job_write){ .addr = SCENE_LIST, .size_bytes = size };
		job->u.write.data = (uint64_t)(evil.context + 2) << 32 | (SCENE_LIST - SCENE_FCRAM);
		for (unsigned i = 0; i < 4; i++) {
			job = raw_slot(&evil.raw, (uint32_t)context, PICA_OP_LIST, k);
			job->u.list.addr = SCENE_LIST;
			job->u.list.size_bytes = size;
		}
		raw_publish(&evil.raw);
		EXPECT(raw_object(&evil.raw, PICA_MSG_CONTEXT_DESTROY, (uint64_t)context) == 0);
		EXPECT(raw_object(&evil.raw, PICA_MSG_REGION_DESTROY, (uint64_t)context + 1) == 0);
		for (unsigned i = 0; i < 5; i++) {
			struct pica_done done;
			EXPECT(raw_wait(&evil.raw, &done, RAW_PATIENCE_MS) == 0);
		}
		EXPECT(process_fds(b->daemon->pid) <= fds + 2 * MATRIX_CONTEXTS);
	}
	EXPECT(neighbour_is_well(b));
	neighbour_close(&evil);
	return true;
}

/* Nor do those without. */
SESSION_CASE(contexts_made_and_destroyed) {
	for (unsigned i = 0; i < 300; i++) {
		int64_t context = raw_context(r);
		EXPECT(context > 0 || context == -EDQUOT);
		if (context > 0) {
			EXPECT(raw_object(r, PICA_MSG_CONTEXT_DESTROY, (uint64_t)context) == 0);
		}
	}
	return true;
}
