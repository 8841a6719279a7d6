#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "core/base/attributes.h"
#include "pictures/file.h"

enum { MAX_PLAN = 1 << 30 };

/* ---- Names ---- */

static const struct {
	const char *name;
	int exit;
	bool is_final;
} states[BATCH_STATE_COUNT] = {
	[BATCH_PASS] = { "pass", EXIT_FINE, true },
	[BATCH_DIFFERENT] = { "different", EXIT_DIFFERENT, true },
	[BATCH_UNREADABLE] = { "unreadable", EXIT_TROUBLE, true },
	[BATCH_REFUSED] = { "refused", EXIT_TROUBLE, true },
	[BATCH_BROKEN] = { "broken", EXIT_BAD_CAPTURE, true },
	[BATCH_TROUBLE] = { "trouble", EXIT_TROUBLE, false },
	[BATCH_MEMORY] = { "memory", EXIT_TROUBLE, false },
	[BATCH_CRASH] = { "crash", EXIT_TROUBLE, false },
	[BATCH_TIMEOUT] = { "timeout", EXIT_TIMEOUT, false },
	[BATCH_MISSING] = { "missing", EXIT_TROUBLE, false },
	[BATCH_UNUSED] = { "unused", EXIT_FINE, false },
};

const char *const batch_pictures_words[BATCH_PICTURES_COUNT + 1] = {
	[BATCH_PICTURES_WRONG] = "wrong",
	[BATCH_PICTURES_ALL] = "all",
	[BATCH_PICTURES_NONE] = "none",
};

const char *batch_state_name(enum batch_state state) {
	return states[state].name;
}

enum batch_state batch_state_from_name(const char *name) {
	unsigned i = 0;
	while (i < BATCH_STATE_COUNT && strcmp(states[i].name, name) != 0) {
		i++;
	}
	return (enum batch_state)i;
}

int batch_state_exit(enum batch_state state) {
	return states[state].exit;
}

bool batch_state_is_final(enum batch_state state) {
	return states[state].is_final;
}

const char *batch_unit_error(const struct batch_unit *unit) {
	return unit->error == -EINVAL ?
			"expected a capture in a regular file, this is a device or a pipe" :
	       unit->error == -EILSEQ ?
			"its golden pictures would have its name, which is not UTF-8" :
			strerror(-unit->error);
}

/* ---- From captures ---- */

static int hash_golden(const struct batch_settings *s, char text[BATCH_HASH]) {
	int ret = batch_hash_pictures(s->golden, text);
	return ret < 0 ? log_fail("--golden %s: %s", s->golden, strerror(-ret)) : EXIT_FINE;
}

/* All names in results must be UTF-8. */
static bool is_utf8(const char *text) {
	json_t *json = json_string(text);
	const bool is_utf8 = json;
	json_decref(json);
	return is_utf8;
}

static int hash_all(struct batch_plan *plan) {
	int exit = log_result("/proc/self/exe", batch_hash_program(plan->program));
	if (exit != EXIT_FINE) {
		return exit;
	}
	for (unsigned i = 0; i < plan->n; i++) {
		struct batch_unit *u = &plan->units[i];
		u->error = plan->settings.golden && !is_utf8(u->base) ?
				-EILSEQ :
				batch_hash_file(u->path, u->content, &u->size_bytes);
		if (u->error == -ENOMEM) {
			return log_no_memory();
		}
		log_progress("reading capture", i + 1, plan->n);
	}
	log_end();
	return batch_hash_keys(plan) < 0 ? log_no_memory() : EXIT_FINE;
}

static int compare_bases(const void *a, const void *b) {
	const struct batch_unit *x = *(const struct batch_unit *const *)a;
	const struct batch_unit *y = *(const struct batch_unit *const *)b;
	const int order = strcmp(x->base, y->base);
	return order ? order : strcmp(x->path, y->path);
}

