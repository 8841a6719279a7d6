/*
 * Compares frame 15 of the recorded scenes with Azahar's software renderer, with float32 shaders
 * and both settings of the combiner:
 *
 *     peer [--isa NAME] [--threads N] [--differences DIR] CAPTURES
 *
 * CAPTURES is the directory of st_NAME.ctf and st_NAME.f15.top.azahar.png. Prints a line for each
 * scene and setting; exit 1 when a picture differs more from the peer's than before. --differences
 * writes DIR/NAME-SETTING.png: differences within the tolerance are blue, others yellow to red.
 *
 * The peer is not a reference. docs/fidelity.md 5 explains why pixels differ.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pictures/writer.h"
#include "replay.h"

enum {
	FRAME = 15,
	TOLERANCE = 2, /* of 255, in a channel */
};

static const char *const setting_names[] = {
	[PICA_COMBINER_NEAREST] = "nearest",
	[PICA_COMBINER_TRUNCATE] = "truncate",
};

enum { SETTINGS = ARRAY_LEN(setting_names) };

struct limit {
	uint32_t pixels, beyond, max;
};

/*
 * The measured differences: they may decrease. is_tied: [fidelity: peer-tolerance] (at most 0.5 %
 * of the pixels beyond the tolerance) cannot hold with truncated products, because pixel centres of
 * the scene lie exactly on texel borders, where the last bit of the interpolation chooses the
 * texel.
 */
static const struct scene {
	const char *name;
	bool is_tied;
	struct limit limit[SETTINGS];
} scenes[] = {
	{ "blend", false, { { 337, 0, 2 }, { 337, 0, 2 } } },
	{ "edges", false, { { 0, 0, 0 }, { 0, 0, 0 } } },
	{ "light0", false, { { 24005, 1, 127 }, { 24005, 1, 127 } } },
	{ "light2", false, { { 90316, 0, 2 }, { 90316, 0, 2 } } },
	{ "manytri", false, { { 81652, 147, 230 }, { 178, 146, 230 } } },
	{ "overdraw", true, { { 83148, 3453, 18 }, { 9662, 2556, 18 } } },
	{ "persp", false, { { 28907, 0, 1 }, { 0, 0, 0 } } },
	{ "smalltri", false, { { 633, 6, 15 }, { 633, 6, 15 } } },
	{ "tev6", true, { { 41837, 1258, 249 }, { 2754, 1258, 249 } } },
};

static int replay_to_frame(struct picture *p, struct pica_ctx *ctx,
		struct pica_capture *capture) {
	struct replay r;
	int ret = replay_start(&r, gpu_here(ctx), capture, 0);
	for (unsigned i = 0; ret == 0 && i <= FRAME; i++) {
		ret = replay_frame(&r);
		ret = ret < 0 ? ret : ret == 0 ? -ENODATA : 0;
	}
	if (ret == 0) {
		ret = replay_wait(&r);
	}
	if (ret == 0) {
		ret = r.worst;
	}
	return ret < 0 ? ret :
			 gpu_read_screen(p, gpu_here(ctx), PICA_SCREEN_TOP, PICA_EYE_LEFT);
}

static int draw(struct picture *p, struct pica_device *device, const char *path) {
	struct pica_capture_error err;
	struct pica_capture *capture;
	struct pica_ctx *ctx;
	int ret = pica_capture_open(&capture, path, &err);
	if (ret < 0) {
		printf("%s\n", err.message);
		return ret;
	}
	ret = pica_ctx_create(&ctx, device, NULL);
	if (ret == 0) {
		ret = replay_to_frame(p, ctx, capture);
		pica_ctx_destroy(ctx);
	}
	pica_capture_close(capture);
	return ret;
}

