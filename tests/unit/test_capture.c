/* CiTrace captures: every variant of spec/captures.md 2 built by hand, and hostile files. */
#include "capture_steps.h"

/* ---- A file under construction ---- */

enum { ROOM = 1 << 20 };

static struct {
	uint8_t bytes[ROOM];
	size_t size;
	size_t stream; /* offset, once begun */
	size_t header;
	bool plain_writes;
} f;

static void set32(size_t at, uint32_t w) {
	memcpy(f.bytes + at, &w, 4);
}

static void add32(uint32_t w) {
	ck_assert_uint_le(f.size + 4, ROOM);
	set32(f.size, w);
	f.size += 4;
}

/* words: of each array, in the order of the header; NULL: none. All words are 0. */
static void begin(uint32_t header, const uint32_t *words) {
	memset(&f, 0, sizeof(f));
	add32(0x72546943);
	add32(1);
	add32(header);
	unsigned n = header == 92 ? 9 : 10;
	uint32_t at = header;
	for (unsigned i = 0; i < n; i++) {
		uint32_t count = words ? words[i] : 0;
		add32(at);
		add32(count);
		at += 4 * count;
	}
	f.header = header;
	f.size = at;
	ck_assert_uint_le(f.size, ROOM);
}

/* Offset of array i's data. */
static size_t array_at(unsigned i) {
	uint32_t at;
	memcpy(&at, f.bytes + 12 + 8 * i, 4);
	return at;
}

static uint32_t add_data(const void *data, uint32_t size) {
	uint32_t at = (uint32_t)f.size;
	memcpy(f.bytes + f.size, data, size);
	f.size += size;
	return at;
}

static void element(uint32_t type, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
	if (f.stream == 0) {
		f.stream = f.size;
	}
	add32(type);
	add32(a);
	add32(b);
	add32(c);
	add32(d);
}

static void frame(void) {
	element(0xE1, 0, 0, 0, 0);
}

static void load(uint32_t data, uint32_t size, uint32_t addr) {
	element(0xE2, data, size, addr, 0xDEADBEEF);
}

static void reg(uint32_t addr, uint32_t value) {
	if (f.plain_writes) {
		element(0xE3, addr, value, 0, 0);
	} else {
		element(0xE3, addr, 0xD3, value, 0);
	}
}

static void run_list(uint32_t addr, uint32_t size) {
	reg(0x104018E0, size);
	reg(0x104018E8, addr >> 3);
	reg(0x104018F0, 1);
}

static void end_count(void) {
	set32(f.header - 8, (uint32_t)f.stream);
	set32(f.header - 4, (uint32_t)((f.size - f.stream) / 20));
}

static void end_bytes(void) {
	set32(f.header - 8, (uint32_t)f.stream);
	set32(f.header - 4, (uint32_t)(f.size - f.stream));
}

static int open_file(void) {
	memset(&error, 0, sizeof(error));
	return pica_capture_open_memory(&capture, f.bytes, f.size, "test.ctf", &error);
}

static void open_ok(void) {
	int ret = open_file();
	ck_assert_msg(ret == 0, "%d: %s", ret, error.message);
}

/* ---- Variants ---- */

