/* Recordings of sessions, on both loops: complete files, and limits. */
#include <sys/resource.h>

#include "service/reaper.h"
#include "recording_rig.h"
#include "tests/unit/vc4_seed.h"

FIXTURE(default_settings, NULL)

TEST_LOOP(requested_sessions_are_recorded, N_LOOPS) {
	const uint32_t size_bytes = open_both(loops[_i], false, 2);
	frame(size_bytes);
	ck_assert_int_eq(record_me(1), 0);
	for (unsigned i = 0; i < 3; i++) {
		frame(size_bytes);
	}
	ck_assert_int_eq(record_me(0), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_record(client, 12345, 1), -ENOENT);
	ck_assert_str_eq(pica_client_error(client), "no such session");
	const struct found f = close_both();
	ck_assert_uint_eq(f.files, 1);
	ck_assert_uint_eq(f.frames, 3);
	ck_assert_uint_eq(f.lists, 3);
}

TEST_LOOP(a_change_of_the_memory_map_or_state_begins_another_file, N_LOOPS) {
	struct pica_client_memory *more;
	struct pica_state *state = malloc(sizeof(*state));
	ck_assert_ptr_nonnull(state);
	const uint32_t size_bytes = open_both(loops[_i], true, 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_map(&more, ctx, 0x30000000, 0x1000, 0), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_save_state(ctx, state), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_load_state(ctx, state), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_free(more), 0);
	frame(size_bytes);
	const struct found f = close_both();
	ck_assert_uint_eq(f.files, 4);
	ck_assert_uint_eq(f.frames, 5);
	free(state);
}

TEST_LOOP(a_session_that_is_cut_off_leaves_a_whole_file, N_LOOPS) {
	open_service(loops[_i], true, 2);
	for (unsigned i = 0; i < 10; i++) {
		open_client();
		uint32_t size_bytes = triangle_list(pica_client_host(fcram), 20);
		if (i) {
			frame(size_bytes);
		}
		for (unsigned k = 0; k < 40; k++) {
			add_job(k % 5 ? PICA_OP_LIST : PICA_OP_PRESENT, size_bytes);
		}
		ck_assert_int_eq(pica_client_submit(client), 40);
		/* with jobs in flight, or the recording about to begin */
		pica_client_close(client);
	}
	close_service();
	struct found f = take_files();
	ck_assert_uint_ge(f.files, 9);
	ck_assert_uint_ge(f.frames, 9);
}

TEST_LOOP(a_full_disk_ends_the_recording_alone, N_LOOPS) {
	struct rlimit old, small;
	const uint32_t size_bytes = open_both(loops[_i], true, 2);
	frame(size_bytes);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (unsigned i = 0; i < 10; i++) {
		noisy_frame(size_bytes);
	}
	/* The next one fails as it begins. */
	ck_assert_int_eq(record_me(1), 0);
	frame(size_bytes);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
	frame(size_bytes);
	const struct found f = close_both();
	ck_assert_uint_le(f.files, 1); /* of the time after, if any */
}

/* Makes a recording, or is refused one. */
static void come_and_go(void) {
	const unsigned before = recorded + over_quota;
	open_client();
	frame(triangle_list(pica_client_host(fcram), 1));
	pica_client_close(client);
	while (recorded + over_quota == before) {
		usleep(1000);
	}
}

/* Each client makes one, until its user's limit; removed files no longer count. */
TEST_LOOP(files_and_bytes_of_recordings_are_limited, 4 * N_LOOPS) {
	enum { USER_FILES, USER_BYTES, ALL_BYTES, ALL_FILES };
	const unsigned limit = (unsigned)_i / N_LOOPS;
	const unsigned most = limit == USER_FILES || limit == ALL_FILES ? 2 : 1;
	/* a recording takes an eighth of it, at least 1 MiB */
	const uint64_t bytes = (8 << 20) + 1;
	settings.record_user_files = limit == USER_FILES ? most : 0;
	settings.record_user_bytes = limit == USER_BYTES ? bytes : 0;
	settings.record_total_bytes = limit == ALL_BYTES ? bytes : settings.record_total_bytes;
	open_service(loops[_i % N_LOOPS], true, 2);
	if (limit == ALL_FILES) {
		pthread_mutex_lock(&server->archive->mutex);
		server->archive->most_kept = most;
		pthread_mutex_unlock(&server->archive->mutex);
	}
	for (unsigned i = 0; i < most + 2; i++) {
		come_and_go();
		ck_assert_uint_eq(recorded, i < most ? i + 1 : most);
	}
	ck_assert_uint_eq(count_files(true), most);
	come_and_go();
	ck_assert_uint_eq(recorded, most + 1);
	close_service();
	ck_assert_uint_eq(over_quota, 2);
	ck_assert_uint_eq(take_files().files, 1);
}

