/*
 * The operating system's command queue becomes jobs. [fidelity: gsp-queue]
 *
 * Byte 0 of the interrupt queue is the client's next read position, not the service's write
 * position. [libctru] It is a guess under which conditions a queue halts and resumes, and that new
 * screens follow the copy. [guess]
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "pica_gsp.h"

#include "core/base/attributes.h"
#include "job.h"
#include "pica/xfer/ports.h"

/* Layout of the shared memory, in bytes. */
enum {
	INTERRUPTS = 0x000,
	INTERRUPTS_STEP = 0x40, /* from client to client */
	MISSED_PDC0 = 4,
	INTERRUPT_IDS = 0x0C,
	INTERRUPT_SLOTS = 52,

	SCREENS = 0x200,
	SCREENS_STEP = 0x80,
	SCREEN_STEP = 0x40, /* from the top screen to the bottom one */
	SCREEN_ENTRIES = 4,
	SCREEN_ENTRY_BYTES = 0x1C,

	COMMANDS = 0x800,
	COMMANDS_STEP = 0x200,
	ERROR_CODE = 4,
	COMMAND_ENTRIES = 0x20,
	COMMAND_SLOTS = 15,
	COMMAND_BYTES = 32,
};

/* Words of an entry of the screen info. */
enum { SCREEN_BUFFER, SCREEN_LEFT, SCREEN_RIGHT, SCREEN_STRIDE, SCREEN_FORMAT, SCREEN_SELECT };

enum {
	PSC_START_BIT = 1,
	PPF_START_BIT = 1,
	PPF_UNKNOWN = 0xC14 / 4, /* DisplayTransfer writes 0 */
	PPF_CONTROL = 0xC18 / 4,
	NO_PDC = 1,   /* byte 3 of the interrupt queue */
	IS_DIRTY = 1, /* byte 1 of a screen info */
	HALTED = 1,   /* byte 2 of the command queue */
	FAILED = 0x80,
	STOP = 1 << 16, /* of a command's first word */
};

static _Atomic uint32_t *word_at(void *shared, uint32_t offset) {
	return (_Atomic uint32_t *)(void *)((uint8_t *)shared + offset);
}

/*
 * Acquire: sees the client's writes before it raised a count. Release: publishes our work before a
 * count is lowered.
 */
static uint32_t load(void *shared, uint32_t offset) {
	return atomic_load_explicit(word_at(shared, offset), memory_order_acquire);
}

static bool change(void *shared, uint32_t offset, uint32_t *seen, uint32_t word) {
	return atomic_compare_exchange_weak_explicit(word_at(shared, offset), seen, word,
			memory_order_acq_rel, memory_order_acquire);
}

static uint32_t byte_of(uint32_t word, unsigned i) {
	return word >> (8 * i) & 0xFF;
}

/* ---- Addresses ---- */

static const struct {
	uint32_t virt, size_bytes, phys;
} usual_map[] = {
	{ 0x14000000, 0x08000000, 0x20000000 }, /* FCRAM, linear, older layout */
	{ 0x1E800000, 0x00400000, 0x1F000000 }, /* extra memory of the newer model */
	{ 0x1F000000, 0x00600000, 0x18000000 }, /* VRAM */
	{ 0x30000000, 0x10000000, 0x20000000 }, /* FCRAM, linear, newer layout */
};

/* An address without memory becomes 0, as in the system. The jobs check the end of a range. */
static int usual_translate(void *user, uint32_t virt, uint32_t size_bytes, uint32_t *phys) {
	*phys = 0;
	for (unsigned i = 0; i < ARRAY_LEN(usual_map); i++) {
		if (virt >= usual_map[i].virt &&
				virt - usual_map[i].virt < usual_map[i].size_bytes) {
			*phys = usual_map[i].phys + (virt - usual_map[i].virt);
		}
	}
	return 0;
}

struct import {
	void *shared;
	unsigned client;
	pica_gsp_translate_fn *translate;
	void *user;
	struct pica_gsp_command *out;
};

