#include "kern.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	const char *suite;
	const char *only_isa;
	uint64_t seed, state;
	unsigned long checks, failures;
	const char *last; /* the kernel that was compared last */
	bool bench;
} kern;

/*
 * Slots of a set that may be missing or C's: the table, the slot's offset in it, and the figure
 * that shows why a vector version does not pay.
 */
static const struct {
	const char *table;
	size_t offset;
	const char *figure;
} plain_slots[] = {
	{ NULL, 0, NULL }, /* none */
};

static bool may_be_plain(const char *table, size_t offset) {
	for (unsigned i = 0; plain_slots[i].table; i++) {
		if (strcmp(plain_slots[i].table, table) == 0 && plain_slots[i].offset == offset) {
			return true;
		}
	}
	return false;
}

void kern_slots(enum isa isa, const char *table, const void *c, const void *v, size_t bytes) {
	for (size_t at = 0; at < bytes; at += sizeof(void (*)(void))) {
		void (*plain)(void), (*own)(void);
		memcpy(&plain, (const char *)c + at, sizeof(plain));
		memcpy(&own, (const char *)v + at, sizeof(own));
		const bool is_own = own && own != plain;
		kern.checks++;
		if (plain && is_own == may_be_plain(table, at)) {
			kern.failures++;
			printf("kern %s: %s: slot at byte %zu of %s %s\n", kern.suite,
					isa_name(isa), at, table, is_own ?
					"is listed as plain and is not" :
					own ? "is the C function" : "is missing");
		}
	}
}

/* Returns whether this run tests the set: any that exists, or the one that --isa names. */
static bool wants(enum isa isa) {
	return isa_available(isa) &&
			(!kern.only_isa || strcmp(kern.only_isa, isa_name(isa)) == 0);
}

static void parse(int argc, char **argv) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	kern.suite = kern.last = kern_suite.name;
	kern.seed = (uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--bench") == 0) {
			kern.bench = true;
		} else if (strcmp(argv[i], "--isa") == 0 && i + 1 < argc) {
			kern.only_isa = argv[++i];
		} else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
			kern.seed = strtoull(argv[++i], NULL, 0);
		} else {
			fprintf(stderr, "usage: %s [--isa NAME] [--seed N] [--bench]\n", argv[0]);
			exit(2);
		}
	}
	if (kern.only_isa && isa_from_name(kern.only_isa) == -EINVAL) {
		fprintf(stderr, "kern %s: no such instruction set: %s\n", kern.suite, kern.only_isa);
		exit(2);
	}
	kern.state = kern.seed ? kern.seed : 1;
	printf("kern %s: seed %" PRIu64 "\n", kern.suite, kern.seed);
}

int main(int argc, char **argv) {
	parse(argc, argv);
	if (kern_suite.open) {
		kern_suite.open();
	}
	unsigned sets = 0;
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		if (!wants(isa)) {
			continue;
		}
		if (kern.bench) {
			kern_suite.bench(isa);
		} else if (isa != ISA_C) {
			kern_suite.check(isa);
			printf("kern %s: %s\n", kern.suite, isa_name(isa));
		}
		sets += isa != ISA_C;
	}
	if (kern_suite.close) {
		kern_suite.close();
	}
	if (kern.bench) {
		return 0;
	}
	if (sets == 0) {
		printf("kern %s: %s is not in this build or not on this CPU\n", kern.suite,
				kern.only_isa ? kern.only_isa : "no set");
		return 77;
	}
	printf("kern %s: %lu comparisons, %lu different\n", kern.suite, kern.checks, kern.failures);
	return kern.failures != 0;
}

uint64_t kern_random(void) {
	kern.state ^= kern.state >> 12;
	kern.state ^= kern.state << 25;
	kern.state ^= kern.state >> 27;
	return kern.state * 0x2545F4914F6CDD1Du;
}

int64_t kern_random_in(int64_t lo, int64_t hi) {
	return lo + (int64_t)(kern_random() % (uint64_t)(hi - lo + 1));
}

float kern_random_float(void) {
	static const uint32_t special[] = { 0, 0x80000000u, 1, 0x80000001u, 0x7F7FFFFF, 0xFF7FFFFF,
		0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x3F800000, 0xBF800000, 0x3F000000,
		0x20800000, 0x207FFFFF, 0x5F800000, 0x007FFFFF, 0x00800000 };
	uint64_t r = kern_random();
	uint32_t bits;
	switch (r & 7) {
	case 0:
		bits = special[(r >> 8) % (sizeof(special) / sizeof(special[0]))];
		break;
	case 1:
		bits = (uint32_t)(r >> 32);
		break;
	default: /* exponents around 1 */
		bits = (uint32_t)(r >> 32 & 0x807FFFFF) |
				(uint32_t)(127 - 12 + (r >> 8) % 25) << 23;
		break;
	}
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

bool kern_tame(const float *x, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const float magnitude = fabsf(x[i]);
		if (magnitude != 0.0f && !(magnitude >= 0x1p-23f && magnitude < 0x1p30f)) {
			return false;
		}
	}
	return true;
}

