/*
 * The loop of an emulator around libpica (docs/embedding.md). The emulated program is a C function
 * here; it uses memory, registers and the system's queue of commands as a real one does.
 *
 *	cc example-emulator.c -o emulator $(pkg-config --cflags --libs pica)
 *	./emulator emulator.pica >triangle.ppm
 *
 * The argument is a capture that is recorded meanwhile, and may be left out.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pica.h>
#include <pica_emit.h>
#include <pica_emulator.h>
#include <pica_gsp.h>
#include <pica_record.h>
#include <pica_shader.h>

enum {
	VRAM = 0x18000000, VRAM_BYTES = 6 << 20,
	FCRAM = 0x20000000, FCRAM_BYTES = 16 << 20, /* 128 MiB on a console */
	GPU = 0x10400000, GPU_BYTES = 0x2000,
	PAGE_BITS = 12, PAGES = FCRAM_BYTES >> PAGE_BITS,
	CYCLES_A_FRAME = 24 * 451 * 414, /* 59.83 frames a second */
	MAX_IN_FLIGHT = 64,
};

/* ---- The machine ---- */

/* A job that is to raise interrupts (bits of enum pica_interrupt) when its time has come. */
struct pending {
	uint64_t seq, due; /* due 0: not known yet */
	uint32_t interrupts;
};

struct machine {
	struct pica_device *device;
	struct pica_ctx *ctx;
	struct pica_recorder *recorder; /* or NULL */
	uint8_t *fcram, *vram;
	uint64_t now, engine_free, next_vblank; /* cycles of the GPU */
	struct pending pending[MAX_IN_FLIGHT];
	unsigned n_pending, n_frames;
	uint64_t seq, waited[PAGES]; /* of the last job; the one that a page was awaited for */
	bool dirty[PAGES];           /* the processor wrote the page since the last job */
	uint32_t gpu[GPU_BYTES / 4]; /* registers as the processor wrote them */
	_Alignas(4) uint8_t shared[PICA_GSP_SHARED_BYTES]; /* with the system's graphics service */
	uint32_t interrupts;         /* raised and not yet seen by the program */
};

static void check(int result, const char *what) {
	if (result < 0) {
		fprintf(stderr, "emulator: %s: %s\n", what, strerror(-result));
		exit(1);
	}
}

/* Writes of the processor are announced before the GPU may read them. */
static void announce(struct machine *m) {
	for (uint32_t page = 0; page < PAGES; page++) {
		uint32_t n = 0;
		while (page + n < PAGES && m->dirty[page + n]) {
			m->dirty[page + n++] = false;
		}
		if (n) {
			struct pica_job job = { .op = PICA_OP_INVALIDATE };
			job.u.invalidate.addr = FCRAM + (page << PAGE_BITS);
			job.u.invalidate.size_bytes = n << PAGE_BITS;
			check(pica_submit(m->ctx, &job, 1, &m->seq), "INVALIDATE");
			page += n;
		}
	}
}

static void deliver_first(struct machine *m) {
	m->interrupts |= m->pending[0].interrupts;
	memmove(&m->pending[0], &m->pending[1], --m->n_pending * sizeof(m->pending[0]));
}

static void submit(struct machine *m, const struct pica_job *jobs, size_t n, uint32_t interrupts) {
	announce(m);
	check(pica_submit(m->ctx, jobs, n, &m->seq), "submit");
	if (m->n_pending == MAX_IN_FLIGHT) {
		deliver_first(m); /* early */
	}
	if (interrupts) {
		m->pending[m->n_pending++] = (struct pending){ m->seq, 0, interrupts };
	}
}

/* ---- What the processor's loads and stores come to ---- */

