/*
 * Captures that are written while the system fails: at the k-th allocation, at the k-th call for
 * files, by a kill before or inside it, by calls that are interrupted or do half of their work, and
 * by a power loss. The name must then have the whole new file or the old one, as the result says.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "pica_capture.h"
#include "pica_record.h"

enum {
	VRAM = 0x18000000,
	FCRAM = 0x20000000,
	WINDOW_BYTES = 0x40000,
	SHOWN = FCRAM + 0x10000, /* RGB565, 240x400 */
	SHOWN_BYTES = 240 * 400 * 2,
	MEMORY_BYTES = 0x110000, /* more than one chunk of a container */
	FRAMES = 4,
	MAX_FILE = 8 << 20,
};

static char dir[] = "/tmp/test_files.XXXXXX";
static unsigned bad;

#define COMPLAIN(...) (bad++, printf(__VA_ARGS__), putchar('\n'))

/* ---- What is written ---- */

static void put_noise(uint8_t *to, uint32_t n, uint32_t seed) {
	for (uint32_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		to[i] = (uint8_t)(seed >> 24);
	}
}

static uint8_t noise[MEMORY_BYTES];

static int write_container(const char *path) {
	static const struct pica_state state;
	struct pica_window window = { .phys = FCRAM, .size_bytes = MEMORY_BYTES, .host = noise };
	struct pica_capture_writer_settings settings;
	struct pica_capture_writer *w;
	struct pica_job present = { .op = PICA_OP_PRESENT }, load = { .op = PICA_OP_WRITE };
	present.u.present.screens = 3;
	load.u.write.addr = FCRAM;
	load.u.write.size_bytes = 64;
	load.u.write.data = (uint64_t)(uintptr_t)noise;
	pica_capture_writer_settings_init(&settings);
	settings.windows = &window;
	settings.n_windows = 1;
	int ret = pica_capture_writer_create(&w, path, &settings);
	if (ret < 0) {
		return ret;
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		const struct pica_expected e = {
			.width = 400, .height = 240, .hash = { (uint8_t)frame }
		};
		ret = frame % 2 ? 0 : pica_capture_writer_key(w, &state, &window, 1);
		ret = ret < 0 ? ret : pica_capture_writer_job(w, &load);
		ret = ret < 0 ? ret : pica_capture_writer_frame(w, &present);
		ret = ret < 0 ? ret : pica_capture_writer_expect(w, &e);
	}
	if (ret < 0) {
		pica_capture_writer_destroy(w);
		return ret;
	}
	return pica_capture_writer_finish(w);
}

static int write_citrace(const char *path) {
	struct pica_ctf_writer *w;
	int ret = pica_ctf_writer_create(&w, path, NULL);
	if (ret < 0) {
		return ret;
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		ret = pica_ctf_writer_memory(w, FCRAM, noise + frame, 40000);
		ret = ret < 0 ? ret : pica_ctf_writer_list(w, FCRAM, 64);
		ret = ret < 0 ? ret : pica_ctf_writer_frame(w);
	}
	if (ret < 0) {
		pica_ctf_writer_destroy(w);
		return ret;
	}
	return pica_ctf_writer_finish(w);
}

static struct pica_device *device;
static struct pica_ctx *ctx;

static void submit(const struct pica_job *job, int *ret) {
	*ret = *ret < 0 ? *ret : pica_submit(ctx, job, 1, NULL);
}

static void reg(uint32_t addr, uint32_t value, int *ret) {
	struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = addr, .value = value } };
	submit(&job, ret);
}

static void fill(uint32_t value, int *ret) {
	struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = VRAM, .end = VRAM + 0x1000, .value = value,
			.control = 0x201 } };
	submit(&job, ret);
}

/* The program's own picture, a fill, and both shown. */
static int draw_frames(uint8_t *shown) {
	const struct pica_job present = { .op = PICA_OP_PRESENT, .u.present.screens = 3 };
	int ret = 0;
	reg(0x10400468, SHOWN, &ret);
	reg(0x10400470, 0x42, &ret);
	reg(0x10400490, 480, &ret);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		struct pica_stats stats = { .size = sizeof(stats) };
		put_noise(shown + 1000 * frame, 1000, frame);
		fill(0x01020304 * frame, &ret);
		submit(&present, &ret);
		if (pica_stats(ctx, &stats) < 0) { /* waits */
			return -EIO;
		}
	}
	return ret;
}

