/* pica view: a capture in a terminal, or on the machine's own display. */
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "common/options.h"
#include "common/terminal.h"
#include "pictures/plain.h"
#include "play/term_picture.h"
#include "replay.h"
#include "shown.h"
#include "verbs.h"

enum backend { BACKEND_AUTO, BACKEND_KMS, BACKEND_TERM, BACKEND_WAYLAND };
enum pixels { PIXELS_AUTO, PIXELS_SIXEL, PIXELS_BLOCKS };
enum screens { SCREENS_BOTH, SCREENS_TOP, SCREENS_BOTTOM, SCREENS_COUNT };

enum {
	KEY_ESCAPE = 27,
	KEY_RIGHT = 0x100,
	KEY_LEFT,
	KEY_UP,
	KEY_DOWN,
	PATH_BYTES = 4096,
	LEAST_COLUMNS = 20, /* of a window: the smallest in which frames are distinguishable */
	LEAST_ROWS = 6,
};

#define SMALL_WINDOW "20x6 needed:\nthe window\nis too small"

static const uint64_t frame_ns = 16713745; /* the console's: 59.831 a second */
/* timeout for the rest of a key's sequence, and for a terminal's answer */
static const uint64_t key_ns = 50000000;

/* Options passed on to picad, which checks their values. */
#define PICADS_ROW(i, name_, arg_, help_) \
	{ name_, 0, arg_, help_, OPTION_TEXT, .at = (i) * sizeof(const char *) }
enum { N_PICADS = 6 };
static const struct option_row picads[N_PICADS] = {
	PICADS_ROW(0, "layout", "HOW", "stacked, side-by-side, top, bottom or split-outputs"),
	PICADS_ROW(1, "scale", "HOW", "integer, fit, stretch or a number"),
	PICADS_ROW(2, "filter", "HOW", "nearest (default) or bilinear"),
	PICADS_ROW(3, "rotate", "DEGREES", "0 (default), 90, 180 or 270, clockwise"),
	PICADS_ROW(4, "background", "RRGGBB", "Around the screens (default: 000000)"),
	PICADS_ROW(5, "stereo", "HOW", "left (default), side-by-side or anaglyph"),
};

struct options {
	struct engine_options engine;
	const char *picads[N_PICADS]; /* NULL: not given */
	enum backend backend;
	enum pixels pixels;
	enum screens screens;
	const char *capture;
};

struct view {
	struct options *o;
	struct pica_capture *capture;
	struct gpu gpu;
	struct replay replay, failed; /* failed: the one whose job failed, if its worst is not 0 */
	uint32_t n_frames, frame;  /* the one shown, from 0 */
	bool is_paused, is_behind; /* late: drawing takes longer than a frame */
	struct picture canvas, scaled;
	const char *name;
};

/* ---- Options ---- */

static const char *const backend_words[] = { "auto", "kms", "term", "wayland", NULL };
static const char *const pixels_words[] = { "auto", "sixel", "blocks", NULL };
static const char *const screen_words[] = { "both", "top", "bottom", NULL };

#define AT(member) offsetof(struct options, member)

static const struct option_row view_rows[] = {
	{ "backend", 0, NULL,
			"A card or a window by picad, or a terminal; auto: what fits where it starts",
			OPTION_CHOICE, .at = AT(backend), .words = backend_words },
	{ "pixels", 0, NULL, "How a terminal shows them; auto: as it says that it can", OPTION_CHOICE,
			.at = AT(pixels), .words = pixels_words },
	{ "screen", 0, NULL, "Which screens (default: both)", OPTION_CHOICE, .at = AT(screens),
			.words = screen_words },
};

/* ---- Frames ---- */

/* The first frame again. */
static int rewind_view(struct view *v) {
	int ret = v->gpu.impl->zero_memory(v->gpu);
	ret = ret < 0 ? ret : replay_start(&v->replay, v->gpu, v->capture, 0);
	v->frame = UINT32_MAX;
	return ret;
}

static int next_frame(struct view *v) {
	if (v->frame != UINT32_MAX && v->frame + 1 >= v->n_frames) {
		int ret = rewind_view(v);
		if (ret < 0) {
			return ret;
		}
	}
	int ret = replay_frame(&v->replay);
	ret = ret < 0 ? ret : replay_wait(&v->replay);
	v->failed = v->failed.worst ? v->failed : v->replay;
	v->frame++;
	return ret;
}