/* Once for each page and job: the pointer is good until the next submission. */
static uint8_t *fcram_page(struct machine *m, uint32_t addr, bool for_write) {
	const uint32_t page = (addr - FCRAM) >> PAGE_BITS;
	if (m->waited[page] != m->seq || (for_write && !m->dirty[page])) {
		check(pica_wait_range(m->ctx, 0, addr & ~0xFFFu, 1 << PAGE_BITS,
				for_write ? PICA_RANGE_WRITE : PICA_RANGE_READ, -1), "wait");
		m->waited[page] = m->seq;
	}
	m->dirty[page] |= for_write;
	return m->fcram + (addr - FCRAM);
}

static void cpu_write(struct machine *m, uint32_t addr, const void *data, uint32_t size_bytes) {
	for (uint32_t i = 0; i < size_bytes; i++) {
		*fcram_page(m, addr + i, true) = ((const uint8_t *)data)[i];
	}
}

static uint8_t cpu_read8(struct machine *m, uint32_t addr) {
	return *fcram_page(m, addr, false);
}

/* A store to a register of the GPU: libpica does what it starts, if anything. */
static void gpu_write(struct machine *m, uint32_t addr, uint32_t value) {
	const struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = addr, .value = value } };
	uint32_t interrupts = 0;
	if (value & 1) {
		interrupts = addr == GPU + 0x1C ? 1u << PICA_INTERRUPT_PSC0 :
				addr == GPU + 0x2C ? 1u << PICA_INTERRUPT_PSC1 :
				addr == GPU + 0xC18 ? 1u << PICA_INTERRUPT_PPF : 0;
	}
	if (addr == GPU + 0x18F0 || addr == GPU + 0x18F4) { /* a list is started */
		interrupts = 1u << PICA_INTERRUPT_P3D;
	}
	m->gpu[(addr - GPU) / 4] = value;
	submit(m, &job, 1, interrupts);
}

/* A load. The busy bit of an engine is set while its job is in flight; the load does not wait. */
static uint32_t gpu_read(struct machine *m, uint32_t addr) {
	const uint32_t status = pica_ctx_status(m->ctx), value = m->gpu[(addr - GPU) / 4];
	switch (addr - GPU) {
	case 0x34:
		return status;
	case 0x1C:
	case 0x2C:
		return (value & ~3u) | (status & (addr == GPU + 0x1C ? PICA_STATUS_PSC0 :
				PICA_STATUS_PSC1) ? 1 : 2);
	case 0xC18:
		return (value & ~0x101u) | (status & PICA_STATUS_PPF ? 1 : 0x100);
	default:
		return value;
	}
}

static uint8_t *memory_at(struct machine *m, uint32_t addr, uint32_t size_bytes) {
	return addr - FCRAM < FCRAM_BYTES && size_bytes <= FCRAM_BYTES - (addr - FCRAM) ?
				m->fcram + (addr - FCRAM) :
			addr - VRAM < VRAM_BYTES && size_bytes <= VRAM_BYTES - (addr - VRAM) ?
				m->vram + (addr - VRAM) :
				NULL;
}

/* RequestDMA is the processor's work: it copies between ranges that the GPU is done with. */
static void copy(struct machine *m, uint32_t to, uint32_t from, uint32_t size_bytes) {
	uint8_t *dst = memory_at(m, to, size_bytes), *src = memory_at(m, from, size_bytes);
	if (dst && src) {
		check(pica_wait_range(m->ctx, 0, from, size_bytes, PICA_RANGE_READ, -1), "wait");
		check(pica_wait_range(m->ctx, 0, to, size_bytes, PICA_RANGE_WRITE, -1), "wait");
		memmove(dst, src, size_bytes);
	}
}

/* The program asks the system to look at its queue of commands. */
static void gsp_trigger(struct machine *m) {
	struct pica_gsp_command c;
	while (pica_gsp_take(m->shared, 0, NULL, NULL, &c) > 0) {
		check(c.result, "GSP command");
		if (c.dma_bytes) {
			copy(m, c.dma_dst, c.dma_src, c.dma_bytes);
		}
		submit(m, c.jobs, c.n_jobs, c.interrupts);
	}
}

