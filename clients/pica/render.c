/* pica render: draws captures and writes their pictures. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <search.h>
#include <unistd.h>

#include "common/json.h"
#include "expect.h"
#include "pictures/file.h"
#include "pictures/plain.h"
#include "pictures/trace.h"
#include "render/render.h"
#include "verbs.h"

const char *render_kept(const struct render_options *o, const char *path) {
	for (unsigned i = 0; i < o->n_captures; i++) {
		if (file_is_same(o->captures[i], path)) {
			return "a capture";
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(o->inputs); i++) {
		if (o->inputs[i] && file_is_same(o->inputs[i], path)) {
			return i ? "an input of the program" : "the program itself";
		}
	}
	return NULL;
}

int render_output_result(const struct render_options *o, const char *path, int ret) {
	return ret == 0 ? EXIT_FINE :
			  log_fail("%s%s: %s", o->output ? "-o " : "", file_shown(path),
					  strerror(-ret));
}

int render_begin_output(struct render *r, char **lines, size_t *lines_size) {
	const struct render_options *o = r->o;
	if (o->writer == &writer_none) {
		if (o->output) {
			return log_fail("-o %s: --format none writes nothing", o->output);
		}
		return EXIT_FINE;
	}
	const char *what = o->output ? render_kept(o, o->output) : NULL;
	if (what) {
		return log_fail("-o %s: this is %s, not overwritten", o->output, what);
	}
	if (o->json && o->output && file_is_stdout(o->output)) {
		return log_fail("-o %s and --json both want the standard output", o->output);
	}
	if (o->writer == &writer_y4m) {
		return render_video_begin(r);
	}
	if (o->writer == &writer_hash) {
		if (o->output && strchr(o->output, '{')) {
			return log_fail("-o %s: --format hash writes all lines into one file", o->output);
		}
		const bool has_file = o->output || !o->json;
		const char *path = o->output ? o->output : "-";
		int ret = has_file ? file_begin(&r->hashes, path) : 0;
		r->lines = ret < 0 ? NULL : open_memstream(lines, lines_size);
		if (ret == 0 && !r->lines) {
			ret = -errno;
			if (has_file) {
				file_finish(&r->hashes, ret);
			}
		}
		return render_output_result(o, path, ret);
	}
	const char *error;
	int ret = outname_init(&r->names, o->output,
		o->writer->extension,
		!frame_list_is_last(&o->frames), &error);
	if (ret < 0) {
		return log_fail("-o %s: %s", o->output ? o->output : ".", error);
	}
	if (r->names.is_stdout && isatty(STDOUT_FILENO)) {
		return log_fail("-o %s: expected a file or a pipe as standard output, not a terminal",
				o->output);
	}
	return render_check_names(r);
}

/* ---- One capture ---- */

/* The last message is the reason. */
static void failed(struct shot *s, int exit) {
	if (s->errors) {
		json_array_append_new(s->errors, json_last_error());
	}
	s->exit = exit > s->exit ? exit : s->exit;
}

