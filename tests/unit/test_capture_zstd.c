/* Compressed captures: writing, and damaged, truncated and hostile files. */
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "capture/disk/zst.h"
#include "capture_steps.h"
#include "tests/folder.h"

enum { MIB = 1 << 20, ARRAY_WORDS = 0x400 + 0x400 + 0x300 + 64 + 2 * (4096 + 4096 + 384) };

static char path[64];

/* ---- A small capture ---- */

/* Of 5 elements; `plain` and `packed` are its two forms. */
static uint8_t *plain, *packed;
static size_t plain_size, packed_size;
static const uint8_t texels[] = "a load of 25 bytes behind";

static void write_capture(const char *extension) {
	snprintf(path, sizeof(path), "%s/small%s", dir, extension);
	struct pica_state *s = calloc(1, sizeof(*s));
	ck_assert_ptr_nonnull(s);
	s->regs[0x40] = 2;
	s->fixed_attributes[1][3] = 0x3F0000;
	struct pica_ctf_writer *w;
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, s), 0);
	free(s);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(pica_ctf_writer_memory(w, 0x18000000, texels, 25), 0);
	ck_assert_int_eq(pica_ctf_writer_reg_write(w, 0x10400010, 1), 0);
	ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
	ck_assert_int_eq(pica_ctf_writer_reg_write(w, 0x10400010, 2), 0);
	ck_assert_int_eq(pica_ctf_writer_frame(w), 0);
	ck_assert_int_eq(pica_ctf_writer_finish(w), 0);
}

static uint8_t *read_whole(size_t *size) {
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	uint8_t *bytes = malloc(MIB);
	ck_assert_ptr_nonnull(bytes);
	*size = fread(bytes, 1, MIB, file);
	fclose(file);
	unlink(path);
	return bytes;
}

static void write_whole(const uint8_t *bytes, size_t size) {
	snprintf(path, sizeof(path), "%s/bytes.ctf.zst", dir);
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static void expect_small_capture(void) {
	const struct pica_state *s = pica_capture_state(capture);
	ck_assert_uint_eq(s->regs[0x40], 2);
	ck_assert_uint_eq(s->fixed_attributes[1][3], 0x3F0000);
	ck_assert_int_eq(info().form, PICA_CAPTURE_CTF_BYTES);
	expect_load(0x18000000, texels, 25);
	expect_reg(0x10400010, 1);
	expect_frame(0);
	expect_reg(0x10400010, 2);
	expect_frame(1);
	expect_end();
	done();
}

static void setup(void) {
	write_capture(".ctf");
	plain = read_whole(&plain_size);
	write_capture(".ctf.zst");
	packed = read_whole(&packed_size);
}

static void teardown(void) {
	free(plain);
	free(packed);
}

static int open_bytes(const void *bytes, size_t size) {
	return pica_capture_open_memory(&capture, bytes, size, "bytes", &error);
}

/* Writes a zstd frame, with or without its content size, to buf. Returns its size. */
static size_t pack(uint8_t *buf, size_t room, const uint8_t *data, size_t size, bool with_size) {
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	ck_assert_ptr_nonnull(ctx);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, with_size);
	size_t n = ZSTD_compress2(ctx, buf, room, data, size);
	ck_assert(!ZSTD_isError(n));
	ZSTD_freeCCtx(ctx);
	return n;
}

/* ---- Tests ---- */

FIXTURE(setup, teardown)

TEST(compressed_capture_reads_like_a_plain_one) {
	ck_assert_uint_eq(plain_size, 100 + 4 * ARRAY_WORDS + 25 + 5 * 20);
	ck_assert_uint_lt(packed_size, 512);
	ck_assert_int_eq(open_bytes(plain, plain_size), 0);
	expect_small_capture();
	ck_assert_int_eq(open_bytes(packed, packed_size), 0);
	expect_small_capture();
	write_whole(packed, packed_size); /* the name does not matter for reading */
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	expect_small_capture();
	write_whole(plain, plain_size);
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	expect_small_capture();
	unlink(path);
}

