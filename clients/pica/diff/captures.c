/*
 * Two renderings. The screens are compared frame by frame; in the first frame that differs, or in
 * every frame with --every-draw, the targets after each draw.
 *
 * Bisection cannot find the first differing draw: a later draw may hide the difference, so equal
 * targets after a draw prove nothing about earlier draws. Instead each side runs the frame once and
 * stores a hash after every draw; the first unequal hash identifies the draw (pica-diff(1) has the
 * cost of both methods). Only if a tolerance allows some differences, the pixels after that draw
 * and later ones are compared, as many draws at a time as fit in memory.
 */
#include "diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"

/* ---- Targets ---- */

enum part { PART_SAME, PART_TARGET, PART_COLOR, PART_DEPTH, PART_STENCIL };

static const char *const part_names[] = {
	[PART_SAME] = "nothing",
	[PART_TARGET] = "target",
	[PART_COLOR] = "color",
	[PART_DEPTH] = "depth",
	[PART_STENCIL] = "stencil",
};

struct difference {
	enum part part;
	uint64_t pixels;
	uint32_t x, row; /* the first one, as in memory */
};

static bool same_target(const struct pica_target *a, const struct pica_target *b) {
	return a->width == b->width && a->height == b->height && a->color_addr == b->color_addr &&
			a->color_format == b->color_format && a->block32 == b->block32;
}

static bool pixel_differs(const struct diff_options *o, enum part part, const struct diff_record *a,
		const struct diff_record *b, size_t i) {
	const uint32_t mask = part == PART_STENCIL ? 0xFF000000 : 0x00FFFFFF;
	if (part != PART_COLOR) {
		return (a->depth[i] ^ b->depth[i]) & mask;
	}
	for (unsigned c = 0; c < 4; c++) {
		if ((unsigned)abs(a->rgba[4 * i + c] - b->rgba[4 * i + c]) > o->tolerance) {
			return true;
		}
	}
	return false;
}

static void compare_part(const struct diff_options *o, enum part part, const struct diff_record *a,
		const struct diff_record *b, struct difference *d) {
	const size_t n = (size_t)a->target.width * a->target.height;
	*d = (struct difference){ .part = PART_SAME };
	for (size_t i = 0; i < n; i++) {
		if (pixel_differs(o, part, a, b, i) && d->pixels++ == 0) {
			d->x = (uint32_t)(i % a->target.width);
			d->row = (uint32_t)(i / a->target.width);
		}
	}
	/* The tolerance of pictures applies to colours. */
	if (d->pixels > (part == PART_COLOR ? o->allowed : 0)) {
		d->part = part;
	}
}

/* Depth and stencil count only without a tolerance. */
static bool compare_records(const struct diff_options *o, const struct diff_record *a,
		const struct diff_record *b, struct difference *d) {
	const bool is_exact = !o->tolerance && !o->allowed;
	*d = (struct difference){ .part = PART_SAME };
	if (!same_target(&a->target, &b->target) || !a->rgba != !b->rgba ||
			(is_exact && !a->depth != !b->depth)) {
		d->part = PART_TARGET;
		return true;
	}
	if (a->rgba) {
		compare_part(o, PART_COLOR, a, b, d);
	}
	if (d->part == PART_SAME && is_exact && a->depth && b->depth) {
		compare_part(o, PART_DEPTH, a, b, d);
		if (d->part == PART_SAME) { /* 0 where there is none */
			compare_part(o, PART_STENCIL, a, b, d);
		}
	}
	return d->part != PART_SAME;
}

/* ---- The first draw ---- */

struct first_draw {
	bool is_found;
	uint32_t draw;
	bool count_differs; /* one side has fewer draws in the frame */
	uint32_t n_draws[2];
};

