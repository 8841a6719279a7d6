#include "scene.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "pica.h"
#include "tests/pass.h"

void scene_emit_state(struct pica_emit *e) {
	const struct pica_framebuffer fb = { .color_addr = SCENE_COLOR,
		.depth_addr = SCENE_DEPTH,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = SCENE_SIDE,
		.height = SCENE_SIDE };
	const struct pica_texture t = { .addr = SCENE_TEXTURE,
		.width = 64,
		.height = 64,
		.format = PICA_TEXTURE_FORMAT_RGBA8,
		.min = PICA_FILTER_LINEAR,
		.mag = PICA_FILTER_LINEAR };
	struct pica_tev tev;
	emit_pass(e, SCENE_VERTICES, PICA_OUTPUT_TEXCOORD0, 3);
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, SCENE_SIDE, SCENE_SIDE);
	pica_emit_depth_test(e, true, PICA_COMPARE_GREATER, true, 15);
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(e, 0, &tev);
	pica_emit_texture(e, 0, &t);
	pica_emit_texture_units(e, 1, 0, false);
}

void scene_emit_endless(struct pica_emit *e) {
	static const uint32_t code[] = { 0xB4000001 }; /* jmpu !b0, 0 */
	scene_emit_state(e);
	pica_emit_code(e, PICA_UNIT_VS, 0, code, 1);
}

void scene_emit_endless_geometry(struct pica_emit *e) {
	/* setemit 2, prim; mov o0, v0; mov o1, v1; emit; jmpu !b0, 0 */
	static const uint32_t code[] = { 0xAE800000, 0x4C000000, 0x4C201000, 0xA8000000,
		0xB4000001 };
	static const uint32_t descriptor[] = { 0x36F };
	static const struct pica_output outputs[] = { { PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 } };
	const struct pica_geometry g = { .mode = PICA_GS_MODE_POINT, .inputs = 2, .vs_outputs = 2 };
	scene_emit_state(e);
	pica_emit_geometry(e, &g);
	pica_emit_vs_output_mask(e, 3);
	pica_emit_outputs(e, PICA_UNIT_GS, outputs, 2);
	pica_emit_code(e, PICA_UNIT_GS, 0, code, 5);
	pica_emit_operand_descriptors(e, PICA_UNIT_GS, 0, descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_GS, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_GEOMETRY, 0, 3000);
}

uint32_t scene_write_list(uint8_t *fcram, struct pica_emit *e) {
	if (pica_emit_finalize(e) < 0 ||
			4 * e->count > SCENE_FCRAM_BYTES - (SCENE_LIST - SCENE_FCRAM)) {
		fprintf(stderr, "scene: the list could not be made\n");
		abort();
	}
	uint32_t size_bytes = (uint32_t)(4 * e->count);
	memcpy(fcram + (SCENE_LIST - SCENE_FCRAM), e->words, size_bytes);
	pica_emit_finish(e);
	return size_bytes;
}

uint32_t scene_write(uint8_t *fcram) {
	struct pica_emit e;
	for (unsigned i = 0; i < 3 * SCENE_TRIANGLES; i++) {
		float v[8] = { (float)(i * 37 % 64) / 30 - 1.05f, (float)(i * 91 % 64) / 30 - 1.05f,
			-0.2f - (float)(i % 7) / 10, 1, (float)(i % 8) / 8, (float)(i % 5) / 5, 0,
			1 };
		memcpy(fcram + 32 * i, v, sizeof(v));
	}
	for (uint32_t i = 0; i < 64 * 64; i++) {
		uint32_t texel = i * 2654435761u | 0xFF;
		memcpy(fcram + (SCENE_TEXTURE - SCENE_FCRAM) + 4 * i, &texel, sizeof(texel));
	}
	scene_emit_state(&e);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3 * SCENE_TRIANGLES);
	return scene_write_list(fcram, &e);
}

uint64_t scene_hash(const uint8_t *vram) {
	return XXH3_64bits(vram, SCENE_DEPTH - SCENE_COLOR);
}

/* ---- Without a service ---- */

