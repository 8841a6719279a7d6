/*
 * List sizes. The Citra family records 0x104018E0 in bytes, hardware counts 8 bytes. The loads
 * around each start of a list show which of the two a file means. [fidelity: citrace-recorder]
 *
 *  - A load since the last start begins at the list: its size is the register's value (bytes) or
 *    eight times that (hardware units).
 *  - Else the reading under which the list's last two words are a FINALIZE write; hardware units
 *    where neither are.
 *
 * The second rule needs bytes of memory at that moment. Only the 16 bytes that it reads for each
 * start are tracked, as leaves of a tree. Each load, in stream order, writes its number to the
 * nodes that make up its range; the latest load of a byte is the largest number between its leaf
 * and the root, so a load of any size costs O(log n).
 */
#include "capture/citrace/ctf.h"

#include <errno.h>
#include <stdlib.h>

#include "pica/regs/regs.h"

enum { PROBE_BYTES = 8, FINALIZE_VALUE = 0x12345678 };

/* A start of a list whose size was written since the last one. */
struct start {
	uint32_t trigger; /* element */
	uint32_t size;    /* element that wrote the size */
	uint32_t addr;    /* bytes */
	uint32_t value;   /* as recorded */
	enum { UNKNOWN, BYTES, UNITS } reading;
};

struct latest {
	uint32_t *addr;  /* n addresses, rising */
	uint32_t *stamp; /* 2 * n: inner nodes, then leaves; element + 1 of a load, or 0 */
	uint32_t n;
};

