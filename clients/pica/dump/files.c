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

int dump_texture_levels(const uint32_t *regs, dump_level_fn *one, void *user) {
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		struct dump_level l = { .unit = unit };
		struct facts_texture t;
		facts_texture(regs, unit, &t);
		const bool is_cube = facts_is_cube(&t);
		for (l.face = 0; t.is_on && l.face < (is_cube ? FACTS_FACES : 1); l.face++) {
			l.addr = facts_face_addr(regs, &t, l.face);
			l.format = t.format;
			l.width = t.width;
			l.height = t.height;
			l.level = 0;
			do {
				const char *face = is_cube ? facts_faces[l.face] : "";
				snprintf(l.name, sizeof(l.name), l.level ? "tex%u%s-%" PRIu32 :
						"tex%u%s", unit, face, l.level);
				l.wrong = !t.bits ? "it has no known format" :
						l.width < MIN_SIDE || l.height < MIN_SIDE ||
						l.width % 8 || l.height % 8 || l.width > MAX_SIDE ||
						l.height > MAX_SIDE ?
						"its sides are not multiples of 8" : NULL;
				const int ret = one(user, &l);
				if (ret < 0) {
					return ret;
				}
				l.addr += l.width * l.height * t.bits / 8;
				l.width /= 2;
				l.height /= 2;
			} while (!l.wrong && l.level++ < t.levels && l.width >= MIN_SIDE &&
					l.height >= MIN_SIDE);
		}
	}
	return 0;
}

struct texture_files {
	struct dump_files *f;
	struct pica_ctx *ctx;
};

static int write_level(void *user, const struct dump_level *l) {
	const struct texture_files *to = user;
	char file[sizeof(l->name) + 4], note[64];
	snprintf(file, sizeof(file), "%s.png", l->name);
	if (l->wrong) {
		dump_files_skip(to->f, file, l->wrong);
		return 0;
	}
	char *path = dump_files_path(to->f, file);
	uint8_t *rgba = malloc(4 * (size_t)l->width * l->height);
	int ret = path && rgba ? pica_ctx_read_surface(to->ctx, l->addr, l->format, l->width,
			l->height, rgba, 4 * (size_t)l->width) : -ENOMEM;
	if (ret == -ERANGE) {
		dump_files_skip(to->f, file, "it does not lie in memory");
	} else if (path) {
		snprintf(note, sizeof(note), "%" PRIu32 "x%" PRIu32 " %s 0x%08" PRIx32, l->width,
				l->height, field_text("TEXTURE_FORMAT", l->format), l->addr);
		ret = ret < 0 ? ret : picture_write_png_rgba(rgba, l->width, l->height, path);
		dump_files_made(to->f, path, ret, note);
	}
	free(rgba);
	free(path);
	return 0;
}

void dump_textures(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s) {
	struct texture_files to = { f, ctx };
	dump_texture_levels(s->state.regs, write_level, &to);
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

void dump_grey(const uint32_t *words, size_t n, unsigned shift, uint32_t mask, uint32_t range[2],
		uint8_t *rgb) {
	range[0] = UINT32_MAX;
	range[1] = 0;
	for (size_t i = 0; i < n; i++) {
		const uint32_t x = words[i] >> shift & mask;
		range[0] = x < range[0] ? x : range[0];
		range[1] = x > range[1] ? x : range[1];
	}
	for (size_t i = 0; i < n; i++) {
		const uint64_t x = (words[i] >> shift & mask) - range[0];
		memset(rgb + 3 * i, range[1] > range[0] ?
				(int)(x * 255 / (range[1] - range[0])) : 0, 3);
	}
}

static void write_grey(struct dump_files *f, const char *prefix, const char *name,
		const struct pica_target *t, const uint32_t *words, unsigned shift, uint32_t mask) {
	const size_t n = (size_t)t->width * t->height;
	uint32_t range[2];
	struct picture p = { .width = t->width, .height = t->height, .rgb = malloc(3 * n) };
	char what[64];
	if (!p.rgb) {
		f->exit = log_no_memory();
		return;
	}
	dump_grey(words, n, shift, mask, range, p.rgb);
	snprintf(what, sizeof(what), "0x%" PRIx32 " (black) to 0x%" PRIx32 " (white)", range[0],
			range[1]);
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
