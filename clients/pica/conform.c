/* pica conform: cases with known pictures, drawn by libpica or by another renderer. */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "common/command.h"
#include "common/json.h"
#include "common/options.h"
#include "conform/conform.h"
#include "gpu.h"
#include "pictures/file.h"
#include "verbs.h"

const char *const conform_origins[CONFORM_ORIGINS + 1] = { "console", "arithmetic", "renderers",
	"guess", NULL };

enum { MANIFEST_BYTES = 1 << 20, SIDE = 64, TOP_WIDTH = 400, TOP_HEIGHT = 240 };

struct options {
	bool json, html;
	const char *folder, *replayer;
	char *command; /* owned: the command line, or NULL */
	struct engine_options engine;
};

/* ---- The library ---- */

/* Returns FOLDER/NAME if it contains a manifest. name: "" or with a slash at its end. */
static char *library_at(const char *folder, const char *name) {
	char *path = *folder ? file_in(folder, name) : NULL,
	     *manifest = path ? file_in(path, "manifest.txt") : NULL;
	if (manifest && access(manifest, R_OK) != 0) {
		free(path);
		path = NULL;
	}
	free(manifest);
	return path;
}

/* Relative to the program: in the build's tree, else in the data folder of the installation. */
static char *find_library(void) {
	char self[4096];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = 0;
	char *slash = strrchr(self, '/');
	if (!slash) {
		return NULL;
	}
	*slash = 0;
	char *path = library_at(self, "../../conformance/conformance/");
	return path ? path : library_at(self, CONFORMANCE_FOLDER "/");
}

/* Returns the next word; advances *at. */
static char *word(char **at) {
	*at += strspn(*at, " ");
	char *start = *at;
	*at += strcspn(*at, " ");
	if (**at) {
		*(*at)++ = 0;
	}
	return start;
}

/* One row: NAME PROVENANCE RULE WIDTHxHEIGHT HASH. */
static bool parse_row(struct conform_case *k, char *line) {
	unsigned origin;
	const char *name = word(&line), *from = word(&line), *rule = word(&line),
		   *size = word(&line), *hash = word(&line);
	const bool is_right = *line == 0 && option_word(conform_origins, from, &origin) &&
			sscanf(size, "%2" SCNu32 "x%2" SCNu32, &k->width, &k->height) == 2 &&
			k->width <= SIDE && k->height <= SIDE &&
			strlen(hash) == PICTURE_HASH_TEXT - 1 &&
			strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
	if (is_right) {
		k->origin = (enum conform_origin)origin;
		memcpy(k->hash, hash, PICTURE_HASH_TEXT);
		k->name = strdup(name);
		k->rule = strdup(rule);
	}
	return is_right;
}

/* Logs errors. */
static int read_manifest(struct conform *c) {
	char *path = file_in(c->folder, "manifest.txt"), *rest = NULL;
	void *text = NULL;
	size_t size = 0;
	if (!path) {
		return log_no_memory();
	}
	int exit = log_result(path, file_read(path, &text, &size, MANIFEST_BYTES));
	unsigned number = 0;
	for (char *line = exit == EXIT_FINE ? text : NULL; line && *line; line = rest) {
		rest = line + strcspn(line, "\n");
		rest += *rest ? (*rest = 0, 1) : 0;
		number++;
		if (*line == '#' || *line == 0) {
			continue;
		}
		struct conform_case *more = realloc(c->cases, (c->n + 1) * sizeof(*more));
		if (!more) {
			exit = log_no_memory();
			break;
		}
		c->cases = more;
		more[c->n] = (struct conform_case){ 0 };
		if (!parse_row(&more[c->n], line)) {
			exit = log_fail("%s: line %u: expected NAME PROVENANCE RULE WIDTHxHEIGHT HASH",
					path, number);
			break;
		}
		c->n++;
	}
	if (exit == EXIT_FINE && c->n == 0) {
		exit = log_fail("%s: it has no cases", path);
	}
	free(text);
	free(path);
	return exit;
}

