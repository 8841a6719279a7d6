/*
 * The input script. A line sets the state from a frame on:
 *
 *	30: A LEFT touch=160,120 circle=-100,20 cstick=0,50 slider=0.5
 *	45:
 *
 * Empty lines and those that begin with # are comments.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <3ds/os.h>
#include <3ds/services/hid.h>
#include <3ds/services/irrst.h>

enum { STICK_EDGE = 41, STICK_MOST = 156 }; /* threshold of a direction; range */

struct step {
	uint32_t frame;
	struct host_input input;
};

static struct step *steps;
static size_t n_steps;

static const struct host_input nothing;

static const struct {
	const char *name;
	u32 keys;
} key_names[] = { { "A", KEY_A }, { "B", KEY_B }, { "SELECT", KEY_SELECT }, { "START", KEY_START },
	{ "RIGHT", KEY_DRIGHT }, { "LEFT", KEY_DLEFT }, { "UP", KEY_DUP }, { "DOWN", KEY_DDOWN },
	{ "R", KEY_R }, { "L", KEY_L }, { "X", KEY_X }, { "Y", KEY_Y }, { "ZL", KEY_ZL },
	{ "ZR", KEY_ZR }, { "CSTICK_RIGHT", KEY_CSTICK_RIGHT }, { "CSTICK_LEFT", KEY_CSTICK_LEFT },
	{ "CSTICK_UP", KEY_CSTICK_UP }, { "CSTICK_DOWN", KEY_CSTICK_DOWN } };

/* ---- The script ---- */

static bool pair(const char *text, int least, int most_x, int most_y, int *x, int *y) {
	int end = 0;
	return sscanf(text, "%d,%d%n", x, y, &end) == 2 && !text[end] && *x >= least &&
			*y >= least && *x <= most_x && *y <= most_y;
}

static bool take_stick(const char *name, const char *word, s16 *out_x, s16 *out_y, u32 *keys,
		u32 right, u32 left, u32 up, u32 down) {
	const size_t n = strlen(name);
	int x, y;
	if (strncmp(word, name, n) != 0 ||
			!pair(word + n, -STICK_MOST, STICK_MOST, STICK_MOST, &x, &y)) {
		return false;
	}
	*out_x = (s16)x;
	*out_y = (s16)y;
	*keys |= (x >= STICK_EDGE ? right : x <= -STICK_EDGE ? left : 0) |
			(y >= STICK_EDGE ? up : y <= -STICK_EDGE ? down : 0);
	return true;
}

static bool take_word(struct host_input *in, const char *word) {
	int x, y, end = 0;
	if (strncmp(word, "touch=", 6) == 0 && pair(word + 6, 0, 319, 239, &x, &y)) {
		in->keys |= KEY_TOUCH;
		in->touch_x = (u16)x;
		in->touch_y = (u16)y;
		return true;
	}
	if (take_stick("circle=", word, &in->circle_x, &in->circle_y, &in->keys, KEY_CPAD_RIGHT,
			    KEY_CPAD_LEFT, KEY_CPAD_UP, KEY_CPAD_DOWN)) {
		return true;
	}
	if (take_stick("cstick=", word, &in->cstick_x, &in->cstick_y, &in->keys, KEY_CSTICK_RIGHT,
			    KEY_CSTICK_LEFT, KEY_CSTICK_UP, KEY_CSTICK_DOWN)) {
		return true;
	}
	if (sscanf(word, "slider=%f%n", &in->slider, &end) == 1 && !word[end]) {
		return in->slider >= 0 && in->slider <= 1;
	}
	for (size_t i = 0; i < sizeof(key_names) / sizeof(*key_names); i++) {
		if (strcmp(word, key_names[i].name) == 0) {
			in->keys |= key_names[i].keys;
			return true;
		}
	}
	return false;
}

