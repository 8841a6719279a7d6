#include "dump.h"

#include <string.h>

#include "common/snapshot.h"

/* "[FRAME:]DRAW" */
static const char *parse_place(void *place, char *arg) {
	struct dump_place *out = place;
	char *colon = strchr(arg, ':');
	uint64_t n;
	if (colon) {
		char frame[32];
		snprintf(frame, sizeof(frame), "%.*s", (int)(colon - arg), arg);
		const char *error = frame_option(&out->frame, frame);
		if (error) {
			return error;
		}
		arg = colon + 1;
	}
	if (!parse_number(arg, UINT32_MAX, &n)) {
		return "expected a draw, counted from 0 in its frame";
	}
	out->draw = (uint32_t)n;
	out->is_given = true;
	return NULL;
}

static const char *parse_groups(void *groups, char *arg) {
	uint32_t *out = groups;
	for (char *rest = arg, *name; (name = strsep(&rest, ","));) {
		unsigned g = 0;
		while (g < PICA_GROUP_COUNT &&
				strcmp(pica_reg_group_name((enum pica_reg_group)g), name)) {
			g++;
		}
		if (g == PICA_GROUP_COUNT) {
			return "expected interrupt, raster, texture, combiner, framebuffer, lighting, geometry, "
			       "gsh, vsh or unit2";
		}
		*out |= 1u << g;
	}
	return NULL;
}

static void check(void *input, struct option_args args) {
	struct dump_options *o = input;
	o->captures = args;
	if (o->output && args.n > 1) {
		options_fail("-o: expected one capture");
	}
	if (!o->at.is_given &&
			(o->since.is_given || o->output ||
					(o->what & ~(unsigned)(DUMP_LIST | DUMP_SHADERS)))) {
		options_fail("expected --draw=N as well: the state of which draw?");
	}
	if (!o->output && (o->what & (DUMP_TEXTURES | DUMP_SURFACES | DUMP_LUTS))) {
		options_fail("expected -o: the folder of the pictures");
	}
	if (!o->output && o->json && (o->what & DUMP_VERTICES)) {
		options_fail("--vertices with --json: expected -o");
	}
	if (o->output && o->since.is_given) {
		options_fail("--since writes no files");
	}
}

static const char *const group_words[] = { "interrupt", "raster", "texture", "combiner",
	"framebuffer", "lighting", "geometry", "gsh", "vsh", NULL };

#define AT(member) offsetof(struct dump_options, member)
#define WHAT_ROW(name_, help_, bit) { name_, 0, NULL, help_, OPTION_BIT, .at = AT(what), bit }

static const struct option_row rows[] = {
	{ "frame", 0, "N", "Frame counted from 0, or last (default)", OPTION_CALL, .at = AT(at.frame),
			.parse = frame_option },
	{ "draw", 0, "[FRAME:]N", "The state that a draw of the frame sees, from 0 on", OPTION_CALL,
			.at = AT(at), .parse = parse_place },
	{ "since", 0, "[FRAME:]N", "Only what differs from the state this draw sees", OPTION_CALL,
			.at = AT(since), .parse = parse_place },
	WHAT_ROW("list", "Writes of lists (default); of a draw: since the last", DUMP_LIST),
	WHAT_ROW("state", "Registers, uniforms, attributes (default of a draw)", DUMP_STATE),
	WHAT_ROW("shaders", "Its programs, disassembled", DUMP_SHADERS),
	WHAT_ROW("vertices", "Its vertices as CSV; into a folder as OBJ, too", DUMP_VERTICES),
	WHAT_ROW("textures", "Its textures as PNG", DUMP_TEXTURES),
	WHAT_ROW("surfaces", "Colour, depth, stencil as PNG, before and after", DUMP_SURFACES),
	WHAT_ROW("luts", "Its tables as PNG: light, fog, procedural, gas", DUMP_LUTS),
	{ "output", 'o', "FOLDER", "Into files: all of these, or those asked for", OPTION_TEXT,
			.at = AT(output) },
	{ "group", 0, "NAME,...", "Registers: interrupt, raster, texture, combiner, framebuffer, "
			"lighting, geometry, gsh, vsh, unit2", OPTION_CALL, .at = AT(groups),
			.words = group_words, .parse = parse_groups },
	{ "json", 0, NULL, "Everything on stdout as JSON", OPTION_FLAG, .at = AT(json) },
	PROGRESS_ROW(AT(progress), true),
};

void dump_options_parse(struct dump_options *o, int argc, char **argv) {
	static const struct option_spec spec = {
		SPEC_CAPTURES,
		.doc = "Shows what is in captures: the command lists of a frame with registers and fields "
		       "by name, and with --draw the state that a draw sees.",
		.tables = { OPTION_TABLE(rows, 0, 0), ENGINE_TABLES(AT(engine)) },
		.check = check,
	};
	/* Without a frame, --since counts in that of --draw. */
	*o = (struct dump_options){ .at.frame = FRAME_LAST, .since.frame = FRAME_LAST - 1 };
	engine_options_init(&o->engine);
	options_parse(&spec, argc, argv, o);
	if (!o->groups) {
		o->groups = SNAPSHOT_ALL;
	}
	if (!o->what) {
		o->what = o->output ? DUMP_FILES : o->at.is_given ? DUMP_STATE : DUMP_LIST;
	}
	if (o->since.frame == FRAME_LAST - 1) {
		o->since.frame = o->at.frame;
	}
}
