/* The bundled scenes: small programs that draw as 3DS clients do, recorded into captures. */
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

struct recorder;

enum { SCENE_FRAMES = 3, SCENE_COUNT = 6 };

struct scene {
	const char *name; /* of the capture: NAME.ctf.zst */
	const char *what; /* one line */
	/* Records SCENE_FRAMES frames. 0 or a negative errno; failures of the recorder stick there. */
	int (*record)(struct recorder *r);
};

extern const struct scene scene_triangle; /* triangle.c */
extern const struct scene scene_cube;     /* cube.c */
extern const struct scene scene_knot;     /* knot.c */
extern const struct scene scene_galaxy;   /* galaxy.c */
extern const struct scene scene_window;   /* window.c */
extern const struct scene scene_wall;     /* wall.c */

/* All of them. */
extern const struct scene *const scenes[SCENE_COUNT];

/* Records a scene into a file, compressed if path ends in ".zst". 0 or a negative errno. */
int scene_record(const struct scene *scene, const char *path);

#endif
