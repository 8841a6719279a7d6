#include "service/options.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <ini.h>

#include "pictures/plain.h"
#include "service/listen.h"
#include "service/privileges.h"
#include "service/say.h"

enum { KEY_FIRST = 0x1000, KEY_CONFIG = 0x2000, KEY_PRINT_CONFIG, MAX_DROP_INS = 64 };

static const char default_config[] = "/etc/pica/picad.conf";

enum row_type { ROW_TEXT, ROW_CHOICE, ROW_NUMBER, ROW_BYTES };

/* From the start on; or until SIGHUP brings another value. */
enum row_hold { FIXED, LIVE };

/* One thing that can be told. */
struct row {
	const char *name;
	enum row_type type;
	size_t offset;        /* in struct options: char *, or uint64_t */
	const char *arg;      /* choices: a|b|c */
	uint64_t min, max;
	const char *doc;
	enum row_hold hold;
};

#define AT(member) offsetof(struct options, member)
#define COUNT_MAX ((uint64_t)1 << 40)

static const struct row rows[] = {
	{ "socket", ROW_TEXT, AT(socket), "PATH", 0, 0,
			"Where clients connect; with user: below its /run/user/UID, if that is there "
			"(default: $XDG_RUNTIME_DIR/pica/0, else /run/pica/0)", FIXED },
	{ "access", ROW_TEXT, AT(access), "WHO", 0, 0,
			"Who may connect: user, group:NAME or all (default: user)", LIVE },
	{ "loop", ROW_CHOICE, AT(loop), "auto|uring|epoll", 0, 0,
			"How the service waits (default: auto)", FIXED },
	{ "threads", ROW_NUMBER, AT(threads), "N", 0, 64,
			"Workers beside the command thread (default: the CPUs)", FIXED },
	{ "isa", ROW_CHOICE, AT(isa), "c|emul|sse4.1", 0, 0,
			"Instruction set (default: the best)", FIXED },
	{ "log-level", ROW_CHOICE, AT(log_level), "error|warning|info|debug", 0, 0,
			"The least important lines that are logged (default: info)", LIVE },
	{ "trace", ROW_TEXT, AT(trace), "FILE", 0, 0,
			"Timeline of the threads, as JSON for Chrome or Perfetto", FIXED },
	{ "sandbox", ROW_CHOICE, AT(sandbox), "auto|on|off", 0, 0,
			"Give up what is not needed; on: or do not start (default: auto)", FIXED },
	{ "user", ROW_TEXT, AT(user), "NAME[:GROUP]", 0, 0, "Whom to become, if started as root", FIXED },
	{ "record", ROW_TEXT, AT(record), "DIR", 0, 0,
			"Folder for recordings of what sessions do", FIXED },
	{ "record-when", ROW_CHOICE, AT(record_when), "always|asked", 0, 0,
			"Every session, or those that pica record names (default: always)", FIXED },
	{ "record-bytes", ROW_BYTES, AT(record_bytes), "BYTES", 1 << 20, (uint64_t)1 << 50,
			"A recording ends at this size (default: 4G)", FIXED },
	{ "display", ROW_CHOICE, AT(display), "kms|headless|none", 0, 0,
			"What shows pictures (default: none)", FIXED },
	{ "card", ROW_TEXT, AT(card), "NODE", 0, 0,
			"Card of kms (default: the first with a display plugged in)", FIXED },
	{ "connectors", ROW_TEXT, AT(connectors), "NAMES", 0, 0,
			"Outputs of the card, as HDMI-A-1,DP-1 (default: all plugged in)", FIXED },
	{ "mode", ROW_TEXT, AT(mode), "MODE", 0, 0,
			"Mode of the card's outputs: WIDTHxHEIGHT[@HERTZ][:xrgb8888|rgb565] "
			"(default: what they prefer)", FIXED },
	{ "seat", ROW_CHOICE, AT(seat), "auto|seatd|logind|builtin|none", 0, 0,
			"Who gives the card (default: auto)", FIXED },
	{ "headless", ROW_TEXT, AT(headless), "MODES", 0, 0,
			"Outputs of headless: WIDTHxHEIGHT[@HERTZ][:xrgb8888|rgb565],... "
			"(default: 800x480@59.831)", FIXED },
	{ "frames", ROW_TEXT, AT(frames), "WHERE", 0, 0,
			"Where the pictures of headless go: hash:FILE, png:PATTERN, y4m:FILE (of the first "
			"output) or none (the default)", FIXED },
	{ "layout", ROW_CHOICE, AT(layout), "stacked|side-by-side|top|bottom|split-outputs", 0, 0,
			"How the screens stand (default: stacked)", LIVE },
	{ "scale", ROW_TEXT, AT(scale), "HOW", 0, 0,
			"integer (default), fit, stretch or a number", LIVE },
	{ "filter", ROW_CHOICE, AT(filter), "nearest|bilinear", 0, 0,
			"How pixels are scaled (default: nearest)", LIVE },
	{ "rotate", ROW_CHOICE, AT(rotate), "0|90|180|270", 0, 0, "Clockwise (default: 0)", LIVE },
	{ "background", ROW_TEXT, AT(background), "RRGGBB", 0, 0,
			"Color around the screens (default: 000000)", LIVE },
	{ "stereo", ROW_CHOICE, AT(stereo), "left|side-by-side|anaglyph", 0, 0,
			"How two eyes are shown (default: left)", LIVE },
	{ "focus", ROW_TEXT, AT(focus), "WHO", 0, 0,
			"Who is shown: last (default), priority or pinned:NAME", LIVE },
	{ "idle", ROW_TEXT, AT(idle), "PNG", 0, 0,
			"What is shown when nobody presents (default: built in)", LIVE },
	{ "linger-ms", ROW_NUMBER, AT(linger_ms), "N", 0, (uint64_t)1 << 40,
			"How long the last picture of who is gone stays (default: 5000)", LIVE },
	{ "kiosk", ROW_TEXT, AT(kiosk), "CAPTURE", 0, 0,
			"Play this capture and the others, or all that a pattern names, again and again; "
			"display = kms unless said", FIXED },
	{ "exec", ROW_TEXT, AT(exec), "COMMAND", 0, 0,
			"Start this client, again when it ends; display = kms unless said", FIXED },
	{ "max-sessions", ROW_NUMBER, AT(max_sessions), "N", 1, 4096,
			"Clients at a time (default: 64)", LIVE },
	{ "user-sessions", ROW_NUMBER, AT(user_sessions), "N", 0, 4096,
			"Clients of one user at a time; 0: all (default: 0)", LIVE },
	{ "total-memory", ROW_BYTES, AT(total_memory), "BYTES", 4096, (uint64_t)1 << 50,
			"Memory of all sessions (default: half of what there is)", LIVE },
	{ "user-memory", ROW_BYTES, AT(user_memory), "BYTES", 0, (uint64_t)1 << 50,
			"Memory of the sessions of one user; 0: all (default: 0)", LIVE },
	{ "max-greeting", ROW_NUMBER, AT(max_greeting), "N", 1, 1024,
			"Connections that have not said HELLO (default: 16)", LIVE },
	{ "hello-ms", ROW_NUMBER, AT(hello_ms), "N", 1, 60000,
			"How long a connection may take to say HELLO (default: 2000)", LIVE },
	{ "max-priority", ROW_NUMBER, AT(max_priority), "N", 0, 10,
			"Highest priority a client gets (default: 0)", LIVE },
	{ "memory", ROW_BYTES, AT(limits.memory_bytes), "BYTES", 4096, (uint64_t)1 << 40,
			"Memory of a session (default: 512M)", LIVE },
	{ "region", ROW_BYTES, AT(limits.region_bytes), "BYTES", 4096, 0xFFFFF000,
			"Memory of one region, at most memory (default: 256M)", LIVE },
	{ "regions", ROW_NUMBER, AT(regions), "N", 1, 4096, "Regions of a session (default: 64)", LIVE },
	{ "contexts", ROW_NUMBER, AT(contexts), "N", 1, 64, "Contexts of a session (default: 8)", LIVE },
	{ "jobs", ROW_NUMBER, AT(jobs), "N", 1, 8192,
			"Jobs of a session in flight (default: 512)", LIVE },
	{ "cpu-percent", ROW_NUMBER, AT(cpu_percent), "N", 0, 100000,
			"Processor time of a session, in percent of one; 0: all (default: 0)", LIVE },
	{ "job-seconds", ROW_NUMBER, AT(job_seconds), "N", 0, 86400,
			"A job that works longer ends its session; 0: none does (default: 60)", LIVE },
	{ "presents", ROW_NUMBER, AT(presents), "N", 1, 64,
			"Frames of a session on their way to the display (default: 2)", LIVE },
	{ "list-words", ROW_NUMBER, AT(limits.list_words), "N", 1, COUNT_MAX,
			"Command-list words of a job", LIVE },
	{ "list-jumps", ROW_NUMBER, AT(limits.list_jumps), "N", 1, COUNT_MAX, "Jumps of a job", LIVE },
	{ "vertices", ROW_NUMBER, AT(limits.vertices), "N", 1, COUNT_MAX, "Vertices of a job", LIVE },
	{ "shader-steps", ROW_NUMBER, AT(limits.shader_steps), "N", 1, COUNT_MAX,
			"Instructions of a shader invocation", LIVE },
	{ "job-steps", ROW_NUMBER, AT(limits.job_steps), "N", 1, COUNT_MAX,
			"Instructions of all invocations of a job", LIVE },
	{ "pixels", ROW_NUMBER, AT(limits.pixels), "N", 1, COUNT_MAX, "Pixels of a job", LIVE },
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]), SOCKET_BYTES = 108 };

