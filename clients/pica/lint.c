/* pica lint: the replay, the findings and their output. */
#include "lint/lint.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "pictures/plain.h"
#include "verbs.h"

struct options {
	struct option_args captures;
	bool json, rules, all;
	enum progress_mode progress;
};

static const char HANG[] = "hang", WRONG[] = "wrong", ODD[] = "odd";
static const char *const severities[] = { HANG, WRONG, ODD }; /* worst first */

static const enum output_color colors[] = { OUTPUT_RED, OUTPUT_YELLOW, OUTPUT_BOLD };

/* Of a text without --all. */
enum { RULE_ROWS = 3, CAPTURE_ROWS = 40 };

static const struct lint_rule_info rules[LINT_RULES] = {
#define RULE(name, id, severity, title, source) [LINT_##name] = { id, severity, title, source },
#include "lint/rules.def"
#undef RULE
};

const struct lint_rule_info *lint_rule(enum lint_rule rule) {
	return &rules[rule];
}

static void check(void *input, struct option_args args) {
	struct options *o = input;
	o->captures = args;
	if (!args.n != o->rules) {
		options_fail(o->rules ? "--rules takes no capture" : "expected a capture");
	}
}

/* ---- Findings ---- */

static struct lint_finding *find(struct lint *l, enum lint_rule rule, uint32_t reg) {
	for (unsigned i = 0; i < l->n; i++) {
		if (l->findings[i].rule == rule && l->findings[i].reg == reg) {
			return &l->findings[i];
		}
	}
	return NULL;
}

/* Returns whether a rule had no finding before. */
static bool is_first(const struct lint *l, const struct lint_finding *f) {
	const struct lint_finding *other = l->findings;
	while (other->rule != f->rule) {
		other++;
	}
	return other == f;
}

void lint_report(struct lint *l, enum lint_rule rule, uint32_t reg, uint32_t value, const char *fmt,
		...) {
	struct lint_finding *f = find(l, rule, reg);
	if (f) {
		f->count++;
		l->heard = l->heard < 0 ? f - l->findings : l->heard;
		return;
	}
	f = array_room(l->findings, l->n, &l->cap, sizeof(*f));
	if (!f) {
		l->error = -ENOMEM;
		return;
	}
	l->findings = f;
	l->heard = l->heard < 0 ? (int64_t)l->n : l->heard;
	f = &l->findings[l->n++];
	*f = (struct lint_finding){
		.rule = rule, .reg = reg, .value = value, .place = l->here, .count = 1
	};
	va_list args;
	va_start(args, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, args);
	va_end(args);
	if (l->teller && is_first(l, f)) {
		log_line("%s: frame %" PRIu32 ": %s: %s [%s]", l->teller, f->place.frame,
				rules[rule].severity, rules[rule].title, rules[rule].id);
	}
}

void lint_finite(struct lint *l, enum lint_rule rule, const uint32_t *regs, uint32_t reg) {
	struct pica_field f;
	for (unsigned i = 0; pica_reg_field(reg, regs[reg], i, &f); i++) {
		if (f.form == PICA_FIELD_FLOAT && !isfinite(f.number)) {
			const bool has_name = strcmp(f.name, "VALUE") != 0;
			lint_reg(l, rule, regs, reg, "%s%s%g", has_name ? f.name : "",
					has_name ? " " : "", lint_number(f.number));
		}
	}
}

bool lint_reads_source(const struct lint *l, unsigned source) {
	return (l->reads.color | l->reads.alpha) >> source & 1;
}

/* ---- Memory ---- */

struct lint_range lint_range(uint64_t begin, uint64_t size) {
	return (struct lint_range){ begin, begin + size };
}

double lint_number(double value) {
	return isnan(value) ? copysign(value, 1) : value;
}

bool lint_overlaps(struct lint_range a, struct lint_range b) {
	return a.begin < b.end && b.begin < a.end && a.begin < a.end && b.begin < b.end;
}

bool lint_in_memory(const struct lint *l, struct lint_range r) {
	return r.begin < r.end && r.end <= UINT64_C(1) << 32 &&
			pica_ctx_host(l->ctx, (uint32_t)r.begin, (uint32_t)(r.end - r.begin)) !=
			NULL;
}

