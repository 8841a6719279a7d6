/*
 * pica host-run: starts a program that is linked with libpica-ctru, configures it by environment
 * variables, and takes what it sends through a pipe.
 */
#include "host_run/host_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pictures/file.h"
#include "pictures/plain.h"
#include "verbs.h"

/* ---- Options ---- */

#define AT(member) offsetof(struct run_options, member)

static const char *const format_words[] = { "png", "ppm", "qoi", "raw", "hash", "none", NULL };

static const char *format_option(void *out, char *text) {
	const struct writer *writer = writer_named(text);
	*(const struct writer **)out = writer;
	return writer && writer != &writer_y4m ? NULL : "expected png, ppm, qoi, raw, hash or none";
}

static const struct option_row rows[] = {
	{ "frames", 'n', "N", "How many frames the program lives (default: 60, a second)",
			OPTION_U32, .at = AT(frames), .min = 1, .max = 1000000 },
	{ "timeout", 0, "N", "Seconds without a frame that end it; 0: none (default: 60)",
			OPTION_U32, .at = AT(timeout_s), .max = 86400 },
	{ "record", 0, "FILE", "Record its work as a capture", OPTION_TEXT, .at = AT(record) },
	{ "lint", 0, NULL, "Tell what would hang or misbehave on the console", OPTION_FLAG,
			.at = AT(lint) },
	{ "input", 0, "FILE", "Script of buttons, sticks and touch screen", OPTION_TEXT,
			.at = AT(input) },
	{ "romfs", 0, "DIR", "Its files (default: the folder romfs beside it)", OPTION_TEXT,
			.at = AT(romfs) },
	{ "sdmc", 0, "DIR", "Its SD card: a folder (default: none)", OPTION_TEXT, .at = AT(sdmc) },
	{ "font", 0, "FILE", "The system's font (.bcfnt), for programs that write with it",
			OPTION_TEXT, .at = AT(font) },
	{ "output", 'o', "PATH", "File, folder, - or pattern: {name}-{frame:4}-{screen}",
			OPTION_TEXT, .at = AT(render.output) },
	{ "pictures", 0, "LIST", "Frames: 0,3-7,last or all, counted from 0 (default: last)",
			OPTION_CALL, .at = AT(render.frames), .words = frames_words,
			.parse = frames_option },
	{ "screen", 0, "WHICH", "top, bottom or both (default: what is shown)", OPTION_CHOICE,
			.at = AT(render.screens), .words = render_screen_words,
			.given = RENDER_SCREENS },
	{ "eye", 0, "WHICH", "left, right or both (default: left)", OPTION_CHOICE,
			.at = AT(render.eyes), .words = render_eye_words, .given = RENDER_EYES },
	{ "format", 0, "FORMAT", "png, ppm, qoi, raw, hash, none (default: as PATH, or png)",
			OPTION_CALL, .at = AT(render.writer), .words = format_words,
			.parse = format_option, .given = RENDER_FORMAT },
	{ "connect", 0, "SOCKET", "Let a service be its GPU; builtin: is one in its process",
			OPTION_TEXT, .at = AT(where), .given = RENDER_CONNECT,
			.is_arg_optional = true },
};

static void check(void *input, struct option_args args) {
	struct run_options *o = input;
	const unsigned given = o->render.engine.given;
	o->program = args.v;
	if (o->render.given & RENDER_CONNECT) {
		o->where = o->where ? o->where : "";
		if (given & ENGINE_MACHINE) {
			options_fail("--connect: %s is the service's own",
					given & ENGINE_ISA ? "--isa" : "--threads");
		}
	}
	const char *output = o->render.output;
	if (output && !(o->render.given & RENDER_FORMAT)) {
		o->render.writer = writer_of_path(output, true);
		if (o->render.writer == &writer_y4m || writer_path_error(output)) {
			options_fail("--output %s: expected a name that ends in .png, .ppm, .qoi or .raw",
					output);
		}
	}
	const uint32_t end = frame_list_end(&o->render.frames, o->frames);
	if (end >= o->frames) {
		options_fail("--pictures: frame %u was asked for, but the last one is %u (--frames)", end,
				o->frames - 1);
	}
}

static bool is_font(const char *path) {
	char mark[4] = "";
	FILE *f = fopen(path, "rb");
	const bool is_one = f && fseek(f, HOST_FONT_MARK_AT, SEEK_SET) == 0 &&
			fread(mark, sizeof(mark), 1, f) == 1 &&
			memcmp(mark, HOST_FONT_MARK, sizeof(mark)) == 0;
	if (f) {
		fclose(f);
	}
	return is_one;
}

