/* Metrics: the counters of the service, and access to them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "triangle.h"
#include "tests/suite.h"

static struct pica_client *client;
static struct pica_client_ctx *ctx;
static struct pica_client_memory *vram, *fcram;

/* The text, which is a test's to free. */
static char *metrics(void) {
	struct pica_msg_object m = { .head.type = PICA_MSG_METRICS };
	struct pica_msg_text answer;
	int fd = -1;
	ck_assert_int_eq(client_request(client, &m, sizeof(m), -1, PICA_MSG_TEXT, &answer,
					 sizeof(answer), &fd),
			0);
	char *text = calloc(1, answer.size_bytes + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(read(fd, text, answer.size_bytes + 1), (ssize_t)answer.size_bytes);
	ck_assert_int_eq(fcntl(fd, F_GET_SEALS),
			F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
	close(fd);
	return text;
}

/* The number after a name with its labels. */
static double value(const char *text, const char *name) {
	char line[200];
	snprintf(line, sizeof(line), "\n%s ", name);
	const char *at = strstr(text, line);
	ck_assert_msg(at != NULL, "%s is not there", name);
	return strtod(at + strlen(line), NULL);
}

static int32_t run(uint16_t op, uint32_t size_bytes) {
	struct pica_job *job = pica_client_slot(ctx);
	struct pica_done done;
	job->op = op;
	job->u.list.addr = LIST;
	job->u.list.size_bytes = size_bytes;
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(pica_client_wait(client, &done, 1, -1), 1);
	return done.result;
}

static void open_client(const char *where) {
	char message[PICA_TEXT_BYTES];
	ck_assert_int_eq(pica_client_connect(&client, where, NULL, message), 0);
	ck_assert_int_eq(pica_client_ctx_create(&ctx, client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&vram, ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&fcram, ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

TEST_LOOP(work_is_counted, 2) {
	open_client(_i ? "builtin:2" : "builtin:");
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 3);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(run(PICA_OP_LIST, size_bytes), 0);
	}
	ck_assert_int_eq(run(PICA_OP_LIST, 7), -EINVAL);
	ck_assert_int_eq(run(999, 0), -EINVAL);
	char *text = metrics();
	ck_assert_double_eq(value(text, "picad_jobs_total{op=\"list\",result=\"ok\"}"), 5);
	ck_assert_double_eq(value(text, "picad_jobs_total{op=\"list\",result=\"invalid\"}"), 1);
	ck_assert_double_eq(value(text, "picad_jobs_total{op=\"unknown\",result=\"invalid\"}"), 1);
	ck_assert_double_eq(value(text, "picad_pixels_total"), 5 * 3 * TRIANGLE_PIXELS);
	ck_assert_double_eq(value(text, "picad_vertices_total"), 5 * 3 * 3);
	/* FINALIZE ends a list before the words that fill it up. */
	double words = value(text, "picad_list_words_total") / 5;
	ck_assert_double_le(words, size_bytes / 4);
	ck_assert_double_gt(words, size_bytes / 4 - 4);
	ck_assert_double_eq(value(text, "picad_sessions"), 1);
	ck_assert_double_eq(value(text, "picad_contexts"), 1);
	ck_assert_double_eq(value(text, "picad_regions"), 2);
	ck_assert_double_eq(value(text, "picad_memory_bytes"), VRAM_BYTES + FCRAM_BYTES);
	ck_assert_double_eq(value(text, "picad_jobs_queued"), 0);
	/* Refused requests took no time. */
	ck_assert_double_eq(value(text, "picad_job_latency_seconds_count"), 5);
	ck_assert_double_eq(value(text, "picad_job_latency_seconds_bucket{le=\"+Inf\"}"), 5);
	double cpu = value(text, "picad_cpu_seconds_total");
	ck_assert_double_gt(cpu, 0);
	ck_assert_double_le(cpu, value(text, "process_cpu_seconds_total"));
	free(text);
	/* A context's numbers stay when it goes. */
	pica_client_free(vram);
	pica_client_free(fcram);
	ck_assert_int_eq(pica_client_ctx_destroy(ctx), 0);
	text = metrics();
	ck_assert_double_eq(value(text, "picad_contexts"), 0);
	ck_assert_double_eq(value(text, "picad_pixels_total"), 5 * 3 * TRIANGLE_PIXELS);
	ck_assert_double_ge(value(text, "picad_cpu_seconds_total"), cpu);
	free(text);
	pica_client_close(client);
}

/* Each line is a comment or NAME{LABELS} NUMBER, each name has its type before. */
TEST(text_is_well_formed) {
	open_client("builtin:");
	char *text = metrics(), *rest = text, *line, type[100] = "";
	unsigned n = 0;
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	while ((line = strsep(&rest, "\n")) && rest) {
		if (strncmp(line, "# TYPE ", 7) == 0) {
			ck_assert_int_eq(sscanf(line, "# TYPE %99s", type), 1);
		} else if (line[0] != '#') {
			char *end, *space = strrchr(line, ' ');
			ck_assert_ptr_nonnull(space);
			ck_assert_int_eq(strncmp(line, type, strlen(type)), 0);
			strtod(space + 1, &end);
			ck_assert_int_eq(*end, 0);
			n++;
		}
	}
	ck_assert_uint_gt(n, 30);
	free(text);
	pica_client_close(client);
}

TEST(sessions_have_lines_of_their_own) {
	char name[100];
	open_client("builtin:");
	ck_assert_int_eq(run(PICA_OP_LIST, triangle_list(pica_client_host(fcram), 1)), 0);
	char *text = metrics();
	snprintf(name, sizeof(name),
			"picad_session_pixels_total{session=\"%llu\",name=\"test_metrics\"}",
			(unsigned long long)pica_client_welcome(client)->session);
	ck_assert_double_eq(value(text, name), TRIANGLE_PIXELS);
	free(text);
	pica_client_close(client);
}
