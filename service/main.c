/* picad: the service as a daemon. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sched/thread.h"
#include "pictures/file.h"
#include "pictures/trace.h"
#include "service/confine.h"
#include "service/fault.h"
#include "service/kiosk.h"
#include "service/listen.h"
#include "service/options.h"
#include "service/options_display.h"
#include "service/sandbox.h"
#include "service/log.h"
#include "service/server_impl.h"

enum { EXIT_USAGE = 2 };

/* Parts of the two seconds in which the service ends; the rest is for display and log. */
static const uint64_t stop_ns = 1700000000, kiosk_ns = 1200000000;

struct picad {
	struct options options;
	struct server *server;
	struct listening listening;
	struct trace *trace;
	struct loop_watch *signal_watch;
	struct loop_timer watchdog;
	uint64_t watchdog_ns; /* 0: the manager does not watch */
	pid_t kiosk;  /* who minds its program; 0: none */
	int kiosk_fd; /* readable when it has ended; -1: none, or not supported by the kernel */
	struct loop_watch *kiosk_watch;
	struct loop_timer kiosk_timer; /* its time after SIGTERM is over */
	bool is_stopping, has_lost_kiosk;
	int display_error; /* its error at the end; 0: none, or its user closed it */
	int signal_fd;
	struct picture idle; /* until the server has it */
	char why[DISPLAY_WHY_BYTES]; /* the display could not start; "": see the errno */
	int argc;
	char **argv;
};

static void reload(struct picad *p) {
	struct server_settings settings;
	struct options fresh;
	struct picture idle = { .width = 0 };
	char fixed[512], why[512];
	log_capture(why, sizeof(why));
	int ret = options_reread(
			&fresh, &p->options, p->argc, p->argv, fixed, sizeof(fixed));
	if (ret == 0) {
		listen_notify("RELOADING=1");
		ret = options_apply(&fresh, &settings);
		ret = ret < 0 ? ret : options_apply_display(&fresh, &settings.present, &idle);
		ret = ret < 0 ? ret : server_reload(p->server, &settings);
		if (ret == 0 && p->listening.is_bound &&
				(settings.access != p->listening.access ||
						settings.group != p->listening.group)) {
			server_log(p->server, LOG_LEVEL_WARNING,
					"event=reload_incomplete keys=access text=\"the rights of "
					"the socket's file change at the next start\"");
		}
		picture_finish(&idle);
		(ret < 0 ? options_discard : options_adopt)(&p->options, &fresh);
		kiosk_set_log_level(options_log_level(&p->options));
		listen_notify("READY=1");
	}
	log_capture(NULL, 0);
	if (ret < 0) {
		server_log(p->server, LOG_LEVEL_ERROR,
				"event=reload_failed why=\"%s\" text=\"the settings stay as they are\"",
				why[0] ? why : strerror(-ret));
	} else if (fixed[0]) {
		server_log(p->server, LOG_LEVEL_WARNING,
				"event=reload_incomplete keys=%s text=\"these change at the next start\"",
				fixed);
	}
}

/* The kiosk ends within its own time limit (kiosk.c) unless the system hangs. */
static void on_kiosk_late(void *owner) {
	const struct picad *p = owner;
	kill(p->kiosk, SIGKILL);
	server_stop(p->server);
}

/* The kiosk ends first, since it is a client. */
static void stop(struct picad *p) {
	if (p->is_stopping) {
		return;
	}
	p->is_stopping = true;
	listen_notify("STOPPING=1");
	kiosk_end(p->kiosk);
	if (!p->kiosk_watch) {
		server_stop(p->server);
		return;
	}
	p->kiosk_timer = (struct loop_timer){ .fn = on_kiosk_late, .owner = p };
	loop_timer_set(server_loop(p->server), &p->kiosk_timer, loop_now_ns() + kiosk_ns);
}

static void on_signal(void *owner, uint32_t events) {
	struct picad *p = owner;
	struct signalfd_siginfo info;
	while (read(p->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP) {
			reload(p);
		} else {
			stop(p);
		}
	}
}

/* The user who closes the window wants the service to end. */
static void on_display_end(void *owner, int error) {
	struct picad *p = owner;
	p->display_error = error;
	server_log(p->server, error ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO,
			"event=display_ended why=\"%s\"",
			error == 0 ? "its user closed it" : p->why[0] ? p->why : strerror(-error));
	stop(p);
}

/* picad ends with its kiosk, so that the supervisor restarts both. */
static void on_kiosk(void *owner, uint32_t events) {
	struct picad *p = owner;
	loop_watch_remove(server_loop(p->server), p->kiosk_watch);
	p->kiosk_watch = NULL;
	if (!p->is_stopping) {
		p->has_lost_kiosk = true;
		server_log(p->server, LOG_LEVEL_ERROR,
				"event=kiosk_lost text=\"the process that restarts its program has ended\"");
	}
	server_stop(p->server);
}