/* Returns the length of the path without the extension, which capture_name() left out. */
static size_t stem_len(const struct batch_unit *u) {
	const char *slash = strrchr(u->path, '/'), *below = strrchr(u->base, '/');
	return (slash ? (size_t)(slash + 1 - u->path) : 0) +
			strlen(below ? below + 1 : u->base);
}

/* A capture and its conversion beside it, as x.ctf and x.pica. */
static bool is_adjacent(const struct batch_unit *a, const struct batch_unit *b) {
	const size_t len = stem_len(a);
	return len == stem_len(b) && strncmp(a->path, b->path, len) == 0;
}

static void leave_out(struct batch_unit *u, const struct batch_unit *by) {
	log_line("%s: left out, its golden pictures are those of %s", u->path, by->path);
	free(u->path);
	free(u->base);
	u->path = u->base = NULL;
}

/*
 * Golden pictures are found by name, so two captures must not have the same name. A capture and its
 * conversion may: they share golden pictures, and only one of them is drawn when blessing.
 */
static int check_bases(struct batch_plan *plan) {
	struct batch_unit **unit = calloc(plan->n + 1, sizeof(*unit));
	if (!unit) {
		return log_no_memory();
	}
	for (unsigned i = 0; i < plan->n; i++) {
		unit[i] = &plan->units[i];
	}
	qsort(unit, plan->n, sizeof(*unit), compare_bases);
	int exit = EXIT_FINE;
	for (unsigned i = 1; exit == EXIT_FINE && i < plan->n; i++) {
		if (strcmp(unit[i - 1]->base, unit[i]->base) != 0) {
			continue;
		}
		if (is_adjacent(unit[i - 1], unit[i])) {
			if (plan->settings.bless) {
				leave_out(unit[i - 1], unit[i]);
			}
		} else {
			exit = log_fail("%s and %s: both are named %s, and so would be their golden pictures: rename one, or "
			     "give them golden folders of their own",
					unit[i - 1]->path, unit[i]->path, unit[i]->base);
		}
	}
	free(unit);
	unsigned kept = 0;
	for (unsigned i = 0; i < plan->n; i++) {
		if (plan->units[i].path) {
			plan->units[kept++] = plan->units[i];
		}
	}
	plan->n = kept;
	return exit;
}

int batch_plan_make(struct batch_plan *plan, const struct batch_settings *settings, char **args,
		unsigned n) {
	*plan = (struct batch_plan){ .settings = *settings };
	int exit = batch_inputs_find(plan, args, n);
	if (exit == EXIT_FINE && settings->golden) {
		exit = check_bases(plan);
	}
	return exit == EXIT_FINE ? hash_all(plan) : exit;
}

void batch_plan_finish(struct batch_plan *plan) {
	for (unsigned i = 0; i < plan->n; i++) {
		free(plan->units[i].path);
		free(plan->units[i].base);
	}
	free(plan->units);
	json_decref(plan->json);
	*plan = (struct batch_plan){ .units = NULL };
}

/* ---- As a file ---- */

/* golden_hash: of the golden pictures, if any. */
static json_t *settings_json(const struct batch_settings *s, const char *golden_hash) {
	json_t *json = json_pack("{ss sb ss ss ss}", "frames", s->frames_text, "verify", s->verify,
			"pictures", batch_pictures_words[s->pictures], "float",
			float_words[s->float_mode], "combiner", combiner_words[s->combiner]);
	if (s->golden) {
		json_object_set_new(json, "golden", json_string(s->golden));
		json_object_set_new(json, "golden_hash", json_string(golden_hash));
		json_object_set_new(json, "tolerance", json_integer(s->tolerance));
		json_object_set_new(json, "pixels", json_integer(s->allowed));
	}
	return json;
}