/* On failure sets the command's result, and returns 0. */
static uint32_t physical(const struct import *m, uint32_t virt, uint32_t size_bytes) {
	uint32_t phys = 0;
	if (m->translate(m->user, virt, size_bytes, &phys) < 0) {
		m->out->result = -ERANGE;
		return 0;
	}
	return phys;
}

/* ---- Jobs ---- */

static void add_register(const struct import *m, uint32_t word, uint32_t value) {
	struct pica_job *job = &m->out->jobs[m->out->n_jobs++];
	job->op = PICA_OP_REG_WRITE;
	job->u.reg_write.addr = EXT_BASE + 4 * word;
	job->u.reg_write.value = value;
}

static void add_change(const struct import *m, uint32_t phys, uint32_t size_bytes) {
	struct pica_job *job = &m->out->jobs[m->out->n_jobs++];
	job->op = PICA_OP_INVALIDATE;
	job->u.invalidate.addr = phys;
	job->u.invalidate.size_bytes = size_bytes;
}

static void request_dma(const struct import *m, const uint32_t *w) {
	struct pica_gsp_command *c = m->out;
	c->interrupts = 1u << PICA_GSP_INTERRUPT_DMA;
	if (w[3] == 0) {
		return;
	}
	c->dma_src = physical(m, w[1], w[3]);
	c->dma_dst = physical(m, w[2], w[3]);
	c->dma_bytes = w[3];
	add_change(m, c->dma_dst, w[3]);
}

static void process_list(const struct import *m, const uint32_t *w) {
	struct pica_job *job = &m->out->jobs[m->out->n_jobs++];
	job->op = PICA_OP_LIST;
	job->u.list.addr = physical(m, w[1], w[2]);
	job->u.list.size_bytes = w[2];
	m->out->updates_gas = w[3] & 1;
	m->out->interrupts = 1u << PICA_INTERRUPT_P3D;
}

static void fill_unit(const struct import *m, unsigned unit, const uint32_t *w, uint32_t control) {
	const uint32_t at = unit * PSC_UNIT_WORDS;
	/* The end is not part of the range. */
	const uint32_t start = physical(m, w[0], 0), end = physical(m, w[2] - 1, 0) + 1;
	add_register(m, EXT_PSC_START + at, start >> XFER_ADDR_SHIFT);
	add_register(m, EXT_PSC_END + at, end >> XFER_ADDR_SHIFT);
	add_register(m, EXT_PSC_VALUE + at, w[1]);
	add_register(m, EXT_PSC_CONTROL + at, (control & 0xFFFF) | PSC_START_BIT);
}

static void memory_fill(const struct import *m, const uint32_t *w) {
	if (w[1]) {
		fill_unit(m, 0, &w[1], w[7]);
	}
	if (w[4]) {
		fill_unit(m, 1, &w[4], w[7] >> 16);
	}
	m->out->interrupts = w[1] ? 1u << PICA_INTERRUPT_PSC0 : w[4] ? 1u << PICA_INTERRUPT_PSC1 :
			0;
}

static void addresses(const struct import *m, const uint32_t *w) {
	add_register(m, EXT_PPF_SRC, physical(m, w[1], 0) >> XFER_ADDR_SHIFT);
	add_register(m, EXT_PPF_DST, physical(m, w[2], 0) >> XFER_ADDR_SHIFT);
	m->out->interrupts = 1u << PICA_INTERRUPT_PPF;
}

static void display_transfer(const struct import *m, const uint32_t *w) {
	addresses(m, w);
	add_register(m, EXT_PPF_IN_DIM, w[3]);
	add_register(m, EXT_PPF_OUT_DIM, w[4]);
	add_register(m, EXT_PPF_FLAGS, w[5]);
	add_register(m, PPF_UNKNOWN, 0);
	add_register(m, PPF_CONTROL, PPF_START_BIT);
}

static void texture_copy(const struct import *m, const uint32_t *w) {
	addresses(m, w);
	add_register(m, EXT_PPF_COPY_SIZE, w[3]);
	add_register(m, EXT_PPF_COPY_IN_LINE, w[4]);
	add_register(m, EXT_PPF_COPY_OUT_LINE, w[5]);
	add_register(m, EXT_PPF_FLAGS, w[6]);
	add_register(m, PPF_CONTROL, PPF_START_BIT);
}