bool lint_is_dirty(const struct lint *l, struct lint_range r) {
	for (unsigned i = 0; i < l->n_dirty; i++) {
		if (lint_overlaps(l->dirty[i], r)) {
			return true;
		}
	}
	return false;
}

static void lint_add_dirty(struct lint *l, struct lint_range r) {
	for (unsigned i = 0; i < l->n_dirty; i++) {
		if (l->dirty[i].begin == r.begin && l->dirty[i].end == r.end) {
			return;
		}
	}
	if (r.begin < r.end && l->n_dirty < LINT_DIRTY) {
		l->dirty[l->n_dirty++] = r;
	}
}

/* ---- Replay ---- */

static int on_event(void *user, const struct pica_capture_event *event) {
	struct lint *l = user;
	l->here.offset = event->offset;
	l->here.list = l->here.draw = -1;
	l->here.addr = 0;
	if (event->kind == PICA_CAPTURE_JOB && event->job.op == PICA_OP_LIST) {
		lint_list_job(l, &event->job.u.list);
	} else if (event->kind == PICA_CAPTURE_JOB) {
		l->heard = -1;
		lint_copy_event(l, &event->job);
	} else if (event->kind == PICA_CAPTURE_FRAME && l->guest && l->guest->shown) {
		return l->guest->shown(l->guest->user);
	}
	return l->error;
}

static int on_draw(void *user, const struct step_draw *draw) {
	struct lint *l = user;
	uint32_t regs[PICA_REG_COUNT];
	int ret = pica_ctx_read_regs(l->ctx, 0, PICA_REG_COUNT, regs);
	if (ret < 0) {
		return ret;
	}
	l->here.draw = draw->draw;
	l->here.addr = l->here.list >= 0 ? draw->addr : 0;
	facts_reads(regs, &l->reads);
	lint_draw(l, regs);
	lint_texture(l, regs);
	lint_effects(l, regs);
	lint_vertex(l, regs, draw->kind);
	lint_shader(l, regs);
	lint_position_draw(l, regs, draw->kind);
	struct lint_range color, depth;
	lint_targets(regs, &color, &depth);
	lint_add_dirty(l, color);
	lint_add_dirty(l, depth);
	l->has_drawn = true;
	return l->guest ? l->guest->draw(l->guest->user, draw, regs) : 0;
}

/* Reports work of the draw that the engine dropped or truncated. */
static int on_drawn(void *user, const struct step_draw *draw) {
	static const struct {
		enum pica_fault fault;
		enum lint_rule rule;
	} counted[] = {
		{ PICA_FAULT_BAD_VERTEX, LINT_VERTEX_POSITION },
		{ PICA_FAULT_SHADER_OPCODE, LINT_SHADER_OPCODE },
		{ PICA_FAULT_SHADER_BUDGET, LINT_SHADER_ENDLESS },
	};
	struct lint *l = user;
	if (draw->kind == DRAW_IMMEDIATE) {
		lint_position_end(l);
	}
	struct pica_stats now = { .size = sizeof(now) };
	int ret = pica_stats(l->ctx, &now);
	for (unsigned i = 0; ret == 0 && i < ARRAY_LEN(counted); i++) {
		const uint64_t n = now.faults[counted[i].fault] - l->stats.faults[counted[i].fault];
		if (n) {
			lint_report(l, counted[i].rule, LINT_NO_REG, (uint32_t)n,
					"%" PRIu64 " time%s in this draw", n, plural(n));
		}
	}
	l->stats = now;
	l->here.draw = -1;
	l->has_restarted = false;
	if (ret == 0 && l->guest) {
		ret = l->guest->drawn(l->guest->user, draw);
	}
	l->heard = -1;
	return ret;
}

void lint_moved(struct lint *l, enum pica_history_kind kind, struct lint_range from,
		struct lint_range to) {
	if (l->guest && l->error == 0) {
		l->error = l->guest->moved(l->guest->user, kind, from, to);
	}
}

static const struct step_visitor visitor = {
	.event = on_event,
	.list = lint_list_begin,
	.list_end = lint_list_end,
	.write = lint_list_write,
	.draw = on_draw,
	.vertex = lint_position_vertex,
	.drawn = on_drawn,
};

