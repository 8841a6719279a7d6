/*
 * Compares pictures of scenes with expected hashes, for an instruction set and thread count:
 *
 *     golden [--isa NAME] [--threads N] [--vertex-threads N] [--slice-us N] [--step yes|no] HASHES
 *         CAPTURE...
 *
 * HASHES holds lines "name frame screen hash" as `pica render --format hash --eye both` prints
 * them, but "top left" is written "top", "top right" "top-right" and "bottom left" "bottom"; it
 * must hold exactly the pictures of the captures. The pictures that a .pica expects must be the
 * same. With --step yes, submits lists write by write, and waits for each draw.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "pictures/picture.h"
#include "step.h"

enum { MAX_LINES = 4096 };

static struct expected {
	char name[64], screen[16], hash[PICTURE_HASH_TEXT];
	unsigned frame;
	bool seen;
} expected[MAX_LINES];
static unsigned n_expected, failures, pictures;
static bool stepping;
static struct pica_memory *memory; /* NULL: not limited */

static int read_hashes(const char *path) {
	FILE *f = fopen(path, "r");
	if (!f) {
		return -errno;
	}
	char line[256];
	while (fgets(line, sizeof(line), f) && n_expected < MAX_LINES) {
		struct expected *e = &expected[n_expected];
		if (line[0] != '#' &&
				sscanf(line, "%63s %u %15s %32s", e->name, &e->frame, e->screen,
						e->hash) == 4) {
			n_expected++;
		}
	}
	fclose(f);
	return 0;
}

static void check(const char *name, unsigned frame, const char *screen, const struct picture *p) {
	char hash[PICTURE_HASH_TEXT];
	picture_hash(p, hash);
	pictures++;
	for (unsigned i = 0; i < n_expected; i++) {
		struct expected *e = &expected[i];
		if (e->frame != frame || strcmp(e->name, name) || strcmp(e->screen, screen)) {
			continue;
		}
		e->seen = true;
		if (strcmp(e->hash, hash)) {
			printf("%s frame %u %s: hash %s, expected %s\n", name, frame, screen, hash,
					e->hash);
			failures++;
		}
		return;
	}
	printf("%s frame %u %s: hash %s is not in the list\n", name, frame, screen, hash);
	failures++;
}

static void capture_name(const char *path, char *name, size_t size) {
	const char *slash = strrchr(path, '/');
	snprintf(name, size, "%s", slash ? slash + 1 : path);
	char *dot = strchr(name, '.');
	if (dot) {
		*dot = '\0';
	}
}

/* The screens after frame, or the picture. */
static int check_frame(struct pica_ctx *ctx, const char *name, unsigned frame, struct picture *p) {
	static const struct {
		const char *name;
		enum pica_screen_id screen;
		enum pica_eye eye;
	} views[3] = { { "top", PICA_SCREEN_TOP, PICA_EYE_LEFT },
		{ "top-right", PICA_SCREEN_TOP, PICA_EYE_RIGHT },
		{ "bottom", PICA_SCREEN_BOTTOM, PICA_EYE_LEFT } };
	const int picture = gpu_read_picture(p, gpu_here(ctx));
	if (picture != -EOPNOTSUPP) {
		check(name, frame, "picture", p);
		return picture;
	}
	for (unsigned i = 0; i < 3; i++) {
		struct pica_screen screen;
		int ret = pica_ctx_screen(ctx, views[i].screen, &screen);
		if (ret == 0 && views[i].eye == PICA_EYE_RIGHT && !screen.has_right) {
			continue;
		}
		if (ret == 0) {
			ret = gpu_read_screen(p, gpu_here(ctx), views[i].screen, views[i].eye);
		}
		if (ret < 0) {
			return ret;
		}
		check(name, frame, views[i].name, p);
	}
	return 0;
}

