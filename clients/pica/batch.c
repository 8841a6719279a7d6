/* pica batch: draws many captures, compares, reports; on one machine or on many. */
#include <signal.h>
#include <stdlib.h>

#include "batch/batch.h"
#include "common/command.h"
#include "common/json.h"
#include "pictures/file.h"
#include "pictures/plain.h"
#include "verbs.h"

static void print_more(const char *text) {
	if (text) {
		fputs("  ", stdout);
		plain_write(stdout, text);
		puts("");
	}
}

/*
 * Prints a line for each unit, and a second one with the first difference if pictures differ. While
 * a progress line is shown, only units with a message are printed.
 */
static void report_unit(void *user, const struct batch_unit *unit, enum batch_state state,
		const json_t *result, const struct batch_done *done) {
	const struct batch_options *o = user;
	const json_t *messages = json_object_get(result, "messages");
	const char *first = unit->error ? batch_unit_error(unit) :
					  json_string_value(json_array_get(messages, 0));
	if (o->json || (log_shows_progress() && !first)) {
		return;
	}
	log_end();
	printf("%u/%u %s%s%s ", done->done, done->total, batch_state_name(state),
		done->is_kept ? " (kept)" : "", done->is_shared ? " (same)" : "");
	plain_write(stdout, unit->path);
	if (first) {
		fputs(": ", stdout);
		plain_write(stdout, first);
	}
	puts("");
	for (size_t i = 1; o->settings.bless && !done->is_shared && i < json_array_size(messages);
			i++) {
		print_more(json_string_value(json_array_get(messages, i)));
	}
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(result, "pictures"), i, row) {
		print_more(done->is_shared ? NULL : json_text_of(row, "made_by"));
	}
	fflush(stdout);
}

/* Options that the engine checks. */
static int check_engine(const struct engine_options *engine) {
	struct pica_device *device = NULL;
	const int exit = engine_create(&device, engine);
	pica_device_destroy(device);
	return exit;
}

/* Runs a shard into the store. */
static int run_shard(const struct batch_options *o, const struct batch_plan *plan,
	const struct batch_store *store, int *signal_number) {
	unsigned *units;
	struct batch_limits limits = o->limits;
	limits.engine.float_mode = plan->settings.float_mode;
	limits.engine.combiner = plan->settings.combiner;
	int exit = check_engine(&limits.engine);
	if (exit != EXIT_FINE) {
		return exit;
	}
	const int n = batch_plan_shard(plan, o->shard, o->n_shards, &units);
	if (n < 0) {
		return log_no_memory();
	}
	exit = batch_pool_run(
			plan, units, (unsigned)n, &limits, store, report_unit, (void *)o,
			signal_number);
	free(units);
	return exit;
}

/* Prints a line for each golden picture of no capture. */
static void print_unused(const struct batch_report *r) {
	for (unsigned i = 0; i < r->n; i++) {
		if (r->rows[i].state == BATCH_UNUSED) {
			printf("%s ", batch_state_name(BATCH_UNUSED));
			plain_write(stdout, r->rows[i].name);
			printf(": %s\n", r->rows[i].what);
		}
	}
}

/* Writes the three files, and prints their summary. */
static int report(const struct batch_options *o, const struct batch_plan *plan,
		const struct batch_store *store) {
	struct batch_report r;
	int ret = batch_report_load(&r, plan, store, o->command);
	int exit = ret < 0 ? log_no_memory() : batch_report_write(&r, o->output);
	if (exit == EXIT_FINE && !o->json) {
		print_unused(&r);
	}
	if (exit == EXIT_FINE) {
		exit = batch_report_print(r.counts, o->output, "report.html", o->json);
	}
	batch_report_finish(&r);
	return exit;
}

/* The result of a shard, which has no report yet. */
static int report_shard(const struct batch_options *o, const struct batch_plan *plan,
		const struct batch_store *store) {
	unsigned *units, counts[BATCH_STATE_COUNT] = { 0 };
	const int n = batch_plan_shard(plan, o->shard, o->n_shards, &units);
	for (int i = 0; i < n; i++) {
		unsigned unit = units[i];
		json_t *result = batch_store_load(store, plan->units[unit].key, NULL);
		do {
			counts[result ? batch_result_state(result) : BATCH_MISSING]++;
			unit = plan->units[unit].next;
		} while (unit);
		json_decref(result);
	}
	free(units);
	return n < 0 ? log_no_memory() : batch_report_print(counts, o->output, NULL, o->json);
}

/* Captures that cannot be opened. */
static void report_unreadable(const struct batch_plan *plan) {
	for (unsigned i = 0; i < plan->n; i++) {
		if (plan->units[i].error) {
			log_line("%s: %s", plan->units[i].path, batch_unit_error(&plan->units[i]));
		}
	}
}

static int save_plan(const struct batch_options *o, const struct batch_plan *plan) {
	const int exit = batch_plan_save(plan, o->output);
	if (exit == EXIT_FINE && !file_is_stdout(o->output)) {
		printf("%u unit%s; ", plan->n, plural(plan->n));
		plain_write(stdout, o->output);
		puts("");
	}
	return exit;
}

static int act(const struct batch_options *o, struct batch_plan *plan, struct batch_store *store,
		int *signal_number) {
	const bool is_all = o->action == BATCH_ALL, is_run = o->action == BATCH_RUN;
	int exit = is_all || o->action == BATCH_PLAN ?
			batch_plan_make(plan, &o->settings, o->args, o->n_args) :
			batch_plan_load(plan, o->args[0], is_run);
	if (exit == EXIT_FINE && o->action == BATCH_PLAN) {
		return save_plan(o, plan);
	}
	if (exit == EXIT_FINE) {
		exit = batch_store_open(store, o->output, true);
	}
	if (exit == EXIT_FINE && (is_all || is_run)) {
		exit = batch_store_claim(store, is_all);
	}
	if (exit == EXIT_FINE && !is_run) {
		exit = batch_report_remove(o->output);
	}
	if (exit != EXIT_FINE) {
		return exit;
	}
	if (is_all && o->json) {
		report_unreadable(plan); /* the lines of other runs name them */
	}
	exit = is_all || is_run ?
			run_shard(o, plan, store, signal_number) :
			batch_merge(plan, store, o->args + 1, o->n_args - 1, o->verify);
	if (exit == EXIT_FINE) {
		exit = is_run ? report_shard(o, plan, store) : report(o, plan, store);
	}
	return exit;
}

/* Ends by the signal, as shells and schedulers expect. */
static void end_by(int signal_number) {
	fflush(NULL);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

int verb_batch(int argc, char **argv) {
	struct batch_options o;
	char *command = command_line("pica batch", argc, argv);
	batch_options_parse(&o, argc, argv);
	o.command = command ? command : "";
	log_show_progress(o.progress);
	signal(SIGPIPE, SIG_IGN); /* the reader of the lines may be gone; the reports are written */
	int signal_number = 0;
	struct batch_plan plan = { .units = NULL };
	struct batch_store store = BATCH_STORE_CLOSED;
	const int exit = act(&o, &plan, &store, &signal_number);
	batch_store_close(&store);
	batch_plan_finish(&plan);
	free(command);
	if (signal_number) {
		log_line("ended by signal %d; another run continues from here", signal_number);
		end_by(signal_number);
	}
	return exit;
}
