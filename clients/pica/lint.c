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
#include "verbs.h"

struct options {
	const char *capture;
	bool json, rules;
	enum progress_mode progress;
};

static const char HANG[] = "hang", WRONG[] = "wrong", ODD[] = "odd";

static const struct lint_rule_info rules[LINT_RULES] = {
#define RULE(name, id, severity, title, source) [LINT_##name] = { id, severity, title, source },
#include "lint/rules.def"
#undef RULE
};

static const struct lint_rule_info *lint_rule(enum lint_rule rule) {
	return &rules[rule];
}

static void check(void *input, struct option_args args) {
	struct options *o = input;
	o->capture = args.n ? args.v[0] : NULL;
	if (!o->capture != o->rules) {
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

void lint_report(struct lint *l, enum lint_rule rule, uint32_t reg, uint32_t value, const char *fmt,
		...) {
	struct lint_finding *f = find(l, rule, reg);
	if (f) {
		f->count++;
		return;
	}
	f = array_room(l->findings, l->n, &l->cap, sizeof(*f));
	if (!f) {
		l->error = -ENOMEM;
		return;
	}
	l->findings = f;
	f = &l->findings[l->n++];
	*f = (struct lint_finding){
		.rule = rule, .reg = reg, .value = value, .place = l->here, .count = 1
	};
	va_list args;
	va_start(args, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, args);
	va_end(args);
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
		lint_copy_event(l, &event->job);
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
	return 0;
}

/* Work of the draw that the engine dropped or cut off. */
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
	return ret;
}

static int gather(
		struct lint *l, struct pica_capture *capture, const char *name, uint32_t n_frames) {
	static const struct step_visitor visitor = {
		.event = on_event,
		.list = lint_list_begin,
		.list_end = lint_list_end,
		.write = lint_list_write,
		.draw = on_draw,
		.vertex = lint_position_vertex,
		.drawn = on_drawn,
	};
	const struct pica_state *start = pica_capture_state(capture);
	memcpy(l->external, start->external, sizeof(l->external));
	for (unsigned channel = 0; channel < 2; channel++) {
		l->size_word[channel] = start->regs[PICA_REG_CMDBUF_SIZE0 + channel];
		l->addr_word[channel] = start->regs[PICA_REG_CMDBUF_ADDR0 + channel];
	}
	l->program_changed = true;
	l->here.list = l->here.draw = -1;
	int ret = step_start(&l->step, gpu_here(l->ctx), capture, 0, &visitor, l);
	l->stats.size = sizeof(l->stats);
	ret = ret < 0 ? ret : pica_stats(l->ctx, &l->stats);
	int more = ret < 0 ? 0 : 1;
	for (uint32_t frame = 0; ret == 0 && more > 0; frame++) {
		l->here.frame = frame;
		l->next_list = 0;
		more = step_frame(&l->step, true);
		ret = more < 0 ? more : l->error;
		log_progress(name, frame + 1, n_frames);
	}
	return ret;
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
	} else {
		printf(", byte 0x%" PRIX64, p->offset);
	}
}

static void print_text(const struct lint *l) {
	for (unsigned i = 0; i < l->n; i++) {
		const struct lint_finding *f = &l->findings[i];
		const struct lint_rule_info *rule = lint_rule(f->rule);
		print_place(&f->place);
		printf(": %s: %s [%s]\n", rule->severity, rule->title, rule->id);
		if (f->reg != LINT_NO_REG) {
			printf("  %s 0x%03" PRIx32 " = 0x%08" PRIx32 ": ", reg_name(f->reg), f->reg,
					f->value);
		} else {
			fputs("  ", stdout);
		}
		fputs(f->detail, stdout);
		if (f->count > 1) {
			printf("; %" PRIu64 " more", f->count - 1);
		}
		printf("\n  source: %s\n", rule->source);
	}
}

static json_t *finding_json(const struct lint_finding *f) {
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
		json_object_set_new(row, "addr", json_integer(f->place.addr));
	}
	if (f->reg != LINT_NO_REG) {
		json_object_update_new(row,
				json_pack("{sI ss sI}", "register", (json_int_t)f->reg, "name",
						reg_name(f->reg), "value", (json_int_t)f->value));
	}
	return row;
}

static int print_json(const struct lint *l, const struct options *o, int exit) {
	json_t *report = json_report("lint"), *rows = json_array();
	json_object_set_new(report, "path", json_text(o->capture));
	for (unsigned i = 0; i < l->n; i++) {
		json_array_append_new(rows, finding_json(&l->findings[i]));
	}
	json_object_set_new(report, "findings", rows);
	return json_finish(report, exit);
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

static int lint(const struct options *o, const struct capture_here *c, struct lint *l) {
	l->ctx = c->ctx;
	l->state = calloc(1, sizeof(*l->state));
	const int ret = l->state ? gather(l, c->capture, c->name, c->info.frames) : -ENOMEM;
	log_end();
	if (ret < 0) {
		return capture_failed(c->capture, c->path, ret);
	}
	int exit = l->n ? EXIT_FINDINGS : EXIT_FINE;
	if (o->json) {
		exit = print_json(l, o, exit);
	} else {
		print_text(l);
	}
	return worse(exit, replay_job_failed(&l->step.replay, c->path));
}

int verb_lint(int argc, char **argv) {
	static const struct option_row rows[] = {
		JSON_ROW(offsetof(struct options, json)),
		PROGRESS_ROW(offsetof(struct options, progress), false),
		{ "rules", 0, NULL, "List the rules and where they come from", OPTION_FLAG,
				.at = offsetof(struct options, rules) },
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE",
		.doc = "Looks for what would hang or misbehave on the console. Exit status 6: something was "
		       "found.",
		.tables = { OPTION_TABLE(rows, 0, 0) },
		.max_args = 1,
		.at_most = "one capture",
		.check = check,
	};
	struct options o = { 0 };
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);
	if (o.rules) {
		return print_rules(o.json);
	}
	if (o.json) {
		json_promise("lint", o.capture);
	}
	struct capture_here c;
	struct lint l = { .ctx = NULL };
	int exit = capture_here_open(&c, o.capture, NULL);
	if (exit == EXIT_FINE) {
		exit = lint(&o, &c, &l);
	}
	free(l.findings);
	free(l.state);
	capture_here_close(&c);
	return exit;
}
