/* Lines of the log: a value cannot break out of its quotes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "service/logfmt.h"
#include "tests/suite.h"

static char line[256];

static void say(size_t size, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(size_t size, const char *fmt, ...) {
	va_list args;
	memset(line, '#', sizeof(line));
	va_start(args, fmt);
	logfmt_line(line, size, fmt, args);
	va_end(args);
	for (size_t i = size; i < sizeof(line); i++) {
		ck_assert_int_eq(line[i], '#');
	}
}

FORKED_TESTS

TEST(values_are_escaped) {
	say(256, "event=x name=\"%s\" path=\"a/%s\" n=%d", "a \"b\" \\c", "1\n2\r3\t4\x1B[m\x7F", -5);
	ck_assert_str_eq(line,
			"event=x name=\"a \\\"b\\\" \\\\c\" path=\"a/1\\n2\\r3\\t4\\x1b[m\\x7f\" n=-5");
	say(256, "bare=%s text=\"\xC3\xA4 %s %%\"", "word", "\xC3\xBC");
	ck_assert_str_eq(line, "bare=word text=\"\xC3\xA4 \xC3\xBC %\"");
}

TEST(numbers_are_as_of_printf) {
	say(256, "%d %u %x %ld %lu %lld %llu %zu %03u %08x", -1, 4000000000u, 0xABCDu, -2L, 3ul,
			(long long)INT64_MIN, (unsigned long long)UINT64_MAX, (size_t)7, 42u,
			0xBEEFu);
	ck_assert_str_eq(line,
			"-1 4000000000 abcd -2 3 -9223372036854775808 18446744073709551615 7 042 0000beef");
}

/* Whatever is cut: the quote is closed, and every escape complete. */
TEST(long_lines_end_well) {
	char whole[256];
	say(256, "k=\"%s\" n=%u more=\"%s\"", "a\nb\x01", 12345u, "\"\"");
	snprintf(whole, sizeof(whole), "%s", line);
	for (size_t size = 8; size <= strlen(whole) + 8; size++) {
		say(size, "k=\"%s\" n=%u more=\"%s\"", "a\nb\x01", 12345u, "\"\"");
		unsigned quotes = 0;
		for (const char *p = line; *p; p++) {
			ck_assert(*p != '\\' || p[1] != 0);
			quotes += *p == '"';
			p += *p == '\\';
		}
		ck_assert_msg(quotes % 2 == 0, "%zu: %s", size, line);
		ck_assert(strcmp(line, whole) == 0 || strstr(line, "..."));
	}
	ck_assert_str_eq(line, whole);
}