void render_fail(struct shot *s, int exit, const char *fmt, ...) {
	char text[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log_line("%s: %s", s->path, text);
	failed(s, exit);
}

/* Writes the file; *path becomes its name (caller frees). */
static bool write_file(
	struct shot *s, const struct outname_values *v, const struct picture *p, char **path) {
	struct render *r = s->r;
	*path = outname_make(&r->names, v);
	if (!*path) {
		render_fail(s, EXIT_TROUBLE, "%s", strerror(ENOMEM));
		return false;
	}
	/* Placeholders keep names distinct, but those of "{name}{frame}" can still collide. */
	if (tfind(*path, &r->written, (int (*)(const void *, const void *))strcmp)) {
		render_fail(s, EXIT_TROUBLE, "%s: already written by this run, not overwritten",
				*path);
		return false;
	}
	const char *what = render_kept(r->o, *path);
	if (what) {
		render_fail(s, EXIT_TROUBLE, "%s: this is %s, not overwritten", *path, what);
		return false;
	}
	int ret = outname_make_folders(&r->names, *path);
	if (ret == 0) {
		ret = picture_write(p, *path, r->o->writer);
	}
	if (ret < 0) {
		render_fail(s, EXIT_TROUBLE, "cannot write %s: %s", file_shown(*path),
				strerror(-ret));
		return false;
	}
	char *copy = strdup(*path);
	if (!copy || !tsearch(copy, &r->written, (int (*)(const void *, const void *))strcmp)) {
		free(copy);
	}
	if (!s->report && !r->names.is_stdout) {
		printf("%s %" PRIu32 "x%" PRIu32 "\n", *path, p->width, p->height);
	}
	return true;
}

void render_put(struct shot *s, const struct outname_values *v, const struct picture *p,
		json_t *more) {
	const struct writer *writer = s->r->o->writer;
	char *path = NULL, hash[PICTURE_HASH_TEXT], label[512];
	s->n_pictures++;
	if (writer->is_picture && !write_file(s, v, p, &path)) {
		json_decref(more);
		free(path);
		return;
	}
	if (writer == &writer_hash && !(s->report && !s->r->o->output)) {
		snprintf(label, sizeof(label), "%s %" PRIu32 " %s %s", s->name, v->frame, v->screen,
				v->eye);
		writer->write(s->r->lines, p, label);
	}
	if (s->report) {
		picture_hash(p, hash);
		json_t *row = json_pack("{sI ss ss so sI sI ss}", "frame", (json_int_t)v->frame,
				"screen", v->screen, "eye", v->eye, "path",
				path ? json_text(path) : json_null(), "width", (json_int_t)p->width,
				"height", (json_int_t)p->height, "hash", hash);
		json_object_update(row, more);
		json_array_append_new(s->pictures, row);
	}
	json_decref(more);
	free(path);
}

static void put_picture(struct shot *s, uint32_t frame, const char *screen, const char *eye,
		const struct picture *p) {
	const struct outname_values v = { s->name, frame, UINT32_MAX, screen, eye };
	render_put(s, &v, p, NULL);
}

static void show_surfaces(struct shot *s, uint32_t frame, struct picture *p) {
	const struct render_options *o = s->r->o;
	for (unsigned i = 0; i < o->n_surfaces; i++) {
		const struct render_surface *f = &o->surface[i];
		int ret = gpu_read_surface(p, s->gpu, f->addr, f->format, f->width, f->height);
		if (ret < 0) {
			render_fail(s, EXIT_TROUBLE, "--surface 0x%08" PRIx32 ": %s", f->addr,
				ret == -ERANGE ? "not wholly inside memory" : strerror(-ret));
		} else {
			put_picture(s, frame, f->name, "left", p);
		}
	}
}

static void show_screen(struct shot *s, uint32_t frame, enum pica_screen_id screen,
		const struct pica_screen *info, struct picture *p) {
	static const char *const eyes[] = { "left", "right" };
	unsigned chosen = s->r->o->eyes;
	/* Without a second picture both eyes have the same; the bottom screen has no eyes. */
	if (screen == PICA_SCREEN_BOTTOM ||
		(chosen == (EYE_LEFT | EYE_RIGHT) && !info->has_right)) {
		chosen = EYE_LEFT;
	}
	for (unsigned eye = 0; eye < 2; eye++) {
		if (!(chosen >> eye & 1)) {
			continue;
		}
		int ret = gpu_read_screen(p, s->gpu, screen, (enum pica_eye)eye);
		if (ret < 0) {
			render_fail(s, EXIT_TROUBLE,
					"frame %" PRIu32 ": cannot read the screen: %s", frame,
					strerror(-ret));
		} else {
			put_picture(s, frame, screen == PICA_SCREEN_TOP ? "top" : "bottom",
				eyes[eye], p);
		}
	}
}

static void show_screens(struct shot *s, uint32_t frame, struct picture *p) {
	bool shown = false;
	for (unsigned i = 0; i < 2; i++) {
		if (!(s->r->o->screens >> i & 1)) {
			continue;
		}
		struct pica_screen info;
		if (s->gpu.impl->screen(s->gpu, (enum pica_screen_id)i, &info) < 0 ||
				!info.is_set) {
			s->unset[i]++;
		} else if (shown && s->r->one_screen) {
			s->left_out = true;
		} else {
			show_screen(s, frame, (enum pica_screen_id)i, &info, p);
			shown = true;
		}
	}
}

/* False: the chip has screens. */
static bool show_picture(struct shot *s, uint32_t frame, struct picture *p) {
	const int ret = gpu_read_picture(p, s->gpu);
	if (ret == 0) {
		put_picture(s, frame, "picture", "left", p);
	} else if (ret != -EOPNOTSUPP) {
		render_fail(s, EXIT_TROUBLE, "frame %" PRIu32 ": no picture: %s", frame,
				ret == -ENODATA ? "no rendering list named a target" :
				ret == -ERANGE  ? "its target is not wholly inside memory" :
						  strerror(-ret));
	}
	return ret != -EOPNOTSUPP;
}

static void show_frame(struct shot *s, uint32_t frame) {
	struct picture p = { 0 };
	s->n_frames_shown++;
	if (s->r->video) {
		render_video_frame(s, frame);
	} else if (s->r->o->n_surfaces) {
		show_surfaces(s, frame, &p);
	} else if (!show_picture(s, frame, &p)) {
		show_screens(s, frame, &p);
	}
	picture_finish(&p);
}

/* Compares the frame with the expected pictures. */
static void verify_frame(struct shot *s, const struct pica_capture *capture, uint32_t frame) {
	struct pica_expected want, have;
	uint32_t n;
	char wanted[33], drawn[33];
	int ret = expect_compare(s->gpu, capture, frame, &n, &want, &have);
	if (ret < 0) {
		render_fail(s, EXIT_TROUBLE, "frame %" PRIu32 ": cannot read the screens: %s",
				frame, strerror(-ret));
	} else if (ret == 1) {
		picture_hash_text(want.hash, wanted);
		picture_hash_text(have.hash, drawn);
		render_fail(s, EXIT_DIFFERENT,
				"frame %" PRIu32 ", screen %s: expected %s, drawn %s", frame,
				expect_screen_name(&want), wanted, have.width ? drawn : "nothing");
	} else {
		s->n_verified += n;
	}
}

/* Pictures or hashes, which other output would corrupt. */
static bool is_stdout_taken(const struct render *r) {
	const struct render_options *o = r->o;
	if (o->writer == &writer_hash || o->writer == &writer_y4m) {
		return !o->output || file_is_stdout(o->output);
	}
	return r->names.is_stdout;
}

/* The result. */
static void report_verified(struct shot *s, const struct pica_capture *capture) {
	struct pica_capture_info info;
	const struct engine_options *e = &s->r->o->engine;
	pica_capture_info(capture, &info);
	if (s->exit == EXIT_FINE && !s->n_verified) {
		render_fail(s, EXIT_TROUBLE, "%s", expect_none(capture));
	} else if (s->exit == EXIT_FINE && !s->report && is_stdout_taken(s->r)) {
		log_line("%s: %" PRIu32 " picture%s as expected", s->name, s->n_verified,
				plural(s->n_verified));
	} else if (s->exit == EXIT_FINE && !s->report) {
		plain_write(stdout, s->name);
		printf(": %" PRIu32 " picture%s as expected\n", s->n_verified,
				plural(s->n_verified));
	} else if (s->exit == EXIT_DIFFERENT &&
			(info.float_mode != e->float_mode || info.combiner != e->combiner)) {
		log_line("%s: note: its pictures were drawn with --float %s --combiner %s", s->path,
			float_words[info.float_mode], combiner_words[info.combiner]);
	}
	if (s->report) {
		json_object_set_new(s->report, "verified", json_integer((json_int_t)s->n_verified));
	}
}

/* Writes the last target, if no screen is shown. */
static void show_color_buffer(struct shot *s, uint32_t frame) {
	uint32_t regs[PICA_REG_COUNT];
	struct picture p = { 0 };
	if (s->gpu.impl->read_regs(s->gpu, 0, PICA_REG_COUNT, regs) < 0) {
		return;
	}
	struct pica_target t;
	pica_target_from_regs(&t, regs);
	const char *why = NULL;
	if (t.color_format > PICA_COLOR_FORMAT_RGBA4) {
		why = "it has no known format";
	} else if (gpu_read_target(&p, s->gpu, &t) < 0) {
		why = "it has no place in memory";
	}
	if (why) {
		log_line("%s: note: no screen is shown, and the last colour buffer cannot be read: %s",
			s->path, why);
	} else {
		log_line("%s: note: no screen is shown, this is the last colour buffer", s->path);
		put_picture(s, frame, "buffer", "left", &p);
	}
	picture_finish(&p);
}

/*
 * Logs notes about missing parts of the capture and of libpica. ran_once: no job ran more than
 * once, so that its counters are right.
 */
static void take_notes(struct shot *s, bool ran_once) {
	static const char *const screens[] = { "top", "bottom" };
	for (unsigned i = 0; i < 2; i++) {
		if (s->unset[i] && s->unset[i] == s->n_frames_shown) {
			log_line("%s: note: the %s screen was never set, skipped", s->path, screens[i]);
		} else if (s->unset[i]) {
			log_line("%s: note: the %s screen was not set in %" PRIu32 " frame%s", s->path,
				screens[i], s->unset[i], plural(s->unset[i]));
		}
	}
	if (s->left_out && s->exit == EXIT_FINE) {
		log_line("%s: note: the bottom screen is shown too: -o with {screen} writes it",
			s->path);
	}
	struct pica_stats stats = { .size = sizeof(stats) };
	if (!ran_once || s->gpu.impl->stats(s->gpu, &stats) < 0) {
		return;
	}
	for (unsigned i = 0; i < PICA_FEATURE_COUNT; i++) {
		if (stats.guessed[i]) {
			log_line("%s: note: drawn by a guess: %s (%" PRIu64 " draw%s)", s->path,
				pica_feature_name((enum pica_feature)i), stats.guessed[i],
				plural(stats.guessed[i]));
		}
	}
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		if (stats.faults[i]) {
			log_line("%s: note: %s (%" PRIu64 ")", s->path,
				pica_fault_name((enum pica_fault)i), stats.faults[i]);
		}
	}
	if (s->report) {
		json_t *counters = json_pack("{sI sI sI sI sI}", "lists", (json_int_t)stats.lists,
			"draws", (json_int_t)stats.draws, "triangles", (json_int_t)stats.triangles,
			"drawn_triangles", (json_int_t)stats.drawn_triangles, "fragments",
			(json_int_t)stats.fragments);
		json_add_counters(counters, &stats);
		json_object_set_new(s->report, "counters", counters);
	}
}

