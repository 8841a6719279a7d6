/*
 * naive-pictures LIBRARY [PICTURES]: draws the cases of a library of `pica conform` with the
 * independent renderer, and compares their hashes with the manifest's. With PICTURES, writes the
 * manifest, with new hashes for cases of two renderers and of guesses, to the standard output, and
 * their pictures into that folder. Exit 1: pictures differ.
 *
 * naive-pictures CAPTURE.pica FOLDER: draws one capture into FOLDER/top.png, as a replayer of
 * `pica conform`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_side.h"
#include "pica_capture.h"
#include "pictures/file.h"
#include "pictures/picture.h"
#include "pictures/writer.h"

enum { WIDTH = 400, HEIGHT = 240, CASE_SIDE = 64 };

/* The top screen's controller, words from 0x10400000. [fidelity: displays] */
enum { TOP_LEFT0 = 0x468 / 4, TOP_FORMAT = 0x470 / 4, TOP_STRIDE = 0x490 / 4 };

/* A pixel as the screen shows it, from its bytes. [fidelity: displays, texel-formats] */
static void decode(uint8_t rgb[3], const uint8_t *p, unsigned format) {
	static const uint8_t bits[5][3][2] = { [2] = { { 11, 5 }, { 5, 6 }, { 0, 5 } },
		[3] = { { 11, 5 }, { 6, 5 }, { 1, 5 } },
		[4] = { { 12, 4 }, { 8, 4 }, { 4, 4 } } };
	const unsigned word = p[0] | (unsigned)p[1] << 8;
	for (unsigned k = 0; k < 3; k++) {
		if (format < 2) {
			rgb[k] = p[(format == 0) + 2 - k];
			continue;
		}
		const unsigned n = bits[format][k][1],
			       v = word >> bits[format][k][0] & ((1u << n) - 1);
		rgb[k] = (uint8_t)(v << (8 - n) | (n < 8 - n ? v * 1u : v >> (2 * n - 8)));
	}
}

static void screen(struct picture *out, const struct side *s) {
	static const uint32_t bytes[8] = { 4, 3, 2, 2, 2, 2, 2, 2 };
	const uint32_t format = s->external[TOP_FORMAT] & 7, base = s->external[TOP_LEFT0] - VRAM;
	for (uint32_t x = 0; x < WIDTH; x++) {
		for (uint32_t y = 0; y < HEIGHT; y++) {
			const uint64_t at = base + (uint64_t)x * s->external[TOP_STRIDE] +
					(HEIGHT - 1 - y) * bytes[format];
			uint8_t *rgb = out->rgb + 3 * (y * WIDTH + x);
			memset(rgb, 0, 3);
			if (at + 4 <= VRAM_BYTES) {
				decode(rgb, s->vram + at, format < 5 ? format : 4);
			}
		}
	}
}

static int draw(struct picture *out, const char *path) {
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct pica_capture_event event;
	struct side s;
	int ret = pica_capture_open(&capture, path, &error);
	if (ret < 0) {
		fprintf(stderr, "%s\n", error.message);
		return ret;
	}
	ret = side_init(&s, pica_capture_state(capture));
	while (ret == 0 && pica_capture_next(capture, &event) > 0) {
		ret = side_job(&s, &event.job);
	}
	if (ret == 0) {
		screen(out, &s);
	}
	side_finish(&s);
	pica_capture_close(capture);
	return ret;
}

/* The lower left corner. */
static int write_corner(const struct picture *screen, const char *folder, const char *name,
		unsigned width, unsigned height) {
	char path[4096];
	struct picture p = { 0 };
	int ret = picture_alloc(&p, width, height);
	for (unsigned y = 0; ret == 0 && y < height; y++) {
		memcpy(p.rgb + 3 * width * y, screen->rgb + 3 * WIDTH * (HEIGHT - height + y),
				3 * width);
	}
	snprintf(path, sizeof(path), "%s/%s.png", folder, name);
	ret = ret < 0 ? ret : picture_write_png(&p, path);
	picture_finish(&p);
	return ret;
}

