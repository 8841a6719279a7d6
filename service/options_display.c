#include "service/options_display.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pictures/drawing.h"
#include "service/display_headless.h"
#include "service/display_why.h"
#include "service/frame_sink.h"
#include "service/kiosk.h"
#include "service/log.h"

enum {
	IDLE_WIDTH = 400,
	IDLE_HEIGHT = 240,
	IDLE_COLOR = 0x000000,
	IDLE_INK = 0x5C7C88,
	IDLE_BRIGHT = 0xC8DCE4
};

#define MODE "WIDTHxHEIGHT[@HERTZ][:xrgb8888|rgb565]"

/* ---- Values ---- */

static int set_focus(struct present_settings *s, const char *name) {
	if (strncmp(name, "pinned:", 7) == 0 && name[7] && strlen(name + 7) < sizeof(s->pinned)) {
		s->policy = PRESENT_PINNED;
		memcpy(s->pinned, name + 7, strlen(name + 7) + 1);
	} else if (strcmp(name, "priority") == 0) {
		s->policy = PRESENT_PRIORITY;
	} else if (strcmp(name, "last") != 0) {
		return -EINVAL;
	}
	return 0;
}

const char *options_display_expected(const char *name, const char *value) {
	struct display_output modes[DISPLAY_OUTPUTS];
	struct present_settings s;
	present_settings_init(&s);
	const struct {
		const char *name, *expected;
		bool is_wrong;
	} rows[] = {
		{ "headless", MODE "[,...]", display_headless_modes(value, modes) < 0 },
		{ "mode", MODE, display_headless_modes(value, modes) != 1 },
		{ "frames", frame_sink_expected(value, 1), true },
		{ "scale", "integer, fit, stretch or a number from 1 to 32",
				layout_set_scale(&s.layout, value) < 0 },
		{ "background", "RRGGBB", layout_set_background(&s.layout, value) < 0 },
		{ "focus", "last, priority or pinned:NAME", set_focus(&s, value) < 0 },
		{ "hold", "seconds from 0 to 86400", !kiosk_is_hold(value) },
		{ "exec", "a command", !value[strspn(value, " \t")] },
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].is_wrong && strcmp(name, rows[i].name) == 0) {
			return rows[i].expected;
		}
	}
	return NULL;
}

/* ---- Which display ---- */

static int choose_display(const struct options *o, struct present_settings *s) {
	const char *name = o->display ? o->display : o->kiosk || o->exec ? "kms" : "none";
	if (strcmp(name, "headless") == 0) {
		s->impl = &display_headless;
	} else if (strcmp(name, "kms") == 0) {
#ifdef HAVE_KMS
		s->impl = &display_kms;
#else
		log_error("display: this picad was built without KMS");
		return -EINVAL;
#endif
	} else if (strcmp(name, "wayland") == 0) {
#ifdef HAVE_WAYLAND
		s->impl = &display_wayland;
#else
		log_error("display: this picad was built without Wayland");
		return -EINVAL;
#endif
	}
	if (!s->impl && (o->kiosk || o->exec)) {
		log_error("%s: needs a display", o->kiosk ? "kiosk" : "exec");
		return -EINVAL;
	}
	if (o->hold && !o->kiosk) {
		log_error("hold: only with kiosk");
		return -EINVAL;
	}
	if (o->kiosk && o->exec) {
		log_error("exec: expected no kiosk as well");
		return -EINVAL;
	}
	return 0;
}

static int apply_headless(const struct options *o, struct present_settings *s) {
	struct display_output modes[DISPLAY_OUTPUTS];
	if ((o->headless || o->frames) && s->impl != &display_headless) {
		log_error("%s: only with display = headless",
			o->headless ? "headless" : "frames");
		return -EINVAL;
	}
	const int n = o->headless ? display_headless_modes(o->headless, modes) : 1;
	const char *expected = o->frames ? frame_sink_expected(o->frames, (unsigned)n) : NULL;
	if (expected) {
		log_error("frames %s: expected %s", o->frames, expected);
		return -EINVAL;
	}
	s->display.headless = o->headless;
	s->display.frames = o->frames;
	return 0;
}

/* A seat starts processes and opens any file, which a required sandbox forbids. */
static bool is_closed(const struct options *o) {
	return o->sandbox && strcmp(o->sandbox, "on") == 0;
}

bool options_has_seat(const struct options *o) {
	return options_has_card(o) && (o->seat ? strcmp(o->seat, "none") != 0 : !is_closed(o));
}

