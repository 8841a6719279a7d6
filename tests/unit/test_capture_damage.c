/* CiTrace captures: omissions, refusals, hostile files. */
#include "ctf_file.h"
#include "tests/suite.h"

/* ---- Omissions and refusals ---- */

TEST(useless_elements_are_counted) {
	begin(100, NULL);
	uint32_t at = add_list(16, false);
	load(at, 0, 0x20000000);              /* a texture in ETC1 */
	load(at, 16, 0x17FFFFF0);             /* outside */
	load(at, 16, 0x185FFFF8);             /* ends outside */
	load(at, 16, 0x2FFFFFF0);             /* the last bytes of 256 MiB */
	load(at, 16, 0xFFFFFFF8);             /* would wrap */
	load(at, 32, 0x1FFFFFF0);             /* WRAM into FCRAM: neighbours */
	reg(0x10400002, 1);                   /* not aligned */
	reg(0x10103000, 1);                   /* another device */
	reg(0x10402000, 1);                   /* after the GPU's */
	element(0xE3, 0x10400010, 0xD2, 1, 0); /* 16 bits */
	element(0xE3, 0x10400010, 0xD4, 1, 0); /* 64 bits */
	reg(0x10401FFC, 9);
	frame();
	end_count();
	open_ok();
	struct pica_capture_info i = info();
	ck_assert_uint_eq(i.skipped_empty_loads, 1);
	ck_assert_uint_eq(i.skipped_loads, 3);
	ck_assert_uint_eq(i.skipped_writes, 3);
	ck_assert_uint_eq(i.skipped_widths, 2);
	ck_assert_uint_eq(i.loads, 2);
	ck_assert_uint_eq(i.reg_writes, 1);
	ck_assert(i.missing & PICA_CAPTURE_EMPTY_LOADS);
	ck_assert(i.missing & PICA_CAPTURE_NO_DMA);
	struct pica_capture_lack lack;
	ck_assert_uint_eq(pica_capture_lacks(capture, &lack, 1), 1);
	ck_assert_uint_eq(lack.what, PICA_CAPTURE_EMPTY_LOADS);
	ck_assert_uint_eq(lack.count, 1);
	ck_assert_uint_eq(lack.first, 0x20000000);
	expect_load(0x2FFFFFF0, f.bytes + at, 16);
	expect_load(0x1FFFFFF0, f.bytes + at, 32);
	expect_reg(0x10401FFC, 9);
	expect_frame(0);
	expect_end();
	done();
}

TEST(trusted_loads_lose_the_flag) {
	begin(100, NULL);
	uint32_t at = add_list(16, false);
	load(at, 16, 0x20000000);
	load(at, 16, 0x20000000);
	end_count();
	open_ok();
	ck_assert_int_eq(next().job.flags, PICA_WRITE_KEEP_RENDERED);
	pica_capture_trust_loads(capture, 1);
	ck_assert_int_eq(next().job.flags, 0);
	done();
}

static void expect_error(int code, uint64_t offset, const char *words) {
	int ret = open_file();
	ck_assert_int_eq(ret, code);
	ck_assert_int_eq(error.code, code);
	ck_assert_uint_eq(error.offset, offset);
	ck_assert_msg(strncmp(error.message, "test.ctf: byte 0x", 17) == 0, "%s", error.message);
	ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
	ck_assert_ptr_null(strchr(error.message, '\n'));
	/* The error is optional. */
	ck_assert_int_eq(pica_capture_open_memory(&capture, f.bytes, f.size, NULL, NULL), code);
}

/* A valid file with everything in it. */
static void small_file(bool bytes) {
	static const uint32_t words[10] = { 2, 1, 3, 4, 2, 1, 8, 1, 1, 4 };
	begin(100, words);
	f.plain_writes = bytes;
	uint32_t at = add_list(8, true);
	load(at, 32, LIST);
	run_list(LIST, bytes ? 4 : 32);
	load(at, 4, 0x20000000);
	frame();
	if (bytes) {
		end_bytes();
	} else {
		end_count();
	}
}

TEST(errors_name_place_and_reason) {
	/* A word that is changed; the place and text of the error. */
	static const struct {
		bool in_stream; /* both offsets count from the first element */
		uint32_t at, word, offset;
		int code;
		const char *text;
	} words[] = {
		{ 0, 0, 0x72546958, 0, -EINVAL, "expected the bytes \"CiTr\"" },
		{ 0, 4, 2, 4, -EOPNOTSUPP, "expected version 1, found 2" },
		{ 0, 8, 96, 8, -EINVAL, "expected a header of 92 or 100 bytes, found 96" },
		{ 0, 12, 99, 12, -EINVAL,
				"gpu_registers: expected an offset beyond the header (100), found 99" },
		{ 0, 12 + 8 * 9 + 4, 0x40000000, 12 + 8 * 9, -EINVAL, /* 4 GiB of words */
				"gs_float_uniforms" },
		{ 0, 12 + 8 * 3, 0xFFFFFFFC, 12 + 8 * 3, -EINVAL, "default_attributes" },
		{ 0, 92, 0, 92, -EINVAL, "stream offset: expected at least 100, found 0" },
		{ 0, 96, 7, 96, -EINVAL, "found the end of the file after 6" },
		{ 0, 96, 0xFFFFFFFF, 96, -EINVAL, "found the end of the file after 6" },
		{ 1, 0, 0xE4, 0, -EINVAL,
				"element 0: expected type E1 (frame), E2 (memory) or E3 (register), found E4" },
		{ 1, 4, 0xFFFFFFF0, 4, -EINVAL, /* would wrap in 32 bits */
				"memory load: 32 bytes at 0xFFFFFFF0" },
		{ 1, 8, (256 << 20) + 1, 8, -EINVAL, "expected at most 268435456 bytes" },
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		small_file(false);
		const size_t from = words[i].in_stream ? f.stream : 0;
		set32(from + words[i].at, words[i].word);
		expect_error(words[i].code, from + words[i].offset, words[i].text);
	}
	small_file(false);
	set32(f.stream + 4, (uint32_t)f.size - 31);
	expect_error(-EINVAL, f.stream + 4, "memory load: 32 bytes");
	small_file(true);
	f.size -= 4;
	set32(96, (uint32_t)(f.size - f.stream));
	expect_error(-EINVAL, 96, "expected a multiple of 20 bytes");
	small_file(false);
	f.size = 96;
	expect_error(-EINVAL, 96, "ends in its header");
	f.size = 50;
	expect_error(-EINVAL, 50, "ends in its header");
	f.size = 0;
	expect_error(-EINVAL, 0, "not a capture: expected the bytes \"CiTr\"");
}