int batch_plan_save(const struct batch_plan *plan, const char *path) {
	char golden[BATCH_HASH] = "";
	if (plan->settings.golden && hash_golden(&plan->settings, golden) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	json_t *report = json_report("batch plan"), *units = json_array();
	int exit = EXIT_FINE;
	json_object_set_new(report, "program", json_string(plan->program));
	json_object_set_new(report, "settings", settings_json(&plan->settings, golden));
	if (plan->settings.golden &&
			!json_object_get(json_object_get(report, "settings"), "golden")) {
		exit = log_fail("--golden %s: a plan holds UTF-8 names only", plan->settings.golden);
	}
	for (unsigned i = 0; i < plan->n; i++) {
		const struct batch_unit *u = &plan->units[i];
		json_t *row = json_pack("{ss ss ss sI}", "path", u->path, "base", u->base,
				"content", u->content, "size", (json_int_t)u->size_bytes);
		if (file_is_same(u->path, path)) {
			exit = log_fail("-o %s: this is a capture, not overwritten", path);
		}
		if (u->error || !row) {
			exit = log_fail("%s: %s", u->path,
				u->error ? batch_unit_error(u) : "a plan holds UTF-8 names only");
		}
		json_array_append_new(units, row);
	}
	json_object_set_new(report, "units", units);
	if (exit != EXIT_FINE) {
		json_decref(report);
		return exit;
	}
	return log_result(path, json_write(report, path));
}

/* A member of an object of a plan. */
struct member {
	const char *name;
	json_type type; /* JSON_TRUE: true or false */
	const char *expected;
	bool of_golden; /* all of these exist, or none */
};

static const struct member plan_members[] = {
	{ "schema", JSON_INTEGER, "a number", false },
	{ "program", JSON_STRING, "a hash", false },
	{ "version", JSON_STRING, "a version", false },
	{ "verb", JSON_STRING, "a verb", false },
	{ "settings", JSON_OBJECT, "an object", false },
	{ "units", JSON_ARRAY, "an array", false },
};
static const struct member settings_members[] = {
	{ "frames", JSON_STRING, "a list of frames", false },
	{ "verify", JSON_TRUE, "true or false", false },
	{ "pictures", JSON_STRING, "all, wrong or none", false },
	{ "float", JSON_STRING, "f24 or f32", false },
	{ "combiner", JSON_STRING, "nearest or truncate", false },
	{ "golden", JSON_STRING, "a folder", true },
	{ "golden_hash", JSON_STRING, "a hash", true },
	{ "tolerance", JSON_INTEGER, "a number up to 255", true },
	{ "pixels", JSON_INTEGER, "a number of pixels", true },
};
static const struct member unit_members[] = {
	{ "path", JSON_STRING, "a path", false },
	{ "base", JSON_STRING, "a name", false },
	{ "content", JSON_STRING, "a hash", false },
	{ "size", JSON_INTEGER, "a size", false },
};

/*
 * Refuses missing and unknown members, with which less might be done than the plan's author
 * intended. where: prefix of the name, such as "settings.".
 */
static int check_members(const char *path, const char *where, const json_t *object,
		const struct member *members, unsigned n) {
	bool has_golden = false;
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)object, name, value) {
		unsigned i = 0;
		while (i < n && strcmp(members[i].name, name) != 0) {
			i++;
		}
		if (i == n) {
			return log_fail("%s: %s%s: a plan has no such member", path, where, name);
		}
		const json_type type = json_is_false(value) ? JSON_TRUE : json_typeof(value);
		if (type != members[i].type) {
			return log_fail("%s: %s%s: expected %s", path, where, name,
					members[i].expected);
		}
		has_golden = has_golden || members[i].of_golden;
	}
	for (unsigned i = 0; i < n; i++) {
		if ((has_golden || !members[i].of_golden) &&
				!json_object_get(object, members[i].name)) {
			return log_fail("%s: %s%s: missing", path, where, members[i].name);
		}
	}
	return EXIT_FINE;
}