/* A client cannot reconnect before its contexts are destroyed, either. */
TEST_LOOP(dying_contexts_of_a_user_are_limited_across_sessions, N_LOOPS) {
	settings.limits.contexts = 1;
	open_service(loops[_i], true, 2);
	for (unsigned i = 0; i < 4; i++) {
		open_client();
		/* the reaper decrements its count a little later; its mutex makes the other count
		 * visible */
		ck_assert_uint_le(reaper_pending(server->reaper), 1);
		ck_assert_uint_eq(i ? atomic_load(&server->accounts->contexts) : 0, 0);
		frame(triangle_list(pica_client_host(fcram), 1));
		add_job(PICA_OP_LIST, heavy_list(pica_client_host(fcram), 8));
		ck_assert_int_eq(pica_client_submit(client), 1);
		ck_assert_int_eq(record_me(1), 0); /* comes after the job */
		pica_client_close(client);
	}
	close_service();
	ck_assert_uint_eq(take_files().files, 4);
}

/* The quota has room for an eighth of the memory beside the regions: too little for a quarter. */
TEST_LOOP(memory_of_recordings_counts_for_their_session, 2 * N_LOOPS) {
	enum { AT = FCRAM_BYTES / 4 * 3, BYTES = FCRAM_BYTES / 4 };
	const bool is_late = _i >= N_LOOPS; /* it is filled when the recording has begun */
	settings.limits.memory_bytes = VRAM_BYTES + FCRAM_BYTES + FCRAM_BYTES / 8;
	const uint32_t size_bytes = open_both(loops[_i % N_LOOPS], false, 2);
	memset((uint8_t *)pica_client_host(fcram) + AT, 0x55, is_late ? 0 : BYTES);
	ck_assert_int_eq(record_me(1), 0);
	frame(size_bytes);
	memset((uint8_t *)pica_client_host(fcram) + AT, 0x55, BYTES);
	read_memory(AT, 512);
	frame(size_bytes);
	ck_assert_int_eq(record_me(0), 0);
	frame(size_bytes);
	pica_client_close(client);
	close_service();
	ck_assert_uint_eq(over_memory, 1);
	ck_assert_uint_eq(take_files().files, 0);
}

TEST_LOOP(files_of_a_session_have_an_end, N_LOOPS) {
	struct pica_client_memory *more;
	const uint32_t size_bytes = open_both(loops[_i], true, 2);
	for (unsigned i = 0; i < RECORDINGS_A_SESSION + 5; i++) {
		frame(size_bytes);
		ck_assert_int_eq(pica_client_map(&more, ctx, 0x30000000, 0x1000, 0), 0);
		ck_assert_int_eq(pica_client_free(more), 0);
		/* Not faster than the disk: its user may have only so many unfinished ones. */
		while (count_files(false) + RECORDINGS_A_USER / 2 <= i) {
			usleep(1000);
		}
	}
	const struct found f = close_both();
	ck_assert_uint_eq(f.files, RECORDINGS_A_SESSION);
	ck_assert_uint_eq(f.frames, RECORDINGS_A_SESSION);
}

/* Destroys contexts before, while and after their recordings begin. */
TEST_LOOP(contexts_end_while_their_recordings_begin, N_LOOPS) {
	const uint32_t size_bytes = open_both(loops[_i], true, 2);
	pica_client_free(vram);
	pica_client_free(fcram);
	pica_client_ctx_destroy(ctx);
	for (unsigned i = 0; i < 60; i++) {
		struct pica_done done;
		ck_assert_int_eq(pica_client_ctx_create(&ctx, client, NULL), 0);
		ck_assert_int_eq(pica_client_map(&fcram, ctx, FCRAM, FCRAM_BYTES, 0), 0);
		add_job(PICA_OP_LIST, size_bytes);
		ck_assert_int_eq(pica_client_submit(client), 1);
		struct timespec t = { 0, 100000 * (long)(i % 16) };
		nanosleep(&t, NULL);
		/* Not by the library, which has the memory freed before. */
		ck_assert_int_eq(client_act(client, PICA_MSG_CONTEXT_DESTROY,
						 pica_client_ctx_handle(ctx), 0), 0);
		ck_assert_int_eq(pica_client_wait(client, &done, 1, -1), 1);
		ck_assert_int_eq(pica_client_free(fcram), 0);
	}
	const struct found f = close_both();
	ck_assert_uint_ge(f.files, 1);
	ck_assert_uint_le(f.files, 60);
}