/* Turns *p into a picture of where it differs from the peer's. */
static void mark_differences(struct picture *p, const struct picture *peer) {
	for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
		uint8_t *a = p->rgb + 3 * i;
		const uint8_t *b = peer->rgb + 3 * i;
		int worst = 0;
		for (unsigned c = 0; c < 3; c++) {
			const int d = abs(a[c] - b[c]);
			worst = d > worst ? d : worst;
		}
		const uint8_t dim = (uint8_t)((b[0] + b[1] + b[2]) / 6);
		if (worst > TOLERANCE) {
			a[0] = 255;
			a[1] = (uint8_t)(worst > 51 ? 0 : 255 - 5 * worst);
			a[2] = 0;
		} else if (worst > 0) {
			a[0] = 0;
			a[1] = 120;
			a[2] = 255;
		} else {
			a[0] = a[1] = a[2] = dim;
		}
	}
}

/* Returns false on an error, or if the difference has grown. */
static bool check(const struct scene *s, enum pica_combiner setting, struct pica_device *device,
		const char *captures, const char *differences) {
	struct picture peer = { 0 }, p = { 0 };
	struct picture_difference d;
	char path[1024];
	snprintf(path, sizeof(path), "%s/st_%s.f15.top.azahar.png", captures, s->name);
	int ret = picture_read_png(&peer, path, 0);
	if (ret == 0) {
		snprintf(path, sizeof(path), "%s/st_%s.ctf", captures, s->name);
		ret = draw(&p, device, path);
	}
	if (ret == 0) {
		ret = picture_compare(&p, &peer, TOLERANCE, &d);
	}
	bool ok = ret == 0;
	if (ok) {
		const struct limit *l = &s->limit[setting];
		const double percent = 100.0 * (double)d.beyond / ((double)p.width * p.height);
		printf("peer %-8s %-8s %5u pixels differ, %4u (%.2f %%) beyond %d/255, at most %u\n",
				s->name, setting_names[setting], (unsigned)d.pixels,
				(unsigned)d.beyond, percent, TOLERANCE, d.max);
		if (d.pixels > l->pixels || d.beyond > l->beyond || d.max > l->max) {
			printf("  expected: %u, %u, at most %u\n", l->pixels, l->beyond, l->max);
			ok = false;
		}
		if (setting == PICA_COMBINER_TRUNCATE && !s->is_tied && percent > 0.5) {
			printf("  more than 0.5 %% of the pixels\n");
			ok = false;
		}
	} else {
		printf("peer %s: %s: %s\n", s->name, path, strerror(-ret));
	}
	if (ret == 0 && differences) {
		snprintf(path, sizeof(path), "%s/%s-%s.png", differences, s->name,
				setting_names[setting]);
		mark_differences(&p, &peer);
		ret = picture_write_png(&p, path);
		if (ret < 0) {
			printf("%s: %s\n", path, strerror(-ret));
			ok = false;
		}
	}
	picture_finish(&peer);
	picture_finish(&p);
	return ok;
}

static void log_line(void *user, enum pica_log_level level, const char *line) {
	fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.float_mode = PICA_FLOAT_F32;
	settings.log = log_line;
	settings.log_level = PICA_LOG_ERROR;
	const char *differences = NULL;
	int i = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--isa") == 0) {
			settings.isa = argv[i + 1];
		} else if (strcmp(argv[i], "--threads") == 0) {
			settings.n_threads = (uint32_t)atoi(argv[i + 1]);
		} else if (strcmp(argv[i], "--differences") == 0) {
			differences = argv[i + 1];
		} else {
			break;
		}
	}
	if (i + 1 != argc) {
		fprintf(stderr, "usage: peer [--isa NAME] [--threads N] [--differences DIR] CAPTURES\n");
		return 2;
	}
	unsigned wrong = 0;
	for (unsigned setting = 0; setting < SETTINGS; setting++) {
		struct pica_device *device;
		settings.combiner = (enum pica_combiner)setting;
		const int ret = pica_device_create(&device, &settings);
		if (ret == -EOPNOTSUPP) {
			printf("this machine has no %s\n", settings.isa);
			return 77;
		}
		if (ret < 0) {
			fprintf(stderr, "peer: %s\n", strerror(-ret));
			return 2;
		}
		for (unsigned k = 0; k < ARRAY_LEN(scenes); k++) {
			wrong += !check(&scenes[k], settings.combiner, device, argv[i],
					differences);
		}
		pica_device_destroy(device);
	}
	return wrong != 0;
}