static void flush_regions(const struct import *m, const uint32_t *w) {
	for (unsigned i = 1; i < 7; i += 2) {
		if (w[i + 1]) {
			add_change(m, physical(m, w[i], w[i + 1]), w[i + 1]);
		}
	}
}

/* The client's new settings of a screen, if any. */
static void push_screen(const struct import *m, unsigned screen) {
	const uint32_t info = SCREENS + m->client * SCREENS_STEP + screen * SCREEN_STEP;
	uint32_t head = load(m->shared, info);
	do {
		if (!(byte_of(head, 1) & IS_DIRTY)) {
			return;
		}
	} while (!change(m->shared, info, &head, head & ~((uint32_t)IS_DIRTY << 8)));
	uint32_t w[SCREEN_SELECT + 1];
	for (unsigned i = 0; i < ARRAY_LEN(w); i++) {
		w[i] = load(m->shared,
				info + SCREEN_ENTRIES + (head & 1) * SCREEN_ENTRY_BYTES + 4 * i);
	}
	const uint32_t at = screen * PDC_UNIT_WORDS, second = w[SCREEN_BUFFER] & 1;
	uint32_t left = 0, right = 0;
	if (m->translate(m->user, w[SCREEN_LEFT], 0, &left) == 0) {
		add_register(m, at + (second ? EXT_PDC_ADDR_LEFT1 : EXT_PDC_ADDR_LEFT0), left);
	}
	if (m->translate(m->user, w[SCREEN_RIGHT], 0, &right) == 0) {
		add_register(m, at + (second ? EXT_PDC_ADDR_RIGHT1 : EXT_PDC_ADDR_RIGHT0), right);
	}
	add_register(m, at + EXT_PDC_STRIDE, w[SCREEN_STRIDE]);
	add_register(m, at + EXT_PDC_FORMAT, w[SCREEN_FORMAT]);
	add_register(m, at + EXT_PDC_SELECT, w[SCREEN_SELECT]);
}

static void import(const struct import *m) {
	struct pica_gsp_command *c = m->out;
	switch (c->id) {
	case PICA_GSP_REQUEST_DMA:
		request_dma(m, c->words);
		break;
	case PICA_GSP_PROCESS_LIST:
		process_list(m, c->words);
		break;
	case PICA_GSP_MEMORY_FILL:
		memory_fill(m, c->words);
		break;
	case PICA_GSP_DISPLAY_TRANSFER:
		display_transfer(m, c->words);
		break;
	case PICA_GSP_TEXTURE_COPY:
		texture_copy(m, c->words);
		break;
	case PICA_GSP_FLUSH_REGIONS:
		flush_regions(m, c->words);
		break;
	default:
		c->result = -EINVAL;
		break;
	}
	const char *reason;
	for (unsigned i = 0; c->result == 0 && i < c->n_jobs; i++) {
		c->result = job_check(&c->jobs[i], &reason);
	}
	if (c->result < 0) {
		c->n_jobs = c->interrupts = c->dma_src = c->dma_dst = c->dma_bytes =
				c->updates_gas = 0;
		memset(c->jobs, 0, sizeof(c->jobs));
	} else if (c->id == PICA_GSP_DISPLAY_TRANSFER || c->id == PICA_GSP_TEXTURE_COPY) {
		push_screen(m, 0);
		push_screen(m, 1);
	}
}

/* ---- Queues ---- */

/* The queue's first word. False: no queue has it. */
static bool command_head(void *shared, unsigned client, uint32_t *head) {
	if (client >= PICA_GSP_CLIENTS) {
		return false;
	}
	*head = load(shared, COMMANDS + client * COMMANDS_STEP);
	return byte_of(*head, 0) < COMMAND_SLOTS && byte_of(*head, 1) <= COMMAND_SLOTS;
}