static void on_watchdog(void *owner) {
	struct picad *p = owner;
	listen_notify("WATCHDOG=1");
	loop_timer_set(server_loop(p->server), &p->watchdog, loop_now_ns() + p->watchdog_ns);
}

/* Half of the watchdog interval of the service manager. */
static uint64_t watchdog_interval(void) {
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid())) {
		return 0;
	}
	return strtoull(usec, NULL, 10) * 1000 / 2;
}

static int open_signals(struct picad *p) {
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	/* a limit on file sizes fails a region; it must not end the service */
	signal(SIGXFSZ, SIG_IGN);
	/* Before threads are created, which inherit the mask. */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) {
		return -errno;
	}
	p->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->signal_fd < 0 ? -errno : fault_begin();
}

/* Before there are threads. */
static int start_kiosk(struct picad *p, const char *socket) {
	struct options *o = &p->options;
	char *captures[1 + OPTIONS_MORE] = { o->kiosk };
	const struct kiosk k = {
		.command = o->exec, .captures = captures, .n_captures = 1 + o->n_more,
		.hold = o->hold
	};
	if (!o->kiosk && !o->exec) {
		return 0;
	}
	if (!socket[0]) {
		log_error("a kiosk needs a socket of its own, not one that is handed over");
		return -EINVAL;
	}
	memcpy(captures + 1, o->more, o->n_more * sizeof(*captures));
	if (kiosk_check(&k) < 0) {
		return -EINVAL;
	}
	p->kiosk = kiosk_start(&k, socket, options_log_level(o));
	p->kiosk_fd = p->kiosk > 0 ? (int)syscall(SYS_pidfd_open, p->kiosk, 0) : -1;
	return p->kiosk < 0 ? (int)p->kiosk : 0;
}

/* Called when everything is open: the rest needs few rights. */
static int confine(struct picad *p, struct confinement *c) {
	unsigned features = (p->options.record || p->options.frames || p->options.trace ?
							    SANDBOX_FILES :
							    0u) |
			(options_has_card(&p->options) ? SANDBOX_FILES | SANDBOX_DRM : 0u) |
			(options_has_seat(&p->options) ? SANDBOX_SEAT : 0u) |
			(strcmp(server_loop_name(p->server), "uring") == 0 ? SANDBOX_URING : 0u);
	return confine_finish(c, features, p->kiosk);
}

static void log_ready(struct picad *p, const struct listening *l, const struct confinement *c) {
	server_log(p->server, LOG_LEVEL_INFO,
			"event=ready socket=\"%s\" loop=%s threads=%u uid=%u filter=%s folders=%s",
			l->path[0] ? l->path : "passed", server_loop_name(p->server),
			p->options.settings.device.n_threads, geteuid(),
			c->has_filter ? "on" : "off", c->has_folders ? "on" : "off");
	if (c->wanted && (!c->has_filter || !c->has_folders)) {
		server_log(p->server, LOG_LEVEL_WARNING,
				"event=sandbox_incomplete text=\"this kernel or this build lacks a part\"");
	}
	listen_notify("READY=1");
}

static int listen_now(struct picad *p) {
	const int sock = p->listening.sock;
	p->listening.sock = -1; /* owned by the server, even on failure */
	return server_listen(p->server, sock);
}

static int serve(struct picad *p, struct confinement *c) {
	int ret = loop_watch_add(
			server_loop(p->server), &p->signal_watch, p->signal_fd, on_signal, p);
	if (ret < 0) {
		return ret;
	}
	ret = p->kiosk_fd < 0 ? 0 :
			loop_watch_add(server_loop(p->server), &p->kiosk_watch, p->kiosk_fd,
					on_kiosk, p);
	ret = ret < 0 ? ret : listen_now(p);
	thread_be_brief();
	ret = ret < 0 ? ret : confine(p, c);
	if (ret == 0) {
		p->watchdog.fn = on_watchdog;
		p->watchdog.owner = p;
		p->watchdog_ns = watchdog_interval();
		log_ready(p, &p->listening, c);
		if (p->watchdog_ns) {
			on_watchdog(p);
		}
		ret = server_run(p->server);
		ret = ret == 0 && p->has_lost_kiosk ? -ECHILD : ret;
		ret = ret == 0 ? p->display_error : ret;
	}
	loop_timer_unset(server_loop(p->server), &p->watchdog);
	loop_timer_unset(server_loop(p->server), &p->kiosk_timer);
	loop_watch_remove(server_loop(p->server), p->kiosk_watch);
	loop_watch_remove(server_loop(p->server), p->signal_watch);
	return ret;
}

