/*
 * Samples of every released version of the container, which every later version must read: compares
 * the hash of all that they contain (docs/capture.md, "Versions"). Add lines, but never change one.
 */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "box_file.h"
#include "tests/suite.h"

static const struct sample {
	const char *path; /* in tests/data */
	uint32_t version, frames, keys, events, expected;
	const char *hash; /* see digest() */
} samples[] = {
	/* Every operation, two keys, states in which every 61st word is another one. */
	{ "version-1/jobs.pica", 1, 3, 2, 37, 6, "eb34a07c81388f4d03af3d056bfe48b1" },
	/* Recorded: a frame of a scene, a key at both ends. */
	{ "version-1/recorded.pica", 1, 1, 2, 37, 2, "fec05b82e35ac1a330bcc112c3f5b20e" },
	/* Converted from a CiTrace file, whose missing parts are noted. */
	{ "version-1/converted.pica", 1, 2, 1, 40, 4, "7e5bc877049afaafabf85074472cfcfc" },
	/* The same, with a LACK chunk, of which earlier readers know nothing. */
	{ "version-1/lacks.pica", 1, 1, 1, 15, 2, "27a6a5e7a9401448afd50ceeaf3f1206" },
};

/*
 * XXH3-128 over, for each key: its frame, all words of the state as version 1 knew them; then all
 * events after it: kind, frame, job, data. Then the expected pictures, missing parts, windows.
 */
static void digest(struct pica_capture *c, char text[33]) {
	XXH3_state_t state;
	XXH128_canonical_t canonical;
	struct pica_capture_info i;
	struct pica_capture_event e;
	struct pica_window w[32];
	XXH3_128bits_reset(&state);
	pica_capture_info(c, &i);
	for (uint32_t frame = 0; frame <= i.frames; frame++) {
		/* one more: a key may stand at the end */
		uint32_t at, n;
		ck_assert_int_eq(pica_capture_seek(c, frame, &at), 0);
		if (at != frame) {
			continue;
		}
		XXH3_128bits_update(&state, &at, sizeof(at));
		/* A later version may append to a state. */
		XXH3_128bits_update(&state, pica_capture_state(c),
				offsetof(struct pica_state, assembler) +
						sizeof(struct pica_assembler_state));
		int ret;
		while ((ret = pica_capture_next(c, &e)) > 0) {
			const uint32_t head[2] = { (uint32_t)e.kind, e.frame };
			const void *data = NULL;
			if (e.job.op == PICA_OP_WRITE) {
				data = (const void *)(uintptr_t)e.job.u.write.data;
				e.job.u.write.data = 0;
			}
			XXH3_128bits_update(&state, head, sizeof(head));
			XXH3_128bits_update(&state, &e.job, sizeof(e.job));
			if (data) {
				XXH3_128bits_update(&state, data, e.job.u.write.size_bytes);
			}
		}
		ck_assert_int_eq(ret, 0);
		const struct pica_expected *x = pica_capture_expected(c, frame, &n);
		for (uint32_t k = 0; k < n; k++) {
			XXH3_128bits_update(&state, &x[k], sizeof(x[k]));
		}
	}
	const uint32_t tail[4] = { i.missing, i.source, i.first_frame, (uint32_t)i.float_mode };
	XXH3_128bits_update(&state, tail, sizeof(tail));
	const unsigned n = pica_capture_windows(c, w, ARRAY_LEN(w));
	for (unsigned k = 0; k < n; k++) {
		XXH3_128bits_update(&state, &w[k].phys, 2 * sizeof(uint32_t));
	}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
	for (unsigned k = 0; k < 16; k++) {
		snprintf(text + 2 * k, 3, "%02x", canonical.digest[k]);
	}
}

TEST_LOOP(sample_reads_as_it_was_written, (int)ARRAY_LEN(samples)) {
	const struct sample *s = &samples[_i];
	char path[512], text[33];
	snprintf(path, sizeof(path), TEST_DATA "/%s", s->path);
	ck_assert_msg(pica_capture_open(&capture, path, &error) == 0, "%s", error.message);
	ck_assert_msg(pica_capture_verify(capture) == 0, "%s",
			pica_capture_error(capture)->message);
	struct pica_capture_info i = info();
	uint32_t expected = 0;
	for (uint32_t frame = 0; frame < i.frames; frame++) {
		uint32_t n;
		pica_capture_expected(capture, frame, &n);
		expected += n;
	}
	digest(capture, text);
	ck_assert_msg(strcmp(text, s->hash) == 0,
			"%s: version %u, %u frames, %u keys, %u events, %u pictures, %s", s->path,
			i.version, i.frames, i.keys, i.elements, expected, text);
	ck_assert_uint_eq(i.version, s->version);
	ck_assert_uint_eq(i.frames, s->frames);
	ck_assert_uint_eq(i.keys, s->keys);
	ck_assert_uint_eq(i.elements, s->events);
	ck_assert_uint_eq(expected, s->expected);
	done();
}

/* The first sample is what this very version writes. */
TEST(sample_of_missing_parts_reports_them) {
	static const struct pica_capture_lack want[] = {
		{ PICA_CAPTURE_EMPTY_LOADS, 0x20345000, 1 },
		{ PICA_CAPTURE_NO_SOURCES, 0x18210000, 3 },
		{ PICA_CAPTURE_NO_SCREENS, 0x18100000, 57 },
	};
	struct pica_capture_lack lacks[ARRAY_LEN(want)];
	ck_assert_int_eq(
			pica_capture_open(&capture, TEST_DATA "/version-1/lacks.pica", &error), 0);
	ck_assert_uint_eq(pica_capture_lacks(capture, lacks, ARRAY_LEN(want)), ARRAY_LEN(want));
	ck_assert_mem_eq(lacks, want, sizeof(want));
	done();
}

TEST(sample_of_jobs_holds_the_jobs) {
	ck_assert_int_eq(pica_capture_open(&capture, TEST_DATA "/version-1/jobs.pica", &error), 0);
	expect_box_from(0);
	uint32_t at;
	ck_assert_int_eq(pica_capture_seek(capture, 2, &at), 0);
	expect_box_from(2);
	done();
}
