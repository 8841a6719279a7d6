/* The kernel's part of a VideoCore IV submission: buffers, relocation, the rendering list. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "clients/vc4-shim/impl.h"
#include "random.h"
#include "tests/suite.h"
#include "vc4/qpu/qpu.h"

enum { BASE = 0x10000000, SIZE = 1 << 20 };

static uint8_t *memory;
static struct kernel *k;
static unsigned n_runs;
static struct kernel_job ran;
static uint8_t binning[512], rendering[512]; /* lists as the chip would read them */
static uint8_t snapshot[SIZE];

static int run(void *user, const struct kernel_job *job) {
	n_runs++;
	ran = *job;
	memcpy(snapshot, memory, SIZE);
	ck_assert_uint_ge(job->ct0ca, BASE);
	ck_assert_uint_le(job->ct0ca, job->ct0ea);
	ck_assert_uint_lt(job->ct1ca, job->ct1ea);
	ck_assert_uint_le(job->ct1ea, BASE + job->used_bytes);
	ck_assert_uint_le(job->used_bytes, SIZE);
	if (job->ct0ea - job->ct0ca <= sizeof(binning)) {
		memcpy(binning, memory + job->ct0ca - BASE, job->ct0ea - job->ct0ca);
	}
	if (job->ct1ea - job->ct1ca <= sizeof(rendering)) {
		memcpy(rendering, memory + job->ct1ca - BASE, job->ct1ea - job->ct1ca);
	}
	return 0;
}

static void setup(void) {
	memory = aligned_alloc(PAGE, SIZE);
	ck_assert_ptr_nonnull(memory);
	memset(memory, 0xaa, SIZE);
	k = kernel_create(memory, BASE, SIZE, run, NULL);
	ck_assert_ptr_nonnull(k);
	n_runs = 0;
}

static void teardown(void) {
	kernel_destroy(k);
	free(memory);
}
FIXTURE(setup, teardown)

static uint32_t word_at(const uint8_t *at) {
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			(uint32_t)at[3] << 24;
}

static uint32_t bo_create(uint32_t size) {
	struct drm_vc4_create_bo a = { .size = size };
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_BO, &a), 0);
	return a.handle;
}

static uint32_t bo_offset(uint32_t handle) {
	return buffer_get(k, handle)->offset;
}

static int bo_close(uint32_t handle) {
	struct drm_gem_close a = { .handle = handle };
	return kernel_ioctl(k, DRM_IOCTL_GEM_CLOSE, &a);
}

TEST(buffers_are_zeroed_apart_and_used_again) {
	const uint32_t a = bo_create(5000), b = bo_create(1);
	ck_assert_uint_ne(a, b);
	struct drm_vc4_mmap_bo map = { .handle = b };
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
	ck_assert_uint_eq(map.offset, bo_offset(b));
	ck_assert_uint_ge(map.offset, bo_offset(a) + 5000);
	for (int i = 0; i < 5000; i++) {
		ck_assert_uint_eq(memory[bo_offset(a) + i], 0);
	}
	const uint32_t offset = bo_offset(a);
	memset(memory + offset, 1, 5000);
	ck_assert_int_eq(bo_close(a), 0);
	ck_assert_int_eq(bo_close(a), -ENOENT);
	const uint32_t c = bo_create(8192);
	ck_assert_uint_eq(c, a);
	ck_assert_uint_eq(bo_offset(c), offset);
	ck_assert_uint_eq(memory[offset], 0);
}

TEST(buffers_of_wrong_sizes_are_refused) {
	struct drm_vc4_create_bo a = { .size = SIZE + 1 };
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_BO, &a), -ENOMEM);
	a.size = UINT32_MAX;
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_BO, &a), -ENOMEM);
	a.size = 0;
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_BO, &a), -EINVAL);
	a.size = SIZE;
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_BO, &a), 0);
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_BO, &a), -ENOMEM);
	ck_assert_int_eq(bo_close(0), -ENOENT);
	ck_assert_int_eq(bo_close(a.handle + 2), -ENOENT);
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VERSION, &a), -ENOTTY);
}

TEST(parameters) {
	struct drm_vc4_get_param a = { .param = DRM_VC4_PARAM_V3D_IDENT0 };
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_GET_PARAM, &a), 0);
	ck_assert_uint_eq(a.value, 0x02443356);
	a.param = DRM_VC4_PARAM_V3D_IDENT1;
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_GET_PARAM, &a), 0);
	ck_assert_uint_eq(a.value & 15, 1);
	a.param = 99;
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_GET_PARAM, &a), -EINVAL);
}