/* Replays the only file, and copies its memory, of the seed's size, to memory. */
static void replay_only_file(uint8_t *memory) {
	struct dirent **entries;
	char name[400];
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct pica_capture_event event;
	struct pica_settings of_device;
	struct pica_ctx_settings of_ctx;
	struct pica_device *device;
	struct pica_ctx *replay;
	uint64_t seq;
	ck_assert_int_eq(scandir(folder, &entries, is_capture, NULL), 1);
	snprintf(name, sizeof(name), "%s/%s", folder, entries[0]->d_name);
	free(entries[0]);
	free(entries);
	ck_assert_msg(pica_capture_open(&capture, name, &error) == 0, "%s", error.message);
	pica_capture_ctx_settings(capture, &of_ctx);
	ck_assert_int_eq(of_ctx.chip, PICA_CHIP_VC4);
	pica_settings_init(&of_device);
	ck_assert_int_eq(pica_device_create(&device, &of_device), 0);
	ck_assert_int_eq(pica_ctx_create(&replay, device, &of_ctx), 0);
	ck_assert_int_eq(pica_capture_load(capture, replay), 0);
	while (pica_capture_next(capture, &event) > 0) {
		ck_assert_int_eq(pica_submit(replay, &event.job, 1, &seq), 0);
		ck_assert_int_eq(pica_wait(replay, seq, -1), 0);
	}
	ck_assert_int_eq(pica_ctx_read_memory(replay, SEED_BASE, memory, SEED_BYTES), 0);
	pica_ctx_destroy(replay);
	pica_device_destroy(device);
	pica_capture_close(capture);
}

/* The article's triangle, then one with other corners, since programs may change memory without
 * notice. */
TEST_LOOP(a_context_of_the_videocore_is_recorded, N_LOOPS) {
	struct pica_client_ctx_settings of_ctx;
	struct pica_client_memory *arena;
	uint8_t *memory = malloc(SEED_BYTES), *replayed = malloc(SEED_BYTES);
	ck_assert(memory && replayed);
	open_service(loops[_i], false, 2);
	open_client();
	pica_client_ctx_settings_init(&of_ctx);
	of_ctx.chip = PICA_CHIP_VC4;
	ck_assert_int_eq(pica_client_ctx_create(&ctx, client, &of_ctx), 0);
	ck_assert_int_eq(pica_client_map(&arena, ctx, SEED_BASE, SEED_BYTES, 0), 0);
	uint8_t *host = pica_client_host(arena);
	seed_fill(host, false);
	ck_assert_int_eq(record_me(1), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct pica_job *job = pica_client_slot(ctx);
		job->op = PICA_OP_CONTROL_LISTS;
		job->u.control_lists = (struct pica_job_control_lists){ SEED_BINNING,
			SEED_BINNING_END, SEED_RENDERING, SEED_RENDERING_END, { 0 } };
		wait_all();
		const uint32_t crc = seed_crc32(host + SEED_TARGET - SEED_BASE, SEED_PICTURE_BYTES);
		ck_assert((crc == SEED_CRC) == (i == 0));
		memcpy(memory, host, SEED_BYTES);
		put_hex(host + 0x900, "0014 0008"); /* the apex, which is lower now */
	}
	pica_client_close(client);
	close_service();
	replay_only_file(replayed);
	ck_assert_mem_eq(replayed, memory, SEED_BYTES);
	const struct found f = take_files();
	ck_assert_uint_eq(f.files, 1);
	ck_assert_uint_eq(f.frames, 2);
	free(memory);
	free(replayed);
}

TEST(without_a_folder_it_is_refused) {
	char message[PICA_TEXT_BYTES];
	struct pica_client_settings of_client;
	pica_client_settings_init(&of_client);
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &of_client, message), 0);
	ck_assert_uint_eq(pica_client_welcome(client)->features & PICA_FEATURE_BIT_RECORD, 0);
	ck_assert_int_eq(record_me(1), -EOPNOTSUPP);
	pica_client_close(client);
	of_client.required = PICA_FEATURE_BIT_RECORD;
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &of_client, message),
			-EOPNOTSUPP);
}

/* Last, since it leaves threads that draw when it has a process of its own. */
TEST(service_ends_while_work_takes_long) {
	struct pica_done done;
	settings.stop_ns = 500000000;
	open_service(LOOP_AUTO, true, 2);
	open_client();
	frame(triangle_list(pica_client_host(fcram), 1));
	add_job(PICA_OP_LIST, heavy_list(pica_client_host(fcram), 11000));
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(record_me(1), 0); /* comes after the job */
	close_service();
	ck_assert_uint_eq(stopped_early, 1);
	ck_assert(pica_client_wait(client, &done, 1, -1) != 1 || done.result < 0);
	pica_client_close(client);
}
