/*
 * The matrix of hostile clients: hostile PICAD LOOP [CASE...]. Prints the cases and their number.
 */
#include "hostile.h"

enum { ANY_THREADS = 1000 };

static struct hostile_case *first_case, **end_of_cases = &first_case;

void hostile_add(struct hostile_case *c) {
	*end_of_cases = c;
	end_of_cases = &c->next;
}

bool is_told(struct raw *r, int error, const char *text) {
	bool told = raw_is_told(r);
	bool right = told && r->error.error == error && strstr(r->error.text, text);
	if (!right) {
		printf("  expected error %d, \"%s\"; %s %d, \"%s\"\n", error, text,
				told ? "got" : "was not told, last was", r->error.error,
				r->error.text);
	}
	raw_close(r);
	return right;
}

bool is_refused(const struct raw *r, int ret, int error, const char *text) {
	bool right = ret == error && strstr(r->error.text, text);
	if (!right) {
		printf("  expected error %d, \"%s\"; got %d, \"%s\"\n", error, text, ret,
				ret < 0 ? r->error.text : "");
	}
	return right;
}

bool is_context_refused(struct raw *r, struct pica_msg_context_create m, int error,
		const char *text) {
	return is_refused(r, (int)raw_context_of(r, m), error, text);
}

bool neighbour_is_well(struct bench *b) {
	int ret = neighbour_frame(&b->neighbour);
	if (ret < 0) {
		printf("  the neighbour: %s\n", ret == -EIO ? "another picture" : strerror(-ret));
	}
	return ret == 0;
}

static bool run_case(struct bench *b, const struct hostile_case *c) {
	const struct counts before = process_counts(b->daemon->pid);
	int64_t start = raw_now_ms();
	bool ok = c->fn(b);
	if (!daemon_is_alive(b->daemon)) {
		printf("  the service died\n");
		return false;
	}
	ok = neighbour_is_well(b) && ok;
	ok = process_settles(b->daemon->pid, before, ANY_THREADS) && ok;
	printf("%-44s %s (%d ms)\n", c->name, ok ? "ok" : "FAILED", (int)(raw_now_ms() - start));
	return ok;
}

static bool is_wanted(const char *name, char **argv) {
	for (int i = 3; argv[i]; i++) {
		if (strcmp(argv[i], name) == 0) {
			return true;
		}
	}
	return !argv[3];
}

static bool run(struct daemon *d, char **argv) {
	struct bench b = { .daemon = d };
	unsigned cases = 0, passed = 0;
	int ret = neighbour_open(&b.neighbour, d->socket);
	if (ret < 0 || !neighbour_is_well(&b)) {
		printf("the neighbour cannot draw to begin with: %s\n", strerror(-ret));
		return false;
	}
	for (const struct hostile_case *c = first_case; c; c = c->next) {
		if (!is_wanted(c->name, argv)) {
			continue;
		}
		cases++;
		if (daemon_is_alive(d)) {
			passed += run_case(&b, c);
		} else {
			printf("%-44s NOT RUN\n", c->name);
		}
	}
	neighbour_close(&b.neighbour);
	printf("%u cases, %u passed\n", cases, passed);
	return passed == cases && cases > 0;
}

/* MATRIX_... of hostile.h. */
int main(int argc, char **argv) {
	return daemon_main(argv, 2, "hostile PICAD LOOP [CASE...]",
			"--hello-ms 1000 --threads 1 --max-sessions 12 --user-sessions=0 --max-greeting 8 "
			"--regions 16 --region 16M --memory 32M --contexts 4 --jobs 64 "
			"--job-steps 20000000",
			run);
}