/* ---- Shaders ---- */

static int shader_create(const char *text, uint32_t *handle) {
	struct qpu_error error;
	uint64_t *words;
	size_t n_words;
	if (qpu_assemble(text, strlen(text), &words, &n_words, &error) < 0) {
		ck_abort_msg("line %u: %s", error.line, error.message);
	}
	struct drm_vc4_create_shader_bo a = { .size = (uint32_t)(8 * n_words),
		.data = (uintptr_t)words };
	int ret = kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_SHADER_BO, &a);
	free(words);
	*handle = a.handle;
	return ret;
}

#define END "nop; thrend\nnop\nnop\n"

static void check_plan(const char *text, uint32_t n_uniforms, uint32_t n_samples,
		const uint32_t *samples, uint32_t n_resets, const uint32_t *resets) {
	uint32_t handle;
	ck_assert_int_eq(shader_create(text, &handle), 0);
	const struct shader_plan *p = buffer_get(k, handle)->shader;
	ck_assert_uint_eq(p->n_uniforms, n_uniforms);
	ck_assert_uint_eq(p->n_samples, n_samples);
	ck_assert_uint_eq(p->n_resets, n_resets);
	for (uint32_t i = 0; i < n_samples; i++) {
		ck_assert_uint_eq(p->samples[i], samples[i]);
	}
	for (uint32_t i = 0; i < n_resets; i++) {
		ck_assert_uint_eq(p->resets[i], resets[i]);
	}
	struct drm_vc4_mmap_bo map = { .handle = handle };
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_MMAP_BO, &map), -EINVAL);
}

TEST(plan_of_plain_uniforms) {
	check_plan("mov r0, unif\nfadd r1, unif, unif; fmul r2, r0, r1\nadd r0, r0, 1\n" END, 2, 0,
			NULL, 0, NULL);
}

TEST(plan_counts_no_uniform_in_constants_and_branches) {
	/* raddr_b is 32, the constant 1.0; a constant word whose bits look like raddr 32 */
	check_plan("fadd r0, r0, 1.0\nldi r1, 0x00820000\n" END, 0, 0, NULL, 0, NULL);
}

TEST(plan_of_textures) {
	static const uint32_t samples[] = { 1, 3, 6, 9 };
	/* Two parameters, three, two of the other unit; the last access is a memory address. */
	check_plan("mov r0, unif\n"
		   "mov t0t, r0\nmov t0s, r0\n"
		   "mov t0r, r0\nmov t0t, r0\nmov t0s, r0\n"
		   "mov t1t, r0\nmov t1s, r0\n"
		   "mov r2, unif\n"
		   "add t0s, r0, unif\n"
		   "mov r1, unif\n" END,
			11, 4, samples, 0, NULL);
}

TEST(plan_of_branches) {
	static const uint32_t resets[] = { 1, 3 };
	check_plan("mov r0, unif\nbrr.anyz -, 0xfffffff0\nnop\nnop\nnop\n"
		   "ldi r1, 8\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n"
		   "ldi r1, 16\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
			5, 0, NULL, 2, resets);
}

TEST(plan_of_a_loop_has_an_address_at_its_end) {
	static const uint32_t resets[] = { 0, 2 };
	check_plan("ldi r1, 4\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n"
		   "brr.anyz -, 0xffffffd0\nnop\nnop\nnop\n" END,
			3, 0, NULL, 2, resets);
}

TEST(programs_without_an_end_are_refused) {
	static const char *const texts[] = { "nop\nnop\n", "nop\nnop; thrend\nnop\n" };
	for (size_t i = 0; i < 2; i++) {
		uint32_t handle;
		const uint32_t end = pages_end(k);
		ck_assert_int_eq(shader_create(texts[i], &handle), -EINVAL);
		ck_assert_uint_eq(pages_end(k), end);
	}
	uint64_t word = 0;
	struct drm_vc4_create_shader_bo a = { .size = 4, .data = (uintptr_t)&word };
	ck_assert_int_eq(kernel_ioctl(k, DRM_IOCTL_VC4_CREATE_SHADER_BO, &a), -EINVAL);
}

/* ---- Submissions ---- */

struct scene {
	uint32_t handles[6]; /* 0 picture, 1 fragment, 2 vertex, 3 texture, 4 vertices, 5 indices */
	uint8_t list[80], record[5 * 4 + 52], uniforms[6 * 4];
	struct drm_vc4_submit_cl args;
};

