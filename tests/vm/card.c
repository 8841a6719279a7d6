/*
 * Runs service/display_card.c on a real driver in a virtual machine, with screenshots from outside.
 *
 *   vm-card [-s SEAT] [-m MODE] [-c CONNECTORS] [-o OUTPUTS] [-l] [-n] WHAT
 *
 * WHAT: show, flips N, sums, writeback, hotplug N or terminals N.
 *
 * kmsvm.py answers on /dev/ctl with screenshots; -n: nothing does. Prints measurements. Exits with
 * 1 on a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "service/display_card.h"
#include "tests/vm/writeback.h"

static struct {
	struct display *display;
	struct display_output output[DISPLAY_OUTPUTS];
	unsigned n_outputs;
	unsigned n_changed, n_flipped, n_failed, n_away, n_back, n_missed;
	uint64_t last_ns, worst_gap_ns;
	FILE *ctl;
	bool is_unseen;
} vm;

static void fail(const char *what) {
	printf("FAIL %s\n", what);
	display_kms.destroy(vm.display);
	exit(EXIT_FAILURE);
}

static void on_event(void *owner, const struct display_event *e) {
	switch (e->type) {
	case DISPLAY_FLIPPED:
		vm.n_flipped += e->error == 0;
		vm.n_failed += e->error != 0;
		vm.n_missed += e->missed;
		if (vm.last_ns && e->time_ns - vm.last_ns > vm.worst_gap_ns) {
			vm.worst_gap_ns = e->time_ns - vm.last_ns;
		}
		vm.last_ns = e->time_ns;
		break;
	case DISPLAY_CHANGED:
		vm.n_changed++;
		vm.n_outputs = display_kms.outputs(vm.display, vm.output, DISPLAY_OUTPUTS);
		break;
	case DISPLAY_LOST:
		vm.n_outputs = 0;
		break;
	case DISPLAY_AWAY:
		vm.n_away++;
		break;
	case DISPLAY_BACK:
		vm.n_back++;
		break;
	case DISPLAY_ENDED:
		fail("a card has no user who closes it");
	}
}

static void on_log(void *user, enum log_level level, const char *line) {
	printf("log: %s\n", line);
}

static void step(int most_ms) {
	struct pollfd fds[DISPLAY_POLL_FDS];
	uint64_t deadline, now = now_ns();
	unsigned n = display_kms.prepare(vm.display, fds, &deadline);
	uint64_t wait_ms = deadline <= now ? 0 : (deadline - now + 999999) / 1000000;
	poll(fds, n, wait_ms < (uint64_t)most_ms ? (int)wait_ms : most_ms);
	display_kms.dispatch(vm.display, fds, n);
}

/* Runs the display until *counter exceeds `value`. Returns false after limit_ms. */
static bool await(const unsigned *counter, unsigned value, unsigned limit_ms) {
	uint64_t end = now_ns() + limit_ms * (uint64_t)1000000;
	while (*counter <= value) {
		if (now_ns() >= end) {
			return false;
		}
		step(50);
	}
	return true;
}

/* A picture in which each pixel differs from its neighbours, and from those of other numbers. */
static uint32_t pixel(uint32_t x, uint32_t y, uint32_t number) {
	return ((x * 7 + number * 31) & 0xFF) << 16 | ((y * 5 + number * 17) & 0xFF) << 8 |
			((x ^ y ^ number) & 0xFF);
}

/* As it lies in memory, from the low bits on. */
static uint32_t pixel_of(enum display_format format, uint32_t x, uint32_t y, uint32_t number) {
	const uint32_t p = pixel(x, y, number);
	return format == DISPLAY_RGB565 ?
			(p >> 8 & 0xF800) | (p >> 5 & 0x07E0) | (p >> 3 & 0x1F) : p;
}

static void draw(const struct display_buffer *b, uint32_t number) {
	const size_t bytes = display_pixel_bytes(b->format);
	for (uint32_t y = 0; y < b->height; y++) {
		for (uint32_t x = 0; x < b->width; x++) {
			const uint32_t p = pixel_of(b->format, x, y, number);
			memcpy(b->host + (size_t)y * b->stride_bytes + bytes * x, &p, bytes);
		}
	}
}