/* Checks the paths that the program opens later, or never. */
static int check_paths(const struct run_options *o) {
	const struct {
		const char *option, *path;
		bool is_folder;
	} paths[] = { { "input", o->input, false }, { "font", o->font, false },
		{ "romfs", o->romfs, true }, { "sdmc", o->sdmc, true } };
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		const char *path = paths[i].path;
		if (path && access(path, R_OK) < 0) {
			return log_fail("--%s %s: %s", paths[i].option, path, strerror(errno));
		}
		if (path && path == o->font && !is_font(path)) {
			return log_fail("--font %s: expected a font (.bcfnt)", path);
		}
		if (path && file_is_folder(path) != paths[i].is_folder) {
			return log_fail("--%s %s: expected a %s", paths[i].option, path,
					paths[i].is_folder ? "folder" : "file, this is a folder");
		}
	}
	return EXIT_FINE;
}

/* Checks the instruction set here, where it is an option. */
static int check_isa(const struct engine_options *given) {
	struct engine_options engine = *given;
	struct pica_device *device = NULL;
	engine.threads = 0;
	const int exit = engine.isa ? engine_create(&device, &engine) : EXIT_FINE;
	pica_device_destroy(device);
	return exit;
}

/* Whether both paths name one file, which need not exist yet. */
static bool is_one_file(const char *a, const char *b) {
	const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
	char *folder_a = name_a ? strndup(a, (size_t)(name_a + 1 - a)) : strdup("."),
	     *folder_b = name_b ? strndup(b, (size_t)(name_b + 1 - b)) : strdup(".");
	const bool is_one = file_is_same(a, b) ||
			(strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) == 0 &&
					folder_a && folder_b && file_is_same(folder_a, folder_b));
	free(folder_a);
	free(folder_b);
	return is_one;
}

/* Returns the program's file, as execvp() finds it; it may be in the buffer. */
static const char *find_program(const char *name, char file[PATH_MAX]) {
	const char *at = strchr(name, '/') ? NULL : getenv("PATH");
	while (at) {
		const int n = (int)strcspn(at, ":");
		snprintf(file, PATH_MAX, "%.*s%s%s", n, at, n ? "/" : "", name);
		if (access(file, X_OK) == 0) {
			return file;
		}
		at = at[n] ? at + n + 1 : NULL;
	}
	return name;
}

/* Checks that the program can create its recording. */
static int check_record(const struct run_options *o) {
	const char *path = o->record, *output = o->render.output;
	struct file_out out;
	struct stat st;
	if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) {
		return log_fail("--record %s: expected a regular file", path);
	}
	if (file_ends_with(path, ".ctf") || file_ends_with(path, ".ctf.zst")) {
		return log_fail("--record %s: this is the name of a CiTrace: expected one of a .pica, "
				"which `pica convert' converts", path);
	}
	if (output && is_one_file(path, output)) {
		return log_fail("--record %s: -o names the same file: expected another one", path);
	}
	const char *what = render_kept(&o->render, path);
	if (what) {
		return log_fail("--record %s: this is %s: expected another name", path, what);
	}
	const int ret = file_begin(&out, path);
	if (ret < 0) {
		return log_fail("--record %s: %s", path, strerror(-ret));
	}
	file_finish(&out, -ECANCELED);
	return EXIT_FINE;
}

static void parse_options(struct run_options *o, int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "PROGRAM [ARG...]",
		.doc = "Runs a program of the console that is built for this machine with "
		       "libpica-ctru, and writes the pictures of its screens. Every run is the same: "
		       "a frame takes 1/59.83 s of the program's time.",
		.tables = { OPTION_TABLE(rows, 0, AT(render.given)),
				ENGINE_TABLES(AT(render.engine)) },
		.min_args = 1,
		.max_args = OPTION_ANY,
		.expected = "a program",
		.is_in_order = true,
		.check = check,
	};
	*o = (struct run_options){ .frames = 60,
		.timeout_s = 60,
		.render = { .writer = &writer_png,
				.screens = (SCREEN_TOP | SCREEN_BOTTOM) - 1,
				.eyes = EYE_LEFT - 1 } };
	engine_options_init(&o->render.engine);
	frame_list_parse(&o->render.frames, "last");
	options_parse(&spec, argc, argv, o);
	o->render.screens++;
	o->render.eyes++;
}

