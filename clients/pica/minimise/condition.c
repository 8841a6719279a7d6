#include "minimise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/options.h"
#include "lint/lint.h"
#include "pictures/picture.h"

/* ---- The option ---- */

/* RRGGBB, or !RRGGBB for another colour; likewise the n_digits of a hash. */
static bool parse_digits(struct condition *c, const char *text, size_t n_digits) {
	c->is_negated = text[0] == '!';
	c->text = text + c->is_negated;
	return strlen(c->text) == n_digits && strspn(c->text, "0123456789abcdef") == n_digits;
}

static bool parse_pixel(struct condition *c, char *text) {
	char *comma = strchr(text, ','), *colon = strchr(text, ':');
	uint64_t x, y;
	if (!comma || !colon || comma > colon) {
		return false;
	}
	*comma = *colon = '\0';
	for (char *s = colon + 1; *s; s++) {
		*s |= *s >= 'A' && *s <= 'F' ? 0x20 : 0;
	}
	if (!parse_number(text, 4095, &x) || !parse_number(comma + 1, 4095, &y) ||
			!parse_digits(c, colon + 1, 6)) {
		return false;
	}
	const unsigned long rgb = strtoul(c->text, NULL, 16);
	for (unsigned i = 0; i < 3; i++) {
		c->rgb[i] = (uint8_t)(rgb >> (16 - 8 * i));
	}
	c->x = (uint32_t)x;
	c->y = (uint32_t)y;
	return true;
}

static bool is_rule(const char *id) {
	for (unsigned i = 0; i < LINT_RULES; i++) {
		if (strcmp(lint_rule(i)->id, id) == 0) {
			return true;
		}
	}
	return false;
}

const char *condition_parse(void *condition, char *text) {
	static const struct {
		const char *name, *expected;
	} kinds[] = {
		[CONDITION_PIXEL] = { "pixel:", "expected pixel:X,Y:RRGGBB, as pixel:200,120:ff8000, "
			"or !RRGGBB for any other colour" },
		[CONDITION_HASH] = { "hash:", "expected hash: and 32 hexadecimal digits, as pica "
			"render --format hash prints them, or ! and these for any other picture" },
		[CONDITION_FINDING] = { "finding:", "expected finding: and a rule of pica lint --rules" },
		[CONDITION_CRASH] = { "crash", "expected crash" },
		[CONDITION_COMMAND] = { "command:", "expected a command with {}, which becomes the "
			"path of a capture" },
	};
	struct condition *c = condition;
	for (unsigned i = 1; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t n = strlen(kinds[i].name);
		if (strncmp(text, kinds[i].name, n) != 0) {
			continue;
		}
		c->kind = (enum condition_kind)i;
		c->text = text + n;
		const bool is_good = i == CONDITION_PIXEL ? parse_pixel(c, text + n) :
				i == CONDITION_HASH ? parse_digits(c, text + n, 32) :
				i == CONDITION_FINDING ? is_rule(text + n) :
				i == CONDITION_CRASH ? text[n] == '\0' :
						       strstr(text, "{}") != NULL;
		return is_good ? NULL : kinds[i].expected;
	}
	return "expected pixel:X,Y:RRGGBB, hash:HASH, finding:RULE, crash or command:COMMAND";
}

/* ---- Tests ---- */

/* Draws the whole capture, and takes its pictures; buffer: of the last colour buffer. */
static int draw(struct shown *s, const char *path, bool buffer) {
	struct capture_here c;
	struct replay r;
	int exit = capture_here_open(&c, path, NULL);
	if (exit == EXIT_FINE) {
		int ret = replay_start(&r, gpu_here(c.ctx), c.capture, 0);
		while (ret >= 0 && (ret = replay_frame(&r)) > 0) {
			ret = replay_wait(&r);
		}
		ret = ret < 0 ? ret : replay_wait(&r);
		ret = ret < 0 ? ret : shown_take(s, c.ctx);
		if (ret >= 0 && buffer && c.info.chip == PICA_CHIP_PICA200) {
			shown_take_buffer(s, c.ctx);
		}
		exit = ret < 0 ? capture_failed(c.capture, path, ret) : EXIT_FINE;
	}
	capture_here_close(&c);
	return exit;
}

