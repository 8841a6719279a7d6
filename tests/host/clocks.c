/* A console program that prints times and random numbers, which no run may change. */
#include <3ds.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, struct timespec t) {
	printf("%s %lld.%09ld\n", what, (long long)t.tv_sec, t.tv_nsec);
}

static void say_clock(const char *what, clockid_t id) {
	struct timespec t;
	clock_gettime(id, &t);
	say(what, t);
}

static void say_bytes(const char *what, const unsigned char *bytes, size_t n) {
	printf("%s", what);
	for (size_t i = 0; i < n; i++) {
		printf(" %02x", bytes[i]);
	}
	putchar('\n');
}

static void say_device(const char *path) {
	unsigned char bytes[8] = { 0 };
	FILE *f = fopen(path, "rb");
	if (f && fread(bytes, sizeof(bytes), 1, f) == 1) {
		say_bytes(path, bytes, sizeof(bytes));
	}
	if (f) {
		fclose(f);
	}
}

static void sleep_twice(void *user) {
	const struct timespec ms = { 0, 1000000 };
	for (int i = 0; i < 2; i++) {
		nanosleep(&ms, NULL);
		say_clock(user, CLOCK_MONOTONIC);
	}
}

/* A thread of the C library only reads the time. */
static void *read_time(void *user) {
	clock_gettime(CLOCK_MONOTONIC, user);
	return NULL;
}

int main(void) {
	struct timespec t = { 1, 0 };
	struct timeval day;
	unsigned char bytes[11];
	pthread_t foreign;
	gfxInitDefault();
	say_clock("real", CLOCK_REALTIME);
	say_clock("monotonic", CLOCK_MONOTONIC);
	say_clock("processor", CLOCK_THREAD_CPUTIME_ID);
	printf("clock %ld\n", (long)clock());
	gettimeofday(&day, NULL);
	printf("day %lld.%06ld\n", (long long)day.tv_sec, (long)day.tv_usec);
	timespec_get(&t, TIME_UTC);
	say("utc", t);
	const Thread other = threadCreate(
			sleep_twice, (void *)(uintptr_t) "other", 0, 0x2F, -2, false);
	usleep(1500);
	say_clock("slept", CLOCK_MONOTONIC);
	t = (struct timespec){ 0, 250000000 };
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	say_clock("until", CLOCK_MONOTONIC);
	const int late = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
	t.tv_nsec = -1;
	printf("late %d wrong %d\n", late, clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL) == EINVAL);
	printf("left %u at %lld\n", sleep(1), (long long)time(NULL));
	threadJoin(other, U64_MAX);
	threadFree(other);
	pthread_create(&foreign, NULL, read_time, &t);
	pthread_join(foreign, NULL);
	say("foreign", t);
	printf("random %d", (int)getrandom(bytes, sizeof(bytes), 0));
	say_bytes("", bytes, sizeof(bytes));
	getentropy(bytes, 4);
	say_bytes("entropy", bytes, 4);
	say_device("/dev/urandom");
	say_device("/dev/urandom");
	say_device("/dev/random");
	gfxExit();
	return 0;
}
