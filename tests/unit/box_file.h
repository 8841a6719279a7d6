/* A small container for the tests: two keys, three frames, jobs of every kind. */
#ifndef BOX_FILE_H
#define BOX_FILE_H

#include "capture_steps.h"

enum { VRAM = 0x18000000, FCRAM = 0x20000000, MEMORY_BYTES = 0x8000, BOX_FRAMES = 3 };

struct box_memory_image {
	uint8_t vram[MEMORY_BYTES], fcram[MEMORY_BYTES];
};

static struct pica_window box_windows[2] = {
	{ .phys = VRAM, .size_bytes = MEMORY_BYTES },
	{ .phys = FCRAM, .size_bytes = MEMORY_BYTES },
};

/* Every word is another one, as far as a file can hold any. */
static PICA_UNUSED void fill_state(struct pica_state *s, uint32_t seed) {
	for (size_t i = 0; i < sizeof(*s) / 4; i++) {
		((uint32_t *)(void *)s)[i] = (uint32_t)i * 2654435761u + seed;
	}
	s->flags = PICA_STATE_PORTS;
}

/* Pages 1 and 3 of VRAM are the same, page 5 of FCRAM has only its last byte set; all others are
 * zero. */
static void fill_memory(struct box_memory_image *m, uint8_t seed) {
	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < 4096; i++) {
		m->vram[0x1000 + i] = m->vram[0x3000 + i] = (uint8_t)(i * 7 + seed);
	}
	m->fcram[0x5FFF] = 0x55;
	box_windows[0].host = m->vram;
	box_windows[1].host = m->fcram;
}

static const uint8_t box_data[64] = "sixty-four bytes that are written more than once";

/* Stores the jobs of a frame that a reader must return, without data pointers. */
static unsigned box_jobs(uint32_t frame, struct pica_job *jobs) {
	unsigned n = 0;
	jobs[n] = (struct pica_job){ .op = PICA_OP_WRITE };
	jobs[n].u.write.addr = FCRAM + 64 * frame;
	jobs[n].u.write.size_bytes = sizeof(box_data);
	jobs[n++].u.write.data = (uint64_t)(uintptr_t)box_data;
	jobs[n] = (struct pica_job){ .op = PICA_OP_WRITE, .flags = PICA_WRITE_KEEP_RENDERED };
	jobs[n].u.write.addr = VRAM + 3;
	jobs[n].u.write.size_bytes = 5 + frame;
	jobs[n++].u.write.data = (uint64_t)(uintptr_t)(box_data + frame);
	jobs[n++] = (struct pica_job){ .op = PICA_OP_WRITE }; /* of nothing */
	jobs[n] = (struct pica_job){ .op = PICA_OP_LIST };
	jobs[n].u.list.addr = FCRAM;
	jobs[n++].u.list.size_bytes = 16;
	jobs[n] = (struct pica_job){ .op = PICA_OP_FILL };
	jobs[n].u.fill.start = VRAM;
	jobs[n].u.fill.end = VRAM + 16;
	jobs[n].u.fill.value = 0x11223344;
	jobs[n].u.fill.control = 0x201;
	jobs[n++].u.fill.unit = 1;
	jobs[n] = (struct pica_job){ .op = PICA_OP_TRANSFER };
	jobs[n].u.transfer.src = VRAM;
	jobs[n].u.transfer.dst = FCRAM;
	jobs[n].u.transfer.out_dim = 8 | 8 << 16;
	jobs[n++].u.transfer.in_dim = 8 | 8 << 16;
	jobs[n] = (struct pica_job){ .op = PICA_OP_COPY };
	jobs[n].u.copy.src = VRAM;
	jobs[n].u.copy.dst = FCRAM + 0x1000;
	jobs[n++].u.copy.size_bytes = 64;
	jobs[n] = (struct pica_job){ .op = PICA_OP_REG_WRITE };
	jobs[n].u.reg_write.addr = 0x104018F0;
	jobs[n].u.reg_write.value = 1;
	jobs[n++].u.reg_write.mask = 15;
	jobs[n] = (struct pica_job){ .op = PICA_OP_INVALIDATE };
	jobs[n].u.invalidate.addr = FCRAM;
	jobs[n++].u.invalidate.size_bytes = 0x1000;
	jobs[n++] = (struct pica_job){ .op = PICA_OP_BARRIER };
	jobs[n] = (struct pica_job){ .op = PICA_OP_PRESENT };
	jobs[n++].u.present.screens = 2;
	return n;
}

static struct pica_expected box_expected(uint32_t frame, uint32_t screen) {
	struct pica_expected e = { .frame = frame, .screen = screen, .eye = screen ? 0 : frame & 1,
		.width = screen ? 320 : 400, .height = 240 };
	memset(e.hash, (int)(16 * frame + screen), sizeof(e.hash));
	return e;
}