static void put_word(uint8_t *at, uint32_t word) {
	memcpy(at, &word, sizeof(word));
}

enum { AT_HANDLES = 17, AT_STATE = 26, AT_INDEXED = 31, N_LIST = 47 };

static const struct drm_vc4_submit_rcl_surface nothing = { .hindex = UINT32_MAX };

static void scene_create(struct scene *s) {
	memset(s, 0, sizeof(*s));
	s->handles[0] = bo_create(128 * 64 * 4);
	ck_assert_int_eq(shader_create("mov t0t, r0\nmov t0s, r0\nmov r0, unif\n" END,
					 &s->handles[1]),
			0);
	ck_assert_int_eq(shader_create("mov r0, unif\n" END, &s->handles[2]), 0);
	s->handles[3] = bo_create(8192);
	s->handles[4] = bo_create(4096);
	s->handles[5] = bo_create(4096);

	static const uint8_t mode[16] = { 0x70, [13] = 2, [14] = 2, [15] = 0x79 };
	memcpy(s->list, mode, sizeof(mode));
	s->list[16] = 0x06;
	s->list[AT_HANDLES] = 0xfe;
	put_word(s->list + AT_HANDLES + 1, 5);
	s->list[AT_STATE] = 0x40;
	put_word(s->list + AT_STATE + 1, 2);
	s->list[AT_INDEXED] = 0x20;
	s->list[AT_INDEXED + 1] = 0x14;
	put_word(s->list + AT_INDEXED + 2, 3);
	put_word(s->list + AT_INDEXED + 6, 64);
	put_word(s->list + AT_INDEXED + 10, 2);
	s->list[N_LIST - 2] = 0x07;
	s->list[N_LIST - 1] = 0x04;

	static const uint32_t indices[5] = { 1, 2, 2, 4, 4 };
	memcpy(s->record, indices, sizeof(indices));
	uint8_t *const record = s->record + sizeof(indices);
	for (unsigned i = 0; i < 52; i++) {
		record[i] = (uint8_t)(0x80 + i);
	}
	put_word(record + 36, 16);
	put_word(record + 44, 32);

	put_word(s->uniforms, 3); /* the texture's handle; then the fragment shader's three words */
	put_word(s->uniforms + 4, 0x00001011);
	put_word(s->uniforms + 8, 0x22222222);
	put_word(s->uniforms + 12, 0x33333333);
	/* The vertex shader is the coordinate shader, too: its uniform comes twice. */
	put_word(s->uniforms + 16, 0x44444444);
	put_word(s->uniforms + 20, 0x55555555);

	s->args = (struct drm_vc4_submit_cl){
		.bin_cl = (uintptr_t)s->list,
		.bin_cl_size = N_LIST,
		.shader_rec = (uintptr_t)s->record,
		.shader_rec_size = sizeof(s->record),
		.shader_rec_count = 1,
		.uniforms = (uintptr_t)s->uniforms,
		.uniforms_size = sizeof(s->uniforms),
		.bo_handles = (uintptr_t)s->handles,
		.bo_handle_count = 6,
		.width = 100,
		.height = 50,
		.max_x_tile = 1,
		.color_read = nothing,
		.color_write = { .hindex = 0, .offset = 16, .bits = 4 },
		.zs_read = nothing,
		.zs_write = nothing,
		.msaa_color_write = nothing,
		.msaa_zs_write = nothing,
	};
}

static int scene_submit(struct scene *s) {
	return kernel_ioctl(k, DRM_IOCTL_VC4_SUBMIT_CL, &s->args);
}

static uint32_t bus(const struct scene *s, unsigned i) {
	return BASE + bo_offset(s->handles[i]);
}

