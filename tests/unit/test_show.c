/*
 * Shots of screens, and drawing them into a display's picture, compared with the definition pixel
 * by pixel.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pica_show.h"
#include "tests/suite.h"

enum { VRAM = 0x18000000, PDC = 0x10400400, MAX_BYTES = 1 << 22 };

static struct pica_device *device;
static struct pica_ctx *ctx;
static struct pica_shot *shot, *second;
static uint8_t *got, *want;
static uint64_t seed;

static uint32_t random_in(uint32_t lo, uint32_t hi) {
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return lo + (uint32_t)((seed * 0x2545F4914F6CDD1Dull) >> 33) % (hi - lo + 1);
}

static void open_device(const char *isa, unsigned n_threads) {
	struct pica_settings s;
	pica_settings_init(&s);
	s.isa = isa;
	s.n_threads = n_threads;
	seed = 88172645463325252ull;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	ck_assert_int_eq(pica_shot_create(&shot), 0);
	ck_assert_int_eq(pica_shot_create(&second), 0);
	got = malloc(MAX_BYTES);
	want = malloc(MAX_BYTES);
}

static void close_device(void) {
	pica_shot_put(shot);
	pica_shot_put(second);
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	free(got);
	free(want);
}

static void set_up(void) {
	open_device(NULL, 0);
}

static void pdc(unsigned unit, uint32_t offset, uint32_t value) {
	struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = PDC + 0x100 * unit + offset, .value = value } };
	ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
}

/* Noise in VRAM, shown on both screens; top in stereo. */
static void set_screens(uint32_t top_format, uint32_t bottom_format) {
	uint8_t *vram = pica_ctx_host(ctx, VRAM, 6 << 20);
	for (uint32_t i = 0; i < 2 << 20; i++) {
		vram[i] = (uint8_t)random_in(0, 255);
	}
	pdc(0, 0x68, VRAM);
	pdc(0, 0x94, VRAM + 0x80000);
	pdc(0, 0x70, top_format);
	pdc(0, 0x90, 240 * 4 + 16);
	pdc(1, 0x68, VRAM + 0x100000);
	pdc(1, 0x70, bottom_format);
	pdc(1, 0x90, 240 * 4);
}

