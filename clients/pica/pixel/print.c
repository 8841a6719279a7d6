/* The history of a pixel as text and as JSON (docs/inspect.md). */
#include <inttypes.h>

#include "common/output.h"
#include "fields.h"
#include "pica_regs.h"
#include "pixel/pixel.h"

/* ---- JSON ---- */

static json_t *hex(uint32_t word) {
	return json_sprintf("0x%08" PRIX32, word);
}

/* steps: those of the entry, or NULL. */
static json_t *fragment_json(const struct pica_fragment *f, bool has_steps,
		const struct pica_fragment_steps *steps) {
	json_t *j = json_pack("{so}", "color", pixel_color_json(f->color));
	if (f->has_depth) {
		json_object_set_new(j, "depth", json_real((double)f->depth));
		json_object_set_new(j, "z", json_integer(f->z));
	}
	if (has_steps) {
		pixel_steps_json(j, f, steps);
	}
	return j;
}

static const struct pica_fragment_steps *steps_of(
		const struct pixel_answer *a, const struct pica_history_entry *e) {
	return e->steps != PICA_HISTORY_NONE ? &a->steps[e->steps] : NULL;
}

/* NULL: the entry has none. */
static const struct pixel_qpu *qpu_of(
		const struct pixel_answer *a, const struct pica_history_entry *e) {
	return a->is_vc4 && e->steps != PICA_HISTORY_NONE ? &a->qpu[e->steps] : NULL;
}

static const char *format_name(const struct pixel_answer *a, uint32_t format) {
	return a->is_vc4 ? pixel_vc4_format(format) : field_text("COLOR_FORMAT", format);
}

static void add_draw(json_t *j, const struct pica_history_entry *e, const struct pixel_answer *a) {
	const struct pica_target *t = &e->target;
	json_t *vertices = json_array();
	for (unsigned i = 0; i < 3; i++) {
		json_array_append_new(vertices, e->vertex[i] == PICA_HISTORY_NONE ?
						json_null() : json_integer(e->vertex[i]));
	}
	json_object_set_new(j, "draw", json_integer(e->draw));
	json_object_set_new(j, "primitive", e->primitive == PICA_HISTORY_NONE ?
						 json_null() : json_integer(e->primitive));
	json_object_set_new(j, "vertices", vertices);
	json_object_set_new(j, "target", json_pack("{so ss si si}", "addr", hex(t->color_addr),
			"format", format_name(a, t->color_format), "width",
			(int)t->width, "height", (int)t->height));
	json_object_set_new(j, "x", json_integer(e->x));
	json_object_set_new(j, "row", json_integer(e->y));
	json_object_set_new(j, "barycentric", json_pack("[fff]", (double)e->barycentric[0],
			(double)e->barycentric[1], (double)e->barycentric[2]));
	if (t->depth_addr || a->is_vc4) {
		json_object_set_new(j, "z_before", json_integer(e->z_before));
		json_object_set_new(j, "z_after", json_integer(e->z_after));
		json_object_set_new(j, "stencil_before", json_integer(e->stencil_before));
		json_object_set_new(j, "stencil_after", json_integer(e->stencil_after));
	}
	if (qpu_of(a, e)) {
		json_object_set_new(j, "fragment", pixel_qpu_json(qpu_of(a, e)));
	} else if (e->is_shaded) {
		json_object_set_new(j, "fragment", fragment_json(&e->fragment, a->steps != NULL,
							   steps_of(a, e)));
	}
}

static json_t *entry_json(const struct pica_history_entry *e, const struct pixel_answer *a) {
	json_t *j = json_pack("{si si sI ss ss sb}", "frame", (int)e->frame, "event",
			(int)e->event, "offset", (json_int_t)e->user_data, "kind",
			pica_history_kind_name((enum pica_history_kind)e->kind), "verdict",
			pica_verdict_name((enum pica_verdict)e->verdict), "replaces",
			(int)e->replaces);
	json_object_set_new(j, "before", hex(e->before));
	json_object_set_new(j, "after", hex(e->after));
	if (e->kind == PICA_HISTORY_DRAW) {
		add_draw(j, e, a);
	}
	if (e->n_sources) {
		json_t *sources = json_array();
		for (unsigned i = 0; i < e->n_sources; i++) {
			json_array_append_new(sources, hex(e->source[i].addr));
		}
		json_object_set_new(j, "sources", sources);
	}
	return j;
}