int condition_choose_view(struct condition *c, const char *path) {
	struct shown s = { 0 };
	if (c->kind != CONDITION_PIXEL && c->kind != CONDITION_HASH) {
		return EXIT_FINE;
	}
	int exit = draw(&s, path, true);
	const enum shown_view screen = c->screen == PICA_SCREEN_BOTTOM ? SHOWN_BOTTOM :
			c->eye == PICA_EYE_RIGHT ? SHOWN_TOP_RIGHT : SHOWN_TOP;
	c->view = s.is_set[screen]	 ? screen :
			s.is_set[SHOWN_PICTURE] ? SHOWN_PICTURE : SHOWN_BUFFER;
	if (exit == EXIT_FINE && !s.is_set[c->view]) {
		exit = log_fail("%s: it shows no picture: expected one to look at", path);
	}
	shown_finish(&s);
	return exit;
}

static bool picture_matches(const struct condition *c, const char *path) {
	struct shown s = { 0 };
	char hash[PICTURE_HASH_TEXT];
	if (draw(&s, path, c->view == SHOWN_BUFFER) != EXIT_FINE || !s.is_set[c->view]) {
		return false;
	}
	const struct picture *p = &s.picture[c->view];
	if (c->kind == CONDITION_HASH) {
		picture_hash(p, hash);
		return (strcmp(hash, c->text) == 0) != c->is_negated;
	}
	return c->x < p->width && c->y < p->height &&
			(memcmp(&p->rgb[3 * ((size_t)c->y * p->width + c->x)], c->rgb, 3) == 0) !=
			c->is_negated;
}

static bool has_finding(const char *path, const char *rule) {
	json_t *rows = lint_findings(path), *row;
	size_t i;
	json_array_foreach(rows, i, row) {
		if (strcmp(json_string_value(json_object_get(row, "rule")), rule) == 0) {
			return true;
		}
	}
	return false;
}

/* The command with each {} replaced by the path. */
static char *command_of(const char *text, const char *path) {
	char *command = NULL;
	size_t size;
	FILE *f = open_memstream(&command, &size);
	for (const char *hole; f && (hole = strstr(text, "{}")); text = hole + 2) {
		fprintf(f, "%.*s%s", (int)(hole - text), text, path);
	}
	if (!f) {
		return NULL;
	}
	fputs(text, f);
	return fclose(f) == 0 ? command : NULL;
}

/* Returns whether the condition holds. Runs in a process of its own, and frees nothing. */
static bool test(const struct condition *c, const char *path) {
	struct shown s = { 0 };
	switch (c->kind) {
	case CONDITION_FINDING:
		return has_finding(path, c->text);
	case CONDITION_CRASH:
		draw(&s, path, false);
		return false;
	case CONDITION_COMMAND:
		execl("/bin/sh", "sh", "-c", command_of(c->text, path), (char *)NULL);
		return false;
	default:
		return picture_matches(c, path);
	}
}

bool condition_holds(const struct condition *c, const char *path) {
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		const int null = open("/dev/null", O_RDWR);
		setpgid(0, 0); /* keyboard signals reach the parent alone */
		for (int fd = 0; fd < 3; fd++) {
			dup2(null, fd);
		}
		signal(SIGALRM, SIG_DFL);
		alarm(c->timeout_s);
		_exit(test(c, path) ? 0 : 1);
	}
	int status = 1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	if (child > 0) {
		kill(-child, SIGKILL); /* what a command left behind */
	}
	if (c->kind == CONDITION_CRASH) {
		return child > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM;
	}
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
