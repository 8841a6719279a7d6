#include "neighbours.h"

#include <errno.h>
#include <string.h>

#include "pica.h"
#include "pica_emit.h"

enum {
	BIG = 0x19000000, /* target and textures of the attacks */
	BIG_SIDE = 1024,
	BIG_BYTES = 16 << 20,
	TEXTURES = 64,
	TEXTURE_SIDE = 256,
	BIG_TRIANGLES = 200, /* limited by the number of vertices */
	CHURN = 0x30000000,
	IN_FLIGHT = 8,
	AGAIN_MS = 50,
	LIFE_MS = 1000, /* of a session that reconnects */
};

/* ---- Lists ---- */

/* The budget counts the bounding box of a triangle: 2^20 pixels. */
static void emit_pixels(struct pica_emit *e, unsigned millions) {
	const struct pica_framebuffer fb = { .color_addr = BIG,
		.depth_addr = BIG + 4 * BIG_SIDE * BIG_SIDE,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = BIG_SIDE,
		.height = BIG_SIDE };
	scene_emit_state(e);
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, BIG_SIDE, BIG_SIDE);
	pica_emit_depth_test(e, true, PICA_COMPARE_ALWAYS, true, 15);
	for (unsigned n; millions > 0; millions -= n) {
		n = millions < BIG_TRIANGLES ? millions : BIG_TRIANGLES;
		pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3 * n);
	}
}

static void emit_400(struct pica_emit *e) {
	emit_pixels(e, 400);
}

static void emit_4000(struct pica_emit *e) {
	emit_pixels(e, 4000);
}

void emit_heavy(struct pica_emit *e) {
	emit_pixels(e, 40);
}

void emit_small(struct pica_emit *e) {
	scene_emit_state(e);
	pica_emit_viewport(e, 0, 0, 16, 16);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
}

/* All of them read the same record: triangles without area. */
static void emit_vertices(struct pica_emit *e) {
	const struct pica_attributes a = { .base = SCENE_VERTICES,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 0, .n = 2, .component = { 0, 1 } } } };
	scene_emit_state(e);
	pica_emit_attributes(e, &a);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 60000000);
}

/*
 * loop i0 { loop i1 { mov r0, v0; mov r0, v0 } nop } mov o0, v0; mov o1, v1; end: 132,000 steps a
 * vertex, a little less than the budget of the job.
 */
static void emit_shader(struct pica_emit *e) {
	static const uint32_t code[] = { 0xA4001000, 0xA4400C00, 0x4E000000, 0x4E000000, 0x84000000,
		0x4C000000, 0x4C201000, 0x88000000 };
	scene_emit_state(e);
	pica_emit_int_uniform(e, PICA_UNIT_VS, 0, 255, 0, 1, 0);
	pica_emit_int_uniform(e, PICA_UNIT_VS, 1, 255, 0, 1, 0);
	pica_emit_code(e, PICA_UNIT_VS, 0, code, 8);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 8000);
}

/* Jumps to itself, so never reaches the end that scene_write_list() appends. */
static void emit_jump(struct pica_emit *e) {
	pica_emit_init(e);
	pica_emit_jump(e, 0, SCENE_LIST, 64);
}

/* Each small draw has another texture and an empty cache. */
static void emit_textures(struct pica_emit *e) {
	scene_emit_state(e);
	for (uint32_t i = 0; i < TEXTURES; i++) {
		const struct pica_texture t = { .addr = BIG + i * 4 * TEXTURE_SIDE * TEXTURE_SIDE,
			.width = TEXTURE_SIDE,
			.height = TEXTURE_SIDE,
			.format = PICA_TEXTURE_FORMAT_RGBA8,
			.min = PICA_FILTER_LINEAR,
			.mag = PICA_FILTER_LINEAR };
		pica_emit_texture(e, 0, &t);
		pica_emit_texture_units(e, 1, 0, false); /* with register 080 bit 16 */
		pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
	}
}

int attack_furnish(struct neighbour *n, void (*emit)(struct pica_emit *)) {
	static const float corner[3][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 } };
	struct pica_emit e;
	int ret = neighbour_furnish(n);
	if (ret < 0 || !emit) {
		return ret;
	}
	const int64_t region = raw_region(&n->raw, n->context, BIG, BIG_BYTES, NULL, NULL);
	if (region < 0) {
		return (int)region;
	}
	for (unsigned i = 0; i < 3 * BIG_TRIANGLES; i++) {
		const float v[8] = { corner[i % 3][0], corner[i % 3][1], -0.5f, 1, corner[i % 3][0],
			corner[i % 3][1], 0, 1 };
		memcpy(n->fcram + sizeof(v) * i, v, sizeof(v));
	}
	emit(&e);
	n->list_bytes = scene_write_list(n->fcram, &e);
	return 0;
}

/* ---- Work ---- */

int victim_frame(struct neighbour *n, int timeout_ms) {
	int ret = 0;
	struct pica_job *job = raw_slot(&n->raw, n->context, PICA_OP_FILL, 0);
	job->u.fill = (struct pica_job_fill){
		.start = SCENE_COLOR, .end = SCENE_DEPTH, .control = 2 << 8
	};
	neighbour_put(n, 1);
	raw_slot(&n->raw, n->context, PICA_OP_BARRIER, 2);
	raw_publish(&n->raw);
	for (unsigned i = 0; i < 3 && ret == 0; i++) {
		struct pica_done done = { .result = 0 };
		ret = raw_wait(&n->raw, &done, timeout_ms);
		ret = ret < 0 ? ret : done.result;
	}
	return ret;
}

