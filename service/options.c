/* The command line, and rereading after SIGHUP. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "pictures/plain.h"
#include "service/options_table.h"
#include "service/log.h"

enum { MAX_OPTIONS = 128 };

struct parsing {
	struct options *o;
	bool only_config; /* first round: which configuration */
	bool may_exit, failed;
	unsigned config_row; /* of --config; --print-config follows it */
};

static struct option_row parse_rows[MAX_OPTIONS];
/* For each entry of parse_rows, its row of the table; NULL: --config, --print-config. */
static const struct row *row_of[MAX_OPTIONS];

static const char *set_row(void *input, const struct option_table *table,
		const struct option_row *row, char *text) {
	struct parsing *p = input;
	const unsigned i = (unsigned)(row - parse_rows);
	static char why[256];
	if (i == p->config_row && p->only_config) {
		free(p->o->config);
		p->o->config = strdup(text);
	} else if (i == p->config_row + 1) {
		p->o->print_config = true;
	} else if (row_of[i] && !p->only_config &&
			row_set(p->o, row_of[i], text, why, sizeof(why)) < 0) {
		p->failed = true;
		return p->may_exit ? why : NULL;
	}
	return NULL;
}

/* Fills parse_rows; --config and --print-config end the first subject. Returns how many. */
static unsigned make_rows(unsigned *config_row) {
	unsigned n = 0, subjects = 0;
	for (unsigned i = 0; i < n_option_rows; i++) {
		const struct row *row = &option_rows[i];
		const bool is_subject = row->type == ROW_SUBJECT;
		if (is_subject && ++subjects == 2) {
			*config_row = n;
			parse_rows[n++] = (struct option_row){ "config", 0, "FILE",
				"Configuration (default: /etc/pica/picad.conf), with FILE.d/*.conf",
				.kind = OPTION_TEXT };
			parse_rows[n++] = (struct option_row){ "print-config", 0, NULL,
				"Print the settings in force as a configuration, and exit",
				.kind = OPTION_FLAG };
		}
		row_of[n] = is_subject ? NULL : row;
		parse_rows[n++] = (struct option_row){ row->name, 0, row->arg, row->doc,
			.kind = is_subject ? OPTION_HEADING : OPTION_TEXT };
	}
	return n;
}

static int parse_round(struct options *o, int argc, char **argv, bool only_config, bool may_exit) {
	struct parsing p = { .o = o, .only_config = only_config, .may_exit = may_exit };
	const struct option_spec spec = {
		.forms = "[CAPTURE...]",
		.doc = "Renders for many processes: takes PICA200 work from clients over shared rings.",
		.notes = "The same names, without the dashes, are keys of section [picad] in picad.conf.",
		.tables = { { parse_rows, make_rows(&p.config_row), 0, 0 } },
		.max_args = OPTION_ANY,
		.set = set_row,
	};
	const struct option_args args = options_parse(&spec, argc, argv, &p);
	for (unsigned i = 0; !only_config && i < args.n && o->n_more < OPTIONS_MORE; i++) {
		o->more[o->n_more++] = args.v[i];
	}
	if (may_exit && !only_config && o->n_more && !o->kiosk) {
		options_fail("unexpected argument: %s", o->more[0]);
	}
	return p.failed ? -EINVAL : 0;
}

/* Processors that the process may run on; in a sandbox those of the machine are not known. */
static uint32_t count_cpus(void) {
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (uint32_t)CPU_COUNT(&cpus) : 1;
}

/* Sets the limits of users and regions that were not given. */
static void follow_defaults(struct options *o, uint32_t cpus, uint64_t region_bytes) {
	struct server_settings *s = &o->settings;
	struct pica_limits *limits = &s->limits;
	if (limits->region_bytes == region_bytes && region_bytes > limits->memory_bytes) {
		limits->region_bytes = limits->memory_bytes;
	}
	if (s->user_sessions == UINT32_MAX) {
		s->user_sessions = (s->max_sessions + 3) / 4;
	}
	if (s->user_memory_bytes == UINT64_MAX) {
		const uint64_t total = s->total_memory_bytes, one = limits->memory_bytes;
		s->user_memory_bytes = total / 4 > one ? total / 4 : one < total ? one : total;
	}
	if (s->user_cpu_ns_per_s == UINT64_MAX) {
		s->user_cpu_ns_per_s = o->kiosk || o->exec ? 0 : cpus * UINT64_C(900000000);
	}
}

