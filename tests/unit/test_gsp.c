/* The system's command queue, with the numbers [fidelity: external-registers]. */

#include "engine_rig.h"
#include "pica_gsp.h"
#include "tests/suite.h"

enum { VRAM_VIRT = 0x1F000000, FCRAM_VIRT = 0x14000000 };

static _Alignas(4) uint8_t shared[PICA_GSP_SHARED_BYTES];
static struct pica_gsp_command c;

static uint32_t *word(uint32_t offset) {
	return (uint32_t *)(void *)(shared + offset);
}

/* As a client does: after the waiting commands. */
static void put(unsigned client, const uint32_t words[8]) {
	uint8_t *queue = shared + 0x800 + client * 0x200;
	memcpy(queue + 0x20 + (queue[0] + queue[1]) % 15 * 32, words, 32);
	queue[1]++;
}

static int take(unsigned client) {
	return pica_gsp_take(shared, client, NULL, NULL, &c);
}

static void run(void) {
	uint64_t seq = 0;
	ck_assert_int_eq(c.result, 0);
	ck_assert_int_eq(pica_submit(ctx, c.jobs, c.n_jobs, &seq), 0);
	ck_assert_int_eq(finish(seq).result, 0);
}

static void setup(void) {
	memset(shared, 0, sizeof(shared));
	open_engine(0, NULL);
}

static void teardown(void) {
	close_engine();
}

FORKED_TESTS
FIXTURE(setup, teardown)

TEST(commands_are_taken_in_order_around_the_ring) {
	for (uint32_t i = 0; i < 40; i++) {
		for (unsigned k = 0; k < 2; k++) {
			put(3,
					(const uint32_t[8]){ PICA_GSP_FLUSH_REGIONS,
							FCRAM_VIRT + 0x1000, 2 * i + k });
		}
		for (unsigned k = 0; k < 2; k++) {
			ck_assert_int_eq(take(3), 1);
			ck_assert_uint_eq(c.id, PICA_GSP_FLUSH_REGIONS);
			ck_assert_uint_eq(c.words[2], 2 * i + k);
		}
		ck_assert_int_eq(take(3), 0);
		ck_assert_uint_eq(shared[0xE00], (2 * i + 2) % 15);
	}
	ck_assert_int_eq(take(0), 0);
}

TEST(fill_writes_the_bytes_of_the_console) {
	static const struct { uint32_t value, control; uint8_t bytes[8]; } cases[] = {
		{ 0x00FFFFFF, 2 << 8 | 1, { 0xFF, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0xFF, 0 } },
		{ 0x0000FFFF, 2 << 8 | 1, { 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0 } },
		{ 0x00FFFF00, 1 << 8 | 1, { 0, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0, 0xFF } },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[16];
		put(0,
				(const uint32_t[8]){ PICA_GSP_MEMORY_FILL, VRAM_VIRT,
						cases[i].value, VRAM_VIRT + 0x100, 0, 0, 0,
						cases[i].control });
		ck_assert_int_eq(take(0), 1);
		ck_assert_uint_eq(c.n_jobs, 4);
		ck_assert_uint_eq(c.interrupts, 1 << PICA_INTERRUPT_PSC0);
		run();
		ck_assert_int_eq(pica_ctx_read_memory(ctx, VRAM, bytes, sizeof(bytes)), 0);
		ck_assert_mem_eq(bytes, cases[i].bytes, 8);
		ck_assert_int_eq(pica_ctx_read_memory(ctx, VRAM + 0x100, bytes, 4), 0);
		ck_assert_uint_eq(bytes[0] | bytes[1], 0); /* the end is exclusive */
	}
	/* Both units: the client gets the interrupt of the first; the second alone is delivered. */
	uint32_t words[8] = { PICA_GSP_MEMORY_FILL, VRAM_VIRT, 1, VRAM_VIRT + 0x10,
		VRAM_VIRT + 0x40, 0x12345678, VRAM_VIRT + 0x50, (2 << 8 | 1) * 0x10001u };
	put(0, words);
	words[1] = 0;
	put(0, words);
	ck_assert_int_eq(take(0), 1);
	ck_assert_uint_eq(c.n_jobs, 8);
	ck_assert_uint_eq(c.interrupts, 1 << PICA_INTERRUPT_PSC0);
	run();
	uint32_t value;
	ck_assert_int_eq(pica_ctx_read_memory(ctx, VRAM + 0x4C, &value, 4), 0);
	ck_assert_uint_eq(value, 0x12345678);
	ck_assert_int_eq(take(0), 1);
	ck_assert_uint_eq(c.n_jobs, 4);
	ck_assert_uint_eq(c.interrupts, 1 << PICA_INTERRUPT_PSC1);
}

