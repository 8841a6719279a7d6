#include "naive_qpu.h"

#include <math.h>
#include <string.h>

/* ---- Numbers ---- */

static uint32_t as_bits(float f) {
	uint32_t u;
	memcpy(&u, &f, sizeof(u));
	return u;
}

/* A binary64 that holds what the unit sees. */
static double seen(uint32_t u) {
	const unsigned exponent = u >> 23 & 0xFF;
	float f;
	if (exponent == 0) {
		return 0;
	}
	if (exponent == 255) {
		return u >> 31 ? -INFINITY : INFINITY;
	}
	memcpy(&f, &u, sizeof(f));
	return f;
}

/* Sums and products of two binary32 are exact enough in binary64 to be rounded twice. */
static uint32_t left(double x) {
	const float f = (float)x;
	if (isnan(f) || fpclassify(f) == FP_SUBNORMAL || f == 0) {
		return 0;
	}
	return as_bits(f);
}

static uint32_t half_of(double x) {
	const uint32_t sign = x < 0 ? 0x8000 : 0;
	x = fabs(x);
	if (x < ldexp(1, -14)) {
		return 0;
	}
	if (isinf(x)) {
		return sign | 0x7C00;
	}
	int exponent;
	const double fraction = frexp(x, &exponent); /* 0.5 to 1 */
	const double steps = rint(ldexp(fraction, 11)); /* 1024 to 2048 */
	const double rounded = ldexp(steps, exponent - 11);
	if (rounded >= 65536) {
		return sign | 0x7C00;
	}
	frexp(rounded, &exponent);
	return sign | (uint32_t)(exponent + 14) << 10 |
			(uint32_t)(ldexp(rounded, 11 - exponent) - 1024);
}

static uint32_t float_of_half(uint32_t h) {
	const double sign = h >> 15 ? -1 : 1;
	const int exponent = (int)(h >> 10 & 31);
	if (exponent == 31) {
		return (h >> 15) << 31 | 0x7F800000 | (h & 0x3FF) << 13;
	}
	return as_bits((float)(exponent ? sign * ldexp(1024 + (h & 0x3FF), exponent - 25) :
					  sign * ldexp(h & 0x3FF, -24)));
}

static uint32_t color_of(uint32_t v) {
	double x = seen(v);
	x = x < 0 ? 0 : x > 1 ? 1 : x;
	const unsigned u = (unsigned)floor(x * 1024);
	return (u - u / 256 + 2) / 4;
}

/* ---- The units ---- */

static uint32_t each_byte(char op, uint32_t a, uint32_t b) {
	uint8_t x[4], y[4], z[4];
	memcpy(x, &a, 4);
	memcpy(y, &b, 4);
	for (int i = 0; i < 4; i++) {
		const int p = x[i], q = y[i];
		int r = op == '+' ? p + q : op == '-' ? p - q : op == '*' ? (p * q + 127) / 255 :
				op == '<' ? (p < q ? p : q) : (p > q ? p : q);
		r = r < 0 ? 0 : r > 255 ? 255 : r;
		z[i] = (uint8_t)r;
	}
	uint32_t out;
	memcpy(&out, z, 4);
	return out;
}

struct value {
	uint32_t bits, saturated;
	bool carry;
};

static struct value of(uint32_t bits, bool carry) {
	return (struct value){ bits, bits, carry };
}

static struct value sum(int64_t exact, uint32_t bits, bool carry) {
	struct value v = of(bits, carry);
	v.saturated = exact > INT32_MAX ? 0x7FFFFFFF : exact < INT32_MIN ? 0x80000000 : bits;
	return v;
}

