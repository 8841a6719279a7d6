#include "core/base/mathfn.h"

#include <stdint.h>
#include <string.h>

#include "core/base/f24.h"

static uint64_t f64_bits(double x) {
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static double f64_from_bits(uint64_t bits) {
	double x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* 2^k for -1022 <= k <= 1023. */
static double f64_power2(int k) {
	return f64_from_bits((uint64_t)(k + 1023) << 52);
}

/* c[0] + x*(c[1] + x*(... c[n-1])), each product and sum rounded on its own. */
static double horner(const double *c, int n, double x) {
	double sum = c[n - 1];
	for (int i = n - 2; i >= 0; i--) {
		sum = c[i] + x * sum;
	}
	return sum;
}

/*
 * log2(1+f)/f on [sqrt(1/2) - 1, sqrt(2) - 1], degree 18, interpolated at the Chebyshev points;
 * relative error 2^-51 before the rounding of the evaluation.
 */
static const double log2_poly[] = {
	0x1.71547652b82fep+0, -0x1.71547652b8235p-1, 0x1.ec709dc3a07e3p-2, -0x1.71547652e9041p-2,
	0x1.2776c50ef3fefp-2, -0x1.ec709d8c3849bp-3, 0x1.a617627017c19p-3, -0x1.7154845e3907dp-3,
	0x1.484b2d52f29bap-3, -0x1.2774ea618ba62p-3, 0x1.0c95cf3546ac4p-3, -0x1.ecb458efa5661p-4,
	0x1.c772dc8b8133bp-4, -0x1.a3b3b17002307p-4, 0x1.7e87a7189cbc1p-4, -0x1.769adc16a95f5p-4,
	0x1.a31636c448085p-4, -0x1.8663a6611ba90p-4, 0x1.618c7cda73988p-5,
};

/* (2^r - 1)/r on [-1/2, 1/2], degree 10, likewise; relative error 2^-54. */
static const double exp2_poly[] = {
	0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fba1ddap-7,
	0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13, 0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20,
	0x1.b524fae627834p-24, 0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32,
};

/*
 * x = 2^k * (1+f) with 1+f in [sqrt(1/2), sqrt(2)): f is exact, so the result keeps its relative
 * accuracy around x = 1 (k = 0), and powers of two (f = 0) give exactly k.
 */
double math_log2(double x) {
	int k = 0;
	uint64_t bits = f64_bits(x);
	if (bits >> 52 == 0) { /* subnormal */
		bits = f64_bits(x * 0x1p54);
		k = -54;
	}
	/* Bits of sqrt(1/2): from sqrt(2) on the sum carries into the exponent field. */
	const uint64_t low = 0x3FE6A09E667F3BCDu;
	uint64_t e = (bits - low) >> 52 & 0xFFF;
	k += e >= 0x800 ? (int)e - 0x1000 : (int)e;
	double f = f64_from_bits(bits - (e << 52)) - 1.0;
	return (double)k + f * horner(log2_poly, sizeof(log2_poly) / sizeof(log2_poly[0]), f);
}

/*
 * x = k + r with |r| <= 1/2, exact; 2^x = 2^k * (1 + r*Q(r)). Integers (r = 0) give powers of two
 * exactly. The power is multiplied in two steps, so that results may be subnormal.
 */
double math_exp2(double x) {
	if (!(x < 1024.0)) {
		return x >= 1024.0 ? f64_from_bits(0x7FF0000000000000u) : x; /* NaN stays */
	}
	if (x < -1080.0) {
		return 0.0;
	}
	int k = (int)(x < 0.0 ? x - 0.5 : x + 0.5);
	double r = x - (double)k;
	double y = 1.0 + r * horner(exp2_poly, sizeof(exp2_poly) / sizeof(exp2_poly[0]), r);
	return y * f64_power2(k / 2) * f64_power2(k - k / 2);
}

float math_f24(double x) {
	uint64_t bits = f64_bits(x);
	uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFu;
	if (magnitude > 0x7FF0000000000000u) {
		return f32_from_bits(0x7FC00000);
	}
	if (magnitude >= 0x43F0000000000000u) { /* 2^64 */
		return f32_from_bits(x < 0.0 ? 0xFF800000u : 0x7F800000u);
	}
	if (magnitude < 0x3C10000000000000u) { /* 2^-62 */
		return 0.0f;
	}
	return (float)f64_from_bits(bits & ~0xFFFFFFFFFu); /* 16 of 52 mantissa bits: exact */
}