static int prepare(struct lint *l, const struct pica_state *start) {
	l->state = calloc(1, sizeof(*l->state));
	if (!l->state) {
		return -ENOMEM;
	}
	l->heard = -1;
	memcpy(l->engines.external, start->external, sizeof(l->engines.external));
	for (unsigned channel = 0; channel < 2; channel++) {
		l->size_word[channel] = start->regs[PICA_REG_CMDBUF_SIZE0 + channel];
		l->addr_word[channel] = start->regs[PICA_REG_CMDBUF_ADDR0 + channel];
	}
	l->blend[0] = start->regs[PICA_REG_BLEND_FUNC];
	l->blend[1] = start->regs[PICA_REG_LOGIC_OP];
	l->program_changed = true;
	l->here.list = l->here.draw = -1;
	return 0;
}

/* n_frames: for the progress line, which a program has already. */
static int gather(struct lint *l, const char *name, uint32_t n_frames) {
	l->stats.size = sizeof(l->stats);
	int ret = pica_stats(l->ctx, &l->stats);
	int more = ret < 0 ? 0 : 1;
	for (uint32_t frame = 0; ret == 0 && more > 0; frame++) {
		l->here.frame = frame;
		l->next_list = 0;
		more = step_frame(&l->step, true);
		ret = more < 0 ? more : l->error;
		if (!l->teller) {
			log_progress(name, frame + 1, n_frames);
		}
	}
	return ret;
}

int lint_gather(struct lint *l, struct pica_capture *capture, const char *name, uint32_t n_frames) {
	int ret = prepare(l, pica_capture_state(capture));
	ret = ret < 0 ? ret : step_start(&l->step, gpu_here(l->ctx), capture, 0, &visitor, l);
	l->step.edits = l->edits;
	return ret < 0 ? ret : gather(l, name, n_frames);
}

void lint_finish(struct lint *l) {
	free(l->findings);
	free(l->state);
}

/* ---- Telling ---- */

static const char *reg_name(uint32_t reg) {
	const char *name = reg == LINT_NO_REG                  ? NULL :
			reg >= PICA_REG_COUNT && reg > 0xFFFFF ? pica_external_name(reg) :
								 pica_reg_name(reg);
	return name ? name : "";
}

static void print_place(const struct lint_place *p) {
	printf("frame %" PRIu32, p->frame);
	if (p->list >= 0) {
		printf(", list %" PRId64, p->list);
	}
	if (p->draw >= 0) {
		printf(", draw %" PRId64, p->draw);
	}
	if (p->addr) {
		printf(", word 0x%08" PRIx32, p->addr);
	} else if (p->offset != LINT_NO_OFFSET) {
		printf(", byte 0x%" PRIX64, p->offset);
	}
}

static unsigned severity_of(const struct lint_finding *f) {
	unsigned rank = 0;
	while (lint_rule(f->rule)->severity != severities[rank]) {
		rank++;
	}
	return rank;
}

/* Worst first, then by rule and register. */
static int compare_findings(const void *a, const void *b) {
	const struct lint_finding *x = a, *y = b;
	const int64_t key[] = { (int64_t)severity_of(x) - severity_of(y),
		(int64_t)x->rule - (int64_t)y->rule, (int64_t)x->reg - (int64_t)y->reg };
	for (unsigned i = 0; i < ARRAY_LEN(key); i++) {
		if (key[i]) {
			return key[i] < 0 ? -1 : 1;
		}
	}
	return 0;
}

void lint_print_where(const struct lint_finding *f) {
	print_place(&f->place);
	fputs(": ", stdout);
	if (f->reg != LINT_NO_REG) {
		printf("%s 0x%03" PRIx32 " = 0x%08" PRIx32 ": ", reg_name(f->reg), f->reg,
				f->value);
	}
	fputs(f->detail, stdout);
}

/* A row of the text: n findings of one rule with consecutive registers. */
static void print_row(const char *path, const struct lint_finding *f, unsigned n) {
	const struct lint_rule_info *rule = lint_rule(f->rule);
	const struct lint_finding *first = f;
	uint64_t count = 0;
	for (unsigned i = 0; i < n; i++) {
		count += f[i].count;
		first = f[i].place.offset < first->place.offset ? &f[i] : first;
	}
	plain_write(stdout, path);
	printf(": %s%s%s: %s [%s]", output_color(colors[severity_of(f)]), rule->severity,
			output_color(OUTPUT_PLAIN), rule->title, rule->id);
	if (count > 1) {
		printf(" (%" PRIu64 " times)", count);
	}
	fputs("\n  ", stdout);
	lint_print_where(first);
	if (n > 1) {
		printf("; registers 0x%03" PRIx32 " to 0x%03" PRIx32, f->reg, f[n - 1].reg);
	}
	putchar('\n');
}

