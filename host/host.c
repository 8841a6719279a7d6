/* Options from the environment, and messages. */
#include "host.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct host_options host_options;

static void say(const char *format, va_list args) {
	char line[512];
	vsnprintf(line, sizeof(line), format, args);
	dprintf(STDERR_FILENO, "libpica-ctru: %s\n", line); /* not drawn on a screen */
}

void host_log(const char *format, ...) {
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

void host_log_once(bool *said, const char *format, ...) {
	va_list args;
	va_start(args, format);
	if (!*said) {
		say(format, args);
	}
	*said = true;
	va_end(args);
}

void host_refuse(const char *format, ...) {
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
	host_gpu_refused();
}

void host_fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
	host_gpu_end();
	_Exit(2);
}

void host_fault(const char *format, ...) {
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
	host_gpu_refused();
	abort();
}

void host_check_process(const char *call) {
	if (getpid() != host_options.process) {
		host_fault("%s: in a child of fork(): expected a process of its own", call);
	}
	host_check_thread(call);
}

static void forget(void) {
	host_gpu_forget();
	host_service_forget();
}

/* Programs that this one starts do not inherit the variable. */
static const char *take(const char *name) {
	const char *text = getenv(name);
	unsetenv(name);
	return text;
}

static uint32_t number(const char *name, uint32_t otherwise) {
	const char *text = take(name);
	char *end;
	if (!text || !*text) {
		return otherwise;
	}
	const unsigned long n = strtoul(text, &end, 10);
	if (*end || n > UINT32_MAX) {
		host_fail("%s=%s: expected a number", name, text);
	}
	return (uint32_t)n;
}

/* Returns a descriptor from host-run, or -1. */
static int descriptor(const char *name) {
	const int fd = (int)number(name, UINT32_MAX);
	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	return fd;
}

/* Makes the heaps before the program's own constructors. glibc passes main()'s arguments. */
__attribute__((constructor(101))) static void begin(int argc, char **argv) {
	static uint8_t room[HOST_CRASH_STACK];
	(void)argc;
	host_set_crash_stack(room, NULL);
	host_takes_turns = true;
	host_clocks_begin();
	host_memory_begin(argv); /* may start the process anew, with these variables */
	host_options = (struct host_options){
		.process = getpid(),
		.frames = number("PICA_HOST_FRAMES", 0),
		.record = take("PICA_HOST_RECORD"),
		.input = take("PICA_HOST_INPUT"),
		.romfs = take("PICA_HOST_ROMFS"),
		.sdmc = take("PICA_HOST_SDMC"),
		.font = take("PICA_HOST_FONT"),
		.pictures = descriptor("PICA_HOST_PICTURES"),
		.lint = descriptor("PICA_HOST_LINT"),
		.connect = take("PICA_HOST_CONNECT"),
		.threads = number("PICA_HOST_THREADS", 1),
		.arithmetic = number("PICA_HOST_ARITHMETIC", 0),
	};
	pthread_atfork(NULL, NULL, forget);
	if (host_options.connect) {
		host_service_begin();
	}
	if (host_options.lint >= 0) {
		host_memory_share_all();
	}
	host_console_begin();
	if (host_options.input) {
		host_input_begin(host_options.input);
	}
}
