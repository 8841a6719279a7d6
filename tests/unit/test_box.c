/* The .pica container: data is read back, stored once, found by frame. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "box_file.h"
#include "tests/folder.h"

static char path[64];
static struct pica_state states[2];

static void open_box(void) {
	int ret = pica_capture_open(&capture, path, &error);
	ck_assert_msg(ret == 0, "%s", error.message);
}

static void make_states(void) {
	fill_state(&states[0], 1);
	fill_state(&states[1], 77);
}

TEST(written_container_reads_back) {
	make_states();
	write_box(path, states, true);
	open_box();
	ck_assert_mem_eq(pica_capture_state(capture), &states[0], sizeof(states[0]));
	struct pica_capture_info i = info();
	ck_assert_int_eq(i.form, PICA_CAPTURE_PICA);
	ck_assert_uint_eq(i.version, 1);
	ck_assert_uint_eq(i.source, PICA_CAPTURE_CTF_BYTES);
	ck_assert_uint_eq(i.missing, PICA_CAPTURE_NO_TABLES | PICA_CAPTURE_EMPTY_LOADS |
			PICA_CAPTURE_NO_DMA);
	struct pica_capture_lack lacks[3];
	ck_assert_uint_eq(pica_capture_lacks(capture, lacks, 3), 2);
	ck_assert_mem_eq(lacks, box_lacks, sizeof(box_lacks));
	ck_assert_uint_eq(pica_capture_lacks(capture, NULL, 0), 2);
	ck_assert_uint_eq(i.first_frame, 7);
	ck_assert_uint_eq(i.frames, 3);
	ck_assert_uint_eq(i.keys, 2);
	ck_assert_uint_eq(i.elements, 3 * 12 + 1);
	ck_assert_uint_eq(i.loads, 9);
	ck_assert_uint_eq(i.load_bytes, 3 * 64 + 5 + 6 + 7);
	ck_assert_uint_eq(i.reg_writes, 3);
	ck_assert_uint_eq(i.lists, 6); /* LIST, and the register */
	ck_assert_uint_eq(i.tail_elements, 1);
	ck_assert_str_eq(i.title, "a title");
	struct pica_window w[4];
	ck_assert_uint_eq(pica_capture_windows(capture, w, 4), 2);
	ck_assert_uint_eq(w[1].phys, FCRAM);
	ck_assert_uint_eq(w[1].size_bytes, MEMORY_BYTES);
	for (uint32_t frame = 0; frame < 4; frame++) {
		uint32_t n;
		const struct pica_expected *e = pica_capture_expected(capture, frame, &n);
		ck_assert_uint_eq(n, frame < 3 ? 2 : 0);
		for (uint32_t screen = 0; screen < n; screen++) {
			struct pica_expected want = box_expected(frame, screen);
			ck_assert_mem_eq(&e[screen], &want, sizeof(want));
		}
	}
	expect_box_from(0);
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	ck_assert_int_eq(pica_capture_rewind(capture), 0);
	expect_box_from(0);
	done();
}

TEST(seeking_finds_the_key_before) {
	static const uint32_t key_of[] = { 0, 0, 2, 2, 2 };
	make_states();
	write_box(path, states, true);
	open_box();
	for (int i = 9; i >= 0; i--) { /* backwards and forwards */
		const uint32_t frame = (uint32_t)(i < 5 ? i : 9 - i);
		uint32_t at = 99;
		ck_assert_int_eq(pica_capture_seek(capture, frame, &at), 0);
		ck_assert_uint_eq(at, key_of[frame]);
		ck_assert_mem_eq(pica_capture_state(capture), &states[at / 2], sizeof(states[0]));
		expect_box_from(at);
	}
	done();
}

TEST(trusted_loads_lose_their_flag) {
	make_states();
	write_box(path, states, true);
	open_box();
	pica_capture_trust_loads(capture, 1);
	for (unsigned i = 0; i < 4; i++) {
		next();
	}
	struct pica_capture_event e = next();
	ck_assert_uint_eq(e.job.u.write.addr, VRAM + 3);
	ck_assert_int_eq(e.job.flags, 0);
	done();
}

TEST(identical_data_is_stored_once) {
	static uint8_t noise[0x10000];
	struct pica_capture_writer *w;
	struct pica_capture_writer_settings settings;
	struct pica_job job = { .op = PICA_OP_WRITE };
	size_t size[2];
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof(noise); i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (uint8_t)(x >> 24);
	}
	memset(&states[0], 0, sizeof(states[0]));
	pica_capture_writer_settings_init(&settings);
	for (unsigned k = 0; k < 2; k++) {
		struct pica_window memory = {
			.phys = 0x18000000, .size_bytes = sizeof(noise), .host = noise
		};
		ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
		for (unsigned i = 0; i < (k ? 50 : 1); i++) {
			ck_assert_int_eq(pica_capture_writer_key(w, &states[0], &memory, 1), 0);
			job.u.write.addr = 0x20000000 + i * 0x10000;
			job.u.write.size_bytes = sizeof(noise);
			job.u.write.data = (uint64_t)(uintptr_t)noise;
			ck_assert_int_eq(pica_capture_writer_job(w, &job), 0);
			job.u.write.size_bytes = 4096; /* a page of the key */
			ck_assert_int_eq(pica_capture_writer_job(w, &job), 0);
			job = (struct pica_job){ .op = PICA_OP_PRESENT };
			ck_assert_int_eq(pica_capture_writer_frame(w, &job), 0);
			job.op = PICA_OP_WRITE;
		}
		ck_assert_int_eq(pica_capture_writer_finish(w), 0);
		size[k] = file_size(path);
	}
	/*
	 * The noise is stored twice: as pages and as a load. 49 more states of zeros and lists need
	 * little.
	 */
	ck_assert_uint_gt(size[0], 2 * sizeof(noise));
	ck_assert_uint_lt(size[0], 2 * sizeof(noise) + 8000);
	ck_assert_uint_lt(size[1] - size[0], 49 * 4000);
}

