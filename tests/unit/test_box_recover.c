/* Recovery of damaged containers: frames that are complete, and the losses of the others. */
#include "box_damage.h"

static void store(const uint8_t *bytes, size_t size) {
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

/* Returns where chunk n (from 0) of a kind begins in `good`. */
static size_t nth_chunk(uint32_t fourcc, unsigned n) {
	for (size_t at = BOX_HEADER; at < good_size;) {
		struct box_chunk head;
		const size_t next_at = after_chunk(good, at, &head);
		if (head.fourcc == fourcc && n-- == 0) {
			return at;
		}
		at = next_at;
	}
	ck_abort_msg("no such chunk");
}

/* The rest of a file is a beginning of it, of any length. */
TEST(recovery_returns_whole_frames) {
	load_good(NULL);
	unsigned recovered = 0;
	uint32_t last = 0;
	for (size_t size = 0; size <= good_size; size++) {
		if (size < good_size && !is_tried(size)) {
			continue;
		}
		store(good, size);
		int ret = pica_capture_recover(&capture, path, &error);
		if (ret < 0) {
			/* more bytes, not less to see */
			ck_assert_msg(recovered == 0, "%zu: %s", size, error.message);
			continue;
		}
		ck_assert_int_eq(ret, size < good_size);
		recovered++;
		struct pica_capture_info i = info();
		ck_assert_int_eq((i.missing & PICA_CAPTURE_LOST_END) != 0, size < good_size);
		ck_assert_msg(size == good_size || names_place(error.message), "%s", error.message);
		ck_assert_uint_ge(i.frames, last);
		last = i.frames;
		struct pica_capture_event e;
		uint32_t frames = 0, n;
		while ((ret = pica_capture_next(capture, &e)) > 0) {
			frames += e.kind == PICA_CAPTURE_FRAME;
		}
		ck_assert_msg(ret == 0 && frames == i.frames, "%zu: %s", size,
				pica_capture_error(capture)->message);
		pica_capture_expected(capture, frames, &n);
		ck_assert_uint_eq(n, 0);
		ck_assert_int_eq(pica_capture_verify(capture), 0);
		done();
	}
	ck_assert_uint_gt(recovered, 100);
	ck_assert_uint_eq(last, BOX_FRAMES);

	/* A flip in the middle: the part before it. In the header: everything. */
	bad[nth_chunk(BOX_KEYF, 1) + BOX_CHUNK] ^= 4;
	store(bad, good_size);
	/* The index is intact: opening detects no damage, but reading does. */
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	uint32_t at;
	ck_assert_int_eq(pica_capture_seek(capture, 2, &at), -EINVAL);
	ck_assert_ptr_nonnull(strstr(pica_capture_error(capture)->message, "KEYF chunk"));
	ck_assert_int_eq(pica_capture_verify(capture), -EINVAL);
	done();
	/* All events are there: only a key is lost. */
	ck_assert_int_eq(pica_capture_recover(&capture, path, &error), 1);
	ck_assert_ptr_nonnull(strstr(error.message, "KEYF chunk"));
	ck_assert_uint_eq(info().missing & PICA_CAPTURE_LOST_END, 0);
	ck_assert_uint_eq(info().frames, BOX_FRAMES);
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	expect_box_from(0);
	done();
	memcpy(bad, good, good_size);
	bad[20] ^= 4;
	store(bad, good_size);
	ck_assert_int_eq(pica_capture_recover(&capture, path, &error), 1);
	ck_assert_ptr_nonnull(strstr(error.message, "header"));
	expect_box_from(0);
	done();
	drop_good();
}

/* The events of frame 2, which is the first one now. */
static void expect_last_frame(void) {
	struct pica_job jobs[16];
	const unsigned n = box_jobs(2, jobs);
	uint32_t n_expected;
	ck_assert_uint_eq(info().frames, 1);
	ck_assert_uint_eq(info().first_frame, 7 + 2);
	ck_assert_uint_eq(info().keys, 1);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(next().kind, PICA_CAPTURE_MEMORY);
	}
	for (unsigned i = 0; i < n; i++) {
		const struct pica_capture_event e = next();
		ck_assert_uint_eq(e.frame, 0);
		ck_assert_int_eq(e.job.op, jobs[i].op);
	}
	expect_frame(0);
	ck_assert_int_eq(next().job.op, PICA_OP_BARRIER);
	expect_end();
	const struct pica_expected *e = pica_capture_expected(capture, 0, &n_expected);
	ck_assert_uint_eq(n_expected, 2);
	const struct pica_expected want = box_expected(2, 0);
	ck_assert_mem_eq(e->hash, want.hash, sizeof(want.hash));
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	ck_assert_int_eq(pica_capture_rewind(capture), 0);
	ck_assert_int_eq(next().kind, PICA_CAPTURE_MEMORY);
}

