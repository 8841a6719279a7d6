/*
 * Random draws through the engine and through the naive renderer; all memory must be the same, and
 * the registers, shader code and uniforms too.
 *
 *     random-draws [--seed N] [--draws N] [--threads N] [--isa NAME] [--float f24|f32]
 *                  [--first K] [--verbose]
 *
 * Exit 0: no difference; 1: a difference, described on stdout; 2: trouble. On a difference the epoch
 * is replayed on fresh contexts up to the group that differed, and that group then job by job and
 * draw by draw, to name the first draw that differs. --first K begins with the epoch that holds draw
 * K. Deterministic for a seed.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "naive.h"
#include "random.h"
#include "regs/regs.h"

/* One renderer pair with its memory. */
struct rig {
	struct pica_device *device; /* borrowed */
	struct pica_ctx *ctx;
	struct naive *naive;
	uint8_t *engine_mem[2]; /* WIN_VRAM, WIN_FCRAM */
	uint8_t *naive_mem[2];
};

struct options {
	uint64_t seed;
	uint32_t draws, first;
	uint32_t threads;
	const char *isa;
	enum pica_float mode;
	bool verbose;
};

static const uint32_t window_phys[2] = {WIN_VRAM, WIN_FCRAM};

static void trouble(const char *what, int error) {
	fprintf(stderr, "random-draws: %s: %s\n", what, strerror(error));
	exit(2);
}

/* ---- Rigs ---- */

static void rig_destroy(struct rig *rig) {
	pica_ctx_destroy(rig->ctx);
	naive_destroy(rig->naive);
	for (unsigned i = 0; i < 2; i++) {
		free(rig->engine_mem[i]);
		free(rig->naive_mem[i]);
	}
}

/* Both memories start with the same noise, of the epoch's number. */
static void rig_create(struct rig *rig, struct pica_device *device, const struct options *o,
		uint32_t epoch) {
	struct pica_ctx_settings settings;
	*rig = (struct rig){.device = device};
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = 0;
	settings.vram_bytes = 0;
	const int ret = pica_ctx_create(&rig->ctx, device, &settings);
	if (ret < 0) {
		trouble("pica_ctx_create", -ret);
	}
	rig->naive = naive_create(o->mode);
	if (!rig->naive) {
		trouble("naive_create", ENOMEM);
	}
	struct rng r;
	rng_seed(&r, o->seed, UINT64_C(0x1000000) + epoch);
	for (unsigned i = 0; i < 2; i++) {
		rig->engine_mem[i] = aligned_alloc(4096, WIN_BYTES);
		rig->naive_mem[i] = malloc(WIN_BYTES);
		if (!rig->engine_mem[i] || !rig->naive_mem[i]) {
			trouble("memory", ENOMEM);
		}
		rng_bytes(&r, rig->engine_mem[i], WIN_BYTES);
		memcpy(rig->naive_mem[i], rig->engine_mem[i], WIN_BYTES);
		const int err = pica_ctx_map(rig->ctx, window_phys[i], WIN_BYTES, rig->engine_mem[i], 0);
		if (err < 0) {
			trouble("pica_ctx_map", -err);
		}
		naive_map(rig->naive, window_phys[i], WIN_BYTES, rig->naive_mem[i]);
	}
}

static bool memory_differs(const struct rig *rig) {
	for (unsigned i = 0; i < 2; i++) {
		if (memcmp(rig->engine_mem[i], rig->naive_mem[i], WIN_BYTES) != 0) {
			return true;
		}
	}
	return false;
}

static bool words_differ(const char *what, const uint32_t *engine, const uint32_t *naive, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		if (engine[i] != naive[i]) {
			printf("%s %u: engine %08X, naive %08X\n", what, i, engine[i], naive[i]);
			return true;
		}
	}
	return false;
}

/* NaNs have no agreed payload. */
static void same_nan(uint32_t (*f24)[4], unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < 4; k++) {
			if ((f24[i][k] & 0x7F0000) == 0x7F0000 && (f24[i][k] & 0xFFFF)) {
				f24[i][k] = 0x7F8000;
			}
		}
	}
}

static bool unit_differs(const char *name, struct pica_shader_state *engine,
		struct pica_shader_state *naive, unsigned n_code) {
	char what[64];
	same_nan(engine->uniforms, 96);
	same_nan(naive->uniforms, 96);
	snprintf(what, sizeof(what), "%s code word", name);
	bool differs = words_differ(what, engine->code, naive->code, n_code);
	snprintf(what, sizeof(what), "%s descriptor", name);
	differs |= words_differ(what, engine->operand_descriptors, naive->operand_descriptors, 128);
	snprintf(what, sizeof(what), "%s uniform component", name);
	return differs | words_differ(what, &engine->uniforms[0][0], &naive->uniforms[0][0], 96 * 4);
}