static void present(struct pica_shot *top, struct pica_shot *bottom) {
	struct pica_job job = { .op = PICA_OP_PRESENT };
	uint64_t seq;
	job.u.present.screens = 3;
	ck_assert_int_eq(pica_submit_present(ctx, &job, top, bottom, &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
}

/* ---- Shots ---- */

static void check_shot(struct pica_shot *s, enum pica_screen_id id, enum pica_eye eye) {
	struct pica_screen info, now;
	static uint8_t a[800 * 240 * 3], b[800 * 240 * 3];
	pica_shot_screen(s, &info);
	ck_assert_int_eq(pica_ctx_screen(ctx, id, &now), 0);
	ck_assert_mem_eq(&info, &now, sizeof(now));
	const size_t stride = 3 * (size_t)info.width;
	ck_assert_int_eq(pica_shot_read(s, eye, a, stride), 0);
	ck_assert_int_eq(pica_ctx_read_screen(ctx, id, eye, b, stride), 0);
	ck_assert_mem_eq(a, b, stride * info.height);
}

FORKED_TESTS
FIXTURE(set_up, close_device)

TEST(shots_equal_the_screens) {
	for (uint32_t format = 0; format < 5; format++) {
		set_screens(0x20 | format, 4 - format);
		present(shot, second);
		check_shot(shot, PICA_SCREEN_TOP, PICA_EYE_LEFT);
		check_shot(shot, PICA_SCREEN_TOP, PICA_EYE_RIGHT);
		check_shot(second, PICA_SCREEN_BOTTOM, PICA_EYE_LEFT);
	}
	set_screens(0x00, 1); /* wide: 800 lines */
	pdc(0, 0x90, 960);
	present(shot, NULL);
	check_shot(shot, PICA_SCREEN_TOP, PICA_EYE_LEFT);
}

TEST(shots_outlive_their_source) {
	static uint8_t before[400 * 240 * 3], after[400 * 240 * 3];
	set_screens(0x41, 1);
	struct pica_job jobs[2] = { { .op = PICA_OP_PRESENT }, { .op = PICA_OP_FILL } };
	jobs[0].u.present.screens = 1;
	jobs[1].u.fill.start = VRAM;
	jobs[1].u.fill.end = VRAM + 0x80000;
	jobs[1].u.fill.control = 2 << 8;
	pica_wait(ctx, 1, -1);
	ck_assert_int_eq(
			pica_ctx_read_screen(ctx, PICA_SCREEN_TOP, PICA_EYE_LEFT, before, 1200), 0);
	uint64_t seq;
	/* One after the other: the fill waits until the shot is taken. */
	ck_assert_int_eq(pica_submit_present(ctx, &jobs[0], shot, NULL, NULL), 0);
	ck_assert_int_eq(pica_submit(ctx, &jobs[1], 1, &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	ck_assert_int_eq(pica_shot_read(shot, PICA_EYE_LEFT, after, 1200), 0);
	ck_assert_mem_eq(before, after, sizeof(before));
	ck_assert_int_eq(pica_ctx_read_screen(ctx, PICA_SCREEN_TOP, PICA_EYE_LEFT, after, 1200), 0);
	ck_assert_mem_ne(before, after, sizeof(before));
}

TEST(screens_without_a_picture) {
	uint8_t rgb[3 * 400];
	struct pica_screen info;
	ck_assert_int_eq(pica_shot_read(shot, PICA_EYE_LEFT, rgb, 1200), -ENODATA);
	present(shot, second); /* never set */
	pica_shot_screen(shot, &info);
	ck_assert_int_eq(info.is_set, 0);
	ck_assert_int_eq(pica_shot_read(shot, PICA_EYE_LEFT, rgb, 1200), -ENODATA);
	struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = 0x10202A04, .value = 1 << 24 | 0x563412 } };
	ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
	present(shot, second);
	static uint8_t solid[320 * 240 * 3];
	ck_assert_int_eq(pica_shot_read(second, PICA_EYE_LEFT, solid, 960), 0);
	ck_assert_mem_eq(solid, "\x12\x34\x56\x12\x34\x56", 6);
	ck_assert_mem_eq(solid + sizeof(solid) - 3, "\x12\x34\x56", 3);
}

TEST(framebuffers_outside_of_memory_are_black) {
	static uint8_t rgb[400 * 240 * 3];
	set_screens(0x41, 1);
	pdc(0, 0x68, 0x18000000 + (6 << 20) - 720);
	pdc(0, 0x90, 720);
	present(shot, NULL);
	ck_assert_int_eq(pica_shot_read(shot, PICA_EYE_LEFT, rgb, 1200), 0);
	for (unsigned y = 0; y < 240; y++) {
		ck_assert_mem_eq(rgb + y * 1200 + 3, "\0\0\0", 3); /* column 1 */
	}
	pdc(0, 0x68, 0xFFFFFFF0);
	present(shot, NULL);
	ck_assert_int_eq(pica_shot_read(shot, PICA_EYE_LEFT, rgb, 1200), 0);
	ck_assert_mem_eq(rgb + 239 * 1200, "\0\0\0", 3);
}

TEST(only_a_present_takes_shots) {
	const struct pica_job job = { .op = PICA_OP_BARRIER };
	ck_assert_int_eq(pica_submit_present(ctx, &job, shot, NULL, NULL), -EINVAL);
	struct pica_job bad = { .op = PICA_OP_PRESENT };
	bad.u.present.screens = 4;
	ck_assert_int_eq(pica_submit_present(ctx, &bad, shot, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pica_shot_set_rgb(shot, 0, 1, want, 3), -EINVAL);
	ck_assert_int_eq(pica_shot_set_rgb(shot, 1, 8193, want, 3), -EINVAL);
	ck_assert_int_eq(pica_shot_set_rgb(shot, 2, 1, want, 5), -EINVAL);
}

/* ---- The definition ---- */

struct rgb {
	int c[3];
};

static uint8_t picture[2][800 * 800 * 3];
static uint32_t width, height;
static bool has_right;

static struct rgb upright(unsigned eye, uint32_t x, uint32_t y) {
	const uint8_t *p = picture[eye && has_right] + 3 * ((size_t)y * width + x);
	return (struct rgb){ { p[0], p[1], p[2] } };
}

/* A pixel of the picture turned clockwise. */
static struct rgb turned(const struct pica_show_part *p, uint32_t x, uint32_t y) {
	const uint32_t ux = p->turns == 0 ? x : p->turns == 1 ? y : p->turns == 2 ? width - 1 - x :
			width - 1 - y;
	const uint32_t uy = p->turns == 0 ? y : p->turns == 1 ? height - 1 - x :
			p->turns == 2 ? height - 1 - y : x;
	struct rgb l = upright(0, ux, uy), r = upright(1, ux, uy);
	if (p->eyes == PICA_SHOW_ANAGLYPH) {
		return (struct rgb){ { l.c[0], r.c[1], r.c[2] } };
	}
	return p->eyes == PICA_SHOW_RIGHT ? r : l;
}

static struct rgb lerp(struct rgb a, struct rgb b, int weight) {
	for (unsigned i = 0; i < 3; i++) {
		a.c[i] = (a.c[i] * (256 - weight) + b.c[i] * weight + 128) / 256;
	}
	return a;
}

/* Center of target pixel i of n, in 1/256 of m source pixels; from the center of the first one. */
static uint32_t center(uint32_t i, uint32_t n, uint32_t m) {
	const int64_t at = (int64_t)(2 * (uint64_t)i + 1) * m * 256 / (2 * (int64_t)n) - 128;
	return at < 0 ? 0 : at > (int64_t)(m - 1) * 256 ? (m - 1) * 256 : (uint32_t)at;
}

static struct rgb scaled(const struct pica_show_part *p, uint32_t x, uint32_t y) {
	const uint32_t w = p->turns & 1 ? height : width, h = p->turns & 1 ? width : height;
	if (p->filter == PICA_SHOW_NEAREST) {
		return turned(p, (uint32_t)((2 * (uint64_t)x + 1) * w / (2 * (uint64_t)p->width)),
				(uint32_t)((2 * (uint64_t)y + 1) * h / (2 * (uint64_t)p->height)));
	}
	const uint32_t cx = center(x, p->width, w), cy = center(y, p->height, h);
	const uint32_t x0 = cx / 256, y0 = cy / 256, x1 = x0 + 1 < w ? x0 + 1 : x0,
			y1 = y0 + 1 < h ? y0 + 1 : y0;
	/* Down first, then along. */
	const struct rgb a = lerp(turned(p, x0, y0), turned(p, x0, y1), (int)(cy % 256));
	const struct rgb b = lerp(turned(p, x1, y0), turned(p, x1, y1), (int)(cy % 256));
	return lerp(a, b, (int)(cx % 256));
}

static void put(const struct pica_show_target *t, uint32_t x, uint32_t y, struct rgb px) {
	uint8_t *to = want + y * t->stride_bytes;
	if (t->format == PICA_SHOW_RGB565) {
		const unsigned word =
				(unsigned)(px.c[0] / 8 * 2048 + px.c[1] / 4 * 32 + px.c[2] / 8);
		to[2 * x] = (uint8_t)(word % 256);
		to[2 * x + 1] = (uint8_t)(word / 256);
	} else {
		to[4 * x] = (uint8_t)px.c[2];
		to[4 * x + 1] = (uint8_t)px.c[1];
		to[4 * x + 2] = (uint8_t)px.c[0];
		to[4 * x + 3] = 0xFF;
	}
}

static void expect(const struct pica_show_target *t, const struct pica_show_part *p) {
	const struct rgb solid = { { (int)(p->color >> 16 & 255), (int)(p->color >> 8 & 255),
			(int)(p->color & 255) } };
	for (uint32_t y = 0; y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			const int64_t px = (int64_t)x - p->x, py = (int64_t)y - p->y;
			if (px >= 0 && py >= 0 && px < p->width && py < p->height) {
				put(t, x, y,
						p->shot ? scaled(p, (uint32_t)px, (uint32_t)py) :
							  solid);
			}
		}
	}
}

static struct pica_show_target target(uint32_t w, uint32_t h, enum pica_show_format format) {
	const struct pica_show_target t = { got,
		(size_t)w * (format == PICA_SHOW_RGB565 ? 2 : 4) + 12, w, h, format };
	ck_assert_uint_le(t.stride_bytes * h, MAX_BYTES);
	memset(got, 0xA5, MAX_BYTES);
	memset(want, 0xA5, MAX_BYTES);
	return t;
}

/* Nothing else is touched either. */
static void compare(const struct pica_show_target *t) {
	for (size_t i = 0; i < MAX_BYTES; i++) {
		if (got[i] != want[i]) {
			ck_abort_msg("row %zu byte %zu: %02x, not %02x", i / t->stride_bytes,
					i % t->stride_bytes, got[i], want[i]);
		}
	}
}

static void check_part(uint32_t w, uint32_t h, enum pica_show_format format,
		const struct pica_show_part *p) {
	const struct pica_show_target t = target(w, h, format);
	ck_assert_int_eq(pica_show(device, &t, p, 1), 0);
	expect(&t, p);
	compare(&t);
}

static void use_shot(const struct pica_shot *s) {
	struct pica_screen info;
	pica_shot_screen(s, &info);
	width = info.width;
	height = info.height;
	has_right = info.has_right;
	for (unsigned eye = 0; eye < 2; eye++) {
		ck_assert_int_eq(pica_shot_read(s, (enum pica_eye)eye, picture[eye],
						 3 * (size_t)width),
				0);
	}
}

static void use_rows(uint32_t w, uint32_t h) {
	static uint8_t rgb[300 * 300 * 3];
	for (size_t i = 0; i < 3 * (size_t)w * h; i++) {
		rgb[i] = (uint8_t)random_in(0, 255);
	}
	ck_assert_int_eq(pica_shot_set_rgb(shot, w, h, rgb, 3 * (size_t)w), 0);
	use_shot(shot);
}

static void check_turns(void) {
	for (uint32_t turns = 0; turns < 4; turns++) {
		for (unsigned format = 0; format < 2; format++) {
			const uint32_t w = turns & 1 ? height : width, h = turns & 1 ? width :
					height;
			struct pica_show_part p = { .shot = shot,
				.x = 3,
				.y = 2,
				.width = w,
				.height = h,
				.turns = turns };
			check_part(w + 7, h + 3, (enum pica_show_format)format, &p);
			p.eyes = PICA_SHOW_ANAGLYPH;
			p.x = -5;
			p.y = -17;
			check_part(w - 9, h - 20, (enum pica_show_format)format, &p);
		}
	}
}

TEST(screens_turn) {
	set_screens(0x21, 2);
	present(shot, second);
	use_shot(shot);
	check_turns();
}

TEST(host_pictures_turn) {
	use_rows(37, 21);
	check_turns();
	use_rows(160, 48);
	check_turns();
}

TEST(screens_scale) {
	static const uint32_t sizes[][2] = { { 800, 480 }, { 1200, 720 }, { 400, 480 },
		{ 800, 240 }, { 667, 401 }, { 133, 77 }, { 1, 1 }, { 401, 239 } };
	set_screens(0x20, 3);
	present(shot, second);
	use_shot(shot);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned filter = 0; filter < 2; filter++) {
			struct pica_show_part p = { .shot = shot,
				.width = sizes[i][0],
				.height = sizes[i][1],
				.filter = (enum pica_show_filter)filter,
				.eyes = PICA_SHOW_RIGHT };
			check_part(sizes[i][0], sizes[i][1], PICA_SHOW_XRGB8888, &p);
		}
	}
}