START_TEST(smallest_file_is_one_black_frame) {
	begin(100, NULL);
	frame();
	end_count();
	ck_assert_uint_eq(f.size, 120);
	ck_assert_mem_eq(f.bytes, "\x43\x69\x54\x72\x01\0\0\0\x64\0\0\0", 12);
	ck_assert_mem_eq(f.bytes + 100, "\xE1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	open_ok();
	/* Nothing but the interrupt registers that system software sets.  [spec/registers.md 1.5] */
	static struct pica_state expected;
	expected.regs[0x020] = 0x12345678;
	expected.regs[0x030] = 0xFFFFFFF0;
	expected.regs[0x031] = 0xFFFFFFFF;
	expected.regs[0x034] = 1;
	ck_assert_mem_eq(pica_capture_state(capture), &expected, sizeof(expected));
	struct pica_capture_info i = info();
	ck_assert_int_eq(i.form, PICA_CAPTURE_CTF_2015_05);
	ck_assert_uint_eq(i.elements, 1);
	ck_assert_uint_eq(i.frames, 1);
	expect_frame(0);
	expect_end();
	pica_capture_rewind(capture);
	expect_frame(0);
	expect_end();
	done();
}
END_TEST

START_TEST(typical_citra_file) {
	/* Offsets and elements of spec/captures.md 6. */
	static const uint32_t words[10] = { 0x1000, 0x400, 0x300, 64, 4096, 4096, 384 };
	begin(100, words);
	ck_assert_uint_eq(array_at(0), 0x64);
	ck_assert_uint_eq(array_at(1), 0x4064);
	ck_assert_uint_eq(array_at(2), 0x5064);
	ck_assert_uint_eq(array_at(3), 0x5C64);
	ck_assert_uint_eq(array_at(4), 0x5D64);
	set32(array_at(0) + 0x468, 0x181E6000);
	set32(array_at(1) + 0x204, 0x01FF0000);
	set32(array_at(2) + 4 * 0x47, 0x12345678);
	set32(array_at(2) + 4 * 0x2FF, 0x9ABCDEF0);
	set32(array_at(4), 0x84000000);
	set32(array_at(5) + 4 * 127, 0x55AA);
	uint8_t data[0x40];
	memset(data, 0xA5, sizeof(data));
	f.size = 0x12000;
	uint32_t at = add_data(data, sizeof(data));
	load(at, 0x40, 0x20001000);
	set32(f.size - 4, 0); /* padding says nothing */
	ck_assert_mem_eq(
			f.bytes + f.size - 20, "\xE2\0\0\0\0\x20\x01\0\x40\0\0\0\0\x10\0\x20\0\0\0\0", 20);
	reg(0x104018F0, 1);
	ck_assert_mem_eq(f.bytes + f.size - 20,
			"\xE3\0\0\0\xF0\x18\x40\x10\xD3\0\0\0\x01\0\0\0\0\0\0\0", 20);
	frame();
	reg(0x10202204, 7);
	end_count();
	open_ok();
	const struct pica_state *s = pica_capture_state(capture);
	ck_assert_uint_eq(s->external[0x468 / 4], 0x181E6000);
	ck_assert_uint_eq(s->lcd[0x204 / 4], 0x01FF0000);
	ck_assert_uint_eq(s->regs[0x47], 0x12345678);
	ck_assert_uint_eq(s->regs[0x2FF], 0x9ABCDEF0);
	ck_assert_uint_eq(s->vs.code[0], 0x84000000);
	ck_assert_uint_eq(s->vs.operand_descriptors[127], 0x55AA);
	struct pica_capture_info i = info();
	ck_assert_int_eq(i.form, PICA_CAPTURE_CTF_2015_05);
	ck_assert_uint_eq(i.missing,
			PICA_CAPTURE_NO_MEMORY | PICA_CAPTURE_NO_TABLES | PICA_CAPTURE_NO_GEOMETRY |
					PICA_CAPTURE_UNKNOWN_W);
	ck_assert_uint_eq(i.loads, 1);
	ck_assert_uint_eq(i.load_bytes, 0x40);
	ck_assert_uint_eq(i.reg_writes, 2);
	ck_assert_uint_eq(i.lists, 1);
	ck_assert_uint_eq(i.tail_elements, 1);
	expect_load(0x20001000, data, 0x40);
	expect_reg(0x104018F0, 1);
	expect_frame(0);
	struct pica_capture_event e = next();
	ck_assert_uint_eq(e.job.u.reg_write.addr, 0x10202204);
	ck_assert_uint_eq(e.frame, 1); /* would belong to the next frame */
	ck_assert_uint_eq(e.offset, f.size - 20);
	expect_end();
	done();
}
END_TEST

START_TEST(header_of_92_bytes_has_no_attributes) {
	static const uint32_t words[9] = { 4, 0, 0x300, 2, 2, 8 };
	begin(92, words);
	set32(array_at(3), 0x11111111); /* vs_program_binary comes fourth here */
	set32(array_at(4), 0x22222222);
	set32(array_at(5) + 4, 0x333333);
	frame();
	end_count();
	open_ok();
	const struct pica_state *s = pica_capture_state(capture);
	ck_assert_uint_eq(s->vs.code[0], 0x11111111);
	ck_assert_uint_eq(s->vs.operand_descriptors[0], 0x22222222);
	ck_assert_uint_eq(s->vs.uniforms[0][1], 0x333333);
	ck_assert_uint_eq(s->fixed_attributes[0][3], 0);
	ck_assert_int_eq(info().form, PICA_CAPTURE_CTF_2015_04);
	ck_assert(info().missing & PICA_CAPTURE_NO_ATTRIBUTES);
	expect_frame(0);
	done();
}
END_TEST

START_TEST(stream_size_in_bytes) {
	static const uint32_t words[10] = { 0x400, 656, 0x300, 64, 4096, 4096, 384, 4096, 4096, 384 };
	begin(100, words);
	set32(array_at(1) + 4 * 655, 5);
	set32(array_at(7), 0x77777777);
	f.plain_writes = true;
	frame();
	reg(0x10400468, 0xD3); /* looks like a width, is a value */
	run_list(0x20000000, 0x98);
	end_bytes();
	open_ok();
	ck_assert_int_eq(info().form, PICA_CAPTURE_CTF_BYTES);
	ck_assert_uint_eq(info().missing, PICA_CAPTURE_NO_MEMORY | PICA_CAPTURE_NO_TABLES);
	ck_assert_uint_eq(info().elements, 5);
	ck_assert_uint_eq(pica_capture_state(capture)->lcd[655], 5);
	ck_assert_uint_eq(pica_capture_state(capture)->gs.code[0], 0x77777777);
	ck_assert_uint_eq(pica_capture_state(capture)->vs.code[0], 0);
	expect_frame(0);
	expect_reg(0x10400468, 0xD3);
	expect_reg(0x104018E0, 0x98);
	expect_reg(0x104018E8, 0x04000000);
	expect_reg(0x104018F0, 1);
	expect_end();
	done();
}
END_TEST

START_TEST(write_layout_is_decided_once) {
	/* One write whose second word is no width: all of them are {address, value}. */
	begin(100, NULL);
	f.plain_writes = true;
	reg(0x10400010, 0xD1);
	reg(0x10400014, 0xD3);
	reg(0x10400018, 0x1234);
	frame();
	end_count();
	open_ok();
	expect_reg(0x10400010, 0xD1);
	expect_reg(0x10400014, 0xD3);
	expect_reg(0x10400018, 0x1234);
	done();
	/* Without it: {address, width, value}. */
	f.size -= 40;
	frame();
	end_count();
	open_ok();
	ck_assert_uint_eq(info().skipped_widths, 1); /* D1: 8 bits */
	expect_reg(0x10400014, 0);
	expect_frame(0);
	done();
}
END_TEST

START_TEST(broken_writers_are_told_apart) {
	/* Azahar: count 0 ... */
	begin(100, NULL);
	f.stream = f.size;
	end_count();
	ck_assert_int_eq(open_file(), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.message, "Azahar"));
	/* ... or the stream behind the end of a file that ends early. */
	begin(100, NULL);
	frame();
	end_count();
	set32(92, 0x100000);
	ck_assert_int_eq(open_file(), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.message, "Azahar"));
	ck_assert_uint_eq(error.offset, 92);
}
END_TEST

