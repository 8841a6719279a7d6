/*
 * Random draws through the engine and the naive renderer: memory, registers, shader code and
 * uniforms must be the same.
 *
 * Prints the share of drawn states that used each feature: a draw from arrays has one state;
 * immediate vertices have one for each state in which they complete triangles, or none.
 *
 * Exits with 0; 1: a difference, described on stdout, or, in 20,000 draws or more, an unused
 * feature; 2: other errors. To find the first draw that differs, replays the epoch on fresh
 * contexts up to the group that differed, and then that group job by job and draw by draw. --first
 * K begins with the epoch of draw K. Deterministic for a seed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vec/cpu.h"
#include "options/options.h"
#include "random_rig.h"
#include "random_shares.h"

enum { ENOUGH = 20000 }; /* draws that must use everything */

struct options {
	uint64_t seed;
	uint32_t draws, first;
	uint32_t threads;
	const char *isa;
	enum pica_float mode;
	enum pica_combiner combiner;
	bool verbose;
};

/* ---- Epochs ---- */

static struct group group;

static void gen_begin(struct gen *gen, const struct options *o, uint32_t epoch) {
	*gen = (struct gen){.is_fresh = true, .next_draw = epoch * EPOCH_DRAWS};
	rng_seed(&gen->r, o->seed, epoch);
}

/* Draws of an epoch's group k: the last one of all may be shorter. */
static uint32_t group_draws(const struct options *o, uint32_t epoch, uint32_t k) {
	const uint64_t before = (uint64_t)(epoch - o->first / EPOCH_DRAWS) * EPOCH_DRAWS +
			(uint64_t)k * GROUP_DRAWS;
	return before + GROUP_DRAWS <= o->draws ? GROUP_DRAWS : (uint32_t)(o->draws - before);
}

static uint64_t pack_stream(const struct options *o, uint32_t epoch, uint32_t k) {
	return o->seed * 4096 + epoch * EPOCH_GROUPS + k;
}

/* Creates a rig and runs all groups of the epoch before `bad`, which it only generates. */
static bool replay(struct rig *rig, struct gen *gen, struct pica_device *device,
		const struct options *o, uint32_t epoch, uint32_t bad) {
	rig_create(rig, device, o->mode, o->seed, UINT64_C(0x1000000) + epoch);
	naive_set_combiner(rig->naive, o->combiner);
	gen_begin(gen, o, epoch);
	for (uint32_t k = 0; k < bad; k++) {
		random_group(gen, &group, GROUP_DRAWS);
		(void)rig_run_items(rig, &group, 0, group.n_items, false, pack_stream(o, epoch, k));
		if (rig_differs(rig)) {
			printf("replay: differs already after draw %u: not the same from run to "
			       "run\n",
				gen->next_draw - 1);
			return false;
		}
	}
	random_group(gen, &group, group_draws(o, epoch, bad));
	return true;
}

static void print_item(unsigned i) {
	const struct item *item = &group.item[i];
	if (item->is_draw) {
		printf("draw %u, target %08X depth %08X, %ux%u\n", item->draw,
			item->target.color.addr, item->target.depth.addr, item->target.width,
			item->target.height);
	} else {
		report_job(&item->job);
	}
}

static void report(const struct rig *rig, const struct options *o, unsigned i) {
	printf("first difference: seed %" PRIu64 ", ", o->seed);
	print_item(i);
	report_differences(rig, &group.item[i].target);
	report_context(rig);
}

/* Each job and each draw of the group on its own. */
static bool diagnose_apart(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t bad) {
	struct rig rig;
	struct gen gen;
	bool found = !replay(&rig, &gen, device, o, epoch, bad);
	for (unsigned i = 0; i < group.n_items && !found; i++) {
		if (!rig_run_items(&rig, &group, i, i + 1, true, 0) || rig_differs(&rig)) {
			report(&rig, o, i);
			found = true;
		}
	}
	rig_destroy(&rig);
	return found;
}

/* Finds the shortest beginning of the group that differs when it is submitted at once. */
static void diagnose_prefix(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t bad) {
	printf("no difference when each draw of the group runs alone: passes, order or caches\n");
	bool found = false;
	for (unsigned n = 1; n <= group.n_items && !found; n++) {
		struct rig rig;
		struct gen gen;
		if (!replay(&rig, &gen, device, o, epoch, bad)) {
			found = true;
		} else if (!rig_run_items(&rig, &group, 0, n, false, pack_stream(o, epoch, bad)) ||
				rig_differs(&rig)) {
			printf("the first %u items together differ:\n", n);
			for (unsigned i = 0; i < n; i++) {
				printf("  ");
				print_item(i);
			}
			report(&rig, o, n - 1);
			found = true;
		}
		rig_destroy(&rig);
	}
	if (!found) {
		printf("no difference in a second run of the group: not the same from run to "
		       "run\n");
	}
}

static void diagnose(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t bad) {
	if (!diagnose_apart(device, o, epoch, bad)) {
		diagnose_prefix(device, o, epoch, bad);
	}
}

