/*
 * Frame 15 of the recorded scenes beside the pictures of another renderer, with both settings of the
 * combiner:
 *
 *     peer [--isa NAME] [--threads N] [--scene NAME] [--differences DIR] CAPTURES
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "picture.h"
#include "replay.h"

enum { FRAME = 15, TOLERANCE = 2 };

static const char *const scenes[] = {"blend","edges","manytri","overdraw","persp","smalltri","tev6","empty","light0","light2"};

static int draw(struct picture *p, const struct pica_settings *settings, const char *path) {
	struct pica_capture_error err;
	struct pica_capture *capture;
	struct pica_device *device = NULL;
	struct pica_ctx *ctx = NULL;
	struct replay r;
	int ret = pica_capture_open(&capture, path, &err);
	if (ret < 0) {
		printf("%s\n", err.message);
		return ret;
	}
	ret = pica_device_create(&device, settings);
	if (ret == 0) {
		ret = pica_ctx_create(&ctx, device, NULL);
	}
	if (ret == 0) {
		ret = replay_start(&r, ctx, capture);
	}
	for (unsigned i = 0; ret == 0 && i <= FRAME; i++) {
		ret = replay_frame(&r);
		ret = ret > 0 ? 0 : ret < 0 ? ret : -ENODATA;
	}
	if (ret == 0) {
		ret = picture_read_screen(p, ctx, PICA_SCREEN_TOP, PICA_EYE_LEFT);
	}
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	pica_capture_close(capture);
	return ret;
}

int main(int argc, char **argv) {
	const char *dir = argv[1], *out = argc > 2 ? argv[2] : NULL;
	for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) {
		char path[512];
		struct picture peer = {0}, p = {0};
		snprintf(path, sizeof path, "%s/st_%s.f15.top.azahar.png", dir, scenes[i]);
		if (picture_read_png(&peer, path) < 0) { printf("no %s\n", path); continue; }
		for (unsigned c = 0; c < 2; c++) {
			struct pica_settings s;
			pica_settings_init(&s);
			s.float_mode = PICA_FLOAT_F32;
			s.combiner = c;
			snprintf(path, sizeof path, "%s/st_%s.ctf", dir, scenes[i]);
			int ret = draw(&p, &s, path);
			if (ret < 0) { printf("%s: %s\n", path, strerror(-ret)); continue; }
			struct picture_difference d;
			picture_compare(&p, &peer, TOLERANCE, &d);
			printf("%-10s %s: %6llu differ %6llu beyond max %u first %u,%u\n", scenes[i], c?"trunc  ":"nearest",
				(unsigned long long)d.pixels,(unsigned long long)d.beyond,d.max,d.x,d.y);
			if (out) {
				snprintf(path, sizeof path, "%s/%s-%s.png", out, scenes[i], c?"trunc":"near");
				picture_write_png(&p, path);
			}
		}
		picture_finish(&peer); picture_finish(&p);
	}
	return 0;
}
