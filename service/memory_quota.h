/* Memory quotas: of a session, of a user's sessions, of all. Loop's thread only. */
#ifndef SERVICE_MEMORY_QUOTA_H
#define SERVICE_MEMORY_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Returns half of the memory that the machine, or the control group, allows this process. The value
 * does not change while the process runs. Any thread.
 */
uint64_t memory_quota_default(void);
/*
 * Returns NULL if the session may use size_bytes more, of which uncharged_bytes are not yet charged
 * to its user. Otherwise returns the name of the exceeded quota.
 */
const char *memory_quota_error(
		const struct session *s, uint64_t size_bytes, uint64_t uncharged_bytes);
/* Returns whether the session or its user exceeds its quota, including the engine's memory. */
bool memory_quota_is_full(const struct session *s);
/*
 * Returns whether memory that its user released is not free yet, so that a later attempt may
 * succeed.
 */
bool memory_quota_recovers(const struct session *s);

#endif