/* Verifies the whole file, including keys that drawing does not read. */
static bool is_whole(struct shot *s, struct pica_capture *capture) {
	int ret = pica_capture_verify(capture);
	if (ret < 0) {
		failed(s, capture_failed(capture, s->path, ret));
	}
	return ret == 0;
}

static void replay_and_show(struct shot *s, struct pica_capture *capture) {
	const struct render_options *o = s->r->o;
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	const uint32_t n_frames = capture_frames(capture);
	const uint32_t end = frame_list_end(&o->frames, n_frames);
	if (end >= n_frames) {
		render_fail(s, EXIT_TROUBLE,
				"--frames: frame %" PRIu32
				" was asked for, but the last one is %" PRIu32,
				end, n_frames - 1);
		return;
	}
	if (info.chip != PICA_CHIP_PICA200 && ((o->draws & DRAWS_HEAT) || o->n_surfaces)) {
		render_fail(s, EXIT_TROUBLE,
				"heat maps and surfaces are of a PICA200: this is a capture of a %s",
				pica_chip_name(info.chip));
		return;
	}
	if (info.chip != PICA_CHIP_PICA200 && o->given & RENDER_SCREENS) {
		render_fail(s, EXIT_TROUBLE,
				"--screen: the picture of a %s is on no screen: expected a capture of "
				"a PICA200",
				pica_chip_name(info.chip));
		return;
	}
	json_object_set_new(s->report, "frames", json_integer(info.frames));
	pica_capture_trust_loads(capture, o->trust_loads);
	struct render_draws draws = { .s = s };
	struct render_walk walk;
	const uint32_t first = replay_first(capture, frame_list_first(&o->frames, n_frames),
			o->engine.float_mode, o->engine.combiner, o->trust_loads);
	int ret = render_walk_start(
			&walk, &draws, capture, first, info.chip == PICA_CHIP_VC4);
	struct replay *replay = walk.replay;
	capture_note_skipped(capture, s->path, ret == 0 && replay->skipped_key);
	for (uint32_t frame = (uint32_t)replay->frames;
			ret == 0 && frame <= end && s->exit == EXIT_FINE; frame++) {
		uint64_t previous = replay->seq;
		const bool is_shown = frame_list_has(&o->frames, n_frames, frame);
		if (is_shown && o->draws) {
			render_draws_begin(&draws, frame);
		}
		ret = render_walk_frame(&walk, is_shown && (o->draws & DRAWS_STEP));
		if (ret < 0) {
			break;
		}
		/* At most one frame ahead: waiting jobs cost memory. */
		ret = is_shown ? replay_wait(replay) : replay_wait_for(replay, previous);
		if (ret == 0 && is_shown && o->verify) {
			verify_frame(s, capture, frame);
		}
		if (ret == 0 && is_shown && o->draws) {
			s->n_frames_shown++;
			render_draws_end(&draws);
		} else if (ret == 0 && is_shown && (o->writer != &writer_none || s->report)) {
			show_frame(s, frame);
		}
		log_progress(s->name, frame + 1, end + 1);
	}
	if (ret == 0) {
		ret = replay_wait(replay);
	}
	sheet_finish(&draws.sheet); /* of a frame that failed */
	render_walk_finish(&walk);
	if (ret < 0 && s->exit != EXIT_FINE) {
		return; /* the visitor has said why */
	}
	if (ret < 0) {
		if (capture_is_damaged(capture, ret)) {
			log_capture_error(s->path, pica_capture_error(capture));
			failed(s, EXIT_BAD_CAPTURE);
		} else {
			render_fail(s, remote_exit(ret), "frame %" PRIu64 ": %s", replay->frames,
					remote_error(s->r->client, ret));
		}
		return;
	}
	bool any_screen = !(o->given & RENDER_SCREENS) ||
			o->screens == (SCREEN_TOP | SCREEN_BOTTOM);
	if (o->verify) {
		report_verified(s, capture);
	}
	if (s->n_frames_shown && !s->n_pictures && !o->n_surfaces && !o->draws && any_screen &&
		s->exit == EXIT_FINE) {
		show_color_buffer(s, end);
	}
	if (replay->worst < 0) {
		failed(s, replay_job_failed(replay, s->path));
	}
	take_notes(s, !walk.is_vc4);
}