/* 128x128, tiled to linear: in[1], in[2], in[13] -> out[1], out[128], out[2*128+3]. */
TEST(transfer_and_copy_reach_the_engine) {
	uint32_t pixels[16], value;
	for (uint32_t i = 0; i < 16; i++) {
		pixels[i] = 0x01010101 * (i + 1);
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, FCRAM + 0x2000, pixels, sizeof(pixels)), 0);
	put(0,
			(const uint32_t[8]){ PICA_GSP_DISPLAY_TRANSFER, FCRAM_VIRT + 0x2000,
					VRAM_VIRT, 128 << 16 | 128, 128 << 16 | 128, 0 });
	ck_assert_int_eq(take(0), 1);
	ck_assert_uint_eq(c.interrupts, 1 << PICA_INTERRUPT_PPF);
	run();
	static const unsigned at[][2] = { { 1, 1 }, { 2, 128 }, { 13, 2 * 128 + 3 } };
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(pica_ctx_read_memory(ctx, VRAM + 4 * at[i][1], &value, 4), 0);
		ck_assert_uint_eq(value, pixels[at[i][0]]);
	}
	/* Every other 16 bytes of the source, packed. */
	put(0,
			(const uint32_t[8]){ PICA_GSP_TEXTURE_COPY, FCRAM_VIRT + 0x2000,
					VRAM_VIRT + 0x10000, 32, 1 << 16 | 1, 2, 8 });
	ck_assert_int_eq(take(0), 1);
	run();
	ck_assert_int_eq(pica_ctx_read_memory(ctx, VRAM + 0x10010, &value, 4), 0);
	ck_assert_uint_eq(value, pixels[8]);
	/* Without b3 it is a transfer of the dimensions that the registers still have. */
	put(0,
			(const uint32_t[8]){ PICA_GSP_TEXTURE_COPY, FCRAM_VIRT + 0x2000,
					VRAM_VIRT + 0x20000, 0, 0, 0, 0 });
	ck_assert_int_eq(take(0), 1);
	run();
	ck_assert_int_eq(pica_ctx_read_memory(ctx, VRAM + 0x20000 + 4 * 128, &value, 4), 0);
	ck_assert_uint_eq(value, pixels[2]);
}

TEST(list_draws_and_dma_is_the_callers) {
	struct pica_emit e;
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e.words, 4 * (uint32_t)e.count), 0);
	put(1,
			(const uint32_t[8]){ PICA_GSP_PROCESS_LIST, 0x30000000 + (LIST - FCRAM),
					4 * (uint32_t)e.count, 1, 0, 0, 0, 1 });
	put(1, (const uint32_t[8]){ PICA_GSP_REQUEST_DMA, FCRAM_VIRT, VRAM_VIRT, 77, 0, 0, 0, 1 });
	pica_emit_finish(&e);
	ck_assert_int_eq(take(1), 1);
	ck_assert_uint_eq(c.interrupts, 1 << PICA_INTERRUPT_P3D);
	ck_assert_uint_eq(c.updates_gas, 1);
	run();
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	ck_assert_int_eq(take(1), 1);
	ck_assert_uint_eq(c.dma_src, FCRAM);
	ck_assert_uint_eq(c.dma_dst, VRAM);
	ck_assert_uint_eq(c.dma_bytes, 77);
	ck_assert_uint_eq(c.interrupts, 1 << PICA_GSP_INTERRUPT_DMA);
	ck_assert_uint_eq(c.n_jobs, 1);
	ck_assert_uint_eq(c.jobs[0].op, PICA_OP_INVALIDATE);
	run();
}