/* Loads the members in the table. Returns the error, or NULL. */
static const char *load_settings(struct batch_settings *s, const json_t *json) {
	unsigned pictures = 0, mode = 0, combiner = 0;
	const char *hash = json_text_of(json, "golden_hash");
	const json_int_t tolerance = json_number_of(json, "tolerance");
	const json_int_t allowed = json_number_of(json, "pixels");
	*s = (struct batch_settings){ .frames_text = json_text_of(json, "frames"),
		.golden = json_text_of(json, "golden"),
		.verify = json_is_true(json_object_get(json, "verify")) };
	if (frame_list_parse(&s->frames, s->frames_text)) {
		return "settings.frames: expected a list of frames";
	}
	if (!option_word(batch_pictures_words, json_text_of(json, "pictures"), &pictures)) {
		return "settings.pictures: expected all, wrong or none";
	}
	if (!option_word(float_words, json_text_of(json, "float"), &mode)) {
		return "settings.float: expected f24 or f32";
	}
	if (!option_word(combiner_words, json_text_of(json, "combiner"), &combiner)) {
		return "settings.combiner: expected nearest or truncate";
	}
	if (tolerance < 0 || tolerance > 255 || allowed < 0 || allowed > UINT32_MAX) {
		return "settings: expected tolerance and pixels in their ranges";
	}
	if (hash && !batch_is_hash(hash)) {
		return "settings.golden_hash: expected 32 hexadecimal digits";
	}
	snprintf(s->golden_hash, sizeof(s->golden_hash), "%s", hash ? hash : "");
	s->tolerance = (uint32_t)tolerance;
	s->allowed = (uint32_t)allowed;
	s->pictures = (enum batch_pictures)pictures;
	s->float_mode = (enum pica_float)mode;
	s->combiner = (enum pica_combiner)combiner;
	return NULL;
}

/* Returns the error, or NULL. */
static const char *load_unit(struct batch_unit *u, const json_t *row) {
	const char *content = json_text_of(row, "content");
	const json_int_t size = json_number_of(row, "size");
	if (!*json_text_of(row, "path") || !batch_is_hash(content) || size < 0) {
		return "expected path, base, content and size";
	}
	snprintf(u->content, sizeof(u->content), "%s", content);
	u->size_bytes = (uint64_t)size;
	u->path = strdup(json_text_of(row, "path"));
	u->base = strdup(json_text_of(row, "base"));
	return u->path && u->base ? NULL : strerror(ENOMEM);
}

static int load_units(struct batch_plan *plan, const char *path, const json_t *units) {
	plan->cap = json_array_size(units);
	plan->units = calloc(plan->cap + 1, sizeof(*plan->units));
	if (!plan->units) {
		return log_no_memory();
	}
	for (unsigned i = 0; i < plan->cap; i++) {
		struct batch_unit *u = &plan->units[plan->n++];
		const json_t *row = json_array_get(units, i);
		char where[32];
		snprintf(where, sizeof(where), "unit %u: ", i);
		int exit = check_members(path, where, row, unit_members, ARRAY_LEN(unit_members));
		if (exit != EXIT_FINE) {
			return exit;
		}
		const char *error = load_unit(u, row);
		if (!error && i && strcmp(plan->units[i - 1].path, u->path) >= 0) {
			error = "expected units sorted by path";
		}
		if (error) {
			return log_fail("%s: %s%s", path, where, error);
		}
	}
	if (!plan->n) {
		return log_fail("%s: it has no units", path);
	}
	return batch_hash_keys(plan) < 0 ? log_no_memory() : EXIT_FINE;
}

