/* For tests of quotas: clients that draw with a service in this process. */
#ifndef TESTS_SERVICE_QUOTA_RIG_H
#define TESTS_SERVICE_QUOTA_RIG_H

#include "service_rig.h"

struct one {
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *vram, *fcram;
};

static struct server_settings settings;

/* Before each test. */
static void default_settings(void) {
	server_settings_init(&settings);
	settings.device.n_threads = 2;
}

PICA_UNUSED static void open_service(enum loop_kind loop) {
	settings.loop = loop;
	begin_service(&settings);
}

static void open_one(struct one *o) {
	char message[PICA_TEXT_BYTES];
	ck_assert_int_eq(pica_client_connect(&o->client, path, NULL, message), 0);
	ck_assert_int_eq(pica_client_ctx_create(&o->ctx, o->client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&o->vram, o->ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&o->fcram, o->ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

static void put_list(struct one *o, uint32_t size_bytes) {
	struct pica_job *job = pica_client_slot(o->ctx);
	ck_assert_ptr_nonnull(job);
	job->op = PICA_OP_LIST;
	job->u.list.addr = LIST;
	job->u.list.size_bytes = size_bytes;
}

static struct pica_done run_list(struct one *o, uint32_t size_bytes) {
	struct pica_done done;
	put_list(o, size_bytes);
	ck_assert_int_eq(pica_client_submit(o->client), 1);
	ck_assert_int_eq(pica_client_wait(o->client, &done, 1, -1), 1);
	return done;
}

PICA_UNUSED static void draw_triangle(struct one *o) {
	memset(pica_client_host(o->vram), 0, SIDE * SIDE * 4);
	ck_assert_int_eq(run_list(o, triangle_list(pica_client_host(o->fcram), 1)).result, 0);
	ck_assert_uint_eq(triangle_count(pica_client_host(o->vram)), TRIANGLE_PIXELS);
}

/* Closes its client and the service. */
PICA_UNUSED static void close_both(struct one *o) {
	pica_client_close(o->client);
	close_service();
}

/* A number of the service, as an administrator gets it. */
PICA_UNUSED static double metric(struct one *o, const char *name) {
	char line[100], *text;
	ck_assert_int_eq(pica_client_metrics(o->client, &text), 0);
	snprintf(line, sizeof(line), "\n%s ", name);
	const char *at = strstr(text, line);
	ck_assert_msg(at != NULL, "%s is not there", name);
	double value = strtod(at + strlen(line), NULL);
	free(text);
	return value;
}

#endif
