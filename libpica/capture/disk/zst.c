#include "capture/disk/zst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "capture/form/form.h"

enum {
	LEVEL = 12, /* 19: a tenth smaller, and twelve times as long */
	WINDOW_LOG_MAX = 27, /* maximum over all levels of the zstd program */
	FIRST_BYTES = 64 << 10,
	BLOCK_HEADER = 3, /* bytes  [RFC 8878 3.1.1.2] */

	SKIPPABLE_MAGIC = 0x184D2A50, /* and the 15 after it */
};

bool zst_is_compressed(const uint8_t *data, uint64_t size) {
	return size >= 4 && capture_u32(data) == ZSTD_MAGICNUMBER;
}

/* ---- Decompression ---- */

struct reader {
	ZSTD_DCtx *ctx;
	ZSTD_inBuffer in; /* size: what libzstd may see now */
	uint64_t in_size; /* all of it */
	ZSTD_outBuffer out;
	uint64_t limit;
	struct capture_source source;
	struct pica_capture_error *err;
};

static int too_large(const struct reader *r, uint64_t frame_at) {
	return capture_fail(&r->source, r->err, -EFBIG, frame_at,
			"zstd: expected at most %" PRIu64 " bytes when decompressed, found more",
			r->limit);
}

/* Returns the start of the first block of a frame. [RFC 8878 3.1.1.1.1] */
static uint64_t first_block(const struct reader *r, uint64_t frame_at) {
	static const uint8_t dictionary_bytes[4] = { 0, 1, 2, 4 };
	const uint64_t at = frame_at + 4;
	if (at >= r->in_size) {
		return at;
	}
	const unsigned descriptor = ((const uint8_t *)r->in.src)[at];
	const unsigned is_single = descriptor >> 5 & 1, size = descriptor >> 6;
	return at + 1 + !is_single + dictionary_bytes[descriptor & 3] +
			(size ? 1u << size : is_single);
}

static int zstd_error(const struct reader *r, uint64_t frame_at, size_t ret) {
	const char *text = ZSTD_getErrorName(ret);
	/* The header takes several steps; errors in it are reported at its start. */
	const uint64_t at = r->in.pos < first_block(r, frame_at) ? frame_at : r->in.pos;
	switch (ZSTD_getErrorCode(ret)) {
	case ZSTD_error_memory_allocation:
		return capture_no_memory(&r->source, r->err);
	case ZSTD_error_frameParameter_windowTooLarge:
		return capture_fail(&r->source, r->err, -EOPNOTSUPP, at,
				"zstd: expected a window of at most %d MiB, found a larger one",
				1 << (WINDOW_LOG_MAX - 20));
	case ZSTD_error_dictionary_wrong:
		return capture_fail(&r->source, r->err, -EOPNOTSUPP, at,
				"zstd: expected no dictionary, found a frame that needs one");
	default:
		return capture_fail(
				&r->source, r->err, -EINVAL, at, "zstd: damaged data (%s)", text);
	}
}

/* Doubles the buffer, up to one byte more than allowed, to detect an excess. */
static int grow(struct reader *r) {
	uint64_t size = r->out.size > r->limit / 2 ? r->limit + 1 : 2 * (uint64_t)r->out.size;
	void *bytes = realloc(r->out.dst, size);
	if (!bytes) {
		return capture_no_memory(&r->source, r->err);
	}
	r->out.dst = bytes;
	r->out.size = size;
	return 0;
}

/* Checks of a frame before its first block. */
static int check_frame(const struct reader *r) {
	const uint8_t *p = (const uint8_t *)r->in.src + r->in.pos;
	const uint64_t left = r->in_size - r->in.pos;
	if (left < 4) {
		return capture_fail(&r->source, r->err, -EINVAL, r->in.pos,
				"zstd: expected another frame or the end, found %" PRIu64 " bytes",
				left);
	}
	const uint32_t magic = capture_u32(p);
	if ((magic & ~15u) == SKIPPABLE_MAGIC) {
		return 0;
	}
	if (magic != ZSTD_MAGICNUMBER) {
		return capture_fail(&r->source, r->err, -EINVAL, r->in.pos,
				"zstd: expected another frame (%08X) or the end, found %08" PRIX32,
				ZSTD_MAGICNUMBER, magic);
	}
	const unsigned long long bytes = ZSTD_getFrameContentSize(p, left);
	if (bytes != ZSTD_CONTENTSIZE_UNKNOWN && bytes != ZSTD_CONTENTSIZE_ERROR &&
			bytes > r->limit - r->out.pos) {
		return too_large(r, r->in.pos);
	}
	return 0;
}

