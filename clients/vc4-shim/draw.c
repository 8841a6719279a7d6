#include "draw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pica_client.h"

struct drawer {
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *memory;
};

static const char *reason(const struct drawer *d, int error) {
	const char *text = pica_client_error(d->client);
	return *text ? text : strerror(-error);
}

int drawer_create(struct drawer **out, const char *where, uint32_t base, uint32_t size_bytes) {
	struct pica_client_settings settings;
	struct pica_client_ctx_settings of_ctx;
	char message[PICA_TEXT_BYTES] = "";
	struct drawer *d = calloc(1, sizeof(*d));
	if (!d) {
		return -ENOMEM;
	}
	pica_client_settings_init(&settings);
	settings.required = PICA_FEATURE_BIT_CHIPS;
	int ret = pica_client_connect(&d->client, where, &settings, message);
	if (ret < 0) {
		fprintf(stderr, "libpica-vc4-shim: service%s%s: %s\n", where ? " " : "",
				where ? where : "", *message ? message : strerror(-ret));
		goto err;
	}
	pica_client_ctx_settings_init(&of_ctx);
	of_ctx.chip = PICA_CHIP_VC4;
	ret = pica_client_ctx_create(&d->ctx, d->client, &of_ctx);
	ret = ret < 0 ? ret : pica_client_map(&d->memory, d->ctx, base, size_bytes, 0);
	if (ret < 0) {
		fprintf(stderr, "libpica-vc4-shim: %" PRIu32 " bytes of the service's memory: %s\n",
				size_bytes, reason(d, ret));
		goto err;
	}
	*out = d;
	return 0;

err:
	drawer_destroy(d);
	return ret;
}

void drawer_destroy(struct drawer *d) {
	if (d) {
		pica_client_close(d->client);
		free(d);
	}
}

int drawer_memory_fd(const struct drawer *d) {
	return pica_client_memory_fd(d->memory);
}

static void complain(const struct kernel_job *job, const struct pica_done *done) {
	char place[64] = "";
	const char *budget = NULL;
	if (done->flags & PICA_DONE_PLACE) {
		snprintf(place, sizeof(place), "%s list, offset %" PRIu32 ": ",
				done->flags & PICA_DONE_RENDERING ? "rendering" : "binning",
				done->flags >> PICA_DONE_PLACE_SHIFT);
	} else if (done->result == -EDQUOT) {
		budget = pica_budget_name(done->flags);
	}
	fprintf(stderr, "libpica-vc4-shim: submission %" PRIu64 ": %s%s%s%s\n", job->number, place,
			strerror(-done->result), budget ? ": budget of " : "",
			budget ? budget : "");
}

int drawer_run(struct drawer *d, const struct kernel_job *job) {
	struct pica_job *slot = pica_client_slot(d->ctx);
	struct pica_done done = { .result = 0 };
	int ret = -ECONNRESET;
	if (slot) {
		slot->op = PICA_OP_CONTROL_LISTS;
		slot->u.control_lists = (struct pica_job_control_lists){ job->ct0ca, job->ct0ea,
			job->ct1ca, job->ct1ea, { 0 } };
		ret = pica_client_submit(d->client);
		ret = ret < 0 ? ret : pica_client_wait(d->client, &done, 1, -1);
	}
	if (ret < 0) {
		fprintf(stderr, "libpica-vc4-shim: submission %" PRIu64 ": the service: %s\n",
				job->number, reason(d, ret));
		return -EIO;
	}
	if (done.result < 0) {
		complain(job, &done);
	}
	return done.result;
}