static int go_to(struct view *v, uint32_t frame) {
	int ret = frame < v->frame || v->frame == UINT32_MAX ? rewind_view(v) : 0;
	while (ret == 0 && v->frame != frame) {
		ret = next_frame(v);
	}
	return ret;
}

/* ---- The picture ---- */

static void put_status(const struct view *v, FILE *out, unsigned rows, unsigned columns) {
	char line[256], plain[sizeof(line)];
	snprintf(line, sizeof(line),
			"%s  frame %u of 0-%u  %s  [q] quit  [space] pause  [s] screen  [left right] step",
			v->name, v->frame, v->n_frames - 1,
			v->is_paused                 ? "paused" :
					v->is_behind ? "slow" :
						       "playing");
	plain_text(plain, columns < sizeof(plain) ? columns + 1 : sizeof(plain), line, strlen(line),
			false);
	fprintf(out, "\033[%u;1H\033[7m%s\033[0m\033[K", rows, plain);
}

/* Pixels of the window without its last row; 8x16 per character if the terminal gives no size. */
static void box_of(unsigned rows, unsigned columns, uint32_t *width, uint32_t *height) {
	struct winsize w = { 0 };
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
	*width = w.ws_xpixel ? w.ws_xpixel : 8 * columns;
	*height = (w.ws_ypixel ? w.ws_ypixel : 16 * rows) / (rows ? rows : 1) * (rows - 1);
}

static int put_pixels(struct view *v, FILE *out, unsigned rows, unsigned columns) {
	const bool is_sixel = v->o->pixels == PIXELS_SIXEL;
	uint32_t box_width = columns, box_height = 2 * (rows - 1), width, height;
	if (is_sixel) {
		box_of(rows, columns, &box_width, &box_height);
	}
	term_picture_fit(
		&v->canvas, box_width ? box_width : 1, box_height ? box_height :
		1, is_sixel, &width, &height);
	int ret = term_picture_scale(&v->scaled, &v->canvas, width, height);
	if (ret == 0 && is_sixel) {
		ret = term_picture_sixel(out, &v->scaled);
	} else if (ret == 0) {
		term_picture_blocks(out, &v->scaled);
	}
	return ret;
}

static bool is_too_small(void) {
	unsigned rows, columns;
	terminal_size(&rows, &columns);
	return rows < LEAST_ROWS || columns < LEAST_COLUMNS;
}

static int show(struct view *v) {
	unsigned rows, columns;
	char *text = NULL;
	size_t size;
	if (is_too_small()) { /* the first line may be alone */
		terminal_show(SMALL_WINDOW, -1);
		return 0;
	}
	static const unsigned screens[] = { [SCREENS_BOTH] = 1 << PICA_SCREEN_TOP |
				1 << PICA_SCREEN_BOTTOM,
		[SCREENS_TOP] = 1 << PICA_SCREEN_TOP, [SCREENS_BOTTOM] = 1 << PICA_SCREEN_BOTTOM };
	int ret = shown_compose(&v->canvas, v->gpu, screens[v->o->screens], PICA_EYE_LEFT);
	FILE *out = ret == 0 ? open_memstream(&text, &size) : NULL;
	if (!out) {
		return ret < 0 ? ret : -ENOMEM;
	}
	terminal_size(&rows, &columns);
	fputs("\033[H", out);
	ret = put_pixels(v, out, rows, columns);
	put_status(v, out, rows, columns);
	if (fclose(out) == 0 && ret == 0) {
		terminal_put(text, size);
	}
	free(text);
	return ret;
}

/* ---- Keys ---- */

static int read_key(uint64_t timeout_ns) {
	static const struct {
		int last, key;
	} arrows[] = { { 'A', KEY_UP }, { 'B', KEY_DOWN }, { 'C', KEY_RIGHT }, { 'D', KEY_LEFT } };
	int key = terminal_wait(timeout_ns);
	if (key != KEY_ESCAPE) {
		return key;
	}
	key = terminal_wait(key_ns);
	if (key != '[' && key != 'O') {
		return key == TERMINAL_TIME ? KEY_ESCAPE : key;
	}
	key = terminal_wait(key_ns);
	for (unsigned i = 0; i < 4; i++) {
		if (arrows[i].last == key) {
			return arrows[i].key;
		}
	}
	return key;
}