/*
 * Registers and shader memories. In two of its modes the geometry unit's uniforms hold what the
 * vertex program put out, so this sees every bit of the shader arithmetic.
 */
static bool state_differs(const struct rig *rig) {
	static struct pica_state engine, naive;
	const int ret = pica_ctx_save_state(rig->ctx, &engine);
	if (ret < 0) {
		trouble("pica_ctx_save_state", -ret);
	}
	naive_save_state(rig->naive, &naive);
	bool differs = false;
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		/* The cache bit is a trigger: whether it reads back is not known. */
		const uint32_t mask = id == REG_TEXUNIT_CONFIG ? ~TEXUNIT_CONFIG_CLEAR_CACHE_SET(1) : ~0u;
		if (reg_kind(id) == REG_KIND_CONFIG && ((engine.regs[id] ^ naive.regs[id]) & mask)) {
			printf("register %03X %s: engine %08X, naive %08X\n", id, reg_name(id), engine.regs[id],
					naive.regs[id]);
			differs = true;
		}
	}
	differs |= unit_differs("vertex", &engine.vs, &naive.vs, 512);
	return differs | unit_differs("geometry", &engine.gs, &naive.gs, 4096);
}

/* Runs the jobs on both. A job that fails in the engine alone is a difference of its own. */
static bool rig_run(struct rig *rig, const struct pica_job *jobs, unsigned n) {
	uint64_t seq;
	int ret = pica_submit(rig->ctx, jobs, n, &seq);
	if (ret < 0) {
		printf("random-draws: pica_submit: %s\n", strerror(-ret));
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		ret = naive_job(rig->naive, &jobs[i]);
		if (ret < 0) {
			trouble("naive_job", -ret);
		}
	}
	ret = pica_wait(rig->ctx, seq, -1);
	if (ret < 0) {
		trouble("pica_wait", -ret);
	}
	bool ok = true;
	struct pica_done done[64];
	for (int got; (got = pica_reap(rig->ctx, done, ARRAY_LEN(done))) > 0;) {
		for (int i = 0; i < got; i++) {
			if (done[i].result < 0) {
				printf("random-draws: job %" PRIu64 " failed: %s\n", done[i].user_data,
						strerror(-done[i].result));
				ok = false;
			}
		}
	}
	return ok;
}

/* ---- Packing: draws that follow each other share lists, parts of which are joined by jumps ---- */

struct packer {
	struct rig *rig;
	struct rng r;
	uint32_t next; /* bytes used of the list area */
	uint32_t start, size_word; /* of the open part; where its size goes when a jump leads to it */
	bool is_open, is_jumped_to;
	struct pica_job jobs[2 * GROUP_MAX_ITEMS];
	unsigned n_jobs;
};

static void store_word(struct packer *p, uint32_t offset, uint32_t word) {
	const uint32_t at = LIST_AREA - WIN_FCRAM + offset;
	if (offset + 4 > LIST_AREA_BYTES) {
		trouble("list area", ENOSPC);
	}
	memcpy(p->rig->engine_mem[1] + at, &word, 4);
	memcpy(p->rig->naive_mem[1] + at, &word, 4);
}

static void append(struct packer *p, const uint32_t *words, uint32_t n) {
	for (uint32_t i = 0; i < n; i++) {
		store_word(p, p->next, words[i]);
		p->next += 4;
	}
}

static void push_job(struct packer *p, const struct pica_job *job) {
	p->jobs[p->n_jobs] = *job;
	p->jobs[p->n_jobs].user_data = p->n_jobs;
	p->n_jobs++;
}

/* Closes the open part: its size becomes known. */
static void close_part(struct packer *p) {
	while (p->next % 16 != 0) {
		append(p, (const uint32_t[]){0, 0}, 2);
	}
	const uint32_t bytes = p->next - p->start;
	if (p->is_jumped_to) {
		store_word(p, p->size_word, bytes >> 3);
	} else {
		push_job(p, &(struct pica_job){
			.op = PICA_OP_LIST,
			.u.list = {.addr = LIST_AREA + p->start, .size_bytes = bytes},
		});
	}
}

static void open_part(struct packer *p, bool is_jumped_to, uint32_t size_word) {
	p->start = p->next;
	p->is_open = true;
	p->is_jumped_to = is_jumped_to;
	p->size_word = size_word;
}