static struct value add_unit(unsigned op, uint32_t a, uint32_t b) {
	const double x = seen(a), y = seen(b), ax = fabs(x), ay = fabs(y);
	const int32_t i = (int32_t)a, j = (int32_t)b;
	const unsigned n = b % 32;
	uint32_t r;
	switch (op) {
	case 1:
	case 2:
		r = left(op == 1 ? x + y : x - y);
		return of(r, seen(r) > 0);
	case 3:
		return of(left(x > y ? y : x), x > y);
	case 4:
		return of(left(x > y ? x : y), x > y);
	case 5:
		return of(left(ax > ay ? ay : ax), ax > ay);
	case 6:
		return of(left(ax > ay ? ax : ay), ax > ay);
	case 7:
		return of(x > -2147483649.0 && x < 2147483648.0 ? (uint32_t)(int64_t)x : 0, false);
	case 8:
		return of(as_bits((float)i), false);
	case 12:
		return sum((int64_t)i + j, a + b, (uint64_t)a + b > UINT32_MAX);
	case 13:
		return sum((int64_t)i - j, a - b, a < b);
	case 14:
		return of((uint32_t)((uint64_t)a >> n), n > 0 && (a >> (n - 1) & 1));
	case 15:
		return of((uint32_t)((int64_t)i >> n), n > 0 && (a >> (n - 1) & 1));
	case 16:
		return of((uint32_t)(((uint64_t)a << 32 | a) >> n), false);
	case 17:
		return of((uint32_t)((uint64_t)a << n), (uint64_t)a << n >> 32 & 1);
	case 18:
		return of((uint32_t)(i > j ? j : i), i > j);
	case 19:
		return of((uint32_t)(i > j ? i : j), i > j);
	case 20:
		return of(a & b, false);
	case 21:
		return of(a | b, false);
	case 22:
		return of(a ^ b, false);
	case 23:
		return of(~a, false);
	case 24:
		for (r = 0; r < 32 && !(a >> (31 - r) & 1); r++) {
		}
		return of(r, false);
	case 30:
		return of(each_byte('+', a, b), false);
	case 31:
		return of(each_byte('-', a, b), false);
	default:
		return of(0, false);
	}
}

static struct value mul_unit(unsigned op, uint32_t a, uint32_t b) {
	switch (op) {
	case 1:
		return of(left(seen(a) * seen(b)), false);
	case 2: {
		const uint64_t product = (uint64_t)(a % (1 << 24)) * (b % (1 << 24));
		return of((uint32_t)product, product >= 1 << 24);
	}
	case 3:
		return of(each_byte('*', a, b), false);
	case 4:
		return of(each_byte('<', a, b), false);
	case 5:
		return of(each_byte('>', a, b), false);
	case 6:
		return of(each_byte('+', a, b), false);
	case 7:
		return of(each_byte('-', a, b), false);
	default:
		return of(0, false);
	}
}

static uint32_t unpacked(unsigned mode, uint32_t v, bool for_float) {
	const uint32_t half = mode == 1 ? v % 65536 : v / 65536;
	switch (mode) {
	case 0:
		return v;
	case 1:
	case 2:
		return for_float ? float_of_half(half) : half < 32768 ? half : half - 65536;
	case 3:
		return v / 0x1000000 * 0x01010101;
	default:
		v = v / (mode == 4 ? 1 : mode == 5 ? 0x100 : mode == 6 ? 0x10000 : 0x1000000) % 256;
		return for_float ? as_bits((float)(v / 255.0)) : v;
	}
}

static uint32_t with_byte(uint32_t old, unsigned at, uint32_t byte) {
	uint8_t bytes[4];
	memcpy(bytes, &old, 4);
	bytes[at] = (uint8_t)byte;
	memcpy(&old, bytes, 4);
	return old;
}

/* In file A. */
static uint32_t packed(unsigned mode, struct value v, bool is_float, uint32_t old) {
	const int32_t i = (int32_t)v.bits;
	const bool saturates = mode > 8;
	const uint32_t byte = !saturates ? v.bits : i < 0 ? 0 : i > 255 ? 255 : v.bits;
	const uint32_t half = is_float ? half_of(seen(v.bits)) : !saturates ? v.bits :
			(uint32_t)(i < -32768 ? -32768 : i > 32767 ? 32767 : i);
	switch (mode % 8) {
	case 0:
		return mode ? v.saturated : v.bits;
	case 1:
		return (old & 0xFFFF0000) | (half & 0xFFFF);
	case 2:
		return (old & 0xFFFF) | half << 16;
	case 3:
		return (byte & 255) * 0x01010101;
	default:
		return with_byte(old, mode % 8 - 4, byte);
	}
}

