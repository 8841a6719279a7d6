#include "dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "common/json.h"
#include "common/log.h"
#include "fields.h"
#include "pictures/file.h"
#include "pictures/writer.h"

enum { MAX_SIDE = 2048, MIN_SIDE = 8 };

void dump_files_begin(struct dump_files *f, const char *folder, bool json) {
	*f = (struct dump_files){
		.folder = folder, .prints = !json, .rows = json ? json_array() : NULL
	};
	if (mkdir(folder, 0777) && errno != EEXIST) {
		f->exit = log_result(folder, -errno);
	}
}

void dump_files_finish(struct dump_files *f) {
	json_decref(f->rows);
	f->rows = NULL;
}

char *dump_files_path(struct dump_files *f, const char *name) {
	char *path = file_in(f->folder, name);
	if (!path) {
		f->exit = log_no_memory();
	}
	return path;
}

void dump_files_made(struct dump_files *f, const char *path, int result, const char *note) {
	if (result < 0) {
		f->exit = log_fail("cannot write %s: %s", path, strerror(-result));
		return;
	}
	if (f->rows) {
		json_array_append_new(f->rows,
				json_pack("{so ss}", "path", json_text(path), "note",
						note ? note : ""));
	}
	if (f->prints) {
		printf("%s%s%s\n", path, note ? " " : "", note ? note : "");
	}
}

void dump_files_picture(struct dump_files *f, const char *name, const struct picture *p, int ret,
		const char *note) {
	char *path = dump_files_path(f, name);
	if (path) {
		dump_files_made(f, path, ret < 0 ? ret : picture_write_png(p, path), note);
	}
	free(path);
}

/* Logs why a file is not written. */
static void dump_files_skip(struct dump_files *f, const char *name, const char *why) {
	log_line("%s/%s: note: not written: %s", f->folder, name, why);
}

/* ---- Textures ---- */

static void write_level(struct dump_files *f, struct pica_ctx *ctx, const char *name, uint32_t addr,
		uint32_t format, uint32_t width, uint32_t height) {
	char note[64];
	char *path = dump_files_path(f, name);
	uint8_t *rgba = malloc(4 * (size_t)width * height);
	int ret = path && rgba ? pica_ctx_read_surface(ctx, addr, format, width, height, rgba,
			4 * (size_t)width) :
			-ENOMEM;
	if (ret == -ERANGE) {
		dump_files_skip(f, name, "it does not lie in memory");
	} else if (path) {
		snprintf(note, sizeof(note), "%" PRIu32 "x%" PRIu32 " %s 0x%08" PRIx32, width,
				height, field_text("TEXTURE_FORMAT", format), addr);
		ret = ret < 0 ? ret : picture_write_png_rgba(rgba, width, height, path);
		dump_files_made(f, path, ret, note);
	}
	free(rgba);
	free(path);
}

static void write_levels(struct dump_files *f, struct pica_ctx *ctx, const char *name,
		const struct facts_texture *t, uint32_t addr) {
	uint32_t width = t->width, height = t->height;
	for (uint32_t level = 0; level <= t->levels && width >= MIN_SIDE && height >= MIN_SIDE;
			level++) {
		char file[64];
		if (level) {
			snprintf(file, sizeof(file), "%s-%" PRIu32 ".png", name, level);
		} else {
			snprintf(file, sizeof(file), "%s.png", name);
		}
		if (width % 8 || height % 8 || width > MAX_SIDE || height > MAX_SIDE) {
			dump_files_skip(f, file, "its sides are not multiples of 8");
			return;
		}
		write_level(f, ctx, file, addr, t->format, width, height);
		addr += width * height * t->bits / 8;
		width /= 2;
		height /= 2;
	}
}