TEST(new_screens_come_with_a_transfer) {
	/* Entry 1 of the bottom screen of client 2 is new. */
	uint32_t *info = word(0x240 + 2 * 0x80);
	info[0] = 1 | 1 << 8;
	const uint32_t entry[7] = { 1, VRAM_VIRT + 0x8F000, VRAM_VIRT, 720, 0x80301, 1, 0 };
	memcpy(info + 8, entry, sizeof(entry));
	put(2,
			(const uint32_t[8]){ PICA_GSP_DISPLAY_TRANSFER, FCRAM_VIRT, VRAM_VIRT,
					8 << 16 | 8, 8 << 16 | 8, 0 });
	put(2,
			(const uint32_t[8]){ PICA_GSP_DISPLAY_TRANSFER, FCRAM_VIRT, VRAM_VIRT,
					8 << 16 | 8, 8 << 16 | 8, 0 });
	ck_assert_int_eq(take(2), 1);
	ck_assert_uint_eq(c.n_jobs, 12);
	ck_assert_uint_eq(info[0], 1);
	run();
	static const uint32_t want[][2] = { { 0x1040056C, 0x1808F000 }, { 0x10400598, 0x18000000 },
		{ 0x10400590, 720 }, { 0x10400570, 0x80301 }, { 0x10400578, 1 } };
	for (unsigned i = 0; i < 5; i++) {
		uint32_t value;
		ck_assert_int_eq(pica_ctx_read_external(ctx, want[i][0], &value), 0);
		ck_assert_uint_eq(value, want[i][1]);
	}
	ck_assert_int_eq(take(2), 1);
	ck_assert_uint_eq(c.n_jobs, 7);
}

TEST(queue_stops_and_continues) {
	put(0, (const uint32_t[8]){ PICA_GSP_FLUSH_REGIONS | 1 << 16 });
	put(0, (const uint32_t[8]){ PICA_GSP_FLUSH_REGIONS });
	put(0, (const uint32_t[8]){ PICA_GSP_FLUSH_REGIONS });
	ck_assert_int_eq(take(0), 1);
	ck_assert_uint_eq(shared[0x802], 1);
	ck_assert_int_eq(take(0), 0);
	ck_assert_int_eq(pica_gsp_trigger(shared, 0), 0);
	ck_assert_int_eq(take(0), 1);
	shared[0x803] = 1;
	ck_assert_int_eq(take(0), 0);
	ck_assert_uint_eq(shared[0x802], 1);
	ck_assert_int_eq(pica_gsp_trigger(shared, 0), 0);
	ck_assert_int_eq(take(0), 1);
	ck_assert_int_eq(pica_gsp_set_error(shared, 0, 0xC8A02A0F), 0);
	ck_assert_uint_eq(shared[0x802], 0x80);
	ck_assert_uint_eq(*word(0x804), 0xC8A02A0F);
}

static int nowhere(void *user, uint32_t virt, uint32_t size_bytes, uint32_t *phys) {
	return -1;
}