/* The expected screenshot: RGB bytes; channels of 5 and 6 bits repeat their top bits. */
static uint32_t expected_crc(const struct display_output *o, uint32_t number) {
	static Bytef row[3 * DISPLAY_MAX_PX];
	uLong crc = crc32(0, NULL, 0);
	for (uint32_t y = 0; y < o->height; y++) {
		for (uint32_t x = 0; x < o->width; x++) {
			uint32_t p = pixel(x, y, number), r = p >> 16 & 0xFF, g = p >> 8 & 0xFF,
				 b = p & 0xFF;
			if (o->format == DISPLAY_RGB565) {
				r = (r & 0xF8) | r >> 5;
				g = (g & 0xFC) | g >> 6;
				b = (b & 0xF8) | b >> 5;
			}
			row[3 * x] = (Bytef)r;
			row[3 * x + 1] = (Bytef)g;
			row[3 * x + 2] = (Bytef)b;
		}
		crc = crc32(crc, row, 3 * o->width);
	}
	return (uint32_t)crc;
}

static bool ask(const char *line, char *answer, size_t answer_bytes) {
	fprintf(vm.ctl, "%s\n", line);
	fflush(vm.ctl);
	return fgets(answer, (int)answer_bytes, vm.ctl) && strncmp(answer, "OK", 2) == 0;
}

static int show(unsigned output, uint32_t number) {
	struct display_flip flip;
	memset(&flip, 0, sizeof(flip));
	flip.output = output;
	int ret = display_kms.acquire(vm.display, output, &flip.buffer);
	if (ret < 0) {
		return ret;
	}
	draw(&flip.buffer, number);
	ret = display_kms.commit(vm.display, &flip, 1);
	if (ret < 0) {
		display_kms.release(vm.display, output, &flip.buffer);
	}
	return ret;
}

static void show_and_wait(unsigned output, uint32_t number) {
	unsigned flipped = vm.n_flipped;
	int ret;
	while ((ret = show(output, number)) == -EAGAIN) {
		step(50);
	}
	if (ret < 0 || !await(&vm.n_flipped, flipped, 10000)) {
		printf("show: %s\n", strerror(-ret));
		fail("picture was not shown");
	}
}

static void check_photograph(unsigned output, uint32_t number) {
	char line[64], answer[256];
	uint32_t crc = 0, width = 0, height = 0;
	if (vm.is_unseen) {
		return;
	}
	snprintf(line, sizeof(line), "SHOT out%u %u", output, output);
	if (!ask(line, answer, sizeof(answer)) ||
			sscanf(answer, "OK %" SCNx32 " %" SCNu32 " %" SCNu32, &crc, &width,
					&height) != 3) {
		fail("no photograph");
	}
	const struct display_output *o = &vm.output[output];
	if (width != o->width || height != o->height || crc != expected_crc(o, number)) {
		printf("output %u (%s): %ux%u crc %08x, expected %ux%u %08x\n", output, o->name,
				(unsigned)width, (unsigned)height, (unsigned)crc,
				(unsigned)o->width, (unsigned)o->height,
				(unsigned)expected_crc(o, number));
		fail("the photograph is another picture");
	}
}

/* Every output, several pictures each, so that all buffers are seen. */
static void test_show(void) {
	for (uint32_t number = 1; number <= 4; number++) {
		for (unsigned i = 0; i < vm.n_outputs; i++) {
			show_and_wait(i, number * 10 + i);
		}
		for (unsigned i = 0; i < vm.n_outputs; i++) {
			check_photograph(i, number * 10 + i);
		}
	}
	printf("show: %u outputs, %u pictures as expected\n", vm.n_outputs, 4 * vm.n_outputs);
}