/* Compares the pictures with those that the capture expects; a .pica must expect some. */
static int check_expected(struct pica_ctx *ctx, const struct pica_capture *capture,
		const char *name, unsigned frame) {
	struct pica_capture_info info;
	struct pica_expected want, have;
	uint32_t n;
	const int ret = expect_compare(gpu_here(ctx), capture, frame, &n, &want, &have);
	pica_capture_info(capture, &info);
	const uint32_t least = info.chip == PICA_CHIP_PICA200 ? 2 : 1;
	if (ret > 0 || (info.form == PICA_CAPTURE_PICA && n < least)) {
		printf("%s frame %u: the capture expects %s\n", name, frame,
				ret > 0 ? "another picture" : "too little");
		failures++;
	}
	return ret < 0 ? ret : 0;
}

static int run(struct pica_device *device, const char *path) {
	struct pica_capture_error err;
	struct pica_capture *capture;
	struct pica_ctx *ctx;
	struct picture p = { 0 };
	struct step s;
	char name[64];
	int ret = pica_capture_open(&capture, path, &err);
	if (ret < 0) {
		printf("%s\n", err.message);
		return ret;
	}
	struct pica_ctx_settings settings;
	pica_capture_ctx_settings(capture, &settings);
	settings.memory = memory;
	ret = pica_ctx_create(&ctx, device, &settings);
	if (ret < 0) {
		pica_capture_close(capture);
		return ret;
	}
	capture_name(path, name, sizeof(name));
	static const struct step_visitor nobody;
	ret = step_start(&s, gpu_here(ctx), capture, 0, &nobody, NULL);
	while (ret == 0 && (ret = step_frame(&s, stepping)) > 0) {
		ret = check_frame(ctx, name, (unsigned)s.replay.frames - 1, &p);
		if (ret == 0) {
			ret = check_expected(ctx, capture, name, (unsigned)s.replay.frames - 1);
		}
	}
	if (s.replay.worst < 0 || ret < 0) {
		printf("%s: %s\n", name, strerror(ret < 0 ? -ret : -s.replay.worst));
		failures++;
	}
	picture_finish(&p);
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	return 0;
}

static void log_line(void *user, enum pica_log_level level, const char *line) {
	fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.log = log_line;
	settings.log_level = PICA_LOG_ERROR;
	int i = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--step") == 0) {
			stepping = strcmp(argv[i + 1], "yes") == 0;
		} else if (strcmp(argv[i], "--isa") == 0) {
			settings.isa = argv[i + 1];
		} else if (strcmp(argv[i], "--threads") == 0) {
			settings.n_threads = (uint32_t)atoi(argv[i + 1]);
		} else if (strcmp(argv[i], "--vertex-threads") == 0) {
			settings.n_vertex_threads = (uint32_t)atoi(argv[i + 1]);
		} else if (strcmp(argv[i], "--slice-us") == 0) {
			settings.slice_us = (uint32_t)atoi(argv[i + 1]);
		} else if (strcmp(argv[i], "--memory-kib") == 0 &&
				pica_memory_create(&memory, NULL) == 0) {
			pica_memory_limit(memory, (uint64_t)atoi(argv[i + 1]) << 10);
		}
	}
	if (i + 1 >= argc || read_hashes(argv[i]) < 0) {
		fprintf(stderr,
				"usage: golden [--isa NAME] [--threads N] [--vertex-threads N] [--slice-us N] [--step yes|no] "
				"[--memory-kib N] HASHES CAPTURE...\n");
		return 2;
	}
	struct pica_device *device;
	int ret = pica_device_create(&device, &settings);
	if (ret == -EOPNOTSUPP) {
		printf("this machine has no %s\n", settings.isa);
		return 77;
	}
	if (ret < 0) {
		return 2;
	}
	for (i++; i < argc; i++) {
		if (run(device, argv[i]) < 0) {
			failures++;
		}
	}
	for (unsigned k = 0; k < n_expected; k++) {
		if (!expected[k].seen) {
			printf("%s frame %u %s: expected, but not drawn\n", expected[k].name,
					expected[k].frame, expected[k].screen);
			failures++;
		}
	}
	printf("golden %s, %u threads: %u pictures, %u wrong\n", pica_device_isa(device),
			settings.n_threads, pictures, failures);
	pica_device_destroy(device);
	failures += memory && pica_memory_used(memory); /* all was given back */
	pica_memory_destroy(memory);
	return failures != 0;
}
