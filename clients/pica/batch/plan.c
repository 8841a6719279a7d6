#include "batch.h"

#include <errno.h>
#include <stdio.h>
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
	[BATCH_REFUSED] = { "refused", EXIT_TROUBLE, true },
	[BATCH_BROKEN] = { "broken", EXIT_BAD_CAPTURE, true },
	[BATCH_TROUBLE] = { "trouble", EXIT_TROUBLE, false },
	[BATCH_MEMORY] = { "memory", EXIT_TROUBLE, false },
	[BATCH_CRASH] = { "crash", EXIT_TROUBLE, false },
	[BATCH_TIMEOUT] = { "timeout", EXIT_TIMEOUT, false },
	[BATCH_MISSING] = { "missing", EXIT_TROUBLE, false },
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

enum batch_pictures batch_pictures_from_name(const char *name) {
	unsigned i = 0;
	while (i < BATCH_PICTURES_COUNT && strcmp(batch_pictures_words[i], name) != 0) {
		i++;
	}
	return (enum batch_pictures)i;
}

const char *batch_unit_error(const struct batch_unit *unit) {
	return unit->error == -EINVAL ?
			"expected a capture in a regular file, this is a device or a pipe" :
	       unit->error == -EILSEQ ?
			"its golden pictures would have its name, which is not UTF-8" :
			strerror(-unit->error);
}

/* ---- From captures ---- */

static int out_of_memory(void) {
	log_line("%s", strerror(ENOMEM));
	return EXIT_TROUBLE;
}