static int apply_card(const struct options *o, struct present_settings *s) {
	bool has_any = o->card || o->connectors || o->mode || o->seat;
	if (has_any && !options_has_card(o)) {
		log_error("%s: only with display = kms",
				o->card ? "card" : o->connectors ? "connectors" : o->mode ? "mode" :
				"seat");
		return -EINVAL;
	}
	const char *never = o->card ? why_never_card(o->card) : NULL;
	if (never) {
		log_error("card: %s: %s", o->card, never);
		return -EINVAL;
	}
	s->display.card = o->card;
	s->display.connectors = o->connectors;
	s->display.mode = o->mode;
	s->display.seat = o->seat ? o->seat : is_closed(o) ? "none" : NULL;
	if (is_closed(o) && o->seat && (strcmp(o->seat, "auto") == 0 ||
			strcmp(o->seat, "builtin") == 0)) {
		log_error("seat: %s starts a process and opens terminals, which "
				"sandbox = on forbids: expected seatd, logind or none", o->seat);
		return -EINVAL;
	}
	return 0;
}

/* ---- Contents and layout ---- */

static void apply_layout(const struct options *o, struct layout *l) {
	const struct {
		const char *value;
		int (*set)(struct layout *l, const char *value);
	} settings[] = { { o->layout, layout_set_kind }, { o->scale, layout_set_scale },
		{ o->filter, layout_set_filter }, { o->rotate, layout_set_rotation },
		{ o->background, layout_set_background }, { o->stereo, layout_set_stereo } };
	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (settings[i].value) {
			settings[i].set(l, settings[i].value);
		}
	}
}

static uint64_t default_linger_ns(void) {
	struct present_settings s;
	present_settings_init(&s);
	return s.linger_ns;
}

/* Refuses options that need a display, by the name of the first one. */
static int check_shown(const struct options *o, const struct present_settings *s) {
	const struct {
		const char *name;
		bool is_said;
	} said[] = { { "layout", o->layout }, { "scale", o->scale }, { "filter", o->filter },
		{ "rotate", o->rotate }, { "background", o->background }, { "stereo", o->stereo },
		{ "focus", o->focus }, { "idle", o->idle },
		{ "linger-ms", s->linger_ns != default_linger_ns() } };
	for (unsigned i = 0; !s->impl && i < sizeof(said) / sizeof(said[0]); i++) {
		if (said[i].is_said) {
			log_error("%s: only with display = kms, wayland or headless", said[i].name);
			return -EINVAL;
		}
	}
	return 0;
}

static int draw_idle(struct picture *p) {
	static const char *const lines[] = { "picad", "waiting for a picture" };
	int ret = drawing_begin(p, IDLE_WIDTH, IDLE_HEIGHT, IDLE_COLOR);
	if (ret < 0) {
		return ret;
	}
	for (int i = 0; i < 2; i++) {
		const int x = (IDLE_WIDTH - (int)drawing_text_width(lines[i])) / 2;
		drawing_text(p, x, IDLE_HEIGHT / 2 - 15 + i * 2 * DRAWING_LINE,
				i ? IDLE_INK : IDLE_BRIGHT, lines[i]);
	}
	drawing_fill(p, IDLE_WIDTH / 2 - 40, IDLE_HEIGHT / 2 - 2, 80, 1, IDLE_INK);
	return 0;
}

static int apply_idle(const struct options *o, struct present_settings *s, struct picture *idle) {
	struct stat st;
	if (o->idle && (stat(o->idle, &st) < 0 || access(o->idle, R_OK) < 0)) {
		log_error("idle: %s: %s", o->idle, strerror(errno));
		return -EINVAL;
	}
	if (o->idle && !S_ISREG(st.st_mode)) {
		log_error("idle: %s: expected a PNG in a regular file", o->idle);
		return -EINVAL; /* a pipe keeps who opens it */
	}
	int ret = o->idle ? picture_read_png(idle, o->idle, s->layout.background) :
			    draw_idle(idle);
	if (ret == 0 && (idle->width > DISPLAY_MAX_PX || idle->height > DISPLAY_MAX_PX)) {
		ret = -EFBIG;
	}
	if (ret < 0) {
		log_error("idle: %s: %s", o->idle ? o->idle : "the built-in picture",
				ret == -EINVAL                ? "not a PNG that can be read" :
						ret == -EFBIG ? "a side of more than 8192 pixels" :
								strerror(-ret));
		return -EINVAL;
	}
	s->idle_rgb = idle->rgb;
	s->idle_width = idle->width;
	s->idle_height = idle->height;
	return 0;
}

int options_apply_display(
		const struct options *o, struct present_settings *s, struct picture *idle) {
	int ret = choose_display(o, s);
	ret = ret < 0 ? ret : apply_headless(o, s);
	ret = ret < 0 ? ret : apply_card(o, s);
	ret = ret < 0 ? ret : check_shown(o, s);
	apply_layout(o, &s->layout);
	if (o->focus) {
		set_focus(s, o->focus);
	}
	return ret < 0 || !s->impl ? ret : apply_idle(o, s, idle);
}
