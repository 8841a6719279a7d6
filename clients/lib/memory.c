/* Contexts and memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"
#include "core/base/attributes.h"

/* ---- Contexts ---- */

PICA_EXPORT void pica_client_ctx_settings_init(struct pica_client_ctx_settings *s) {
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
}

static bool settings_ok(const struct pica_client_ctx_settings *s) {
	bool ok = s->size == sizeof(*s) && s->rank >= -10 && s->rank <= 10 &&
			(unsigned)s->chip <= PICA_CHIP_VC4 &&
			!(s->flags & ~(uint32_t)PICA_CTX_ARITHMETIC) &&
			(unsigned)s->float_mode <= PICA_FLOAT_F32 &&
			(unsigned)s->combiner <= PICA_COMBINER_TRUNCATE;
	const bool is_default = s->float_mode == PICA_FLOAT_F24 &&
			s->combiner == PICA_COMBINER_NEAREST;
	for (size_t i = 0; i < sizeof(s->reserved) / sizeof(s->reserved[0]); i++) {
		ok = ok && s->reserved[i] == 0;
	}
	const bool is_own = s->flags & PICA_CTX_ARITHMETIC;
	return ok && (is_own ? s->chip == PICA_CHIP_PICA200 : is_default);
}

int context_make(struct pica_client_ctx *ctx) {
	struct pica_client *c = ctx->client;
	struct pica_msg_context_create m;
	struct pica_msg_handle answer;
	if (ctx->arithmetic && !(c->welcome.features & PICA_FEATURE_BIT_ARITHMETIC)) {
		return client_refuse(c, -EOPNOTSUPP, "the service does not offer a choice of arithmetic");
	}
	if (ctx->chip && !(c->welcome.features & PICA_FEATURE_BIT_CHIPS)) {
		return client_refuse(c, -EOPNOTSUPP, "the service does not offer a choice of chips");
	}
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_CONTEXT_CREATE;
	m.priority = ctx->rank;
	m.arithmetic = ctx->arithmetic;
	m.chip = ctx->chip;
	int ret = client_request(
			c, &m, sizeof(m), -1, PICA_MSG_HANDLE, &answer, sizeof(answer), NULL);
	if (ret == 0) {
		ctx->handle = answer.handle;
		ctx->slot = answer.slot;
	}
	return ret;
}

PICA_EXPORT int pica_client_ctx_create(struct pica_client_ctx **out, struct pica_client *c,
		const struct pica_client_ctx_settings *settings) {
	if (settings && !settings_ok(settings)) {
		return client_refuse(c, -EINVAL, "invalid settings of a context");
	}
	struct pica_client_ctx *ctx = calloc(1, sizeof(*ctx));
	if (!ctx) {
		return -ENOMEM;
	}
	ctx->client = c;
	if (settings && (settings->flags & PICA_CTX_ARITHMETIC)) {
		const bool is_f32 = settings->float_mode == PICA_FLOAT_F32;
		const bool is_truncated = settings->combiner == PICA_COMBINER_TRUNCATE;
		ctx->arithmetic = PICA_ARITHMETIC_OWN | (is_f32 ? PICA_ARITHMETIC_F32 : 0u) |
				(is_truncated ? PICA_ARITHMETIC_TRUNCATE : 0u);
	}
	ctx->rank = settings ? settings->rank : 0;
	ctx->chip = settings ? (uint32_t)settings->chip : PICA_CHIP_PICA200;
	int ret = context_make(ctx);
	if (ret < 0) {
		free(ctx);
		return ret;
	}
	ctx->next = c->contexts;
	c->contexts = ctx;
	*out = ctx;
	return 0;
}

static int destroy_object(struct pica_client *c, enum pica_message_type type, uint32_t handle) {
	int ret = client_act(c, type, handle, 0);
	return ret == -ECONNRESET ? 0 : ret; /* it ended with the service */
}

PICA_EXPORT int pica_client_ctx_destroy(struct pica_client_ctx *ctx) {
	struct pica_client *c = ctx->client;
	for (const struct pica_client_memory *m = c->memory; m; m = m->next) {
		if (m->ctx == ctx) {
			return client_refuse(c, -EBUSY, "memory is mapped in the context");
		}
	}
	int ret = destroy_object(c, PICA_MSG_CONTEXT_DESTROY, ctx->handle);
	if (ret < 0) {
		return ret;
	}
	struct pica_client_ctx **link = &c->contexts;
	while (*link != ctx) {
		link = &(*link)->next;
	}
	*link = ctx->next;
	free(ctx->init_jobs);
	free(ctx);
	return 0;
}

PICA_EXPORT uint32_t pica_client_ctx_handle(const struct pica_client_ctx *ctx) {
	return ctx->handle;
}