/* The first draw from `first` up to n that is beyond the tolerance. */
static int find_beyond(struct diff *d, struct diff_side side[2], uint32_t frame, uint32_t first,
		uint32_t n, struct first_draw *out) {
	int exit = EXIT_FINE;
	while (exit == EXIT_FINE && !out->is_found && first < n) {
		struct diff_records list[2] = { { .r = NULL }, { .r = NULL } };
		for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
			exit = diff_records_take(&list[i], &side[i], frame, first);
		}
		const unsigned both = list[0].n < list[1].n ? list[0].n : list[1].n;
		for (unsigned k = 0; exit == EXIT_FINE && !out->is_found && k < both; k++) {
			struct difference difference;
			out->is_found = compare_records(
					d->o, &list[0].r[k], &list[1].r[k], &difference);
			out->draw = first + k;
		}
		first = both ? first + both : n;
		diff_records_finish(&list[0]);
		diff_records_finish(&list[1]);
	}
	return exit;
}

/* With --every-draw and no tolerance, a difference in a draw's inputs is enough. */
static bool same_marks(const struct diff_options *o, const struct diff_mark *a,
		const struct diff_mark *b) {
	const bool is_exact = !o->tolerance && !o->allowed;
	return XXH128_isEqual(a->drawn, b->drawn) &&
			(!o->every_draw || !is_exact || XXH128_isEqual(a->read, b->read));
}

static int find_draw(
		struct diff *d, struct diff_side side[2], uint32_t frame, struct first_draw *out) {
	struct diff_marks marks[2] = { { .mark = NULL }, { .mark = NULL } };
	int exit = EXIT_FINE;
	*out = (struct first_draw){ .is_found = false };
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		exit = diff_marks_take(&marks[i], &side[i], frame);
		out->n_draws[i] = marks[i].n;
	}
	const uint32_t n = marks[0].n < marks[1].n ? marks[0].n : marks[1].n;
	uint32_t first = 0;
	while (exit == EXIT_FINE && first < n &&
			same_marks(d->o, &marks[0].mark[first], &marks[1].mark[first])) {
		first++;
	}
	diff_marks_finish(&marks[0]);
	diff_marks_finish(&marks[1]);
	out->draw = first;
	out->is_found = first < n;
	out->count_differs = out->n_draws[0] != out->n_draws[1];
	if (exit == EXIT_FINE && out->is_found && (d->o->tolerance || d->o->allowed)) {
		out->is_found = false;
		exit = find_beyond(d, side, frame, first, n, out);
	}
	return exit;
}

/* ---- Telling ---- */

static void print_pixel(
		const char *label, const struct diff_record *r, const struct difference *x) {
	const size_t i = (size_t)x->row * r->target.width + x->x;
	printf("  %s", label);
	if (r->rgba) {
		const uint8_t *px = r->rgba + 4 * i;
		printf(" rgba %u %u %u %u", px[0], px[1], px[2], px[3]);
	}
	if (r->depth) {
		printf(" depth 0x%06" PRIx32 " stencil 0x%02" PRIx32, r->depth[i] & 0xFFFFFF,
				r->depth[i] >> 24);
	}
	putchar('\n');
}

static json_t *pixel_json(const struct diff_record *r, const struct difference *x) {
	const size_t i = (size_t)x->row * r->target.width + x->x;
	json_t *row = json_object();
	if (r->rgba) {
		const uint8_t *px = r->rgba + 4 * i;
		json_object_set_new(row, "rgba", json_pack("[iiii]", px[0], px[1], px[2], px[3]));
	}
	if (r->depth) {
		json_object_set_new(row, "depth", json_integer(r->depth[i] & 0xFFFFFF));
		json_object_set_new(row, "stencil", json_integer(r->depth[i] >> 24));
	}
	return row;
}

/* Prints the origin of the difference, if it is not the draw. */
static bool differs_before(const struct diff *d, const struct diff_view v[2]) {
	struct difference x;
	return compare_records(d->o, &v[0].before, &v[1].before, &x);
}

