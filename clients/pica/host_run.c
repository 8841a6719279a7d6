/*
 * pica host-run: starts a program that is linked with libpica-ctru, configures it by environment
 * variables, and reads the pictures of its frames from a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/pictures.h"
#include "lint/lint.h"
#include "pictures/file.h"
#include "render/render.h"
#include "verbs.h"

extern char **environ;

enum { SIGNALLED = 128, PATIENCE_S = 15, HOST_MAX_WINDOWS = 8 };

/* Results of next_job(). */
enum { TAKEN_JOB = 1, TAKEN_MEMORY = 2 };

struct options {
	struct render_options render; /* its output, frames, screens, format and engine */
	uint32_t frames, timeout_s;
	const char *record, *input, *romfs, *sdmc, *font, *where;
	bool lint;
	char **program; /* up to NULL */
};

struct run {
	const struct options *o;
	struct render render;
	struct shot shot;
	/* the last frame */
	struct host_frame frame;
	struct host_picture head[HOST_FRAME_PICTURES];
	struct picture picture[HOST_FRAME_PICTURES];
	bool has_frame, is_written;
	/* the program's stream, and for --lint its memory and jobs */
	FILE *pipe;
	pid_t pid;
	int checked; /* socket: an answer for each job; -1: no --lint */
	struct host_memory memory[HOST_MAX_WINDOWS];
	uint8_t *base[HOST_MAX_WINDOWS];
	uint32_t n_windows; /* 0: not known yet */
	bool is_waiting; /* for that answer */
	struct lint lint;
	bool is_linted;
};

/* ---- Options ---- */

#define AT(member) offsetof(struct options, member)

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
	struct options *o = input;
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

/* Checks the files that the program reads later, or never. */
static int check_files(const struct options *o) {
	const char *files[] = { o->input, o->font, o->romfs, o->sdmc };
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (files[i] && access(files[i], R_OK) < 0) {
			return log_fail("%s: %s", files[i], strerror(errno));
		}
	}
	for (size_t i = 2; i < ARRAY_LEN(files); i++) {
		if (files[i] && !file_is_folder(files[i])) {
			return log_fail("%s: expected a folder", files[i]);
		}
	}
	return EXIT_FINE;
}