PICA_EXPORT int pica_gsp_take(void *shared, unsigned client, pica_gsp_translate_fn *translate,
		void *user, struct pica_gsp_command *out) {
	const uint32_t queue = COMMANDS + client * COMMANDS_STEP;
	uint32_t head, next;
	if (!command_head(shared, client, &head)) {
		return -EINVAL;
	}
	memset(out, 0, sizeof(*out));
	do {
		const uint32_t index = byte_of(head, 0), count = byte_of(head, 1);
		if (index >= COMMAND_SLOTS || count > COMMAND_SLOTS) {
			return -EINVAL;
		}
		if (byte_of(head, 3) & 1) {
			next = head | (uint32_t)HALTED << 16; /* the client has halted the queue */
		} else if (count == 0 || (byte_of(head, 2) & HALTED)) {
			return 0;
		} else {
			for (unsigned i = 0; i < 8; i++) {
				out->words[i] = load(shared,
						queue + COMMAND_ENTRIES + index * COMMAND_BYTES +
								4 * i);
			}
			const uint32_t halted = out->words[0] & STOP ? (uint32_t)HALTED << 16 : 0;
			next = (head & 0xFFFF0000) | halted | (count - 1) << 8 |
					(index + 1) % COMMAND_SLOTS;
		}
	} while (!change(shared, queue, &head, next));
	if (byte_of(head, 3) & 1) {
		return 0;
	}
	out->id = out->words[0] & 0xFF;
	const struct import m = { shared, client, translate ? translate : usual_translate, user,
		out };
	import(&m);
	return 1;
}

PICA_EXPORT int pica_gsp_trigger(void *shared, unsigned client) {
	uint32_t head;
	if (!command_head(shared, client, &head)) {
		return -EINVAL;
	}
	atomic_fetch_and_explicit(word_at(shared, COMMANDS + client * COMMANDS_STEP),
			~((uint32_t)HALTED << 16 | 1u << 24), memory_order_acq_rel);
	return 0;
}

PICA_EXPORT int pica_gsp_set_error(void *shared, unsigned client, uint32_t code) {
	const uint32_t queue = COMMANDS + client * COMMANDS_STEP;
	uint32_t head;
	if (!command_head(shared, client, &head)) {
		return -EINVAL;
	}
	atomic_store_explicit(word_at(shared, queue + ERROR_CODE), code, memory_order_relaxed);
	atomic_fetch_or_explicit(
			word_at(shared, queue), (uint32_t)FAILED << 16, memory_order_acq_rel);
	return 0;
}

static void miss(void *shared, uint32_t queue, unsigned interrupt) {
	if (interrupt == PICA_INTERRUPT_PDC0 || interrupt == PICA_INTERRUPT_PDC1) {
		const uint32_t at = queue + MISSED_PDC0 + 4 * (interrupt - PICA_INTERRUPT_PDC0);
		atomic_fetch_add_explicit(word_at(shared, at), 1, memory_order_relaxed);
	}
}

PICA_EXPORT int pica_gsp_interrupt(void *shared, unsigned client, unsigned interrupt) {
	if (client >= PICA_GSP_CLIENTS || interrupt > PICA_GSP_INTERRUPT_DMA) {
		return -EINVAL;
	}
	const uint32_t queue = INTERRUPTS + client * INTERRUPTS_STEP;
	const bool is_pdc = interrupt == PICA_INTERRUPT_PDC0 || interrupt == PICA_INTERRUPT_PDC1;
	uint32_t head = load(shared, queue), next;
	do {
		const uint32_t index = byte_of(head, 0), count = byte_of(head, 1);
		if (index >= INTERRUPT_SLOTS || count > INTERRUPT_SLOTS) {
			return -EINVAL;
		}
		if (is_pdc && (byte_of(head, 3) & NO_PDC)) {
			return 0;
		}
		if (count == INTERRUPT_SLOTS) {
			next = head | 1u << 16;
		} else {
			/*
			 * The slot is free until the count is raised; index and count change
			 * together.
			 */
			uint8_t *ids = (uint8_t *)shared + queue + INTERRUPT_IDS;
			atomic_store_explicit(
					(_Atomic uint8_t *)&ids[(index + count) % INTERRUPT_SLOTS],
					(uint8_t)interrupt, memory_order_relaxed);
			next = head + (1u << 8);
		}
	} while (!change(shared, queue, &head, next));
	if (byte_of(head, 1) == INTERRUPT_SLOTS) {
		miss(shared, queue, interrupt);
		return 0;
	}
	return 1;
}
