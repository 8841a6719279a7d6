#include "diff.h"

#include <string.h>

#include "core/vec/cpu.h"

static const char one_or_two[] = "two files, or one capture and --a or --b";

/* Names of the engine's options without dashes; returns the error, or NULL. */
static const char *set_engine(struct engine_options *e, const char *name, char *value) {
	const char *error = "expected settings of isa, threads, float, combiner";
	if (strcmp(name, engine_threads_row.name) == 0) {
		e->given |= ENGINE_THREADS;
		error = option_set(e, &engine_threads_row, value);
	}
	for (unsigned i = 0; i < ENGINE_KERNEL_ROWS; i++) {
		const struct option_row *row = &engine_kernel_rows[i];
		if (row->kind != OPTION_FLAG && strcmp(name, row->name) == 0) {
			error = option_set(e, row, value);
		}
	}
	return error;
}

/* "isa=c,threads=0,float=f32,combiner=truncate"; arg becomes the wrong setting. */
static const char *parse_settings(void *engine, char *arg) {
	const char *error = NULL;
	char *rest = arg, *item = NULL;
	while (!error && (item = strsep(&rest, ","))) {
		char *value = strchr(item, '=');
		if (!value) {
			error = "expected SETTING=VALUE,...";
			break;
		}
		*value = '\0';
		error = set_engine(engine, item, value + 1);
		*value = '=';
	}
	if (error) {
		memmove(arg, item, strlen(item) + 1);
	}
	return error;
}

static void check(void *input, struct option_args args) {
	struct diff_options *o = input;
	o->n_paths = args.n;
	memcpy(o->path, args.v, args.n * sizeof(args.v[0]));
	if (o->n_paths == 1 && !o->given) {
		options_fail("%s: expected %s", o->path[0], one_or_two);
	}
	o->engine[1].verbose = o->engine[0].verbose;
}

#define ISA_SETTING(id, set, name, runs, a, b) "isa=" name,
static const char *const settings_words[] = { "isa=c", ISA_USER_SETS(ISA_SETTING, , )
	"threads=0", "float=f24", "float=f32", "combiner=nearest", "combiner=truncate", NULL };

#define AT(member) offsetof(struct diff_options, member)

static const struct option_row rows[] = {
	{ "a", 0, "SETTINGS", "How A is drawn: isa=c,threads=0,float=f32,...", OPTION_CALL,
			.at = AT(engine[0]), .words = settings_words, .parse = parse_settings,
					.given = 1 },
	{ "b", 0, "SETTINGS", "How B is drawn", OPTION_CALL, .at = AT(engine[1]),
			.words = settings_words, .parse = parse_settings, .given = 2 },
	FRAMES_ROW(AT(frames), "all"),
	{ "tolerance", 0, "N", "Channels may differ by so much (default: 0)", OPTION_U32,
			.at = AT(tolerance), 0, 255 },
	{ "pixels", 0, "N", "Pixels that may differ by more (default: 0)", OPTION_U32, .at = AT(allowed),
			0, UINT32_MAX, .expected = "a number of pixels" },
	{ "every-draw", 0, NULL, "Compare after each draw, not only screens", OPTION_FLAG,
			.at = AT(every_draw) },
	{ "brief", 0, NULL, "Leave out the states of A and B at that draw", OPTION_FLAG, .at = AT(brief) },
	{ "output", 'o', "FOLDER", "Write both pictures and their difference there", OPTION_TEXT,
			.at = AT(output) },
	JSON_ROW(AT(json)),
	PROGRESS_ROW(AT(progress),
			false),
	{ "verbose", 'v', NULL, "Print the library's log", OPTION_FLAG,
			.at = AT(engine[0].verbose) },
};

void diff_options_parse(struct diff_options *o, int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "A [B]",
		.doc = "Compares two captures, a capture drawn in two ways, a capture with saved hashes "
		       "(of pica render --format hash), or two PNG pictures. Tells the first frame, draw "
		       "and pixel that differ.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)) },
		.min_args = 1,
		.max_args = 2,
		.expected = one_or_two,
		.at_most = "two files, or one capture",
		.check = check,
	};
	*o = (struct diff_options){ .n_paths = 0 };
	engine_options_init(&o->engine[0]);
	engine_options_init(&o->engine[1]);
	o->engine[0].isa_option = "--a isa=";
	o->engine[1].isa_option = "--b isa=";
	frame_list_parse(&o->frames, "all");
	options_parse(&spec, argc, argv, o);
}
