/*
 * Captures through both renderers, frame by frame:
 *
 *     naive-scenes [--isa NAME] [--threads N] [--pixels N] CAPTURE...
 *
 * After each frame all of VRAM must be the same bytes, targets, depth buffers and shown pictures
 * alike, and after the last one main memory too. --pixels: the histories of so many random pixels
 * (pica_history.h) must be the same, entry for entry. Exit 1 when they differ, 77 when the
 * machine lacks the instruction set, 2 on trouble.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive.h"
#include "scene_pixels.h"
#include "pica_capture.h"
#include "replay.h"

enum { VRAM = 0x18000000, VRAM_BYTES = 6 << 20, FCRAM = 0x20000000, FCRAM_BYTES = 128 << 20 };

/* External registers, as offsets from 0x10400000 in words. [fidelity: external-registers] */
enum {
	EXTERNAL_BASE = 0x10400000,
	INTERNAL_BASE = 0x10401000,
	INTERNAL_END = 0x10401C00,
	FILL_START = 0x010 / 4,
	FILL_END = 0x014 / 4,
	FILL_VALUE = 0x018 / 4,
	FILL_CONTROL = 0x01C / 4,
	FILL_STEP = 0x10 / 4,
	PPF_IN = 0xC00 / 4,
	PPF_OUT = 0xC04 / 4,
	PPF_OUT_DIM = 0xC08 / 4,
	PPF_IN_DIM = 0xC0C / 4,
	PPF_FLAGS = 0xC10 / 4,
	PPF_CONTROL = 0xC18 / 4,
	PPF_COPY_BYTES = 0xC20 / 4,
	PPF_COPY_IN = 0xC24 / 4,
	PPF_COPY_OUT = 0xC28 / 4,
	PPF_IS_COPY = 1 << 3,
	START = 1,
};

/* The naive side: the renderer, and the registers around it that a capture writes. */
struct side {
	struct naive *naive;
	uint8_t *vram, *fcram;
	uint32_t external[PICA_EXTERNAL_WORDS];
	struct pixels *pixels; /* or NULL */
	int error;
};

static void start_fill(struct side *s, unsigned unit) {
	const uint32_t *w = s->external + unit * FILL_STEP;
	const struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = w[FILL_START] << 3,
				.end = w[FILL_END] << 3,
				.value = w[FILL_VALUE],
				.control = w[FILL_CONTROL],
				.unit = unit } };
	s->error = naive_job(s->naive, &job);
}

static void start_transfer(struct side *s) {
	const uint32_t *w = s->external;
	struct pica_job job = { .op = PICA_OP_TRANSFER };
	if (w[PPF_FLAGS] & PPF_IS_COPY) {
		job.op = PICA_OP_COPY;
		job.u.copy = (struct pica_job_copy){ .src = w[PPF_IN] << 3, .dst = w[PPF_OUT] << 3,
			.size_bytes = w[PPF_COPY_BYTES], .in_line = w[PPF_COPY_IN],
			.out_line = w[PPF_COPY_OUT] };
	} else {
		job.u.transfer = (struct pica_job_transfer){ .src = w[PPF_IN] << 3,
			.dst = w[PPF_OUT] << 3,
			.out_dim = w[PPF_OUT_DIM],
			.in_dim = w[PPF_IN_DIM],
			.flags = w[PPF_FLAGS] };
	}
	s->error = naive_job(s->naive, &job);
}

/*
 * A list is started by an internal register, 18F0: id 23C, with its size and address in 238, 23A.
 */
static void internal_write(struct side *s, uint32_t id, uint32_t value) {
	enum { LIST_SIZE = 0x238, LIST_ADDR = 0x23A, LIST_START = 0x23C };
	if (id == LIST_START) {
		naive_run_list(s->naive, naive_read_reg(s->naive, LIST_ADDR) << 3,
				naive_read_reg(s->naive, LIST_SIZE) << 3);
	} else {
		naive_write_reg(s->naive, id, value, 0xF);
	}
}

static void reg_write(struct side *s, uint32_t addr, uint32_t value) {
	if (addr >= INTERNAL_BASE && addr < INTERNAL_END) {
		internal_write(s, (addr - INTERNAL_BASE) / 4, value);
		return;
	}
	if (addr < EXTERNAL_BASE || addr >= INTERNAL_BASE) {
		return; /* the LCD */
	}
	const uint32_t word = (addr - EXTERNAL_BASE) / 4;
	s->external[word] = value;
	if (!(value & START)) {
		return;
	}
	if (word == FILL_CONTROL || word == FILL_CONTROL + FILL_STEP) {
		start_fill(s, word != FILL_CONTROL);
	} else if (word == PPF_CONTROL) {
		start_transfer(s);
	}
}

/* Called for each event before the engine gets it. */
static int look(void *user, const struct pica_capture_event *event) {
	struct side *s = user;
	if (s->pixels) {
		pixels_job(s->pixels, s->naive, &event->job);
	}
	if (event->job.op == PICA_OP_REG_WRITE) {
		reg_write(s, event->job.u.reg_write.addr, event->job.u.reg_write.value);
	} else {
		s->error = naive_job(s->naive, &event->job);
	}
	return s->error;
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
		struct side *s) {
	struct replay r;
	struct naive_stats stats;
	int ret = replay_start(&r, gpu_here(ctx), capture, 0);
	if (ret < 0) {
		return ret;
	}
	naive_load_state(s->naive, pica_capture_state(capture));
	memcpy(s->external, pica_capture_state(capture)->external, sizeof(s->external));
	r.look = look;
	r.look_user = s;
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
	struct side s = { .naive = naive_create(PICA_FLOAT_F24), .vram = calloc(1, VRAM_BYTES),
		.fcram = calloc(1, FCRAM_BYTES) };
	int ret = s.naive && s.vram && s.fcram ? 0 : -ENOMEM;
	if (ret == 0) {
		naive_map(s.naive, VRAM, VRAM_BYTES, s.vram);
		naive_map(s.naive, FCRAM, FCRAM_BYTES, s.fcram);
		ret = pica_capture_open(&capture, path, &err);
		if (ret < 0) {
			fprintf(stderr, "%s\n", err.message);
		}
	}
	if (ret == 0) {
		ret = pica_ctx_create(&ctx, device, NULL);
	}
	if (ret == 0 && n_pixels) {
		s.pixels = pixels_create(ctx, capture, s.naive, n_pixels);
		ret = s.pixels ? 0 : -ENOMEM;
	}
	if (ret == 0) {
		ret = compare(path, ctx, capture, &s);
	}
	if (ret > 0 && n_pixels) {
		ret = pixels_compare(s.pixels, path, ctx, capture);
	}
	if (ret < 0) {
		fprintf(stderr, "naive-scenes: %s: %s\n", path, strerror(-ret));
	}
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	pixels_destroy(s.pixels);
	naive_destroy(s.naive);
	free(s.vram);
	free(s.fcram);
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
