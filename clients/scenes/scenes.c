#include "scenes.h"

#include "canvas.h"
#include "recorder.h"

const struct scene *const scenes[SCENE_COUNT] = {
#define SCENE(name) [SCENE_##name] = &scene_##name,
#include "scenes.def"
};

int scene_record(const struct scene *scene, const char *path) {
	struct recorder r;
	int ret = recorder_init(&r, path, scene->name);
	if (ret < 0) {
		return ret;
	}
	if (scene->has_canvas) {
		canvas_store(&r);
	}
	scene->store(&r);
	for (unsigned frame = 0; r.error == 0 && frame < scene->frames; frame++) {
		if (scene->prepare) {
			scene->prepare(&r);
		}
		recorder_frame_begin(&r, scene->top, scene->bottom);
		scene->draw(&r, frame);
		recorder_frame_end(&r);
	}
	return recorder_finish(&r);
}