TEST(handles_become_addresses) {
	struct scene s;
	scene_create(&s);
	const uint32_t end = pages_end(k);
	ck_assert_int_eq(scene_submit(&s), 0);
	ck_assert_uint_eq(n_runs, 1);
	ck_assert_uint_eq(s.args.seqno, 1);
	ck_assert_uint_eq(pages_end(k), end);
	ck_assert_uint_eq(ran.target, bus(&s, 0) + 16);
	ck_assert_uint_eq(ran.width, 100);
	ck_assert_uint_eq(ran.height, 50);
	ck_assert_uint_eq(ran.config, 4);

	/* The list without the handles */
	ck_assert_uint_eq(ran.ct0ea - ran.ct0ca, N_LIST - 9);
	ck_assert_uint_eq(binning[0], 0x70);
	const uint32_t lists = word_at(binning + 1), state = word_at(binning + 9);
	ck_assert_uint_eq(lists, state + PAGE);
	ck_assert_uint_eq(lists + word_at(binning + 5), BASE + ran.used_bytes);
	ck_assert_uint_eq(binning[13], 2);
	ck_assert_uint_eq(binning[14], 2);
	ck_assert_uint_eq(binning[15], 0x45); /* 4x; blocks of 32, then 128 bytes */
	ck_assert_uint_eq(binning[16], 0x06);
	const uint8_t *const state_record = binning + AT_STATE - 9;
	const uint8_t *const indexed = binning + AT_INDEXED - 9;
	ck_assert_uint_eq(word_at(state_record + 1) & 15, 2);
	ck_assert_uint_eq(indexed[1], 0x14);
	ck_assert_uint_eq(word_at(indexed + 2), 3);
	ck_assert_uint_eq(word_at(indexed + 6), bus(&s, 5) + 64);
	ck_assert_uint_eq(word_at(indexed + 10), 2);
	ck_assert_uint_eq(binning[N_LIST - 10], 0x04);

	/* The record */
	const uint8_t *const r = snapshot + ((word_at(state_record + 1) & ~15u) - BASE);
	ck_assert_uint_eq(word_at(r), 0x83828180);
	ck_assert_uint_eq(word_at(r + 4), bus(&s, 1));
	ck_assert_uint_eq(word_at(r + 16), bus(&s, 2));
	ck_assert_uint_eq(word_at(r + 28), bus(&s, 2));
	ck_assert_uint_eq(word_at(r + 36), bus(&s, 4) + 16);
	ck_assert_uint_eq(word_at(r + 40), 0x80808080 + 0x2b2a2928);
	ck_assert_uint_eq(word_at(r + 44), bus(&s, 4) + 32);

	/* The uniforms, without the texture's handle */
	const uint8_t *const u = snapshot + (word_at(r + 8) - BASE);
	ck_assert_uint_eq(word_at(u), bus(&s, 3) + 0x1011);
	ck_assert_uint_eq(word_at(u + 4), 0x22222222);
	ck_assert_uint_eq(word_at(u + 8), 0x33333333);
	ck_assert_uint_eq(word_at(r + 20), word_at(r + 8) + 12);
	ck_assert_uint_eq(word_at(u + 12), 0x44444444);
	ck_assert_uint_eq(word_at(r + 32), word_at(r + 8) + 16);
	ck_assert_uint_eq(word_at(u + 16), 0x55555555);
}

/* ---- The rendering list ---- */

struct bytes {
	uint8_t at[512];
	size_t n;
};

static void add(struct bytes *b, uint64_t value, unsigned n_bytes) {
	for (unsigned i = 0; i < n_bytes; i++) {
		b->at[b->n++] = (uint8_t)(value >> (8 * i));
	}
}

static void add_tile(struct bytes *b, unsigned x, unsigned y) {
	add(b, 0x73, 1);
	add(b, x, 1);
	add(b, y, 1);
}

static void add_general(struct bytes *b, unsigned op, unsigned bits, uint32_t address) {
	add(b, op, 1);
	add(b, bits, 2);
	add(b, address, 4);
}

static void add_mode(struct bytes *b, uint32_t address) {
	add(b, 0x71, 1);
	add(b, address, 4);
	add(b, 100, 2);
	add(b, 50, 2);
	add(b, 4, 2);
}

static void add_call(struct bytes *b, bool is_first, uint32_t address) {
	if (is_first) {
		add(b, 0x08, 1);
	}
	add(b, 0x11, 1);
	add(b, address, 4);
}

static void check_rendering(const struct bytes *b) {
	ck_assert_uint_eq(ran.ct1ea - ran.ct1ca, b->n);
	for (size_t i = 0; i < b->n; i++) {
		ck_assert_msg(rendering[i] == b->at[i], "byte %zu: %02x, expected %02x", i,
				rendering[i], b->at[i]);
	}
}