/* Frames 0 and 1 are of one chunk of events, frame 2 begins with a key. */
TEST(a_part_after_damage_can_be_saved) {
	struct pica_capture_part parts[2];
	static const uint32_t kinds[] = { BOX_EVTS, BOX_KEYF, BOX_GEOM, BOX_MEMP };
	load_good(NULL);
	for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
		memcpy(bad, good, good_size);
		bad[nth_chunk(kinds[i], 0) + BOX_CHUNK] ^= 1;
		store(bad, good_size);
		ck_assert_int_eq(pica_capture_recover(&capture, path, &error), 1);
		ck_assert_msg(names_place(error.message), "%s", error.message);
		ck_assert_uint_eq(pica_capture_parts(capture, parts, 2), 1);
		ck_assert_uint_eq(parts[0].first, 2);
		ck_assert_uint_eq(parts[0].frames, 1);
		ck_assert_uint_eq(parts[0].is_open, 1);
		expect_last_frame();
		done();
		ck_assert_int_eq(pica_capture_recover_at(&capture, path, 1, &error), -EINVAL);
		ck_assert_msg(strstr(error.message, "frame 1 is damaged or missing: whole frames: 2-2"),
				"%s", error.message);
	}
	/* The last events are lost, or what they name: the frames before. */
	for (unsigned i = 0; i < 2; i++) {
		memcpy(bad, good, good_size);
		bad[nth_chunk(BOX_EVTS, 1) + BOX_CHUNK + i] ^= 1;
		store(bad, good_size);
		ck_assert_int_eq(pica_capture_recover_at(&capture, path, i, &error), 1);
		ck_assert_uint_eq(info().frames, 2);
		ck_assert(info().missing & PICA_CAPTURE_LOST_END);
		ck_assert_uint_eq(pica_capture_lacks(capture, NULL, 0), 2);
		ck_assert_int_eq(pica_capture_verify(capture), 0);
		done();
		ck_assert_int_eq(pica_capture_recover_at(&capture, path, 2, &error), -EINVAL);
	}
	/* Without the end there is the beginning alone. */
	store(good, good_size - 1);
	ck_assert_int_eq(pica_capture_recover_at(&capture, path, 2, &error), 1);
	ck_assert_uint_eq(pica_capture_parts(capture, parts, 2), 0);
	done();
	ck_assert_int_eq(pica_capture_recover_at(&capture, path, 3, &error), -EINVAL);
	/* Of a whole file every frame is. */
	store(good, good_size);
	ck_assert_int_eq(pica_capture_recover_at(&capture, path, 2, &error), 0);
	expect_box_from(0);
	done();
	drop_good();
}

/* A chunk of data that is lost costs the events that need it. */
TEST(lost_data_costs_events_that_need_it) {
	unsigned saved = 0;
	load_good(NULL);
	for (size_t at = BOX_HEADER; at < good_size;) {
		struct box_chunk head;
		const size_t next_at = after_chunk(good, at, &head);
		if (head.fourcc == BOX_BLOB) {
			memcpy(bad, good, good_size);
			bad[at + BOX_CHUNK] ^= 1;
			store(bad, good_size);
			const int ret = pica_capture_recover(&capture, path, &error);
			ck_assert_msg(strstr(error.message, "BLOB chunk"), "%s", error.message);
			if (ret >= 0) {
				struct pica_capture_event e;
				int more;
				while ((more = pica_capture_next(capture, &e)) > 0) {
				}
				ck_assert_int_eq(more, 0);
				ck_assert_int_eq(pica_capture_verify(capture), 0);
				saved++;
				done();
			}
		}
		at = next_at;
	}
	ck_assert_uint_gt(saved, 0);
	drop_good();
}

static int in_folder(void) {
	return run_in_folder(path, "box.pica");
}
SUITE_MAIN(in_folder)
