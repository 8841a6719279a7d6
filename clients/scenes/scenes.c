#include "scenes.h"

#include "canvas.h"
#include "recorder.h"
#include "vc4.h"

const struct scene *const scenes[SCENE_COUNT] = {
#define SCENE(name) [SCENE_##name] = &scene_##name,
#include "scenes.def"
};

static void record_frame(struct recorder *r, const struct scene *scene, unsigned frame) {
	if (scene->prepare) {
		scene->prepare(r);
	}
	recorder_frame_begin(r, scene->top, scene->bottom);
	if (scene->draw) {
		scene->draw(r, frame);
	}
	if (scene->draw_top) {
		recorder_draw_top(r);
		scene->draw_top(r, frame);
	}
	if (scene->draw_bottom) {
		recorder_draw_bottom(r);
		scene->draw_bottom(r, frame);
	}
	recorder_frame_end(r);
}

int scene_record(const struct scene *scene, const char *path) {
	struct recorder r;
	if (scene->run) {
		return vc4_scene_record(scene->run, path, scene->name);
	}
	int ret = recorder_init(&r, path, scene->name, false);
	if (ret < 0) {
		return ret;
	}
	if (scene->has_canvas) {
		canvas_store(&r);
	}
	scene->store(&r);
	for (unsigned frame = 0; r.error == 0 && frame < scene->frames; frame++) {
		record_frame(&r, scene, frame);
	}
	return recorder_finish(&r);
}