static uint32_t packed_color(unsigned mode, uint32_t v, uint32_t old) {
	mode %= 8;
	return mode == 0 ? v : mode == 3 ? color_of(v) * 0x01010101 :
			with_byte(old, mode - 4, color_of(v));
}

static uint32_t small_immediate(unsigned code) {
	if (code < 16) {
		return code;
	}
	if (code < 32 || code >= 48) {
		return (uint32_t)((int)(code % 16) - 16);
	}
	return as_bits((float)(code < 40 ? ldexp(1, (int)code - 32) : ldexp(1, (int)code - 48)));
}

/* ---- VPM ---- */

static bool open_port(struct naive_vpm_port *p, uint32_t word) {
	p->address = word % 256;
	p->bits = 8u << (word >> 8 & 3);
	p->laned = word >> 10 & 1;
	p->horizontal = word >> 11 & 1;
	p->stride = word >> 12 & 63 ? word >> 12 & 63 : 64;
	p->left = word >> 20 & 15 ? word >> 20 & 15 : 16;
	return p->bits < 64;
}

/* Finds element i: a word, and its lowest bit in it. */
static void find(const struct naive_vpm_port *p, unsigned i, unsigned *row, unsigned *column,
		unsigned *bit) {
	const unsigned per_word = 32 / p->bits;
	const unsigned where = p->address / per_word, part = p->address % per_word;
	unsigned along = i, piece = part;
	if (!p->laned && per_word > 1) {
		along = part * (16 / per_word) + i / per_word;
		piece = i % per_word;
	}
	*row = p->horizontal ? where % 64 : where / 16 % 4 * 16 + along;
	*column = p->horizontal ? along : where % 16;
	*bit = piece * p->bits;
}

static uint32_t low_bits(uint32_t v, unsigned bits) {
	return bits == 32 ? v : v % (1u << bits);
}

static void vpm_get(struct naive_qpu *q, uint32_t out[NAIVE_LANES]) {
	for (unsigned i = 0; i < NAIVE_LANES; i++) {
		unsigned row, column, bit;
		find(&q->in, i, &row, &column, &bit);
		out[i] = q->in.left && row < q->n_in ?
				low_bits(q->vpm_in[row][column] >> bit, q->in.bits) : 0;
	}
	if (q->in.left) {
		q->in.left--;
		q->in.address = (q->in.address + q->in.stride) % 256;
	}
}

static void vpm_put(struct naive_qpu *q, unsigned i, uint32_t v, bool holds) {
	unsigned row, column, bit;
	find(&q->out, i, &row, &column, &bit);
	q->written[row] = true;
	for (unsigned k = 0; holds && k < q->out.bits; k++) {
		const uint32_t mask = 1u << (bit + k);
		uint32_t *word = &q->vpm_out[row][column];
		*word = v >> k & 1 ? *word | mask : *word & ~mask;
	}
}

/* ---- The tile buffer ---- */

static bool holds(unsigned function, uint32_t a, uint32_t b) {
	switch (function) {
	case 0:
		return false;
	case 1:
		return a < b;
	case 2:
		return a == b;
	case 3:
		return a <= b;
	case 4:
		return a > b;
	case 5:
		return a != b;
	case 6:
		return a >= b;
	default:
		return true;
	}
}

static uint32_t changed(unsigned op, uint32_t old, uint32_t reference) {
	const uint32_t next[8] = { 0, old, reference, old == 255 ? 255 : old + 1,
		old == 0 ? 0 : old - 1, 255 - old, (old + 1) % 256, (old + 255) % 256 };
	return next[op];
}

static bool stencil_holds(const struct naive_qpu *q, uint32_t zs) {
	const struct naive_stencil *s = &q->stencil[q->is_back];
	return !s->on || holds(s->function, s->reference & s->mask, zs % 256 & s->mask);
}

