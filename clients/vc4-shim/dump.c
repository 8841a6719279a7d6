#include "dump.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = 4096 };

/* Pages of zeros become holes. */
static int write_memory(FILE *f, const uint8_t *memory, uint32_t size_bytes) {
	static const uint8_t zeros[PAGE];
	for (uint32_t at = 0; at < size_bytes; at += PAGE) {
		const bool is_last = at + PAGE >= size_bytes;
		if (!is_last && memcmp(memory + at, zeros, PAGE) == 0) {
			if (fseek(f, PAGE, SEEK_CUR) < 0) {
				return -errno;
			}
		} else if (fwrite(memory + at, PAGE, 1, f) != 1) {
			return -EIO;
		}
	}
	return 0;
}

static FILE *create(const char *folder, uint64_t number, const char *name) {
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%04" PRIu64, folder, number);
	if (n < 0 || (size_t)n + strlen(name) + 2 > sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	if (mkdir(path, 0777) < 0 && errno != EEXIST) {
		return NULL;
	}
	path[n] = '/';
	strcpy(path + n + 1, name);
	return fopen(path, "wbe");
}

int dump_job(const char *folder, const uint8_t *memory, uint32_t base, const struct kernel_job *j) {
	FILE *f = create(folder, j->number, "memory.bin");
	if (!f) {
		return -errno;
	}
	int ret = write_memory(f, memory, j->used_bytes);
	if (fclose(f) != 0 && ret == 0) {
		ret = -EIO;
	}
	f = ret < 0 ? NULL : create(folder, j->number, "job.txt");
	if (!f) {
		return ret < 0 ? ret : -errno;
	}
	static const char *const formats[4] = { "bgr565-dithered", "rgba8888", "bgr565",
		"reserved" };
	static const char *const layouts[4] = { "raster", "t", "lt", "reserved" };
	fprintf(f, "base 0x%08" PRIx32 "\nsize 0x%08" PRIx32 "\n", base, j->used_bytes);
	fprintf(f, "ct0ca 0x%08" PRIx32 "\nct0ea 0x%08" PRIx32 "\n", j->ct0ca, j->ct0ea);
	fprintf(f, "ct1ca 0x%08" PRIx32 "\nct1ea 0x%08" PRIx32 "\n", j->ct1ca, j->ct1ea);
	fprintf(f, "target 0x%08" PRIx32 "\nwidth %" PRIu32 "\nheight %" PRIu32 "\n", j->target,
			j->width, j->height);
	fprintf(f, "format %s\nlayout %s\nconfig 0x%04" PRIx32 "\n", formats[j->config >> 2 & 3],
			layouts[j->config >> 6 & 3], j->config);
	return fclose(f) == 0 ? 0 : -EIO;
}