static void jump(struct packer *p) {
	const unsigned channel = rng_below(&p->r, 2);
	const uint32_t size_word = p->next;
	/* Behind the jump: up to the end of this part, 16-aligned. */
	const uint32_t target = (p->next + 24 + 15) / 16 * 16;
	const uint32_t words[6] = {
		0, (REG_CMDBUF_SIZE0 + channel) | 15u << 16,
		(LIST_AREA + target) >> 3, (REG_CMDBUF_ADDR0 + channel) | 15u << 16,
		1, (REG_CMDBUF_JUMP0 + channel) | 15u << 16,
	};
	append(p, words, 6);
	close_part(p);
	open_part(p, true, size_word);
}

static void end_list(struct packer *p) {
	if (!p->is_open) {
		return;
	}
	const unsigned kind = rng_below(&p->r, 100);
	if (kind < 90) {
		append(p, (const uint32_t[]){0x12345678, REG_FINALIZE | 15u << 16}, 2);
	} else if (kind < 97) { /* one matching byte is enough */
		append(p, (const uint32_t[]){0x00340000, REG_FINALIZE | 15u << 16}, 2);
	}
	close_part(p);
	p->is_open = false;
}

/* apart: each draw in a list of its own. */
static void pack(struct packer *p, const struct group *g, unsigned first, unsigned last, bool apart) {
	push_job(p, &(struct pica_job){
		.op = PICA_OP_INVALIDATE,
		.u.invalidate = {.addr = LIST_AREA, .size_bytes = LIST_AREA_BYTES},
	});
	for (unsigned i = first; i < last; i++) {
		const struct item *item = &g->item[i];
		if (!item->is_draw) {
			end_list(p);
			push_job(p, &item->job);
			continue;
		}
		if (p->is_open && rng_chance(&p->r, 25)) {
			end_list(p);
		} else if (p->is_open && rng_chance(&p->r, 15)) {
			jump(p);
		}
		if (!p->is_open) {
			open_part(p, false, 0);
		}
		append(p, g->words + item->first_word, item->n_words);
		if (apart) {
			end_list(p);
		}
	}
	end_list(p);
}

static bool rig_differs(const struct rig *rig) {
	const bool memory = memory_differs(rig);
	return state_differs(rig) || memory;
}

/* Runs items [first, last) of a group. */
static bool run_items(struct rig *rig, const struct group *g, unsigned first, unsigned last, bool apart,
		uint64_t stream) {
	static struct packer p;
	memset(&p, 0, sizeof(p));
	p.rig = rig;
	rng_seed(&p.r, 77, stream);
	pack(&p, g, first, last, apart);
	return rig_run(rig, p.jobs, p.n_jobs);
}

/* ---- The report ---- */

static unsigned pixel_bytes(bool depth, unsigned format) {
	static const unsigned color_bytes[8] = {4, 3, 2, 2, 2, 4, 4, 4}, depth_bytes[4] = {2, 4, 3, 4};
	return depth ? depth_bytes[format & 3] : color_bytes[format & 7];
}

/* Which pixel of the present target lies at an address. */
static void describe_pixel(const struct target *t, uint32_t addr) {
	for (unsigned depth = 0; depth < 2; depth++) {
		const struct range at = depth ? t->depth : t->color;
		const unsigned format = depth ? t->depth_format : t->color_format;
		const unsigned bytes = pixel_bytes(depth, format);
		if (addr < at.addr || addr >= at.addr + at.bytes) {
			continue;
		}
		const uint32_t index = (addr - at.addr) / bytes;
		for (unsigned y = 0; y < 2048; y++) {
			for (unsigned x = 0; x < t->width; x++) {
				if ((uint32_t)naive_tiled_index(x, y, t->width, t->block32) == index) {
					printf("  %s pixel x %u, row %u, format %u, byte %u", depth ? "depth" : "color",
							x, y, format, (addr - at.addr) % bytes);
					return;
				}
			}
		}
	}
}

static void print_differences(const struct rig *rig, const struct target *t) {
	for (unsigned i = 0; i < 2; i++) {
		unsigned count = 0;
		for (uint32_t k = 0; k < WIN_BYTES; k++) {
			const unsigned e = rig->engine_mem[i][k], v = rig->naive_mem[i][k];
			if (e == v) {
				continue;
			}
			if (count++ < 12) {
				printf("%08X: engine %02X, naive %02X", window_phys[i] + k, e, v);
				describe_pixel(t, window_phys[i] + k);
				printf("\n");
			}
		}
		if (count > 0) {
			printf("%u bytes differ in the window at %08X\n", count, window_phys[i]);
		}
	}
}