static bool passes(struct naive_qpu *q, uint32_t *zs, uint32_t z) {
	const struct naive_stencil *s = &q->stencil[q->is_back];
	uint32_t stencil = *zs % 256, stored = *zs / 256;
	const bool stencil_ok = stencil_holds(q, *zs);
	const bool z_ok = holds(q->depth_function, z, stored);
	if (s->on) {
		const unsigned op = !stencil_ok ? s->fail : !z_ok ? s->z_fail : s->pass;
		const uint32_t wanted = changed(op, stencil, s->reference);
		stencil = (stencil & ~s->writes) | (wanted & s->writes);
	}
	if (stencil_ok && z_ok && q->updates_z) {
		stored = z;
	}
	*zs = stored * 256 + stencil;
	return stencil_ok && z_ok;
}

static void set_stencil(struct naive_qpu *q, uint32_t word) {
	static const unsigned writes[4] = { 1, 3, 15, 255 };
	struct naive_stencil s = { true, word & 255, word >> 8 & 255, writes[word >> 28 & 3],
		word >> 16 & 7, word >> 19 & 7, word >> 22 & 7, word >> 25 & 7 };
	switch (word >> 30) {
	case 0:
		q->stencil[0].writes = word & 255;
		q->stencil[1].writes = word >> 8 & 255;
		break;
	case 1:
		q->stencil[0] = s;
		break;
	case 2:
		q->stencil[1] = s;
		break;
	default:
		q->stencil[0] = q->stencil[1] = s;
		break;
	}
}

/* ---- Addresses from 32 on ---- */

static bool fetch(const struct naive_qpu *q, uint32_t address, void *out, uint32_t n) {
	address &= 0x3FFFFFFF;
	if (address < q->base || address - q->base > q->size - n) {
		return false;
	}
	memcpy(out, q->memory + (address - q->base), n);
	return true;
}

static bool get(struct naive_qpu *q, unsigned file, unsigned address, uint32_t out[NAIVE_LANES]) {
	uint32_t word = 0;
	if (address < 32) {
		memcpy(out, q->reg[file][address], sizeof(q->reg[file][address]));
		return true;
	}
	if (address == 48) {
		vpm_get(q, out);
		return true;
	}
	if (address == 32) {
		if (!fetch(q, q->uniforms, &word, 4)) {
			return false;
		}
		q->uniforms += 4;
	}
	for (unsigned i = 0; i < NAIVE_LANES; i++) {
		out[i] = word;
		if (address == 35 && q->next_varying < q->n_varyings) {
			out[i] = as_bits(q->varying[q->next_varying][i]);
		} else if (address == 38 && file == 0) {
			out[i] = i;
		} else if (address == 41) {
			out[i] = (uint32_t)(file == 0 ? q->x[i] : q->y[i]);
		} else if (address == 42 && file == 1) {
			out[i] = q->reverse[i];
		} else if (address == 42) {
			for (unsigned s = 0; q->has_tlb && s < q->n_samples; s++) {
				out[i] += q->covered[s][i] ? 1u << s : 0;
			}
		}
	}
	return true;
}

