/*
 * Records each scene again and compares state, events and pictures with its bundled capture
 * (tests/captures). After changing a scene, run `pica-scenes -o tests/captures`.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pica_capture.h"
#include "scenes.h"
#include "tests/folder.h"

static struct pica_capture *open_capture(const char *path) {
	struct pica_capture *c;
	struct pica_capture_error error;
	int ret = pica_capture_open(&c, path, &error);
	ck_assert_msg(ret == 0, "%s", error.message);
	return c;
}

static void compare_jobs(
		const char *name, uint64_t at, const struct pica_job *a, struct pica_job b) {
	if (a->op == PICA_OP_WRITE && b.op == PICA_OP_WRITE) {
		const void *data_a = (const void *)(uintptr_t)a->u.write.data;
		const void *data_b = (const void *)(uintptr_t)b.u.write.data;
		bool same = a->u.write.size_bytes == b.u.write.size_bytes &&
				memcmp(data_a, data_b, a->u.write.size_bytes) == 0;
		ck_assert_msg(same, "%s: event %" PRIu64 ": other data is loaded", name, at);
		b.u.write.data = a->u.write.data;
	}
	ck_assert_msg(memcmp(a, &b, sizeof(b)) == 0, "%s: event %" PRIu64 " differs", name, at);
}

static void compare_expected(const char *name, uint32_t frame, const struct pica_capture *a,
		const struct pica_capture *b) {
	uint32_t n_a, n_b;
	const struct pica_expected *e_a = pica_capture_expected(a, frame, &n_a);
	const struct pica_expected *e_b = pica_capture_expected(b, frame, &n_b);
	ck_assert_uint_eq(n_a, n_b);
	for (uint32_t i = 0; i < n_a; i++) {
		ck_assert_msg(memcmp(&e_a[i], &e_b[i], sizeof(e_a[i])) == 0,
				"%s: frame %" PRIu32 ": other pictures are expected", name, frame);
	}
}

static void compare(const struct scene *scene, struct pica_capture *a, struct pica_capture *b) {
	const char *name = scene->name;
	struct pica_capture_info info_a, info_b;
	pica_capture_info(a, &info_a);
	pica_capture_info(b, &info_b);
	ck_assert_msg(scene->run || memcmp(pica_capture_state(a), pica_capture_state(b),
				      sizeof(struct pica_state)) == 0,
			"%s: the state at the start differs", name);
	ck_assert_msg(memcmp(&info_a, &info_b, sizeof(info_a)) == 0, "%s: the counts differ", name);
	ck_assert_uint_eq(info_a.frames, scene->frames);
	struct pica_capture_event event_a, event_b;
	for (uint64_t n = 0; pica_capture_next(a, &event_a) > 0; n++) {
		ck_assert_int_eq(pica_capture_next(b, &event_b), 1);
		ck_assert_int_eq(event_a.kind, event_b.kind);
		ck_assert_uint_eq(event_a.frame, event_b.frame);
		compare_jobs(name, n, &event_a.job, event_b.job);
	}
	ck_assert_int_eq(pica_capture_next(b, &event_b), 0);
	for (uint32_t frame = 0; frame < scene->frames; frame++) {
		compare_expected(name, frame, a, b);
	}
}

static void check_bundled(const struct scene *scene, const char *folder, const char *form) {
	char recorded[sizeof(dir) + 64], bundled[1024];
	snprintf(recorded, sizeof(recorded), "%s/%s.%s", dir, scene->name, form);
	snprintf(bundled, sizeof(bundled), "%s/%s.%s", folder, scene->name, form);
	ck_assert_int_eq(scene_record(scene, recorded), 0);
	struct pica_capture *a = open_capture(recorded);
	struct pica_capture *b = open_capture(bundled);
	compare(scene, a, b);
	pica_capture_close(a);
	pica_capture_close(b);
	unlink(recorded);
}

TEST_LOOP(bundled_capture_equals_the_scenes_recording, SCENE_COUNT) {
	check_bundled(scenes[_i], CAPTURES, "pica");
}

TEST_LOOP(so_is_one_of_the_videocore, VC4_SCENE_COUNT) {
	check_bundled(&vc4_scenes[_i], CAPTURES, "pica");
}

TEST(so_is_the_sample_of_the_other_form) {
	check_bundled(&scene_triangle, OTHER_CAPTURES, "ctf.zst");
}

int main(void) {
	return run_in_folder(NULL, NULL);
}