/* Checks the folder early, with the final rights of the service, before a recording fails. */
static int check_record(const struct options *o) {
	if (o->record && mkdir(o->record, 0700) < 0 && errno != EEXIST) {
		const int ret = -errno;
		log_error("record: %s: cannot be created: %s", o->record, strerror(errno));
		return ret;
	}
	if (o->record && faccessat(AT_FDCWD, o->record, W_OK | X_OK, AT_EACCESS) < 0) {
		const int ret = -errno;
		log_error("record: %s: cannot be written: %s", o->record, strerror(errno));
		return ret;
	}
	return 0;
}

/*
 * Performs the steps that need rights before the service gives them up. On failure prints the error
 * and returns a negative errno.
 */
static int begin(struct picad *p, const struct server_settings *s, struct confinement *c) {
	int ret = confine_user(&p->options, &p->listening, s);
	ret = ret < 0 ? ret : check_record(&p->options);
	ret = ret < 0 ? ret : start_kiosk(p, p->listening.path);
	return ret < 0 ? ret : confine_begin(c, &p->options, &p->listening);
}

/* A named pipe would block the service until it has a reader, and then drawing. */
static bool is_pipe(const char *path) {
	struct stat st;
	return !file_is_stdout(path) && stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

static int open_trace(struct picad *p, struct server_settings *settings) {
	if (!p->options.trace) {
		return 0;
	}
	if (is_pipe(p->options.trace)) {
		log_error("trace: %s: expected a regular file, this is a pipe", p->options.trace);
		return -EINVAL;
	}
	int ret = trace_begin(&p->trace, p->options.trace, settings->device.n_threads);
	if (ret < 0) {
		log_error("trace: %s: %s", p->options.trace, strerror(-ret));
	}
	settings->device.trace = trace_span;
	settings->device.trace_user = p->trace;
	return ret;
}

static int close_trace(struct picad *p, int result) {
	int ret = trace_finish(p->trace, result);
	if (result == 0 && ret < 0) {
		log_error("trace: %s: %s", p->options.trace, strerror(-ret));
	}
	return ret;
}

static int run(struct picad *p, struct server_settings *settings) {
	struct confinement confinement;
	settings->log = log_line;
	settings->log_user = p;
	settings->display_ended = on_display_end;
	settings->stop_ns = p->options.kiosk || p->options.exec ? stop_ns - kiosk_ns : stop_ns;
	settings->present.display.why = p->why;
	int ret = open_signals(p);
	if (ret == 0 && begin(p, settings, &confinement) < 0) {
		return -EINVAL;
	}
	log_begin();
	if (ret == 0 && open_trace(p, settings) < 0) {
		return -EINVAL;
	}
	ret = ret < 0 ? ret : server_create(&p->server, settings);
	picture_finish(&p->idle);
	ret = ret < 0 ? ret : serve(p, &confinement);
	kiosk_stop(p->kiosk);
	const bool has_begun = p->server;
	/* false: some threads could not be ended, and may still write to the trace */
	const bool is_done = server_destroy(p->server);
	if (ret < 0) {
		log_error("%s: %s", has_begun ? "it ends" : "it cannot start",
				p->why[0] ? p->why : strerror(-ret));
	} else if (options_log_level(&p->options) >= LOG_LEVEL_INFO) {
		log_line(p, LOG_LEVEL_INFO, "event=stopped");
	}
	if (!is_done) {
		memset(&p->options, 0, sizeof(p->options)); /* remaining threads use them */
		return ret;
	}
	return close_trace(p, ret);
}

int main(int argc, char **argv) {
	struct picad p = { .argc = argc, .argv = argv, .kiosk_fd = -1 };
	struct server_settings settings;
	/*
	 * With a heap per thread, memory that a session frees in one would be lost to the others.
	 */
	mallopt(M_ARENA_MAX, 1);
	if (argc > 0) {
		log_name_program(argv[0]);
	}
	options_read(&p.options, argc, argv);
	if (options_apply(&p.options, &settings) < 0) {
		options_finish(&p.options);
		return EXIT_USAGE;
	}
	if (p.options.print_config) {
		options_print(&p.options, stdout);
		options_finish(&p.options);
		if (fflush(stdout) != 0 || ferror(stdout)) {
			log_error("--print-config: standard output: %s", strerror(errno));
			return EXIT_USAGE;
		}
		return 0;
	}
	if (options_apply_display(&p.options, &settings.present, &p.idle) < 0) {
		picture_finish(&p.idle);
		options_finish(&p.options);
		return EXIT_USAGE;
	}
	listen_init(&p.listening);
	int ret = run(&p, &settings);
	picture_finish(&p.idle); /* if begin() failed */
	listen_close(&p.listening);
	options_finish(&p.options);
	log_end();
	return ret < 0 ? EXIT_USAGE : 0;
}
