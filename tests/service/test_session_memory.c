/* Memory that the engine uses for sessions: counted, limited, given back. */
#include <errno.h>

#include "pica_emit.h"
#include "quota_rig.h"

static char unit_line[200]; /* of the log */

static void find_unit_line(void *user, enum log_level level, const char *line) {
	if (strstr(line, "memory of a unit")) {
		snprintf(unit_line, sizeof(unit_line), "%s", line);
	}
}

FIXTURE(default_settings, NULL)

/* Regions leave nothing of the quota: what the engine needs goes as soon as it can. */
TEST_LOOP(a_session_at_its_limit_draws_the_same, 2 * N_LOOPS) {
	const bool is_users = _i >= N_LOOPS;
	struct one o[2];
	double engine_bytes[2];
	for (unsigned i = 0; i < 2; i++) {
		if (i == 1) {
			*(is_users ? &settings.user_memory_bytes : &settings.limits.memory_bytes) =
					VRAM_BYTES + FCRAM_BYTES;
		}
		open_service(loops[_i % N_LOOPS]);
		open_one(&o[i]);
		for (unsigned k = 0; k < 2; k++) {
			const uint32_t size_bytes = heavy_list(pica_client_host(o[i].fcram), 8);
			ck_assert_int_eq(run_list(&o[i], size_bytes).result, 0);
		}
		const uint32_t *pixel = pica_client_host(o[i].vram);
		unsigned n = 0;
		for (unsigned k = 0; k < HEAVY_PIXELS; k++) {
			n += pixel[k] == 0xFF0000FF;
		}
		ck_assert_uint_eq(n, HEAVY_PIXELS);
		draw_triangle(&o[i]);
		engine_bytes[i] = metric(&o[i], "picad_engine_memory_bytes");
		close_both(&o[i]);
	}
	ck_assert_double_lt(engine_bytes[1], engine_bytes[0]);
}

TEST_LOOP(a_unit_that_needs_too_much_is_named, N_LOOPS) {
	struct pica_emit e;
	struct one o;
	settings.log = find_unit_line;
	settings.limits.memory_bytes = VRAM_BYTES + FCRAM_BYTES; /* a quarter for a unit: 2 MiB */
	unit_line[0] = 0;
	open_service(loops[_i]);
	open_one(&o);
	draw_triangle(&o);
	pica_emit_init(&e);
	pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, 0, false, (2 << 18) + 1);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	memcpy((uint8_t *)pica_client_host(o.fcram) + (LIST - FCRAM), e.words, 4 * e.count);
	const struct pica_done done = run_list(&o, (uint32_t)(4 * e.count));
	pica_emit_finish(&e);
	ck_assert_int_eq(done.result, -EDQUOT);
	ck_assert_str_eq(pica_budget_name(done.flags), "memory of a unit of work");
	draw_triangle(&o);
	close_both(&o);
	ck_assert_ptr_nonnull(strstr(unit_line, "event=engine session=1 "));
	ck_assert_ptr_nonnull(strstr(unit_line, "budget of memory of a unit of work used up"));
}

static unsigned resident_kib(void) {
	char line[100];
	unsigned kib = 0;
	FILE *f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "VmRSS: %u", &kib) != 1) {
	}
	fclose(f);
	return kib;
}

/* The first rounds have made what the service keeps. */
TEST_LOOP(memory_of_sessions_is_given_back, N_LOOPS) {
	struct one o[8], observer;
	unsigned first_kib = 0, last_kib = UINT32_MAX; /* most of six rounds, least of six more */
	open_service(loops[_i]);
	ck_assert_int_eq(pica_client_connect(&observer.client, path, NULL, NULL), 0);
	for (unsigned round = 0; round < 12; round++) {
		for (unsigned i = 0; i < 8; i++) {
			open_one(&o[i]);
			put_list(&o[i], heavy_list(pica_client_host(o[i].fcram), 4));
			ck_assert_int_eq(pica_client_submit(o[i].client), 1);
		}
		ck_assert_double_gt(metric(&observer, "picad_engine_memory_bytes"), 8 * 4096);
		for (unsigned i = 0; i < 8; i++) {
			struct pica_done done;
			ck_assert_int_eq(pica_client_wait(o[i].client, &done, 1, -1), 1);
			pica_client_close(o[i].client);
		}
		while (metric(&observer, "picad_contexts") > 0 ||
				metric(&observer, "picad_contexts_ending") > 0) {
			usleep(1000);
		}
		ck_assert_double_eq(metric(&observer, "picad_engine_memory_bytes"), 0);
		const unsigned kib = resident_kib();
		first_kib = round < 6 && kib > first_kib ? kib : first_kib;
		last_kib = round >= 6 && kib < last_kib ? kib : last_kib;
	}
	ck_assert(PICA_SANITIZED || last_kib <= first_kib + first_kib / 10);
	pica_client_close(observer.client);
	close_service();
}
