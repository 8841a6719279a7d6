/* Physical memory: windows, bounds, clipped copies, page stamps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/space/space.h"
#include "pica.h"
#include "tests/suite.h"

enum { PAGE = 4096, VRAM = 0x18000000, FCRAM = 0x20000000 };

static struct space sp;

static void setup(void) {
	space_init(&sp);
}

static void teardown(void) {
	space_finish(&sp);
}

FIXTURE(setup, teardown)

TEST(own_window_is_zeroed_and_addressable) {
	ck_assert_int_eq(space_map(&sp, VRAM, 6 << 20, NULL, 0), 0);
	uint8_t *first = space_host(&sp, VRAM, 1);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_eq(space_host(&sp, VRAM, 6 << 20), first);
	ck_assert_ptr_eq(space_host(&sp, VRAM + 0x5FFFFF, 1), first + 0x5FFFFF);
	ck_assert_uint_eq(first[0] | first[0x5FFFFF], 0);
	ck_assert_ptr_null(space_host(&sp, VRAM + 0x5FFFFF, 2));
	ck_assert_ptr_null(space_host(&sp, VRAM + 0x600000, 1));
	ck_assert_ptr_null(space_host(&sp, VRAM - 1, 1));
	ck_assert_ptr_null(space_host(&sp, VRAM - 1, 2));
	ck_assert_ptr_null(space_host(&sp, VRAM, 0));
	ck_assert_ptr_null(space_host(&sp, VRAM + 16, 0xFFFFFFFF));
	uint32_t avail;
	ck_assert_ptr_eq(space_host_from(&sp, VRAM + 0x5FFFF0, &avail), first + 0x5FFFF0);
	ck_assert_uint_eq(avail, 16);
	ck_assert_ptr_null(space_host_from(&sp, VRAM + 0x600000, &avail));
	ck_assert_uint_eq(avail, 0);
}

TEST(window_of_256_mib_maps) {
	ck_assert_int_eq(space_map(&sp, FCRAM, 256u << 20, NULL, 0), 0);
	uint8_t *last = space_host(&sp, 0x2FFFFFFF, 1);
	ck_assert_ptr_nonnull(last);
	*last = 7;
	uint8_t byte;
	ck_assert_uint_eq(space_read(&sp, 0x2FFFFFFF, &byte, 1), 0);
	ck_assert_uint_eq(byte, 7);
}

TEST(window_may_end_at_the_top_of_the_address_space) {
	ck_assert_int_eq(space_map(&sp, 0xFFFFF000, PAGE, NULL, 0), 0);
	ck_assert_ptr_nonnull(space_host(&sp, 0xFFFFFFFF, 1));
	ck_assert_ptr_null(space_host(&sp, 0xFFFFFFFF, 2));
	uint8_t buf[4] = { 1, 2, 3, 4 };
	/* Nothing wraps to address 0. */
	ck_assert_int_eq(space_map(&sp, 0, PAGE, NULL, 0), 0);
	ck_assert_uint_eq(space_write(&sp, 0xFFFFFFFE, buf, 4), 2);
	ck_assert_uint_eq(*space_host(&sp, 0xFFFFFFFF, 1), 2);
	ck_assert_uint_eq(*space_host(&sp, 0, 1), 0);
	ck_assert_uint_eq(space_read(&sp, 0xFFFFFFFE, buf, 4), 2);
	ck_assert_int_eq(memcmp(buf, "\1\2\0\0", 4), 0);
}

