/* Feeds every file of the given folders to a fuzz target: replay FOLDER... */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

static int is_input(const struct dirent *entry) {
	return entry->d_name[0] != '.';
}

/* Passes the bytes in a block of exactly their size, so that sanitizers detect reads beyond it. */
static void replay_file(const char *folder, const char *name) {
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "rb");
	long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	uint8_t *data = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;
	if (!data || fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
}

int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		struct dirent **entries;
		int n = scandir(argv[i], &entries, is_input, alphasort);
		if (n <= 0) {
			fprintf(stderr, "%s: %s\n", argv[i], n < 0 ? strerror(errno) : "no inputs");
			return 2;
		}
		for (int k = 0; k < n; k++) {
			replay_file(argv[i], entries[k]->d_name);
			free(entries[k]);
		}
		free(entries);
		printf("%s: %d inputs\n", argv[i], n);
	}
	return 0;
}
