/* pica shader: assembles, disassembles and traces shader programs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/options.h"
#include "pica_shader.h"
#include "pictures/file.h"
#include "shader/shader.h"
#include "vc4/qpu/qpu.h"
#include "verbs.h"

enum { MAX_FILE = 16 << 20 };

enum { GIVEN_ENTRY = 1, GIVEN_DRAW = 2, GIVEN_OTHER = 4 };

struct options {
	const char *output; /* NULL: beside the source (asm), standard output (disasm) */
	int entry;
	enum { CHIP_PICA, CHIP_VC4 } chip;
	unsigned given; /* enum below */
	bool no_nop;
	struct shader_trace_options trace;
};

static const char *const chip_words[] = { "pica", "vc4", NULL };

static const char *parse_entry(void *entry, char *arg) {
	uint64_t n;
	if (strcmp(arg, "none") == 0) {
		*(int *)entry = PICA_SHADER_NO_ENTRY;
	} else if (parse_number(arg, PICA_SHADER_MAX_ENTRIES - 1, &n)) {
		*(int *)entry = (int)n;
	} else {
		return "expected none or a number from 0 to 255";
	}
	return NULL;
}

/* "a/b.pica", ".shbin" -> "a/b.shbin"; "-" stays. NULL: out of memory. */
static char *binary_name(const char *source, const char *suffix) {
	if (strcmp(source, "-") == 0) {
		return strdup("-");
	}
	const char *slash = strrchr(source, '/'), *dot = strrchr(source, '.');
	const int len = (int)(dot && (!slash || dot > slash + 1) && dot != source ?
			dot - source : (ptrdiff_t)strlen(source));
	char *name;
	return asprintf(&name, "%.*s%s", len, source, suffix) < 0 ? NULL : name;
}

static int write_binary(
	const struct options *o, const struct pica_shader *shader, const char *source) {
	char *path = o->output ? strdup(o->output) : binary_name(source, ".shbin");
	void *data = NULL;
	size_t size;
	int ret = path ? pica_shader_write(shader, &data, &size) : -ENOMEM;
	if (ret == 0) {
		ret = file_write(path, data, size);
	}
	const int exit = log_result(path ? path : source, ret);
	free(data);
	free(path);
	return exit;
}

static int assemble(const struct options *o, char **files, unsigned n_files) {
	if (n_files > PICA_SHADER_MAX_ENTRIES) {
		return log_fail("expected at most %d sources", PICA_SHADER_MAX_ENTRIES);
	}
	struct pica_shader_source *source = calloc(n_files, sizeof(*source));
	void **text = calloc(n_files, sizeof(*text));
	int exit = source && text ? EXIT_FINE : log_no_memory();
	for (unsigned i = 0; exit == EXIT_FINE && i < n_files; i++) {
		source[i].name = files[i];
		exit = log_result(files[i],
				file_read(files[i], &text[i], &source[i].len, MAX_FILE));
		source[i].text = text[i];
	}
	if (exit == EXIT_FINE) {
		struct pica_shader *shader = NULL;
		struct pica_shader_error error;
		int ret = pica_shader_assemble(
			&shader, source, n_files, o->no_nop ? PICA_SHADER_NO_NOP : 0, &error);
		if (ret == 0) {
			exit = write_binary(o, shader, files[0]);
		} else if (error.line) {
			exit = log_fail("%s:%u: %s", error.file, error.line, error.message);
		} else {
			exit = log_fail("%s: %s", *error.file ? error.file : files[0],
					error.message);
		}
		pica_shader_destroy(shader);
	}
	for (unsigned i = 0; text && i < n_files; i++) {
		free(text[i]);
	}
	free(text);
	free(source);
	return exit;
}