static int hash_golden(const struct batch_settings *s, char text[BATCH_HASH]) {
	int ret = batch_hash_pictures(s->golden, text);
	if (ret < 0) {
		log_line("--golden %s: %s", s->golden, strerror(-ret));
	}
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

/* As all names in results are. */
static bool is_utf8(const char *text) {
	json_t *json = json_string(text);
	const bool is_utf8 = json;
	json_decref(json);
	return is_utf8;
}

static int hash_all(struct batch_plan *plan) {
	int ret = batch_hash_program(plan->program);
	if (ret < 0) {
		log_line("/proc/self/exe: %s", strerror(-ret));
		return EXIT_TROUBLE;
	}
	for (unsigned i = 0; i < plan->n; i++) {
		struct batch_unit *u = &plan->units[i];
		u->error = plan->settings.golden && !is_utf8(u->base) ?
				-EILSEQ :
				batch_hash_file(u->path, u->content, &u->size_bytes);
		if (u->error == -ENOMEM) {
			return out_of_memory();
		}
		log_progress("reading capture", i + 1, plan->n);
	}
	log_end();
	return batch_hash_keys(plan) < 0 ? out_of_memory() : EXIT_FINE;
}

static int compare_bases(const void *a, const void *b) {
	const struct batch_unit *x = *(const struct batch_unit *const *)a;
	const struct batch_unit *y = *(const struct batch_unit *const *)b;
	const int order = strcmp(x->base, y->base);
	return order ? order : strcmp(x->path, y->path);
}

/* The end of the name without its extension in a path: capture_name() left out the rest. */
static size_t stem_len(const struct batch_unit *u) {
	const char *slash = strrchr(u->path, '/'), *below = strrchr(u->base, '/');
	return (slash ? (size_t)(slash + 1 - u->path) : 0) +
			strlen(below ? below + 1 : u->base);
}

/* A capture and its conversion beside it, as x.ctf and x.pica. */
static bool is_beside(const struct batch_unit *a, const struct batch_unit *b) {
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
 * Golden pictures are found by name. A capture and its conversion share theirs; one of them is
 * blessed.
 */
static int check_bases(struct batch_plan *plan) {
	struct batch_unit **unit = calloc(plan->n + 1, sizeof(*unit));
	if (!unit) {
		return out_of_memory();
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
		if (is_beside(unit[i - 1], unit[i])) {
			if (plan->settings.bless) {
				leave_out(unit[i - 1], unit[i]);
			}
		} else {
			log_line("%s and %s: both are named %s, and so would be their golden pictures: rename one, or "
			     "give them golden folders of their own",
					unit[i - 1]->path, unit[i]->path, unit[i]->base);
			exit = EXIT_TROUBLE;
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

/* golden_hash: of the golden pictures, where there are such. */
static json_t *settings_json(const struct batch_settings *s, const char *golden_hash) {
	json_t *json = json_pack("{ss sb ss ss ss}", "frames", s->frames_text, "verify", s->verify,
			"pictures", batch_pictures_words[s->pictures], "float",
			s->float_mode == PICA_FLOAT_F32 ? "f32" : "f24", "combiner",
			s->combiner == PICA_COMBINER_TRUNCATE ? "truncate" : "nearest");
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
		log_line("--golden %s: a plan holds UTF-8 names only", plan->settings.golden);
		exit = EXIT_TROUBLE;
	}
	for (unsigned i = 0; i < plan->n; i++) {
		const struct batch_unit *u = &plan->units[i];
		json_t *row = json_pack("{ss ss ss sI}", "path", u->path, "base", u->base,
				"content", u->content, "size", (json_int_t)u->size_bytes);
		if (file_is_same(u->path, path)) {
			log_line("-o %s: this is a capture, not replaced", path);
			exit = EXIT_TROUBLE;
		}
		if (u->error || !row) {
			log_line("%s: %s", u->path,
				u->error ? batch_unit_error(u) : "a plan holds UTF-8 names only");
			exit = EXIT_TROUBLE;
		}
		json_array_append_new(units, row);
	}
	json_object_set_new(report, "units", units);
	char *text = exit == EXIT_FINE ? json_dumps(report, JSON_INDENT(1)) : NULL;
	json_decref(report);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = text ? file_write(path, text, strlen(text)) : -ENOMEM;
	free(text);
	if (ret < 0) {
		log_line("%s: %s", path, strerror(-ret));
	}
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

/* The text of a member, or NULL. */
static const char *text_of(const json_t *object, const char *name) {
	return json_string_value(json_object_get(object, name));
}

/* A number of a member up to max; absent: 0. */
static bool number_of(const json_t *object, const char *name, uint64_t max, uint64_t *out) {
	const json_t *value = json_object_get(object, name);
	*out = value ? (uint64_t)json_integer_value(value) : 0;
	return !value || (json_is_integer(value) && json_integer_value(value) >= 0 && *out <= max);
}

static const char *const plan_members[] = { "schema", "program", "version", "verb", "settings",
	"units" };
static const char *const settings_members[] = { "frames", "verify", "pictures", "float",
	"combiner" };
static const char *const golden_members[] = { "golden", "golden_hash", "tolerance", "pixels" };
static const char *const unit_members[] = { "path", "base", "content", "size" };

static bool is_one_of(const char *const *names, unsigned n, const char *name) {
	unsigned i = 0;
	while (i < n && strcmp(names[i], name) != 0) {
		i++;
	}
	return i < n;
}

/*
 * A missing or unknown member could mean that less is done than the plan's author thinks: both are
 * refused. The second list's members come together or not at all. where: before the name, as
 * "settings.".
 */
static bool has_members(const char *path, const char *where, const json_t *object,
		const char *const *names, unsigned n, const char *const *more, unsigned n_more) {
	bool has_more = false;
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)object, name, value) {
		has_more = has_more || is_one_of(more, n_more, name);
		if (!is_one_of(names, n, name) && !is_one_of(more, n_more, name)) {
			log_line("%s: %s%s: a plan has no such member", path, where, name);
			return false;
		}
	}
	for (unsigned i = 0; i < n + (has_more ? n_more : 0); i++) {
		name = i < n ? names[i] : more[i - n];
		if (!json_object_get(object, name)) {
			log_line("%s: %s%s: missing", path, where, name);
			return false;
		}
	}
	return true;
}

/* Returns the error, or NULL. */
static const char *load_settings(struct batch_settings *s, const json_t *json) {
	const char *pictures = text_of(json, "pictures"), *mode = text_of(json, "float");
	const char *combiner = text_of(json, "combiner"), *hash = text_of(json, "golden_hash");
	uint64_t tolerance, allowed;
	*s = (struct batch_settings){ .frames_text = text_of(json, "frames"),
		.golden = text_of(json, "golden") };
	if (!s->frames_text || frame_list_parse(&s->frames, s->frames_text)) {
		return "settings.frames: expected a list of frames";
	}
	s->pictures = pictures ? batch_pictures_from_name(pictures) : BATCH_PICTURES_COUNT;
	if (s->pictures == BATCH_PICTURES_COUNT) {
		return "settings.pictures: expected all, wrong or none";
	}
	if (!mode || (strcmp(mode, "f24") != 0 && strcmp(mode, "f32") != 0)) {
		return "settings.float: expected f24 or f32";
	}
	if (!combiner || (strcmp(combiner, "nearest") != 0 && strcmp(combiner, "truncate") != 0)) {
		return "settings.combiner: expected nearest or truncate";
	}
	if (!json_is_boolean(json_object_get(json, "verify"))) {
		return "settings.verify: expected true or false";
	}
	if (!!s->golden != !!json_object_get(json, "golden")) {
		return "settings.golden: expected a folder";
	}
	if (!number_of(json, "tolerance", 255, &tolerance) ||
		!number_of(json, "pixels", UINT32_MAX, &allowed)) {
		return "settings: expected tolerance and pixels in their ranges";
	}
	if (s->golden && (!hash || !batch_is_hash(hash))) {
		return "settings.golden_hash: expected 32 hexadecimal digits";
	}
	snprintf(s->golden_hash, sizeof(s->golden_hash), "%s", s->golden ? hash : "");
	s->verify = json_is_true(json_object_get(json, "verify"));
	s->tolerance = (uint32_t)tolerance;
	s->allowed = (uint32_t)allowed;
	s->float_mode = strcmp(mode, "f32") == 0 ? PICA_FLOAT_F32 : PICA_FLOAT_F24;
	s->combiner = strcmp(combiner, "truncate") == 0 ? PICA_COMBINER_TRUNCATE :
							  PICA_COMBINER_NEAREST;
	return NULL;
}

static const char *load_unit(struct batch_unit *u, const json_t *row) {
	const char *path = text_of(row, "path"), *base = text_of(row, "base"),
		   *content = text_of(row, "content");
	if (!path || !*path || !base || !content || !batch_is_hash(content) ||
		!number_of(row, "size", INT64_MAX, &u->size_bytes)) {
		return "expected path, base, content and size";
	}
	snprintf(u->content, sizeof(u->content), "%s", content);
	u->path = strdup(path);
	u->base = strdup(base);
	return u->path && u->base ? NULL : strerror(ENOMEM);
}

static int load_units(struct batch_plan *plan, const char *path, const json_t *units) {
	plan->cap = json_array_size(units);
	plan->units = calloc(plan->cap + 1, sizeof(*plan->units));
	if (!plan->units) {
		return out_of_memory();
	}
	for (unsigned i = 0; i < plan->cap; i++) {
		struct batch_unit *u = &plan->units[plan->n++];
		const json_t *row = json_array_get(units, i);
		char where[32];
		snprintf(where, sizeof(where), "unit %u: ", i);
		if (!has_members(path, where, row, unit_members, ARRAY_LEN(unit_members), NULL,
				    0)) {
			return EXIT_TROUBLE;
		}
		const char *error = load_unit(u, row);
		if (!error && i && strcmp(plan->units[i - 1].path, u->path) >= 0) {
			error = "expected units sorted by path";
		}
		if (error) {
			log_line("%s: unit %u: %s", path, i, error);
			return EXIT_TROUBLE;
		}
	}
	if (!plan->n) {
		log_line("%s: it has no units", path);
		return EXIT_TROUBLE;
	}
	return batch_hash_keys(plan) < 0 ? out_of_memory() : EXIT_FINE;
}

/* Results of another program, or of other golden pictures, would be of no use together. */
static int check_same(struct batch_plan *plan, const char *path) {
	char program[BATCH_HASH], golden[BATCH_HASH];
	int ret = batch_hash_program(program);
	if (ret < 0 || strcmp(program, plan->program) != 0) {
		log_line("%s: made by another build of this program; make a new plan, and run it with the same "
		     "file everywhere",
				path);
		return EXIT_TROUBLE;
	}
	if (plan->settings.golden && hash_golden(&plan->settings, golden) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	if (plan->settings.golden && strcmp(golden, plan->settings.golden_hash) != 0) {
		log_line("%s: the pictures in %s are not those of the plan", path,
				plan->settings.golden);
		return EXIT_TROUBLE;
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
		log_line("%s: %s", path, strerror(-ret));
		return EXIT_TROUBLE;
	}
	plan->json = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
	free(data);
	if (!plan->json) {
		log_line("%s: line %d: %s", path, error.line, error.text);
		return EXIT_TROUBLE;
	}
	const json_t *json = plan->json;
	const char *verb = text_of(json, "verb"), *program = text_of(json, "program");
	const json_t *units = json_object_get(json, "units");
	if (!verb || strcmp(verb, "batch plan") != 0 || !program || !batch_is_hash(program) ||
			!json_is_array(units) ||
			json_integer_value(json_object_get(json, "schema")) != JSON_SCHEMA) {
		log_line("%s: expected a plan, as `pica batch plan' writes it", path);
		return EXIT_TROUBLE;
	}
	snprintf(plan->program, sizeof(plan->program), "%s", program);
	const json_t *settings = json_object_get(json, "settings");
	if (!has_members(path, "", json, plan_members, ARRAY_LEN(plan_members), NULL, 0) ||
			!has_members(path, "settings.", settings, settings_members,
					ARRAY_LEN(settings_members), golden_members,
					ARRAY_LEN(golden_members))) {
		return EXIT_TROUBLE;
	}
	const char *wrong = load_settings(&plan->settings, settings);
	if (wrong) {
		log_line("%s: %s", path, wrong);
		return EXIT_TROUBLE;
	}
	int exit = load_units(plan, path, units);
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

/* The largest unit that is left goes to the shard that has least. */
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
