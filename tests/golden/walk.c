/*
 * Checks the register table of docs/fidelity.md, id by id: changes a register before each draw of a
 * scene, and compares the pictures.
 *
 *     walk docs/fidelity.md CAPTURES [--every N [--first K]] [--verbose]
 *
 *   hole              reads 0, whatever is written; pictures stay the same
 *   stored, ignored   reads back what was written; pictures stay the same
 *   implemented       a change of it changes a picture, other state, an interrupt or a counter
 *                     of faults
 *
 * --every N checks, of the implemented ones, only ids that are K (0) modulo N. Exits with 1 if the
 * table is wrong.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "expect.h"
#include "pica/regs/regs.h"
#include "step.h"

enum state { UNNAMED, IMPLEMENTED, STORED, IGNORED, HOLE, STATE_COUNT };

static const char *const state_names[STATE_COUNT] = { "", "implemented", "stored", "ignored",
	"hole" };
static enum state states[PICA_REG_COUNT];

/* Scenes with many features first, then charts of single features. */
static const char *const scenes[] = { "cube", "window", "octopus", "galaxy", "mirror", "lanterns",
	"smoke", "shadow", "proctex", "cloth", "materials", "toon", "lamps", "planet", "chrome",
	"valley", "wrap", "combiner", "sources", "blend", "depth" };

/*
 * Registers in which no scene shows a flipped bit, and the tests that do. random-draws
 * (tests/naive) fails where a number of lights is missing, and gives attributes to all arrays.
 */
static const struct {
	uint16_t first, last;
	const char *test;
} elsewhere[] = {
	{ 0x020, 0x02F, "test_engine: status words, ends of lists" },
	{ 0x030, 0x035, "test_engine: interrupts, status words; test_regs: the number of the chip" },
	{ 0x056, 0x056, "random-draws: seven outputs" },
	{ 0x05A, 0x05C, "test_engine: counters of vertices and triangles" },
	{ 0x091, 0x091, "random-draws: border of unit 1" },
	{ 0x099, 0x099, "random-draws: border of unit 2" },
	{ 0x0D3, 0x0D3, "random-draws: constant of stage 2" },
	{ 0x0DB, 0x0DB, "random-draws: constant of stage 3" },
	{ 0x0FB, 0x0FB, "random-draws: constant of stage 5" },
	{ 0x0FD, 0x0FD, "random-draws: colour of the combiner buffer" },
	{ 0x125, 0x125, "test_effects: the greatest density is counted from what it holds" },
	{ 0x176, 0x177, "random-draws: spot directions of every light" },
	{ 0x17A, 0x17B, "random-draws: distance attenuation of every light" },
	{ 0x180, 0x1BB, "random-draws: lights 4 to 7" },
	{ 0x206, 0x226, "random-draws: vertex arrays from the second on" },
	{ 0x238, 0x23D, "test_engine, hostile: jumps" },
	{ 0x242, 0x242, "test_engine: immediate mode" },
	{ 0x2BC, 0x2BC, "random-draws: more than eight attributes" },
	{ 0x25F, 0x25F, "test_engine, test_geometry: the assembler starts again" },
	{ 0x280, 0x284, "random-draws: booleans and integers of geometry programs" },
	{ 0x28C, 0x28C, "random-draws: more than eight inputs of a geometry program" },
};

static struct pica_device *device;
static const char *folder;
static bool is_verbose;
static unsigned n_wrong;

/* ---- The page ---- */

static void mark(unsigned first, unsigned last, unsigned step, enum state state) {
	for (unsigned id = first; id <= last && id < PICA_REG_COUNT; id += step) {
		states[id] = state;
	}
}

/* "080, 0E8-0EF, 203-224/3" */
static void mark_ids(const char *ids, enum state state) {
	while (*ids) {
		char *end;
		unsigned first = (unsigned)strtoul(ids, &end, 16), last = first, step = 1;
		if (*end == '-') {
			last = (unsigned)strtoul(end + 1, &end, 16);
		}
		if (*end == '/') {
			step = (unsigned)strtoul(end + 1, &end, 16);
		}
		mark(first, last, step ? step : 1, state);
		ids = end + strspn(end, ", ");
		if (end == ids) {
			return;
		}
	}
}

static void read_page(const char *path) {
	char line[1024], ids[512], name[512], word[64];
	FILE *f = fopen(path, "r");
	if (!f) {
		printf("walk: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	bool inside = false;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "## ", 3) == 0) {
			inside = strncmp(line, "## 3.", 5) == 0;
		}
		if (!inside ||
				sscanf(line, "| %511[^|]| %511[^|]| %63[a-z]", ids, name, word) !=
						3) {
			continue;
		}
		for (unsigned s = IMPLEMENTED; s < STATE_COUNT; s++) {
			if (strcmp(word, state_names[s]) == 0) {
				mark_ids(ids, (enum state)s);
			}
		}
	}
	fclose(f);
}