static const struct pica_capture_lack box_lacks[2] = {
	{ PICA_CAPTURE_EMPTY_LOADS, VRAM + 0x1234, 5 },
	{ PICA_CAPTURE_NO_DMA, UINT32_MAX, UINT64_MAX },
};

/* Frames 0..2, keys at 0 and 2; one event after the last frame. */
static PICA_UNUSED void write_box(
		const char *path, const struct pica_state *state, bool with_states) {
	static struct box_memory_image memory;
	static struct pica_state zero;
	struct pica_capture_writer_settings settings;
	struct pica_capture_writer *w;
	struct pica_job jobs[16], present = { .op = PICA_OP_PRESENT };
	present.u.present.screens = 3;
	pica_capture_writer_settings_init(&settings);
	settings.windows = box_windows;
	settings.n_windows = 2;
	settings.title = "a title";
	settings.missing = PICA_CAPTURE_NO_TABLES;
	settings.source = PICA_CAPTURE_CTF_BYTES;
	settings.first_frame = 7;
	settings.budgets.vertices = 1000;
	fill_memory(&memory, 0);
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
	for (uint32_t frame = 0; frame < BOX_FRAMES; frame++) {
		if (frame != 1) {
			fill_memory(&memory, (uint8_t)frame);
			const struct pica_state *s = with_states ? &state[frame / 2] : &zero;
			ck_assert_int_eq(pica_capture_writer_key(w, s, box_windows, 2), 0);
		}
		unsigned n = box_jobs(frame, jobs);
		for (unsigned i = 0; i < n; i++) {
			jobs[i].user_data = 99;
			jobs[i].handle = 98;
			ck_assert_int_eq(pica_capture_writer_job(w, &jobs[i]), 0);
		}
		ck_assert_int_eq(pica_capture_writer_frame(w, &present), 0);
		for (uint32_t screen = 0; screen < 2; screen++) {
			struct pica_expected e = box_expected(frame, screen);
			ck_assert_int_eq(pica_capture_writer_expect(w, &e), 0);
		}
	}
	ck_assert_int_eq(
			pica_capture_writer_job(w, &(struct pica_job){ .op = PICA_OP_BARRIER }), 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pica_capture_writer_lack(w, &box_lacks[1 - i]), 0);
	}
	ck_assert_int_eq(pica_capture_writer_finish(w), 0);
}

/* Memory events, then the jobs from a frame on to the end. */
static PICA_UNUSED void expect_box_from(uint32_t first) {
	static struct box_memory_image memory;
	struct pica_job jobs[16];
	const uint8_t *pages[3] = { memory.vram + 0x1000, memory.vram + 0x3000,
		memory.fcram + 0x5000 };
	const uint32_t addr[3] = { VRAM + 0x1000, VRAM + 0x3000, FCRAM + 0x5000 };
	fill_memory(&memory, (uint8_t)first);
	for (unsigned i = 0; i < 3; i++) {
		struct pica_capture_event e = next();
		ck_assert_int_eq(e.kind, PICA_CAPTURE_MEMORY);
		ck_assert_uint_eq(e.frame, first);
		ck_assert_int_eq(e.job.op, PICA_OP_WRITE);
		ck_assert_int_eq(e.job.flags, 0);
		ck_assert_uint_eq(e.job.u.write.addr, addr[i]);
		ck_assert_uint_eq(e.job.u.write.size_bytes, 4096);
		ck_assert_mem_eq((const void *)(uintptr_t)e.job.u.write.data, pages[i], 4096);
	}
	for (uint32_t frame = first; frame < BOX_FRAMES; frame++) {
		unsigned n = box_jobs(frame, jobs);
		for (unsigned i = 0; i < n; i++) {
			struct pica_capture_event e = next();
			ck_assert_int_eq(e.kind, PICA_CAPTURE_JOB);
			ck_assert_uint_eq(e.frame, frame);
			if (jobs[i].op == PICA_OP_WRITE && jobs[i].u.write.size_bytes) {
				ck_assert_mem_eq((const void *)(uintptr_t)e.job.u.write.data,
						(const void *)(uintptr_t)jobs[i].u.write.data,
						jobs[i].u.write.size_bytes);
				e.job.u.write.data = jobs[i].u.write.data;
			}
			ck_assert_mem_eq(&e.job, &jobs[i], sizeof(jobs[i]));
		}
		expect_frame(frame);
	}
	ck_assert_int_eq(next().job.op, PICA_OP_BARRIER);
	expect_end();
}

#endif
