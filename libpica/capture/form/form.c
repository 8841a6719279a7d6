#include "capture/form/form.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int capture_fail(const struct capture_source *source, struct pica_capture_error *err, int code,
		uint64_t offset, const char *fmt, ...) {
	if (!err) {
		return code;
	}
	*err = (struct pica_capture_error){
		.code = code,
		.is_decompressed = source->is_decompressed && offset != UINT64_MAX,
		.offset = offset == UINT64_MAX ? 0 : offset,
		.has_offset = offset != UINT64_MAX,
	};
	/* Truncates a long name, so that the text fits after it. */
	int len = snprintf(err->message, PICA_CAPTURE_MESSAGE / 2, "%s: ", source->name);
	size_t at = len < PICA_CAPTURE_MESSAGE / 2 ? (size_t)len : PICA_CAPTURE_MESSAGE / 2 - 1;
	if (offset != UINT64_MAX) {
		at += (size_t)snprintf(err->message + at, sizeof(err->message) - at,
				"%sbyte 0x%" PRIX64 ": ",
				source->is_decompressed ? "decompressed " : "", offset);
	}
	err->reason = (uint32_t)at;
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->message + at, sizeof(err->message) - at, fmt, args);
	va_end(args);
	return code;
}

int capture_init(struct pica_capture *c, const struct capture_form *form,
		const struct capture_source *source) {
	c->form = form;
	c->name = strdup(source->name);
	c->source = (struct capture_source){ c->name, source->is_decompressed };
	return c->name ? 0 : -ENOMEM;
}

bool capture_add_missing(struct pica_capture *c, const struct pica_capture_lack *lack) {
	unsigned at = 0;
	while (at < c->n_lacks && c->lack[at].what < lack->what) {
		at++;
	}
	if (!lack->what || (lack->what & (lack->what - 1)) || !lack->count ||
			(at < c->n_lacks && c->lack[at].what == lack->what)) {
		return false;
	}
	memmove(&c->lack[at + 1], &c->lack[at], (c->n_lacks - at) * sizeof(*lack));
	c->lack[at] = *lack;
	c->n_lacks++;
	c->info.missing |= lack->what;
	return true;
}
