/* Opening a container: header, index or scan, INFO, EXPT, the first key. */
#include "capture/container/box.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <unistd.h>

/* ---- Header ---- */

static int header_fail(
		const struct box *b, struct pica_capture_error *err, int code, const char *why) {
	return capture_fail(&b->base.source, err, code, 0, "header: %s", why);
}

static int read_header(struct box *b, struct pica_capture_error *err) {
	struct box_header *h = &b->header;
	uint8_t hash[16];
	if (b->file.size < BOX_HEADER) {
		return header_fail(b, err, -EINVAL, "the file ends inside of it");
	}
	int ret = box_read(&b->file, 0, h, BOX_HEADER);
	if (ret < 0) {
		return header_fail(b, err, ret, strerror(-ret));
	}
	box_hash(h, offsetof(struct box_header, hash), hash);
	if (!box_is(h->magic, BOX_MAGIC_BYTES) || memcmp(hash, h->hash, sizeof(hash)) != 0) {
		return header_fail(b, err, -EINVAL, "damaged: its hash is not that of its bytes");
	}
	if (h->min_reader > BOX_VERSION) {
		return capture_fail(&b->base.source, err, -EOPNOTSUPP,
				offsetof(struct box_header, min_reader),
				"header: needs a reader of version %" PRIu32 ", this is version %d",
				h->min_reader, BOX_VERSION);
	}
	if (h->features) {
		return header_fail(b, err, -EOPNOTSUPP, "needs features that are not known");
	}
	if (h->max_chunk > BOX_MAX_CHUNK || h->blob_bytes > BOX_MAX_BLOB_BYTES ||
			h->window_bytes > BOX_MAX_WINDOW_BYTES || h->max_chunks > BOX_MAX_CHUNKS) {
		return header_fail(b, err, -EFBIG,
				"declares more than 1 GiB in a chunk, 4 GiB of data, "
				"1 GiB of memory or 16 Mi chunks");
	}
	return 0;
}

/* Reads a file whose header is damaged. */
static void lenient_header(struct box *b) {
	b->header = (struct box_header){
		.version = BOX_VERSION,
		.max_chunk = BOX_MAX_CHUNK,
		.blob_bytes = BOX_MAX_BLOB_BYTES,
		.window_bytes = BOX_MAX_WINDOW_BYTES,
		.max_chunks = BOX_MAX_CHUNKS,
	};
}

/* ---- INFO ---- */

static const enum pica_capture_form sources[] = { PICA_CAPTURE_PICA, PICA_CAPTURE_CTF_2015_04,
	PICA_CAPTURE_CTF_2015_05, PICA_CAPTURE_CTF_BYTES };

static const char *take_windows(struct box *b, const uint8_t *payload, uint32_t n) {
	struct pica_capture *c = &b->base;
	uint64_t end = 0, total = 0;
	c->windows = calloc(n ? n : 1, sizeof(*c->windows));
	for (uint32_t i = 0; c->windows && i < n; i++) {
		struct box_window w;
		memcpy(&w, payload + sizeof(struct box_info) + i * sizeof(w), sizeof(w));
		if (((w.phys | w.size) & 4095) || !w.size || w.phys < end || w.reserved ||
				w.flags || (uint64_t)w.phys + w.size > UINT64_C(1) << 32) {
			return "windows are not ascending whole pages";
		}
		end = (uint64_t)w.phys + w.size;
		total += w.size;
		c->windows[i] = (struct pica_window){ .phys = w.phys, .size_bytes = w.size };
	}
	c->n_windows = n;
	return total > b->header.window_bytes ? "more memory than the header declares" : NULL;
}