/* Prints the first difference, then both states, most of whose lines are equal. */
static void print_states(const struct diff *d, const struct diff_view v[2]) {
	const struct snapshot *a = &v[0].state, *b = &v[1].state;
	if (memcmp(&a->state, &b->state, sizeof(a->state)) == 0) {
		fputs("\nA and B, ", stdout);
		diff_print_state(d, a);
		return;
	}
	fputs("\nA, ", stdout);
	snapshot_title(a, stdout);
	fputs("B, ", stdout);
	snapshot_title(b, stdout);
	puts("\nstates, from A to B");
	if (snapshot_diff_text(a, b, SNAPSHOT_ALL, stdout) == 0) {
		puts("no difference in registers, programs, uniforms and fixed attributes");
	}
	if (!d->o->brief) {
		puts("\nboth states, A and B mark what one has alone");
		if (snapshot_both_text(a, b, stdout) < 0) {
			log_line("%s", strerror(ENOMEM));
		}
	}
}

static void print_draw(
		const struct diff *d, const struct diff_view v[2], const struct difference *x) {
	const bool has_pixel = x->part != PART_TARGET && x->part != PART_SAME;
	if (x->part == PART_SAME) {
		printf("draw %" PRIu32 " is the first that reads other memory, which does not show",
				v[0].state.draw.draw);
	} else {
		printf("draw %" PRIu32 " is the first after which %s differs",
				v[0].state.draw.draw,
				x->part == PART_TARGET ? "the target" : part_names[x->part]);
	}
	if (has_pixel) {
		printf(": %" PRIu64 " pixel%s, first at column %" PRIu32 ", row %" PRIu32
		       " in memory",
				x->pixels, plural(x->pixels), x->x, x->row);
	}
	putchar('\n');
	if (has_pixel) {
		print_pixel("A", &v[0].after, x);
		print_pixel("B", &v[1].after, x);
	}
	if (has_pixel && differs_before(d, v)) {
		puts("  it differs in front of this draw already: by a fill, a transfer, a load or an earlier frame");
	}
	json_t *reads = reads_diff_json(&v[0].reads, &v[1].reads);
	reads_diff_text(reads);
	json_decref(reads);
	print_states(d, v);
}

static json_t *draw_json(
		const struct diff *d, const struct diff_view v[2], const struct difference *x) {
	json_t *row = json_pack("{sI ss sb}", "draw", (json_int_t)v[0].state.draw.draw, "part",
			part_names[x->part], "differs_before", differs_before(d, v));
	json_object_set_new(row, "reads", reads_diff_json(&v[0].reads, &v[1].reads));
	if (x->part != PART_TARGET && x->part != PART_SAME) {
		json_object_set_new(row, "pixels", json_integer((json_int_t)x->pixels));
		json_object_set_new(row, "first",
				json_pack("{sI sI so so}", "column", (json_int_t)x->x, "row",
						(json_int_t)x->row, "a", pixel_json(&v[0].after, x),
						"b", pixel_json(&v[1].after, x)));
	}
	json_object_set_new(row, "a", snapshot_json(&v[0].state, SNAPSHOT_ALL));
	json_object_set_new(row, "b", snapshot_json(&v[1].state, SNAPSHOT_ALL));
	json_object_set_new(row, "state_differences",
			snapshot_diff_json(&v[0].state, &v[1].state, SNAPSHOT_ALL));
	return row;
}

static int write_draw(struct diff *d, const struct diff_view v[2]) {
	struct picture a = { 0 }, b = { 0 };
	int ret = diff_record_picture(&v[0].after, &a);
	ret = ret < 0 ? ret : diff_record_picture(&v[1].after, &b);
	if (ret < 0) {
		log_line("%s", strerror(-ret));
	}
	int exit = ret == 0 && diff_write(d, "draw", &a, &b) ? EXIT_FINE : EXIT_TROUBLE;
	picture_finish(&a);
	picture_finish(&b);
	return exit;
}

static int report_draw(struct diff *d, struct diff_side side[2], uint32_t frame, uint32_t draw) {
	struct diff_view *v = calloc(2, sizeof(*v));
	int exit = v ? EXIT_FINE : diff_side_failed(&side[0], -ENOMEM);
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		exit = diff_view_take(&v[i], &side[i], frame, draw);
	}
	struct difference x;
	if (exit == EXIT_FINE) {
		compare_records(d->o, &v[0].after, &v[1].after, &x);
		if (d->report) {
			json_object_set_new(d->report, "draw", draw_json(d, v, &x));
		} else {
			print_draw(d, v, &x);
		}
		exit = write_draw(d, v);
	}
	for (unsigned i = 0; v && i < 2; i++) {
		diff_view_finish(&v[i]);
	}
	free(v);
	return exit;
}