/* What --help and picad(1) put together, by the first row of each. */
static const struct subject {
	const char *first, *title;
} subjects[] = {
	{ "socket", "Where:" },
	{ "loop", "How:" },
	{ "sandbox", "Confinement:" },
	{ "record", "Recording:" },
	{ "display", "The display:" },
	{ "kiosk", "The kiosk:" },
	{ "max-sessions", "Limits of the service:" },
	{ "memory", "Limits of a session:" },
	{ "list-words", "Budgets of a job:" },
};
enum { N_SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

static char **text_at(struct options *o, const struct row *row) {
	return (char **)(void *)((char *)o + row->offset);
}

static uint64_t *number_at(struct options *o, const struct row *row) {
	return (uint64_t *)(void *)((char *)o + row->offset);
}

static bool is_text(const struct row *row) {
	return row->type == ROW_TEXT || row->type == ROW_CHOICE;
}

/* ---- Values ---- */

static bool is_choice(const char *choices, const char *value) {
	size_t n = strlen(value);
	for (const char *p = choices; n && (p = strstr(p, value)); p++) {
		bool begins = p == choices || p[-1] == '|', ends = p[n] == 0 || p[n] == '|';
		if (begins && ends) {
			return true;
		}
	}
	return false;
}

static int parse_number(const struct row *row, const char *value, uint64_t *out) {
	char *end;
	errno = 0;
	uint64_t n = strtoull(value, &end, 10);
	if (errno || end == value || value[0] == '-') {
		return -EINVAL;
	}
	if (row->type == ROW_BYTES && *end) {
		static const char units[] = "KMG";
		const char *unit = strchr(units, *end);
		unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
		if (!unit || n > UINT64_MAX >> shift) {
			return -EINVAL;
		}
		n <<= shift;
		end++;
	}
	if (*end || n < row->min || n > row->max) {
		return -EINVAL;
	}
	*out = n;
	return 0;
}

/* Of ASCII, or U+0080 to U+009F: lines of a configuration have none. */
static bool has_control(const char *value) {
	for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
		if (*c < 0x20 || *c == 0x7F || (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)) {
			return true;
		}
	}
	return false;
}