static const char *take_info(struct box *b, const uint8_t *payload, uint64_t size) {
	struct box_info info;
	struct pica_capture *c = &b->base;
	if (size < sizeof(info)) {
		return "too short";
	}
	memcpy(&info, payload, sizeof(info));
	if (info.n_windows > BOX_MAX_WINDOWS ||
			size != sizeof(info) + info.n_windows * sizeof(struct box_window)) {
		return "its size is not that of its windows";
	}
	if (info.source >= ARRAY_LEN(sources) || info.float_mode > PICA_FLOAT_F32 ||
			info.combiner > PICA_COMBINER_TRUNCATE || info.reserved) {
		return "unknown source or mode";
	}
	c->info.source = sources[info.source];
	c->info.missing = info.missing;
	c->info.first_frame = info.first_frame;
	c->info.float_mode = (enum pica_float)info.float_mode;
	c->info.combiner = (enum pica_combiner)info.combiner;
	memcpy(c->info.title, info.title, sizeof(info.title) - 1);
	memcpy(c->info.tool, info.tool, sizeof(info.tool) - 1);
	c->budgets = (struct pica_budgets){
		.list_words = info.budgets[0],
		.list_jumps = info.budgets[1],
		.vertices = info.budgets[2],
		.shader_steps = info.budgets[3],
		.pixels = info.budgets[4],
		.job_steps = info.budgets[5],
	};
	return take_windows(b, payload, info.n_windows);
}

/* The defaults, if INFO and its copy are lost: no other chunk records the size of memory. */
static const char *usual_info(struct box *b) {
	struct pica_capture_writer_settings usual;
	pica_capture_writer_settings_init(&usual);
	struct pica_capture *c = &b->base;
	uint64_t total = 0;
	c->windows = calloc(usual.n_windows, sizeof(*c->windows));
	for (uint32_t i = 0; c->windows && i < usual.n_windows; i++) {
		c->windows[i] = usual.windows[i];
		total += usual.windows[i].size_bytes;
	}
	c->n_windows = usual.n_windows;
	c->info.source = PICA_CAPTURE_PICA;
	return b->header.window_bytes == total || b->header.window_bytes == BOX_MAX_WINDOW_BYTES ?
			NULL :
			"it is damaged, has no copy, and alone knows where the memory lies";
}

/* If INFO itself is damaged; *why: the fault of the remaining copies. */
static int read_other_info(struct box *b, const char **why, struct pica_capture_error *note) {
	for (uint64_t i = b->n_entries; i-- > 0;) {
		uint8_t *payload;
		if (b->entry[i].fourcc != BOX_INFC) {
			continue;
		}
		int ret = box_load(b, i, &payload, note);
		if (ret < 0) {
			return ret;
		}
		*why = take_info(b, payload, b->entry[i].plain);
		free(payload);
		box_fail(&b->base.source, note, -EINVAL, BOX_INFO, 0, b->entry[0].offset,
				"it is damaged; its copy is taken, chunk %" PRIu64, i);
		return 0;
	}
	*why = usual_info(b);
	box_fail(&b->base.source, note, -EINVAL, BOX_INFO, 0, b->entry[0].offset,
			"it is damaged and has no copy; taken are the usual memory, budgets and "
			"arithmetic, and nothing is known of what the capture lacks");
	return 0;
}

/* *note: the replacement of a damaged INFO. */
static int read_info(
		struct box *b, struct pica_capture_error *err, struct pica_capture_error *note) {
	uint8_t *payload;
	const char *why = NULL;
	int ret;
	if (b->no_info) {
		ret = read_other_info(b, &why, note);
	} else {
		ret = box_load(b, 0, &payload, err);
		if (ret == 0) {
			why = take_info(b, payload, b->entry[0].plain);
			free(payload);
		}
	}
	if (ret < 0) {
		return ret;
	}
	if (!b->base.windows && !why) {
		return capture_no_memory(&b->base.source, err);
	}
	return why ? box_fail(&b->base.source, err, -EINVAL, BOX_INFO, 0, b->entry[0].offset, "%s",
				     why) :
		     0;
}

/* ---- EXPT ---- */

