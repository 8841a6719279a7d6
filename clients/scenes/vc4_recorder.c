/* Recording scenes of the VideoCore IV: data, programs, lists and jobs. */
#include <stdlib.h>
#include <string.h>

#include "scenes.h"
#include "vc4.h"
#include "vc4/qpu/qpu.h"

enum { WIDTH = 640, HEIGHT = 480 };

void vc4_scene_fail(struct vc4_recorder *r, int ret) {
	r->error = r->error ? r->error : ret < 0 ? ret : 0;
}

void vc4_scene_put(struct vc4_recorder *r, uint32_t addr, const void *data, size_t size_bytes) {
	const struct pica_job job = { .op = PICA_OP_WRITE,
		.u.write = { .addr = addr,
				.size_bytes = (uint32_t)size_bytes,
				.data = (uintptr_t)data } };
	vc4_scene_fail(r, r->error ? 0 : sink_job(r->sink, &job));
}

void vc4_scene_program(struct vc4_recorder *r, uint32_t addr, const char *text) {
	uint64_t *words;
	size_t n;
	struct qpu_error error;
	const int ret = qpu_assemble(text, strlen(text), &words, &n, &error);
	vc4_scene_fail(r, ret);
	if (ret == 0) {
		vc4_scene_put(r, addr, words, n * sizeof(*words));
		free(words);
	}
}

void vc4_scene_emitted(struct vc4_recorder *r, uint32_t addr, struct pica_vc4_emit *e) {
	vc4_scene_fail(r, pica_vc4_emit_error(e));
	vc4_scene_put(r, addr, e->bytes, e->size);
}

void vc4_scene_begin(struct vc4_recorder *r, const char *configuration) {
	pica_vc4_emit_reset(&r->list[0]);
	pica_vc4_emit_reset(&r->list[1]);
	pica_vc4_emit_binning_begin(&r->list[0], &r->frame);
	pica_vc4_emit_named(&r->list[0], "CONFIGURATION_BITS", configuration);
}

void vc4_scene_center(struct vc4_recorder *r, const char *offset) {
	pica_vc4_emit_named(&r->list[0], "VIEWPORT_OFFSET", offset);
}

/* Ends the lists and runs them. */
void vc4_scene_run(struct vc4_recorder *r) {
	static const struct pica_job present = { .op = PICA_OP_PRESENT,
		.u.present = { .screens = 1 } };
	struct pica_vc4_emit *binning = &r->list[0], *rendering = &r->list[1];
	pica_vc4_emit_binning_end(binning);
	pica_vc4_emit_rendering(rendering, &r->frame);
	vc4_scene_emitted(r, VC4_BINNING, binning);
	vc4_scene_emitted(r, VC4_RENDERING, rendering);
	const struct pica_job job = { .op = PICA_OP_CONTROL_LISTS,
		.u.control_lists = { .binning_start = VC4_BINNING,
				.binning_end = VC4_BINNING + (uint32_t)binning->size,
				.rendering_start = VC4_RENDERING,
				.rendering_end = VC4_RENDERING + (uint32_t)rendering->size } };
	vc4_scene_fail(r, r->error ? 0 : sink_job(r->sink, &job));
	vc4_scene_fail(r, r->error ? 0 : sink_job(r->sink, &present));
}

int vc4_scene_record(
		void (*scene_run)(struct vc4_recorder *r), const char *path, const char *title) {
	struct vc4_recorder r = { .error = 0 };
	int ret = sink_create(&r.sink, path, title, NULL, false);
	if (ret < 0) {
		return ret;
	}
	pica_vc4_emit_init(&r.list[0]);
	pica_vc4_emit_init(&r.list[1]);
	pica_vc4_frame_init(&r.frame, VC4_TARGET, WIDTH, HEIGHT);
	r.frame.tile_lists = VC4_TILE_LISTS;
	r.frame.tile_state = VC4_TILE_STATE;
	scene_run(&r);
	pica_vc4_emit_finish(&r.list[0]);
	pica_vc4_emit_finish(&r.list[1]);
	if (r.error < 0) {
		sink_destroy(r.sink);
		return r.error;
	}
	return sink_finish(r.sink);
}