PICA_EXPORT int pica_client_set_init_jobs(
		struct pica_client_ctx *ctx, const struct pica_job *jobs, size_t n) {
	struct pica_job *copy = NULL;
	if (n) {
		copy = malloc(n * sizeof(*copy));
		if (!copy) {
			return -ENOMEM;
		}
		memcpy(copy, jobs, n * sizeof(*copy));
	}
	free(ctx->init_jobs);
	ctx->init_jobs = copy;
	ctx->n_init_jobs = n;
	return 0;
}

/* ---- Memory ---- */

static void fill_region(struct pica_msg_region *msg, const struct pica_client_memory *m,
		enum pica_message_type type) {
	memset(msg, 0, sizeof(*msg));
	msg->head.type = (uint16_t)type;
	msg->size_bytes = m->size_bytes;
	if (m->ctx) {
		msg->context = m->ctx->handle;
		msg->phys = m->phys;
		msg->flags = PICA_REGION_MAPPED |
				(m->flags & PICA_MAP_READ_ONLY ? PICA_REGION_READ_ONLY : 0u);
	}
}

/* Destroys unusable memory (handle 0: none), and keeps the message with the reason. */
static void give_back(struct pica_client *c, uint32_t handle) {
	char message[sizeof(c->error)];
	memcpy(message, c->error, sizeof(message));
	if (handle && destroy_object(c, PICA_MSG_REGION_DESTROY, handle) == 0 && !c->is_lost) {
		client_set_error(c, message);
	}
}

static int make(struct pica_client_memory **out, struct pica_client *c, struct pica_client_ctx *ctx,
		uint32_t phys, uint32_t size_bytes, uint32_t flags) {
	struct pica_msg_region msg;
	struct pica_msg_handle answer = { .handle = 0 };
	const char *wrong = size_bytes == 0 ? "memory without bytes" :
			(uint64_t)phys + size_bytes > (uint64_t)1 << 32 ?
			"memory ends beyond the address space" :
			flags & ~(uint32_t)PICA_MAP_READ_ONLY ? "unknown flags of memory" : NULL;
	if (wrong) {
		return client_refuse(c, -EINVAL, wrong);
	}
	struct pica_client_memory *m = calloc(1, sizeof(*m));
	if (!m) {
		return -ENOMEM;
	}
	m->client = c;
	m->ctx = ctx;
	m->phys = phys;
	m->size_bytes = size_bytes;
	m->flags = flags;
	fill_region(&msg, m, PICA_MSG_REGION_CREATE);
	int ret = client_request(
			c, &msg, sizeof(msg), -1, PICA_MSG_HANDLE, &answer, sizeof(answer), &m->fd);
	if (ret < 0) {
		give_back(c, answer.handle);
		free(m);
		return ret;
	}
	m->handle = answer.handle;
	size_t mapped = size_bytes;
	ret = client_map(m->fd, &mapped, &m->host);
	if (ret < 0) {
		give_back(c, m->handle);
		close(m->fd);
		free(m);
		return ret;
	}
	m->next = c->memory;
	c->memory = m;
	*out = m;
	return 0;
}

PICA_EXPORT int pica_client_map(struct pica_client_memory **out, struct pica_client_ctx *ctx,
		uint32_t phys, uint32_t size_bytes, uint32_t flags) {
	return make(out, ctx->client, ctx, phys, size_bytes, flags);
}

PICA_EXPORT int pica_client_alloc(
		struct pica_client_memory **out, struct pica_client *c, uint32_t size_bytes) {
	return make(out, c, NULL, 0, size_bytes, 0);
}

int memory_import(struct pica_client_memory *m) {
	struct pica_msg_region msg;
	struct pica_msg_handle answer;
	fill_region(&msg, m, PICA_MSG_REGION_IMPORT);
	int ret = client_request(m->client, &msg, sizeof(msg), m->fd, PICA_MSG_HANDLE, &answer,
			sizeof(answer), NULL);
	if (ret == 0) {
		m->handle = answer.handle;
	}
	return ret;
}

PICA_EXPORT int pica_client_free(struct pica_client_memory *m) {
	struct pica_client *c = m->client;
	int ret = destroy_object(c, PICA_MSG_REGION_DESTROY, m->handle);
	if (ret < 0) {
		return ret;
	}
	struct pica_client_memory **link = &c->memory;
	while (*link != m) {
		link = &(*link)->next;
	}
	*link = m->next;
	munmap(m->host, m->size_bytes);
	close(m->fd);
	free(m);
	return 0;
}

PICA_EXPORT void *pica_client_host(const struct pica_client_memory *m) {
	return m->host;
}

PICA_EXPORT int pica_client_memory_fd(const struct pica_client_memory *m) {
	return m->fd;
}

PICA_EXPORT uint64_t pica_client_data(const struct pica_client_memory *m, uint32_t offset) {
	return (uint64_t)m->handle << 32 | offset;
}
