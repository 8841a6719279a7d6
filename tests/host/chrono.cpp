/* The same in C++: its library calls the C library's functions in the program's place. */
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include <3ds.h>

int main() {
	using namespace std::chrono;
	gfxInitDefault();
	const auto begin = steady_clock::now();
	std::this_thread::sleep_for(milliseconds(20));
	const auto ns = [](auto time) { return (long long)duration_cast<nanoseconds>(time).count(); };
	std::printf("slept %lld\n", ns(steady_clock::now() - begin));
	std::printf("system %lld\n", ns(system_clock::now().time_since_epoch()));
	std::random_device device;
	std::printf("random %u %u\n", device(), device());
	gfxExit();
}