/* ---- Time ---- */

/* Jobs run on the emulated GPU one after the other; each takes the cycles that its work is worth. */
static void find_due(struct machine *m, struct pending *p) {
	struct pica_job_counts counts = { .size = sizeof(counts) };
	if (p->due) {
		return;
	}
	check(pica_wait(m->ctx, p->seq, -1), "wait");
	check(pica_ctx_job_counts(m->ctx, p->seq, &counts), "counts");
	m->engine_free = m->engine_free > m->now ? m->engine_free : m->now;
	m->engine_free += pica_job_cycles(&counts, NULL);
	p->due = m->engine_free;
}

/* The vertical blank is the emulator's: libpica has no clock. */
static void vblank(struct machine *m) {
	struct pica_job job = { .op = PICA_OP_PRESENT, .u.present = { .screens = 3 } };
	submit(m, &job, 1, 0); /* a frame of a recording ends with it, too */
	m->now = m->next_vblank;
	m->next_vblank += CYCLES_A_FRAME;
	m->n_frames++;
	m->interrupts |= 1u << PICA_INTERRUPT_PDC0 | 1u << PICA_INTERRUPT_PDC1;
}

/* The program waits: time advances to the next interrupt. */
static void next_event(struct machine *m) {
	struct pending *first = m->n_pending ? &m->pending[0] : NULL;
	if (first) {
		find_due(m, first);
	}
	if (!first || first->due > m->next_vblank) {
		vblank(m);
		return;
	}
	m->now = first->due;
	deliver_first(m);
}

/* which: of enum pica_interrupt, or PICA_GSP_INTERRUPT_DMA. */
static void await_interrupt(struct machine *m, unsigned which) {
	while (!(m->interrupts >> which & 1)) {
		next_event(m);
	}
	m->interrupts &= ~(1u << which);
}

/* ---- Save states ---- */

struct saved {
	struct machine machine; /* its plain fields */
	struct pica_state gpu;
	uint8_t fcram[FCRAM_BYTES], vram[VRAM_BYTES];
};

static void save(struct machine *m, struct saved *s) {
	for (unsigned i = 0; i < m->n_pending; i++) {
		find_due(m, &m->pending[i]); /* job numbers mean nothing elsewhere */
	}
	check(pica_ctx_save_state(m->ctx, &s->gpu), "save"); /* waits until the context is idle */
	s->machine = *m;
	memcpy(s->fcram, m->fcram, FCRAM_BYTES);
	memcpy(s->vram, m->vram, VRAM_BYTES);
}

static void load(struct machine *m, const struct saved *s) {
	check(pica_ctx_load_state(m->ctx, &s->gpu), "load");
	*m = s->machine;
	memcpy(m->fcram, s->fcram, FCRAM_BYTES);
	memcpy(m->vram, s->vram, VRAM_BYTES);
	const struct pica_job all[2] = { /* all of it has changed */
		{ .op = PICA_OP_INVALIDATE, .u.invalidate = { .addr = FCRAM, .size_bytes = FCRAM_BYTES } },
		{ .op = PICA_OP_INVALIDATE, .u.invalidate = { .addr = VRAM, .size_bytes = VRAM_BYTES } } };
	submit(m, all, 2, 0);
}

/* ---- Recording: what an emulator adds to have captures of its programs ---- */

static void start_recording(struct machine *m, const char *path) {
	struct pica_recorder_settings settings;
	pica_recorder_settings_init(&settings);
	settings.title = "A triangle";
	settings.tool = "example-emulator";
	check(pica_recorder_start(&m->recorder, m->ctx, path, &settings), path);
}

static void stop_recording(struct machine *m) {
	struct pica_capture_error error;
	if (m->recorder && pica_recorder_finish(m->recorder, &error) < 0) {
		fprintf(stderr, "emulator: recording: %s\n", error.message);
		exit(1);
	}
	m->recorder = NULL;
}