void kern_random_bytes(void *p, size_t n) {
	uint8_t *b = p;
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		const uint64_t r = kern_random();
		memcpy(b + i, &r, n - i < sizeof(r) ? n - i : sizeof(r));
	}
}

void kern_random_colors(uint16_t *p, unsigned n) {
	static const uint8_t edges[] = { 0, 1, 2, 126, 127, 128, 129, 253, 254, 255 };
	for (unsigned i = 0; i < n; i++) {
		const uint64_t r = kern_random();
		p[i] = r & 3 ? (uint16_t)(r >> 32 & 255) : edges[(r >> 8) % sizeof(edges)];
	}
}

/* ---- Buffers, a stack of them ---- */

enum { GUARD = 64 };

struct guarded {
	struct guarded *before;
	size_t size;
	unsigned char *data;
	unsigned char pad[GUARD - 3 * sizeof(void *)];
};

static struct guarded *newest;

void *kern_buffer(size_t n) {
	size_t rounded = (n + GUARD - 1) / GUARD * GUARD;
	struct guarded *g = aligned_alloc(GUARD, sizeof(*g) + GUARD + rounded + GUARD);
	if (!g) {
		abort();
	}
	*g = (struct guarded){ .before = newest, .size = n,
		.data = (unsigned char *)(g + 1) + GUARD };
	newest = g;
	memset(g->data - GUARD, 0xA5, GUARD);
	memset(g->data, 0, n);
	memset(g->data + n, 0x5A, rounded - n + GUARD);
	return g->data;
}

static bool is_intact(const struct guarded *g) {
	for (int i = 0; i < GUARD; i++) {
		if (g->data[i - GUARD] != 0xA5 || g->data[g->size + (size_t)i] != 0x5A) {
			return false;
		}
	}
	return true;
}

void kern_done(void *p) {
	for (bool is_last = false; !is_last;) {
		struct guarded *g = newest;
		kern.checks++;
		if (!is_intact(g) && kern.failures++ < 20) {
			printf("kern %s: beside a buffer of %zu bytes, after %s: written (seed %" PRIu64
			       ")\n", kern.suite, g->size, kern.last, kern.seed);
		}
		is_last = g->data == p;
		newest = g->before;
		free(g);
	}
}

void kern_forget(void *got, const void *want, unsigned n_planes, unsigned n_lanes, size_t size) {
	for (size_t k = 0; k < n_planes; k++) {
		const size_t at = (k * BATCH + n_lanes) * size;
		memcpy((char *)got + at, (const char *)want + at, (BATCH - n_lanes) * size);
	}
}

bool kern_same(const char *kernel, enum isa isa, const void *want, const void *got, size_t n) {
	kern.checks++;
	kern.last = kernel;
	if (memcmp(want, got, n) == 0) {
		return true;
	}
	const unsigned char *w = want, *g = got;
	size_t i = 0;
	while (w[i] == g[i]) {
		i++;
	}
	if (kern.failures++ < 20) {
		printf("kern %s: %s %s differs at byte %zu: C %02X, %s %02X (seed %" PRIu64 ")\n",
				kern.suite, kernel, isa_name(isa), i, w[i], isa_name(isa), g[i],
				kern.seed);
	}
	return false;
}

void kern_check(const char *kernel, enum isa isa, bool ok) {
	kern.checks++;
	if (!ok && kern.failures++ < 20) {
		printf("kern %s: %s %s fails (seed %" PRIu64 ")\n", kern.suite, kernel,
				isa_name(isa), kern.seed);
	}
}

static double now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { ROUNDS = 5, ROUND_NS = 10000000, CALLS = 64 }; /* calls between readings of the clock */

bool kern_bench_turn(struct kern_bench *b) {
	const double now = now_ns(), t = now - b->start_ns;
	if (b->calls == 0 || t >= ROUND_NS) { /* a new round */
		const double ns = t / (double)b->calls;
		b->best_ns = b->calls && (b->round == 1 || ns < b->best_ns) ? ns : b->best_ns;
		if (b->round++ == ROUNDS) {
			b->best_ns /= b->units;
			printf("bench %s %s %s %.3f ns per unit\n", kern.suite, b->kernel,
					isa_name(b->isa), b->best_ns);
			return false;
		}
		b->calls = 0;
		b->start_ns = now;
	}
	b->calls += CALLS;
	b->left = CALLS - 1;
	return true;
}