START_TEST(undefined_w_is_settled) {
	static const uint32_t words[10] = { 0, 0, 0, 64, 0, 0, 384 };
	for (int bytes = 0; bytes < 2; bytes++) {
		begin(100, words);
		for (size_t i = 0; i < 4; i++) {
			set32(array_at(3) + 4 * i, 0x003A0000 + (uint32_t)i);
			set32(array_at(6) + 4 * i, 0x003B0000 + (uint32_t)i);
		}
		set32(array_at(3) + 16 + 12, 0xCDCDCDCD);
		set32(array_at(6) + 16 + 12, 0xCDCDCDCD);
		set32(array_at(6) + 16, 0xCD3F0000); /* what lies above 24 bits is nothing */
		frame();
		if (bytes) {
			end_bytes();
		} else {
			end_count();
		}
		open_ok();
		const struct pica_state *s = pica_capture_state(capture);
		ck_assert_uint_eq(s->fixed_attributes[0][0], 0x3A0000);
		ck_assert_uint_eq(s->fixed_attributes[0][3], bytes ? 0x3A0003 : 0x3F0000);
		ck_assert_uint_eq(s->fixed_attributes[1][3], 0x3F0000);
		ck_assert_uint_eq(s->vs.uniforms[0][3], 0x3B0003);
		ck_assert_uint_eq(s->vs.uniforms[1][3], 0);
		ck_assert_uint_eq(s->vs.uniforms[1][0], 0x3F0000);
		ck_assert_uint_eq(
				info().missing & PICA_CAPTURE_UNKNOWN_W, bytes ? 0 : PICA_CAPTURE_UNKNOWN_W);
		done();
	}
}
END_TEST