static int disassemble(const struct options *o, const char *file) {
	void *data;
	size_t size;
	int ret = file_read(file, &data, &size, MAX_FILE);
	if (ret < 0) {
		return log_result(file, ret);
	}
	struct pica_shader *shader;
	struct pica_shader_error error;
	ret = pica_shader_read(&shader, data, size, &error);
	free(data);
	if (ret < 0) {
		return log_fail("%s: %s", file, error.message);
	}
	if (shader->n_entries > 1 && !(o->given & GIVEN_ENTRY)) {
		log_line("%s: entry 0 of %u is written; --entry chooses another", file,
				(unsigned)shader->n_entries);
	}
	int exit = EXIT_FINE;
	if (o->given & GIVEN_ENTRY && o->entry >= (int)shader->n_entries) {
		exit = log_fail("%s: no entry %d, it has %u", file, o->entry, shader->n_entries);
	} else {
		const char *path = o->output ? o->output : "-";
		char *text = NULL;
		ret = pica_shader_disassemble(
			shader, shader->n_entries ? o->entry : PICA_SHADER_NO_ENTRY, &text);
		if (ret == 0) {
			ret = file_write(path, text, strlen(text));
		}
		exit = log_result(ret == -EINVAL ? file : path, ret);
		free(text);
	}
	pica_shader_destroy(shader);
	return exit;
}

/* Source in the syntax of qpu.h to words, low half first, as memory has them. */
static int vc4_assemble(const struct options *o, const char *file) {
	void *text;
	size_t len, n;
	int ret = file_read(file, &text, &len, MAX_FILE);
	if (ret < 0) {
		return log_result(file, ret);
	}
	uint64_t *words = NULL;
	struct qpu_error error;
	ret = qpu_assemble(text, len, &words, &n, &error);
	free(text);
	if (ret == -EINVAL) {
		return log_fail("%s:%u:%u: %s", file, error.line, error.column, error.message);
	}
	char *path = o->output ? strdup(o->output) : binary_name(file, ".qpu");
	ret = ret < 0 || !path ? -ENOMEM : file_write(path, words, n * sizeof(*words));
	const int exit = log_result(path ? path : file, ret);
	free(path);
	free(words);
	return exit;
}

static int vc4_disassemble(const struct options *o, const char *file) {
	void *data;
	size_t size, len = 0;
	int ret = file_read(file, &data, &size, MAX_FILE);
	if (ret < 0) {
		return log_result(file, ret);
	}
	if (size % sizeof(uint64_t)) {
		free(data);
		return log_fail("%s: %zu bytes: expected words of 8 bytes", file, size);
	}
	const char *path = o->output ? o->output : "-";
	char *text = NULL;
	FILE *out = open_memstream(&text, &len);
	for (size_t at = 0; out && at < size; at += sizeof(uint64_t)) {
		uint64_t word;
		char line[QPU_TEXT_SIZE];
		memcpy(&word, (const char *)data + at, sizeof(word));
		qpu_disassemble(word, line);
		fprintf(out, "%s\n", line);
	}
	free(data);
	ret = out && fclose(out) == 0 ? file_write(path, text, len) : -ENOMEM;
	free(text);
	return log_result(path, ret);
}

static int vc4_shader(const struct options *o, const struct option_args *args) {
	const bool is_asm = strcmp(args->v[0], "asm") == 0;
	if (o->given & GIVEN_ENTRY || o->no_nop) {
		return log_fail("--%s: of --chip pica only",
				o->given & GIVEN_ENTRY ? "entry" : "no-nop");
	}
	if ((!is_asm && strcmp(args->v[0], "disasm") != 0) || args->n != 2) {
		return log_fail("--chip vc4: expected asm and a source, or disasm and a file of words");
	}
	return is_asm ? vc4_assemble(o, args->v[1]) : vc4_disassemble(o, args->v[1]);
}

static int trace(struct options *o, const struct option_args *args) {
	if (args->n != 2) {
		return log_fail("trace: expected one capture");
	}
	if (o->output || o->no_nop || o->given & GIVEN_ENTRY || o->chip != CHIP_PICA) {
		return log_fail("trace: --output, --no-nop, --entry and --chip are of asm and disasm");
	}
	if (!(o->given & GIVEN_DRAW)) {
		return log_fail("trace: expected --draw=N");
	}
	if (o->trace.given & (o->trace.given - 1)) {
		return log_fail("trace: expected only one of --vertex, --primitive and --run");
	}
	o->trace.capture = args->v[1];
	if (o->trace.json) {
		json_promise("shader", o->trace.capture);
	}
	return shader_trace(&o->trace);
}