static void random_part(struct pica_show_part *p) {
	*p = (struct pica_show_part){ .shot = random_in(0, 9) ? shot : NULL,
		.color = random_in(0, 0xFFFFFF),
		.width = random_in(0, 300),
		.height = random_in(0, 300),
		.turns = random_in(0, 3),
		.filter = (enum pica_show_filter)random_in(0, 1),
		.eyes = (enum pica_show_eyes)random_in(0, 2) };
	if (random_in(0, 1)) {
		const uint32_t times = random_in(1, 4);
		p->width = times * (p->turns & 1 ? height : width);
		p->height = times * (p->turns & 1 ? width : height);
	}
	p->x = (int32_t)random_in(0, 150) - 100;
	p->y = (int32_t)random_in(0, 150) - 100;
}

static void check_random(unsigned rounds) {
	for (unsigned i = 0; i < rounds; i++) {
		struct pica_show_part p;
		use_rows(random_in(1, 60), random_in(1, 60));
		random_part(&p);
		check_part(random_in(1, 250), random_in(1, 250),
				(enum pica_show_format)random_in(0, 1), &p);
	}
	set_screens(0x22, 4);
	present(second, shot);
	for (unsigned i = 0; i < rounds / 4; i++) {
		struct pica_show_part p;
		use_shot(shot);
		random_part(&p);
		check_part(random_in(1, 250), random_in(1, 250),
				(enum pica_show_format)random_in(0, 1), &p);
	}
}