START_TEST(geometry_unit_shares_the_vertex_shader) {
	static const struct {
		uint32_t r244, r229, gs_words;
		bool shared;
	} cases[] = {
		{ 0, 0, 0, true }, { 1, 0, 0, false }, { 0, 2, 0, false }, { 0, 0, 4, false },
		{ 0xFFFFFFFE, 0x80000100, 0, true },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint32_t words[10] = { 0, 0, 0x300, 0, 16, 16, 16, cases[i].gs_words };
		begin(100, words);
		set32(array_at(2) + 4 * 0x244, cases[i].r244);
		set32(array_at(2) + 4 * 0x229, cases[i].r229);
		set32(array_at(4), 0x1111);
		set32(array_at(5), 0x2222);
		set32(array_at(6), 0x3333);
		frame();
		end_count();
		open_ok();
		const struct pica_state *s = pica_capture_state(capture);
		ck_assert_uint_eq(s->gs.code[0], cases[i].shared ? 0x1111 : 0);
		ck_assert_uint_eq(s->gs.operand_descriptors[0], cases[i].shared ? 0x2222 : 0);
		ck_assert_uint_eq(s->gs.uniforms[0][0], cases[i].shared ? 0x3333 : 0);
		done();
	}
}
END_TEST

/* ---- List sizes ---- */

/* n words of list; the last two are FINALIZE if asked. */
static uint32_t add_list(uint32_t n, bool finalize) {
	uint32_t at = (uint32_t)f.size;
	for (uint32_t i = 0; i < n; i++) {
		add32(finalize && i == n - 2             ? 0x12345678
						: finalize && i == n - 1 ? 0x000F0010
												 : 0x01010101);
	}
	return at;
}

enum { LIST = 0x20100000 };

static void expect_size(uint32_t recorded, uint32_t want) {
	end_count();
	open_ok();
	struct pica_capture_event e;
	do {
		e = next();
	} while (e.job.op != PICA_OP_REG_WRITE || e.job.u.reg_write.addr != 0x104018E0);
	ck_assert_uint_eq(e.job.u.reg_write.value, want);
	ck_assert_uint_eq(info().sizes_in_bytes, recorded != want);
	done();
}

START_TEST(list_size_by_the_load) {
	begin(100, NULL); /* the load has the value's bytes: Citra */
	uint32_t at = add_list(32, false);
	reg(0x104018E0, 128);
	reg(0x104018E8, LIST >> 3);
	load(at, 128, LIST);
	load(at, 16, 0x18000000);
	reg(0x104018F0, 1);
	expect_size(128, 16);

	begin(100, NULL); /* eight times as many: hardware units */
	at = add_list(32, false);
	load(at, 128, LIST);
	run_list(LIST, 16);
	expect_size(16, 16);
}
END_TEST