/* Opens and reads to the end, touching every byte that a job names. */
static int read_all(void) {
	int ret = open_file();
	if (ret < 0) {
		ck_assert_int_eq(error.code, ret);
		ck_assert_uint_gt(strlen(error.message), 20);
		return ret;
	}
	struct pica_capture_event e;
	struct pica_capture_info i = info();
	volatile uint32_t sum = 0;
	uint32_t frames = 0, loads = 0, writes = 0;
	while ((ret = pica_capture_next(capture, &e)) > 0) {
		ck_assert_int_eq(job_check(&e.job, NULL), 0);
		frames += e.kind == PICA_CAPTURE_FRAME;
		if (e.kind == PICA_CAPTURE_JOB && e.job.op == PICA_OP_WRITE) {
			const uint8_t *p = (const uint8_t *)(uintptr_t)e.job.u.write.data;
			for (uint32_t b = 0; b < e.job.u.write.size_bytes; b++) {
				sum += p[b];
			}
			loads++;
		} else if (e.kind == PICA_CAPTURE_JOB) {
			writes++;
		}
	}
	(void)sum;
	ck_assert_int_eq(ret, 0);
	ck_assert_uint_eq(frames, i.frames);
	ck_assert_uint_eq(loads, i.loads);
	ck_assert_uint_eq(writes, i.reg_writes);
	done();
	return 0;
}

TEST(truncation_at_every_byte_is_an_error) {
	static uint8_t whole[4096];
	for (int bytes = 0; bytes < 2; bytes++) {
		small_file(bytes);
		size_t size = f.size;
		ck_assert_uint_le(size, sizeof(whole));
		memcpy(whole, f.bytes, size);
		ck_assert_int_eq(read_all(), 0);
		for (size_t n = 0; n < size; n++) {
			/* An allocation of its own, so that a sanitizer sees the end. */
			uint8_t *cut = malloc(n ? n : 1);
			ck_assert_ptr_nonnull(cut);
			memcpy(cut, whole, n);
			ck_assert_int_lt(pica_capture_open_memory(&capture, cut, n, "cut", &error),
					0);
			ck_assert_ptr_nonnull(strstr(error.message, "cut: "));
			free(cut);
		}
	}
}

TEST(flips_of_every_byte_do_no_harm) {
	for (int bytes = 0; bytes < 2; bytes++) {
		small_file(bytes);
		unsigned good = 0, bad = 0;
		for (size_t at = 0; at < f.size; at++) {
			const uint8_t was = f.bytes[at];
			for (unsigned bit = 0; bit < 9; bit++) {
				f.bytes[at] = (uint8_t)(was ^ (bit < 8 ? 1u << bit : 255));
				if (read_all() == 0) {
					good++;
				} else {
					bad++;
				}
			}
			f.bytes[at] = was;
		}
		ck_assert_uint_gt(good, 100); /* values and data may be anything */
		ck_assert_uint_gt(bad, 100);
	}
}

TEST(random_damage_does_no_harm) {
	uint64_t seed = 1;
	for (int round = 0; round < 20000; round++) {
		small_file(round & 1);
		for (int hits = 0; hits < 1 + round % 7; hits++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t at = (size_t)(seed >> 33) % (f.size / 4) * 4;
			static const uint32_t words[] = { 0, 1, 0xFFFFFFFF, 0x80000000, 0xE2, 0xE3,
				100, 0x104018F0, 0x104018E0, 0x20100000, 0x7FFFFFFF, 20 };
			set32(at, words[(seed >> 20) % ARRAY_LEN(words)]);
		}
		read_all();
	}
}

TEST(many_open_lists_take_no_long) {
	/* Starts that only a FINALIZE can resolve, each with a load of all memory. */
	static uint8_t big[60 + 100 + 4096 * 80];
	begin(100, NULL);
	uint32_t at = add_list(32, true);
	for (uint32_t i = 0; i < 4000; i++) {
		load(at, 128, LIST + 8 * (i % 100));
		reg(0x104018E0, 128 + 8 * (i % 64));
		reg(0x104018E8, (LIST + 16 * i) >> 3);
		reg(0x104018F0, 1);
	}
	end_count();
	ck_assert_uint_le(f.size, sizeof(big));
	ck_assert_int_eq(read_all(), 0);
}
