#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"

static pid_t pager; /* 0: none */

void output_size(uint64_t bytes, char text[OUTPUT_SIZE]) {
	static const char units[] = "KMGTPE";
	double n = (double)bytes / 1024;
	unsigned unit = 0;
	while (n >= 999.95) {
		n /= 1024;
		unit++;
	}
	snprintf(text, OUTPUT_SIZE, "%.1f%ciB", n, units[unit]);
}

static bool is_set(const char *variable) {
	const char *value = getenv(variable);
	return value && *value;
}

static bool is_terminal(void) {
	const char *term = getenv("TERM");
	return (pager || isatty(STDOUT_FILENO)) && term && strcmp(term, "dumb") != 0;
}

const char *output_color(enum output_color color) {
	static const char *const sequences[] = {
		[OUTPUT_PLAIN] = "\033[0m",
		[OUTPUT_RED] = "\033[31m",
		[OUTPUT_YELLOW] = "\033[33m",
		[OUTPUT_GREEN] = "\033[32m",
		[OUTPUT_BOLD] = "\033[1m",
	};
	return is_terminal() && !is_set("NO_COLOR") ? sequences[color] : "";
}

void output_title(const char *text) {
	printf("\n%s%s%s\n", output_color(OUTPUT_BOLD), text, output_color(OUTPUT_PLAIN));
}

/* In the child. */
static _Noreturn void run_pager(const char *command, int from) {
	dup2(from, STDIN_FILENO);
	/* Short texts stay on the screen, colours are shown. */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void output_page(void) {
	const char *command = getenv("PAGER");
	int ends[2];
	if (pager || !is_terminal() || (command && (!*command || strcmp(command, "cat") == 0))) {
		return;
	}
	log_show_progress(PROGRESS_NEVER);
	log_end();
	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) < 0) {
		return;
	}
	const pid_t child = fork();
	if (child == 0) {
		run_pager(command ? command : "command -v less >/dev/null && exec less || exec cat",
				ends[0]);
	}
	if (child > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		pager = child;
	}
	close(ends[0]);
	close(ends[1]);
}

void output_page_end(void) {
	if (pager) {
		fflush(stdout);
		close(STDOUT_FILENO);
		while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) {
		}
	}
}
