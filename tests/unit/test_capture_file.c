/* Capture files on disk: the system's errors, the writer, the ten captures of tests/data. */
#include <unistd.h>

#include "capture_steps.h"
#include "tests/folder.h"

static char path_buffer[4][256];

static const char *path_of(const char *name) {
	static unsigned turn;
	char *p = path_buffer[turn++ % 4];
	snprintf(p, sizeof(path_buffer[0]), "%s/%s", dir, name);
	return p;
}

TEST(open_reports_the_system) {
	ck_assert_int_eq(pica_capture_open(&capture, path_of("none.ctf"), &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.message, "none.ctf: No such file"));
	ck_assert_int_eq(pica_capture_open(&capture, dir, &error), -EISDIR);
	ck_assert_ptr_nonnull(strstr(error.message, "this is a folder"));
	ck_assert_int_eq(pica_capture_open(&capture, "/dev/zero", NULL), -ESPIPE);
	char name[1000];
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	ck_assert_int_eq(pica_capture_open_memory(&capture, "nothing", 7, name, &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.message, "CiTr"));
	pica_capture_close(NULL);
}

TEST(written_file_reads_back) {
	struct pica_state *s = calloc(1, sizeof(*s));
	ck_assert_ptr_nonnull(s);
	for (size_t i = 0; i < offsetof(struct pica_state, flags) / 4; i++) {
		((uint32_t *)(void *)s)[i] = (uint32_t)i * 2654435761u;
	}
	/* State that this form cannot express. */
	memset(s->vs.uniforms_f32, 0, sizeof(s->vs.uniforms_f32));
	memset(s->gs.uniforms_f32, 0, sizeof(s->gs.uniforms_f32));
	for (uint32_t i = 0; i < 16 * 4; i++) { /* f24 words */
		s->fixed_attributes[i / 4][i % 4] &= 0xFFFFFF;
	}
	for (uint32_t i = 0; i < 96 * 4; i++) {
		s->vs.uniforms[i / 4][i % 4] &= 0xFFFFFF;
		s->gs.uniforms[i / 4][i % 4] &= 0xFFFFFF;
	}
	const char *path = path_of("round.ctf");
	struct pica_ctf_writer *w;
	static uint8_t data[4096];
	for (size_t i = 0; i < sizeof(data); i++) {
		data[i] = (uint8_t)(i * 7);
	}
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, s), 0);
	ck_assert_int_ne(access(path, F_OK), 0); /* not before it is finished */
	ck_assert_int_eq(pica_ctf_writer_memory(w, 0x20000000, data, 4096), 0);
	ck_assert_int_eq(pica_ctf_writer_memory(w, 0x18000000, data, 4096), 0); /* the same data */
	ck_assert_int_eq(pica_ctf_writer_memory(w, 0x20000000, data, 4095), 0); /* another size */
	ck_assert_int_eq(pica_ctf_writer_list(w, 0x20000000, 4096), 0);
	ck_assert_int_eq(pica_ctf_writer_reg_write(w, 0x10202204, 0x01FFFFFF), 0);
	ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
	ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
	ck_assert_int_eq(pica_ctf_writer_finish(w), 0);
	ck_assert_uint_eq(file_size(path),
			100 + 4 * (0x400 + 0x400 + 0x300 + 64 + 2 * (4096 + 4096 + 384)) + 4096 +
					4095 + 9 * 20);

	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	ck_assert_mem_eq(pica_capture_state(capture), s, sizeof(*s));
	ck_assert_int_eq(info().form, PICA_CAPTURE_CTF_BYTES);
	ck_assert_uint_eq(info().missing, PICA_CAPTURE_NO_MEMORY | PICA_CAPTURE_NO_TABLES);
	expect_load(0x20000000, data, 4096);
	expect_load(0x18000000, data, 4096);
	expect_load(0x20000000, data, 4095);
	expect_reg(0x104018E0, 512);
	expect_reg(0x104018E8, 0x04000000);
	expect_reg(0x104018F0, 1);
	expect_reg(0x10202204, 0x01FFFFFF);
	expect_frame(0);
	expect_frame(1);
	expect_end();
	done();

	/* The header of a normal file. */
	FILE *file = fopen(path, "rb");
	uint8_t head[12];
	ck_assert_uint_eq(fread(head, 1, 12, file), 12);
	fclose(file);
	ck_assert_mem_eq(head, "\x43\x69\x54\x72\x01\0\0\0\x64\0\0\0", 12);
	unlink(path);
	ck_assert_uint_eq(files_in_dir(), 0);
	free(s);
}