TEST(offsets_count_decompressed_bytes) {
	ck_assert_int_eq(open_bytes(packed, packed_size), 0);
	struct pica_capture_event e = next();
	ck_assert_uint_eq(e.offset, 100 + 4 * ARRAY_WORDS + 25);
	done();
	uint8_t *bytes = malloc(plain_size), *again = malloc(plain_size);
	memcpy(bytes, plain, plain_size);
	bytes[4] = 2; /* version */
	size_t n = pack(again, plain_size, bytes, plain_size, true);
	ck_assert_int_eq(open_bytes(again, n), -EOPNOTSUPP);
	ck_assert_uint_eq(error.offset, 4);
	ck_assert_uint_eq(error.is_decompressed, 1);
	ck_assert_str_eq(
			error.message, "bytes: decompressed byte 0x4: expected version 1, found 2");
	ck_assert_int_eq(open_bytes(bytes, plain_size), -EOPNOTSUPP);
	ck_assert_uint_eq(error.is_decompressed, 0);
	ck_assert_str_eq(error.message, "bytes: byte 0x4: expected version 1, found 2");
	free(bytes);
	free(again);
}

/* One frame, its content size in its header, a checksum at its end.  [RFC 8878 3.1.1.1] */
TEST(writer_makes_one_frame_with_size_and_checksum) {
	ck_assert_uint_eq(packed[4] >> 6, 2);      /* 4 bytes of content size */
	ck_assert_uint_eq(packed[4] >> 2 & 1, 1);  /* checksum */
	ck_assert_uint_eq(packed[4] & 3, 0);       /* no dictionary */
	ck_assert_uint_eq(ZSTD_getFrameContentSize(packed, packed_size), plain_size);
	ck_assert_uint_eq(ZSTD_findFrameCompressedSize(packed, packed_size), packed_size);
	uint8_t *bytes = malloc(plain_size);
	ck_assert_uint_eq(ZSTD_decompress(bytes, plain_size, packed, packed_size), plain_size);
	ck_assert_mem_eq(bytes, plain, plain_size);
	free(bytes);
}

TEST(writer_leaves_nothing_when_it_gives_up) {
	snprintf(path, sizeof(path), "%s/no.ctf.zst", dir);
	struct pica_ctf_writer *w;
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
	pica_ctf_writer_frame(w);
	pica_ctf_writer_destroy(w);
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), 0);
	ck_assert_int_eq(pica_ctf_writer_finish(w), -EINVAL);
	snprintf(path, sizeof(path), "%s/no/such.ctf.zst", dir);
	ck_assert_int_eq(pica_ctf_writer_create(&w, path, NULL), -ENOENT);
	ck_assert_int_eq(rmdir(dir), 0); /* it is empty */
	ck_assert_int_eq(mkdir(dir, 0700), 0);
}

TEST(truncation_anywhere_is_refused) {
	for (size_t n = 0; n < packed_size; n++) {
		ck_assert_int_eq(open_bytes(packed, n), -EINVAL);
		ck_assert_uint_eq(error.is_decompressed, 0);
		ck_assert_uint_eq(error.offset, n < 4 ? 0 : n);
		ck_assert_ptr_nonnull(strstr(
				error.message, n < 4 ? "not a capture" : "ends inside of a frame"));
	}
	write_whole(packed, packed_size - 1);
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.message, "bytes.ctf.zst: byte 0x"));
	unlink(path);
}

/* A flipped bit is found, or it changes nothing (bits of the header that have no meaning here). */
TEST(no_flipped_bit_is_believed) {
	uint8_t *bytes = malloc(packed_size);
	unsigned accepted = 0;
	for (size_t bit = 0; bit < 8 * packed_size; bit++) {
		memcpy(bytes, packed, packed_size);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		int ret = open_bytes(bytes, packed_size);
		if (ret == 0) {
			accepted++;
			expect_small_capture();
			continue;
		}
		ck_assert_msg(ret == -EINVAL || ret == -EFBIG || ret == -EOPNOTSUPP, "%d", ret);
		ck_assert_int_eq(error.code, ret);
		ck_assert_uint_le(error.offset, packed_size);
		ck_assert_uint_eq(error.is_decompressed, 0);
	}
	ck_assert_uint_lt(accepted, 32);
	free(bytes);
}

