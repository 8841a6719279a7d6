/*
 * Draws captures with both renderers and compares them:
 *
 *     naive-scenes [--isa NAME] [--threads N] [--pixels N] CAPTURE...
 *
 * VRAM must be equal after each frame, with targets, depth buffers and shown pictures, and main
 * memory after the last. --pixels: so must the histories of N random pixels (pica_history.h). Exits
 * with 1 if they differ, 77 if the machine lacks the instruction set, 2 on other errors.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_side.h"
#include "scene_pixels.h"
#include "pica_capture.h"
#include "replay.h"

struct both {
	struct side side;
	struct pixels *pixels; /* or NULL */
};

/* Called for each event before the engine gets it. */
static int look(void *user, const struct pica_capture_event *event) {
	struct both *b = user;
	if (b->pixels) {
		pixels_job(b->pixels, b->side.naive, &event->job);
	}
	return side_job(&b->side, &event->job);
}

/* The first byte that differs. */
static bool same(const char *path, uint64_t frame, struct pica_ctx *ctx, uint32_t phys,
		uint32_t n_bytes, const uint8_t *naive) {
	const uint8_t *engine = pica_ctx_host(ctx, phys, n_bytes);
	if (engine && memcmp(engine, naive, n_bytes) == 0) {
		return true;
	}
	uint32_t at = 0, count = 0;
	for (uint32_t i = n_bytes; engine && i-- > 0;) {
		if (engine[i] != naive[i]) {
			at = i;
			count++;
		}
	}
	printf("%s: frame %u: %u bytes differ, the first at %08X: engine %02X, naive %02X\n", path,
			(unsigned)frame, count, phys + at, engine ? engine[at] : 0u, naive[at]);
	return false;
}

/* 1: the same; 0: not; negative errno. */
static int compare(const char *path, struct pica_ctx *ctx, struct pica_capture *capture,
		struct both *b) {
	const struct side *s = &b->side;
	struct replay r;
	struct naive_stats stats;
	int ret = replay_start(&r, gpu_here(ctx), capture, 0);
	if (ret < 0) {
		return ret;
	}
	r.look = look;
	r.look_user = b;
	while ((ret = replay_frame(&r)) > 0) {
		ret = replay_wait(&r);
		if (ret < 0 || r.worst < 0) {
			return ret < 0 ? ret : r.worst;
		}
		if (!same(path, r.frames - 1, ctx, VRAM, VRAM_BYTES, s->vram)) {
			return 0;
		}
	}
	if (ret == 0) {
		ret = replay_wait(&r);
	}
	if (ret < 0) {
		return ret;
	}
	naive_get_stats(s->naive, &stats);
	if (stats.written == 0) {
		printf("%s: nothing was drawn\n", path);
		return 0;
	}
	printf("%s: %u frames, %llu pixels written, the same\n", path, (unsigned)r.frames,
			(unsigned long long)stats.written);
	return same(path, r.frames, ctx, FCRAM, FCRAM_BYTES, s->fcram);
}

static int run(const char *path, struct pica_device *device, unsigned n_pixels) {
	struct pica_capture_error err;
	struct pica_capture *capture = NULL;
	struct pica_ctx *ctx = NULL;
	struct both b = { .pixels = NULL };
	int ret = pica_capture_open(&capture, path, &err);
	if (ret < 0) {
		fprintf(stderr, "%s\n", err.message);
	} else {
		ret = side_init(&b.side, pica_capture_state(capture));
	}
	if (ret == 0) {
		ret = pica_ctx_create(&ctx, device, NULL);
	}
	if (ret == 0 && n_pixels) {
		b.pixels = pixels_create(ctx, capture, b.side.naive, n_pixels);
		ret = b.pixels ? 0 : -ENOMEM;
	}
	if (ret == 0) {
		ret = compare(path, ctx, capture, &b);
	}
	if (ret > 0 && n_pixels) {
		ret = pixels_compare(b.pixels, path, ctx, capture);
	}
	if (ret < 0) {
		fprintf(stderr, "naive-scenes: %s: %s\n", path, strerror(-ret));
	}
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	pixels_destroy(b.pixels);
	side_finish(&b.side);
	return ret;
}

int main(int argc, char **argv) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	int i = 1;
	unsigned n_pixels = 0;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--isa") == 0) {
			settings.isa = argv[i + 1];
		} else if (strcmp(argv[i], "--threads") == 0) {
			settings.n_threads = (uint32_t)atoi(argv[i + 1]);
		} else if (strcmp(argv[i], "--pixels") == 0) {
			n_pixels = (unsigned)atoi(argv[i + 1]);
		} else {
			break;
		}
	}
	if (i >= argc || argv[i][0] == '-') {
		fprintf(stderr, "usage: naive-scenes [--isa NAME] [--threads N] [--pixels N] CAPTURE...\n");
		return 2;
	}
	struct pica_device *device;
	int ret = pica_device_create(&device, &settings);
	if (ret == -EOPNOTSUPP) {
		printf("this machine has no %s\n", settings.isa);
		return 77;
	}
	if (ret < 0) {
		fprintf(stderr, "naive-scenes: %s\n", strerror(-ret));
		return 2;
	}
	int worst = 0;
	for (; i < argc; i++) {
		ret = run(argv[i], device, n_pixels);
		const int code = ret > 0 ? 0 : ret == 0 ? 1 : 2;
		worst = code > worst ? code : worst;
	}
	pica_device_destroy(device);
	return worst;
}