static int record(const char *path) {
	struct pica_recorder_settings settings;
	struct pica_recorder *recorder;
	struct pica_capture_error error = { 0 };
	pica_recorder_settings_init(&settings);
	settings.key_frames = 2;
	int ret = pica_recorder_start(&recorder, ctx, path, &settings);
	if (ret < 0) {
		return ret;
	}
	int drawn = draw_frames(pica_ctx_host(ctx, SHOWN, SHOWN_BYTES));
	ret = pica_recorder_finish(recorder, &error);
	if (ret < 0 && (error.code != ret || !error.message[0])) {
		COMPLAIN("the recorder says %d, and its message %d: %s", ret, error.code,
				error.message);
	}
	return ret < 0 ? ret : drawn;
}

/* Records a new context, whose creation cannot fail; it must draw even if recording fails. */
static int write_recording(const char *path) {
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.vram_bytes = settings.fcram_bytes = WINDOW_BYTES;
	failing_pause(true);
	if (pica_ctx_create(&ctx, device, &settings) < 0) {
		abort();
	}
	failing_pause(false);
	int ret = record(path), filled = 0;
	failing_pause(true);
	fill(0xAABBCCDD, &filled);
	struct pica_stats stats = { .size = sizeof(stats) };
	const uint8_t *vram = pica_ctx_host(ctx, VRAM, 4);
	if (filled < 0 || pica_stats(ctx, &stats) < 0 || vram[0] != 0xDD || vram[3] != 0xAA) {
		COMPLAIN("the context is harmed by a recording that fails");
	}
	pica_ctx_destroy(ctx);
	failing_pause(false);
	return ret;
}

static const struct scenario {
	const char *name, *file;
	int (*write)(const char *path);
} scenarios[] = {
	{ "container", "out.pica", write_container },
	{ "citrace", "out.ctf", write_citrace },
	{ "compressed citrace", "out.ctf.zst", write_citrace },
	{ "recorder", "out.pica", write_recording },
};
enum { N_SCENARIOS = sizeof(scenarios) / sizeof(scenarios[0]) };

/* ---- What is there afterwards ---- */

static const char old_text[] = "what was there before";
static char path[128];
static uint8_t reference[MAX_FILE], have[MAX_FILE];
static size_t reference_size;

static size_t read_file(const char *name) {
	FILE *f = fopen(name, "rb");
	size_t n = f ? fread(have, 1, sizeof(have), f) : 0;
	if (f) {
		fclose(f);
	}
	return n;
}

static bool is_reference(const uint8_t *bytes, size_t size) {
	return size == reference_size && memcmp(bytes, reference, size) == 0;
}

static void put_old(bool has_old) {
	unlink(path);
	if (has_old) {
		FILE *f = fopen(path, "wb");
		if (!f || fputs(old_text, f) < 0 || fclose(f)) {
			abort();
		}
	}
}

enum found { NOTHING, OLD, WHOLE, OTHER };

static enum found look(void) {
	if (access(path, F_OK) < 0) {
		return NOTHING;
	}
	const size_t n = read_file(path);
	const bool is_old = n == strlen(old_text) && memcmp(have, old_text, n) == 0;
	return is_reference(have, n) ? WHOLE : is_old ? OLD : OTHER;
}

/* Inspects and deletes each file of another name. Returns their number. */
static unsigned others(void (*inspect)(const char *name)) {
	unsigned n = 0;
	DIR *d = opendir(dir);
	if (!d) {
		abort();
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char name[sizeof(dir) + 300];
		snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
		if (e->d_name[0] != '.' && strcmp(name, path) != 0) {
			n++;
			inspect(name);
			unlink(name);
		}
	}
	closedir(d);
	return n;
}

static void no_other(const char *name) {
	COMPLAIN("%s was left", name);
}