TEST(rendering_clears_calls_and_stores) {
	struct scene s;
	scene_create(&s);
	s.args.flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR;
	s.args.clear_color[0] = 0x11223344;
	s.args.clear_color[1] = 0x55667788;
	s.args.clear_z = 0xabcdef;
	s.args.clear_s = 0x99;
	s.args.max_y_tile = 1;
	ck_assert_int_eq(scene_submit(&s), 0);
	const uint32_t lists = word_at(binning + 1);
	struct bytes b = { .n = 0 };
	add(&b, 0x72, 1);
	add(&b, 0x11223344, 4);
	add(&b, 0x55667788, 4);
	add(&b, 0xabcdef, 4);
	add(&b, 0x99, 1);
	add_tile(&b, 0, 0);
	add_general(&b, 0x1c, 0, 0);
	add_mode(&b, bus(&s, 0) + 16);
	for (unsigned i = 0; i < 4; i++) {
		add_tile(&b, i % 2, i / 2);
		add_call(&b, i == 0, lists + 32 * i);
		add(&b, i == 3 ? 0x19 : 0x18, 1);
	}
	check_rendering(&b);
}

TEST(rendering_without_binning_loads_and_stores_both_buffers) {
	struct scene s;
	scene_create(&s);
	s.args.bin_cl_size = 0;
	s.args.color_read = (struct drm_vc4_submit_rcl_surface){
		.hindex = 0, .offset = 32, .bits = 0x101
	};
	s.args.zs_read = (struct drm_vc4_submit_rcl_surface){ .hindex = 3, .bits = 0x12 };
	s.args.zs_write = (struct drm_vc4_submit_rcl_surface){
		.hindex = 3, .offset = 16, .bits = 0x12
	};
	s.args.flags = VC4_SUBMIT_CL_FIXED_RCL_ORDER | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
	ck_assert_int_eq(scene_submit(&s), 0);
	ck_assert_uint_eq(ran.ct0ca, ran.ct0ea);
	struct bytes b = { .n = 0 };
	add_mode(&b, bus(&s, 0) + 16);
	for (int x = 1; x >= 0; x--) { /* from the right to the left */
		add_general(&b, 0x1d, 0x101, bus(&s, 0) + 32);
		add_tile(&b, (unsigned)x, 0);
		add_general(&b, 0x1c, 0xe000, 0);
		add_general(&b, 0x1d, 0x12, bus(&s, 3));
		add_tile(&b, (unsigned)x, 0);
		add_general(&b, 0x1c, 0x2012, bus(&s, 3) + 16);
		add_tile(&b, (unsigned)x, 0);
		add(&b, x ? 0x18 : 0x19, 1);
	}
	check_rendering(&b);
	/* Depth alone: its store clears and ends. */
	s.args.color_read = s.args.color_write = s.args.zs_read = nothing;
	s.args.color_write.bits = 4;
	ck_assert_int_eq(scene_submit(&s), 0);
	b.n = 0;
	add_mode(&b, 0);
	for (unsigned x = 2; x--;) {
		add_tile(&b, x, 0);
		add_general(&b, 0x1c, 0x12, (bus(&s, 3) + 16) | (x ? 0 : 8));
	}
	check_rendering(&b);
	ck_assert_uint_eq(ran.target, 0);
}

TEST(rendering_of_samples_takes_the_address_of_each_tile) {
	struct scene s;
	scene_create(&s);
	const struct drm_vc4_submit_rcl_surface full = { .hindex = 0,
		.flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES };
	s.args.color_read = full;
	s.args.zs_read = full;
	s.args.bin_cl_size = 0;
	s.args.msaa_color_write = s.args.msaa_zs_write =
			(struct drm_vc4_submit_rcl_surface){ .hindex = 0, .offset = 64 };
	s.args.min_x_tile = s.args.max_x_tile = 1;
	s.args.min_y_tile = s.args.max_y_tile = 1;
	ck_assert_int_eq(scene_submit(&s), 0);
	const uint32_t tile =
			bus(&s, 0) + 16384 * (4 * 1 + 1); /* 100 pixels are four tiles of 32 */
	struct bytes b = { .n = 0 };
	add_mode(&b, bus(&s, 0) + 16);
	add(&b, 0x1b, 1);
	add(&b, tile | 2, 4);
	add(&b, 0x1b, 1);
	add(&b, tile | 1, 4);
	add_tile(&b, 1, 1);
	add(&b, 0x1a, 1);
	add(&b, (tile + 64) | 2 | 4, 4);
	add_tile(&b, 1, 1);
	add(&b, 0x1a, 1);
	add(&b, (tile + 64) | 1 | 4, 4);
	add_tile(&b, 1, 1);
	add(&b, 0x19, 1);
	check_rendering(&b);
	s.args.color_write.hindex = UINT32_MAX;
	ck_assert_int_eq(scene_submit(&s), 0);
	ck_assert_uint_eq(ran.ct1ea - ran.ct1ca, b.n - 4);
	ck_assert_uint_eq(word_at(rendering + b.n - 8), (tile + 64) | 1 | 8);
}