TEST(damage_is_named_with_its_compressed_offset) {
	uint8_t *bytes = malloc(packed_size);
	memcpy(bytes, packed, packed_size);
	bytes[packed_size - 1] ^= 1;
	ck_assert_int_eq(open_bytes(bytes, packed_size), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.message, "checksum"));
	ck_assert_uint_eq(error.offset, packed_size - 4);
	memcpy(bytes, packed, packed_size);
	size_t block = 5 + 4 + !(packed[4] & 0x20);
	bytes[block] |= 6; /* block type 3 does not exist  [RFC 8878 3.1.1.2] */
	ck_assert_int_eq(open_bytes(bytes, packed_size), -EINVAL);
	ck_assert_uint_eq(error.offset, block);
	char text[64];
	snprintf(text, sizeof(text), "bytes: byte 0x%zX: zstd: damaged data (", block);
	ck_assert_msg(strstr(error.message, text) == error.message, "%s", error.message);
	free(bytes);
}

TEST(frames_follow_each_other) {
	const size_t cut = 70001;
	uint8_t *bytes = malloc(MIB);
	for (unsigned with_size = 0; with_size < 4; with_size++) {
		size_t n = pack(bytes, MIB, plain, cut, with_size & 1);
		/* Nothing, and a skippable frame of 3 bytes, between. */
		n += pack(bytes + n, MIB - n, plain, 0, true);
		memcpy(bytes + n, "\x5A\x2A\x4D\x18\3\0\0\0abc", 11);
		n += 11;
		const size_t second = n;
		n += pack(bytes + n, MIB - n, plain + cut, plain_size - cut, with_size & 2);
		ck_assert_int_eq(open_bytes(bytes, n), 0);
		expect_small_capture();
		/* Half of the capture is a complete frame, whose bytes messages count. */
		ck_assert_int_eq(open_bytes(bytes, second), -EINVAL);
		ck_assert_uint_eq(error.is_decompressed, 1);
		ck_assert_int_eq(open_bytes(bytes, n - 1), -EINVAL);
		ck_assert_uint_eq(error.offset, n - 1);
	}
	free(bytes);
}

TEST(garbage_after_a_frame_is_refused) {
	uint8_t *bytes = calloc(1, packed_size + 64);
	memcpy(bytes, packed, packed_size);
	static const char *const tails[] = { "x", "abc", "CiTr", "\x27\xB5\x2F\xFD",
		"\x28\xB5\x2F" };
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		size_t len = strlen(tails[i]);
		memcpy(bytes + packed_size, tails[i], len);
		ck_assert_int_eq(open_bytes(bytes, packed_size + len), -EINVAL);
		ck_assert_uint_eq(error.offset, packed_size);
		ck_assert_ptr_nonnull(strstr(error.message, "zstd: expected another frame"));
	}
	memset(bytes + packed_size, 0, 64);
	ck_assert_int_eq(open_bytes(bytes, packed_size + 64), -EINVAL);
	ck_assert_uint_eq(error.offset, packed_size);
	free(bytes);
}

TEST(announced_size_above_the_limit_is_refused_at_once) {
	/* Header with 8 bytes of content size and a window of 1 KiB, then an empty last block. */
	uint8_t frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0xC0, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 };
	uint64_t sizes[] = { ZST_MAX_BYTES + 1, UINT64_C(1) << 40, UINT64_MAX - 2 };
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		memcpy(frame + 6, &sizes[i], 8);
		ck_assert_int_eq(open_bytes(frame, sizeof(frame)), -EFBIG);
		ck_assert_str_eq(error.message,
				"bytes: byte 0x0: zstd: expected at most 1073741824 bytes when decompressed, found "
				"more");
	}
	memcpy(frame + 6, &(uint64_t){ ZST_MAX_BYTES }, 8); /* allowed, but not what comes */
	ck_assert_int_eq(open_bytes(frame, sizeof(frame)), -EINVAL);
}

