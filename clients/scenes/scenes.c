#include "scenes.h"

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
	ret = scene->record(&r);
	r.error = r.error ? r.error : ret;
	return recorder_finish(&r);
}