/* ---- Refusals ---- */

#define LIST(at) offsetof(struct scene, list[at]), 1
#define RECORD(at) offsetof(struct scene, record[at]), 4
#define UNIFORM(at) offsetof(struct scene, uniforms[at]), 4
#define ARGS(member) offsetof(struct scene, args.member), sizeof(((struct scene *)0)->args.member)

static const struct {
	size_t at, n_bytes;
	uint32_t value;
} wrong[] = {
	{ LIST(0), 0x01 }, /* no mode: zeros, which are halts */
	{ LIST(13), 0 }, /* no tiles */
	{ LIST(16), 0x42 }, /* not a record */
	{ LIST(AT_HANDLES + 1), 6 }, /* indices: no such handle */
	{ LIST(AT_HANDLES + 1), 1 }, /* indices: a shader */
	{ LIST(AT_STATE + 1), 0x12 },
	{ LIST(AT_STATE + 1), 0 }, /* eight arrays: too few bytes */
	{ ARGS(bin_cl_size), N_LIST - 3 }, /* the list ends in a record */
	{ ARGS(bin_cl_size), UINT32_MAX },
	{ ARGS(shader_rec_size), 5 * 4 + 51 },
	{ ARGS(shader_rec_size), UINT32_MAX },
	{ ARGS(uniforms_size), 5 * 4 },
	{ ARGS(uniforms_size), UINT32_MAX },
	{ ARGS(bo_handle_count), 0 },
	{ RECORD(0), 4 }, /* a shader that is data */
	{ RECORD(12), 2 }, /* an array that is a shader */
	{ UNIFORM(0), 2 }, /* a texture that is a shader */
	{ UNIFORM(0), UINT32_MAX },
	{ ARGS(max_x_tile), 2 }, /* beyond the binned tiles */
	{ ARGS(max_y_tile), 2 },
	{ ARGS(min_x_tile), 2 },
	{ ARGS(color_write.hindex), 6 },
	{ ARGS(color_write.offset), 128 * 64 * 4 },
	{ ARGS(color_write.offset), 8 },
	{ ARGS(color_read.hindex), 1 },
	{ ARGS(zs_read.hindex), 6 },
	{ ARGS(zs_write.hindex), 1 },
	{ ARGS(msaa_color_write.hindex), 6 },
	{ ARGS(msaa_zs_write.hindex), 1 },
};

TEST_LOOP(wrong_submissions_are_refused_and_leave_nothing, sizeof(wrong) / sizeof(wrong[0])) {
	struct scene s;
	scene_create(&s);
	const uint32_t end = pages_end(k);
	memcpy((uint8_t *)&s + wrong[_i].at, &wrong[_i].value, wrong[_i].n_bytes);
	ck_assert_int_eq(scene_submit(&s), -EINVAL);
	ck_assert_uint_eq(n_runs, 0);
	ck_assert_uint_eq(pages_end(k), end);
}

TEST(second_mode_is_refused) {
	struct scene s;
	scene_create(&s);
	const uint32_t end = pages_end(k);
	memcpy(s.list + 16, s.list, 16);
	ck_assert_int_eq(scene_submit(&s), -EINVAL);
	ck_assert_uint_eq(n_runs, 0);
	ck_assert_uint_eq(pages_end(k), end);
}

TEST(random_submissions_do_no_harm) {
	struct scene s;
	scene_create(&s);
	const uint32_t end = pages_end(k);
	for (int i = 0; i < 5000; i++) {
		struct scene t = s;
		t.args.bin_cl = (uintptr_t)t.list;
		t.args.shader_rec = (uintptr_t)t.record;
		t.args.uniforms = (uintptr_t)t.uniforms;
		t.args.bo_handles = (uintptr_t)t.handles;
		uint8_t *const parts[] = { t.list, t.record, t.uniforms, (uint8_t *)&t.args.width };
		const uint32_t sizes[] = { N_LIST, sizeof(t.record), sizeof(t.uniforms), 6 + 72 };
		for (uint32_t n = 1 + random32() % 3; n; n--) {
			const uint32_t part = random32() % 4;
			parts[part][random32() % sizes[part]] = (uint8_t)random32();
		}
		scene_submit(&t);
		ck_assert_uint_eq(pages_end(k), end);
	}
	ck_assert_uint_gt(n_runs, 100);
}
