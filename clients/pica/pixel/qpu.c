/* Fragments of the VideoCore IV as text and as JSON (docs/inspect.md). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pica_vc4_emit.h"
#include "pixel/pixel.h"
#include "vc4/list/record.h"
#include "vc4/tex/layout.h"
#include "videocore/videocore.h"

int pixel_qpu_read(struct pica_ctx *ctx, uint32_t steps, bool has_steps, struct pixel_qpu *out) {
	int ret = pica_ctx_read_qpu_fragment(ctx, steps, &out->fragment);
	const uint32_t n = out->fragment.n_kept;
	if (ret == 0 && has_steps) {
		out->steps = malloc((n + 1) * sizeof(*out->steps));
		ret = out->steps ? pica_ctx_read_qpu_steps(ctx, steps, 0, n, out->steps) : -ENOMEM;
	}
	return ret;
}

void pixel_qpu_finish(struct pixel_qpu *q, size_t n) {
	for (size_t i = 0; q && i < n; i++) {
		free(q[i].steps);
	}
	free(q);
}

bool pixel_in_picture(struct pica_ctx *ctx, const struct pica_picture *p, uint32_t x, uint32_t y,
		struct pica_watch *out) {
	const struct vc4_image image = { .layout = (uint8_t)p->layout,
		.px_bytes = p->format == PICA_VC4_FORMAT_RGBA8888 ? 4 : 2,
		.width = (uint16_t)p->width,
		.height = (uint16_t)p->height };
	*out = (struct pica_watch){ p->addr + vc4_image_offset(&image, x, y), image.px_bytes };
	return p->width <= VC4_IMAGE_MAX && p->height <= VC4_IMAGE_MAX &&
			pica_ctx_host(ctx, p->addr, vc4_image_bytes(&image));
}

const char *pixel_vc4_format(uint32_t format) {
	return vc4_value_text(vc4_record(VC4_OP_STORE_GENERAL), "FORMAT", format);
}

/* ---- JSON ---- */

static json_t *number(float v) {
	return isfinite(v) ? json_real((double)v) : json_null();
}

json_t *pixel_qpu_json(const struct pixel_qpu *q) {
	const struct pica_qpu_fragment *f = &q->fragment;
	json_t *varyings = json_array();
	for (uint32_t i = 0; i < f->n_varyings; i++) {
		json_array_append_new(varyings, number(f->varying[i]));
	}
	json_t *j = json_pack("{so sI so so sI so so si si sb sb so sI}", "record",
			json_addr(f->record), "list_offset", (json_int_t)f->offset, "program",
			json_addr(f->program), "uniforms", json_addr(f->uniforms), "z",
			(json_int_t)f->z, "w", number(f->w), "varyings", varyings, "samples",
			(int)f->samples, "passed", (int)f->passed, "reads_color",
			(int)f->reads_color, "writes_z", (int)f->writes_z, "written",
			json_addr(f->color), "instructions", (json_int_t)f->n_steps);
	if (f->error) {
		json_object_set_new(j, "error", json_string(strerror(-f->error)));
	}
	if (q->steps) {
		json_t *steps = json_array();
		for (uint32_t i = 0; i < f->n_kept; i++) {
			json_array_append_new(steps, videocore_step_json(&q->steps[i]));
		}
		json_object_set_new(j, "steps", steps);
	}
	return j;
}

/* ---- Text ---- */

void pixel_qpu_print(const struct pixel_qpu *q) {
	const struct pica_qpu_fragment *f = &q->fragment;
	printf("    record %08" PRIX32 " +0x%" PRIX32 ", program %08" PRIX32 ", uniforms %08" PRIX32
	       ", %" PRIu32 " instructions\n", f->record, f->offset, f->program, f->uniforms,
			f->n_steps);
	printf("    w %.7g, samples %X, passed %X%s%s\n", (double)f->w, f->samples, f->passed,
			f->reads_color ? ", reads the tile's colour" : "",
			f->writes_z ? ", writes Z" : "");
	for (uint32_t i = 0; i < f->n_varyings; i++) {
		printf("%s%.7g", i ? " " : "    varyings ", (double)f->varying[i]);
	}
	printf("%s", f->n_varyings ? "\n" : "");
	if (f->error) {
		printf("    the program failed: %s\n", strerror(-f->error));
	}
	for (uint32_t i = 0; q->steps && i < f->n_kept; i++) {
		videocore_print_step(&q->steps[i]);
	}
	if (q->steps && f->n_kept < f->n_steps) {
		printf("      and %" PRIu32 " more, which were not kept\n", f->n_steps - f->n_kept);
	}
}