/* ---- Frames ---- */

static int report_frame(struct diff *d, uint32_t frame, enum shown_view view,
		const struct shown s[2],
		const struct diff_result *r) {
	const struct picture *a = &s[0].picture[view], *b = &s[1].picture[view];
	if (d->report) {
		json_t *row = s[0].is_set[view] &&
				s[1].is_set[view] ? diff_json(r) : json_pack("{sb sb}", "a_is_set",
				s[0].is_set[view], "b_is_set", s[1].is_set[view]);
		json_object_set_new(row, "frame", json_integer(frame));
		json_object_set_new(row, "screen", json_string(shown_name(view)));
		json_object_set_new(d->report, "first", row);
	} else {
		printf("frame %" PRIu32 " is the first that differs, screen %s: ", frame,
				shown_name(view));
		if (s[0].is_set[view] && s[1].is_set[view]) {
			diff_print(r, a, b);
		} else {
			printf("only %s shows it\n", s[0].is_set[view] ? "A" : "B");
		}
	}
	return diff_write(d, "frame", a, b) ? EXIT_FINE : EXIT_TROUBLE;
}

/* Compares the screens; *differs: set and printed if they differ. */
static int compare_frame(struct diff *d, struct diff_side side[2], uint32_t frame, bool *differs) {
	struct shown s[2];
	int exit = EXIT_FINE;
	memset(s, 0, sizeof(s));
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		int ret = shown_take(&s[i], side[i].ctx);
		if (ret == 0) {
			shown_take_buffer(&s[i], side[i].ctx);
		}
		exit = ret < 0 ? diff_side_failed(&side[i], ret) : EXIT_FINE;
	}
	for (unsigned view = 0; exit == EXIT_FINE && !*differs && view < SHOWN_COUNT; view++) {
		struct diff_result r = { .differs = s[0].is_set[view] != s[1].is_set[view] };
		if (s[0].is_set[view] && s[1].is_set[view]) {
			diff_compare(d->o, &s[0].picture[view], &s[1].picture[view], &r);
		}
		if (r.differs) {
			*differs = true;
			exit = report_frame(d, frame, view, s, &r);
		}
	}
	shown_finish(&s[0]);
	shown_finish(&s[1]);
	return exit;
}

/* After all draws of a frame; *found: set and printed if one differs. */
static int compare_draws(struct diff *d, struct diff_side side[2], uint32_t frame, bool *found) {
	struct first_draw first;
	int exit = find_draw(d, side, frame, &first);
	if (exit != EXIT_FINE) {
		return exit;
	}
	*found = first.is_found || first.count_differs;
	if (*found && d->report) {
		json_object_set_new(d->report, "frame", json_integer(frame));
	} else if (*found) {
		printf("frame %" PRIu32 ": ", frame);
	}
	if (!first.is_found && first.count_differs && d->report) {
		json_object_set_new(d->report, "draws",
				json_pack("[II]", (json_int_t)first.n_draws[0],
						(json_int_t)first.n_draws[1]));
	} else if (!first.is_found && first.count_differs) {
		printf("A has %" PRIu32 " draws, B has %" PRIu32 ", the common ones are the same\n",
				first.n_draws[0], first.n_draws[1]);
	}
	return first.is_found ? report_draw(d, side, frame, first.draw) : EXIT_FINE;
}