#define AT(member) offsetof(struct options, member)
#define OF_ROW(name_, of, help_)                                                                   \
	{                                                                                          \
		.name = name_, .arg = "N", .help = help_, .kind = OPTION_U32,                      \
		.at = AT(trace.number[of]), .max = UINT32_MAX - 1, .given = 1u << (of)             \
	}

int verb_shader(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "output", 'o', "PATH", "Default: the source with .shbin, or stdout for disasm",
				OPTION_TEXT, .at = AT(output) },
		{ "no-nop", 0, NULL, "asm: no NOPs where the hardware's flow control needs them",
				OPTION_FLAG, .at = AT(no_nop) },
		{ "entry", 0, "N|none", "disasm: whose directives are written (default: 0)", OPTION_CALL,
				.at = AT(entry), .parse = parse_entry, .given = GIVEN_ENTRY },
		{ "chip", 0, NULL, "Whose shaders: of the PICA200 or the VideoCore IV (default: pica)",
				OPTION_CHOICE, .at = AT(chip), .words = chip_words },
		{ "draw", 0, "N", "trace: the draw of its frame, from 0 on", OPTION_U32,
				.at = AT(trace.draw), .max = UINT32_MAX - 1, .given = GIVEN_DRAW },
		{ "frame", 0, "N", "trace: counted from 0, or last (default: last)", OPTION_CALL,
				.at = AT(trace.frame), .parse = frame_option,
				.given = GIVEN_OTHER },
		{ "json", 0, NULL, "trace: report on stdout as JSON", OPTION_FLAG,
				.at = AT(trace.json), .given = GIVEN_OTHER },
	};
	static const struct option_row of_rows[] = {
		OF_ROW("vertex", SHADER_OF_VERTEX,
				"trace: the vertex of the draw, from 0 on (default: 0)"),
		OF_ROW("primitive", SHADER_OF_PRIMITIVE,
				"trace: the geometry program, as it emits this primitive of the draw"),
		OF_ROW("run", SHADER_OF_RUN,
				"trace: this run of the geometry program in the draw, from 0 on"),
	};
	static const struct option_spec spec = {
		.forms = "asm SOURCE...\ndisasm SHBIN\ntrace CAPTURE",
		.doc = "Assembles shader sources in the syntax of picasso, disassembles a .shbin file "
		       "into such a source, or shows a program of a draw step by step.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)),
				OPTION_TABLE(of_rows, 0, AT(trace.given)),
				ENGINE_SERIAL_TABLES(AT(trace.engine)) },
		.min_args = 1,
		.max_args = OPTION_ANY,
		.expected = "asm, disasm or trace",
	};
	struct options o = { .trace = { .frame = FRAME_LAST } };
	engine_options_init(&o.trace.engine);
	o.trace.engine.threads = 0;
	const struct option_args args = options_parse(&spec, argc, argv, &o);
	const char *action = args.v[0];
	for (unsigned i = 1; o.output && i < args.n; i++) {
		if (file_is_same(args.v[i], o.output)) {
			return log_fail("-o %s: this is the input itself: expected another name", o.output);
		}
	}
	if (strcmp(action, "trace") == 0) {
		return trace(&o, &args);
	}
	if (o.given & (GIVEN_DRAW | GIVEN_OTHER) || o.trace.given) {
		return log_fail("--draw, --vertex, --primitive, --run, --frame, --json: of trace only");
	}
	if (o.chip == CHIP_VC4) {
		return vc4_shader(&o, &args);
	}
	if (strcmp(action, "asm") == 0 && args.n > 1) {
		return assemble(&o, args.v + 1, args.n - 1);
	}
	if (strcmp(action, "disasm") == 0 && args.n == 2) {
		return disassemble(&o, args.v[1]);
	}
	if (strcmp(action, "asm") == 0) {
		log_line("asm: expected a source");
	} else if (strcmp(action, "disasm") == 0) {
		log_line("disasm: expected one .shbin file");
	} else {
		log_line("%s: expected asm, disasm or trace", action);
	}
	return EXIT_TROUBLE;
}
