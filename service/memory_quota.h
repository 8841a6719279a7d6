/* How much memory sessions may have: each, those of a user, all together. Loop's thread only. */
#ifndef SERVICE_MEMORY_QUOTA_H
#define SERVICE_MEMORY_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Half of what the machine, or the control group, gives this process; the same for as long as it
 * runs. Any thread.
 */
uint64_t memory_quota_default(void);
/*
 * NULL, or which quota does not let the session have so much more, of which uncharged_bytes are not
 * charged to its user yet.
 */
const char *memory_quota_error(
		const struct session *s, uint64_t size_bytes, uint64_t uncharged_bytes);
/* Memory that its user gave back, and that is not free yet, could be what it asks for next. */
bool memory_quota_recovers(const struct session *s);

#endif