/* Asks for the terminal's features: the answer to DA1 lists 4 for sixel graphics. */
static enum pixels find_pixels(void) {
	char answer[64];
	unsigned n = 0;
	terminal_put("\033[c", 3);
	int key;
	while (n < sizeof(answer) - 1 && (key = terminal_wait(4 * key_ns)) >= 0) {
		answer[n++] = (char)key;
		if (key == 'c') {
			break;
		}
	}
	answer[n] = 0;
	const char *four = strstr(answer, ";4");
	return four && (four[2] == ';' || four[2] == 'c') ? PIXELS_SIXEL : PIXELS_BLOCKS;
}

/* 1: it is over. */
static int on_key(struct view *v, int key) {
	switch (key) {
	case 'q':
	case KEY_ESCAPE:
	case TERMINAL_END:
		return 1;
	case ' ':
		v->is_paused = !v->is_paused;
		return show(v);
	case 's':
		v->o->screens = (enum screens)((v->o->screens + 1) % SCREENS_COUNT);
		terminal_put("\033[2J", 4);
		return show(v);
	case TERMINAL_RESIZE:
		terminal_put("\033[2J", 4);
		return show(v);
	case KEY_RIGHT:
	case KEY_LEFT: {
		const uint32_t n = v->n_frames;
		v->is_paused = true;
		int ret = go_to(v, (v->frame + (key == KEY_RIGHT ? 1 : n - 1)) % n);
		return ret < 0 ? ret : show(v);
	}
	default:
		return 0;
	}
}

static int run(struct view *v) {
	uint64_t due = now_ns();
	int ret = rewind_view(v);
	ret = ret < 0 ? ret : next_frame(v);
	ret = ret < 0 ? ret : show(v);
	while (ret == 0) {
		due += frame_ns;
		uint64_t now = now_ns();
		v->is_behind = now > due + frame_ns;
		due = v->is_behind ? now : due;
		int key;
		bool stands;
		do {
			now = now_ns();
			stands = v->is_paused || is_too_small();
			key = read_key(stands ? 1000 * frame_ns : due > now ? due - now : 0);
			ret = key == TERMINAL_TIME ? 0 : on_key(v, key);
		} while (ret == 0 && (stands || key != TERMINAL_TIME));
		if (ret == 0) {
			ret = next_frame(v);
			ret = ret < 0 ? ret : show(v);
		}
	}
	return ret < 0 ? ret : 0;
}

/* ---- Backends ---- */

static int view_in_terminal(struct view *v) {
	struct pica_device *device;
	struct pica_ctx *ctx;
	int exit = engine_create(&device, &v->o->engine);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = replay_create_ctx(&ctx, device, v->capture);
	if (ret < 0) {
		pica_device_destroy(device);
		return log_fail("%s", strerror(-ret));
	}
	v->gpu = gpu_here(ctx);
	ret = terminal_begin();
	if (ret == 0) {
		v->o->pixels = v->o->pixels == PIXELS_AUTO ? find_pixels() : v->o->pixels;
		ret = run(v);
		terminal_end();
		exit = ret < 0 ? capture_failed(v->capture, v->o->capture, ret) :
				 replay_job_failed(&v->failed, v->o->capture);
	} else {
		exit = log_fail("%s",
				ret == -ENOTTY ?
						"expected a terminal; `pica render' writes pictures" :
						strerror(-ret));
	}
	picture_finish(&v->canvas);
	picture_finish(&v->scaled);
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	return exit;
}

/* Finds picad in the program's folder or the build directory, else by $PATH. */
static void find_picad(char path[PATH_BYTES]) {
	static const char *const beside[] = { "picad", "../../service/picad" };
	char self[PATH_BYTES - 64];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = 0;
	char *slash = strrchr(self, '/');
	for (unsigned i = 0; slash && i < 2; i++) {
		slash[1] = 0;
		snprintf(path, PATH_BYTES, "%s%s", self, beside[i]);
		if (access(path, X_OK) == 0) {
			return;
		}
	}
	snprintf(path, PATH_BYTES, "picad");
}

static char program[] = "pica view"; /* in messages of both processes */