/* ---- An emulated program: a triangle, cleared, drawn, transferred and shown ---- */

enum {
	SIZE = 128, WIDTH = 240, HEIGHT = 400, TARGET_BYTES = 4 * WIDTH * HEIGHT,
	TARGET = VRAM, LIST = FCRAM + 0x10000, MADE = FCRAM + 0x20000, SHOWN = FCRAM + 0x100000,
	LINEAR_HEAP = 0x14000000, VRAM_VIRTUAL = 0x1F000000, /* where programs see both */
};

static const char shader[] =
		".in in_pos v0\n.in in_color v1\n.out pos position\n.out color color\n"
		".proc main\nmov pos, in_pos\nmov color, in_color\nend\n.end\n";

static const float vertices[3][8] = { /* x, y, z, w, and a colour */
	{ -0.9f, -0.9f, 0, 1, 1, 0, 0, 1 }, { 0.9f, -0.9f, 0, 1, 0, 1, 0, 1 },
	{ 0, 0.9f, 0, 1, 0, 0, 1, 1 }
};

static int write_regs(void *list, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	for (uint32_t k = 0; k < n; k++) {
		pica_emit_reg_masked(list, consecutive ? reg + k : reg, values[k], mask);
	}
	return pica_emit_error(list);
}

/* Returns the size of the list in bytes. */
static uint32_t program_list(struct machine *m) {
	const struct pica_shader_source source = { "triangle", shader, strlen(shader) };
	struct pica_shader *s;
	struct pica_emit e;
	check(pica_shader_assemble(&s, &source, 1, 0, NULL), "shader");
	pica_emit_init(&e);
	pica_shader_bind(&(struct pica_shader_binding){ .vs = s }, write_regs, &e);
	pica_shader_destroy(s);
	pica_emit_defaults(&e);
	pica_emit_framebuffer(&e, &(struct pica_framebuffer){
			.color_addr = TARGET, .width = WIDTH, .height = HEIGHT });
	pica_emit_viewport(&e, 0, 0, SIZE, SIZE);
	pica_emit_inputs(&e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&e, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(&e, vertices[0], 2 * 3);
	pica_emit_immediate_end(&e);
	pica_emit_flush(&e);
	check(pica_emit_finalize(&e), "list");
	const uint32_t size_bytes = (uint32_t)(4 * e.count);
	cpu_write(m, MADE, e.words, size_bytes);
	pica_emit_finish(&e);
	return size_bytes;
}

/* Puts a command into the program's queue and has the system look at it. */
static void program_command(struct machine *m, const uint32_t words[8]) {
	const unsigned at = (m->shared[0x800] + m->shared[0x801]) % 15; /* next, and how many */
	memcpy(&m->shared[0x820 + 32 * at], words, 32);
	m->shared[0x801]++;
	gsp_trigger(m);
}

static void program_frame(struct machine *m) {
	/* By registers: PSC0 clears the target. */
	gpu_write(m, GPU + 0x10, TARGET >> 3);
	gpu_write(m, GPU + 0x14, (TARGET + TARGET_BYTES) >> 3);
	gpu_write(m, GPU + 0x18, 0);
	gpu_write(m, GPU + 0x1C, 0x201);
	await_interrupt(m, PICA_INTERRUPT_PSC0);
	while (gpu_read(m, GPU + 0x34) || (gpu_read(m, GPU + 0x1C) & 1)) {
	}
	/* By the queue: a list, copied to its place, and a transfer to what a screen shows. */
	const uint32_t size_bytes = program_list(m), list = LINEAR_HEAP + (LIST - FCRAM);
	program_command(m, (uint32_t[8]){ PICA_GSP_REQUEST_DMA, LINEAR_HEAP + (MADE - FCRAM), list,
			size_bytes });
	await_interrupt(m, PICA_GSP_INTERRUPT_DMA);
	program_command(m, (uint32_t[8]){ PICA_GSP_PROCESS_LIST, list, size_bytes });
	await_interrupt(m, PICA_INTERRUPT_P3D);
	program_command(m, (uint32_t[8]){ PICA_GSP_DISPLAY_TRANSFER, VRAM_VIRTUAL,
			LINEAR_HEAP + (SHOWN - FCRAM), HEIGHT << 16 | WIDTH,
			HEIGHT << 16 | WIDTH, 1 << 12 });
	await_interrupt(m, PICA_INTERRUPT_PPF);
	gpu_write(m, GPU + 0x468, SHOWN);
	gpu_write(m, GPU + 0x470, 0x80341); /* RGB8, 400 lines */
	gpu_write(m, GPU + 0x490, 3 * WIDTH);
	await_interrupt(m, PICA_INTERRUPT_PDC0);
}

/* The processor reads what was drawn: lines 272 to 399, B, G, R. */
static void program_read(struct machine *m, uint8_t *rgb) {
	for (unsigned i = 0; i < SIZE * SIZE; i++) {
		const uint32_t px = SHOWN + 3 * (WIDTH * (HEIGHT - SIZE + i / SIZE) + i % SIZE);
		for (unsigned k = 0; k < 3; k++) {
			rgb[3 * i + k] = cpu_read8(m, px + 2 - k);
		}
	}
}

int main(int argc, char **argv) {
	static struct machine m;
	static struct saved state;
	static uint8_t rgb[3 * SIZE * SIZE], again[3 * SIZE * SIZE];
	struct pica_settings settings;
	struct pica_ctx_settings own;
	pica_settings_init(&settings);
	settings.n_threads = 2;
	pica_ctx_settings_init(&own);
	own.fcram_bytes = own.vram_bytes = 0; /* the emulator's memory is mapped */
	check(pica_device_create(&m.device, &settings), "device");
	check(pica_ctx_create(&m.ctx, m.device, &own), "context");
	m.fcram = aligned_alloc(4096, FCRAM_BYTES);
	m.vram = aligned_alloc(4096, VRAM_BYTES);
	if (!m.fcram || !m.vram) {
		return 1;
	}
	memset(m.fcram, 0, FCRAM_BYTES);
	memset(m.vram, 0, VRAM_BYTES);
	check(pica_ctx_map(m.ctx, FCRAM, FCRAM_BYTES, m.fcram, 0), "FCRAM");
	check(pica_ctx_map(m.ctx, VRAM, VRAM_BYTES, m.vram, 0), "VRAM");
	check(pica_ctx_count_jobs(m.ctx, 1), "counts");
	m.next_vblank = CYCLES_A_FRAME;
	if (argc > 1) {
		start_recording(&m, argv[1]);
	}
	program_frame(&m);
	program_frame(&m);
	stop_recording(&m);

	save(&m, &state);
	program_frame(&m);
	program_read(&m, rgb);
	const uint64_t now = m.now;
	load(&m, &state); /* the same frame once more: the same pixels and the same time */
	program_frame(&m);
	program_read(&m, again);
	if (memcmp(rgb, again, sizeof(rgb)) != 0 || m.now != now) {
		fprintf(stderr, "emulator: the state that was loaded goes on in another way\n");
		return 1;
	}
	fprintf(stderr, "emulator: %u frames, %llu cycles\n", m.n_frames, (unsigned long long)m.now);
	printf("P6\n%d %d\n255\n", SIZE, SIZE);
	fwrite(rgb, sizeof(rgb), 1, stdout);
	if (fflush(stdout) == EOF || ferror(stdout)) {
		perror("emulator: standard output");
		return 1;
	}
	pica_ctx_destroy(m.ctx);
	pica_device_destroy(m.device);
	free(m.fcram);
	free(m.vram);
	return 0;
}
