/* Look-ups of the VideoCore's texture unit: each set against C. */
#include "kern.h"

#include <string.h>

#include "core/base/f24.h"
#include "vc4/tex/texture.h"

enum { BASE = 0x00200000, BYTES = 0x200000, ROUNDS = 20000, LANES = VC4_TEX_LANES };

static struct space space;
static struct vc4_tex_kernels plain, k;

static unsigned below(unsigned n) {
	return (unsigned)kern_random_in(0, n - 1);
}

static void open_memory(void) {
	space_init(&space);
	if (space_map(&space, BASE, BYTES, NULL, 0) == 0) {
		kern_random_bytes(space_host(&space, BASE, BYTES), BYTES);
	}
}

static void close_memory(void) {
	space_finish(&space);
}

static uint32_t random_size(void) {
	return below(3) ? 1u << below(9) : 1 + below(300);
}

static void configure(struct vc4_lookup *l, unsigned type, uint32_t w, uint32_t h, unsigned levels,
		unsigned filters, unsigned wraps) {
	l->n_words = 2;
	l->word[0] = (BASE + BYTES / 2) | (type & 15) << 4 | (levels - 1);
	l->word[1] = type >> 4 << 31 | h << 20 | w << 8 | filters << 4 | wraps;
}

static void random_lookup(struct vc4_lookup *l) {
	static const uint8_t types[] = { 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 16 };
	const unsigned type = types[below(sizeof(types))];
	memset(l, 0, sizeof(*l));
	l->space = &space;
	l->lanes = below(2) ? 0xFFFF : below(0x10000);
	configure(l, type, random_size(), random_size(), type == 16 ? 1 : 1 + below(10),
			below(6) | below(2) << 3, below(16));
	l->word[0] |= below(2) << 8 | (below(6) ? 0 : 1u << 9);
	if (!below(10)) {
		l->word[0] += 0xFF000 & (uint32_t)kern_random(); /* near the end of memory */
	}
	l->word[2] = 1u << 30 | below(2) | (below(2) ? 0x8000 : 0x1000);
	l->n_words += below(4) ? 0 : 1;
	const float scale = (float)kern_random_in(1, 400) / 100.0f;
	for (unsigned i = 0; i < LANES; i += 4) {
		const float s = (float)kern_random_in(-999, 999) / 256.0f;
		const float t = (float)kern_random_in(-999, 999) / 256.0f;
		const uint32_t b = below(3) ? 0 : f32_bits((float)kern_random_in(-40, 120) / 16.0f);
		for (unsigned j = i; j < i + 4; j++) {
			l->s[j] = f32_bits(s + (j & 1 ? scale / 64 : 0));
			l->t[j] = f32_bits(t + (j & 2 ? scale / 64 : 0));
			l->b[j] = below(20) ? b : f32_bits(kern_random_float());
			l->r[j] = (uint32_t)kern_random();
			if (!below(12)) {
				l->s[j] = f32_bits(kern_random_float());
				l->t[j] = (uint32_t)kern_random();
			}
		}
	}
}

static void check(enum isa isa) {
	vc4_tex_kernels_init(&plain, ISA_C);
	vc4_tex_kernels_init(&k, isa);
	kern_slots(isa, "vc4_tex", &plain, &k, sizeof(k));
	uint32_t *want = kern_buffer(4 * LANES), *got = kern_buffer(4 * LANES);
	unsigned n_fine = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		static struct vc4_lookup l;
		const char *why = NULL;
		random_lookup(&l);
		const int ret = plain.look_up(&l, 0xFFFF, want, &why);
		kern_check("look_up", isa, k.look_up(&l, 0xFFFF, got, &why) == ret);
		if (!ret) {
			n_fine++;
			kern_same("look_up", isa, want, got, 4 * LANES);
		}
	}
	kern_check("look_up: enough of them work", isa, n_fine > ROUNDS / 2);
	kern_done(want);
}

static void bench(enum isa isa) {
	static const struct {
		const char *name;
		unsigned filters, wraps, type;
	} cases[] = {
		{ "nearest", 0x9, 0, 0 }, { "bilinear", 0x0, 0, 0 }, { "clamped", 0x0, 5, 0 },
		{ "rgb565", 0x0, 0, 4 }, { "trilinear", 0x5, 0, 0 },
	};
	static struct vc4_lookup l;
	uint32_t *out = kern_buffer(4 * LANES);
	vc4_tex_kernels_init(&k, isa);
	for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const char *why;
		memset(&l, 0, sizeof(l));
		l.space = &space;
		l.lanes = 0xFFFF;
		configure(&l, cases[c].type, 256, 256, 9, cases[c].filters, cases[c].wraps);
		for (unsigned i = 0; i < LANES; i++) {
			l.s[i] = f32_bits(0.3f + (float)((i & 1) + (i >> 2 & 1) * 2) / 90.0f);
			l.t[i] = f32_bits(0.6f + (float)((i >> 1 & 1) + (i >> 3) * 2) / 90.0f);
		}
		KERN_BENCH(cases[c].name, isa, LANES) {
			k.look_up(&l, 0xFFFF, out, &why);
		}
	}
	kern_done(out);
}

const struct kern_suite kern_suite = { "vc4_tex", open_memory, check, bench, close_memory };
