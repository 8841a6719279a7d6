/*
 * Measures the cost of a presented frame, drawn by one thread, for each layout and two sizes of
 * display: milliseconds of processor time, and their ratio to a memcpy of the frame. Split outputs
 * are two displays, and two frames to copy.
 *
 *     bench_show [SECONDS-EACH]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "service/layout.h"

enum { VRAM = 0x18000000, PDC = 0x10400400 };

static double cpu_now(void) {
	return (double)clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1e6;
}

static int compare(const void *a, const void *b) {
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

struct output {
	struct pica_show_part parts[LAYOUT_PLACES + LAYOUT_REST];
	unsigned n;
};

struct run {
	struct pica_device *device;
	struct pica_show_target target; /* of each output */
	struct output outputs[2];
	unsigned n_outputs;
	const uint8_t *copy;
};

static void draw(const struct run *r) {
	for (unsigned i = 0; i < r->n_outputs; i++) {
		if (pica_show(r->device, &r->target, r->outputs[i].parts, r->outputs[i].n) < 0) {
			exit(1);
		}
	}
}

static void copy(const struct run *r) {
	memcpy(r->target.host, r->copy, r->target.stride_bytes * r->target.height);
	__asm__ volatile("" : : "r"(r->target.host) : "memory");
}

/* The median of single frames. */
static double measure(const struct run *r, void (*fn)(const struct run *), double seconds) {
	static double ms[100000];
	unsigned n = 0;
	const double end = cpu_now() + 1e3 * seconds;
	fn(r);
	do {
		const double begin = cpu_now();
		fn(r);
		ms[n++] = cpu_now() - begin;
	} while (n < 100000 && (cpu_now() < end || n < 3));
	qsort(ms, n, sizeof(*ms), compare);
	return ms[n / 2];
}

static void place(struct run *r, unsigned output, const struct layout *l,
		struct pica_shot *const shots[2]) {
	struct layout_place places[LAYOUT_PLACES];
	struct display_rect rest[LAYOUT_REST];
	struct output *o = &r->outputs[output];
	const uint32_t width = r->target.width, height = r->target.height;
	const unsigned n = layout_places(l, output, r->n_outputs, width, height, places),
		       n_rest = layout_rest(places, n, width, height, rest);
	o->n = 0;
	for (unsigned i = 0; i < n; i++) {
		o->parts[o->n++] = (struct pica_show_part){ .shot = shots[places[i].screen],
			.x = places[i].x,
			.y = places[i].y,
			.width = places[i].width,
			.height = places[i].height,
			.turns = l->turns,
			.filter = l->filter,
			.eyes = places[i].eyes };
	}
	for (unsigned i = 0; i < n_rest; i++) {
		o->parts[o->n++] = (struct pica_show_part){ .x = (int32_t)rest[i].x,
			.y = (int32_t)rest[i].y,
			.width = rest[i].width,
			.height = rest[i].height };
	}
}

static void write_reg(struct pica_ctx *ctx, uint32_t addr, uint32_t value) {
	struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = addr, .value = value } };
	pica_submit(ctx, &job, 1, NULL);
}

/* Noise on both screens, the top one in stereo, as RGB8. */
static void take_shots(struct pica_ctx *ctx, struct pica_shot *shots[2]) {
	uint8_t *vram = pica_ctx_host(ctx, VRAM, 6 << 20);
	for (unsigned i = 0; i < 2 << 20; i++) {
		vram[i] = (uint8_t)(i * 2654435761u >> 24);
	}
	const uint32_t regs[][2] = { { 0x68, VRAM }, { 0x94, VRAM + 0x80000 }, { 0x70, 0x21 },
		{ 0x90, 720 }, { 0x168, VRAM + 0x100000 }, { 0x170, 1 }, { 0x190, 720 } };
	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		write_reg(ctx, PDC + regs[i][0], regs[i][1]);
	}
	struct pica_job job = { .op = PICA_OP_PRESENT };
	uint64_t seq;
	job.u.present.screens = 3;
	pica_submit_present(ctx, &job, shots[0], shots[1], &seq);
	pica_wait(ctx, seq, -1);
}