static _Noreturn void run_picad(const struct options *o, const char *socket, pid_t parent) {
	static const char *const layouts[] = { "stacked", "top", "bottom" };
	enum { N_FIXED = 8 };
	char picad[PATH_BYTES], threads[16], *argv[N_FIXED + N_PICADS + 2];
	unsigned n = 0;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) {
		_exit(127);
	}
	find_picad(picad);
	snprintf(threads, sizeof(threads), "%u", (unsigned)o->engine.threads);
	const struct {
		const char *name, *value;
	} values[N_FIXED] = {
		{ "config", "/dev/null" },
		{ "log-level", o->engine.verbose ? "info" : "warning" },
		{ "socket", socket },
		{ "display", o->backend == BACKEND_WAYLAND ? "wayland" : "kms" },
		{ "scale", o->backend == BACKEND_WAYLAND ? "integer" : "fit" },
		{ "layout", layouts[o->screens] },
		{ "isa", o->engine.isa },
		{ "threads", threads },
	};
	argv[n++] = program;
	for (unsigned i = 0; i < N_FIXED + N_PICADS; i++) {
		/* Given options come later and override these. */
		const char *name = i < N_FIXED ? values[i].name : picads[i - N_FIXED].name;
		const char *value = i < N_FIXED ? values[i].value : o->picads[i - N_FIXED];
		if (value && asprintf(&argv[n++], "--%s=%s", name, value) < 0) {
			_exit(127);
		}
	}
	argv[n] = NULL;
	execvp(picad, argv);
	log_line("%s: %s", picad, strerror(errno));
	_exit(127);
}

/* Returns whether a card allows the access (see access(2)). */
static bool has_card(int wanted) {
	glob_t cards;
	bool found = false;
	if (glob("/dev/dri/card[0-9]*", 0, NULL, &cards) == 0) {
		for (size_t i = 0; i < cards.gl_pathc; i++) {
			found |= access(cards.gl_pathv[i], wanted) == 0;
		}
		globfree(&cards);
	}
	return found;
}

/*
 * Plays the capture until a signal, or until it cannot be played. Without the service, which may
 * not have started yet, or has kicked the session, it tries again and again, and says nothing.
 */
static _Noreturn void run_player(const struct options *o, const char *socket, pid_t parent) {
	static char loop[] = "--loop", name[] = "--name=view", end[] = "--";
	const struct timespec rest = { .tv_nsec = 50000000 };
	char connect[80];
	int exit;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) {
		_exit(EXIT_FINE);
	}
	snprintf(connect, sizeof(connect), "--connect=%s", socket);
	while (access(socket, F_OK) < 0) { /* until picad has accepted its options, or ends */
		nanosleep(&rest, NULL);
	}
	if (o->backend != BACKEND_WAYLAND && !has_card(F_OK)) {
		log_line("no card found: waiting for one; Ctrl+C ends it");
	}
	log_hold();
	do {
		char *argv[] = { program, loop, name, connect, end, (char *)o->capture, NULL };
		nanosleep(&rest, NULL);
		exit = verb_play(6, argv);
	} while (exit == EXIT_NO_SERVICE);
	log_release();
	if (exit != EXIT_FINE) {
		log_line("%s", log_last()->message);
	}
	_exit(exit);
}

static volatile pid_t player_pid;

static void on_end(int number) {
	if (player_pid > 0) {
		kill(player_pid, SIGTERM);
	}
}

/* Waits for both processes: the end of one ends the other. Returns the exit code. */
static int wait_for_both(pid_t picad, pid_t player) {
	int status, exit = picad > 0 && player > 0 ? EXIT_FINE : EXIT_TROUBLE;
	bool is_shown = picad > 0;
	if (player < 0 && is_shown) {
		kill(picad, SIGTERM);
	}
	for (;;) {
		const pid_t ended = waitpid(-1, &status, 0);
		if (ended < 0 && errno != EINTR) {
			return exit;
		}
		if (ended > 0 && ended == picad) {
			is_shown = false;
			exit = worse(exit, WIFEXITED(status) && WEXITSTATUS(status) == 0 ?
					EXIT_FINE : EXIT_TROUBLE);
			if (player > 0) {
				kill(player, SIGKILL);
			}
		} else if (ended > 0 && ended == player && is_shown) {
			player = player_pid = -1;
			exit = worse(exit, WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FINE);
			kill(picad, SIGTERM);
		}
	}
}

