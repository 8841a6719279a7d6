/* Memory fill: the two PSC units.  [fidelity: fill] */
#include "pica/xfer/xfer.h"

#include "pica/xfer/mem.h"
#include "pica/xfer/ports.h"

static void fill_init(
		struct fill *f, uint32_t start, uint32_t end, uint32_t value, uint32_t control) {
	/*
	 * Width 0: 16 bits, 1 and 3: 24 bits, 2: 32 bits.  [fidelity: fill; 1 and 2 HW:
	 * hwtests]
	 */
	static const uint8_t period[4] = { 2, 3, 4, 3 };
	f->start = start & ~(uint32_t)(XFER_ADDR_UNIT - 1);
	f->end = end & ~(uint32_t)(XFER_ADDR_UNIT - 1);
	f->value = value;
	f->period = period[FILL_CONTROL_WIDTH(control)];
	/* Start 0: completes without doing anything.  [HW, as Azahar states; fidelity: fill] */
	if (f->start == 0 || f->end < f->start) {
		f->end = f->start;
	}
}

void fill_from_job(struct fill *f, const struct pica_job_fill *job) {
	fill_init(f, job->start, job->end, job->value, job->control);
}

void fill_from_regs(struct fill *f, const uint32_t *external, unsigned unit) {
	const uint32_t *psc = external + unit * PSC_UNIT_WORDS;
	fill_init(f, psc[EXT_PSC_START] << XFER_ADDR_SHIFT, psc[EXT_PSC_END] << XFER_ADDR_SHIFT,
			psc[EXT_PSC_VALUE], psc[EXT_PSC_CONTROL]);
}

struct range fill_writes(const struct fill *f) {
	return (struct range){ f->start, f->end - f->start };
}

/* The pattern as it continues `bytes` bytes after its start. */
static uint32_t rotated(uint32_t value, unsigned period, uint32_t bytes) {
	unsigned phase = bytes % period;
	if (phase == 0) {
		return value;
	}
	unsigned bits = 8 * period;
	uint32_t mask = period == 4 ? UINT32_MAX : (1u << bits) - 1;
	value &= mask;
	return (value >> (8 * phase) | value << (bits - 8 * phase)) & mask;
}

uint32_t fill_run(const struct fill *f, const struct xfer_kernels *k, struct space *space,
		unsigned stripe, unsigned n_stripes) {
	if (f->end <= f->start || n_stripes == 0) {
		return 0;
	}
	uint64_t first_page = f->start >> SPACE_PAGE_BITS;
	uint64_t n_pages = (((uint64_t)f->end - 1) >> SPACE_PAGE_BITS) - first_page + 1;
	uint64_t from = (first_page + n_pages * stripe / n_stripes) << SPACE_PAGE_BITS;
	uint64_t to = (first_page + n_pages * (stripe + 1) / n_stripes) << SPACE_PAGE_BITS;
	from = from > f->start ? from : f->start;
	to = to < f->end ? to : f->end;

	uint64_t outside = 0;
	while (from < to) {
		struct piece p = mem_piece(space, (int64_t)from, to - from, true);
		if (p.host) {
			k->fill(p.host, (uint32_t)p.len,
					rotated(f->value, f->period, (uint32_t)(from - f->start)),
					f->period);
		} else {
			outside += p.len;
		}
		from += p.len;
	}
	return saturate32(outside);
}
