/*
 * Preloaded: allocation number FAILMALLOC fails, which a line on stderr reports. Those of
 * libseccomp never fail: out of memory it omits rules from filters, or reads address 0.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the C library, which has them under a second name each. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_ulong calls;
static unsigned long fail_at = ~0ul;

__attribute__((constructor)) static void begin(void) {
	const char *at = getenv("FAILMALLOC");
	fail_at = at ? strtoul(at, NULL, 10) : ~0ul;
	atomic_store(&calls, 0);
}

static int fails(void *caller) {
	Dl_info from;
	if (dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "libseccomp")) {
		return 0;
	}
	if (atomic_fetch_add(&calls, 1) != fail_at) {
		return 0;
	}
	static const char said[] = "failmalloc\n";
	const ssize_t n = write(2, said, sizeof(said) - 1);
	(void)n;
	errno = ENOMEM;
	return 1;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size) {
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size) {
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t size) {
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

EXPORT void *aligned_alloc(size_t align, size_t size) {
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
}