/* Reads one frame: the header and each block in a separate step, so that in.pos locates an
 * error. */
static int read_frame(struct reader *r) {
	const uint64_t frame_at = r->in.pos;
	size_t want = ZSTD_initDStream(r->ctx);
	while (!ZSTD_isError(want)) {
		if (r->out.pos == r->out.size) {
			int ret = grow(r);
			if (ret < 0) {
				return ret;
			}
		}
		/* libzstd also asks for the header of the next block. */
		const uint64_t step = want > BLOCK_HEADER + 1 ? want - BLOCK_HEADER : want;
		const uint64_t left = r->in_size - r->in.pos;
		r->in.size = r->in.pos + (step < left ? step : left);
		want = ZSTD_decompressStream(r->ctx, &r->out, &r->in);
		if (ZSTD_isError(want)) {
			break;
		}
		if (r->out.pos > r->limit) {
			return too_large(r, frame_at);
		}
		if (want == 0) {
			return 0;
		}
		if (r->in.pos == r->in_size && r->out.pos < r->out.size) {
			return capture_fail(&r->source, r->err, -EINVAL, r->in_size,
					"zstd: the file ends inside of a frame");
		}
	}
	return zstd_error(r, frame_at, want);
}

int zst_decompress(uint8_t **out, uint64_t *out_size, const uint8_t *data, uint64_t size,
		uint64_t limit, const char *name, struct pica_capture_error *err) {
	struct reader r = {
		.in = { .src = data },
		.in_size = size,
		.limit = limit,
		.source = { .name = name },
		.err = err,
	};
	r.out.size = limit < FIRST_BYTES ? limit + 1 : FIRST_BYTES;
	r.out.dst = malloc(r.out.size);
	r.ctx = ZSTD_createDCtx();
	int ret = 0;
	if (!r.out.dst || !r.ctx ||
			ZSTD_isError(ZSTD_DCtx_setParameter(
					r.ctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		ret = capture_no_memory(&r.source, err);
	}
	while (ret == 0 && r.in.pos < size) {
		ret = check_frame(&r);
		if (ret == 0) {
			ret = read_frame(&r);
		}
	}
	ZSTD_freeDCtx(r.ctx);
	if (ret < 0) {
		free(r.out.dst);
		return ret;
	}
	void *fitted = realloc(r.out.dst, r.out.pos > 0 ? r.out.pos : 1);
	*out = fitted ? fitted : r.out.dst;
	*out_size = r.out.pos;
	return 0;
}

/* ---- Compression ---- */

static int stdio_error(void) {
	return errno ? -errno : -EIO;
}

static int compress(ZSTD_CCtx *ctx, FILE *in, uint64_t size, FILE *out, uint8_t *in_bytes,
		uint8_t *out_bytes) {
	while (true) {
		const size_t step =
				size < ZSTD_CStreamInSize() ? (size_t)size : ZSTD_CStreamInSize();
		errno = 0;
		if (fread(in_bytes, 1, step, in) != step) {
			return ferror(in) ? stdio_error() : -EIO;
		}
		size -= step;
		ZSTD_inBuffer from = { .src = in_bytes, .size = step };
		const ZSTD_EndDirective end = size == 0 ? ZSTD_e_end : ZSTD_e_continue;
		size_t more;
		do {
			ZSTD_outBuffer to = { .dst = out_bytes, .size = ZSTD_CStreamOutSize() };
			more = ZSTD_compressStream2(ctx, &to, &from, end);
			if (ZSTD_isError(more)) {
				return ZSTD_getErrorCode(more) == ZSTD_error_memory_allocation ?
						-ENOMEM :
						-EIO;
			}
			errno = 0;
			if (fwrite(out_bytes, 1, to.pos, out) != to.pos) {
				return stdio_error();
			}
		} while (end == ZSTD_e_end ? more > 0 : from.pos < from.size);
		if (end == ZSTD_e_end) {
			return 0;
		}
	}
}

int zst_compress_file(FILE *in, uint64_t size, FILE *out) {
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	uint8_t *in_bytes = malloc(ZSTD_CStreamInSize());
	uint8_t *out_bytes = malloc(ZSTD_CStreamOutSize());
	int ret = -ENOMEM;
	if (ctx && in_bytes && out_bytes &&
			!ZSTD_isError(ZSTD_CCtx_setParameter(
					ctx, ZSTD_c_compressionLevel, LEVEL)) &&
			!ZSTD_isError(ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1)) &&
			!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(ctx, size))) {
		ret = compress(ctx, in, size, out, in_bytes, out_bytes);
	}
	free(in_bytes);
	free(out_bytes);
	ZSTD_freeCCtx(ctx);
	return ret;
}