static int read_all(struct options *o, int argc, char **argv, bool may_exit) {
	memset(o, 0, sizeof(*o));
	server_settings_init(&o->settings);
	o->settings.user_sessions = UINT32_MAX;
	o->settings.user_memory_bytes = UINT64_MAX;
	o->settings.user_cpu_ns_per_s = UINT64_MAX;
	const uint32_t cpus = count_cpus();
	o->settings.device.n_threads = cpus > 1 ? (cpus < 64 ? cpus : 64) : 0;
	const uint64_t region_bytes = o->settings.limits.region_bytes;
	int ret = parse_round(o, argc, argv, true, may_exit);
	if (may_exit) {
		plain_stderr_begin(); /* messages quote the file */
	}
	ret = ret < 0 ? ret : options_read_config(o);
	if (may_exit) {
		plain_stderr_end();
	}
	ret = ret < 0 ? ret : parse_round(o, argc, argv, false, may_exit);
	follow_defaults(o, cpus, region_bytes);
	return ret;
}

void options_read(struct options *o, int argc, char **argv) {
	options_set_version("picad 0.1.0");
	if (read_all(o, argc, argv, true) < 0) {
		exit(2);
	}
}

/* ---- Reading again ---- */

/* Giving a default explicitly is not a change. */
static bool is_same(const struct options *a, const struct options *b, const struct row *row) {
	char own_a[OPTIONS_SOCKET_BYTES], own_b[OPTIONS_SOCKET_BYTES];
	if (row_is_number(row)) {
		return row_number(a, row) == row_number(b, row);
	}
	const char *x = row_text_in_force(a, row, own_a), *y = row_text_in_force(b, row, own_b);
	return x && y ? strcmp(x, y) == 0 : x == y;
}

/* Iterates over the options that cannot change after the start. */
static const struct row *next_fixed(const struct row *row) {
	const struct row *end = option_rows + n_option_rows;
	for (row = row ? row + 1 : option_rows; row != end; row++) {
		if (row->hold == FIXED && row->type != ROW_SUBJECT) {
			return row;
		}
	}
	return NULL;
}

static void name_fixed(const struct options *a, const struct options *b, char *names, size_t size) {
	size_t at = 0;
	for (const struct row *row = NULL; (row = next_fixed(row)) && at < size;) {
		if (!is_same(a, b, row)) {
			at += (size_t)snprintf(
					names + at, size - at, "%s%s", at ? "," : "", row->name);
		}
	}
}

static void swap_fixed(struct options *a, struct options *b) {
	for (const struct row *row = NULL; (row = next_fixed(row));) {
		char bytes[8];
		const size_t size = row_is_text(row) ? sizeof(char *) : row->size;
		char *x = (char *)a + row->offset, *y = (char *)b + row->offset;
		memcpy(bytes, x, size);
		memcpy(x, y, size);
		memcpy(y, bytes, size);
	}
}

int options_reread(struct options *fresh, struct options *o, int argc, char **argv, char *fixed,
		size_t fixed_bytes) {
	fixed[0] = 0;
	if (read_all(fresh, argc, argv, false) < 0) {
		options_finish(fresh);
		return -EINVAL;
	}
	name_fixed(o, fresh, fixed, fixed_bytes);
	swap_fixed(o, fresh);
	return 0;
}

void options_adopt(struct options *o, struct options *fresh) {
	options_finish(o);
	*o = *fresh;
}

void options_discard(struct options *o, struct options *fresh) {
	swap_fixed(o, fresh);
	options_finish(fresh);
}

void options_finish(struct options *o) {
	for (unsigned i = 0; i < n_option_rows; i++) {
		if (row_is_text(&option_rows[i])) {
			free(*row_text(o, &option_rows[i]));
		}
	}
	free(o->config);
}