static void print_state(const struct rig *rig) {
	char text[512];
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		if (reg_kind(id) != REG_KIND_CONFIG || naive_read_reg(rig->naive, id) == 0) {
			continue;
		}
		const uint32_t word = naive_read_reg(rig->naive, id);
		reg_dump(id, word, text, sizeof(text));
		printf("  %03X %-30s %08X %s\n", id, reg_name(id), word, text);
	}
}

static void print_program(const char *name, const uint32_t *code, unsigned n_code, const uint32_t *desc,
		unsigned n_desc) {
	while (n_code > 0 && code[n_code - 1] == 0) {
		n_code--;
	}
	while (n_desc > 0 && desc[n_desc - 1] == 0) {
		n_desc--;
	}
	printf("%s code:", name);
	for (unsigned i = 0; i < n_code; i++) {
		printf("%s%08X", i % 12 == 0 ? "\n  " : " ", code[i]);
	}
	printf("\n%s descriptors:", name);
	for (unsigned i = 0; i < n_desc; i++) {
		printf("%s%08X", i % 12 == 0 ? "\n  " : " ", desc[i]);
	}
	printf("\n");
}

static void print_context(const struct rig *rig) {
	static struct pica_state state;
	print_state(rig);
	if (pica_ctx_save_state(rig->ctx, &state) == 0) {
		print_program("vertex", state.vs.code, 512, state.vs.operand_descriptors, 128);
		print_program("geometry", state.gs.code, 4096, state.gs.operand_descriptors, 128);
	}
}

static void print_job(const struct pica_job *job) {
	static const char *const name[PICA_OP_COUNT] = {[PICA_OP_LIST] = "list", [PICA_OP_FILL] = "fill",
		[PICA_OP_TRANSFER] = "transfer", [PICA_OP_COPY] = "copy", [PICA_OP_WRITE] = "write",
		[PICA_OP_BARRIER] = "barrier"};
	printf("%s:", job->op < PICA_OP_COUNT && name[job->op] ? name[job->op] : "job");
	for (unsigned i = 0; i < 5; i++) {
		uint32_t word;
		memcpy(&word, job->u.args + 4 * i, 4);
		printf(" %08X", word);
	}
	printf("\n");
}

/* ---- Epochs ---- */

static struct group group;

static void gen_begin(struct gen *gen, const struct options *o, uint32_t epoch) {
	*gen = (struct gen){.is_fresh = true, .next_draw = epoch * EPOCH_DRAWS};
	rng_seed(&gen->r, o->seed, epoch);
}

static uint64_t pack_stream(const struct options *o, uint32_t epoch, uint32_t k) {
	return o->seed * 4096 + epoch * EPOCH_GROUPS + k;
}

/* A fresh rig that has run all groups of the epoch before `bad`; that one is generated, not run. */
static bool replay(struct rig *rig, struct gen *gen, struct pica_device *device,
		const struct options *o, uint32_t epoch, uint32_t bad) {
	rig_create(rig, device, o, epoch);
	gen_begin(gen, o, epoch);
	for (uint32_t k = 0; k < bad; k++) {
		random_group(gen, &group, GROUP_DRAWS);
		(void)run_items(rig, &group, 0, group.n_items, false, pack_stream(o, epoch, k));
		if (rig_differs(rig)) {
			printf("replay: differs already after draw %u: not the same from run to run\n",
					gen->next_draw - 1);
			return false;
		}
	}
	random_group(gen, &group, GROUP_DRAWS);
	return true;
}

static void print_item(unsigned i) {
	const struct item *item = &group.item[i];
	if (item->is_draw) {
		printf("draw %u, target %08X depth %08X, %ux%u\n", item->draw, item->target.color.addr,
				item->target.depth.addr, item->target.width, item->target.height);
	} else {
		print_job(&item->job);
	}
}

static void report(const struct rig *rig, const struct options *o, unsigned i) {
	printf("first difference: seed %" PRIu64 ", ", o->seed);
	print_item(i);
	print_differences(rig, &group.item[i].target);
	print_context(rig);
}

/* Each job and each draw of the group on its own. */
static bool diagnose_apart(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t bad) {
	struct rig rig;
	struct gen gen;
	bool found = !replay(&rig, &gen, device, o, epoch, bad);
	for (unsigned i = 0; i < group.n_items && !found; i++) {
		if (!run_items(&rig, &group, i, i + 1, true, 0) || rig_differs(&rig)) {
			report(&rig, o, i);
			found = true;
		}
	}
	rig_destroy(&rig);
	return found;
}