static bool put_special(struct naive_qpu *q, unsigned file, unsigned address,
		const uint32_t v[NAIVE_LANES], const bool lane[NAIVE_LANES]) {
	const unsigned samples = q->has_tlb ? q->n_samples : 0;
	bool sane = true;
	if (address == 44 && samples && !q->has_tested) {
		for (unsigned i = 0; i < NAIVE_LANES; i++) {
			q->fails_stencil[i] = !stencil_holds(q, q->zs[0][i]);
		}
		q->has_tested = true;
	}
	for (unsigned i = 0; i < NAIVE_LANES; i++) {
		const bool is_there = i < q->lanes;
		q->wrote_z[i] |= address == 44 && lane[i];
		q->wrote_color[i] |= (address == 45 || address == 46) && lane[i];
		const unsigned from = file == 0 ? i / 4 * 4 : 0;
		if (address == 37 && lane[from]) {
			q->acc[5][i] = v[from];
		} else if (address == 42 && file == 1 && lane[i]) {
			q->reverse[i] = v[i] % 2;
		} else if (address >= 52 && address < 56 && lane[i]) {
			q->acc[4][i] = q->sfu(address - 52, v[i]);
		} else if (address == 48) {
			vpm_put(q, i, v[i], lane[i]);
		}
		for (unsigned s = 0; s < samples; s++) {
			bool *covered = &q->covered[s][i];
			if (address == 42 && file == 0 && lane[i] && !(v[i] >> s & 1)) {
				*covered = false;
			} else if (address == 44 && *covered && !lane[i]) {
				*covered = false;
			} else if (address == 44 && *covered && is_there) {
				*covered = passes(q, &q->zs[s][i], v[i] % (1 << 24));
			} else if (((address == 45 && s == q->store_sample) || address == 46) &&
					lane[i] && *covered && is_there) {
				q->color[s][i] = v[i];
			}
		}
	}
	if (address == 45 && samples) {
		q->store_sample = (q->store_sample + 1) % samples;
	} else if (address == 48) {
		q->out.address = (q->out.address + q->out.stride) % 256;
	} else if (address == 40 && lane[0]) {
		q->next_uniforms = (file == 0 ? v[0] : q->uniforms + v[0]) & ~3u;
		q->uniforms_wait = 2;
	} else if (address == 43 && lane[0]) {
		set_stencil(q, v[0]);
	} else if (address == 49 && lane[0] && v[0] < 1u << 30) {
		sane = open_port(file == 0 ? &q->in : &q->out, v[0]);
	}
	return sane;
}

/* A result of a unit, on its way to an address. */
struct store {
	unsigned file, address;
	bool is_on, is_mul, is_float, lane[NAIVE_LANES];
	struct value v[NAIVE_LANES];
};

static bool put(struct naive_qpu *q, const struct store *s, unsigned pm, unsigned pack) {
	uint32_t v[NAIVE_LANES];
	uint32_t *row = s->address < 32 ? q->reg[s->file][s->address] :
			s->address < 36 ? q->acc[s->address - 32] : NULL;
	for (unsigned i = 0; s->is_on && i < q->computed; i++) {
		const uint32_t old = row ? row[i] : 0;
		v[i] = s->v[i].bits;
		if (pm && s->is_mul) {
			v[i] = packed_color(pack, v[i], old);
		} else if (!pm && s->file == 0 && s->address < 32) {
			v[i] = packed(pack, s->v[i], s->is_float, old);
		}
		if (row && s->lane[i]) {
			row[i] = v[i];
		}
		q->stored[s->is_mul][i] = s->lane[i];
		q->value[s->is_mul][i] = v[i];
	}
	return row || !s->is_on || put_special(q, s->file, s->address, v, s->lane);
}

/* ---- Instructions ---- */

