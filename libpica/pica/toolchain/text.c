/* A growing string, and what several files write into one. */
#include "pica/toolchain/asm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_printf(struct text *t, const char *format, ...) {
	if (t->failed) {
		return;
	}
	va_list args;
	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0) {
		t->failed = true;
		return;
	}
	size_t need = t->len + (size_t)n + 1;
	if (need > t->cap) {
		size_t cap = need * 2;
		char *p = realloc(t->p, cap);
		if (!p) {
			t->failed = true;
			return;
		}
		t->p = p;
		t->cap = cap;
	}
	va_start(args, format);
	vsnprintf(t->p + t->len, t->cap - t->len, format, args);
	va_end(args);
	t->len += (size_t)n;
}

void asm_mask_letters(char out[6], unsigned mask) {
	unsigned n = 0;
	out[n++] = '.';
	for (unsigned k = 0; k < 4; k++) {
		if (mask >> k & 1) {
			out[n++] = "xyzw"[k];
		}
	}
	out[n] = '\0';
}
