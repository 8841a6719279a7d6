/*
 * The GPU: a context of libpica or of a service, its frames, and its recording.
 *
 * To record work for a service, a context of libpica executes it first, on a copy of the heaps.
 */
#include "host.h"
#include "pictures.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pica_record.h"

enum { HANG_S = 2, PATIENCE_S = 10, IDLE_MS = 100 };

uint32_t host_frames;

static bool has_begun;
static struct pica_device *device;
static struct pica_ctx *ctx; /* NULL: the service alone */
static struct pica_recorder *recorder;
static bool is_over; /* nothing more is recorded or shown */
static volatile sig_atomic_t end_signal, is_finishing, is_sending;

/* ---- Life ---- */

static void on_log(void *user, enum pica_log_level level, const char *line) {
	(void)user;
	(void)level;
	host_log("%s", line);
}

static void close_pictures(void) {
	if (host_options.pictures >= 0) {
		close(host_options.pictures);
		host_options.pictures = -1;
	}
}

static void write_all(const void *data, size_t size) {
	const uint8_t *at = data;
	while (size && host_options.pictures >= 0) {
		const ssize_t n = write(host_options.pictures, at, size);
		if (n < 0 && errno != EINTR) {
			close_pictures();
		}
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
}

/* Returns whether there are such messages, and none was interrupted by a signal. */
static bool send_head(uint32_t number, uint32_t n) {
	const struct host_frame head = { number, n };
	if (host_options.pictures < 0 || is_sending) {
		return false;
	}
	is_sending = true;
	write_all(&head, sizeof(head));
	return true;
}

static void send_memory(void) {
	const unsigned n = host_options.lint < 0 ? 0 : HOST_WINDOWS;
	if (!send_head(HOST_FRAME_MEMORY, n)) {
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct host_window w = host_memory_window(i);
		const struct host_memory m = { w.phys, w.size, host_memory_fd(i) };
		write_all(&m, sizeof(m));
	}
	is_sending = false;
}

/* Returns when the job was checked: the memory is that at its start. */
static void send_job(const struct pica_job *job) {
	char byte;
	ssize_t n;
	if (host_options.lint < 0 || !send_head(HOST_FRAME_JOB, 1)) {
		return;
	}
	write_all(job, sizeof(*job));
	is_sending = false;
	do {
		n = read(host_options.lint, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n <= 0) {
		host_options.lint = -1;
	}
}

void host_gpu_refused(void) {
	if (host_options.lint >= 0 && send_head(HOST_FRAME_REFUSED, 0)) {
		is_sending = false;
	}
}

static void begin_recording(void) {
	struct pica_recorder_settings settings;
	pica_recorder_settings_init(&settings);
	settings.title = program_invocation_short_name;
	settings.tool = "pica host-run";
	const int ret = pica_recorder_start(&recorder, ctx, host_options.record, &settings);
	if (ret < 0) {
		host_fail("%s: cannot record: %s", host_options.record, strerror(-ret));
	}
}

/* Ends the process by the signal, as if nothing had caught it. */
static void die(void) {
	signal(end_signal, SIG_DFL);
	raise(end_signal);
}

static int64_t busy_ms; /* the processor's time when on_patience() last looked */

static int64_t processor_ms(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* Ends the process if finishing the recording hangs in what is left of the program. */
static void on_patience(int signal) {
	(void)signal;
	if (processor_ms() - busy_ms < IDLE_MS) {
		_Exit(128 + end_signal);
	}
	busy_ms = processor_ms();
	alarm(PATIENCE_S);
}

/* The program may have stopped anywhere, perhaps inside libpica. */
static void end_broken(void) {
	signal(SIGALRM, on_patience);
	busy_ms = processor_ms();
	alarm(PATIENCE_S);
	host_gpu_end();
	die();
}

static void on_crash(int number) {
	end_signal = number;
	if (is_finishing) {
		die();
	} else {
		end_broken();
	}
}

static void on_hang(int number) {
	(void)number;
	if (!is_finishing) {
		end_broken();
	}
}

/* libpica may be at work now: the next frame ends the program, or if none comes, on_hang(). */
static void on_stop(int number) {
	/* on_patience() may interrupt it. */
	const struct sigaction hang = { .sa_handler = on_hang, .sa_flags = SA_NODEFER };
	if (end_signal) {
		return; /* from the terminal and from `pica host-run' */
	}
	end_signal = number;
	if (!is_finishing) {
		sigaction(SIGALRM, &hang, NULL);
		alarm(HANG_S);
	}
}

void host_set_crash_stack(uint8_t room[HOST_CRASH_STACK], stack_t *before) {
	const stack_t own = { .ss_sp = room, .ss_size = HOST_CRASH_STACK };
	sigaltstack(&own, before);
}

void host_check_thread(const char *call) {
	if (host_takes_turns) {
		return;
	}
	host_log("%s: in a thread of the C library: expected one of threadCreate()", call);
	on_stop(SIGABRT);
	for (;;) {
		pause();
	}
}

static const struct {
	int number;
	void (*handler)(int number);
} watched[] = { { SIGABRT, on_crash }, { SIGBUS, on_crash }, { SIGFPE, on_crash },
	{ SIGILL, on_crash }, { SIGSEGV, on_crash }, { SIGHUP, on_stop }, { SIGINT, on_stop },
	{ SIGTERM, on_stop } };

static void watch_end(void) {
	for (size_t i = 0; i < ARRAY_LEN(watched); i++) {
		const bool is_crash = watched[i].handler == on_crash;
		const struct sigaction action = { .sa_handler = watched[i].handler,
			.sa_flags = is_crash ? (int)SA_RESETHAND | SA_ONSTACK : SA_RESTART };
		struct sigaction old;
		sigaction(watched[i].number, NULL, &old);
		if (old.sa_handler != SIG_IGN) { /* as nohup sets it */
			sigaction(watched[i].number, &action, NULL);
		}
	}
}

/* The program's own handlers stay. */
static void unwatch_end(void) {
	for (size_t i = 0; i < ARRAY_LEN(watched); i++) {
		struct sigaction now;
		sigaction(watched[i].number, NULL, &now);
		if (now.sa_handler == watched[i].handler) {
			signal(watched[i].number, SIG_DFL);
		}
	}
}

enum pica_float host_float_mode(void) {
	return (enum pica_float)(host_options.arithmetic & 1);
}

enum pica_combiner host_combiner(void) {
	return (enum pica_combiner)(host_options.arithmetic >> 1 & 1);
}

void host_gpu_begin(void) {
	host_check_process("gspInit");
	if (has_begun) {
		return;
	}
	has_begun = true;
	send_memory();
	if (host_options.connect && !host_options.record) {
		return;
	}
	struct pica_settings settings;
	struct pica_ctx_settings of_ctx;
	pica_settings_init(&settings);
	settings.n_threads = host_options.threads;
	settings.float_mode = host_float_mode();
	settings.combiner = host_combiner();
	settings.log = on_log;
	settings.log_level = PICA_LOG_ERROR;
	pica_ctx_settings_init(&of_ctx);
	of_ctx.fcram_bytes = of_ctx.vram_bytes = 0;
	int ret = pica_device_create(&device, &settings);
	ret = ret < 0 ? ret : pica_ctx_create(&ctx, device, &of_ctx);
	ret = ret < 0 ? ret : host_memory_map(ctx);
	if (ret < 0) {
		host_fail("no GPU: %s", strerror(-ret));
	}
	if (host_options.record) {
		begin_recording();
		watch_end();
	}
}

static void finish_recording(void) {
	struct pica_capture_error error;
	if (pica_recorder_finish(recorder, &error) < 0) {
		host_log("%s: not recorded: %s", host_options.record, error.message + error.reason);
	}
	recorder = NULL;
}

void host_gpu_forget(void) {
	unwatch_end();
	close_pictures();
	if (host_options.lint >= 0) {
		close(host_options.lint);
		host_options.lint = -1;
	}
	recorder = NULL;
}

/* A signal handler may call this in the middle of anything, except of this. */
void host_gpu_end(void) {
	if (is_over || getpid() != host_options.process) {
		return;
	}
	is_finishing = true;
	is_over = true;
	if (send_head(HOST_FRAME_FINISHING, 0)) {
		is_sending = false;
	}
	if (recorder) {
		finish_recording();
	}
	host_memory_check();
	close_pictures();
	is_finishing = false;
	if (end_signal) {
		die();
	}
}

__attribute__((destructor)) static void end(void) {
	if (getpid() != host_options.process) {
		return; /* libpica's threads are not here */
	}
	host_memory_check();
	host_gpu_end();
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	ctx = NULL;
	device = NULL;
	host_service_end();
}

/* ---- Work ---- */

static void say_result(const char *name, const struct pica_done *done) {
	if (done->result == -EDQUOT) {
		host_refuse("%s: too much work: the limit of %s", name, pica_budget_name(done->flags));
	} else if (done->result < 0) {
		host_refuse("%s: %s", name, strerror(-done->result));
	} else if (done->flags & PICA_DONE_NO_FINALIZE) {
		static bool said;
		host_log_once(&said, "%s: a list without FINALIZE: a console would wait forever",
				name);
	}
}

static int submit_here(const struct pica_job *jobs, size_t n) {
	uint64_t seq;
	const int ret = pica_submit(ctx, jobs, n, &seq);
	return ret < 0 ? ret : pica_wait(ctx, seq, -1);
}

static bool take_here(struct pica_done *done) {
	return pica_reap(ctx, done, 1) == 1;
}

/* For the recording alone; the service reports errors. */
static void run_copy(const struct pica_job *jobs, size_t n) {
	struct pica_done done;
	host_memory_renew();
	submit_here(jobs, n);
	while (take_here(&done)) {
	}
}

/* One by one, so that the memory is right for each. */
static int run_checked(const struct pica_job *jobs, size_t n, const char *name) {
	int result = 0;
	for (size_t i = 0; i < n; i++) {
		const int ret = host_run(&jobs[i], 1, name);
		result = result < 0 ? result : ret;
	}
	return result;
}

int host_run(const struct pica_job *jobs, size_t n, const char *name) {
	host_check_process(name);
	if (n > 1 && host_options.lint >= 0) {
		return run_checked(jobs, n, name);
	}
	const bool is_there = host_options.connect;
	struct pica_done done;
	host_gpu_begin();
	send_job(&jobs[0]);
	if (is_there && recorder) {
		run_copy(jobs, n);
	}
	int result = is_there ? host_service_submit(jobs, n) : submit_here(jobs, n);
	if (result < 0) {
		host_refuse("%s: %s", name, strerror(-result));
		return result;
	}
	while (is_there ? host_service_take(&done) : take_here(&done)) {
		say_result(name, &done);
		result = result < 0 ? result : done.result;
	}
	return result;
}

int host_read_external(uint32_t addr, uint32_t *value) {
	host_check_process("a register");
	host_gpu_begin();
	return host_options.connect ? host_service_read_external(addr, value) :
				      pica_ctx_read_external(ctx, addr, value);
}

/* ---- Frames ---- */

static bool has_picture(enum pica_screen_id id, enum pica_eye eye, struct pica_screen *screen) {
	const int ret = host_options.connect ? host_service_screen(id, screen) :
					       pica_ctx_screen(ctx, id, screen);
	return ret == 0 && screen->is_set && (!eye || screen->has_right);
}

struct sent {
	struct host_picture head;
	uint8_t rgb[HOST_PICTURE_MAX_WIDTH * HOST_PICTURE_HEIGHT * 3];
};

static void read_picture(struct sent *p) {
	const enum pica_screen_id id = (enum pica_screen_id)p->head.screen;
	const enum pica_eye eye = (enum pica_eye)p->head.eye;
	const size_t stride = (size_t)p->head.width * 3;
	if (host_options.connect) {
		host_service_read_screen(id, eye, p->rgb, stride);
	} else {
		pica_ctx_read_screen(ctx, id, eye, p->rgb, stride);
	}
}

/* Reads all pictures before sending the first byte, since a service may end meanwhile. */
static void send_frame(void) {
	static const struct {
		enum pica_screen_id screen;
		enum pica_eye eye;
	} views[HOST_FRAME_PICTURES] = { { PICA_SCREEN_TOP, PICA_EYE_LEFT },
		{ PICA_SCREEN_TOP, PICA_EYE_RIGHT }, { PICA_SCREEN_BOTTOM, PICA_EYE_LEFT } };
	static struct sent pictures[HOST_FRAME_PICTURES];
	uint32_t n = 0;
	struct pica_screen screen;
	for (unsigned i = 0; i < HOST_FRAME_PICTURES; i++) {
		if (has_picture(views[i].screen, views[i].eye, &screen)) {
			struct sent *p = &pictures[n++];
			p->head = (struct host_picture){ (uint32_t)views[i].screen,
				(uint32_t)views[i].eye, screen.width, screen.height };
			read_picture(p);
		}
	}
	if (!send_head(host_frames, n)) {
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct sent *p = &pictures[i];
		write_all(&p->head, sizeof(p->head));
		write_all(p->rgb, (size_t)p->head.width * p->head.height * 3);
	}
	is_sending = false;
}

static void check_end(void) {
	const uint32_t limit = host_options.frames;
	if (limit && host_frames == limit) {
		host_gpu_end();
	} else if (limit && host_frames > limit && host_frames - limit > HOST_GRACE_FRAMES) {
		host_log(host_has_told_end ? "the program continued for %d frames after aptMainLoop() "
					     "returned false: ended" :
					     "the program has not called aptMainLoop() in the %d frames "
					     "after its last one: ended",
				HOST_GRACE_FRAMES);
		host_log_waits(limit);
		_Exit(HOST_EXIT_TIMEOUT);
	}
}

void host_frame(void) {
	const struct pica_job present = { .op = PICA_OP_PRESENT, .u.present.screens = 3 };
	if (!has_begun) {
		return;
	}
	if (end_signal) {
		host_gpu_end();
		die();
	}
	if (!is_over) {
		host_run(&present, 1, "a frame");
	}
	if (host_options.pictures >= 0) {
		send_frame();
	}
	host_frames++;
	check_end();
}