static unsigned bits(uint64_t word, unsigned high, unsigned low) {
	return (unsigned)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

static bool meets(const struct naive_qpu *q, unsigned cond, unsigned lane) {
	return cond == 1 || (cond > 1 && q->flag[cond / 2 - 1][lane] == (cond % 2 == 0));
}

static void flags_of(struct naive_qpu *q, const struct store *s) {
	for (unsigned i = 0; i < q->computed; i++) {
		if (s->lane[i]) {
			q->flag[0][i] = s->v[i].bits == 0;
			q->flag[1][i] = s->v[i].bits >= 0x80000000;
			q->flag[2][i] = s->v[i].carry;
		}
	}
}

static bool load_immediate(struct naive_qpu *q, uint64_t word) {
	struct store s[2] = { { .file = bits(word, 44, 44), .address = bits(word, 43, 38) },
		{ .file = !bits(word, 44, 44), .address = bits(word, 37, 32), .is_mul = true } };
	for (unsigned i = 0; i < q->computed; i++) {
		const uint32_t low = word >> i & 1, high = word >> (16 + i) & 1;
		const unsigned form = bits(word, 59, 57);
		const uint32_t v = form == 0 ? (uint32_t)word : form == 1 ? low - 2 * high :
									    low + 2 * high;
		for (unsigned k = 0; k < 2; k++) {
			s[k].v[i] = of(v, false);
			s[k].is_on = bits(word, 51 - 3 * k, 49 - 3 * k);
			s[k].lane[i] = meets(q, bits(word, 51 - 3 * k, 49 - 3 * k), i);
		}
	}
	if (bits(word, 45, 45)) {
		flags_of(q, &s[bits(word, 51, 49) ? 0 : 1]);
	}
	return put(q, &s[0], bits(word, 56, 56), bits(word, 55, 52)) &&
			put(q, &s[1], bits(word, 56, 56), bits(word, 55, 52));
}

static uint32_t operand(const struct naive_qpu *q, uint64_t word, unsigned mux, unsigned lane,
		bool for_float, uint32_t in[2][NAIVE_LANES]) {
	const unsigned unpack = bits(word, 59, 57);
	const bool pm = bits(word, 56, 56);
	if (mux == 6) {
		return unpacked(pm ? 0 : unpack, in[0][lane], for_float);
	}
	return mux == 7 ? in[1][lane] : mux == 4 && pm ? unpacked(unpack, q->acc[4][lane], true) :
			q->acc[mux][lane];
}

static bool alu(struct naive_qpu *q, uint64_t word) {
	const unsigned sig = bits(word, 63, 60), add = bits(word, 28, 24), mul = bits(word, 31, 29);
	const unsigned at_a = bits(word, 23, 18), at_b = bits(word, 17, 12);
	const bool is_small = sig == 13;
	const bool once = !is_small && at_a == at_b && (at_a == 32 || at_a == 35 || at_a == 48);
	uint32_t in[2][NAIVE_LANES];
	if (!get(q, 0, at_a, in[0])) {
		return false;
	}
	if (once) {
		memcpy(in[1], in[0], sizeof(in[1]));
	} else if (!is_small && !get(q, 1, at_b, in[1])) {
		return false;
	}
	for (unsigned i = 0; is_small && i < q->computed; i++) {
		in[1][i] = small_immediate(at_b);
	}
	struct store s[2]; /* no initializer, which would fill the values of all lanes first */
	memset(s[0].lane, 0, sizeof(s[0].lane));
	memset(s[1].lane, 0, sizeof(s[1].lane));
	s[0].file = bits(word, 44, 44);
	s[0].address = bits(word, 43, 38);
	s[0].is_on = add && bits(word, 51, 49);
	s[0].is_mul = false;
	s[0].is_float = (add >= 1 && add <= 6) || add == 8;
	s[1].file = !s[0].file;
	s[1].address = bits(word, 37, 32);
	s[1].is_on = mul && bits(word, 48, 46);
	s[1].is_mul = true;
	s[1].is_float = mul == 1;
	const unsigned mul_a = bits(word, 5, 3), mul_b = bits(word, 2, 0);
	const unsigned turn = !is_small || at_b < 48 ? 0 :
			(at_b > 48 ? at_b - 48 : q->acc[5][0]) % 16;
	for (unsigned i = 0; i < q->computed; i++) {
		const bool floats = add >= 1 && add <= 7;
		s[0].v[i] = add_unit(add, operand(q, word, bits(word, 11, 9), i, floats, in),
				operand(q, word, bits(word, 8, 6), i, floats, in));
		const unsigned to = mul_a < 4 && mul_b < 4 ? (i + turn) % 16 :
				i / 4 * 4 + (i + turn) % 4;
		s[1].v[to] = mul_unit(mul, operand(q, word, mul_a, i, mul == 1, in),
				operand(q, word, mul_b, i, mul == 1, in));
		s[0].lane[i] = add && meets(q, bits(word, 51, 49), i);
		s[1].lane[i] = mul && meets(q, bits(word, 48, 46), i);
	}
	if (bits(word, 45, 45)) {
		flags_of(q, &s[add ? 0 : 1]);
	}
	if (at_a == 35 || (!is_small && at_b == 35)) {
		const float c = q->next_varying < q->n_varyings ?
				q->varying_c[q->next_varying++] : 0;
		for (unsigned i = 0; i < q->computed; i++) {
			q->acc[5][i] = as_bits(c);
		}
	}
	if (sig == 8 || sig == 9) {
		for (unsigned i = 0; i < q->computed; i++) {
			q->acc[4][i] = q->has_tlb && i < q->lanes ? q->color[q->load_sample][i] : 0;
		}
		q->load_sample = q->has_tlb ? (q->load_sample + 1) % q->n_samples : 0;
	}
	return put(q, &s[0], bits(word, 56, 56), bits(word, 55, 52)) &&
			put(q, &s[1], bits(word, 56, 56), bits(word, 55, 52));
}

static bool branches(const struct naive_qpu *q, unsigned cond) {
	if (cond == 15) {
		return true;
	}
	unsigned set = 0;
	for (unsigned i = 0; i < q->lanes; i++) {
		set += q->flag[cond / 4][i];
	}
	const bool is_true[4] = { set == q->lanes, set == 0, set > 0, set < q->lanes };
	return is_true[cond % 4];
}

/* Returns the target; the link goes to both destinations. */
static uint32_t branch(struct naive_qpu *q, uint64_t word, uint32_t address, bool *sane) {
	const uint32_t after = address + 32;
	uint32_t target = (uint32_t)word;
	if (bits(word, 51, 51)) {
		target += after;
	}
	if (bits(word, 50, 50)) {
		target += q->reg[0][bits(word, 49, 45)][15];
	}
	for (unsigned k = 0; k < 2; k++) {
		struct store s = { .is_on = true, .file = bits(word, 44, 44) ^ k,
			.address = k ? bits(word, 37, 32) : bits(word, 43, 38) };
		for (unsigned i = 0; i < NAIVE_LANES; i++) {
			s.v[i] = of(after, false);
			s.lane[i] = true;
		}
		*sane = *sane && put(q, &s, 0, 0);
	}
	return target;
}

static void start(struct naive_qpu *q) {
	q->computed = q->quad_alone ? 4 : NAIVE_LANES;
	memset(q->reg, 0, sizeof(q->reg));
	memset(q->acc, 0, sizeof(q->acc));
	memset(q->flag, 0, sizeof(q->flag));
	memset(q->stencil, 0, sizeof(q->stencil));
	memset(q->vpm_out, 0, sizeof(q->vpm_out));
	memset(q->written, 0, sizeof(q->written));
	memcpy(q->reg[0][15], q->w, sizeof(q->w));
	memcpy(q->reg[1][15], q->z, sizeof(q->z));
	for (unsigned i = 0; i < NAIVE_LANES; i++) {
		q->reverse[i] = q->has_tlb && q->is_back;
	}
	q->next_varying = q->load_sample = q->store_sample = q->uniforms_wait = q->steps = 0;
	open_port(&q->in, 0x1A00);
	open_port(&q->out, 0x1A00);
	q->in.left = 0;
}

int naive_qpu_run(struct naive_qpu *q, uint32_t address) {
	start(q);
	unsigned until_jump = 0, until_end = 0;
	uint32_t target = 0;
	while (q->steps < NAIVE_QPU_STEPS) {
		uint64_t word;
		bool sane = fetch(q, address, &word, sizeof(word));
		if (!sane) {
			return -1;
		}
		q->steps++;
		if (q->uniforms_wait && --q->uniforms_wait == 0) {
			q->uniforms = q->next_uniforms;
		}
		const unsigned sig = bits(word, 63, 60);
		memset(q->stored, 0, sizeof(q->stored));
		if (sig == 15) {
			if (branches(q, bits(word, 55, 52))) {
				target = branch(q, word, address, &sane);
				until_jump = 4;
				memset(q->stored, 0, sizeof(q->stored)); /* no unit did */
			}
		} else {
			sane = sig == 14 ? load_immediate(q, word) : alu(q, word);
		}
		if (!sane) {
			return -1;
		}
		if (q->step) {
			q->step(q->step_user, q, address);
		}
		if ((sig == 3 || sig == 9) && !until_end) {
			until_end = 3;
		}
		address = until_jump && --until_jump == 0 ? target : address + 8;
		if (until_end && --until_end == 0) {
			return 0;
		}
	}
	return -1;
}
