/*
 * Captures, plain and compressed. A capture that opens can be read to its end, twice with the
 * same result, and every event is a job that the engine would accept.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "capture/disk/zst.h"
#include "job.h"
#include "pica_capture.h"

enum { MAX_DECOMPRESSED = 4 << 20 };

struct walk {
	uint32_t events, frames, loads, reg_writes;
	uint64_t sum, load_bytes;
};

static uint64_t sum_bytes(const uint8_t *p, size_t n) {
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum = sum * 31 + p[i];
	}
	return sum;
}

static struct walk walk(struct pica_capture *capture) {
	struct walk w = { 0 };
	struct pica_capture_event event;
	int ret;
	while ((ret = pica_capture_next(capture, &event)) > 0) {
		FUZZ_CHECK(job_check(&event.job, NULL) == 0);
		w.events++;
		w.sum = w.sum * 31 + event.offset;
		switch (event.job.op) {
		case PICA_OP_WRITE:
			w.loads++;
			w.load_bytes += event.job.u.write.size_bytes;
			/*
			 * Reads only a part, since many loads may share their data: bad pointers
			 * show nevertheless.
			 */
			const uint8_t *data = (const uint8_t *)(uintptr_t)event.job.u.write.data;
			const uint32_t n = event.job.u.write.size_bytes;
			w.sum += sum_bytes(data, n < 64 ? n : 64) + data[n - 1];
			break;
		case PICA_OP_REG_WRITE:
			w.reg_writes++;
			w.sum += event.job.u.reg_write.addr ^ event.job.u.reg_write.value;
			break;
		case PICA_OP_PRESENT:
			FUZZ_CHECK(event.kind == PICA_CAPTURE_FRAME && event.frame == w.frames);
			w.frames++;
			break;
		default:
			FUZZ_CHECK(!"an event of another kind");
		}
	}
	FUZZ_CHECK(ret == 0);
	FUZZ_CHECK(pica_capture_next(capture, &event) == 0);
	return w;
}

static void read_capture(const uint8_t *data, size_t size) {
	struct pica_capture *capture = NULL;
	struct pica_capture_error err = { 0 };
	int ret = pica_capture_open_memory(&capture, data, size, "fuzz", &err);
	if (ret < 0) {
		FUZZ_CHECK(!capture && err.code == ret &&
				memchr(err.message, 0, sizeof(err.message)));
		FUZZ_CHECK(err.message[0] && !strchr(err.message, '\n'));
		return;
	}
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	const struct pica_state *state = pica_capture_state(capture);
	uint64_t start = sum_bytes((const uint8_t *)state, sizeof(*state));
	struct walk first = walk(capture);
	FUZZ_CHECK(first.frames == info.frames && first.loads == info.loads);
	FUZZ_CHECK(first.reg_writes == info.reg_writes && first.load_bytes == info.load_bytes);
	pica_capture_rewind(capture);
	pica_capture_trust_loads(capture, 1);
	struct walk second = walk(capture);
	FUZZ_CHECK(memcmp(&first, &second, sizeof(first)) == 0);
	FUZZ_CHECK(sum_bytes((const uint8_t *)state, sizeof(*state)) == start);
	pica_capture_close(capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	if (!zst_is_compressed(data, size)) {
		read_capture(data, size);
		return 0;
	}
	/* Skips inputs that expand to as much as a gigabyte: they are valid, but slow. */
	uint8_t *plain = NULL;
	uint64_t plain_size = 0;
	struct pica_capture_error err = { 0 };
	int ret = zst_decompress(&plain, &plain_size, data, size, MAX_DECOMPRESSED, "fuzz", &err);
	FUZZ_CHECK(ret == 0 || ret == -EINVAL || ret == -EOPNOTSUPP || ret == -EFBIG ||
			ret == -ENOMEM);
	if (ret == 0) {
		FUZZ_CHECK(plain_size <= MAX_DECOMPRESSED);
		read_capture(plain, (size_t)plain_size);
		free(plain);
		read_capture(data, size);
	}
	return 0;
}
