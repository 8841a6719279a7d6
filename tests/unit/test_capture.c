/* CiTrace captures: every variant of [fidelity: citrace] built by hand, and hostile files. */
#include "ctf_file.h"
#include "tests/suite.h"

/* ---- Variants ---- */

TEST(smallest_file_is_one_black_frame) {
	begin(100, NULL);
	frame();
	end_count();
	ck_assert_uint_eq(f.size, 120);
	ck_assert_mem_eq(f.bytes, "\x43\x69\x54\x72\x01\0\0\0\x64\0\0\0", 12);
	ck_assert_mem_eq(f.bytes + 100, "\xE1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	open_ok();
	/* Only the interrupt registers that system software sets. [fidelity: finalize] */
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

TEST(typical_citra_file) {
	/* Offsets and elements of [fidelity: citrace-numbers]. */
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
	ck_assert_mem_eq(f.bytes + f.size - 20,
			"\xE2\0\0\0\0\x20\x01\0\x40\0\0\0\0\x10\0\x20\0\0\0\0", 20);
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
					PICA_CAPTURE_UNKNOWN_W | PICA_CAPTURE_NO_DMA);
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

TEST(header_of_92_bytes_has_no_attributes) {
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

TEST(stream_size_in_bytes) {
	static const uint32_t words[10] = { 0x400, 656, 0x300, 64, 4096, 4096, 384, 4096, 4096,
		384 };
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

TEST(write_layout_is_decided_once) {
	/* One write whose second word is not a width: all of them are {address, value}. */
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

TEST(broken_writers_are_distinguished) {
	/* Azahar: count 0 ... */
	begin(100, NULL);
	f.stream = f.size;
	end_count();
	ck_assert_int_eq(open_file(), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.message, "Azahar"));
	/* ... or the stream past the end of a file that ends early. */
	begin(100, NULL);
	frame();
	end_count();
	set32(92, 0x100000);
	ck_assert_int_eq(open_file(), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.message, "Azahar"));
	ck_assert_uint_eq(error.offset, 92);
}

TEST(undefined_w_is_settled) {
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
		ck_assert_uint_eq(info().missing & PICA_CAPTURE_UNKNOWN_W,
				bytes ? 0 : PICA_CAPTURE_UNKNOWN_W);
		done();
	}
}

TEST(geometry_unit_shares_the_vertex_shader) {
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

/* ---- List sizes ---- */

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

TEST(list_size_by_the_load) {
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

TEST(list_size_by_finalize) {
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

TEST(list_sizes_of_many_lists) {
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

TEST(loads_before_the_last_start_do_not_count) {
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