static void set(struct layout *l, const char *const *how) {
	layout_init(l);
	if (layout_set_kind(l, how[0]) < 0 || layout_set_scale(l, how[1]) < 0 ||
		layout_set_filter(l, how[2]) < 0 || layout_set_rotation(l, how[3]) < 0 ||
		layout_set_stereo(l, how[4]) < 0) {
		exit(1);
	}
}

int main(int argc, char **argv) {
	static const char *const hows[][5] = {
		{ "stacked", "integer", "nearest", "0", "left" },
		{ "side-by-side", "integer", "nearest", "0", "left" },
		{ "top", "integer", "nearest", "0", "left" },
		{ "bottom", "integer", "nearest", "0", "left" },
		{ "split-outputs", "integer", "nearest", "0", "left" },
		{ "stacked", "fit", "nearest", "0", "left" },
		{ "stacked", "fit", "bilinear", "0", "left" },
		{ "stacked", "stretch", "bilinear", "0", "left" },
		{ "stacked", "integer", "nearest", "90", "left" },
		{ "stacked", "integer", "nearest", "180", "left" },
		{ "stacked", "integer", "nearest", "270", "left" },
		{ "stacked", "integer", "nearest", "0", "side-by-side" },
		{ "stacked", "integer", "nearest", "0", "anaglyph" },
	};
	static const uint32_t sizes[][2] = { { 800, 480 }, { 1920, 1080 } };
	const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.5;
	struct pica_settings settings;
	struct pica_ctx *ctx;
	struct pica_shot *shots[2];
	struct run r = { .n_outputs = 1 };
	pica_settings_init(&settings);
	if (pica_device_create(&r.device, &settings) < 0 ||
			pica_ctx_create(&ctx, r.device, NULL) < 0 ||
			pica_shot_create(&shots[0]) < 0 || pica_shot_create(&shots[1]) < 0) {
		return 1;
	}
	take_shots(ctx, shots);
	printf("%-10s %-9s %-13s %-8s %-9s %3s %-13s %8s %8s %6s\n", "size", "format", "layout",
			"scale", "filter", "rot", "stereo", "ms", "memcpy", "ratio");
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned format = 0; format < 2; format++) {
			const size_t bytes = (format ? 2 : 4) * (size_t)sizes[i][0] * sizes[i][1];
			uint8_t *host = malloc(bytes), *from = malloc(bytes);
			memset(from, 0x55, bytes);
			r.copy = from;
			r.target = (struct pica_show_target){ host, bytes / sizes[i][1],
				sizes[i][0], sizes[i][1], (enum pica_show_format)format };
			const double memcpy_ms = measure(&r, copy, seconds);
			for (unsigned k = 0; k < sizeof(hows) / sizeof(hows[0]); k++) {
				struct layout l;
				set(&l, hows[k]);
				r.n_outputs = l.kind == LAYOUT_SPLIT ? 2 : 1;
				for (unsigned output = 0; output < r.n_outputs; output++) {
					place(&r, output, &l, shots);
				}
				const double ms = measure(&r, draw, seconds);
				const double copies = r.n_outputs * memcpy_ms;
				printf("%4ux%-5u %-9s %-13s %-8s %-9s %3s %-13s %8.3f %8.3f %6.2f\n",
						sizes[i][0], sizes[i][1],
						format ? "rgb565" : "xrgb8888", hows[k][0],
						hows[k][1], hows[k][2], hows[k][3], hows[k][4], ms,
						copies, ms / copies);
			}
			free(host);
			free(from);
		}
	}
	pica_shot_put(shots[0]);
	pica_shot_put(shots[1]);
	pica_ctx_destroy(ctx);
	pica_device_destroy(r.device);
	return 0;
}