static void parse_options(struct options *o, int argc, char **argv) {
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
	*o = (struct options){ .frames = 60,
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

/* ---- Ends ---- */

static volatile sig_atomic_t watched; /* the program; 0: none */
static volatile sig_atomic_t is_late, stop_signal;
static volatile sig_atomic_t is_finishing; /* its recording */

/* Let it finish its recording; then end it in any case. */
static void on_alarm(int signal) {
	(void)signal;
	kill(watched, is_late || stop_signal ? SIGKILL : SIGTERM);
	is_late |= !stop_signal;
	alarm(PATIENCE_S);
}

/*
 * Ends the program alone, so that its recording is finished and linted; the second time kills it.
 * From a terminal the program gets the signal twice, which it takes as one.
 */
static void on_stop(int number) {
	if (!watched) {
		_exit(SIGNALLED + number);
	}
	kill(watched, number == stop_signal ? SIGKILL : number);
	stop_signal = number;
	if (!is_finishing) {
		alarm(PATIENCE_S);
	}
}

/* The time does not count while the program waits for this process. */
static struct itimerval held;

static void hold_alarm(void) {
	static const struct itimerval none;
	if (!is_late && !stop_signal) {
		setitimer(ITIMER_REAL, &none, &held);
	}
}

static void continue_alarm(void) {
	if (!is_late && !stop_signal) {
		setitimer(ITIMER_REAL, &held, NULL);
	}
}

/* Starts the time anew, unless it is over: then the program has PATIENCE_S in all. */
static void set_alarm(uint32_t seconds) {
	if (!is_late && !stop_signal) {
		alarm(seconds);
	}
}

static const int stops[] = { SIGHUP, SIGINT, SIGTERM };

/* While blocked, they wait until the program runs. Returns the mask before. */
static sigset_t block_stops(void) {
	sigset_t set, before;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		sigaddset(&set, stops[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &before);
	return before;
}

/* Ends the program after the timeout, from now on, or when this process is to end. */
static void watch(pid_t pid, uint32_t timeout_s) {
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, old;
	watched = pid;
	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_stop;
	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		sigaction(stops[i], NULL, &old);
		if (old.sa_handler != SIG_IGN) {
			sigaction(stops[i], &action, NULL);
		}
	}
	alarm(timeout_s);
}

/* ---- Pictures ---- */

/* As in `pica render': without a second picture, both eyes have the same. */
static bool is_wanted(const struct run *r, unsigned i) {
	const struct host_picture *head = &r->head[i];
	const bool has_right = i + 1 < r->frame.n && r->head[i + 1].eye == PICA_EYE_RIGHT;
	const unsigned eyes = r->o->render.eyes;
	const bool is_seen = head->eye == PICA_EYE_RIGHT ? eyes & EYE_RIGHT :
							    eyes & EYE_LEFT || !has_right;
	return is_seen && r->o->render.screens >> head->screen & 1;
}

static void write_frame(struct run *r) {
	static const char *const screens[] = { "top", "bottom" };
	static const char *const eyes[] = { "left", "right" };
	bool is_shown = false;
	r->is_written = true;
	for (unsigned i = 0; i < r->frame.n && r->o->render.writer != &writer_none; i++) {
		const struct host_picture *head = &r->head[i];
		const struct outname_values v = { r->shot.name, r->frame.number, UINT32_MAX,
			screens[head->screen], eyes[head->eye] };
		if (is_wanted(r, i) && !(r->render.one_screen && is_shown)) {
			render_put(&r->shot, &v, &r->picture[i], NULL);
			is_shown = true;
		}
	}
}

static bool read_all(FILE *pipe, void *data, size_t size) {
	return fread(data, 1, size, pipe) == size;
}

static bool read_picture(FILE *pipe, struct host_picture *head, struct picture *p) {
	return read_all(pipe, head, sizeof(*head)) && head->screen <= PICA_SCREEN_BOTTOM &&
			head->eye <= PICA_EYE_RIGHT && head->width &&
			head->width <= HOST_PICTURE_MAX_WIDTH &&
			head->height == HOST_PICTURE_HEIGHT &&
			picture_alloc(p, head->width, head->height) == 0 &&
			read_all(pipe, p->rgb, (size_t)head->width * head->height * 3);
}

/* An incomplete frame leaves the previous one. */
static bool read_frame(struct run *r, const struct host_frame *head) {
	struct run next = *r;
	next.frame = *head;
	bool is_whole = next.frame.n <= HOST_FRAME_PICTURES;
	for (unsigned i = 0; is_whole && i < next.frame.n; i++) {
		is_whole = read_picture(r->pipe, &next.head[i], &next.picture[i]);
	}
	memcpy(r->picture, next.picture, sizeof(r->picture)); /* they are the owners now */
	if (!is_whole) {
		r->has_frame = false;
		render_fail(&r->shot, EXIT_TROUBLE,
				"the program ended in the middle of a frame's pictures");
		return false;
	}
	memcpy(r->head, next.head, sizeof(r->head));
	r->frame = next.frame;
	r->has_frame = true;
	r->is_written = false;
	return true;
}

static bool take_frame(struct run *r, const struct host_frame *head) {
	const uint32_t n_frames = r->o->frames;
	if (!read_frame(r, head)) {
		return false;
	}
	set_alarm(r->o->timeout_s);
	if (frame_list_has(&r->o->render.frames, n_frames, r->frame.number)) {
		write_frame(r);
	}
	log_progress(r->shot.name, r->frame.number + 1, n_frames);
	return true;
}

/* ---- Lint ---- */

/* The program's memory; what this process writes stays its own. */
static int map_memory(struct run *r, uint32_t i) {
	const struct host_memory *m = &r->memory[i];
	char path[64];
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)r->pid, m->fd);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= m->size) {
		at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd,
				0);
	}
	close(fd);
	r->base[i] = at == MAP_FAILED ? NULL : at;
	return r->base[i] ? 0 : -EIO;
}

static bool take_memory(struct run *r, const struct host_frame *head) {
	if (r->n_windows || head->n < 1 || head->n > HOST_MAX_WINDOWS) {
		return false;
	}
	for (uint32_t i = 0; i < head->n; i++) {
		if (!read_all(r->pipe, &r->memory[i], sizeof(r->memory[i])) ||
				map_memory(r, i) < 0) {
			return false;
		}
		r->n_windows = i + 1;
	}
	return true;
}

/* Drops what the last job wrote here. */
static bool take_job(struct run *r, struct pica_job *job) {
	if (!read_all(r->pipe, job, sizeof(*job)) || job->op == PICA_OP_WRITE ||
			job->op == PICA_OP_STATS) { /* which have pointers */
		return false;
	}
	for (uint32_t i = 0; i < r->n_windows; i++) {
		madvise(r->base[i], r->memory[i].size, MADV_DONTNEED);
	}
	return true;
}

static void answer(struct run *r) {
	if (r->is_waiting) {
		continue_alarm();
		send(r->checked, "", 1, MSG_NOSIGNAL);
	}
	r->is_waiting = false;
}