static void take_line(const char *path, unsigned number, char *line) {
	char *rest = line, *word = strsep(&rest, ":"), *end;
	const unsigned long frame = strtoul(word, &end, 10);
	if (!rest || end == word || *end || *word == '-' || frame >= UINT32_MAX) {
		host_fail("%s:%u: expected `FRAME: KEY... touch=X,Y circle=X,Y cstick=X,Y slider=0.5'", path,
				number);
	}
	if (n_steps && frame <= steps[n_steps - 1].frame) {
		host_fail("%s:%u: frame %lu: expected one after frame %u", path, number, frame,
				steps[n_steps - 1].frame);
	}
	struct step *more = realloc(steps, (n_steps + 1) * sizeof(*steps));
	if (!more) {
		host_fail("%s: %s", path, strerror(ENOMEM));
	}
	steps = more;
	steps[n_steps] = (struct step){ .frame = (uint32_t)frame };
	while ((word = strsep(&rest, " \t\n"))) {
		if (*word && !take_word(&steps[n_steps].input, word)) {
			host_fail("%s:%u: %s: expected a key (A, LEFT, ...), touch=0..319,0..239, "
				  "circle=-156..156,-156..156, cstick= like it or slider=0..1",
					path, number, word);
		}
	}
	n_steps++;
}

void host_input_begin(const char *path) {
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	if (!f) {
		host_fail("%s: %s", path, strerror(errno));
	}
	for (unsigned number = 1; getline(&line, &size, f) >= 0; number++) {
		const char *first = line + strspn(line, " \t\n");
		if (*first && *first != '#') {
			take_line(path, number, line);
		}
	}
	if (ferror(f)) {
		host_fail("%s: %s", path, strerror(errno));
	}
	free(line);
	fclose(f);
}

const struct host_input *host_input_at(uint32_t frame) {
	const struct host_input *input = &nothing;
	for (size_t i = 0; i < n_steps && steps[i].frame <= frame; i++) {
		input = &steps[i].input;
	}
	return input;
}

/* ---- Programs ---- */

static struct host_input now;
static u32 before; /* keys of the scan before */
static u32 repeat_delay = 30, repeat_interval = 8;
static u32 held_scans, repeated; /* scans without a change; keys repeated in this scan */

PICA_EXPORT void hidScanInput(void) {
	host_deliver();
	before = now.keys;
	now = *host_input_at(host_frames);
	held_scans = now.keys && now.keys == before ? held_scans + 1 : 0;
	const u32 late = held_scans - repeat_delay;
	repeated = now.keys & ~before;
	if (held_scans >= repeat_delay && late % (repeat_interval ? repeat_interval : 1) == 0) {
		repeated = now.keys;
	}
}

PICA_EXPORT void hidSetRepeatParameters(u32 delay, u32 interval) {
	repeat_delay = delay;
	repeat_interval = interval;
}

PICA_EXPORT u32 hidKeysHeld(void) {
	return now.keys;
}

PICA_EXPORT u32 hidKeysDown(void) {
	return now.keys & ~before;
}

PICA_EXPORT u32 hidKeysDownRepeat(void) {
	return repeated;
}

PICA_EXPORT u32 hidKeysUp(void) {
	return before & ~now.keys;
}

PICA_EXPORT void hidTouchRead(touchPosition *position) {
	*position = (touchPosition){ now.touch_x, now.touch_y };
}

PICA_EXPORT void hidCircleRead(circlePosition *position) {
	*position = (circlePosition){ now.circle_x, now.circle_y };
}

/* ---- The C-stick ---- */

static struct host_input stick;

PICA_EXPORT void irrstScanInput(void) {
	host_deliver();
	stick = *host_input_at(host_frames);
}

PICA_EXPORT u32 irrstKeysHeld(void) {
	return stick.keys & (KEY_ZL | KEY_ZR | KEY_CSTICK_RIGHT | KEY_CSTICK_LEFT | KEY_CSTICK_UP |
			KEY_CSTICK_DOWN);
}

PICA_EXPORT void irrstCstickRead(circlePosition *position) {
	*position = (circlePosition){ stick.cstick_x, stick.cstick_y };
}

/* ---- Life ---- */

PICA_EXPORT Result hidInit(void) {
	return 0;
}

PICA_EXPORT void hidExit(void) {
}

PICA_EXPORT float osGet3DSliderState(void) {
	return host_input_at(host_frames)->slider;
}