static void put_list(struct attacker *a) {
	neighbour_put(&a->n, 0);
}

static void put_stats(struct attacker *a) {
	struct pica_job *job = raw_slot(&a->n.raw, a->n.context, PICA_OP_STATS, 0);
	job->u.stats.data = (uint64_t)a->region << 32;
	job->u.stats.size_bytes = sizeof(struct pica_stats);
}

/* Keeps jobs in flight until the session ends, at most for ms. */
static void keep_busy(struct attacker *a, bool with_stats, int64_t ms) {
	const unsigned jobs = with_stats ? 2 : 1;
	const int64_t end = raw_now_ms() + ms;
	uint32_t sent = 0, done = 0;
	int ret = 0;
	while (ret != -ECONNRESET && (ms == 0 || raw_now_ms() < end)) {
		struct pica_done completion;
		for (; sent - done + jobs <= IN_FLIGHT; sent += jobs) {
			put_list(a);
			if (with_stats) {
				put_stats(a);
			}
		}
		raw_publish(&a->n.raw);
		ret = raw_wait(&a->n.raw, &completion, ms ? (int)ms : RAW_PATIENCE_MS);
		done += ret == 0;
	}
}

static void flood(struct attacker *a) {
	keep_busy(a, false, 0);
}

static void flood_with_stats(struct attacker *a) {
	keep_busy(a, true, 0);
}

static void reconnect(struct attacker *a) {
	keep_busy(a, false, LIFE_MS);
}

/* Keeps the descriptors of the last two open, so their pages are not freed. */
static void churn(struct attacker *a) {
	int kept[2] = { -1, -1 };
	int ret = 0;
	for (uint32_t i = 0; ret == 0; i++) {
		int fd = -1;
		const int64_t region = raw_region(
				&a->n.raw, a->n.context, CHURN, a->churn_bytes, NULL, &fd);
		struct pica_job *job = raw_slot(&a->n.raw, a->n.context, PICA_OP_FILL, 0);
		job->u.fill = (struct pica_job_fill){
			.start = CHURN, .end = CHURN + a->churn_bytes, .value = i, .control = 2 << 8
		};
		if (region < 0 || raw_run(&a->n.raw) < 0) {
			ret = -EDQUOT;
		} else {
			ret = raw_object(&a->n.raw, PICA_MSG_REGION_DESTROY, (uint64_t)region);
		}
		fd_close(&kept[i % 2]);
		kept[i % 2] = fd;
	}
	fd_close(&kept[0]);
	fd_close(&kept[1]);
}

/* Sends requests without waiting for earlier answers. */
static void load_states(struct attacker *a) {
	struct pica_msg_transfer m = { .context = a->n.context,
		.region = a->region,
		.size_bytes = sizeof(struct pica_state) };
	uint8_t answer[PICA_MESSAGE_MAX];
	int ret = raw_ask(&a->n.raw, &m, PICA_MSG_SAVE_STATE, sizeof(m));
	for (uint32_t sent = 0, done = 0; ret >= 0; done++) {
		for (; sent - done < IN_FLIGHT && ret >= 0; sent++) {
			raw_head(&a->n.raw, &m, PICA_MSG_LOAD_STATE, sizeof(m));
			ret = raw_send(a->n.raw.sock, &m, sizeof(m), NULL, 0);
		}
		if (raw_receive(a->n.raw.sock, answer, sizeof(answer), NULL, RAW_PATIENCE_MS) <=
				0) {
			return;
		}
	}
}

static void ring_bells(struct attacker *a) {
	while (write(a->n.raw.bell_out, "", 1) == 1 || errno == EAGAIN) {
	}
}

static void be_silent(struct attacker *a) {
	while (!raw_is_closed(&a->n.raw)) {
	}
}

const struct attack attacks[] = {
	{ "pixels", "lists of 400 million pixels", emit_400, flood },
	{ "stats", "the same lists, each with STATS", emit_400, flood_with_stats },
	{ "gigapixels", "lists of 4,000 million pixels with STATS", emit_4000, flood_with_stats },
	{ "vertices", "draws of 60 million vertices", emit_vertices, flood },
	{ "geometry", "a geometry shader without end", scene_emit_endless_geometry, flood },
	{ "shader", "a vertex shader at its budget", emit_shader, flood },
	{ "jump", "a list that jumps to itself", emit_jump, flood },
	{ "reconnect", "a session a second with such lists", emit_400, reconnect },
	{ "regions", "regions of 256 MiB, filled and destroyed", NULL, churn },
	{ "state", "LOAD_STATE without pause", NULL, load_states },
	{ "bell", "bells without pause", NULL, ring_bells },
	{ "textures", "64 textures, each decoded anew", emit_textures, flood },
	{ "silent", "sessions that do nothing", NULL, be_silent },
};

const unsigned n_attacks = sizeof(attacks) / sizeof(attacks[0]) - 1;

void attack(struct attacker *a) {
	for (;;) {
		memset(&a->n, 0, sizeof(a->n));
		if (raw_open(&a->n.raw, a->path, 64) == 0) {
			const int64_t region = raw_region(&a->n.raw, 0, 0, 1 << 20, NULL, NULL);
			a->region = (uint32_t)region;
			if (region > 0 && attack_furnish(&a->n, a->attack->emit) == 0) {
				atomic_fetch_add(a->opened, 1);
				a->attack->run(a);
			}
			neighbour_close(&a->n);
		}
		raw_nap_us(AGAIN_MS * 1000);
	}
}