TEST(malformed_commands_are_reported_and_give_no_jobs) {
	static const struct { uint32_t words[8]; int result;
	} cases[] = {
		{ { 6 }, -EINVAL },
		{ { 255, 1, 2, 3 }, -EINVAL },
		{ { PICA_GSP_PROCESS_LIST, FCRAM_VIRT + 4, 64 }, -EINVAL },
		{ { PICA_GSP_PROCESS_LIST, FCRAM_VIRT, 60 }, -EINVAL },
		{ { PICA_GSP_PROCESS_LIST, FCRAM_VIRT, 0xFFFFFFF8 }, -EINVAL },
		{ { PICA_GSP_REQUEST_DMA, FCRAM_VIRT, FCRAM_VIRT + 64, 0xFFFFFFFF }, -EINVAL },
		{ { PICA_GSP_FLUSH_REGIONS, FCRAM_VIRT, 16, FCRAM_VIRT + 64, 0xFFFFFFFF },
				-EINVAL },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(0, cases[i].words);
		ck_assert_int_eq(take(0), 1);
		ck_assert_msg(c.result == cases[i].result, "case %zu", i);
		ck_assert_uint_eq(c.n_jobs, 0);
		ck_assert_uint_eq(c.dma_bytes, 0);
		ck_assert_uint_eq(c.interrupts, 0);
	}
	put(0, (const uint32_t[8]){ PICA_GSP_PROCESS_LIST, FCRAM_VIRT, 64 });
	ck_assert_int_eq(pica_gsp_take(shared, 0, nowhere, NULL, &c), 1);
	ck_assert_int_eq(c.result, -ERANGE);
	ck_assert_uint_eq(c.n_jobs, 0);
	/* Queues that no client would leave. */
	ck_assert_int_eq(take(4), -EINVAL);
	shared[0x800] = 15;
	ck_assert_int_eq(take(0), -EINVAL);
	ck_assert_int_eq(pica_gsp_trigger(shared, 0), -EINVAL);
	shared[0x800] = 14;
	shared[0x801] = 16;
	ck_assert_int_eq(take(0), -EINVAL);
	ck_assert_int_eq(pica_gsp_set_error(shared, 0, 1), -EINVAL);
}

TEST(any_bytes_end) {
	uint32_t state = 12345;
	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned i = 0; i < sizeof(shared); i += 4) {
			state = state * 1664525 + 1013904223;
			/* small numbers, too */
			*word(i) = round & 1 ? state : state >> (state >> 27);
		}
		for (unsigned client = 0; client < 4; client++) {
			uint8_t *queue = shared + 0x800 + client * 0x200;
			queue[0] %= 16;
			queue[1] %= 17;
			queue[2] = queue[3] = 0;
			unsigned taken = 0;
			int ret;
			while ((ret = take(client)) > 0) {
				ck_assert_uint_le(c.n_jobs, PICA_GSP_MAX_JOBS);
				ck_assert_uint_le(++taken, 15);
				if (c.id > PICA_GSP_PROCESS_LIST) {
					pica_gsp_trigger(shared, client);
				}
			}
			ck_assert(ret == 0 || ret == -EINVAL);
		}
	}
}

TEST(interrupts_wait_for_the_client) {
	for (unsigned i = 0; i < 52; i++) {
		shared[0x40] = 50; /* where client 1 reads */
		ck_assert_int_eq(pica_gsp_interrupt(shared, 1, i % 7), 1);
		ck_assert_uint_eq(shared[0x41], i + 1);
		ck_assert_uint_eq(shared[0x4C + (50 + i) % 52], i % 7);
	}
	ck_assert_int_eq(pica_gsp_interrupt(shared, 1, PICA_INTERRUPT_PDC1), 0);
	ck_assert_int_eq(pica_gsp_interrupt(shared, 1, PICA_INTERRUPT_P3D), 0);
	ck_assert_uint_eq(shared[0x42], 1);
	ck_assert_uint_eq(*word(0x44), 0);
	ck_assert_uint_eq(*word(0x48), 1);
	/* No PDC is wanted. */
	shared[0x83] = 1;
	ck_assert_int_eq(pica_gsp_interrupt(shared, 2, PICA_INTERRUPT_PDC0), 0);
	ck_assert_int_eq(pica_gsp_interrupt(shared, 2, PICA_INTERRUPT_PPF), 1);
	ck_assert_uint_eq(shared[0x81], 1);
	ck_assert_int_eq(pica_gsp_interrupt(shared, 4, 0), -EINVAL);
	ck_assert_int_eq(pica_gsp_interrupt(shared, 0, 7), -EINVAL);
	shared[0] = 52;
	ck_assert_int_eq(pica_gsp_interrupt(shared, 0, 0), -EINVAL);
}