static int compare_expected(const void *x, const void *y) {
	const struct pica_expected *a = x, *b = y;
	uint64_t p = (uint64_t)a->frame << 32 | a->screen << 1 | a->eye;
	uint64_t q = (uint64_t)b->frame << 32 | b->screen << 1 | b->eye;
	return p < q ? -1 : p > q;
}

static int take_expected(struct box *b, const uint8_t *payload, struct pica_capture_error *err) {
	struct pica_capture *c = &b->base;
	struct box_list head;
	memcpy(&head, payload, sizeof(head));
	struct pica_expected *grown =
			realloc(c->expected, ((size_t)c->n_expected + head.n + 1) * sizeof(*grown));
	if (!grown) {
		return capture_no_memory(&c->source, err);
	}
	c->expected = grown;
	for (uint32_t i = 0; i < head.n; i++) {
		struct box_expected e;
		memcpy(&e, payload + sizeof(head) + i * sizeof(e), sizeof(e));
		if (e.frame < b->first_frame || e.frame - b->first_frame >= b->index.n_frames) {
			continue; /* recovered: the frame is lost */
		}
		struct pica_expected *to = &c->expected[c->n_expected++];
		*to = (struct pica_expected){ .frame = e.frame - b->first_frame,
			.screen = e.screen, .eye = e.eye, .width = e.width, .height = e.height };
		memcpy(to->hash, e.hash, sizeof(to->hash));
	}
	return 0;
}

/* ---- LACK ---- */

static const char *read_missing(struct box *b, uint64_t entry, const uint8_t *payload) {
	struct box_list head;
	const char *why = box_check_list(b, entry, payload, sizeof(struct box_lack), &head);
	if (why) {
		return why;
	}
	for (uint32_t i = 0; i < head.n; i++) {
		struct box_lack l;
		memcpy(&l, payload + sizeof(head) + i * sizeof(l), sizeof(l));
		const struct pica_capture_lack lack = { l.what, l.first, l.count };
		if (!capture_add_missing(&b->base, &lack)) {
			return "not one bit, or one that was there, or none of it";
		}
	}
	return NULL;
}

/* Reads all expected pictures, then all missing parts. */
static int read_lists(struct box *b, struct pica_capture_error *err) {
	static const uint32_t lists[] = { BOX_EXPT, BOX_LACK };
	int ret = 0;
	for (uint64_t k = 0; k < ARRAY_LEN(lists) * b->n_entries && ret == 0; k++) {
		const uint32_t fourcc = lists[k / b->n_entries];
		const uint64_t i = k % b->n_entries;
		uint8_t *payload;
		if (b->entry[i].fourcc != fourcc) {
			continue;
		}
		ret = box_load(b, i, &payload, err);
		if (ret < 0) {
			break;
		}
		const char *why = fourcc == BOX_LACK ? read_missing(b, i, payload) :
				box_check_expected(b, i, payload);
		if (why) {
			ret = box_wrong(b, i, err, why);
		} else if (fourcc == BOX_EXPT) {
			ret = take_expected(b, payload, err);
		}
		free(payload);
	}
	if (b->base.n_expected) {
		qsort(b->base.expected, b->base.n_expected, sizeof(*b->base.expected),
				compare_expected);
	}
	return ret;
}

/* ---- All of it ---- */

static void finish(struct pica_capture *c) {
	struct box *b = (struct box *)c;
	box_place_finish(&b->place);
	for (uint64_t i = 0; i < b->n_packs; i++) {
		free(b->pack[i].payload);
	}
	free(b->pack);
	free(b->entry);
	free(b->file.owned);
	if (b->file.fd >= 0) {
		close(b->file.fd);
	}
}

static const struct capture_form box_form = {
	.next = box_next, .seek = box_seek, .verify = box_verify, .finish = finish
};

