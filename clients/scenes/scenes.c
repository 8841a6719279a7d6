#include "scenes.h"

#include "recorder.h"

const struct scene *const scenes[SCENE_COUNT] = { &scene_triangle, &scene_cube, &scene_knot,
	&scene_galaxy, &scene_window, &scene_wall };

int scene_record(const struct scene *scene, const char *path) {
	struct recorder r;
	int ret = recorder_init(&r, path);
	if (ret < 0) {
		return ret;
	}
	ret = scene->record(&r);
	r.error = r.error ? r.error : ret;
	return recorder_finish(&r);
}