/* The shortest beginning of the group that differs when it is handed over at once. */
static void diagnose_prefix(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t bad) {
	printf("no difference when each draw of the group runs alone: passes, order or caches\n");
	bool found = false;
	for (unsigned n = 1; n <= group.n_items && !found; n++) {
		struct rig rig;
		struct gen gen;
		if (!replay(&rig, &gen, device, o, epoch, bad)) {
			found = true;
		} else if (!run_items(&rig, &group, 0, n, false, pack_stream(o, epoch, bad)) ||
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
		printf("no difference in a second run of the group: not the same from run to run\n");
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
		uint32_t draws, struct naive_stats *total) {
	struct rig rig;
	struct gen gen;
	bool ok = true;
	rig_create(&rig, device, o, epoch);
	gen_begin(&gen, o, epoch);
	for (uint32_t k = 0; k < EPOCH_GROUPS && k * GROUP_DRAWS < draws && ok; k++) {
		random_group(&gen, &group, GROUP_DRAWS);
		ok = run_items(&rig, &group, 0, group.n_items, false, pack_stream(o, epoch, k));
		ok = ok && !rig_differs(&rig);
		if (!ok) {
			printf("difference: seed %" PRIu64 ", draws %u to %u\n", o->seed,
					gen.next_draw - GROUP_DRAWS, gen.next_draw - 1);
			print_differences(&rig, &gen.target);
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

static uint64_t number(const char *text) {
	char *end;
	errno = 0;
	const uint64_t value = strtoull(text, &end, 0);
	if (errno || end == text || *end) {
		fprintf(stderr, "random-draws: not a number: %s\n", text);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv, struct options *o) {
	static const struct option longs[] = {
		{"seed", required_argument, NULL, 's'}, {"draws", required_argument, NULL, 'd'},
		{"threads", required_argument, NULL, 't'}, {"isa", required_argument, NULL, 'i'},
		{"float", required_argument, NULL, 'f'}, {"first", required_argument, NULL, 'k'},
		{"verbose", no_argument, NULL, 'v'}, {0},
	};
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		switch (c) {
		case 's':
			o->seed = number(optarg);
			break;
		case 'd':
			o->draws = (uint32_t)number(optarg);
			break;
		case 't':
			o->threads = (uint32_t)number(optarg);
			break;
		case 'i':
			o->isa = optarg;
			break;
		case 'f':
			o->mode = strcmp(optarg, "f32") == 0 ? PICA_FLOAT_F32 : PICA_FLOAT_F24;
			break;
		case 'k':
			o->first = (uint32_t)number(optarg);
			break;
		case 'v':
			o->verbose = true;
			break;
		default:
			fprintf(stderr, "usage: random-draws [--seed N] [--draws N] [--threads N] [--isa NAME] "
					"[--float f24|f32] [--first K] [--verbose]\n");
			exit(2);
		}
	}
}

static void print_totals(const struct naive_stats *t) {
	printf("triangles %" PRIu64 ", set up %" PRIu64 ", pixels %" PRIu64 ", written %" PRIu64
			", geometry-shader runs %" PRIu64 "\n",
			t->triangles, t->set_up, t->covered, t->written, t->gs_runs);
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		if (t->faults[i] > 0) {
			printf("  fault %u: %" PRIu64 "\n", i, t->faults[i]);
		}
	}
}

int main(int argc, char **argv) {
	struct options o = {.seed = 1, .draws = 20000};
	struct pica_settings settings;
	struct pica_device *device;
	struct naive_stats total = {0};
	parse(argc, argv, &o);
	pica_settings_init(&settings);
	settings.n_threads = o.threads;
	settings.isa = o.isa;
	settings.float_mode = o.mode;
	const int ret = pica_device_create(&device, &settings);
	if (ret == -EOPNOTSUPP) {
		printf("random-draws: this machine lacks %s\n", o.isa);
		return 77;
	}
	if (ret < 0) {
		trouble("pica_device_create", -ret);
	}
	bool ok = true;
	uint32_t done = 0;
	for (uint32_t epoch = o.first / EPOCH_DRAWS; done < o.draws && ok; epoch++) {
		const uint32_t left = o.draws - done;
		ok = run_epoch(device, &o, epoch, left, &total);
		done += left < EPOCH_DRAWS ? (left + GROUP_DRAWS - 1) / GROUP_DRAWS * GROUP_DRAWS : EPOCH_DRAWS;
		if (o.verbose) {
			printf("epoch %u: %u draws so far\n", epoch, done);
			fflush(stdout);
		}
	}
	if (o.verbose) {
		print_totals(&total);
	}
	pica_device_destroy(device);
	if (ok) {
		printf("random-draws: %u draws, 0 differences, seed %" PRIu64 "\n", done, o.seed);
	}
	return ok ? 0 : 1;
}