json_t *pixel_json(const struct pixel_answer *a, const struct pixel_options *o) {
	json_t *entries = json_array(), *writer = json_null();
	for (size_t i = 0; i < a->n; i++) {
		json_array_append_new(entries, entry_json(&a->entries[i], a));
	}
	if (a->last >= 0) {
		const struct pica_history_entry *e = &a->entries[a->last];
		const bool is_draw = e->kind == PICA_HISTORY_DRAW;
		writer = json_pack("{si si ss so so}", "frame", (int)e->frame, "event",
				(int)e->event, "kind",
				pica_history_kind_name((enum pica_history_kind)e->kind), "draw",
				is_draw ? json_integer(e->draw) : json_null(), "primitive",
				is_draw && e->primitive != PICA_HISTORY_NONE ?
						json_integer(e->primitive) : json_null());
	}
	json_t *report = json_report("pixel");
	json_object_set_new(report, "capture", json_text(a->path));
	json_object_set_new(report, "frame", json_integer(a->frame));
	json_object_set_new(report, "first_frame", json_integer(a->first));
	json_object_set_new(report, "surface", json_pack("{so ss}", "addr", hex(a->shown.addr),
			"format", format_name(a, a->format)));
	json_object_set_new(report, "x", json_integer(o->x));
	json_object_set_new(report, "y", json_integer(o->y));
	json_object_set_new(report, "color", pixel_color_json(a->color));
	json_object_set_new(report, "last_writer", writer);
	json_object_set_new(report, "entries", entries);
	return report;
}

/* ---- Text ---- */

static const char *verdict_color(const struct pica_history_entry *e) {
	return output_color(e->verdict == PICA_VERDICT_KEPT ? OUTPUT_GREEN :
			e->verdict == PICA_VERDICT_OVERWRITTEN ? OUTPUT_PLAIN : OUTPUT_YELLOW);
}

static void print_entry(const struct pica_history_entry *e, const struct pixel_answer *a) {
	printf("frame %" PRIu32 " event %" PRIu32 " %-8s ", e->frame, e->event,
			pica_history_kind_name((enum pica_history_kind)e->kind));
	if (e->kind == PICA_HISTORY_DRAW && e->primitive == PICA_HISTORY_NONE) {
		printf("%4" PRIu32 " primitive     - ", e->draw);
	} else if (e->kind == PICA_HISTORY_DRAW) {
		printf("%4" PRIu32 " primitive %5" PRIu32 " ", e->draw, e->primitive);
	}
	printf("%s%-11s%s %08" PRIX32 " -> %08" PRIX32, verdict_color(e),
			pica_verdict_name((enum pica_verdict)e->verdict),
			output_color(OUTPUT_PLAIN), e->before, e->after);
	if (e->n_sources) {
		printf("  from %08" PRIX32, e->source[0].addr);
	}
	if (e->is_shaded) {
		char text[16];
		pixel_color_text(e->fragment.color, text);
		printf("  %s", text);
		if (e->fragment.has_depth) {
			printf(" z %" PRIu32 " at %" PRIu32, e->fragment.z, e->z_before);
		}
	}
	const struct pixel_qpu *qpu = qpu_of(a, e);
	if (qpu) {
		printf("  z %" PRIu32 " at %" PRIu32, qpu->fragment.z, e->z_before);
	}
	printf("\n");
	if (qpu) {
		pixel_qpu_print(qpu);
	}
	if (a->steps && e->is_shaded) {
		pixel_steps_print(&e->fragment, steps_of(a, e));
	}
}

void pixel_print(const struct pixel_answer *a, const struct pixel_options *o) {
	char text[16];
	pixel_color_text(a->color, text);
	printf("%s%s frame %" PRIu32 " pixel %" PRIu32 ",%" PRIu32 ": %s at %08" PRIX32 "%s\n",
			output_color(OUTPUT_BOLD), a->path, a->frame, o->x, o->y, text,
			a->shown.addr, output_color(OUTPUT_PLAIN));
	for (size_t i = 0; i < a->n; i++) {
		print_entry(&a->entries[i], a);
	}
	if (a->last < 0) {
		printf("nothing wrote it since frame %" PRIu32 "\n", a->first);
		return;
	}
	const struct pica_history_entry *e = &a->entries[a->last];
	printf("last written by frame %" PRIu32 " event %" PRIu32, e->frame, e->event);
	if (e->kind == PICA_HISTORY_DRAW) {
		printf(" draw %" PRIu32, e->draw);
		if (e->primitive != PICA_HISTORY_NONE) {
			printf(" primitive %" PRIu32, e->primitive);
		}
		printf("\n");
	} else {
		printf(": %s\n", pica_history_kind_name((enum pica_history_kind)e->kind));
	}
}