START_TEST(list_size_by_finalize) {
	begin(100, NULL); /* a load four times too long, before December 2016 */
	uint32_t at = add_list(32, true);
	add_list(96, false);
	load(at, 512, LIST);
	run_list(LIST, 128);
	expect_size(128, 16);

	begin(100, NULL); /* in two pieces, the last bytes patched afterwards */
	at = add_list(32, true);
	uint32_t junk = add_list(4, false);
	load(at, 96, LIST);
	load(at + 96, 32, LIST + 96);
	load(junk, 5, LIST + 123);
	load(at + 123, 5, LIST + 123);
	run_list(LIST, 128);
	expect_size(128, 16);

	begin(100, NULL); /* the same, patched to something else: neither ends well */
	at = add_list(32, true);
	junk = add_list(4, false);
	load(at, 96, LIST);
	load(at + 96, 32, LIST + 96);
	load(junk, 1, LIST + 127);
	load(junk, 1, LIST + 126);
	load(junk, 1, LIST + 125);
	load(junk, 1, LIST + 124);
	run_list(LIST, 128);
	expect_size(128, 128);

	begin(100, NULL); /* units: the end is at 8 * 16 bytes */
	at = add_list(32, true);
	load(at, 96, LIST);
	load(at + 96, 32, LIST + 96);
	run_list(LIST, 16);
	expect_size(16, 16);

	begin(100, NULL); /* a write at the list's start, no load at all */
	run_list(LIST, 24);
	expect_size(24, 24);
}
END_TEST

START_TEST(list_sizes_of_many_lists) {
	/* Bytes everywhere, the second list only by its loads before the first start. */
	begin(100, NULL);
	uint32_t at = add_list(32, true);
	load(at, 128, LIST + 0x1000);
	load(at, 128, LIST);
	run_list(LIST, 128);
	run_list(LIST + 0x1000, 128);
	frame();
	reg(0x104018F0, 1); /* the size stays what it was */
	frame();
	end_count();
	open_ok();
	ck_assert_uint_eq(info().lists, 3);
	ck_assert_uint_eq(info().sizes_in_bytes, 2);
	for (int pass = 0; pass < 2; pass++) {
		next();
		next();
		expect_reg(0x104018E0, 16);
		expect_reg(0x104018E8, LIST >> 3);
		expect_reg(0x104018F0, 1);
		expect_reg(0x104018E0, 16);
		expect_reg(0x104018E8, (LIST + 0x1000) >> 3);
		expect_reg(0x104018F0, 1);
		expect_frame(0);
		expect_reg(0x104018F0, 1);
		expect_frame(1);
		expect_end();
		pica_capture_rewind(capture);
	}
	done();
}
END_TEST

START_TEST(loads_before_the_last_start_do_not_count) {
	begin(100, NULL);
	uint32_t first = add_list(256, true), second = add_list(2, true);
	load(first, 1024, LIST); /* would look like 8 * 128 */
	run_list(LIST, 1024);
	load(second, 8, LIST + 120); /* the next list is shorter: only its end changed */
	run_list(LIST, 128);
	end_count();
	open_ok();
	next();
	expect_reg(0x104018E0, 128);
	next();
	next();
	next();
	expect_reg(0x104018E0, 16);
	done();
}
END_TEST

/* ---- What is left out, what is refused ---- */

START_TEST(useless_elements_are_counted) {
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
	reg(0x10402000, 1);                   /* behind the GPU's */
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
	expect_load(0x2FFFFFF0, f.bytes + at, 16);
	expect_load(0x1FFFFFF0, f.bytes + at, 32);
	expect_reg(0x10401FFC, 9);
	expect_frame(0);
	expect_end();
	done();
}
END_TEST