TEST(writer_stores_identical_data_once) {
	const char *path = path_of("once.ctf");
	struct pica_ctf_writer *w;
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t block[16];
		for (uint32_t k = 0; k < 16; k++) {
			block[k] = i % 1000 * 77 + k;
		}
		ck_assert_int_eq(pica_ctf_writer_memory(w, 0x20000000 + 64 * i, block, 64), 0);
	}
	ck_assert_int_eq(pica_ctf_writer_finish(w), 0);
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	for (uint32_t i = 0; i < 3000; i++) {
		struct pica_capture_event e = next();
		uint32_t last;
		memcpy(&last, (const uint8_t *)(uintptr_t)e.job.u.write.data + 60, 4);
		ck_assert_uint_eq(last, i % 1000 * 77 + 15);
	}
	expect_end();
	done();
	ck_assert_uint_eq(
			file_size(path), 100 + 4 * (0xB00 + 64 + 2 * 8576) + 1000 * 64 + 3000 * 20);
	unlink(path);
}

TEST(writer_appears_whole_or_not_at_all) {
	const char *path = path_of("old.ctf");
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	fputs("old", file);
	fclose(file);
	struct pica_ctf_writer *w, *w2;
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
	ck_assert_int_eq(pica_ctf_writer_create(&w2, path, NULL), 0); /* two at once do not meet */
	pica_ctf_writer_frame(w);
	pica_ctf_writer_destroy(w);
	ck_assert_uint_eq(file_size(path), 3);
	ck_assert_int_eq(pica_ctf_writer_finish(w2), -EINVAL); /* no element */
	ck_assert_uint_eq(file_size(path), 3);
	ck_assert_uint_eq(files_in_dir(), 1);
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
	pica_ctf_writer_frame(w);
	ck_assert_int_eq(pica_ctf_writer_finish(w), 0);
	ck_assert_uint_gt(file_size(path), 3);
	ck_assert_uint_eq(files_in_dir(), 1);
	unlink(path);
	pica_ctf_writer_destroy(NULL);
	ck_assert_int_eq(pica_ctf_writer_create(&w, path_of("no/such.ctf"), NULL), -ENOENT);
}

TEST(writer_reads_its_unnamed_file) {
	static const char *const names[] = { "seen.ctf", "seen.ctf.zst" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *path = path_of(names[i]);
		struct pica_ctf_writer *w;
		ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
		ck_assert_int_eq(pica_ctf_writer_review(w, &capture, &error), -EINVAL); /* empty */
		pica_ctf_writer_destroy(w);
		ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
		ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
		ck_assert_int_eq(pica_ctf_writer_review(w, &capture, &error), 0);
		ck_assert_int_ne(access(path, F_OK), 0);
		ck_assert_uint_eq(info().frames, 1);
		pica_capture_close(capture);
		ck_assert_int_eq(pica_ctf_writer_finish(w), 0);
		ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
		ck_assert_uint_eq(info().frames, 1);
		pica_capture_close(capture);
		unlink(path);
		ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
		ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
		ck_assert_int_eq(pica_ctf_writer_review(w, &capture, NULL), 0);
		pica_capture_close(capture);
		ck_assert_int_eq(pica_ctf_writer_frame(w), -EINVAL); /* it is complete */
		ck_assert_int_eq(pica_ctf_writer_finish(w), -EINVAL);
		ck_assert_uint_eq(files_in_dir(), 0);
	}
	capture = NULL;
}

TEST(writer_errors_stick) {
	struct pica_ctf_writer *w;
	uint8_t byte = 1;
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(pica_ctf_writer_create(&w, path_of("bad.ctf"), NULL), 0);
		ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
		int ret = 0;
		switch (i) {
		case 0:
			ret = pica_ctf_writer_memory(w, 0x20000000, &byte, 0);
			break;
		case 1:
			ret = pica_ctf_writer_memory(w, 0x10000000, &byte, 1);
			break;
		case 2:
			ret = pica_ctf_writer_reg_write(w, 0x10402000, 1);
			break;
		case 3:
			ret = pica_ctf_writer_reg_write(w, 0x10400001, 1);
			break;
		case 4:
			ret = pica_ctf_writer_list(w, 0x20000008, 16);
			break;
		case 5:
			ret = pica_ctf_writer_list(w, 0x20000010, 12);
			break;
		}
		ck_assert_int_eq(ret, i == 1 ? -ERANGE : -EINVAL);
		ck_assert_int_eq(pica_ctf_writer_frame(w), ret);
		ck_assert_int_eq(pica_ctf_writer_memory(w, 0x20000000, &byte, 1), ret);
		ck_assert_int_eq(pica_ctf_writer_reg_write(w, 0x10400010, 1), ret);
		ck_assert_int_eq(pica_ctf_writer_finish(w), ret);
		ck_assert_uint_eq(files_in_dir(), 0);
	}
}