static void print_summary(const struct lint *l, const char *path, unsigned hidden) {
	unsigned counts[ARRAY_LEN(severities)] = { 0 };
	for (unsigned i = 0; i < l->n; i++) {
		counts[severity_of(&l->findings[i])] +=
				i == 0 || l->findings[i].rule != l->findings[i - 1].rule;
	}
	plain_write(stdout, path);
	const char *between = ": ";
	for (unsigned i = 0; i < ARRAY_LEN(severities); i++) {
		if (counts[i]) {
			printf("%s%u rule%s (%s)", between, counts[i], plural(counts[i]),
					severities[i]);
			between = ", ";
		}
	}
	if (l->n_refused) {
		printf("%s%u mistake%s that libpica-ctru told of", between, l->n_refused,
				plural(l->n_refused));
	} else if (l->n == 0) {
		printf(": %sclean%s%s", output_color(OUTPUT_GREEN), output_color(OUTPUT_PLAIN),
				l->until ? l->until : "");
	}
	if (hidden) {
		printf("; %u row%s not shown: --all shows all", hidden,
				hidden == 1 ? " is" : "s are");
	}
	putchar('\n');
}

static void print_text(const struct lint *l, const char *path, bool all) {
	output_page();
	unsigned of_rule = 0, shown = 0, hidden = 0;
	for (unsigned i = 0, n; i < l->n; i += n) {
		const struct lint_finding *f = &l->findings[i];
		n = 1;
		while (i + n < l->n && f[n].rule == f->rule && f[n].reg == f->reg + n) {
			n++;
		}
		of_rule = i == 0 || f[-1].rule != f->rule ? 0 : of_rule + 1;
		if (all || (of_rule < RULE_ROWS && shown < CAPTURE_ROWS)) {
			print_row(path, f, n);
			shown++;
		} else {
			hidden++;
		}
	}
	print_summary(l, path, hidden);
}

json_t *lint_finding_json(const struct lint_finding *f) {
	const struct lint_rule_info *rule = lint_rule(f->rule);
	json_t *row = json_pack("{ss ss ss ss ss sI sI sI}", "rule", rule->id, "severity",
			rule->severity, "title", rule->title, "source", rule->source, "detail",
			f->detail, "count", (json_int_t)f->count, "frame",
			(json_int_t)f->place.frame, "offset", (json_int_t)f->place.offset);
	if (f->place.list >= 0) {
		json_object_set_new(row, "list", json_integer(f->place.list));
	}
	if (f->place.draw >= 0) {
		json_object_set_new(row, "draw", json_integer(f->place.draw));
	}
	if (f->place.addr) {
		json_object_set_new(row, "addr", json_addr(f->place.addr));
	}
	if (f->reg != LINT_NO_REG) {
		json_object_update_new(row,
				json_pack("{sI ss sI}", "register", (json_int_t)f->reg, "name",
						reg_name(f->reg), "value", (json_int_t)f->value));
	}
	return row;
}

static json_t *capture_json(const struct lint *l, const char *path) {
	json_t *rows = json_array();
	for (unsigned i = 0; i < l->n; i++) {
		json_array_append_new(rows, lint_finding_json(&l->findings[i]));
	}
	return json_pack("{so so}", "path", json_text(path), "findings", rows);
}

static int print_rules(bool json) {
	json_t *report = json ? json_report("lint") : NULL, *rows = json ? json_array() : NULL;
	for (unsigned i = 0; i < LINT_RULES; i++) {
		const struct lint_rule_info *r = &rules[i];
		if (json) {
			json_array_append_new(rows,
					json_pack("{ss ss ss ss}", "rule", r->id, "severity",
							r->severity, "title", r->title, "source",
							r->source));
		} else {
			printf("%s: %s: %s\n  source: %s\n", r->id, r->severity, r->title,
					r->source);
		}
	}
	json_object_set_new(report, "rules", rows);
	return json ? json_finish(report, EXIT_FINE) : EXIT_FINE;
}

static void sort(struct lint *l) {
	if (l->n) {
		qsort(l->findings, l->n, sizeof(*l->findings), compare_findings);
	}
}