/* Draws the next picture while the last one waits for its refresh. */
static void test_flips(unsigned n) {
	struct display_flip flip;
	show_and_wait(0, 0);
	uint64_t start = now_ns();
	vm.worst_gap_ns = vm.n_missed = 0;
	const unsigned before = vm.n_flipped;
	for (unsigned i = 0; i < n; i++) {
		memset(&flip, 0, sizeof(flip));
		int ret;
		while ((ret = display_kms.acquire(vm.display, 0, &flip.buffer)) == -EAGAIN) {
			step(50);
		}
		if (ret < 0) {
			fail("no buffer");
		}
		draw(&flip.buffer, i);
		if (i && !await(&vm.n_flipped, before + i - 1, 10000)) {
			fail("picture was not shown");
		}
		if (display_kms.commit(vm.display, &flip, 1) < 0) {
			fail("picture was refused");
		}
	}
	if (!await(&vm.n_flipped, before + n - 1, 10000)) {
		fail("picture was not shown");
	}
	printf("flips: %u in %.3f s, refresh %u mHz, worst gap %.1f ms, %u missed\n", n,
			1e-9 * (double)(now_ns() - start), (unsigned)vm.output[0].refresh_mhz,
			1e-6 * (double)vm.worst_gap_ns, vm.n_missed);
	check_photograph(0, n - 1);
}

/* Returns the card's checksum of the picture that it scans out, which vkms provides. */
static uint64_t scanned_crc(void) {
	static const char folder[] = "/sys/kernel/debug/dri/0/crtc-0/crc";
	/* The first ones may be of the previous picture: waits for SAME equal ones. */
	enum { SAME = 60, LINES = 2000 };
	unsigned same = 0;
	char path[64], line[64];
	unsigned long long frame, crc = 0, last = 0;
	snprintf(path, sizeof(path), "%s/control", folder);
	FILE *f = fopen(path, "w");
	if (!f || fputs("auto", f) < 0 || fclose(f) != 0) {
		fail("the card sums nothing up");
	}
	snprintf(path, sizeof(path), "%s/data", folder);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	for (unsigned i = 0; i < LINES && same < SAME; i++) {
		/* A line a call, with a zero after its end. */
		const ssize_t n = read(fd, line, sizeof(line) - 1);
		line[n > 0 ? n : 0] = 0;
		if (sscanf(line, "0x%llx 0x%llx", &frame, &crc) != 2) {
			printf("sum: \"%s\" (%s)\n", line, n < 0 ? strerror(errno) : "read");
			fail("no sum");
		}
		same = crc == last ? same + 1 : 0;
		last = crc;
	}
	close(fd);
	return crc;
}

/* A picture has the same checksum from each buffer, and another picture another one. */
static void test_sums(void) {
	uint64_t sum[8];
	for (uint32_t i = 0; i < 8; i++) {
		show_and_wait(0, i % 4);
		sum[i] = scanned_crc();
		printf("sum: picture %u: %08x\n", i % 4, (unsigned)sum[i]);
	}
	for (unsigned i = 0; i < 8; i++) {
		for (unsigned k = 0; k < i; k++) {
			if ((sum[i] == sum[k]) != (i % 4 == k % 4)) {
				fail("a sum that is another picture's");
			}
		}
	}
	printf("sums: 4 pictures, each twice\n");
}

static void check_written(
		const struct writeback *w, const struct display_output *o, uint32_t number) {
	unsigned others = 0;
	for (uint32_t y = 0; y < o->height; y++) {
		for (uint32_t x = 0; x < o->width; x++) {
			const uint8_t *at = w->dumb.host + (size_t)y * w->dumb.stride_bytes;
			uint32_t found = 0, wanted = pixel_of(o->format, x, y, number);
			const size_t bytes = display_pixel_bytes(o->format);
			memcpy(&found, at + bytes * x, bytes);
			found &= 0xFFFFFF; /* what is above is nobody's colour */
			if (found != wanted && others++ == 0) {
				printf("picture %u, %u %u: %06x, expected %06x\n", (unsigned)number,
						(unsigned)x, (unsigned)y, (unsigned)found,
						(unsigned)wanted);
			}
		}
	}
	if (others) {
		printf("picture %u: %u other pixels\n", (unsigned)number, others);
		fail("the card wrote another picture");
	}
}

/* The card writes back exactly the pixels that it was given, from each buffer. */
static void test_writeback(void) {
	enum { PICTURES = 8 };
	struct card *card = (struct card *)vm.display;
	struct writeback w;
	int ret = 0;
	for (uint32_t i = 0; i < PICTURES; i++) {
		show_and_wait(0, i);
		if (i == 0) {
			ret = writeback_init(&w, &card->kms, &card->output[0].pipe);
		}
		ret = ret < 0 ? ret : writeback_take(&w);
		if (ret < 0) {
			printf("writeback: %s\n", strerror(-ret));
			fail("the card writes nothing");
		}
		check_written(&w, &vm.output[0], i);
	}
	printf("writeback: %u pictures of %ux%u, each as shown\n", PICTURES,
			(unsigned)vm.output[0].width, (unsigned)vm.output[0].height);
	writeback_finish(&w);
}