/* Creates the GPU. On failure logs it and returns false. */
static bool create_gpu(struct shot *s, const struct pica_capture *capture, struct remote **remote) {
	char message[PICA_TEXT_BYTES];
	struct pica_ctx *ctx;
	int ret;
	if (s->r->client) {
		const struct engine_options *e = &s->r->o->engine;
		struct pica_client_ctx_settings settings;
		pica_client_ctx_settings_init(&settings);
		if (e->given & ENGINE_ARITHMETIC) {
			settings.flags = PICA_CTX_ARITHMETIC;
			settings.float_mode = e->float_mode;
			settings.combiner = e->combiner;
		}
		ret = remote_create(remote, s->r->client, capture, &settings, message);
		if (ret < 0) {
			render_fail(s, remote_exit(ret), "%s", message);
			return false;
		}
		s->gpu = remote_gpu(*remote);
		return true;
	}
	ret = replay_create_ctx(&ctx, s->r->device, capture);
	if (ret < 0) {
		render_fail(s, EXIT_TROUBLE, "%s", strerror(-ret));
		return false;
	}
	s->gpu = gpu_here(ctx);
	return true;
}

static int render_capture(struct render *r, const char *path) {
	struct shot s = { .r = r, .path = path, .name = capture_name(path) };
	if (r->reports) {
		s.report = json_pack("{so}", "path", json_text(path));
		s.pictures = json_array();
		s.errors = json_array();
		json_object_set_new(s.report, "name", json_text(s.name ? s.name : ""));
		json_object_set_new(s.report, "pictures", s.pictures);
		json_object_set_new(s.report, "errors", s.errors);
		json_array_append_new(r->reports, s.report);
	}
	struct pica_capture *capture = NULL;
	s.exit = capture_open(&capture, path);
	if (s.exit != EXIT_FINE) {
		failed(&s, s.exit);
		free(s.name);
		return s.exit;
	}
	struct remote *remote = NULL;
	if (!s.name) {
		render_fail(&s, EXIT_TROUBLE, "%s", strerror(ENOMEM));
	} else if ((!r->o->verify || is_whole(&s, capture)) && create_gpu(&s, capture, &remote)) {
		replay_and_show(&s, capture);
	}
	pica_ctx_destroy(s.gpu.ctx);
	remote_destroy(remote);
	pica_capture_close(capture);
	free(s.name);
	return s.exit;
}