/* Tries each PICA_TEST_SAMPLEth (8) of the calls. */
static unsigned every = 8;

/* ---- Failures that are reported ---- */

static struct totals {
	unsigned runs, refused;
} totals;

static unsigned run(const struct scenario *s, const struct failing_plan *p, bool has_old) {
	put_old(has_old);
	failing_begin(p);
	int ret = s->write(path);
	const unsigned n = failing_end();
	const enum found before = has_old ? OLD : NOTHING, found = look();
	totals.runs++;
	totals.refused += ret < 0;
	/* The new file is visible when only the sync of the folder failed. */
	const bool is_late = ret < 0 && p->calls == FAILING_FILES && found == WHOLE;
	if (ret == 0 ? found != WHOLE : found != before && !is_late) {
		COMPLAIN("%s, mode %d at %u: says %d, and there is %d", s->name, p->mode, p->at,
				ret, found);
	}
	const int expect = p->calls == FAILING_MEMORY ? -ENOMEM : -p->error;
	if (ret < 0 && (!failing_did() || p->mode == FAILING_INTERRUPT || ret != expect)) {
		COMPLAIN("%s, mode %d at %u: says %d for a failure of %d", s->name, p->mode, p->at,
				ret, expect);
	}
	if (p->mode == FAILING_INTERRUPT && ret < 0) {
		COMPLAIN("%s: call %u was interrupted, which is not a failure: %d", s->name, p->at,
				ret);
	}
	others(no_other);
	return n;
}

static void power_loss(const struct scenario *s, bool has_old, bool nameless) {
	size_t size;
	bool is_name_safe;
	const uint8_t *bytes = failing_after_power_loss(path, &size, &is_name_safe);
	if (!bytes || !is_reference(bytes, size) || !is_name_safe) {
		COMPLAIN("%s (%s, %s): a power loss leaves %zu of %zu bytes, its name %s", s->name,
				has_old ? "replaced" : "new", nameless ? "nameless" :
				"named", bytes ? size : 0,
				reference_size, is_name_safe ? "safe" : "not safe");
	}
}

static void failures(
		const struct scenario *s, enum failing_calls calls, bool has_old, bool nameless) {
	static const int errors[] = { ENOSPC, EIO, EMFILE };
	struct failing_plan p = { .calls = calls, .at = UINT_MAX, .nameless = nameless };
	const unsigned n = run(s, &p, has_old);
	power_loss(s, has_old, nameless);
	for (p.mode = FAILING_ONE; p.mode <= FAILING_FROM; p.mode++) {
		for (p.at = p.mode % every; p.at < n; p.at += every) {
			p.error = errors[p.at % 3];
			run(s, &p, has_old);
		}
	}
	if (calls == FAILING_FILES) {
		p.mode = FAILING_INTERRUPT;
		p.at = UINT_MAX;
		p.error = 0;
		const unsigned m = run(s, &p, has_old);
		for (p.at = 0; p.at < m; p.at += every) {
			run(s, &p, has_old);
		}
		p.at = UINT_MAX;
		p.short_io = true;
		run(s, &p, has_old);
	}
}

/* ---- Kills ---- */

static struct {
	unsigned n, left, recovered;
} kills;

static bool left_is_whole;

static void inspect_left(const char *name) {
	struct pica_capture *c;
	struct pica_capture_error error;
	if (strncmp(name, path, strlen(path)) != 0 ||
			strncmp(name + strlen(path), ".tmp-", 5) != 0) {
		COMPLAIN("a kill left %s", name);
	}
	kills.left++;
	left_is_whole = is_reference(have, read_file(name));
	if (strstr(name, ".pica") && pica_capture_recover(&c, name, &error) >= 0) {
		struct pica_capture_event e;
		int ret;
		while ((ret = pica_capture_next(c, &e)) > 0) {
		}
		if (ret < 0) {
			COMPLAIN("what was recovered of %s: %s", name,
					pica_capture_error(c)->message);
		}
		pica_capture_close(c);
		kills.recovered++;
	}
}