/* 0 or -EINVAL with a sentence in why. */
static int set(struct options *o, const struct row *row, const char *value, char *why,
		size_t why_bytes) {
	if (!is_text(row)) {
		if (parse_number(row, value, number_at(o, row)) < 0) {
			snprintf(why, why_bytes,
					"%s: expected a number from %" PRIu64 " to %" PRIu64
					"%s, not \"%s\"",
					row->name, row->min, row->max,
					row->type == ROW_BYTES ? " (K, M, G may follow)" : "",
					value);
			return -EINVAL;
		}
		return 0;
	}
	if (row->type == ROW_CHOICE && !is_choice(row->arg, value)) {
		snprintf(why, why_bytes, "%s: expected %s, not \"%s\"", row->name, row->arg, value);
		return -EINVAL;
	}
	if (has_control(value)) {
		snprintf(why, why_bytes, "%s: expected text without control characters, not \"%s\"",
				row->name, value);
		return -EINVAL;
	}
	char *copy = strdup(value);
	if (!copy) {
		snprintf(why, why_bytes, "memory is out");
		return -EINVAL;
	}
	free(*text_at(o, row));
	*text_at(o, row) = copy;
	return 0;
}

/* ---- picad.conf ---- */

struct reading {
	struct options *o;
	FILE *file;
	int line, wrong_line; /* wrong_line: the first that inih would take all the same; 0: none */
	char wrong[256];      /* why */
	char why[256]; /* of the first line that is wrong, whose number inih tells at the end */
};