int render_end_output(struct render *r, char **lines, const size_t *lines_size, int exit) {
	if (r->lines) {
		int ret = fclose(r->lines) ? -errno : 0;
		const char *path = r->o->output ? r->o->output : "-";
		if (r->hashes.f) {
			if (ret == 0) {
				fwrite(*lines, 1, *lines_size, r->hashes.f);
			}
			ret = file_finish(&r->hashes, ret);
		}
		exit = worse(exit, render_output_result(r->o, path, ret));
		free(*lines);
	}
	exit = render_video_end(r, exit);
	if (r->reports) {
		json_t *report = json_report("render");
		json_object_set_new(report, "captures", r->reports);
		exit = json_finish(report, exit);
	}
	outname_finish(&r->names);
	tdestroy(r->written, free);
	return exit;
}

/* A device created from o will report to the trace. */
static int begin_trace(struct trace **out, struct render_options *o) {
	if (render_kept(o, o->trace)) {
		return log_fail("--trace %s: this is a capture, not overwritten", o->trace);
	}
	int ret = trace_begin(out, o->trace,
			o->given & RENDER_CONNECT ? remote_builtin_threads(o->where) :
						    o->engine.threads);
	if (ret < 0) {
		return log_fail("--trace %s: %s", file_shown(o->trace), strerror(-ret));
	}
	o->engine.trace = trace_span;
	o->engine.trace_user = *out;
	return EXIT_FINE;
}

