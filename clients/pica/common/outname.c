#include "outname.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "pictures/file.h"

/* ---- Patterns ---- */

static const char *const place_names[OUTNAME_PLACES] = {
	[OUTNAME_NAME] = "{name}",
	[OUTNAME_FRAME] = "{frame}",
	[OUTNAME_DRAW] = "{draw}",
	[OUTNAME_SCREEN] = "{screen}",
	[OUTNAME_EYE] = "{eye}",
	[OUTNAME_EYE_SUFFIX] = "{-eye}",
};

/*
 * The placeholder at text, which begins with '{', and its length; digits: of {frame:4} and
 * {draw:4}. Not one: OUTNAME_PLACES.
 */
static enum outname_place place_at(const char *text, size_t *len, int *digits) {
	*digits = 1;
	for (int i = 0; i < OUTNAME_PLACES; i++) {
		*len = strlen(place_names[i]);
		if (strncmp(text, place_names[i], *len) == 0) {
			return (enum outname_place)i;
		}
	}
	for (int i = OUTNAME_FRAME; i <= OUTNAME_DRAW; i++) {
		const size_t name = strlen(place_names[i]) - 1; /* without the closing brace */
		if (strncmp(text, place_names[i], name) == 0 && text[name] == ':' &&
				text[name + 1] >= '1' && text[name + 1] <= '9' &&
				text[name + 2] == '}') {
			*digits = text[name + 1] - '0';
			*len = name + 3;
			return (enum outname_place)i;
		}
	}
	return OUTNAME_PLACES;
}

static int scan(struct outname *o) {
	size_t len;
	int digits;
	for (const char *p = o->pattern; (p = strchr(p, '{')); p += len) {
		const enum outname_place place = place_at(p, &len, &digits);
		if (place == OUTNAME_PLACES) {
			return -EINVAL;
		}
		o->has[place == OUTNAME_EYE_SUFFIX ? OUTNAME_EYE : place] = true;
	}
	return 0;
}

int outname_init(struct outname *o, const char *arg, const char *extension, bool with_frame,
		const char **error) {
	memset(o, 0, sizeof(*o));
	*error = "out of memory";
	const size_t len = arg ? strlen(arg) : 0;
	const bool in_folder = !arg || file_is_folder(arg) ||
			(arg[len - (len > 0)] == '/' && !strchr(arg, '{'));
	if (arg && len == 0) {
		*error = "expected a file, a folder or a pattern";
		return -EINVAL;
	}
	if (!in_folder && arg[len - 1] == '/') {
		*error = "expected a file name after the last slash";
		return -EINVAL;
	}
	if (in_folder) {
		o->folder = arg ? file_in(arg, "") : strdup("");
		if (asprintf(&o->pattern, "{name}%s-{screen}{-eye}.%s",
				    with_frame ? "-f{frame:4}" : "", extension) < 0) {
			o->pattern = NULL;
		}
	} else {
		o->is_stdout = file_is_stdout(arg);
		o->folder = strdup("");
		o->pattern = strdup(arg);
	}
	if (!o->folder || !o->pattern) {
		outname_finish(o);
		return -ENOMEM;
	}
	int ret = scan(o);
	if (ret < 0) {
		*error = "expected {name}, {frame}, {frame:4}, {draw}, {draw:4}, {screen} or {eye} after a brace";
		outname_finish(o);
	}
	return ret;
}

void outname_finish(struct outname *o) {
	free(o->folder);
	free(o->pattern);
	memset(o, 0, sizeof(*o));
}

/* ---- Paths ---- */

/* Missing folders of a folder or pattern are created, those of a file are not. */
static bool makes_folders(const struct outname *o) {
	return o->folder[0] || strchr(o->pattern, '{');
}

/* Shortens a path to the part of it that exists. */
static void to_existing(char *path) {
	struct stat st;
	while (stat(path, &st) < 0 && errno == ENOENT) {
		size_t len = strlen(path);
		while (len > 1 && path[len - 1] == '/') {
			len--;
		}
		while (len > 0 && path[len - 1] != '/') {
			len--;
		}
		if (len == 0) {
			strcpy(path, "."); /* the path had a name at least */
			return;
		}
		path[len] = '\0';
	}
}

int outname_check(const struct outname *o, char **at) {
	*at = NULL;
	if (o->is_stdout) {
		return 0;
	}
	char *path;
	if (o->folder[0]) {
		path = strdup(o->folder);
	} else {
		size_t fixed = strcspn(o->pattern, "{");
		while (fixed > 0 && o->pattern[fixed - 1] != '/') {
			fixed--;
		}
		path = fixed ? strndup(o->pattern, fixed) : strdup("./");
	}
	if (!path) {
		return -ENOMEM;
	}
	int ret = 0;
	if (makes_folders(o)) {
		to_existing(path);
	}
	/*
	 * An existing path that is not a regular file is written in place, so its folder is not
	 * checked.
	 */
	struct stat st;
	bool in_place = strchr(o->pattern, '{') == NULL && stat(o->pattern, &st) == 0 &&
			!S_ISREG(st.st_mode);
	if (!in_place && !file_is_folder(path)) {
		ret = access(path, F_OK) == 0 || errno == ENOTDIR ? -ENOTDIR : -errno;
	} else if (!in_place && access(path, W_OK | X_OK) < 0) {
		ret = -errno;
	}
	*at = path;
	return ret;
}

char *outname_make(const struct outname *o, const struct outname_values *v) {
	size_t n, size;
	int digits;
	char *path = NULL;
	FILE *out = open_memstream(&path, &size);
	if (!out) {
		return NULL;
	}
	fputs(o->folder, out);
	for (const char *p = o->pattern; *p; p += n) {
		n = strcspn(p, "{");
		if (n) {
			fwrite(p, 1, n, out);
			continue;
		}
		switch (place_at(p, &n, &digits)) {
		case OUTNAME_NAME:
			fputs(v->name, out);
			break;
		case OUTNAME_FRAME:
			fprintf(out, "%0*u", digits, v->frame);
			break;
		case OUTNAME_DRAW:
			fprintf(out, "%0*u", digits, v->draw);
			break;
		case OUTNAME_SCREEN:
			fputs(v->screen, out);
			break;
		case OUTNAME_EYE:
			fputs(v->eye, out);
			break;
		case OUTNAME_EYE_SUFFIX:
			fputs(strcmp(v->eye, "right") == 0 ? "-right" : "", out);
			break;
		case OUTNAME_PLACES: /* scan() refused it */
			break;
		}
	}
	if (fclose(out)) {
		free(path);
		return NULL;
	}
	return path;
}

int outname_make_folders(const struct outname *o, const char *path) {
	return makes_folders(o) ? file_make_folders(path) : 0;
}