/* reports: NULL for text. */
static int lint(const struct options *o, const struct capture_here *c, struct lint *l,
		json_t *reports) {
	l->ctx = c->ctx;
	const int ret = c->info.chip == PICA_CHIP_VC4 ? lint_videocore(l, c) :
			lint_gather(l, c->capture, c->name, c->info.frames);
	log_end();
	if (ret < 0) {
		return capture_failed(c->capture, c->path, ret);
	}
	sort(l);
	if (reports) {
		json_array_append_new(reports, capture_json(l, c->path));
	} else {
		print_text(l, c->path, o->all);
	}
	return l->n ? EXIT_FINDINGS : EXIT_FINE;
}

static int lint_capture(const void *options, const char *path, json_t *reports) {
	const struct options *o = options;
	struct capture_here c;
	struct lint l = { .ctx = NULL };
	int exit = capture_here_open(&c, path, NULL);
	if (exit == EXIT_FINE) {
		exit = lint(o, &c, &l, reports);
		exit = worse(exit, replay_job_failed(&l.step.replay, path));
	}
	lint_finish(&l);
	capture_here_close(&c);
	return exit;
}

int lint_program(struct lint *l, replay_next_fn *next, void *user) {
	struct pica_state *start = calloc(1, sizeof(*start));
	int ret = start ? pica_ctx_save_state(l->ctx, start) : -ENOMEM;
	ret = ret < 0 ? ret : prepare(l, start);
	free(start);
	if (ret < 0) {
		return ret;
	}
	step_start_events(&l->step, gpu_here(l->ctx), next, user, &visitor, l);
	return gather(l, l->teller, 0);
}

int lint_print(struct lint *l, const char *name) {
	sort(l);
	print_text(l, name, false);
	return l->n || l->n_refused ? EXIT_FINDINGS : EXIT_FINE;
}

json_t *lint_findings(const char *path) {
	static const struct options o;
	struct capture_here c;
	struct lint l = { .ctx = NULL };
	json_t *reports = json_array();
	if (capture_here_open(&c, path, NULL) == EXIT_FINE) {
		lint(&o, &c, &l, reports);
	}
	lint_finish(&l);
	capture_here_close(&c);
	json_t *rows = json_incref(json_object_get(json_array_get(reports, 0), "findings"));
	json_decref(reports);
	return rows;
}

bool lint_outside(const char *path, struct lint_finding *out) {
	enum { RULES = 5 };
	static const enum lint_rule rules_of_memory[RULES] = { LINT_LIST_MEMORY, LINT_TARGET_MEMORY,
		LINT_TEXTURE_MEMORY, LINT_VERTEX_MEMORY, LINT_COPY_MEMORY };
	struct capture_here c;
	struct lint l = { .ctx = NULL };
	const int exit = capture_here_open(&c, path, NULL);
	l.ctx = c.ctx;
	const int ret = exit == EXIT_FINE ? lint_gather(&l, c.capture, c.name, 0) : -ENOMEM;
	log_end();
	bool is_found = false;
	/* In the order of the capture. */
	for (unsigned i = 0; ret == 0 && !is_found && i < l.n; i++) {
		for (unsigned k = 0; !is_found && k < RULES; k++) {
			is_found = l.findings[i].rule == rules_of_memory[k];
			*out = l.findings[i];
		}
	}
	lint_finish(&l);
	capture_here_close(&c);
	return is_found;
}

int verb_lint(int argc, char **argv) {
	static const struct option_row rows[] = {
		JSON_ROW(offsetof(struct options, json)),
		PROGRESS_ROW(offsetof(struct options, progress), false),
		{ "all", 0, NULL, "Show each row of the text, not just the worst",
				OPTION_FLAG, .at = offsetof(struct options, all) },
		{ "rules", 0, NULL, "List the rules and their sources", OPTION_FLAG,
				.at = offsetof(struct options, rules) },
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE...",
		.doc = "Finds errors that would hang or misbehave on the console. Exit status 6: there are "
		       "findings.",
		.tables = { OPTION_TABLE(rows, 0, 0) },
		.max_args = OPTION_ANY,
		.check = check,
	};
	struct options o = { 0 };
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);
	if (o.rules) {
		return print_rules(o.json);
	}
	return json_captures("lint", &o.captures, o.json, lint_capture, &o);
}