/*
 * Takes the program's messages up to its next job, or without --lint to its end. Returns as
 * pica_capture_next().
 */
static int next_job(void *user, struct pica_capture_event *event) {
	struct run *r = user;
	struct host_frame head;
	bool is_fine = true;
	answer(r);
	while (is_fine && read_all(r->pipe, &head, sizeof(head))) {
		if (head.number == HOST_FRAME_FINISHING) {
			is_finishing = 1;
			alarm(0);
		} else if (head.number == HOST_FRAME_MEMORY) {
			is_fine = take_memory(r, &head);
			if (is_fine) {
				return TAKEN_MEMORY;
			}
		} else if (head.number == HOST_FRAME_JOB) {
			*event = (struct pica_capture_event){ .offset = LINT_NO_OFFSET };
			is_fine = take_job(r, &event->job);
			if (is_fine) {
				event->kind = event->job.op == PICA_OP_PRESENT ?
						PICA_CAPTURE_FRAME :
						PICA_CAPTURE_JOB;
				r->is_waiting = true;
				hold_alarm();
				return TAKEN_JOB;
			}
		} else {
			is_fine = take_frame(r, &head);
		}
	}
	if (!is_fine && r->shot.exit == EXIT_FINE) {
		render_fail(&r->shot, EXIT_TROUBLE, "--lint: cannot read the program's jobs or memory");
	}
	return 0;
}

/* Executes the program's jobs once more, draw by draw. */
static void lint_jobs(struct run *r) {
	const struct engine_options *e = &r->o->render.engine;
	struct pica_settings settings;
	struct pica_ctx_settings of_ctx;
	struct pica_device *device = NULL;
	struct pica_ctx *ctx = NULL;
	pica_settings_init(&settings);
	settings.n_threads = 0;
	settings.float_mode = e->float_mode;
	settings.combiner = e->combiner;
	pica_ctx_settings_init(&of_ctx);
	of_ctx.fcram_bytes = of_ctx.vram_bytes = 0;
	int ret = pica_device_create(&device, &settings);
	ret = ret < 0 ? ret : pica_ctx_create(&ctx, device, &of_ctx);
	for (uint32_t i = 0; ret == 0 && i < r->n_windows; i++) {
		const struct host_memory *m = &r->memory[i];
		ret = pica_ctx_map(ctx, m->phys, m->size, r->base[i], 0);
	}
	r->lint = (struct lint){ .ctx = ctx, .teller = r->shot.name };
	ret = ret < 0 ? ret : lint_program(&r->lint, next_job, r);
	r->is_linted = ret == 0;
	if (ret < 0) {
		render_fail(&r->shot, EXIT_TROUBLE, "--lint: %s", strerror(-ret));
	}
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
}

/* ---- The stream ---- */

static void take_stream(struct run *r, int fd) {
	const struct frame_list *list = &r->o->render.frames;
	const uint32_t n_frames = r->o->frames;
	struct pica_capture_event event;
	r->pipe = fdopen(fd, "r");
	if (!r->pipe) {
		close(fd);
		render_fail(&r->shot, EXIT_TROUBLE, "%s", strerror(errno));
		return;
	}
	if (next_job(r, &event) == TAKEN_MEMORY) {
		lint_jobs(r);
		while (next_job(r, &event) == TAKEN_JOB) { /* lint has failed */
		}
	}
	fclose(r->pipe);
	is_finishing = 0;
	alarm(is_late || stop_signal ? PATIENCE_S : r->o->timeout_s);
	/* The program ended before its last frame. */
	if (r->has_frame && !r->is_written && frame_list_has(list, n_frames, n_frames - 1)) {
		write_frame(r);
	}
	for (unsigned i = 0; i < HOST_FRAME_PICTURES; i++) {
		picture_finish(&r->picture[i]);
	}
	for (uint32_t i = 0; i < r->n_windows; i++) {
		munmap(r->base[i], r->memory[i].size);
	}
}

/* ---- The program ---- */

static void set_text(const char *name, const char *value) {
	if (value) {
		setenv(name, value, 1);
	} else {
		unsetenv(name);
	}
}

static void set_number(const char *name, uint32_t value) {
	char text[16];
	snprintf(text, sizeof(text), "%u", value);
	setenv(name, text, 1);
}

