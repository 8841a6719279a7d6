/* The bundled scenes: small programs that draw like 3DS clients, recorded into captures. */
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include <stdbool.h>
#include <stdint.h>

struct recorder;
struct vc4_recorder;

struct scene {
	const char *name; /* of the capture: NAME.pica */
	const char *what; /* one line */
	unsigned frames;
	bool has_canvas;      /* store the recorder's canvas first */
	uint32_t top, bottom; /* clear colours of the targets */
	void (*store)(struct recorder *r); /* data of all frames */
	void (*prepare)(struct recorder *r); /* fills before a frame begins, or NULL */
	/* Draw a frame: other targets, then each screen. Any may be NULL. */
	void (*draw)(struct recorder *r, unsigned frame);
	void (*draw_top)(struct recorder *r, unsigned frame);
	void (*draw_bottom)(struct recorder *r, unsigned frame);
	/* Records a whole scene of the VideoCore IV; the members between name and this are unused
	 * then. */
	void (*run)(struct vc4_recorder *r);
};

#define SCENE(name) extern const struct scene scene_##name; /* name.c */
#include "scenes.def"

enum {
#define SCENE(name) SCENE_##name,
#include "scenes.def"
	SCENE_COUNT
};

/* All of the PICA200. */
extern const struct scene *const scenes[SCENE_COUNT];

enum { VC4_SCENE_COUNT = 10 };
/* Those of the VideoCore IV. */
extern const struct scene vc4_scenes[VC4_SCENE_COUNT];

/*
 * Records a scene into a .pica, .ctf or .ctf.zst file. Returns 0 or a negative errno: -EOPNOTSUPP
 * for a .ctf of a VideoCore IV scene.
 */
int scene_record(const struct scene *scene, const char *path);

#endif
