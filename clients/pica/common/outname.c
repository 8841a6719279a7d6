#include "outname.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "pictures/file.h"

/* ---- Patterns ---- */

enum place {
	PLACE_NAME,
	PLACE_FRAME,
	PLACE_DRAW,
	PLACE_SCREEN,
	PLACE_EYE,
	PLACE_EYE_SUFFIX,
	PLACE_COUNT
};

static const char *const place_names[PLACE_COUNT] = {
	[PLACE_NAME] = "{name}",
	[PLACE_FRAME] = "{frame}",
	[PLACE_DRAW] = "{draw}",
	[PLACE_SCREEN] = "{screen}",
	[PLACE_EYE] = "{eye}",
	[PLACE_EYE_SUFFIX] = "{-eye}",
};

/*
 * The placeholder at text, which begins with '{', and its length; digits: of {frame:4} and
 * {draw:4}. Not one: PLACE_COUNT.
 */
static enum place place_at(const char *text, size_t *len, int *digits) {
	*digits = 1;
	for (int i = 0; i < PLACE_COUNT; i++) {
		*len = strlen(place_names[i]);
		if (strncmp(text, place_names[i], *len) == 0) {
			return (enum place)i;
		}
	}
	for (int i = PLACE_FRAME; i <= PLACE_DRAW; i++) {
		const size_t name = strlen(place_names[i]) - 1; /* without the closing brace */
		if (strncmp(text, place_names[i], name) == 0 && text[name] == ':' &&
				text[name + 1] >= '1' && text[name + 1] <= '9' &&
				text[name + 2] == '}') {
			*digits = text[name + 1] - '0';
			*len = name + 3;
			return (enum place)i;
		}
	}
	return PLACE_COUNT;
}

static int scan(struct outname *o) {
	size_t len;
	int digits;
	for (const char *p = o->pattern; (p = strchr(p, '{')); p += len) {
		switch (place_at(p, &len, &digits)) {
		case PLACE_NAME:
			o->has_name = true;
			break;
		case PLACE_FRAME:
			o->has_frame = true;
			break;
		case PLACE_DRAW:
			o->has_draw = true;
			break;
		case PLACE_SCREEN:
			o->has_screen = true;
			break;
		case PLACE_EYE:
		case PLACE_EYE_SUFFIX:
			o->has_eye = true;
			break;
		case PLACE_COUNT:
			return -EINVAL;
		}
	}
	return 0;
}

static bool is_folder(const char *path) {
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int outname_init(struct outname *o, const char *arg, const char *extension, bool with_frame,
		const char **error) {
	memset(o, 0, sizeof(*o));
	*error = "memory is out";
	size_t len = arg ? strlen(arg) : 0;
	if (arg && len == 0) {
		*error = "expected a file, a folder or a pattern";
		return -EINVAL;
	}
	bool slash = len && arg[len - 1] == '/';
	bool is_pattern = arg && strchr(arg, '{') && !is_folder(arg);
	if (is_pattern && slash) {
		*error = "expected a file name after the last slash";
		return -EINVAL;
	}
	if (arg && !is_pattern && !slash && !is_folder(arg)) {
		o->is_stdout = file_is_stdout(arg);
		o->folder = strdup("");
		o->pattern = strdup(arg);
	} else if (is_pattern) {
		o->folder = strdup("");
		o->pattern = strdup(arg);
	} else {
		size_t size = len + 2;
		o->folder = malloc(size);
		if (o->folder) {
			snprintf(o->folder, size, "%s%s", arg ? arg : "", arg && !slash ? "/" : "");
		}
		char pattern[64];
		snprintf(pattern, sizeof(pattern), "{name}%s-{screen}{-eye}.%s",
			with_frame ? "-f{frame:4}" : "", extension);
		o->pattern = strdup(pattern);
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

/* Folders of a folder or a pattern are made where they are missing, those of a file are not. */
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
	 * An existing path that is not a regular file is written in place: its folder does not
	 * matter.
	 */
	struct stat st;
	bool in_place = strchr(o->pattern, '{') == NULL && stat(o->pattern, &st) == 0 &&
			!S_ISREG(st.st_mode);
	if (ret == 0 && !in_place && !is_folder(path)) {
		ret = access(path, F_OK) == 0 || errno == ENOTDIR ? -ENOTDIR : -errno;
	}
	if (ret == 0 && !in_place && access(path, W_OK | X_OK) < 0) {
		ret = -errno;
	}
	*at = path;
	return ret;
}

/* Appends to path, or only counts where it is NULL. */
static void put(char *path, size_t *len, const char *text, size_t n) {
	if (path) {
		memcpy(path + *len, text, n);
	}
	*len += n;
}

static size_t expand(const struct outname *o, const struct outname_values *v, char *path) {
	size_t len = 0, n;
	int digits;
	char number[16];
	put(path, &len, o->folder, strlen(o->folder));
	for (const char *p = o->pattern; *p; p += n) {
		n = strcspn(p, "{");
		if (n) {
			put(path, &len, p, n);
			continue;
		}
		const char *text = "";
		switch (place_at(p, &n, &digits)) {
		case PLACE_NAME:
			text = v->name;
			break;
		case PLACE_FRAME:
			snprintf(number, sizeof(number), "%0*u", digits, v->frame);
			text = number;
			break;
		case PLACE_DRAW:
			snprintf(number, sizeof(number), "%0*u", digits, v->draw);
			text = number;
			break;
		case PLACE_SCREEN:
			text = v->screen;
			break;
		case PLACE_EYE:
			text = v->eye;
			break;
		case PLACE_EYE_SUFFIX:
			text = strcmp(v->eye, "right") == 0 ? "-right" : "";
			break;
		case PLACE_COUNT: /* scan() refused it */
			break;
		}
		put(path, &len, text, strlen(text));
	}
	return len;
}

char *outname_make(const struct outname *o, const struct outname_values *v) {
	size_t len = expand(o, v, NULL);
	char *path = malloc(len + 1);
	if (path) {
		expand(o, v, path);
		path[len] = '\0';
	}
	return path;
}

int outname_make_folders(const struct outname *o, const char *path) {
	if (!makes_folders(o)) {
		return 0;
	}
	return file_make_folders(path);
}