START_TEST(trusted_loads_lose_the_flag) {
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
END_TEST

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

START_TEST(errors_say_where_and_what) {
	small_file(false);
	f.bytes[0] = 'X';
	expect_error(-EINVAL, 0, "expected the bytes \"CiTr\"");
	small_file(false);
	set32(4, 2);
	expect_error(-EOPNOTSUPP, 4, "expected version 1, found 2");
	small_file(false);
	set32(8, 96);
	expect_error(-EINVAL, 8, "expected a header of 92 or 100 bytes, found 96");
	small_file(false);
	f.size = 96;
	expect_error(-EINVAL, 96, "ends in its header");
	f.size = 50;
	expect_error(-EINVAL, 50, "ends in its header");
	small_file(false);
	set32(12, 99);
	expect_error(
			-EINVAL, 12, "gpu_registers: expected an offset behind the header (100), found 99");
	small_file(false);
	set32(12 + 8 * 9 + 4, 0x40000000); /* 4 GiB of words */
	expect_error(-EINVAL, 12 + 8 * 9, "gs_float_uniforms");
	small_file(false);
	set32(12 + 8 * 3, 0xFFFFFFFC);
	expect_error(-EINVAL, 12 + 8 * 3, "default_attributes");
	small_file(false);
	set32(92, 0);
	expect_error(-EINVAL, 92, "stream offset: expected at least 100, found 0");
	small_file(false);
	set32(96, 7);
	expect_error(-EINVAL, 96, "the file ends after 6");
	small_file(false);
	set32(96, 0xFFFFFFFF);
	expect_error(-EINVAL, 96, "the file ends after 6");
	small_file(true);
	f.size -= 4;
	set32(96, (uint32_t)(f.size - f.stream));
	expect_error(-EINVAL, 96, "expected a multiple of 20 bytes");
	small_file(false);
	set32(f.stream, 0xE4);
	expect_error(-EINVAL, f.stream,
			"element 0: expected type E1 (frame), E2 (memory) or E3 (register), found E4");
	small_file(false);
	set32(f.stream + 4, (uint32_t)f.size - 31);
	expect_error(-EINVAL, f.stream + 4, "memory load: 32 bytes");
	small_file(false);
	set32(f.stream + 4, 0xFFFFFFF0); /* would wrap in 32 bits */
	expect_error(-EINVAL, f.stream + 4, "memory load: 32 bytes at 0xFFFFFFF0");
	small_file(false);
	set32(f.stream + 8, (256 << 20) + 1);
	expect_error(-EINVAL, f.stream + 8, "expected at most 268435456 bytes");
	small_file(false);
	f.size = 0;
	expect_error(-EINVAL, 0, "not a capture: expected the bytes \"CiTr\"");
}
END_TEST

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

START_TEST(truncation_at_every_byte_is_an_error) {
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
			ck_assert_int_lt(pica_capture_open_memory(&capture, cut, n, "cut", &error), 0);
			ck_assert_ptr_nonnull(strstr(error.message, "cut: "));
			free(cut);
		}
	}
}
END_TEST

START_TEST(flips_of_every_byte_do_no_harm) {
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
END_TEST

START_TEST(random_damage_does_no_harm) {
	uint64_t seed = 1;
	for (int round = 0; round < 20000; round++) {
		small_file(round & 1);
		for (int hits = 0; hits < 1 + round % 7; hits++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t at = (size_t)(seed >> 33) % (f.size / 4) * 4;
			static const uint32_t words[] = { 0, 1, 0xFFFFFFFF, 0x80000000, 0xE2, 0xE3, 100,
				0x104018F0, 0x104018E0, 0x20100000, 0x7FFFFFFF, 20 };
			set32(at, words[(seed >> 20) % ARRAY_LEN(words)]);
		}
		read_all();
	}
}
END_TEST

START_TEST(many_open_lists_take_no_long) {
	/* Starts that only their FINALIZE can settle, each with a load over everything. */
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
END_TEST

int main(void) {
	TCase *tc = tcase_create("capture");
	tcase_add_test(tc, smallest_file_is_one_black_frame);
	tcase_add_test(tc, typical_citra_file);
	tcase_add_test(tc, header_of_92_bytes_has_no_attributes);
	tcase_add_test(tc, stream_size_in_bytes);
	tcase_add_test(tc, write_layout_is_decided_once);
	tcase_add_test(tc, broken_writers_are_told_apart);
	tcase_add_test(tc, undefined_w_is_settled);
	tcase_add_test(tc, geometry_unit_shares_the_vertex_shader);
	tcase_add_test(tc, list_size_by_the_load);
	tcase_add_test(tc, list_size_by_finalize);
	tcase_add_test(tc, list_sizes_of_many_lists);
	tcase_add_test(tc, loads_before_the_last_start_do_not_count);
	tcase_add_test(tc, useless_elements_are_counted);
	tcase_add_test(tc, trusted_loads_lose_the_flag);
	tcase_add_test(tc, errors_say_where_and_what);
	tcase_add_test(tc, truncation_at_every_byte_is_an_error);
	tcase_add_test(tc, flips_of_every_byte_do_no_harm);
	tcase_add_test(tc, random_damage_does_no_harm);
	tcase_add_test(tc, many_open_lists_take_no_long);
	return run_suite("capture", tc);
}