TEST(anything_by_the_definition) {
	check_random(120);
}

/* The other kernel sets, and stripes on workers. */
TEST_LOOP(kernels_and_workers_make_no_difference, 3) {
	static const struct {
		const char *isa;
		unsigned threads;
	} kinds[] = { { "c", 0 }, { "emul", 1 }, { NULL, 3 } };
	close_device();
	open_device(kinds[_i].isa, kinds[_i].threads);
	check_random(40);
	set_screens(0x21, 1);
	present(shot, second);
	use_shot(shot);
	struct pica_show_part p = {
		.shot = shot, .width = 1000, .height = 600, .filter = PICA_SHOW_BILINEAR
	};
	check_part(1000, 600, PICA_SHOW_RGB565, &p);
}

TEST(several_parts_and_a_background) {
	set_screens(0x41, 1);
	present(shot, second);
	const struct pica_show_target t = target(800, 480, PICA_SHOW_XRGB8888);
	const struct pica_show_part parts[] = {
		{ .color = 0x123456, .width = 800, .height = 240 },
		{ .shot = shot, .y = 240, .width = 400, .height = 240 },
		{ .shot = second, .x = 400, .y = 240, .width = 320, .height = 240 },
		{ .color = 0x654321, .x = 720, .y = 240, .width = 80, .height = 240 },
	};
	ck_assert_int_eq(pica_show(device, &t, parts, 4), 0);
	for (unsigned i = 0; i < 4; i++) {
		if (parts[i].shot) {
			use_shot(parts[i].shot);
		}
		expect(&t, &parts[i]);
	}
	compare(&t);
}

