#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Text of these letters needs no quotes in a shell. */
static const char plain_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./,:@%";

char *command_line(const char *program, int argc, char **argv) {
	char *text = NULL, *line;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f) {
		return NULL;
	}
	fputs(program, f);
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		const bool is_plain = *arg && strspn(arg, plain_letters) == strlen(arg);
		fputs(is_plain ? " " : " '", f);
		for (; *arg; arg++) {
			fputs(*arg == '\'' ? "'\\''" : (char[]){ *arg, '\0' }, f);
		}
		fputs(is_plain ? "" : "'", f);
	}
	fclose(f);
	line = text ? json_utf8(text) : NULL;
	free(text);
	return line;
}