/* Whether there was a k-th call. */
static bool kill_at(const struct scenario *s, const struct failing_plan *p, bool has_old) {
	int status;
	put_old(has_old);
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0) {
		abort();
	}
	if (pid == 0) {
		failing_begin(p);
		_exit(s->write(path) != 0);
	}
	if (waitpid(pid, &status, 0) != pid || (WIFEXITED(status) && WEXITSTATUS(status) != 0)) {
		COMPLAIN("%s, killed at %u: fails without a failure", s->name, p->at);
	}
	const enum found before = has_old ? OLD : NOTHING, found = look();
	const bool was_killed = WIFSIGNALED(status);
	if (found != WHOLE && (!was_killed || found != before)) {
		COMPLAIN("%s, killed at %u: there is %d", s->name, p->at, found);
	}
	const unsigned n = others(inspect_left);
	if (n > 2 || (n && p->nameless && !left_is_whole)) {
		COMPLAIN("%s, killed at %u: %u files left", s->name, p->at, n);
	}
	kills.n += was_killed;
	return was_killed;
}

static void all_kills(const struct scenario *s, bool has_old, bool nameless) {
	struct failing_plan p = { .calls = FAILING_FILES, .nameless = nameless };
	for (p.mode = FAILING_KILL; p.mode <= FAILING_KILL_IN; p.mode++) {
		p.at = (has_old + 2 * nameless + 4 * (p.mode == FAILING_KILL_IN)) % every;
		while (kill_at(s, &p, has_old)) {
			p.at += every;
		}
	}
}

/* ---- All of it ---- */

static void make_reference(const struct scenario *s) {
	struct pica_capture *c;
	struct pica_capture_error error;
	struct pica_capture_event e;
	unsigned frames = 0;
	snprintf(path, sizeof(path), "%s/%s", dir, s->file);
	int ret = s->write(path);
	reference_size = read_file(path);
	memcpy(reference, have, reference_size);
	if (ret < 0 || pica_capture_open(&c, path, &error) < 0) {
		COMPLAIN("%s: %d %s", s->name, ret, ret < 0 ? "" : error.message);
		return;
	}
	while (pica_capture_next(c, &e) > 0) {
		frames += e.kind == PICA_CAPTURE_FRAME;
	}
	if (frames != FRAMES || pica_capture_verify(c) < 0) {
		COMPLAIN("%s: %u frames", s->name, frames);
	}
	pica_capture_close(c);
}

static bool knows_nameless_files(void) {
	int fd = access("/proc/self/fd", X_OK) == 0 ?
			open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) :
			-1;
	if (fd >= 0) {
		close(fd);
	}
	return fd >= 0;
}

int main(void) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	put_noise(noise, sizeof(noise), 1);
	const char *sample = getenv("PICA_TEST_SAMPLE");
	every = sample && atoi(sample) > 0 ? (unsigned)atoi(sample) : every;
	settings.n_threads = 0; /* a child has no other threads than the one that forks */
	if (!mkdtemp(dir) || pica_device_create(&device, &settings) < 0) {
		return 2;
	}
	const bool nameless = knows_nameless_files();
	if (!nameless) {
		puts("the folder for temporary files knows none without a name");
	}
	for (unsigned i = 0; i < N_SCENARIOS; i++) {
		const struct scenario *s = &scenarios[i];
		make_reference(s);
		memset(&totals, 0, sizeof(totals));
		memset(&kills, 0, sizeof(kills));
		failures(s, FAILING_MEMORY, true, nameless);
		failures(s, FAILING_FILES, false, false);
		failures(s, FAILING_FILES, true, nameless);
		for (unsigned k = 0; k < (nameless ? 4 : 2); k++) {
			all_kills(s, k & 1, k & 2);
		}
		printf("%s: %u runs, %u of them refused; %u kills left %u files beside, %u of them readable\n",
				s->name, totals.runs, totals.refused, kills.n, kills.left,
				kills.recovered);
		if (!totals.refused || !kills.left) {
			COMPLAIN("%s: nothing failed", s->name);
		}
		unlink(path);
	}
	pica_device_destroy(device);
	return rmdir(dir) != 0 || bad != 0;
}