static void finish(struct conform *c) {
	for (unsigned i = 0; i < c->n; i++) {
		struct conform_case *k = &c->cases[i];
		free(k->name);
		free(k->rule);
		free(k->message);
		picture_finish(&k->expected);
		picture_finish(&k->drawn);
	}
	free(c->cases);
	free(c->folder);
}

/* ---- One case ---- */

static char *case_file(const struct conform *c, const struct conform_case *k, const char *end) {
	char *path = NULL;
	return asprintf(&path, "%s%s.%s", c->folder, k->name, end) < 0 ? NULL : path;
}

/* Draws the case's capture. Returns an exit code, after logging. */
static int draw(struct picture *out, struct pica_device *device, const char *path) {
	struct pica_capture *capture;
	struct pica_ctx *ctx = NULL;
	struct replay r = { 0 };
	int exit = capture_open(&capture, path);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = replay_create_ctx(&ctx, device, capture);
	ret = ret < 0 ? ret : replay_start(&r, gpu_here(ctx), capture, 0);
	while (ret >= 0 && (ret = replay_frame(&r)) > 0) {
	}
	ret = ret < 0 ? ret : replay_wait(&r);
	exit = ret < 0 ? capture_failed(capture, path, ret) : replay_job_failed(&r, path);
	if (exit == EXIT_FINE) {
		exit = log_result(path,
				gpu_read_screen(out, gpu_here(ctx), PICA_SCREEN_TOP,
						PICA_EYE_LEFT));
	}
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	return exit;
}

/* The lower left corner of a screen. */
static int cut(struct picture *out, const struct picture *screen, uint32_t width, uint32_t height) {
	const int ret = picture_alloc(out, width, height);
	for (uint32_t y = 0; ret == 0 && y < height; y++) {
		memcpy(out->rgb + 3 * (size_t)width * y,
				screen->rgb +
						3 * (size_t)screen->width *
								(screen->height - height + y),
				3 * (size_t)width);
	}
	return ret;
}

/* Reads the expected picture, and makes the whole screen from it: on black. */
static int read_expected(const struct conform *c, struct conform_case *k, struct picture *whole) {
	char *path = case_file(c, k, "png");
	int ret = path ? picture_read_png(&k->expected, path, 0) : -ENOMEM;
	free(path);
	if (ret == 0 && (k->expected.width != k->height || k->expected.height != k->width)) {
		picture_finish(&k->expected);
		ret = -EINVAL;
	}
	ret = ret < 0 ? ret : picture_alloc(whole, TOP_WIDTH, TOP_HEIGHT);
	if (ret == 0) {
		memset(whole->rgb, 0, 3 * TOP_WIDTH * TOP_HEIGHT);
		for (uint32_t y = 0; y < k->width; y++) {
			memcpy(whole->rgb + 3 * (size_t)TOP_WIDTH * (TOP_HEIGHT - k->width + y),
					k->expected.rgb + 3 * (size_t)k->height * y,
					3 * (size_t)k->height);
		}
	}
	return ret;
}

/* Compares with a screen that has the hash of the manifest. Returns the length of the message. */
static int compare(struct conform_case *k, const struct picture *whole,
		const struct picture *screen) {
	const struct picture_pixel *p = &k->pixel;
	if (screen->width != TOP_WIDTH || screen->height != TOP_HEIGHT) {
		return asprintf(&k->message, "a picture of %ux%u: expected %dx%d", screen->width,
				screen->height, TOP_WIDTH, TOP_HEIGHT);
	}
	if (picture_first_differing(whole, screen, 0, &k->pixel, 1) == 0) {
		k->has_passed = true;
		return 0;
	}
	k->has_pixel = cut(&k->drawn, screen, k->height, k->width) == 0;
	return asprintf(&k->message, "pixel %u,%u is %02x%02x%02x: expected %02x%02x%02x", p->x, p->y,
			p->b[0], p->b[1], p->b[2], p->a[0], p->a[1], p->a[2]);
}