/* False: a difference. */
static bool run_epoch(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t draws, struct naive_stats *total, struct shares *shares) {
	struct rig rig;
	struct gen gen;
	bool ok = true;
	rig_create(&rig, device, o->mode, o->seed, UINT64_C(0x1000000) + epoch);
	naive_set_combiner(rig.naive, o->combiner);
	shares_watch(shares, rig.naive);
	gen_begin(&gen, o, epoch);
	for (uint32_t k = 0; k < EPOCH_GROUPS && k * GROUP_DRAWS < draws && ok; k++) {
		const uint32_t n = group_draws(o, epoch, k);
		random_group(&gen, &group, n);
		ok = rig_run_items(&rig, &group, 0, group.n_items, false, pack_stream(o, epoch, k));
		ok = ok && !rig_differs(&rig);
		if (!ok) {
			printf("difference: seed %" PRIu64 ", draws %u to %u\n", o->seed,
					gen.next_draw - n, gen.next_draw - 1);
			report_differences(&rig, &gen.target);
			fflush(stdout);
			diagnose(device, o, epoch, k);
		}
	}
	struct naive_stats s;
	naive_get_stats(rig.naive, &s);
	total->triangles += s.triangles;
	total->set_up += s.set_up;
	total->covered += s.covered;
	total->written += s.written;
	total->gs_runs += s.gs_runs;
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		total->faults[i] += s.faults[i];
	}
	rig_destroy(&rig);
	return ok;
}

/* ---- Command line ---- */

static const char *const floats[] = { "f24", "f32", NULL };
static const char *const combiners[] = { "nearest", "truncate", NULL };

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
	{ "seed", 0, "N", "Of the random numbers (1)", OPTION_U64, .at = AT(seed),
			.max = UINT64_MAX },
	{ "draws", 0, "N", "That many (20000, or $PICA_TEST_DRAWS)", OPTION_U32, .at = AT(draws),
			.max = UINT32_MAX },
	{ "first", 0, "K", "From the epoch on that draw K belongs to (0)", OPTION_U32, .at = AT(first), .max = UINT32_MAX },
	{ "threads", 0, "N", "Workers; 0: none (0)", OPTION_U32, .at = AT(threads), .max = 64 },
	{ "isa", 0, "NAME", ISA_NAMES(", ") " (the best that the processor has)", OPTION_TEXT,
			.at = AT(isa) },
	{ "float", 0, NULL, "Arithmetic of shaders (f24)", OPTION_CHOICE, .at = AT(mode),
			.words = floats },
	{ "combiner", 0, NULL, "Rounding of the combiner's products (nearest)", OPTION_CHOICE,
			.at = AT(combiner), .words = combiners },
	{ "verbose", 0, NULL, "Progress and totals", OPTION_FLAG, .at = AT(verbose) },
};
static const struct option_spec spec = {
	.doc = "Draws with random states, by the engine and by the independent renderer of tests/naive; the "
	       "memory of both must be the same. Exit 0: it is; 1: it is not, and the first draw that differs "
	       "is shown; 2: wrong use; 77: the processor lacks the instruction set.",
	.tables = { OPTION_TABLE(rows, 0, 0) },
};

static void print_totals(const struct naive_stats *t) {
	printf("triangles %" PRIu64 ", set up %" PRIu64 ", pixels %" PRIu64 ", written %" PRIu64
			", geometry-shader runs %" PRIu64 "\n",
			t->triangles, t->set_up, t->covered, t->written, t->gs_runs);
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		if (t->faults[i] > 0) {
			printf("  %s: %" PRIu64 "\n", pica_fault_name((enum pica_fault)i),
				t->faults[i]);
		}
	}
}

int main(int argc, char **argv) {
	struct options o = {.seed = 1, .draws = 20000};
	struct pica_settings settings;
	struct pica_device *device;
	struct naive_stats total = {0};
	const char *draws = getenv("PICA_TEST_DRAWS"); /* of slow builds */
	o.draws = draws ? (uint32_t)strtoul(draws, NULL, 10) : o.draws;
	options_parse(&spec, argc, argv, &o);
	pica_settings_init(&settings);
	settings.n_threads = o.threads;
	settings.isa = o.isa;
	settings.float_mode = o.mode;
	settings.combiner = o.combiner;
	const int ret = pica_device_create(&device, &settings);
	if (ret == -EOPNOTSUPP) {
		printf("random-draws: this machine lacks %s\n", o.isa);
		return 77;
	}
	if (ret < 0) {
		rig_trouble("pica_device_create", -ret);
	}
	struct shares *shares = shares_create();
	bool ok = true;
	uint32_t done = 0;
	for (uint32_t epoch = o.first / EPOCH_DRAWS; done < o.draws && ok; epoch++) {
		const uint32_t left = o.draws - done;
		ok = run_epoch(device, &o, epoch, left, &total, shares);
		done += left < EPOCH_DRAWS ? left : EPOCH_DRAWS;
		if (o.verbose) {
			printf("epoch %u: %u draws so far\n", epoch, done);
			fflush(stdout);
		}
	}
	if (o.verbose) {
		print_totals(&total);
	}
	pica_device_destroy(device);
	const bool all = !ok || shares_print(shares);
	shares_destroy(shares);
	if (ok && !all && done >= ENOUGH) {
		printf("random-draws: a feature took part in none of %u draws\n", done);
		ok = false;
	} else if (ok) {
		printf("random-draws: %u draws, 0 differences, seed %" PRIu64 "\n", done, o.seed);
	}
	return ok ? 0 : 1;
}