/* Screens of all frames, in step; *frame is the first that differs. */
static int find_frame(struct diff *d, struct diff_side side[2], uint32_t n_frames, bool *differs,
		uint32_t *frame) {
	static const struct step_visitor nobody;
	const uint32_t first = frame_list_first(&d->o->frames, n_frames);
	const uint32_t end = frame_list_end(&d->o->frames, n_frames);
	int exit = EXIT_FINE;
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		int ret = diff_side_restart(&side[i], first, &nobody, NULL);
		exit = ret < 0 ? diff_side_failed(&side[i], ret) : EXIT_FINE;
	}
	const uint64_t at[2] = { side[0].step.replay.frames, side[1].step.replay.frames };
	for (uint32_t f = (uint32_t)(at[0] < at[1] ? at[0] : at[1]);
			exit == EXIT_FINE && !*differs && f <= end; f++) {
		for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
			if (f < at[i]) {
				continue;
			}
			int ret = step_frame(&side[i].step, false);
			ret = ret < 0 ? ret : replay_wait(&side[i].step.replay);
			exit = ret < 0 ? diff_side_failed(&side[i], ret) : EXIT_FINE;
		}
		if (exit == EXIT_FINE && frame_list_has(&d->o->frames, n_frames, f)) {
			exit = compare_frame(d, side, f, differs);
			*frame = f;
		}
		log_progress(side[0].name, f + 1, end + 1);
	}
	return exit;
}

static int compare(struct diff *d, struct diff_side side[2]) {
	const uint32_t n =
			side[0].n_frames < side[1].n_frames ? side[0].n_frames : side[1].n_frames;
	const uint32_t end = frame_list_end(&d->o->frames, n);
	uint32_t frame = 0;
	const bool has_draws = side[0].chip == PICA_CHIP_PICA200; /* that can be run one by one */
	bool found = false;
	int exit = EXIT_FINE;
	if (side[0].chip != side[1].chip) {
		return log_fail("%s: a capture of a %s: expected one of a %s, as %s", side[1].path,
				pica_chip_name(side[1].chip), pica_chip_name(side[0].chip),
				side[0].path);
	}
	if (d->o->every_draw && !has_draws) {
		return log_fail("--every-draw: %s: a capture of a %s: expected one of a pica200",
				side[0].path, pica_chip_name(side[0].chip));
	}
	if (end >= n) {
		return log_fail("frame %" PRIu32 ": no such frame: the last one of both is %" PRIu32,
				end, n - 1);
	}
	if (d->o->every_draw) {
		for (uint32_t f = 0; exit == EXIT_FINE && !found && f < n; f++) {
			if (frame_list_has(&d->o->frames, n, f)) {
				exit = compare_draws(d, side, f, &found);
			}
			log_progress(side[0].name, f + 1, n);
		}
		d->differs = found;
	}
	if (exit == EXIT_FINE && !found) {
		exit = find_frame(d, side, n, &d->differs, &frame);
		if (exit == EXIT_FINE && d->differs && !d->o->every_draw && has_draws) {
			exit = compare_draws(d, side, frame, &found);
		}
		if (exit == EXIT_FINE && d->differs && !found && has_draws && !d->report) {
			puts("no draw of this frame differs: look at fills, transfers, loads, display registers, "
			     "earlier frames");
		}
	}
	if (exit == EXIT_FINE && side[0].n_frames != side[1].n_frames) {
		d->differs = true;
		if (!d->report) {
			printf("A has %" PRIu32 " frame%s, B has %" PRIu32 "\n", side[0].n_frames,
					plural(side[0].n_frames), side[1].n_frames);
		}
	}
	if (exit == EXIT_FINE && !d->report && !d->differs) {
		puts("no difference");
	}
	json_object_set_new(d->report, "frames", json_pack("[II]", (json_int_t)side[0].n_frames,
			(json_int_t)side[1].n_frames));
	return exit;
}

int diff_captures(struct diff *d) {
	const struct diff_options *o = d->o;
	struct diff_side side[2] = { { .path = NULL }, { .path = NULL } };
	int exit = EXIT_FINE;
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		exit = diff_side_open(&side[i], o->path[i < o->n_paths ? i : 0], &o->engine[i]);
	}
	if (exit == EXIT_FINE) {
		exit = compare(d, side);
	}
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		exit = replay_job_failed(&side[i].step.replay, side[i].path);
	}
	diff_side_close(&side[0]);
	diff_side_close(&side[1]);
	return exit;
}