static void judge(const struct conform *c, struct conform_case *k, const struct picture *screen) {
	char hash[PICTURE_HASH_TEXT] = "";
	struct picture whole = { 0 };
	const int ret = read_expected(c, k, &whole);
	if (ret == 0) {
		picture_hash(&whole, hash);
	}
	const int n = ret == -ENOMEM ?
			-1 :
			ret < 0 ?
			asprintf(&k->message, "%s.png: expected a PNG of %ux%u", k->name, k->height,
					k->width) :
			strcmp(hash, k->hash) != 0 ?
			asprintf(&k->message, "%s.png is not the picture of the manifest",
					k->name) :
			compare(k, &whole, screen);
	if (n < 0) {
		k->message = NULL;
	}
	picture_finish(&whole);
}

/* Returns an exit code for errors of the case itself. */
static int run_case(struct conform *c, struct conform_case *k, const struct options *o,
		struct pica_device *device) {
	struct picture screen = { 0 };
	char *path = case_file(c, k, "pica");
	if (!path) {
		return log_no_memory();
	}
	const int exit = o->replayer ? conform_replay(&screen, &k->message, o->replayer, path) :
				       draw(&screen, device, path);
	if (exit == EXIT_FINE && screen.rgb) {
		judge(c, k, &screen);
	}
	picture_finish(&screen);
	free(path);
	c->by_origin[k->origin]++;
	c->passed[k->origin] += k->has_passed;
	return exit;
}

/* ---- Reports ---- */

static json_t *failed_row(const struct conform_case *k) {
	json_t *row = json_pack("{ss ss so so}", "name", k->name, "provenance",
			conform_origins[k->origin], "rule", json_text(k->rule), "message",
			json_text(k->message ? k->message : "out of memory"));
	if (k->has_pixel) {
		char a[8], b[8];
		snprintf(a, sizeof(a), "%02x%02x%02x", k->pixel.a[0], k->pixel.a[1], k->pixel.a[2]);
		snprintf(b, sizeof(b), "%02x%02x%02x", k->pixel.b[0], k->pixel.b[1], k->pixel.b[2]);
		json_object_set_new(row, "x", json_integer(k->pixel.x));
		json_object_set_new(row, "y", json_integer(k->pixel.y));
		json_object_set_new(row, "expected", json_string(a));
		json_object_set_new(row, "found", json_string(b));
	}
	return row;
}

unsigned conform_counted(const unsigned by_origin[CONFORM_ORIGINS]) {
	unsigned n = 0;
	for (unsigned i = 0; i < CONFORM_GUESS; i++) {
		n += by_origin[i];
	}
	return n;
}

static json_t *report_json(const struct conform *c) {
	const unsigned guesses = c->by_origin[CONFORM_GUESS];
	json_t *report = json_report("conform"), *failed = json_array(), *origins = json_object();
	for (unsigned i = 0; i < c->n; i++) {
		const struct conform_case *k = &c->cases[i];
		if (k->is_chosen && !k->has_passed && k->origin != CONFORM_GUESS) {
			json_array_append_new(failed, failed_row(k));
		}
	}
	for (unsigned i = 0; i < CONFORM_GUESS; i++) {
		json_object_set_new(origins, conform_origins[i], json_integer(c->by_origin[i]));
	}
	json_object_set_new(report, "cases", json_integer(conform_counted(c->by_origin)));
	json_object_set_new(report, "passed", json_integer(conform_counted(c->passed)));
	json_object_set_new(report, "failed", failed);
	json_object_set_new(report, "guesses", json_integer(guesses));
	json_object_set_new(report, "differing_guesses",
			json_integer(guesses - c->passed[CONFORM_GUESS]));
	json_object_set_new(report, "by_provenance", origins);
	return report;
}

static void print_text(const struct conform *c) {
	const unsigned *of = c->by_origin, *passed = c->passed;
	for (unsigned i = 0; i < c->n; i++) {
		const struct conform_case *k = &c->cases[i];
		if (k->is_chosen && !k->has_passed) {
			printf("%s: %s (%s, %s)\n", k->name,
					k->message ? k->message : "out of memory",
					conform_origins[k->origin], k->rule);
		}
	}
	printf("%u of %u bit-identical: %u of %u known from a console, %u of %u by arithmetic, "
	       "%u of %u by two renderers; %u guess%s not counted\n",
			conform_counted(passed), conform_counted(of), passed[CONFORM_CONSOLE],
			of[CONFORM_CONSOLE], passed[CONFORM_ARITHMETIC], of[CONFORM_ARITHMETIC],
			passed[CONFORM_RENDERERS], of[CONFORM_RENDERERS], of[CONFORM_GUESS],
			of[CONFORM_GUESS] == 1 ? "" : "es");
}

