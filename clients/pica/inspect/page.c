/* The page: its program, and the data as zlib in base64, from which no text of a capture can
 * escape. */
#include "inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "common/json.h"
#include "common/markup.h"
#include "inspect/page_text.h"
#include "pictures/file.h"

/* Packs the length of the JSON (four bytes), the JSON, and the planes. */
static int pack(const struct inspect *g, const char *json, uint8_t **out, uLongf *size) {
	const int level = g->engine ? 1 : 9; /* somebody waits, or it is kept */
	const size_t len = strlen(json), n = 4 + len + g->blob.n;
	uint8_t *all = malloc(n);
	*size = compressBound(n);
	*out = malloc(*size);
	int ret = all && *out && len <= UINT32_MAX ? 0 : -ENOMEM;
	if (ret == 0) {
		for (unsigned i = 0; i < 4; i++) {
			all[i] = (uint8_t)(len >> 8 * i);
		}
		memcpy(all + 4, json, len);
		if (g->blob.n) {
			memcpy(all + 4 + len, g->blob.bytes, g->blob.n);
		}
		ret = compress2(*out, size, all, n, level) == Z_OK ? 0 : -ENOMEM;
	}
	free(all);
	return ret;
}

static json_t *page_json(struct inspect *g, const struct capture_here *c, json_t *findings) {
	json_t *report = json_report("inspect");
	json_object_set_new(report, "capture", json_text(c->path));
	json_object_set_new(report, "name", json_text(c->name));
	json_object_set_new(report, "capture_frames", json_integer(capture_frames(c->capture)));
	json_object_set_new(report, "left_out", json_integer(g->n_left_out));
	json_object_set(report, "surfaces", g->surfaces);
	json_object_set(report, "frames", g->frames);
	json_object_set(report, "steps", g->steps);
	json_object_set(report, "registers", g->registers);
	json_object_set(report, "words", g->words);
	json_object_set(report, "programs", g->programs);
	json_object_set_new(report, "served", json_boolean(g->engine != NULL));
	json_object_set_new(report, "has_planes", json_boolean(g->has_planes));
	json_object_set_new(report, "chip", json_string(pica_chip_name(c->info.chip)));
	if (findings) {
		json_object_set(report, "findings", findings);
	}
	return report;
}

/* Takes the report. */
static int print(const struct inspect *g, json_t *report, FILE *f) {
	char *json = json_dumps(report, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(report);
	uint8_t *packed = NULL;
	uLongf size = 0;
	const int ret = json ? pack(g, json, &packed, &size) : -ENOMEM;
	if (ret == 0) {
		fwrite(inspect_page_head.bytes, 1, inspect_page_head.n, f);
		fputs("<script id=\"data\" type=\"text/plain\">", f);
		markup_base64(f, packed, size);
		fputs("</script>\n", f);
		fwrite(inspect_page_tail.bytes, 1, inspect_page_tail.n, f);
	}
	free(packed);
	free(json);
	return ret;
}

int inspect_page_print(struct inspect *g, const struct capture_here *c, json_t *findings, FILE *f) {
	return print(g, page_json(g, c, findings), f);
}

int inspect_page_print_two(const char *a, const char *b, FILE *f) {
	const struct inspect nothing = { 0 };
	json_t *report = json_report("inspect");
	json_object_set_new(report, "names", json_pack("[oo]", json_text(a), json_text(b)));
	json_object_set_new(report, "served", json_true());
	return print(&nothing, report, f);
}

int inspect_page_write(struct inspect *g, const struct capture_here *c, json_t *findings,
		const char *path) {
	struct file_out out;
	const int ret = file_begin(&out, path);
	return ret < 0 ? ret : file_finish(&out, inspect_page_print(g, c, findings, out.f));
}