TEST(malformed_windows_are_refused) {
	static PICA_ALIGNED(64) uint8_t mem[2 * PAGE];
	ck_assert_int_eq(space_map(&sp, VRAM, 0, NULL, 0), -EINVAL);
	ck_assert_int_eq(space_map(&sp, VRAM, 100, NULL, 0), -EINVAL);
	ck_assert_int_eq(space_map(&sp, VRAM + 16, PAGE, NULL, 0), -EINVAL);
	ck_assert_int_eq(space_map(&sp, 0xFFFFF000, 2 * PAGE, NULL, 0), -EINVAL);
	ck_assert_int_eq(space_map(&sp, VRAM, PAGE, mem + 8, 0), -EINVAL);
	ck_assert_int_eq(space_map(&sp, VRAM, PAGE, mem, 2), -EINVAL);
	ck_assert_int_eq(space_map(&sp, VRAM, PAGE, (void *)(UINTPTR_MAX - 4095), 0), -EINVAL);
	ck_assert_uint_eq(sp.n, 0);
}

TEST(windows_are_sorted_and_do_not_overlap_physically) {
	ck_assert_int_eq(space_map(&sp, 0x5000, 2 * PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x1000, 2 * PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x3000, 2 * PAGE, NULL, 0), 0);
	ck_assert_uint_eq(sp.n, 3);
	ck_assert_uint_eq(sp.win[0].phys, 0x1000);
	ck_assert_uint_eq(sp.win[1].phys, 0x3000);
	ck_assert_uint_eq(sp.win[2].phys, 0x5000);
	ck_assert_int_eq(space_map(&sp, 0x2000, PAGE, NULL, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x0000, 2 * PAGE, NULL, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x6000, 2 * PAGE, NULL, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x0000, 16 * PAGE, NULL, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x7000, PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x0000, PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_unmap(&sp, 0x4000), -ENOENT);
	ck_assert_int_eq(space_unmap(&sp, 0x3000), 0);
	ck_assert_int_eq(space_unmap(&sp, 0x3000), -ENOENT);
	ck_assert_ptr_null(space_host(&sp, 0x3000, 1));
	ck_assert_ptr_nonnull(space_host(&sp, 0x5000, 1));
	ck_assert_int_eq(space_map(&sp, 0x4000, PAGE, NULL, 0), 0);
	ck_assert_uint_eq(sp.n, 5);
}

TEST(windows_do_not_share_host_memory) {
	static PICA_ALIGNED(64) uint8_t mem[4 * PAGE];
	ck_assert_int_eq(space_map(&sp, 0x10000, 2 * PAGE, mem + PAGE, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x20000, PAGE, mem + 2 * PAGE, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x20000, 2 * PAGE, mem, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x20000, PAGE, mem + PAGE - 16, 0), -EEXIST);
	ck_assert_int_eq(space_map(&sp, 0x20000, PAGE, mem, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x30000, PAGE, mem + 3 * PAGE, 0), 0);
	ck_assert_ptr_eq(space_host(&sp, 0x10010, 4), mem + PAGE + 16);
	/* A window of the context cannot be host memory of another window, either. */
	ck_assert_int_eq(space_map(&sp, 0x40000, PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x50000, PAGE, space_host(&sp, 0x40000, 1), 0), -EEXIST);
}

TEST(thirty_third_window_is_refused) {
	for (uint32_t i = 0; i < SPACE_MAX_WINDOWS; i++) {
		/* From the top down, so that every insertion moves the others. */
		ck_assert_int_eq(space_map(&sp, (40 - i) * 2 * PAGE, PAGE, NULL, 0), 0);
	}
	ck_assert_int_eq(space_map(&sp, 0x1000000, PAGE, NULL, 0), -ENOMEM);
	for (unsigned i = 1; i < sp.n; i++) {
		ck_assert_uint_lt(sp.win[i - 1].phys, sp.win[i].phys);
	}
	for (uint32_t i = 0; i < SPACE_MAX_WINDOWS; i++) {
		ck_assert_ptr_nonnull(space_host(&sp, (40 - i) * 2 * PAGE, PAGE));
		ck_assert_ptr_null(space_host(&sp, (40 - i) * 2 * PAGE + PAGE, 1));
	}
	ck_assert_int_eq(space_unmap(&sp, 80 * PAGE), 0);
	ck_assert_int_eq(space_map(&sp, 0x1000000, PAGE, NULL, 0), 0);
}

TEST(range_over_two_windows_has_no_host_but_copies) {
	ck_assert_int_eq(space_map(&sp, 0x1000, PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x2000, PAGE, NULL, 0), 0);
	ck_assert_ptr_null(space_host(&sp, 0x1FFE, 4));
	const uint8_t in[4] = { 1, 2, 3, 4 };
	ck_assert_uint_eq(space_write(&sp, 0x1FFE, in, 4), 0);
	ck_assert_uint_eq(*space_host(&sp, 0x1FFF, 1), 2);
	ck_assert_uint_eq(*space_host(&sp, 0x2000, 1), 3);
	uint8_t out[4] = { 0 };
	ck_assert_uint_eq(space_read(&sp, 0x1FFE, out, 4), 0);
	ck_assert_int_eq(memcmp(in, out, 4), 0);
}

TEST(copies_are_clipped_to_windows) {
	ck_assert_int_eq(space_map(&sp, 0x1000, PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x3000, PAGE, NULL, 0), 0);
	uint8_t *big = malloc(5 * PAGE);
	memset(big, 0xAA, 5 * PAGE);
	ck_assert_uint_eq(space_write(&sp, 0, big, 5 * PAGE), 3 * PAGE);
	memset(big, 0x55, 5 * PAGE);
	ck_assert_uint_eq(space_read(&sp, 0, big, 5 * PAGE), 3 * PAGE);
	for (int i = 0; i < 5 * PAGE; i++) {
		ck_assert_uint_eq(big[i], i / PAGE == 1 || i / PAGE == 3 ? 0xAA : 0);
	}
	memset(big, 0x55, 16);
	ck_assert_uint_eq(space_read(&sp, 0x2000, big, 8), 8);
	ck_assert_uint_eq(big[0] | big[7], 0);
	ck_assert_uint_eq(big[8], 0x55);
	ck_assert_uint_eq(space_read(&sp, 0x1010, big, 0), 0);
	ck_assert_uint_eq(space_write(&sp, 0x1010, big, 0), 0);
	ck_assert_uint_eq(space_write(&sp, 0x8000, big, 8), 8);
	free(big);
}

TEST(read_only_window_drops_writes) {
	static PICA_ALIGNED(64) uint8_t mem[PAGE];
	memset(mem, 9, sizeof(mem));
	ck_assert_int_eq(space_map(&sp, 0x1000, PAGE, mem, PICA_MAP_READ_ONLY), 0);
	ck_assert_int_eq(space_map(&sp, 0x2000, PAGE, NULL, 0), 0);
	ck_assert_ptr_eq(space_host(&sp, 0x1000, PAGE), mem);
	ck_assert_ptr_null(space_host_writable(&sp, 0x1000, 4));
	ck_assert_ptr_nonnull(space_host_writable(&sp, 0x2000, 4));
	const uint8_t in[4] = { 1, 2, 3, 4 };
	ck_assert_uint_eq(space_write(&sp, 0x1FFE, in, 4), 2);
	ck_assert_uint_eq(mem[PAGE - 1], 9);
	ck_assert_uint_eq(*space_host(&sp, 0x2000, 1), 3);
	uint8_t byte = 0;
	ck_assert_uint_eq(space_read(&sp, 0x1800, &byte, 1), 0);
	ck_assert_uint_eq(byte, 9);
}

static uint64_t stamp(uint32_t addr, uint32_t size) {
	return space_stamp(&sp, (struct range){ addr, size });
}

TEST(stamps_rise_with_every_write_of_a_page) {
	ck_assert_int_eq(space_map(&sp, 0x10000, 4 * PAGE, NULL, 0), 0);
	uint64_t mapped = stamp(0x10000, 4 * PAGE);
	ck_assert_uint_gt(mapped, 0);
	ck_assert_uint_eq(stamp(0, PAGE), 0);
	space_touch(&sp, (struct range){ 0x11FFF, 2 }, 0);
	uint64_t first = stamp(0x10000, 4 * PAGE);
	ck_assert_uint_gt(first, mapped);
	ck_assert_uint_eq(stamp(0x10000, PAGE), mapped);
	ck_assert_uint_eq(stamp(0x11000, 1), first);
	ck_assert_uint_eq(stamp(0x12FFF, 1), first);
	ck_assert_uint_eq(stamp(0x13000, PAGE), mapped);
	uint8_t byte = 1;
	space_write(&sp, 0x13004, &byte, 1);
	ck_assert_uint_gt(stamp(0x13000, 1), first);
	ck_assert_uint_eq(stamp(0x11000, 2 * PAGE), first);
	space_touch(&sp, (struct range){ 0x10000, 0 }, 0);
	ck_assert_uint_eq(stamp(0x10000, PAGE), mapped);
	ck_assert_uint_eq(stamp(0x10000, 0), 0);
	/* Around the window, past the end of the address space. */
	space_touch(&sp, (struct range){ 0x1000, 0xFFFFFFFF }, 0);
	ck_assert_uint_gt(stamp(0x10000, PAGE), first);
	/* Another window at the same place is newer than anything decoded from the first. */
	uint64_t before = stamp(0x10000, 4 * PAGE);
	ck_assert_int_eq(space_unmap(&sp, 0x10000), 0);
	ck_assert_uint_eq(stamp(0x10000, PAGE), 0);
	ck_assert_int_eq(space_map(&sp, 0x10000, PAGE, NULL, 0), 0);
	ck_assert_uint_gt(stamp(0x10000, PAGE), before);
}

TEST(rendered_pages_are_known_by_frame) {
	ck_assert_int_eq(space_map(&sp, 0x10000, 2 * PAGE, NULL, 0), 0);
	ck_assert_int_eq(space_map(&sp, 0x12000, 2 * PAGE, NULL, 0), 0);
	struct range all = { 0x10800, 0x3000 };
	ck_assert(!space_rendered_in(&sp, all, 5));
	space_touch(&sp, all, 5);
	ck_assert(space_rendered_in(&sp, all, 5));
	ck_assert(!space_rendered_in(&sp, all, 4));
	ck_assert(!space_rendered_in(&sp, all, 0));
	ck_assert(!space_rendered_in(&sp, (struct range){ 0x10800, 0 }, 5));
	ck_assert(!space_rendered_in(&sp, (struct range){ 0xF000, 0x2000 }, 5));
	ck_assert(!space_rendered_in(&sp, (struct range){ 0x13000, 0x1001 }, 5));
	uint8_t byte = 1;
	space_write(&sp, 0x11000, &byte, 1);
	ck_assert(!space_rendered_in(&sp, all, 5));
	ck_assert(space_rendered_in(&sp, (struct range){ 0x12000, PAGE }, 5));
	space_touch(&sp, (struct range){ 0x11FFF, 1 }, 6);
	ck_assert(space_rendered_in(&sp, (struct range){ 0x11000, PAGE }, 6));
	ck_assert(!space_rendered_in(&sp, all, 6));
}

TEST(ranges_overlap_only_where_they_share_a_byte) {
	struct range a = { 0x1000, 0x100 };
	ck_assert(ranges_overlap(a, a));
	ck_assert(ranges_overlap(a, (struct range){ 0x10FF, 1 }));
	ck_assert(!ranges_overlap(a, (struct range){ 0x1100, 1 }));
	ck_assert(!ranges_overlap(a, (struct range){ 0xFFF, 1 }));
	ck_assert(ranges_overlap(a, (struct range){ 0xFFF, 2 }));
	ck_assert(!ranges_overlap(a, (struct range){ 0x1010, 0 }));
	/* The end at 2^32 does not wrap. */
	ck_assert(!ranges_overlap((struct range){ 0xFFFFF000, 0x2000 }, (struct range){ 0, 16 }));
}