/* The environment, for libpica-ctru. */
static void set_environment(const struct options *o, int pictures, int lint) {
	const struct engine_options *e = &o->render.engine;
	set_number("PICA_HOST_FRAMES", o->frames);
	set_number("PICA_HOST_PICTURES", (uint32_t)pictures);
	set_number("PICA_HOST_LINT", (uint32_t)lint);
	set_number("PICA_HOST_THREADS", e->threads);
	set_number("PICA_HOST_ARITHMETIC", (uint32_t)e->float_mode | (uint32_t)e->combiner << 1);
	set_text("PICA_HOST_CONNECT", o->where);
	set_text("PICA_HOST_RECORD", o->record);
	set_text("PICA_HOST_INPUT", o->input);
	set_text("PICA_HOST_ROMFS", o->romfs);
	set_text("PICA_HOST_SDMC", o->sdmc);
	if (o->font) {
		setenv("PICA_HOST_FONT", o->font, 1);
	}
	if (e->isa) {
		setenv("PICA_ISA", e->isa, 1);
	}
}

/* Starts and watches the program. Returns an exit code. *fd: the pipe with its stream. */
static int start(struct run *r, int *fd) {
	const struct options *o = r->o;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ends[2], answers[2] = { -1, -1 };
	if (pipe2(ends, O_CLOEXEC) < 0 ||
			(o->lint && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answers) <
							0)) {
		return log_fail("%s", strerror(errno));
	}
	r->checked = answers[0];
	set_environment(o, ends[1], answers[1]);
	/* The addresses of a process are the same in every run. */
	const int persona = personality(0xFFFFFFFF);
	if (persona >= 0) {
		personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], ends[1]); /* stays open there */
	if (o->lint) {
		posix_spawn_file_actions_adddup2(&actions, answers[1], answers[1]);
	}
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	const sigset_t mask = block_stops();
	posix_spawnattr_setsigmask(&attributes, &mask);
	const int error = posix_spawnp(
			&r->pid, o->program[0], &actions, &attributes, o->program, environ);
	if (!error) {
		watch(r->pid, o->timeout_s);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (o->lint) {
		close(answers[1]);
	}
	if (error) {
		close(ends[0]);
		return log_fail("%s: cannot run it: %s", o->program[0], strerror(error));
	}
	*fd = ends[0];
	return EXIT_FINE;
}

/* Returns its exit code, or 128 and the signal that ended it. */
static int finish(const char *name, pid_t pid, uint32_t timeout_s) {
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return log_fail("%s", strerror(errno));
		}
	}
	watched = 0;
	alarm(0);
	if (is_late) {
		log_line("%s: no frame in %u s: ended (--timeout)", name, timeout_s);
		return EXIT_TIMEOUT;
	}
	if (WIFSIGNALED(status)) {
		log_line("%s: ended by a signal: %s", name, strsignal(WTERMSIG(status)));
		return SIGNALLED + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

/* A finished recording replaces a file of its name by another. 0: there is none. */
static ino_t file_at(const char *path) {
	struct stat st;
	return path && stat(path, &st) == 0 ? st.st_ino : 0;
}

/* The program's own exit code has priority. */
static int run(struct run *r) {
	int fd = -1;
	const int exit = start(r, &fd);
	if (exit != EXIT_FINE) {
		return exit;
	}
	take_stream(r, fd);
	const int code = finish(r->shot.path, r->pid, r->o->timeout_s);
	log_end();
	if (code == 0 && !r->has_frame && r->shot.exit == EXIT_FINE) {
		return log_fail("%s: no frame: it must be linked with libpica-ctru, and call gfxInit()",
				r->shot.path);
	}
	const uint32_t n = r->frame.number + 1, end = frame_list_end(&r->o->render.frames, n);
	if (code == 0 && end >= n && r->shot.exit == EXIT_FINE) {
		return log_fail("%s: --pictures: frame %u was asked for, but the last one is %u",
				r->shot.path, end, n - 1);
	}
	return code ? code : r->shot.exit;
}

int verb_host_run(int argc, char **argv) {
	struct options o;
	parse_options(&o, argc, argv);
	char *lines = NULL;
	size_t lines_size = 0;
	struct run r = { .o = &o, .render = { .o = &o.render } };
	r.shot = (struct shot){
		.r = &r.render, .path = o.program[0], .name = capture_name(o.program[0])
	};
	const ino_t before = file_at(o.record);
	int exit = check_files(&o);
	exit = exit ? exit : render_begin_output(&r.render, &lines, &lines_size);
	if (exit == EXIT_FINE) {
		exit = run(&r);
		exit = render_end_output(&r.render, &lines, &lines_size, exit);
	}
	if (o.record && exit == EXIT_FINE && file_at(o.record) == before) {
		exit = log_fail("%s: was not recorded", o.record);
	}
	if (r.is_linted) {
		const int found = lint_print(&r.lint, o.record ? o.record : r.shot.path);
		exit = exit ? exit : found;
	}
	lint_finish(&r.lint);
	free(r.shot.name);
	return exit;
}