/* ---- The program ---- */

static void set_text(const char *name, const char *value) {
	if (value) {
		setenv(name, value, 1);
	} else {
		unsetenv(name);
	}
}

/* The program may change its folder before it opens the path. */
static void set_path(const char *name, const char *path) {
	char here[PATH_MAX], whole[2 * PATH_MAX];
	if (path && path[0] != '/' && getcwd(here, sizeof(here)) &&
			snprintf(whole, sizeof(whole), "%s/%s", here, path) < (int)sizeof(whole)) {
		path = whole;
	}
	set_text(name, path);
}

static void set_number(const char *name, uint32_t value) {
	char text[16];
	snprintf(text, sizeof(text), "%u", value);
	setenv(name, text, 1);
}

/* The environment, for libpica-ctru. */
static void set_environment(const struct run_options *o, int pictures, int lint) {
	const struct engine_options *e = &o->render.engine;
	set_number("PICA_HOST_FRAMES", o->frames);
	set_number("PICA_HOST_PICTURES", (uint32_t)pictures);
	set_number("PICA_HOST_LINT", (uint32_t)lint);
	set_number("PICA_HOST_THREADS", e->threads);
	set_number("PICA_HOST_ARITHMETIC", (uint32_t)e->float_mode | (uint32_t)e->combiner << 1);
	set_text("PICA_HOST_CONNECT", o->where);
	set_path("PICA_HOST_RECORD", o->record);
	set_text("PICA_HOST_INPUT", o->input);
	set_path("PICA_HOST_ROMFS", o->romfs);
	set_path("PICA_HOST_SDMC", o->sdmc);
	if (o->font) {
		set_path("PICA_HOST_FONT", o->font);
	}
	if (e->isa) {
		setenv("PICA_ISA", e->isa, 1);
	}
}

/* In the new process. Returns only if it cannot run the program, with errno. */
static void become(const struct run_options *o, int pictures, int lint, pid_t parent) {
	/* The addresses of a process are the same in every run. */
	const int persona = personality(0xFFFFFFFF);
	if (persona >= 0) {
		personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
	}
	/* Nobody else would end a program that spins. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) {
		_exit(EXIT_TROUBLE);
	}
	fcntl(pictures, F_SETFD, 0); /* stays open there */
	if (lint >= 0) {
		fcntl(lint, F_SETFD, 0);
	}
	execvp(o->program[0], o->program);
}

/* Returns 0 when the program runs, or an errno. */
static int spawn(struct run *r, int pictures, int lint, const sigset_t *mask) {
	const pid_t self = getpid();
	int said[2], error = 0;
	if (pipe2(said, O_CLOEXEC) < 0) {
		return errno;
	}
	r->pid = fork();
	if (r->pid == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		become(r->o, pictures, lint, self);
		error = errno;
		_exit(write(said[1], &error, sizeof(error)) < 0);
	}
	error = r->pid < 0 ? errno : 0;
	close(said[1]);
	if (read(said[0], &error, sizeof(error)) > 0) {
		waitpid(r->pid, NULL, 0);
	}
	close(said[0]);
	return error;
}

/* Starts and watches the program. Returns an exit code. *fd: the pipe with its stream. */
static int start(struct run *r, int *fd) {
	const struct run_options *o = r->o;
	int ends[2], answers[2] = { -1, -1 };
	if (pipe2(ends, O_CLOEXEC) < 0 ||
			(o->lint && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answers) <
							0)) {
		return log_fail("%s", strerror(errno));
	}
	r->checked = answers[0];
	set_environment(o, ends[1], answers[1]);
	watch_adopt();
	const sigset_t mask = watch_block();
	const int error = spawn(r, ends[1], answers[1], &mask);
	if (!error) {
		watch_begin(r->pid, ends[0], o->timeout_s);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[1]);
	if (o->lint) {
		close(answers[1]);
	}
	if (error) {
		close(ends[0]);
		return log_fail("%s: cannot run it: %s%s", o->program[0], strerror(error),
				error == EACCES ? ": expected an executable program" : "");
	}
	*fd = ends[0];
	return EXIT_FINE;
}

/* For the verdict of --lint: nothing is known of what would have followed. */
static void set_until(struct run *r, const char *why) {
	snprintf(r->until, sizeof(r->until), " up to frame %u; the program ended: %s",
			r->has_frame ? r->frame.number + 1 : 0, why);
	r->lint.until = r->until;
}