/* The end of this process ends picad, which restores the screen. */
static int view_on_display(const struct options *o) {
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	char folder[] = "/tmp/pica-view.XXXXXX", socket[64];
	const struct sigaction end = { .sa_handler = on_end };
	const pid_t self = getpid();
	sigset_t blocked, before;
	if (!mkdtemp(folder)) {
		return log_result(folder, -errno);
	}
	snprintf(socket, sizeof(socket), "%s/0", folder);
	sigemptyset(&blocked);
	for (unsigned i = 0; i < 3; i++) {
		sigaddset(&blocked, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &before);
	const pid_t picad = fork();
	if (picad == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_picad(o, socket, self);
	}
	const pid_t player = picad > 0 ? fork() : -1;
	if (player == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_player(o, socket, self);
	}
	player_pid = player;
	for (unsigned i = 0; i < 3; i++) {
		sigaction(ends[i], &end, NULL);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	const int exit = wait_for_both(picad, player);
	rmdir(folder);
	return exit;
}

/* Returns a given option that applies only to displays, or NULL. */
static const char *displays_option(const struct options *o) {
	for (unsigned i = 0; i < N_PICADS; i++) {
		if (o->picads[i]) {
			return picads[i].name;
		}
	}
	return NULL;
}

/* Returns a given option that applies only to terminals, or NULL. */
static const char *terminals_option(const struct options *o) {
	return o->engine.given & ENGINE_ARITHMETIC ? "--float, --combiner" :
			o->pixels != PIXELS_AUTO ? "--pixels" : NULL;
}

/* Returns whether a card is usable and no other terminal is active. */
static bool is_at_a_display(void) {
	const char *name = ttyname(STDIN_FILENO);
	if (name && (strncmp(name, "/dev/tty", 8) != 0 || name[8] < '0' || name[8] > '9')) {
		return false;
	}
	return has_card(R_OK | W_OK);
}

int verb_view(int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "CAPTURE",
		.doc = "Shows a capture, again and again: in a terminal, in a window, or on the machine's display.",
		.notes = "Keys in a terminal: space pauses, left and right step, s changes the screens,\n"
			 "q ends.",
		.tables = { OPTION_TABLE(view_rows, 0, 0), OPTION_TABLE(picads, AT(picads), 0),
				ENGINE_TABLES(AT(engine)) },
		.min_args = 1,
		.max_args = 1,
		.expected = "a capture",
		.at_most = "one capture",
	};
	struct options o = { .backend = BACKEND_AUTO };
	struct view v = { .o = &o };
	engine_options_init(&o.engine);
	o.capture = options_parse(&spec, argc, argv, &o).v[0];
	int exit = capture_open(&v.capture, o.capture);
	if (exit != EXIT_FINE) {
		return exit;
	}
	v.n_frames = capture_frames(v.capture);
	const char *slash = strrchr(o.capture, '/');
	v.name = slash ? slash + 1 : o.capture;
	const char *option = terminals_option(&o), *display = displays_option(&o);
	const bool is_named = o.backend == BACKEND_KMS || o.backend == BACKEND_WAYLAND;
	const bool wants_display = is_named || (o.backend == BACKEND_AUTO && display);
	const bool is_in_a_window = o.backend == BACKEND_AUTO && getenv("WAYLAND_DISPLAY");
	if (wants_display && option) {
		exit = log_fail("%s: only in a terminal, and --%s%s asks for a display", option,
				is_named ? "backend=" : "",
				is_named ? backend_words[o.backend] : display);
	} else if (o.backend == BACKEND_TERM && display) {
		exit = log_fail("--%s: only on a display", display);
	} else if (o.picads[0] && o.screens != SCREENS_BOTH) {
		exit = log_fail("--screen: --layout says it already");
	} else if (wants_display ||
			(o.backend == BACKEND_AUTO && !option && is_at_a_display())) {
		o.backend = is_in_a_window ? BACKEND_WAYLAND : o.backend;
		exit = view_on_display(&o);
	} else {
		exit = view_in_terminal(&v);
	}
	pica_capture_close(v.capture);
	return exit;
}