void dump_textures(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s) {
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		struct facts_texture t;
		char name[32];
		facts_texture(s->state.regs, unit, &t);
		snprintf(name, sizeof(name), "tex%u", unit);
		if (!t.is_on) {
			continue;
		}
		if (!t.bits) {
			dump_files_skip(f, name, "it has no known format");
			continue;
		}
		const bool is_cube = facts_is_cube(&t);
		for (unsigned face = 0; face < (is_cube ? FACTS_FACES : 1); face++) {
			const uint32_t addr = facts_face_addr(s->state.regs, &t, face);
			snprintf(name, sizeof(name), "tex%u%s", unit,
					is_cube ? facts_faces[face] : "");
			write_levels(f, ctx, name, &t, addr);
		}
	}
}

/* ---- Surfaces ---- */

static void write_picture(struct dump_files *f, const char *prefix, const char *name,
		struct picture *p, const char *what) {
	char file[32], note[96];
	snprintf(file, sizeof(file), "%s%s.png", prefix, name);
	const int ret = picture_turn_screen(p);
	snprintf(note, sizeof(note), "%" PRIu32 "x%" PRIu32 " %s", p->width, p->height, what);
	dump_files_picture(f, file, p, ret, note);
}

static void write_color(struct dump_files *f, struct pica_ctx *ctx, const struct pica_target *t,
		const char *prefix) {
	struct picture p = { 0 };
	char what[64];
	int ret = gpu_read_target(&p, gpu_here(ctx), t);
	if (ret < 0) {
		dump_files_skip(f, "color.png",
				ret == -ERANGE ? "it does not lie in memory" : strerror(-ret));
		return;
	}
	snprintf(what, sizeof(what), "%s 0x%08" PRIx32, field_text("COLOR_FORMAT", t->color_format),
			t->color_addr);
	write_picture(f, prefix, "color", &p, what);
	picture_finish(&p);
}

struct range {
	uint32_t min, max;
};

static struct range range_of(const uint32_t *words, size_t n, unsigned shift, uint32_t mask) {
	struct range r = { UINT32_MAX, 0 };
	for (size_t i = 0; i < n; i++) {
		const uint32_t x = words[i] >> shift & mask;
		r.min = x < r.min ? x : r.min;
		r.max = x > r.max ? x : r.max;
	}
	return r;
}

/* Values as grey, the smallest black and the largest white. */
static void write_grey(struct dump_files *f, const char *prefix, const char *name,
		const struct pica_target *t, const uint32_t *words, unsigned shift, uint32_t mask) {
	const size_t n = (size_t)t->width * t->height;
	const struct range r = range_of(words, n, shift, mask);
	struct picture p = { .width = t->width, .height = t->height, .rgb = malloc(3 * n) };
	char what[64];
	if (!p.rgb) {
		f->exit = log_no_memory();
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const uint64_t x = (words[i] >> shift & mask) - r.min;
		memset(p.rgb + 3 * i, r.max > r.min ? (int)(x * 255 / (r.max - r.min)) : 0, 3);
	}
	snprintf(what, sizeof(what), "0x%" PRIx32 " (black) to 0x%" PRIx32 " (white)", r.min,
			r.max);
	write_picture(f, prefix, name, &p, what);
	picture_finish(&p);
}

void dump_surfaces(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s,
		const char *prefix) {
	struct pica_target t;
	if (pica_target_from_regs(&t, s->state.regs) < 0) {
		dump_files_skip(f, "color.png", "nothing can be drawn to the target");
		return;
	}
	write_color(f, ctx, &t, prefix);
	uint32_t *words = malloc(sizeof(*words) * t.width * t.height);
	int ret = words ? pica_ctx_read_depth(ctx, &t, words, t.width) : -ENOMEM;
	if (ret == 0) {
		const bool is_d16 = t.depth_format == PICA_DEPTH_FORMAT_D16;
		write_grey(f, prefix, "depth", &t, words, 0, is_d16 ? 0xFFFF : 0xFFFFFF);
		if (t.depth_format == PICA_DEPTH_FORMAT_D24S8) {
			write_grey(f, prefix, "stencil", &t, words, 24, 0xFF);
		}
	} else if (!prefix[0]) {
		dump_files_skip(f, "depth.png",
				ret == -ENOMEM ? strerror(ENOMEM) : "no depth buffer");
	}
	free(words);
}