/* ---- A scene with changed registers ---- */

struct change {
	struct pica_ctx *ctx;
	uint32_t id, flip;  /* one of them, and its bits; 0: it becomes 0 */
	const uint8_t *all; /* or all that are marked, with values of this seed */
	uint32_t seed;
	unsigned n_draws;
};

static uint32_t noise(uint32_t seed, uint32_t id) {
	uint32_t x = seed * 2654435761u ^ id * 2246822519u;
	x ^= x >> 15;
	x *= 2246822519u;
	return x ^ x >> 13;
}

static int change_registers(void *user, const struct step_draw *draw) {
	struct change *c = user;
	uint32_t regs[PICA_REG_COUNT];
	if (draw->kind == DRAW_IMMEDIATE) {
		return 0; /* a write would end its run */
	}
	c->n_draws++;
	if (!c->all) {
		int ret = pica_ctx_read_regs(c->ctx, c->id, 1, regs);
		const uint32_t word = c->flip ? regs[0] ^ c->flip : 0;
		return ret ? ret : pica_ctx_write_reg(c->ctx, c->id, word, 15, NULL);
	}
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		const uint32_t word = noise(c->seed, id);
		int ret = c->all[id] ? pica_ctx_write_reg(c->ctx, id, word, 15, NULL) : 0;
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

/* Returns 1 if a picture of its first frame differs or is missing, 0 if all are as expected. */
static int draw_scene(const char *name, struct change *c) {
	static const struct step_visitor visitor = { .draw = change_registers };
	struct pica_capture_error error;
	struct pica_expected want, have;
	struct pica_capture *capture;
	struct step *step = calloc(1, sizeof(*step));
	char path[512];
	uint32_t n = 0;
	snprintf(path, sizeof(path), "%s/%s.pica", folder, name);
	if (!step || pica_capture_open(&capture, path, &error) < 0 ||
			replay_create_ctx(&c->ctx, device, capture) < 0) {
		printf("walk: %s cannot be opened\n", path);
		exit(2);
	}
	c->n_draws = 0;
	int ret = step_start(step, gpu_here(c->ctx), capture, 0, &visitor, c);
	ret = ret < 0 ? ret : step_frame(step, true);
	const bool failed = ret < 0 || step->replay.worst < 0;
	ret = failed ? 1 : expect_compare(gpu_here(c->ctx), capture, 0, &n, &want, &have);
	pica_ctx_destroy(c->ctx);
	pica_capture_close(capture);
	free(step);
	return ret != 0;
}

static void wrong(uint32_t id, const char *what) {
	printf("%03X %s (%s): %s\n", id, reg_name(id) ? reg_name(id) : "-", state_names[states[id]],
			what);
	n_wrong++;
}

/* ---- Without effect ---- */

static void without_effect(void) {
	static uint8_t all[PICA_REG_COUNT];
	unsigned n = 0;
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		all[id] = states[id] == STORED || states[id] == IGNORED || states[id] == HOLE;
		n += all[id];
	}
	printf("%u ids without an effect\n", n);
	for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) {
		struct change c = { .all = all, .seed = i + 1 };
		if (!draw_scene(scenes[i], &c)) {
			continue;
		}
		printf("%s: registers without an effect change a picture:\n", scenes[i]);
		n_wrong++;
		for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
			uint8_t one[PICA_REG_COUNT] = { 0 };
			one[id] = all[id];
			struct change alone = { .all = one, .seed = i + 1 };
			if (all[id] && draw_scene(scenes[i], &alone)) {
				wrong(id, "changes a picture");
			}
		}
	}
}

static void read_back(void) {
	struct pica_ctx *ctx;
	if (pica_ctx_create(&ctx, device, NULL) < 0) {
		exit(2);
	}
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		const uint32_t want = states[id] == HOLE ? 0 : 0xA5C3960F ^ id;
		uint32_t have;
		if (states[id] == UNNAMED) {
			wrong(id, "stands in no row of section 3");
		} else if (states[id] != IMPLEMENTED &&
				(pica_ctx_write_reg(ctx, id, 0xA5C3960F ^ id, 15, NULL) < 0 ||
						pica_ctx_read_regs(ctx, id, 1, &have) < 0 ||
						have != want)) {
			wrong(id, "is not read back as written (a hole: as 0)");
		}
	}
	pica_ctx_destroy(ctx);
}

/* ---- With one ---- */