TEST(nonsense_is_refused) {
	const struct pica_show_target t = target(16, 16, PICA_SHOW_XRGB8888);
	struct pica_show_target bad = t;
	const struct pica_show_part fine = { .width = 16, .height = 16 };
	bad.stride_bytes = 63;
	ck_assert_int_eq(pica_show(device, &bad, &fine, 1), -EINVAL);
	bad = t;
	bad.width = 16385;
	ck_assert_int_eq(pica_show(device, &bad, &fine, 1), -EINVAL);
	bad = t;
	bad.format = (enum pica_show_format)2;
	ck_assert_int_eq(pica_show(device, &bad, &fine, 1), -EINVAL);
	const struct pica_show_part wrong[] = { { .turns = 4 },
		{ .filter = (enum pica_show_filter)2 }, { .eyes = (enum pica_show_eyes)3 },
		{ .x = 65537 }, { .y = -65537 }, { .width = 65537 }, { .height = 1u << 31 } };
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(pica_show(device, &t, &wrong[i], 1), -EINVAL);
	}
	ck_assert_int_eq(pica_show(device, &t, &fine, PICA_SHOW_PARTS + 1), -EINVAL);
	ck_assert_int_eq(pica_show(device, &t, NULL, 0), 0);
	/* Nothing of it is visible. */
	const struct pica_show_part away = { .x = 16, .width = 5, .height = 5, .shot = shot };
	ck_assert_int_eq(pica_show(device, &t, &away, 1), 0);
	compare(&t);
}