static int on_key(void *user, const char *section, const char *name, const char *value) {
	struct reading *r = user;
	char why[256];
	if (strcmp(section, "picad") != 0) {
		snprintf(why, sizeof(why), "unknown section [%s], expected [picad]", section);
	} else {
		snprintf(why, sizeof(why), "unknown key %s", name);
		for (unsigned i = 0; i < N_ROWS; i++) {
			if (strcmp(rows[i].name, name) == 0) {
				if (set(r->o, &rows[i], value, why, sizeof(why)) == 0) {
					return 1;
				}
				break;
			}
		}
	}
	if (!r->why[0]) {
		snprintf(r->why, sizeof(r->why), "%s", why);
	}
	return 0;
}

static void note_wrong(struct reading *r, const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	if (!r->wrong_line) {
		r->wrong_line = r->line;
		vsnprintf(r->wrong, sizeof(r->wrong), fmt, args);
	}
	va_end(args);
}

/* What does not fit of a line, which inih would take for further ones. True: there was some. */
static bool skip_rest(FILE *file) {
	bool is_some = false;
	for (int c = getc(file); c != EOF && c != '\n'; c = getc(file)) {
		is_some = true;
	}
	return is_some;
}

/*
 * A line of the file as inih takes it: without the blanks in front, by which it would be more of
 * the value before it. Sections without keys are not told by on_key().
 */
static char *read_line(char *line, int size, void *file) {
	struct reading *r = file;
	if (!fgets(line, size, r->file)) {
		return NULL;
	}
	const size_t blanks = strspn(line, " \t\r\f\v"), n = strlen(line);
	r->line++;
	memmove(line, line + blanks, n + 1 - blanks);
	if (n == (size_t)size - 1 && line[n - blanks - 1] != '\n' && skip_rest(r->file) &&
			line[0] != ';' && line[0] != '#') {
		note_wrong(r, "longer than %d bytes", size - 1);
	}
	const size_t n_name = strcspn(line, "]");
	if (line[0] == '[' && line[n_name] == ']' &&
			(n_name != sizeof("[picad") - 1 || strncmp(line, "[picad", n_name) != 0)) {
		note_wrong(r, "unknown section %.*s], expected [picad]", (int)n_name, line);
	}
	return line;
}

/*
 * Not a folder, whose text is empty, nor a pipe or terminal, which may keep us waiting for ever.
 * /dev/null says that nothing is set.
 */
static FILE *open_regular(const char *path) {
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is_there = fd >= 0 && fstat(fd, &st) == 0;
	const bool is_null = is_there && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
	if (!is_there || (!is_null && !S_ISREG(st.st_mode))) {
		say("%s: %s", path, fd < 0 ? strerror(errno) : "not a regular file");
		if (fd >= 0) {
			close(fd);
		}
		return NULL;
	}
	FILE *file = fdopen(fd, "r");
	if (!file) {
		say("%s: %s", path, strerror(errno));
		close(fd);
	}
	return file;
}

static int read_file(struct options *o, const char *path) {
	struct reading r = { .o = o, .file = open_regular(path) };
	if (!r.file) {
		return -EINVAL;
	}
	int line = ini_parse_stream(read_line, &r, on_key, &r);
	fclose(r.file);
	if (r.wrong_line && (!line || r.wrong_line <= line)) {
		line = r.wrong_line;
		memcpy(r.why, r.wrong, sizeof(r.why));
	}
	if (line) {
		say("%s:%d: %s", path, line,
				r.why[0] ? r.why : "expected [picad], key = value, or a comment");
	}
	return line ? -EINVAL : 0;
}

static int is_conf(const struct dirent *e) {
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".conf") == 0;
}

