/* The effect of the options on the server. */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "service/options.h"
#include "service/log.h"

static int apply_access(const char *access, struct server_settings *s) {
	if (!access || strcmp(access, "user") == 0) {
		s->access = SERVER_ACCESS_USER;
		return 0;
	}
	if (strcmp(access, "all") == 0) {
		s->access = SERVER_ACCESS_ALL;
		return 0;
	}
	const struct group *g = strncmp(access, "group:", 6) == 0 ? getgrnam(access + 6) : NULL;
	if (!g) {
		log_error("access %s: expected user, group:NAME of a group that exists, or all",
				access);
		return -EINVAL;
	}
	s->access = SERVER_ACCESS_GROUP;
	s->group = g->gr_gid;
	return 0;
}

enum log_level options_log_level(const struct options *o) {
	static const char *const names[] = { "error", "warning", "info", "debug" };
	for (unsigned i = 0; o->log_level && i < 4; i++) {
		if (strcmp(names[i], o->log_level) == 0) {
			return (enum log_level)i;
		}
	}
	return LOG_LEVEL_INFO;
}

static int apply_record(const struct options *o, struct server_settings *s) {
	struct stat st;
	s->record_folder = o->record;
	s->record_always = !o->record_when || strcmp(o->record_when, "always") == 0;
	/* A missing one is created when the service starts. */
	if (o->record && stat(o->record, &st) == 0 && !S_ISDIR(st.st_mode)) {
		log_error("record: %s: expected a folder", o->record);
		return -EINVAL;
	}
	return 0;
}

int options_apply(const struct options *o, struct server_settings *s) {
	*s = o->settings;
	s->loop = o->loop ? (enum loop_kind)loop_kind_from_name(o->loop) : LOOP_AUTO;
	s->device.isa = o->isa;
	s->log_level = options_log_level(o);
	if (s->limits.region_bytes > s->limits.memory_bytes) {
		log_error("region: %" PRIu64 " bytes are more than the %" PRIu64
		    " that memory lets a session have",
				s->limits.region_bytes, s->limits.memory_bytes);
		return -EINVAL;
	}
	const int ret = apply_record(o, s);
	return ret < 0 ? ret : apply_access(o->access, s);
}

bool options_has_card(const struct options *o) {
	return o->display ? strcmp(o->display, "kms") == 0 : o->kiosk || o->exec;
}