static bool changes_a_picture(uint32_t id) {
	static const uint32_t flips[] = { 1, 0, 0x10, 0x100, 0x1000, 0x10000, 0x400000, 0x1000000,
		0x80000000, 0x2, 0x7F7 };
	for (unsigned k = 0; k < ARRAY_LEN(flips); k++) {
		for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) {
			struct change c = { .id = id, .flip = flips[k] };
			/* Many vertices are drawn as many, for minutes. */
			const bool is_count = id == REG_NUMVERTICES && flips[k] > 0x10;
			if (!is_count && draw_scene(scenes[i], &c)) {
				if (is_verbose) {
					printf("%03X %s: bits %" PRIX32 ", %s\n", id, reg_name(id),
							flips[k], scenes[i]);
				}
				return true;
			}
		}
	}
	return false;
}

static unsigned n_interrupts;

static void count_interrupt(void *user, enum pica_interrupt which) {
	n_interrupts++;
}

/* Index registers: each sets the destination of the words written to its port. */
static const struct {
	uint16_t id, port;
} ports[] = {
	{ REG_PROCTEX_LUT, REG_PROCTEX_LUT_DATA0 },
	{ REG_FOG_LUT_INDEX, REG_FOG_LUT_DATA0 },
	{ REG_GAS_LUT_INDEX, REG_GAS_LUT_DATA },
	{ REG_LIGHTING_LUT_INDEX, REG_LIGHTING_LUT_DATA0 },
	{ REG_VSH_COM_MODE, REG_VSH_FLOATUNIFORM_DATA0 },
};

enum { NO_REGISTER = PICA_REG_COUNT };

/* Vertices and vectors are made of several words. */
static void write_four(struct pica_ctx *ctx, uint32_t id, uint64_t *seq) {
	for (unsigned i = 0; i < 4 && id != NO_REGISTER; i++) {
		pica_ctx_write_reg(ctx, id, 0x12345678 + 0x01010101 * i, 15, seq);
	}
}

/* The state after writes to id, and then to its port. */
static void state_after(struct pica_ctx *ctx, uint32_t id, uint32_t port,
		struct pica_state *state) {
	uint64_t seq = 0;
	write_four(ctx, id, &seq);
	write_four(ctx, port, &seq);
	pica_wait(ctx, seq, -1);
	pica_ctx_save_state(ctx, state);
}

/*
 * Returns whether more than the word itself changes: tables, programs, attributes, other registers,
 * faults.
 */
static bool changes_the_state(uint32_t id) {
	static struct pica_state before, after;
	struct pica_stats stats = { .size = sizeof(stats) };
	struct pica_ctx_settings settings;
	struct pica_ctx *ctx, *other;
	uint64_t faults = 0;
	uint32_t port = NO_REGISTER;
	for (unsigned i = 0; i < ARRAY_LEN(ports); i++) {
		port = ports[i].id == id ? ports[i].port : port;
	}
	pica_ctx_settings_init(&settings);
	if (pica_ctx_create(&other, device, &settings) < 0) {
		exit(2);
	}
	state_after(other, NO_REGISTER, port, &before);
	pica_ctx_destroy(other);
	settings.interrupt = count_interrupt;
	n_interrupts = 0;
	if (pica_ctx_create(&ctx, device, &settings) < 0) {
		exit(2);
	}
	state_after(ctx, id, port, &after);
	pica_stats(ctx, &stats);
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		faults += stats.faults[i];
	}
	pica_ctx_destroy(ctx);
	before.regs[id] = after.regs[id];
	return faults || n_interrupts || memcmp(&before, &after, sizeof(before)) != 0;
}

static bool is_elsewhere(uint32_t id) {
	for (unsigned i = 0; i < ARRAY_LEN(elsewhere); i++) {
		if (id >= elsewhere[i].first && id <= elsewhere[i].last) {
			return true;
		}
	}
	return false;
}

/* Ids that leave the rest first when divided by every. */
static void with_effect(unsigned every, unsigned first) {
	unsigned n = 0, looked = 0;
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		const bool is_one = states[id] == IMPLEMENTED && !is_elsewhere(id);
		n += is_one;
		if (!is_one || id % every != first) {
			continue;
		}
		looked++;
		if (!changes_the_state(id) && !changes_a_picture(id)) {
			wrong(id, "nothing tells that it was changed");
		}
	}
	printf("%u of %u ids with an effect\n", looked, n);
}

int main(int argc, char **argv) {
	struct pica_settings settings;
	unsigned every = 1, first = 0;
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "--every") == 0 && i + 1 < argc) {
			every = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--first") == 0 && i + 1 < argc) {
			first = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--verbose") == 0) {
			is_verbose = true;
		}
	}
	if (argc < 3 || every == 0) {
		printf("usage: walk docs/fidelity.md CAPTURES [--every N [--first K]] [--verbose]\n");
		return 2;
	}
	folder = argv[2];
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	read_page(argv[1]);
	pica_settings_init(&settings);
	if (pica_device_create(&device, &settings) < 0) {
		return 2;
	}
	read_back();
	without_effect();
	with_effect(every, first);
	pica_device_destroy(device);
	printf("%u contradictions\n", n_wrong);
	return n_wrong ? 1 : 0;
}