/* FILE.d/NAME.conf, in the order of their names. */
static int read_drop_ins(struct options *o, const char *path) {
	char folder[4096], file[8192];
	struct dirent **entries;
	int ret = 0;
	snprintf(folder, sizeof(folder), "%s.d", path);
	int n = scandir(folder, &entries, is_conf, alphasort);
	for (int i = 0; i < n; i++) {
		if (ret == 0) {
			snprintf(file, sizeof(file), "%s/%s", folder, entries[i]->d_name);
			ret = read_file(o, file);
		}
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
	return ret;
}

const char *options_config(const struct options *o) {
	return o->config ? o->config : default_config;
}

static int read_config(struct options *o) {
	const char *path = options_config(o);
	int ret = o->config || access(path, F_OK) == 0 ? read_file(o, path) : 0;
	return ret < 0 ? ret : read_drop_ins(o, path);
}

/* ---- Command line ---- */

struct parsing {
	struct options *o;
	bool only_config; /* first round: which configuration */
	bool failed;
	bool may_exit;
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
	if (key >= KEY_FIRST && key < KEY_FIRST + N_ROWS) {
		if (!p->only_config &&
				set(p->o, &rows[key - KEY_FIRST], arg, why, sizeof(why)) < 0) {
			say("%s", why);
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

static int parse_round(struct parsing *p, int argc, char **argv) {
	static struct argp_option options[N_SUBJECTS + N_ROWS + 3];
	static const struct argp argp = { options, parse, "[CAPTURE...]",
		"Renders for many processes: takes PICA200 work from clients over shared rings.\v"
		"The same names, without the dashes, are keys of section [picad] in picad.conf.",
		NULL, NULL, NULL };
	unsigned n = 0;
	int group = 0; /* counted from 1 */
	for (unsigned i = 0; i < N_ROWS; i++) {
		if (group < N_SUBJECTS && strcmp(rows[i].name, subjects[group].first) == 0) {
			options[n++] = (struct argp_option){ .doc = subjects[group].title,
				.group = group + 1 };
			group++;
		}
		options[n++] = (struct argp_option){ rows[i].name, (int)(KEY_FIRST + i),
			rows[i].arg, 0, rows[i].doc, group };
	}
	options[n++] = (struct argp_option){ "config", KEY_CONFIG, "FILE", 0,
		"Configuration (default: /etc/pica/picad.conf), with FILE.d/*.conf", 1 };
	options[n++] = (struct argp_option){ "print-config", KEY_PRINT_CONFIG, NULL, 0,
		"Print what holds, as a configuration, and exit", 1 };
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, p->may_exit ? 0 : ARGP_SILENT, NULL, p);
	return p->failed ? -EINVAL : 0;
}

/* That we may run on. Those of the machine are no longer told to who is in a sandbox. */
static uint64_t count_cpus(void) {
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (uint64_t)CPU_COUNT(&cpus) : 1;
}

static void defaults(struct options *o) {
	struct server_settings s;
	server_settings_init(&s);
	memset(o, 0, sizeof(*o));
	const uint64_t cpus = count_cpus();
	o->threads = cpus > 1 ? (cpus < 64 ? cpus : 64) : 0;
	o->max_sessions = s.max_sessions;
	o->user_sessions = s.user_sessions;
	o->total_memory = s.total_memory_bytes;
	o->user_memory = s.user_memory_bytes;
	o->max_greeting = s.max_greeting;
	o->hello_ms = s.hello_ns / 1000000;
	o->max_priority = (uint64_t)s.max_priority;
	o->record_bytes = s.record_bytes;
	o->job_seconds = s.job_ns / 1000000000;
	o->cpu_percent = s.limits.cpu_ns_per_s / 10000000;
	o->limits = s.limits;
	o->regions = s.limits.regions;
	o->contexts = s.limits.contexts;
	o->jobs = s.limits.jobs;
	o->presents = s.limits.presents;
	o->linger_ms = s.present.linger_ns / 1000000;
}

static int read_all(struct options *o, int argc, char **argv, bool may_exit) {
	struct parsing first = { o, true, false, may_exit }, second = { o, false, false, may_exit };
	defaults(o);
	const uint64_t region_bytes = o->limits.region_bytes;
	int ret = parse_round(&first, argc, argv);
	ret = ret < 0 ? ret : read_config(o);
	ret = ret < 0 ? ret : parse_round(&second, argc, argv);
	if (o->limits.region_bytes == region_bytes && region_bytes > o->limits.memory_bytes) {
		o->limits.region_bytes = o->limits.memory_bytes; /* the default goes with it */
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

const char *options_socket(const struct options *o, char own[SOCKET_BYTES]) {
	struct identity id;
	identity_find(&id, o->user); /* who is nobody is refused where it is assumed */
	listen_default_path(own, id.is_set ? id.uid : geteuid());
	return o->socket ? o->socket : own;
}

/* Of texts, where they mean something. */
static const struct unless_said {
	const char *name, *text;
	enum { ALWAYS, ON_A_CARD, HEADLESS, ON_A_DISPLAY } where;
} unless_said[] = { { "access", "user", ALWAYS }, { "loop", "auto", ALWAYS },
	{ "log-level", "info", ALWAYS }, { "sandbox", "auto", ALWAYS },
	{ "record-when", "always", ALWAYS }, { "layout", "stacked", ON_A_DISPLAY },
	{ "scale", "integer", ON_A_DISPLAY }, { "filter", "nearest", ON_A_DISPLAY },
	{ "rotate", "0", ON_A_DISPLAY }, { "background", "000000", ON_A_DISPLAY },
	{ "stereo", "left", ON_A_DISPLAY }, { "focus", "last", ON_A_DISPLAY },
	{ "seat", "auto", ON_A_CARD }, { "headless", "800x480@59.831", HEADLESS },
	{ "frames", "none", HEADLESS } };

static const struct unless_said *find_unless_said(const struct row *row) {
	for (unsigned i = 0; i < sizeof(unless_said) / sizeof(unless_said[0]); i++) {
		if (strcmp(row->name, unless_said[i].name) == 0) {
			return &unless_said[i];
		}
	}
	return NULL;
}

/* What holds of a text, whether it was said or not; NULL: nothing that could be said. */
static const char *text_in_force(
		struct options *o, const struct row *row, char own[SOCKET_BYTES]) {
	const char *said = *text_at(o, row);
	if (said) {
		return said;
	}
	if (strcmp(row->name, "socket") == 0) {
		return options_socket(o, own);
	}
	if (strcmp(row->name, "display") == 0) {
		return options_has_card(o) ? "kms" : "none";
	}
	const struct unless_said *unless = find_unless_said(row);
	const bool is_headless = o->display && strcmp(o->display, "headless") == 0;
	const bool holds[] = { [ALWAYS] = true, [ON_A_CARD] = options_has_seat(o),
		[HEADLESS] = is_headless, [ON_A_DISPLAY] = is_headless || options_has_card(o) };
	return unless && holds[unless->where] ? unless->text : NULL;
}

/* A default that is said is no change. */
static bool is_same(struct options *a, struct options *b, const struct row *row) {
	char own_a[SOCKET_BYTES], own_b[SOCKET_BYTES];
	if (!is_text(row)) {
		return *number_at(a, row) == *number_at(b, row);
	}
	const char *x = text_in_force(a, row, own_a), *y = text_in_force(b, row, own_b);
	return x && y ? strcmp(x, y) == 0 : x == y;
}

static void name_fixed(struct options *a, struct options *b, char *names, size_t names_bytes) {
	size_t at = 0;
	for (unsigned i = 0; i < N_ROWS; i++) {
		if (rows[i].hold == FIXED && !is_same(a, b, &rows[i]) && at < names_bytes) {
			at += (size_t)snprintf(names + at, names_bytes - at, "%s%s", at ? "," : "",
					rows[i].name);
		}
	}
}

/* Exchanges what holds from the start on. */
static void swap_fixed(struct options *a, struct options *b) {
	for (unsigned i = 0; i < N_ROWS; i++) {
		const struct row *row = &rows[i];
		if (row->hold == LIVE) {
			continue;
		}
		if (is_text(row)) {
			char **x = text_at(a, row), **y = text_at(b, row), *text = *x;
			*x = *y;
			*y = text;
		} else {
			uint64_t *x = number_at(a, row), *y = number_at(b, row), number = *x;
			*x = *y;
			*y = number;
		}
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
	for (unsigned i = 0; i < N_ROWS; i++) {
		if (is_text(&rows[i])) {
			free(*text_at(o, &rows[i]));
		}
	}
	free(o->config);
}

/* A part of a pattern in braces: its own commas are none of theirs. */
static void print_part(const char *pattern, FILE *out) {
	unsigned depth = 0;
	for (const char *c = pattern; *c; c++) {
		if (*c == '\\' && c[1]) {
			fputc(*c++, out);
		} else if (*c == ',' && !depth) {
			fputc('\\', out);
		}
		depth += *c == '{';
		depth -= *c == '}' && depth;
		fputc(*c, out);
	}
}

/* All captures of the command line: as a configuration names several. */
static void print_captures(const struct options *o, FILE *out) {
	fputs("kiosk = {", out);
	print_part(o->kiosk, out);
	for (unsigned i = 0; i < o->n_more; i++) {
		fputc(',', out);
		print_part(o->more[i], out);
	}
	fputs("}\n", out);
}

void options_print(const struct options *o, FILE *out) {
	struct options copy = *o; /* to look through the same table; nothing is changed */
	fprintf(out, "[picad]\n");
	for (unsigned i = 0; i < N_ROWS; i++) {
		char own[SOCKET_BYTES];
		const struct row *row = &rows[i];
		const char *text = is_text(row) ? text_in_force(&copy, row, own) : NULL;
		const char *why = strstr(row->doc, "(default: ");
		const struct unless_said *unless = find_unless_said(row);
		if (!is_text(row)) {
			fprintf(out, "%s = %" PRIu64 "\n", row->name, *number_at(&copy, row));
		} else if (text == o->kiosk && o->n_more) {
			print_captures(o, out);
		} else if (text) {
			fprintf(out, "%s = %s\n", row->name, text);
		} else if (unless) {
			fprintf(out, "; %s: %s\n", row->name, unless->text);
		} else {
			why = why ? why + strlen("(default: ") : "not set)";
			fprintf(out, "; %s: %.*s\n", row->name, (int)strcspn(why, ")"), why);
		}
	}
}

/* ---- For the server ---- */

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
		say("access: expected user, group:NAME of a group that exists, or all, not \"%s\"",
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
	s->record_bytes = o->record_bytes;
	if (o->record && stat(o->record, &st) < 0) {
		say("record: %s: %s", o->record, strerror(errno));
		return -EINVAL;
	}
	if (o->record && !S_ISDIR(st.st_mode)) {
		say("record: %s: not a folder", o->record);
		return -EINVAL;
	}
	return 0;
}

static int check_memory(const struct options *o) {
	if (o->limits.region_bytes <= o->limits.memory_bytes) {
		return 0;
	}
	say("region: %" PRIu64 " bytes are more than the %" PRIu64 " that memory lets a session have",
			o->limits.region_bytes, o->limits.memory_bytes);
	return -EINVAL;
}

int options_apply(const struct options *o, struct server_settings *s) {
	server_settings_init(s);
	s->loop = o->loop ? (enum loop_kind)loop_kind_from_name(o->loop) : LOOP_AUTO;
	s->max_sessions = (uint32_t)o->max_sessions;
	s->user_sessions = (uint32_t)o->user_sessions;
	s->total_memory_bytes = o->total_memory;
	s->user_memory_bytes = o->user_memory;
	s->max_greeting = (uint32_t)o->max_greeting;
	s->hello_ns = o->hello_ms * 1000000;
	s->max_priority = (int32_t)o->max_priority;
	s->limits = o->limits;
	s->limits.cpu_ns_per_s = o->cpu_percent * 10000000;
	s->job_ns = o->job_seconds * 1000000000;
	s->limits.regions = (uint32_t)o->regions;
	s->limits.contexts = (uint32_t)o->contexts;
	s->limits.jobs = (uint32_t)o->jobs;
	s->limits.presents = (uint32_t)o->presents;
	s->device.n_threads = (uint32_t)o->threads;
	s->device.isa = o->isa;
	s->log_level = options_log_level(o);
	int ret = check_memory(o);
	ret = ret < 0 ? ret : apply_record(o, s);
	return ret < 0 ? ret : apply_access(o->access, s);
}

bool options_has_card(const struct options *o) {
	return o->display ? strcmp(o->display, "kms") == 0 : o->kiosk || o->exec;
}