static void fill_info(struct box *b) {
	struct pica_capture_info *info = &b->base.info;
	info->form = PICA_CAPTURE_PICA;
	info->first_frame += b->first_frame;
	info->version = b->header.version;
	info->elements = (uint32_t)(b->n_events < UINT32_MAX ? b->n_events : UINT32_MAX);
	info->frames = b->index.n_frames;
	info->all_frames = b->all_frames;
	info->loads = (uint32_t)b->index.n_writes;
	info->reg_writes = (uint32_t)b->index.n_regs;
	info->lists = (uint32_t)b->index.n_lists;
	info->load_bytes = b->index.write_bytes;
	info->tail_elements = (uint32_t)b->index.n_tail;
	for (uint64_t i = 0; i < b->n_entries; i++) {
		info->keys += b->entry[i].fourcc == BOX_KEYF;
	}
}

/*
 * Finds the chunks by the index, or without it. Returns BOX_LOST_* if some are lost, with the loss
 * in err.
 */
static int find_chunks(
		struct box *b, const struct box_rescue *rescue, struct pica_capture_error *err) {
	struct pica_capture_error first = { 0 };
	int ret = read_header(b, &first);
	if (ret < 0 &&
			(!rescue || ret == -EOPNOTSUPP || ret == -EFBIG ||
					b->file.size < BOX_HEADER)) {
		goto fail;
	}
	bool lost = ret < 0;
	if (lost) {
		lenient_header(b);
	}
	ret = box_read_index(b, lost ? NULL : &first);
	if (ret == 0 && rescue) {
		/* The end is intact; check the part before it. */
		struct pica_capture_error damage;
		ret = box_recover(b, rescue->frame, &damage);
		if (ret != 0) {
			first = damage;
		}
		if (ret < 0) {
			goto fail;
		}
		lost |= ret > 0;
	}
	if (ret >= 0) {
		if (lost && err) {
			*err = first;
		}
		return ret == 0 && lost ? BOX_LOST_OTHER : ret;
	}
	if (ret == -ENOMEM || ret == -EOPNOTSUPP) {
		goto fail;
	}
	/* Find the damaged chunk. */
	struct pica_capture_error at;
	int found = box_scan(b, &at);
	if (found < 0) {
		first = at;
		ret = found;
	}
	if (!rescue || found == -ENOMEM) {
		goto fail;
	}
	if (rescue->frame && *rescue->frame >= b->index.n_frames) {
		goto fail; /* it comes after the damage */
	}
	box_drop_partial_key(b);
	if (err) {
		*err = first;
	}
	return 1;

fail:
	if (err) {
		*err = first;
	}
	return ret;
}

int box_open(struct pica_capture **out, const struct box_file *file,
		const struct box_rescue *rescue, const struct capture_source *source,
		struct pica_capture_error *err) {
	struct box *b = calloc(1, sizeof(*b));
	if (!b) {
		return capture_no_memory(source, err);
	}
	b->file = *file;
	b->first_key = 1;
	struct pica_capture_error later = { 0 }, note = { 0 };
	int lost = 0;
	int ret = capture_init(&b->base, &box_form, source);
	if (ret < 0) {
		capture_no_memory(source, err);
	} else {
		lost = ret = find_chunks(b, rescue, err);
	}
	ret = ret < 0 ? ret : box_check_entries(b, &later);
	ret = ret < 0 ? ret : read_info(b, &later, &note);
	if (ret >= 0 && b->no_info && err) {
		*err = note; /* INFO is the first chunk that is damaged */
	}
	ret = ret < 0 ? ret : read_lists(b, &later);
	ret = ret < 0 ? ret : box_go_to_key(b, b->first_key, &later);
	if (ret < 0) {
		if (later.code && err && lost <= 0) {
			*err = later;
		} else if (later.code && err) {
			/* nothing is left before the damage named by err */
			err->code = later.code;
		}
		b->file.fd = -1; /* the caller's, as b->file.owned is */
		b->file.owned = NULL;
		pica_capture_close(&b->base);
		return ret;
	}
	fill_info(b);
	if (lost == BOX_LOST_END) {
		b->base.info.missing |= PICA_CAPTURE_LOST_END;
	}
	*out = &b->base;
	return lost != 0;
}