static bool draw_alone(struct pica_ctx *ctx, uint8_t *vram, uint8_t *fcram) {
	struct pica_job job = { .op = PICA_OP_LIST };
	struct pica_done done;
	uint64_t seq;
	job.u.list.addr = SCENE_LIST;
	job.u.list.size_bytes = scene_write(fcram);
	return pica_ctx_map(ctx, SCENE_VRAM, SCENE_VRAM_BYTES, vram, 0) == 0 &&
			pica_ctx_map(ctx, SCENE_FCRAM, SCENE_FCRAM_BYTES, fcram, 0) == 0 &&
			pica_submit(ctx, &job, 1, &seq) == 0 && pica_wait(ctx, seq, -1) == 0 &&
			pica_reap(ctx, &done, 1) == 1 && done.result == 0;
}

static uint64_t draw_expected(void) {
	struct pica_settings alone;
	struct pica_ctx_settings settings;
	struct pica_device *device = NULL;
	struct pica_ctx *ctx = NULL;
	uint8_t *vram = aligned_alloc(4096, SCENE_VRAM_BYTES),
		*fcram = aligned_alloc(4096, SCENE_FCRAM_BYTES);
	pica_settings_init(&alone);
	pica_ctx_settings_init(&settings);
	settings.vram_bytes = settings.fcram_bytes = 0;
	bool ok = vram && fcram && pica_device_create(&device, &alone) == 0 &&
			pica_ctx_create(&ctx, device, &settings) == 0;
	unsigned drawn = 0;
	if (ok) {
		memset(vram, 0, SCENE_VRAM_BYTES);
		memset(fcram, 0, SCENE_FCRAM_BYTES);
		ok = draw_alone(ctx, vram, fcram);
		for (unsigned i = 0; i < SCENE_SIDE * SCENE_SIDE; i++) {
			drawn += vram[4 * i] == 0xFF; /* alpha of the texture */
		}
	}
	if (!ok || drawn < SCENE_SIDE * SCENE_SIDE / 3) {
		fprintf(stderr, "scene: cannot be drawn without a service: %u pixels\n", drawn);
		abort();
	}
	uint64_t hash = scene_hash(vram);
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	free(vram);
	free(fcram);
	return hash;
}

uint64_t scene_expected(void) {
	static _Atomic uint64_t known;
	uint64_t hash = atomic_load(&known);
	if (!hash) {
		hash = draw_expected();
		atomic_store(&known, hash);
	}
	return hash;
}

/* ---- With one ---- */

int neighbour_furnish(struct neighbour *n) {
	int64_t ret = raw_context(&n->raw);
	if (ret < 0) {
		return (int)ret;
	}
	n->context = (uint32_t)ret;
	ret = raw_region(&n->raw, n->context, SCENE_VRAM, SCENE_VRAM_BYTES, &n->vram, NULL);
	if (ret >= 0) {
		ret = raw_region(&n->raw, n->context, SCENE_FCRAM, SCENE_FCRAM_BYTES, &n->fcram,
				NULL);
	}
	if (ret < 0) {
		return (int)ret;
	}
	n->list_bytes = scene_write(n->fcram);
	return 0;
}

int neighbour_open_wide(struct neighbour *n, const char *path, uint32_t sq_entries) {
	memset(n, 0, sizeof(*n));
	int ret = raw_open(&n->raw, path, sq_entries);
	if (ret == 0) {
		ret = neighbour_furnish(n);
		if (ret < 0) {
			raw_close(&n->raw);
		}
	}
	return ret;
}

int neighbour_open(struct neighbour *n, const char *path) {
	return neighbour_open_wide(n, path, 8);
}

void neighbour_put(struct neighbour *n, uint64_t user_data) {
	struct pica_job *job = raw_slot(&n->raw, n->context, PICA_OP_LIST, user_data);
	job->u.list.addr = SCENE_LIST;
	job->u.list.size_bytes = n->list_bytes;
}

int neighbour_frame(struct neighbour *n) {
	memset(n->vram, 0, SCENE_VRAM_BYTES);
	neighbour_put(n, 1);
	int ret = raw_run(&n->raw);
	return ret < 0 ? ret : scene_hash(n->vram) == scene_expected() ? 0 : -EIO;
}

void neighbour_close(struct neighbour *n) {
	raw_close(&n->raw);
}
