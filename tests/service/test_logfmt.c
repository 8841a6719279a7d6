/* Lines of the log: what is in a value stays in it. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/logfmt.h"

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

START_TEST(values_are_escaped) {
	say(256, "event=x name=\"%s\" path=\"a/%s\" n=%d", "a \"b\" \\c", "1\n2\r3\t4\x1B[m\x7F", -5);
	ck_assert_str_eq(line,
			"event=x name=\"a \\\"b\\\" \\\\c\" path=\"a/1\\n2\\r3\\t4\\x1b[m\\x7f\" n=-5");
	say(256, "bare=%s text=\"\xC3\xA4 %s %%\"", "word", "\xC3\xBC");
	ck_assert_str_eq(line, "bare=word text=\"\xC3\xA4 \xC3\xBC %\"");
}
END_TEST

START_TEST(numbers_are_as_of_printf) {
	say(256, "%d %u %x %ld %lu %lld %llu %zu %03u %08x", -1, 4000000000u, 0xABCDu, -2L, 3ul,
			(long long)INT64_MIN, (unsigned long long)UINT64_MAX, (size_t)7, 42u,
			0xBEEFu);
	ck_assert_str_eq(line,
			"-1 4000000000 abcd -2 3 -9223372036854775808 18446744073709551615 7 042 0000beef");
}
END_TEST

/* Whatever does not fit: the quote is closed, nothing is cut in the middle of an escape. */
START_TEST(long_lines_end_well) {
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
END_TEST

int main(void) {
	Suite *suite = suite_create("logfmt");
	TCase *t = tcase_create("logfmt");
	tcase_add_test(t, values_are_escaped);
	tcase_add_test(t, numbers_are_as_of_printf);
	tcase_add_test(t, long_lines_end_well);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
