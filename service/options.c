/* The command line, and what is read again after SIGHUP. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/plain.h"
#include "service/options_table.h"
#include "service/log.h"

enum { KEY_FIRST = 0x1000, KEY_CONFIG = 0x2000, KEY_PRINT_CONFIG, MAX_OPTIONS = 128 };

struct parsing {
	struct options *o;
	bool only_config; /* first round: which configuration */
	bool may_exit;
	bool failed;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct parsing *p = state->input;
	char why[256];
	if (key == KEY_CONFIG) {
		if (p->only_config) {
			free(p->o->config);
			p->o->config = strdup(arg);
		}
		return 0;
	}
	if (key == KEY_PRINT_CONFIG) {
		p->o->print_config = true;
		return 0;
	}
	if (key >= KEY_FIRST && key < KEY_FIRST + (int)n_option_rows) {
		if (!p->only_config && row_set(p->o, &option_rows[key - KEY_FIRST], arg, why,
						       sizeof(why)) < 0) {
			log_error("%s", why);
			p->failed = true;
		}
		return 0;
	}
	if (key == ARGP_KEY_ARG) {
		if (!p->only_config && p->o->n_more < OPTIONS_MORE) {
			p->o->more[p->o->n_more++] = arg;
		}
		return 0;
	}
	if (key == ARGP_KEY_END && !p->only_config && p->o->n_more && !p->o->kiosk) {
		argp_error(state, "unexpected argument: %s", p->o->more[0]);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static int parse_round(struct options *o, int argc, char **argv, bool only_config, bool may_exit) {
	static struct argp_option options[MAX_OPTIONS];
	static const struct argp argp = { options, parse, "[CAPTURE...]",
		"Renders for many processes: takes PICA200 work from clients over shared rings.\v"
		"The same names, without the dashes, are keys of section [picad] in picad.conf.",
		NULL, NULL, NULL };
	struct parsing p = { .o = o, .only_config = only_config, .may_exit = may_exit };
	int group = 0; /* counted from 1 */
	for (unsigned i = 0; i < n_option_rows; i++) {
		const struct row *row = &option_rows[i];
		group += row->type == ROW_SUBJECT;
		options[i] = (struct argp_option){ .name = row->name,
			.key = row->name ? (int)(KEY_FIRST + i) : 0,
			.arg = row->arg,
			.doc = row->doc,
			.group = group };
	}
	options[n_option_rows] = (struct argp_option){ "config", KEY_CONFIG, "FILE", 0,
		"Configuration (default: /etc/pica/picad.conf), with FILE.d/*.conf", 1 };
	options[n_option_rows + 1] = (struct argp_option){ "print-config", KEY_PRINT_CONFIG, NULL,
		0, "Print what holds, as a configuration, and exit", 1 };
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, may_exit ? 0 : ARGP_SILENT, NULL, &p);
	return p.failed ? -EINVAL : 0;
}

/* Processors that the process may run on; in a sandbox those of the machine are not known. */
static uint32_t count_cpus(void) {
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (uint32_t)CPU_COUNT(&cpus) : 1;
}

static int read_all(struct options *o, int argc, char **argv, bool may_exit) {
	memset(o, 0, sizeof(*o));
	server_settings_init(&o->settings);
	const uint32_t cpus = count_cpus();
	o->settings.device.n_threads = cpus > 1 ? (cpus < 64 ? cpus : 64) : 0;
	struct pica_limits *limits = &o->settings.limits;
	const uint64_t region_bytes = limits->region_bytes;
	int ret = parse_round(o, argc, argv, true, may_exit);
	ret = ret < 0 ? ret : options_read_config(o);
	ret = ret < 0 ? ret : parse_round(o, argc, argv, false, may_exit);
	if (limits->region_bytes == region_bytes && region_bytes > limits->memory_bytes) {
		limits->region_bytes = limits->memory_bytes; /* the default follows it */
	}
	return ret;
}

void options_read(struct options *o, int argc, char **argv) {
	argp_program_version = "picad 0.1.0";
	plain_stderr_begin(); /* argp quotes arguments */
	const int ret = read_all(o, argc, argv, true);
	plain_stderr_end();
	if (ret < 0) {
		exit(2);
	}
}

/* ---- Reading again ---- */

/* A default that is given is not a change. */
static bool is_same(const struct options *a, const struct options *b, const struct row *row) {
	char own_a[OPTIONS_SOCKET_BYTES], own_b[OPTIONS_SOCKET_BYTES];
	if (row_is_number(row)) {
		return row_number(a, row) == row_number(b, row);
	}
	const char *x = row_text_in_force(a, row, own_a), *y = row_text_in_force(b, row, own_b);
	return x && y ? strcmp(x, y) == 0 : x == y;
}

/* The options that hold from the start on, one after another. */
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
