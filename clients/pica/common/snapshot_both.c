/* Two states in one listing, with common lines once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

struct text {
	char *bytes; /* ours */
	size_t size;
	char **line; /* ours, into bytes; n of them */
	unsigned n;
};

static void finish(struct text *t) {
	free(t->line);
	free(t->bytes);
}

static int take(struct text *t, const struct snapshot *s) {
	*t = (struct text){ .bytes = NULL };
	FILE *out = open_memstream(&t->bytes, &t->size);
	if (!out) {
		return -ENOMEM;
	}
	snapshot_short_text(s, out);
	if (fclose(out)) {
		return -ENOMEM;
	}
	unsigned room = 1;
	for (const char *p = t->bytes; *p; p++) {
		room += *p == '\n';
	}
	t->line = calloc(room, sizeof(*t->line));
	for (char *rest = t->bytes, *line; t->line && (line = strsep(&rest, "\n")) && rest;) {
		t->line[t->n++] = line;
	}
	return t->line ? 0 : -ENOMEM;
}

/*
 * Longest common subsequence: common[i * (b->n + 1) + j] is its length from line i of A and line j
 * of B on. States have some hundred lines.
 */
static uint16_t *find_common(const struct text *a, const struct text *b) {
	const size_t row = (size_t)b->n + 1;
	uint16_t *common = calloc(((size_t)a->n + 1) * row, sizeof(*common));
	for (size_t i = a->n; common && i-- > 0;) {
		for (size_t j = b->n; j-- > 0;) {
			const uint16_t down = common[(i + 1) * row + j];
			const uint16_t right = common[i * row + j + 1];
			common[i * row + j] = strcmp(a->line[i], b->line[j]) == 0 ?
					(uint16_t)(common[(i + 1) * row + j + 1] + 1) :
					down > right ? down : right;
		}
	}
	return common;
}

static void show(const char *mark, const char *line, FILE *out) {
	if (line[0] || mark[0] != ' ') {
		fprintf(out, "%s %s\n", mark, line);
	} else {
		fputc('\n', out);
	}
}

int snapshot_both_text(const struct snapshot *a, const struct snapshot *b, FILE *out) {
	struct text x, y = { .bytes = NULL };
	int ret = take(&x, a);
	ret = ret < 0 ? ret : take(&y, b);
	uint16_t *common = ret < 0 ? NULL : find_common(&x, &y);
	const size_t row = (size_t)y.n + 1;
	for (size_t i = 0, j = 0; common && (i < x.n || j < y.n);) {
		if (i < x.n && j < y.n && strcmp(x.line[i], y.line[j]) == 0) {
			show(" ", x.line[i++], out);
			j++;
		} else if (j == y.n ||
				(i < x.n && common[(i + 1) * row + j] >= common[i * row + j + 1])) {
			show("A", x.line[i++], out);
		} else {
			show("B", y.line[j++], out);
		}
	}
	ret = ret == 0 && !common ? -ENOMEM : ret;
	free(common);
	finish(&x);
	finish(&y);
	return ret;
}