/*
 * Returns whether everything outside the corner of that size is black, and the corner has several
 * colours: no picture of one colour is right.
 */
static bool is_fine(const struct picture *screen, unsigned width, unsigned height) {
	const uint8_t *first = screen->rgb + 3 * WIDTH * (HEIGHT - 1);
	bool has_several = false;
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		const uint8_t *p = screen->rgb + 3 * i;
		const bool is_inside = i % WIDTH < width && i / WIDTH >= HEIGHT - height;
		if (!is_inside && (p[0] || p[1] || p[2])) {
			return false;
		}
		has_several |= is_inside && memcmp(p, first, 3) != 0;
	}
	return has_several;
}

/* Draws and compares a row of the manifest. Returns whether the picture is as expected. */
static bool compare(
		struct picture *p, const char *library, const char *pictures, const char *line) {
	char name[64], origin[16], rule[64], expected[40], drawn[PICTURE_HASH_TEXT], path[4096];
	unsigned width, height;
	if (sscanf(line, "%63s %15s %63s %2ux%2u %39s", name, origin, rule, &width, &height,
			    expected) != 6 ||
			width > CASE_SIDE || height > CASE_SIDE) {
		fprintf(stderr, "naive-pictures: %.*s: expected NAME PROVENANCE RULE WIDTHxHEIGHT HASH\n",
				(int)strcspn(line, "\n"), line);
		return false;
	}
	snprintf(path, sizeof(path), "%s/%s.pica", library, name);
	if (draw(p, path) < 0) {
		fprintf(stderr, "naive-pictures: %s cannot be drawn\n", path);
		return false;
	}
	if (!is_fine(p, height, width)) {
		fprintf(stderr, "naive-pictures: %s: pixels beside the picture are not black, or it has "
				"one colour\n",
				name);
		return false;
	}
	picture_hash(p, drawn);
	const bool is_drawn = strcmp(origin, "renderers") == 0 || strcmp(origin, "guess") == 0;
	if (pictures) {
		printf("%s %s %s %ux%u %s\n", name, origin, rule, width, height,
				is_drawn ? drawn : expected);
	}
	if (pictures && is_drawn) {
		return write_corner(p, pictures, name, height, width) == 0;
	}
	if (strcmp(drawn, expected) != 0) {
		fprintf(stderr, "naive-pictures: %s: %s %s: the independent renderer draws another picture\n",
				name, origin, rule);
		return false;
	}
	return true;
}

static int replay(struct picture *p, const char *capture, const char *folder) {
	char *path = file_in(folder, "top.png");
	const int ret = path && draw(p, capture) == 0 ? picture_write_png(p, path) : -ENOMEM;
	free(path);
	picture_finish(p);
	return ret < 0 ? 2 : 0;
}

int main(int argc, char **argv) {
	struct picture p = { 0 };
	void *text = NULL;
	size_t size;
	unsigned n = 0, wrong = 0;
	if (argc < 2 || argc > 3 || picture_alloc(&p, WIDTH, HEIGHT) < 0) {
		fprintf(stderr, "usage: naive-pictures LIBRARY [PICTURES]\n"
				"       naive-pictures CAPTURE.pica FOLDER\n");
		return 2;
	}
	if (argc == 3 && file_ends_with(argv[1], ".pica")) {
		return replay(&p, argv[1], argv[2]);
	}
	char *manifest = file_in(argv[1], argc > 2 ? "rows.txt" : "manifest.txt");
	const int ret = manifest ? file_read(manifest, &text, &size, 1 << 20) : -ENOMEM;
	for (const char *line = ret < 0 ? NULL : text; line && *line;
			line += strcspn(line, "\n"), line += *line == '\n') {
		if (*line != '#') {
			n++;
			wrong += !compare(&p, argv[1], argv[2], line);
		}
	}
	fprintf(stderr, "naive-pictures: %u of %u cases as expected\n", n - wrong, n);
	free(manifest);
	free(text);
	picture_finish(&p);
	return wrong || n == 0;
}