static int connect_to(struct pica_client **out, const struct render_options *o,
		struct trace *trace) {
	struct pica_client_settings settings;
	pica_client_settings_init(&settings);
	settings.name = o->name;
	settings.trace = trace ? trace_span : NULL;
	settings.trace_user = trace;
	return remote_connect_as(out, o->where, &settings);
}

int verb_render(int argc, char **argv) {
	struct render_options o;
	render_options_parse(&o, argc, argv);
	log_show_progress(o.progress);

	struct render r = { .o = &o };
	char *lines = NULL;
	size_t lines_size = 0;
	struct trace *trace = NULL;
	int exit = render_begin_output(&r, &lines, &lines_size);
	if (exit == EXIT_FINE && o.trace) {
		exit = begin_trace(&trace, &o);
	}
	if (exit == EXIT_FINE) {
		exit = o.given & RENDER_CONNECT ? connect_to(&r.client, &o, trace) :
				     engine_create(&r.device, &o.engine);
	}
	if (exit != EXIT_FINE) {
		if (r.lines) {
			fclose(r.lines);
			free(lines);
		}
		render_video_end(&r, EXIT_TROUBLE);
		outname_finish(&r.names);
		trace_finish(trace, -ECANCELED);
		return exit;
	}
	r.reports = o.json ? json_array() : NULL;
	for (unsigned i = 0; i < o.n_captures; i++) {
		exit = worse(exit, render_capture(&r, o.captures[i]));
	}
	log_end();
	pica_device_destroy(r.device);
	pica_client_close(r.client);
	const int error = trace_finish(trace, 0);
	exit = error < 0 ? worse(exit, log_result(file_shown(o.trace), error)) : exit;
	return render_end_output(&r, &lines, &lines_size, exit);
}