/* Returns its exit code, or 128 and the signal that ended it. */
static int finish(struct run *r) {
	const char *name = r->shot.path;
	int status;
	while (waitpid(r->pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return log_fail("%s", strerror(errno));
		}
	}
	if (watch_end()) {
		log_line("%s: no frame in %u s: ended (--timeout)", name, r->o->timeout_s);
		set_until(r, "--timeout");
		return EXIT_TIMEOUT;
	}
	if (WIFSIGNALED(status)) {
		log_line("%s: ended by a signal: %s", name, strsignal(WTERMSIG(status)));
		set_until(r, strsignal(WTERMSIG(status)));
		return WATCH_SIGNALLED + WTERMSIG(status);
	}
	const int code = WEXITSTATUS(status);
	if (code) {
		char why[16];
		snprintf(why, sizeof(why), "status %d", code);
		set_until(r, why);
	} else if (!r->is_whole) {
		set_until(r, "it called _exit() or exec(), or closed its descriptors");
	}
	return code;
}

/* A finished recording replaces a file of its name by another. 0: there is none. */
static ino_t file_at(const char *path) {
	struct stat st;
	return path && stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Removes what a killed program leaves beside its recording: see pica_capture_writer_create(). */
static void remove_rest(const char *path, pid_t pid) {
	char *real = realpath(path, NULL);
	char name[PATH_MAX + 48];
	unsigned n = 0;
	do {
		snprintf(name, sizeof(name), "%s.tmp-%ld-%u", real ? real : path, (long)pid, n++);
	} while (unlink(name) == 0);
	free(real);
}

/* The program's own exit code has priority. */
static int run(struct run *r) {
	int fd = -1;
	const int exit = start(r, &fd);
	if (exit != EXIT_FINE) {
		return exit;
	}
	r->has_run = true;
	run_take_stream(r, fd);
	const int code = finish(r);
	log_end();
	if (r->o->record) {
		remove_rest(r->o->record, r->pid);
	}
	if (code == 0 && !r->has_frame && r->shot.exit == EXIT_FINE) {
		r->is_empty = true;
		return log_fail("%s: %s", r->shot.path,
				r->has_begun ? "ended before its first vertical blank" :
					       "no frame: it must be linked with libpica-ctru, "
					       "and call gfxInit()");
	}
	const uint32_t n = r->frame.number + 1, end = frame_list_end(&r->o->render.frames, n);
	if (code == 0 && end >= n && r->shot.exit == EXIT_FINE) {
		return log_fail("%s: --pictures: frame %u was asked for, but the last one is %u",
				r->shot.path, end, n - 1);
	}
	return code ? code : r->shot.exit;
}

int verb_host_run(int argc, char **argv) {
	struct run_options o;
	char file[PATH_MAX];
	parse_options(&o, argc, argv);
	o.render.inputs[0] = find_program(o.program[0], file);
	o.render.inputs[1] = o.input;
	o.render.inputs[2] = o.font;
	char *lines = NULL;
	size_t lines_size = 0;
	struct run r = { .o = &o, .render = { .o = &o.render } };
	r.shot = (struct shot){
		.r = &r.render, .path = o.program[0], .name = capture_name(o.program[0])
	};
	const ino_t before = file_at(o.record);
	int exit = check_paths(&o);
	exit = exit ? exit : check_isa(&o.render.engine);
	exit = exit || !o.record ? exit : check_record(&o);
	exit = exit ? exit : render_begin_output(&r.render, &lines, &lines_size);
	if (exit == EXIT_FINE) {
		exit = run(&r);
		exit = render_end_output(&r.render, &lines, &lines_size, exit);
		if (o.record && file_at(o.record) == before) {
			const int lost = log_fail("%s: was not recorded", o.record);
			exit = exit ? exit : lost;
		}
	}
	const char *checked = o.record ? o.record : r.shot.path;
	if ((r.is_linted && (r.lint.here.frame || r.lint.n)) || r.lint.n_refused) {
		const int found = lint_print(&r.lint, checked);
		exit = exit == EXIT_FINE || (found && r.is_empty) ? found : exit;
	} else if (o.lint && r.has_run) {
		plain_write(stdout, checked);
		puts(r.is_linted ? ": no frame was checked" : ": no job was checked");
	}
	lint_finish(&r.lint);
	free(r.shot.name);
	return exit;
}
