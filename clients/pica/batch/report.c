#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "common/json.h"
#include "core/base/attributes.h"
#include "pictures/file.h"
#include "pictures/plain.h"

/* ---- Rows ---- */

static int load_row(struct batch_row *row, const struct batch_unit *unit,
		const struct batch_store *store) {
	*row = (struct batch_row){
		.unit = unit, .name = json_utf8(unit->path), .state = BATCH_MISSING, .what = ""
	};
	row->folder = batch_store_path(store, unit->key, NULL);
	if (!row->name || !row->folder) {
		return -ENOMEM;
	}
	if (unit->error) {
		row->state = BATCH_TROUBLE;
		row->what = batch_unit_error(unit);
		return 0;
	}
	row->result = batch_store_load(store, unit->key, &row->what);
	if (row->result) {
		row->state = batch_result_state(row->result);
		row->run = batch_store_load_run(store, unit->key);
		row->seconds = json_number_value(json_object_get(row->run, "seconds"));
	}
	return 0;
}

/* Returns whether a unit that could not be compared may have a golden picture of that name. */
static bool may_have(const struct batch_row *row, const char *name) {
	const size_t len = strlen(row->unit->base);
	return strncmp(name, row->unit->base, len) == 0 && name[len] == '-' &&
	       json_object_size(json_object_get(row->result, "golden")) == 0;
}

static int add_unused(struct batch_report *report, const char *name) {
	const unsigned n = report->n - report->counts[BATCH_UNUSED];
	for (unsigned i = 0; i < n; i++) {
		if (may_have(&report->rows[i], name)) {
			return 0;
		}
	}
	struct batch_row *rows = realloc(report->rows, (report->n + 1) * sizeof(*rows));
	report->rows = rows ? rows : report->rows;
	char *path = rows ? file_in(report->plan->settings.golden, name) : NULL;
	if (!path) {
		return -ENOMEM;
	}
	rows[report->n++] = (struct batch_row){ .name = path, .state = BATCH_UNUSED,
		.what = "no capture of this batch has this golden picture" };
	report->counts[BATCH_UNUSED]++;
	return 0;
}

/* Adds the golden pictures of no capture. */
static int load_unused(struct batch_report *report) {
	json_t *used = json_object(), *names = json_array();
	int ret = used && names ? 0 : -ENOMEM;
	for (unsigned i = 0; i < report->n; i++) {
		json_object_update(used, json_object_get(report->rows[i].result, "golden"));
	}
	ret = ret < 0 ? ret : batch_golden_unused(&report->plan->settings, used, names);
	const json_t *name;
	size_t i;
	json_array_foreach(names, i, name) {
		ret = ret < 0 ? ret : add_unused(report, json_string_value(name));
	}
	json_decref(used);
	json_decref(names);
	return ret;
}

int batch_report_load(struct batch_report *report, const struct batch_plan *plan,
		const struct batch_store *store, const char *command) {
	*report = (struct batch_report){ .plan = plan,
		.command = command,
		.rows = calloc((size_t)plan->n + 1, sizeof(*report->rows)) };
	int ret = report->rows ? 0 : -ENOMEM;
	for (unsigned i = 0; ret == 0 && i < plan->n; i++) {
		struct batch_row *row = &report->rows[report->n++];
		ret = load_row(row, &plan->units[i], store);
		report->counts[row->state]++;
		/* Units that share a result had one run. */
		report->seconds += plan->units[i].first == i ? row->seconds : 0;
	}
	return ret == 0 && plan->settings.golden ? load_unused(report) : ret;
}

void batch_report_finish(struct batch_report *report) {
	for (unsigned i = 0; i < report->n; i++) {
		free(report->rows[i].name);
		free(report->rows[i].folder);
		json_decref(report->rows[i].result);
		json_decref(report->rows[i].run);
	}
	free(report->rows);
	*report = (struct batch_report){ .rows = NULL };
}

const char *batch_row_message(const struct batch_row *row, size_t i) {
	if (row->result) {
		const json_t *messages = json_object_get(row->result, "messages");
		return json_string_value(json_array_get(messages, i));
	}
	return i ? NULL : row->what && *row->what ? row->what : "no result";
}

/* ---- Files ---- */

/* Nothing in it depends on time, machine, or the number of processes. */
static int jsonl_row(FILE *f, const struct batch_row *row) {
	json_t *line = json_pack("{si ss ss}", "schema", JSON_SCHEMA, "unit", row->name, "state",
			batch_state_name(row->state));
	if (row->result) {
		json_object_update_missing(line, row->result);
	} else {
		json_object_set_new(line, "messages", json_pack("[s]", batch_row_message(row, 0)));
		json_object_set_new(line, "pictures", json_array());
	}
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	const int ret = text ? 0 : -ENOMEM;
	if (text) {
		fprintf(f, "%s\n", text);
	}
	free(text);
	json_decref(line);
	return ret;
}

static int jsonl_write(FILE *f, const struct batch_report *report) {
	int ret = 0;
	for (unsigned i = 0; ret == 0 && i < report->n; i++) {
		ret = jsonl_row(f, &report->rows[i]);
	}
	return ret;
}

static const struct {
	const char *name;
	int (*write)(FILE *f, const struct batch_report *report);
} files[] = {
	{ "results.jsonl", jsonl_write },
	{ "junit.xml", batch_junit_write },
	{ "report.html", batch_html_write },
};

/* Writes the files, or removes them. */
static int do_files(const char *folder, const struct batch_report *report) {
	int exit = EXIT_FINE;
	for (unsigned i = 0; exit == EXIT_FINE && i < ARRAY_LEN(files); i++) {
		char *path = file_in(folder, files[i].name);
		struct file_out out;
		int ret = path ? 0 : -ENOMEM;
		if (path && report) {
			ret = file_begin(&out, path);
			ret = ret < 0 ? ret : file_finish(&out, files[i].write(out.f, report));
		} else if (path && unlink(path) < 0 && errno != ENOENT) {
			ret = -errno;
		}
		exit = log_result(path ? path : folder, ret);
		free(path);
	}
	return exit;
}

int batch_report_remove(const char *folder) {
	return do_files(folder, NULL);
}

int batch_report_write(const struct batch_report *report, const char *folder) {
	return do_files(folder, report);
}

/* ---- In short ---- */

int batch_report_print(const unsigned counts[BATCH_STATE_COUNT], const char *folder,
		const char *file, bool as_json) {
	json_t *states = json_object();
	unsigned sum = 0;
	int exit = EXIT_FINE;
	for (unsigned i = 0; i < BATCH_STATE_COUNT; i++) {
		const char *name = batch_state_name((enum batch_state)i);
		if (counts[i]) {
			json_object_set_new(states, name, json_integer((json_int_t)counts[i]));
			exit = worse(exit, batch_state_exit((enum batch_state)i));
		}
		sum += i == BATCH_UNUSED ? 0 : counts[i];
	}
	if (as_json) {
		json_t *json = json_report("batch");
		json_object_set_new(json, "units", json_integer((json_int_t)sum));
		json_object_set_new(json, "states", states);
		json_object_set_new(json, "folder", json_text(folder));
		return json_finish(json, exit);
	}
	printf("%u unit%s:", sum, plural(sum));
	const char *name, *separator = " ";
	json_t *count;
	json_object_foreach(states, name, count) {
		printf("%s%" JSON_INTEGER_FORMAT " %s", separator, json_integer_value(count), name);
		separator = ", ";
	}
	json_decref(states);
	fputs("; ", stdout);
	plain_write(stdout, folder);
	printf("%s%s\n", file ? "/" : "", file ? file : "");
	return exit;
}