/* ---- The ten captures ---- */

TEST(ten_captures_read_whole) {
	static const struct {
		const char *name;
		uint32_t writes, loads, lists;
	} cases[] = {
		{ "st_blend", 538, 232, 24 },
		{ "st_edges", 538, 1020, 24 },
		{ "st_empty", 466, 1, 0 },
		{ "st_light0", 538, 33, 24 },
		{ "st_light2", 538, 77, 24 },
		{ "st_manytri", 538, 6, 24 },
		{ "st_overdraw", 538, 7, 24 },
		{ "st_persp", 538, 7, 24 },
		{ "st_smalltri", 538, 9006, 24 },
		{ "st_tev6", 538, 10, 24 },
	};
	enum { FCRAM = 0x20000000, FCRAM_BYTES = 128 << 20 };
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		char path[512];
		snprintf(path, sizeof(path), "%s/captures/%s.ctf", TEST_DATA, cases[n].name);
		int opened = pica_capture_open(&capture, path, &error);
		ck_assert_msg(opened == 0, "%s", error.message);
		struct pica_capture_info i = info();
		ck_assert_int_eq(i.form, PICA_CAPTURE_CTF_BYTES);
		ck_assert_uint_eq(i.frames, 24);
		ck_assert_uint_eq(i.reg_writes, cases[n].writes);
		ck_assert_uint_eq(i.loads, cases[n].loads);
		ck_assert_uint_eq(i.lists, cases[n].lists);
		ck_assert_uint_eq(i.elements, 24 + cases[n].writes + cases[n].loads);
		ck_assert_uint_eq(i.skipped_loads + i.skipped_empty_loads + i.skipped_writes +
						i.skipped_widths,
				0);
		ck_assert_uint_eq(i.missing, PICA_CAPTURE_NO_MEMORY | PICA_CAPTURE_NO_TABLES);
		const struct pica_state *s = pica_capture_state(capture);
		ck_assert_uint_eq(s->external[0x45C / 4], 0x019000F0);
		ck_assert_uint_eq(s->external[0x55C / 4], 0x014000F0);

		/* With sizes in hardware units, every list ends on FINALIZE. */
		uint8_t *fcram = calloc(1, FCRAM_BYTES);
		ck_assert_ptr_nonnull(fcram);
		uint32_t size = 0, addr = 0, lists = 0;
		struct pica_capture_event e;
		while (pica_capture_next(capture, &e) > 0) {
			ck_assert_int_eq(job_check(&e.job, NULL), 0);
			if (e.job.op == PICA_OP_WRITE && e.job.u.write.addr >= FCRAM) {
				memcpy(fcram + (e.job.u.write.addr - FCRAM),
						(const void *)(uintptr_t)e.job.u.write.data,
						e.job.u.write.size_bytes);
			} else if (e.job.op == PICA_OP_REG_WRITE &&
					e.job.u.reg_write.addr == 0x104018E0) {
				size = e.job.u.reg_write.value * 8;
			} else if (e.job.op == PICA_OP_REG_WRITE &&
					e.job.u.reg_write.addr == 0x104018E8) {
				addr = e.job.u.reg_write.value << 3;
			} else if (e.job.op == PICA_OP_REG_WRITE &&
					e.job.u.reg_write.addr == 0x104018F0) {
				ck_assert_mem_eq(
						fcram + (addr - FCRAM) + size - 8,
						"\x78\x56\x34\x12\x10\0\x0F\0", 8);
				lists++;
			}
		}
		ck_assert_uint_eq(lists, cases[n].lists);
		free(fcram);
		done();
	}
}

static int in_folder(void) {
	return run_in_folder(NULL, NULL);
}
SUITE_MAIN(in_folder)