/* A viewer plugs the second output in and out; the first continues. */
static void test_hotplug(unsigned n) {
	char answer[256];
	uint64_t worst = 0;
	show_and_wait(0, 1);
	for (unsigned i = 0; i < n; i++) {
		char line[64];
		unsigned changed = vm.n_changed;
		uint64_t start = now_ns();
		if (i % 2 == 0) {
			snprintf(line, sizeof(line), "VNC 1 %u 240", 320 + 16 * (i / 2 % 8));
		} else {
			snprintf(line, sizeof(line), "VNC 1 0 0");
		}
		if (!ask(line, answer, sizeof(answer)) || !await(&vm.n_changed, changed, 20000)) {
			fail("the change was not noticed");
		}
		if (vm.n_outputs != 2 - i % 2) {
			fail("wrong number of outputs");
		}
		if (i % 2 == 0) {
			show_and_wait(1, i);
			uint64_t took = now_ns() - start;
			worst = took > worst ? took : worst;
			check_photograph(1, i);
		}
		check_photograph(0, i == 0 ? 1 : i - 1 + 100);
		show_and_wait(0, i + 100);
		check_photograph(0, i + 100);
	}
	printf("hotplug: %u changes, slowest picture after plugging %.0f ms\n", n,
			1e-6 * (double)worst);
}

/*
 * Another virtual terminal and back: the text console is shown meanwhile, then the picture again.
 */
static void test_terminals(unsigned n) {
	uint64_t worst = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned away = vm.n_away, back = vm.n_back, changed = vm.n_changed;
		show_and_wait(0, i);
		check_photograph(0, i);
		if (system("chvt 2") != 0 || !await(&vm.n_away, away, 20000)) {
			fail("the terminal did not change");
		}
		uint64_t start = now_ns();
		if (system("chvt 1") != 0 || !await(&vm.n_back, back, 20000) ||
				!await(&vm.n_changed, changed, 20000)) {
			fail("the terminal did not come back");
		}
		show_and_wait(0, i + 50);
		uint64_t took = now_ns() - start;
		worst = took > worst ? took : worst;
		check_photograph(0, i + 50);
	}
	printf("terminals: %u switches, slowest picture after coming back %.0f ms\n", n,
			1e-6 * (double)worst);
}

int main(int argc, char **argv) {
	struct display_settings settings = { .stop_fd = -1, .log = on_log };
	unsigned outputs = 1;
	int c;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "s:m:c:lno:")) != -1) {
		switch (c) {
		case 's': settings.seat = optarg; break;
		case 'm': settings.mode = optarg; break;
		case 'c': settings.connectors = optarg; break;
		case 'n': vm.is_unseen = true; break;
		case 'l': settings.no_atomic = true; break;
		case 'o': outputs = (unsigned)atoi(optarg); break;
		default: return 2;
		}
	}
	const char *what = optind < argc ? argv[optind] : "show";
	unsigned n = optind + 1 < argc ? (unsigned)atoi(argv[optind + 1]) : 0;
	vm.ctl = fopen("/dev/ctl", "r+");
	if (!vm.ctl || display_kms.create(&vm.display, &settings, on_event, NULL) < 0) {
		return 2;
	}
	while (vm.n_outputs < outputs) {
		unsigned changed = vm.n_changed;
		if (!await(&vm.n_changed, changed, 20000)) {
			fail("no output");
		}
	}
	if (strcmp(what, "flips") == 0) {
		test_flips(n);
	} else if (strcmp(what, "sums") == 0) {
		test_sums();
	} else if (strcmp(what, "writeback") == 0) {
		test_writeback();
	} else if (strcmp(what, "hotplug") == 0) {
		test_hotplug(n);
	} else if (strcmp(what, "terminals") == 0) {
		test_terminals(n);
	} else {
		test_show();
	}
	display_kms.destroy(vm.display);
	printf("PASS %s\n", what);
	return 0;
}