static int compare_u32(const void *a, const void *b) {
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Index of the first address that is not below addr. */
static uint32_t latest_find(const struct latest *l, uint64_t addr) {
	uint32_t lo = 0, hi = l->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (l->addr[mid] < addr) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

static void latest_load(struct latest *l, const struct ctf_element *e, uint32_t stamp) {
	uint64_t a = (uint64_t)latest_find(l, e->addr) + l->n;
	uint64_t b = (uint64_t)latest_find(l, (uint64_t)e->addr + e->size) + l->n;
	for (; a < b; a >>= 1, b >>= 1) {
		if (a & 1) {
			l->stamp[a++] = stamp;
		}
		if (b & 1) {
			l->stamp[--b] = stamp;
		}
	}
}

/* Returns the byte at a tracked address after the latest load; memory starts zeroed. */
static uint8_t latest_byte(const struct latest *l, const struct ctf *c, uint32_t addr) {
	uint32_t newest = 0;
	for (uint64_t at = (uint64_t)latest_find(l, addr) + l->n; at > 0; at >>= 1) {
		newest = l->stamp[at] > newest ? l->stamp[at] : newest;
	}
	if (newest == 0) {
		return 0;
	}
	struct ctf_element e = ctf_element_at(c, newest - 1);
	return c->data[e.data + (uint64_t)(addr - e.addr)];
}

/* Address of the last two words of a list of `bytes` bytes, or false if there are none. */
static bool tail_addr(const struct start *s, uint64_t bytes, uint32_t *addr) {
	uint64_t end = s->addr + (bytes & ~(uint64_t)7);
	if (bytes < PROBE_BYTES || end > UINT32_MAX) {
		return false;
	}
	*addr = (uint32_t)(end - PROBE_BYTES);
	return true;
}

static bool ends_on_finalize(const struct latest *l, const struct ctf *c,
		const struct start *s, uint64_t bytes) {
	uint32_t addr;
	if (!tail_addr(s, bytes, &addr)) {
		return false;
	}
	uint8_t tail[PROBE_BYTES];
	for (uint32_t i = 0; i < PROBE_BYTES; i++) {
		tail[i] = latest_byte(l, c, addr + i);
	}
	uint32_t value = capture_u32(tail), header = capture_u32(tail + 4);
	return value == FINALIZE_VALUE && (header & 0xFFFF) == REG_FINALIZE;
}

static bool usable_load(const struct ctf_element *e) {
	return e->type == CTF_LOAD && e->size > 0 && ctf_memory_ok(e->addr, e->size);
}

static bool usable_write(const struct ctf_element *e, uint32_t addr) {
	return e->type == CTF_WRITE && e->width == CTF_WIDTH_32 && e->addr == addr;
}

/* The first rule. Elements [from, s->trigger) come after the last start. */
static void read_by_load(const struct ctf *c, struct start *s, uint32_t from) {
	for (uint32_t i = s->trigger; i-- > from;) {
		struct ctf_element e = ctf_element_at(c, i);
		if (usable_load(&e) && e.addr == s->addr) {
			if (e.size == s->value) {
				s->reading = BYTES;
			} else if (e.size == (uint64_t)s->value * 8) {
				s->reading = UNITS;
			}
			return;
		}
	}
}

/* Finds the starts, reading each element at most twice. Returns their number. */
static uint32_t find_starts(const struct ctf *c, struct start *starts) {
	uint32_t n = 0, after_last = 0, size_element = 0, value = 0, addr = 0;
	bool have_size = false;
	/* A list address set before the recording. */
	const uint32_t addr_word = (CTF_LIST_ADDR - CTF_GPU_FIRST) / 4;
	if (c->array[CTF_GPU].words > addr_word) {
		addr = capture_u32(c->data + c->array[CTF_GPU].offset + 4 * (uint64_t)addr_word)
				<< 3;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		struct ctf_element e = ctf_element_at(c, i);
		if (usable_write(&e, CTF_LIST_SIZE)) {
			size_element = i;
			value = e.value;
			have_size = true;
		} else if (usable_write(&e, CTF_LIST_ADDR)) {
			addr = e.value << 3;
		} else if (usable_write(&e, CTF_LIST_START) && (e.value & 1)) {
			if (have_size) {
				starts[n] = (struct start){ .trigger = i,
					.size = size_element,
					.addr = addr,
					.value = value };
				read_by_load(c, &starts[n++], after_last);
			}
			have_size = false;
			after_last = i + 1;
		}
	}
	return n;
}

/* The second rule, for the starts that the first one did not decide. */
static int read_by_finalize(const struct ctf *c, struct start *starts, uint32_t n) {
	struct latest l = { NULL, NULL, 0 };
	uint64_t open = 0;
	for (uint32_t i = 0; i < n; i++) {
		open += starts[i].reading == UNKNOWN;
	}
	if (open == 0) {
		return 0;
	}
	l.addr = calloc(open, 2 * PROBE_BYTES * sizeof(*l.addr));
	if (!l.addr) {
		return -ENOMEM;
	}
	uint64_t total = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t addr;
		for (int units = 0; units < 2 && starts[i].reading == UNKNOWN; units++) {
			if (tail_addr(&starts[i],
					    units ? (uint64_t)starts[i].value * 8 : starts[i].value,
					    &addr)) {
				for (uint32_t b = 0; b < PROBE_BYTES; b++) {
					l.addr[total++] = addr + b;
				}
			}
		}
	}
	qsort(l.addr, total, sizeof(*l.addr), compare_u32);
	for (uint64_t i = 0; i < total; i++) {
		if (l.n == 0 || l.addr[i] != l.addr[l.n - 1]) {
			l.addr[l.n++] = l.addr[i];
		}
	}
	l.stamp = calloc(2 * (size_t)l.n + 1, sizeof(*l.stamp));
	if (!l.stamp) {
		free(l.addr);
		return -ENOMEM;
	}
	uint32_t i = 0;
	for (uint32_t s = 0; s < n; s++) {
		for (; i < starts[s].trigger; i++) {
			struct ctf_element e = ctf_element_at(c, i);
			if (usable_load(&e)) {
				latest_load(&l, &e, i + 1);
			}
		}
		if (starts[s].reading == UNKNOWN) {
			starts[s].reading = ends_on_finalize(&l, c, &starts[s], starts[s].value) ?
					BYTES :
					UNITS;
		}
	}
	free(l.addr);
	free(l.stamp);
	return 0;
}

int ctf_find_sizes(struct ctf *c) {
	/* Files with their stream size in bytes come from recorders that use hardware units. */
	if (c->base.info.form == PICA_CAPTURE_CTF_BYTES || c->base.info.lists == 0) {
		return 0;
	}
	struct start *starts = calloc(c->base.info.lists, sizeof(*starts));
	if (!starts) {
		return -ENOMEM;
	}
	uint32_t n = find_starts(c, starts);
	int ret = read_by_finalize(c, starts, n);
	if (ret == 0 && n > 0) {
		c->sizes = calloc(n, sizeof(*c->sizes));
		ret = c->sizes ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; ret == 0 && i < n; i++) {
		if (starts[i].reading == BYTES) {
			c->sizes[c->n_sizes++] =
					(struct ctf_size){ starts[i].size, starts[i].value >> 3 };
		}
	}
	c->base.info.sizes_in_bytes = c->n_sizes;
	free(starts);
	return ret;
}