static int report(const struct conform *c, const struct options *o) {
	const int exit = conform_counted(c->passed) == conform_counted(c->by_origin) ?
			EXIT_FINE : EXIT_DIFFERENT;
	if (o->json) {
		return json_finish(report_json(c), exit);
	}
	if (o->html) {
		conform_html(stdout, c, o->command ? o->command : "");
	} else {
		print_text(c);
	}
	return exit;
}

/* ---- The verb ---- */

/* Marks the cases that match a pattern; all if there is none. */
static int choose(struct conform *c, const struct option_args *patterns) {
	for (unsigned i = 0; i < c->n; i++) {
		c->cases[i].is_chosen = patterns->n == 0;
	}
	for (unsigned p = 0; p < patterns->n; p++) {
		bool is_found = false;
		for (unsigned i = 0; i < c->n; i++) {
			if (fnmatch(patterns->v[p], c->cases[i].name, 0) == 0) {
				c->cases[i].is_chosen = is_found = true;
			}
		}
		if (!is_found) {
			return log_fail("no case is named %s", patterns->v[p]);
		}
	}
	return EXIT_FINE;
}

static int run(struct conform *c, const struct options *o, const struct option_args *patterns) {
	struct pica_device *device = NULL;
	int exit = read_manifest(c);
	exit = exit == EXIT_FINE ? choose(c, patterns) : exit;
	exit = exit == EXIT_FINE && !o->replayer ? engine_create(&device, &o->engine) : exit;
	for (unsigned i = 0; exit == EXIT_FINE && i < c->n; i++) {
		if (c->cases[i].is_chosen) {
			log_progress("case", i + 1, c->n);
			exit = run_case(c, &c->cases[i], o, device);
		}
	}
	log_end();
	pica_device_destroy(device);
	return exit == EXIT_FINE ? report(c, o) : exit;
}

#define AT(member) offsetof(struct options, member)

static void check(void *input, struct option_args args) {
	const struct options *o = input;
	if (o->json && o->html) {
		options_fail("--json, --html: one of them");
	}
	if (o->replayer && !o->replayer[strspn(o->replayer, " \t\n")]) {
		options_fail("--replayer: expected a command");
	}
	if (o->replayer && o->engine.given) {
		options_fail("--replayer: the options of the engine have no meaning for it");
	}
}

int verb_conform(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "cases", 0, "DIR", "The library of cases (default: that of this build)",
				OPTION_TEXT, .at = AT(folder) },
		{ "replayer", 0, "CMD",
				"Test another renderer: CMD gets a capture and a folder for PNGs",
				OPTION_TEXT, .at = AT(replayer) },
		JSON_ROW(AT(json)),
		{ "html", 0, NULL, "Report on stdout as a page for a browser", OPTION_FLAG,
				.at = AT(html) },
	};
	static const struct option_spec spec = {
		.forms = "[NAME...]",
		.doc = "Draws small captures, each of one feature, whose pictures are known, and compares every bit. NAME may "
		       "hold *.",
		.tables = { OPTION_TABLE(rows, 0, 0), ENGINE_TABLES(AT(engine)) },
		.max_args = OPTION_ANY,
		.check = check,
	};
	struct options o = { .command = command_line("pica conform", argc, argv) };
	struct conform c = { 0 };
	engine_options_init(&o.engine);
	const struct option_args patterns = options_parse(&spec, argc, argv, &o);
	if (o.json) {
		json_promise("conform", NULL);
	}
	c.folder = o.folder ? library_at(o.folder, "") : find_library();
	const int exit = c.folder ?
			run(&c, &o, &patterns) :
			o.folder ?
			log_fail("--cases %s: expected a folder with manifest.txt and its cases", o.folder) :
			log_fail("no library of cases is installed with this program: --cases names one");
	finish(&c);
	free(o.command);
	return exit;
}
