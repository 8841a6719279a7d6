/*
 * conformance-make FOLDER SOURCE [PICTURES]: makes the library of `pica conform` in FOLDER: each
 * case as NAME.pica and NAME.ctf.zst; copies of SOURCE/manifest.txt and SOURCE/expected/NAME.png;
 * and rows.txt, the required lines of the manifest, with "-" for hashes that are not computed here.
 * Writes the computed pictures to PICTURES.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kit.h"
#include "pictures/file.h"

enum { MANIFEST_BYTES = 1 << 20 };

/* Removes the files of an older run. */
static void clear(const char *folder) {
	DIR *dir = opendir(folder);
	for (const struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] != '.') {
			unlinkat(dirfd(dir), e->d_name, 0);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

static void make_all(struct maker *m, const char *form, const char *rows) {
	m->form = form;
	m->rows = m->error < 0 ? NULL : fopen(rows, "w");
	if (!m->rows) {
		m->error = m->error < 0 ? m->error : -errno;
		return;
	}
	make_combiner(m);
	make_output(m);
	make_texture(m);
	make_geometry(m);
	make_vertex(m);
	make_shader(m);
	make_unit0(m);
	make_proctex(m);
	make_light(m);
	make_effects(m);
	make_transfer(m);
	fclose(m->rows);
}

/*
 * Copies FOLDER/NAME to the library. A missing file belongs to a case that is not in the manifest
 * yet.
 */
static int copy(const struct maker *m, const char *source, const char *name) {
	char to[4096];
	void *data = NULL;
	size_t size;
	char *from = file_in(source, name);
	int ret = from ? file_read(from, &data, &size, MANIFEST_BYTES) : -ENOMEM;
	snprintf(to, sizeof(to), "%s/%s", m->folder, name);
	ret = ret < 0 ? ret : file_write(to, data, size);
	free(data);
	free(from);
	return ret == -ENOENT ? 0 : ret;
}

/* The manifest, and the pictures that it names. */
static int copy_all(const struct maker *m, const char *source) {
	char *pictures = file_in(source, "expected"), name[128];
	int ret = pictures ? copy(m, source, "manifest.txt") : -ENOMEM;
	for (const char *line = m->known; ret == 0 && line; line = strchr(line + 1, '\n')) {
		if (sscanf(line, " %99[a-z0-9-]", name) == 1) {
			strcat(name, ".png");
			ret = copy(m, pictures, name);
		}
	}
	free(pictures);
	return ret;
}

int main(int argc, char **argv) {
	static struct maker m;
	char rows[4096];
	void *known = NULL;
	size_t size;
	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: conformance-make FOLDER SOURCE [PICTURES]\n");
		return 2;
	}
	m.folder = argv[1];
	char *manifest = file_in(argv[2], "manifest.txt");
	snprintf(rows, sizeof(rows), "%s/rows.txt", m.folder);
	clear(m.folder);
	m.error = manifest ? file_make_folders(rows) : -ENOMEM;
	m.error = m.error < 0 ? m.error : file_read(manifest, &known, &size, MANIFEST_BYTES);
	free(manifest);
	m.known = known;
	make_all(&m, "ctf.zst", "/dev/null");
	m.pictures = argv[3];
	make_all(&m, "pica", rows);
	if (m.error == 0) {
		m.error = copy_all(&m, argv[2]);
	}
	free(known);
	if (m.error < 0) {
		fprintf(stderr, "conformance-make: %s\n", strerror(-m.error));
	}
	return m.error < 0 ? 2 : 0;
}
