/* The bundled scenes: small programs that draw as 3DS clients do, recorded into captures. */
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

struct recorder;

struct scene {
	const char *name; /* of the capture: NAME.pica */
	const char *what; /* one line */
	unsigned frames;
	/* Records that many frames. 0 or a negative errno; failures of the recorder stick there. */
	int (*record)(struct recorder *r);
};

#define SCENE(name) extern const struct scene scene_##name; /* name.c */
#include "scenes.def"

enum {
#define SCENE(name) SCENE_##name,
#include "scenes.def"
	SCENE_COUNT
};

/* All of them. */
extern const struct scene *const scenes[SCENE_COUNT];

/* Records a scene into a file: .pica, .ctf or .ctf.zst as path ends. 0 or a negative errno. */
int scene_record(const struct scene *scene, const char *path);

#endif