/* Results of different programs or golden pictures cannot be merged. */
static int check_same(struct batch_plan *plan, const char *path) {
	char program[BATCH_HASH], golden[BATCH_HASH];
	int ret = batch_hash_program(program);
	if (ret < 0 || strcmp(program, plan->program) != 0) {
		return log_fail("%s: made by another build of this program; make a new plan, and run it with the same "
		     "file everywhere",
				path);
	}
	if (plan->settings.golden && hash_golden(&plan->settings, golden) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	if (plan->settings.golden && strcmp(golden, plan->settings.golden_hash) != 0) {
		return log_fail("%s: the pictures in %s are not those of the plan", path,
				plan->settings.golden);
	}
	return EXIT_FINE;
}

int batch_plan_load(struct batch_plan *plan, const char *path, bool is_run) {
	void *data;
	size_t size;
	json_error_t error;
	*plan = (struct batch_plan){ .units = NULL };
	int ret = file_read(path, &data, &size, MAX_PLAN);
	if (ret < 0) {
		return log_result(path, ret);
	}
	plan->json = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
	free(data);
	if (!plan->json) {
		return log_fail("%s: line %d: %s", path, error.line, error.text);
	}
	const json_t *json = plan->json;
	const char *verb = json_text_of(json, "verb"), *program = json_text_of(json, "program");
	if (!verb || strcmp(verb, "batch plan") != 0 || !program || !batch_is_hash(program) ||
			json_number_of(json, "schema") != JSON_SCHEMA) {
		return log_fail("%s: expected a plan, as `pica batch plan' writes it", path);
	}
	snprintf(plan->program, sizeof(plan->program), "%s", program);
	const json_t *settings = json_object_get(json, "settings");
	int exit = check_members(path, "", json, plan_members, ARRAY_LEN(plan_members));
	if (exit == EXIT_FINE) {
		exit = check_members(path, "settings.", settings, settings_members,
				ARRAY_LEN(settings_members));
	}
	const char *wrong = exit == EXIT_FINE ? load_settings(&plan->settings, settings) : NULL;
	if (wrong) {
		exit = log_fail("%s: %s", path, wrong);
	}
	if (exit == EXIT_FINE) {
		exit = load_units(plan, path, json_object_get(json, "units"));
	}
	return exit == EXIT_FINE && is_run ? check_same(plan, path) : exit;
}

/* ---- Shards ---- */

static int compare_sizes(const void *a, const void *b) {
	const struct batch_unit *x = *(struct batch_unit *const *)a,
				*y = *(struct batch_unit *const *)b;
	if (x->size_bytes != y->size_bytes) {
		return x->size_bytes > y->size_bytes ? -1 : 1;
	}
	return x < y ? -1 : x > y; /* that is by path */
}

/* Returns the least loaded shard, which gets the largest remaining unit. */
static unsigned lightest(const uint64_t *load, unsigned n_shards) {
	unsigned best = 0;
	for (unsigned i = 1; i < n_shards; i++) {
		best = load[i] < load[best] ? i : best;
	}
	return best;
}

int batch_plan_shard(
		const struct batch_plan *plan, unsigned shard, unsigned n_shards, unsigned **out) {
	struct batch_unit **sorted = calloc((size_t)plan->n + 1, sizeof(*sorted));
	uint64_t *load = calloc(n_shards, sizeof(*load));
	unsigned *list = calloc((size_t)plan->n + 1, sizeof(*list));
	int n = sorted && load && list ? 0 : -ENOMEM;
	unsigned n_sorted = 0;
	for (unsigned i = 0; n == 0 && i < plan->n; i++) {
		if (plan->units[i].first == i && !plan->units[i].error) {
			sorted[n_sorted++] = &plan->units[i];
		}
	}
	if (n == 0) {
		qsort(sorted, n_sorted, sizeof(*sorted), compare_sizes);
	}
	for (unsigned i = 0; i < n_sorted; i++) {
		const unsigned to = lightest(load, n_shards);
		load[to] += sorted[i]->size_bytes + 1;
		if (to == shard) {
			list[n++] = (unsigned)(sorted[i] - plan->units);
		}
	}
	free(sorted);
	free(load);
	if (n < 0) {
		free(list);
		list = NULL;
	}
	*out = list;
	return n;
}