TEST(wide_windows_and_dictionaries_are_refused) {
	/* Unknown content size, window 2^(10 + exponent), empty last block. */
	uint8_t frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0, 0, 1, 0, 0 };
	frame[5] = 17 << 3; /* 128 MiB: of it nothing is used, and nothing comes out */
	ck_assert_int_eq(open_bytes(frame, sizeof(frame)), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.message, "bytes: decompressed byte 0x0: not a capture"));
	frame[5] = 18 << 3;
	ck_assert_int_eq(open_bytes(frame, sizeof(frame)), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(
			strstr(error.message, "byte 0x0: zstd: expected a window of at most 128"));
	uint8_t named[] = { 0x28, 0xB5, 0x2F, 0xFD, 1, 0, 7, 1, 0, 0 }; /* dictionary 7 */
	ck_assert_int_eq(open_bytes(named, sizeof(named)), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.message, "byte 0x0: zstd: expected no dictionary"));
}

/* n blocks of 128 KiB that one byte makes each, of unknown size. */
static size_t make_bomb(uint8_t *bytes, unsigned n) {
	static const uint8_t header[] = { 0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3 };
	memcpy(bytes, header, sizeof(header));
	size_t at = sizeof(header);
	for (unsigned i = 0; i < n; i++) {
		uint32_t block = (i + 1 == n) | 1u << 1 | (128u << 10) << 3;
		memcpy(bytes + at, &block, 3);
		bytes[at + 3] = 'C';
		at += 4;
	}
	return at;
}

TEST(bomb_ends_at_the_limit) {
	uint8_t *bytes = malloc(4 * 8192 + 6), *out;
	uint64_t out_size;
	size_t n = make_bomb(bytes, 16); /* 2 MiB */
	ck_assert_int_eq(zst_decompress(&out, &out_size, bytes, n, 2 * MIB, "bomb", &error), 0);
	ck_assert_uint_eq(out_size, 2 * MIB);
	ck_assert_int_eq(out[0], 'C');
	ck_assert_int_eq(out[2 * MIB - 1], 'C');
	free(out);
	static const uint64_t limits[] = { 2 * MIB - 1, MIB + 1, MIB, 65536, 65535, 1, 0 };
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		ck_assert_int_eq(zst_decompress(&out, &out_size, bytes, n, limits[i], "bomb",
						 &error),
				-EFBIG);
		ck_assert_ptr_nonnull(
				strstr(error.message, "bomb: byte 0x0: zstd: expected at most"));
	}
	/* Frame after frame; nothing announces its size. */
	size_t two = n + make_bomb(bytes + n, 1);
	ck_assert_int_eq(zst_decompress(&out, &out_size, bytes, two, 2 * MIB, "bomb", &error),
			-EFBIG);
	ck_assert_uint_eq(error.offset, n);
	ck_assert_int_eq(
			zst_decompress(&out, &out_size, bytes, two, 2 * MIB, "bomb", NULL), -EFBIG);
	free(bytes);
}

TEST(compression_reports_a_short_file) {
	FILE *in = tmpfile(), *out = tmpfile();
	ck_assert(in && out);
	ck_assert_int_eq(zst_compress_file(in, 1, out), -EIO);
	ck_assert_int_eq(zst_compress_file(in, 0, out), 0);
	fclose(in);
	fclose(out);
	in = tmpfile();
	out = fopen("/dev/full", "wb");
	if (out) {
		setvbuf(out, NULL, _IONBF, 0);
		ck_assert_int_eq(zst_compress_file(in, 0, out), -ENOSPC);
		fclose(out);
	}
	fclose(in);
}

static int in_folder(void) {
	return run_in_folder(NULL, NULL);
}
SUITE_MAIN(in_folder)