TEST(writer_refuses_what_readers_refuse) {
	unlink(path);
	struct pica_capture_writer *w;
	struct pica_capture_writer_settings settings;
	struct pica_job job = { .op = PICA_OP_BARRIER };
	static uint8_t page[4096];
	struct pica_window outside = { .phys = 0x30000000, .size_bytes = 4096, .host = page };
	pica_capture_writer_settings_init(&settings);
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
	ck_assert_int_eq(pica_capture_writer_job(w, &job), -EINVAL); /* no key yet; it sticks */
	ck_assert_int_eq(pica_capture_writer_key(w, &states[0], NULL, 0), -EINVAL);
	ck_assert_int_eq(pica_capture_writer_finish(w), -EINVAL);
	ck_assert_int_ne(access(path, F_OK), 0);

	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
	ck_assert_int_eq(pica_capture_writer_key(w, &states[0], &outside, 1), -ERANGE);
	pica_capture_writer_destroy(w);
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
	ck_assert_int_eq(pica_capture_writer_key(w, &states[0], NULL, 0), 0);
	job.op = 77;
	ck_assert_int_eq(pica_capture_writer_job(w, &job), -EINVAL);
	pica_capture_writer_destroy(w);
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
	ck_assert_int_eq(pica_capture_writer_key(w, &states[0], NULL, 0), 0);
	job = (struct pica_job){ .op = PICA_OP_STATS,
		.u.stats = { .data = (uintptr_t)page, .size_bytes = sizeof(struct pica_stats) } };
	ck_assert_int_eq(pica_capture_writer_job(w, &job), -EINVAL);
	pica_capture_writer_destroy(w);
	static const struct pica_capture_lack lacks[] = { { 0, 0, 1 }, { 3, 0, 1 }, { 4, 0, 0 } };
	for (unsigned i = 0; i < ARRAY_LEN(lacks); i++) {
		ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
		ck_assert_int_eq(pica_capture_writer_lack(w, &lacks[i]), -EINVAL);
		pica_capture_writer_destroy(w);
	}
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), 0);
	ck_assert_int_eq(pica_capture_writer_lack(w, &box_lacks[0]), 0);
	ck_assert_int_eq(pica_capture_writer_lack(w, &box_lacks[0]), -EINVAL); /* a second time */
	pica_capture_writer_destroy(w);
	outside.flags = PICA_MAP_READ_ONLY;
	settings.windows = &outside;
	settings.n_windows = 1;
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), -EOPNOTSUPP);
	settings.size--;
	ck_assert_int_eq(pica_capture_writer_create(&w, path, &settings), -EINVAL);
	pica_capture_writer_settings_init(&settings);
	ck_assert_int_eq(pica_capture_writer_create(&w, "/dev/null", &settings), -EINVAL);
	ck_assert_int_eq(
			pica_capture_writer_create(&w, "/tmp/test_box.none/x", &settings), -ENOENT);
	pica_capture_writer_destroy(NULL);
}

/* A disk that is full, as far as a process can make one. */
TEST(no_space_leaves_the_old_file) {
	static uint8_t noise[1 << 20];
	struct pica_capture_writer *w;
	struct pica_capture_writer_settings settings;
	struct pica_job job = { .op = PICA_OP_WRITE };
	struct rlimit old, small;
	make_states();
	write_box(path, states, true);
	const size_t size = file_size(path);
	for (size_t i = 0; i < sizeof(noise); i++) {
		noise[i] = (uint8_t)(i * i >> 3);
	}
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100000;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	pica_capture_writer_settings_init(&settings);
	int ret = pica_capture_writer_create(&w, path, &settings);
	ck_assert_int_eq(ret, 0);
	ret = pica_capture_writer_key(w, &states[0], NULL, 0);
	for (unsigned i = 0; i < 64 && ret == 0; i++) {
		job.u.write.addr = 0x20000000;
		job.u.write.size_bytes = sizeof(noise) - i;
		job.u.write.data = (uint64_t)(uintptr_t)(noise + i);
		ret = pica_capture_writer_job(w, &job);
	}
	ck_assert_int_eq(pica_capture_writer_finish(w), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert_int_eq(ret, -EFBIG);
	ck_assert_uint_eq(file_size(path), size);
	open_box();
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	done();
}

TEST(a_link_stays_a_link) {
	char link[80];
	struct stat st;
	make_states();
	write_box(path, states, true);
	snprintf(link, sizeof(link), "%s.link", path);
	ck_assert_int_eq(symlink(path, link), 0);
	write_box(link, states, true);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	unlink(link);
}

static int in_folder(void) {
	return run_in_folder(path, "box.pica");
}
SUITE_MAIN(in_folder)
