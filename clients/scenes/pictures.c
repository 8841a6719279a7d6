/* The pictures of texture.h, in integers: coordinates are scaled to 0..1023 for every size. */
#include "texture.h"

enum { ONE = 1024 };

static uint32_t hash2(uint32_t x, uint32_t y) {
	uint32_t h = x * 0x9E3779B1u + y * 0x85EBCA77u;
	h ^= h >> 15;
	h *= 0x2C1B3C6Du;
	h ^= h >> 12;
	h *= 0x297A2D39u;
	return h ^ h >> 15;
}

static int clamp(int x, int lo, int hi) {
	return x < lo ? lo : x > hi ? hi : x;
}

/* a..b as t runs 0..256. */
static int mix(int a, int b, int t) {
	return a + (b - a) * t / 256;
}

/* Smooth noise 0..255 with cells of 1 << shift, repeating after 1024. */
static int noise(int x, int y, int shift) {
	int size = 1 << shift, cells = ONE >> shift;
	int cx = (x >> shift) & (cells - 1), cy = (y >> shift) & (cells - 1);
	int fx = (x & (size - 1)) * 256 >> shift, fy = (y & (size - 1)) * 256 >> shift;
	fx = fx * fx / 256 * (768 - 2 * fx) / 256;
	fy = fy * fy / 256 * (768 - 2 * fy) / 256;
	int nx = (cx + 1) & (cells - 1), ny = (cy + 1) & (cells - 1);
	int v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (int)(hash2((uint32_t)(k & 1 ? nx : cx), (uint32_t)(k & 2 ? ny : cy)) >> 24);
	}
	return mix(mix(v[0], v[1], fx), mix(v[2], v[3], fx), fy);
}

/* Three octaves, 0..255. */
static int clouds(int x, int y) {
	return (noise(x, y, 8) * 4 + noise(x, y, 7) * 2 + noise(x, y, 6) * 2) / 8;
}

static int isqrt(int x) {
	int r = 0;
	for (int bit = 1 << 15; bit; bit >>= 1) {
		if ((r + bit) * (r + bit) <= x) {
			r += bit;
		}
	}
	return r;
}

/* A triangle wave between 0 and 255. */
static int triangle_wave(int x, int period) {
	int t = (x % period + period) % period * 512 / period;
	return t < 256 ? t : 511 - t;
}

static void set(uint8_t c[4], int r, int g, int b, int a) {
	c[0] = (uint8_t)clamp(r, 0, 255);
	c[1] = (uint8_t)clamp(g, 0, 255);
	c[2] = (uint8_t)clamp(b, 0, 255);
	c[3] = (uint8_t)clamp(a, 0, 255);
}

/* Middle of the texel, 0..1023. */
static int position(unsigned i, unsigned n) {
	return (int)((2 * i + 1) * ONE / (2 * n));
}

/* The position of (dx, dy) within its eighth of the circle: 0 on the axes, 255 on the diagonals. */
static int petals(int dx, int dy) {
	int ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
	int lo = ax < ay ? ax : ay, hi = ax < ay ? ay : ax;
	return hi ? lo * 255 / hi : 0;
}

void picture_rings(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n) - 512, y = position(py, n) - 512;
	int d = isqrt(x * x + y * y);
	int p = petals(x, y);
	if (d < 90) {
		set(c, 255, 214 - d / 2, 92, 255);
	} else if (d < 300 + p / 4) {
		int t = (d - 90) * 256 / (210 + p / 4);
		set(c, mix(250, 176, t), mix(92, 24, t), mix(120, 90, t), 255);
	} else if (d < 430) {
		int wave = triangle_wave(d, 44);
		set(c, 24 + wave / 6, 60 + wave / 3, 110 + wave / 2, 255);
	} else {
		int edge = clamp((512 - (x < 0 ? -x : x) < 512 - (y < 0 ? -y :
				y) ? 512 - (x < 0 ? -x : x) :
								512 - (y < 0 ? -y : y)), 0, 64);
		set(c, 18 + edge / 4, 32 + edge / 3, 60 + edge / 2, 255);
	}
}

void picture_bricks(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int row = y / 128, bx = (x + (row & 1) * 128) & (ONE - 1), col = bx / 256;
	int u = bx & 255, v = y & 127;
	int grain = noise(x, y, 4) / 8 - 16;
	if (u < 14 || v < 14) {
		set(c, 150 + grain, 142 + grain, 130 + grain, 255);
		return;
	}
	int tone = (int)(hash2((uint32_t)col, (uint32_t)row) >> 25) - 64;
	int light = u < 28 || v < 26 ? 24 : u > 242 || v > 116 ? -30 : 0;
	light += grain;
	set(c, 168 + tone / 2 + light, 76 + tone / 3 + light, 52 + tone / 4 + light, 255);
}

void picture_wood(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int plank = x / 256, u = x & 255;
	int shift = (int)(hash2((uint32_t)plank, 7) >> 22);
	int bend = noise(x, y / 4, 7);
	int grain = triangle_wave(u * 3 + bend * 3 + shift, 150);
	int fine = noise(x * 4, y / 2 + shift, 5) / 10;
	int t = grain * 3 / 4 + fine;
	if (u < 8) {
		t = 256 + 120;
	}
	set(c, 206 - t * 3 / 10, 148 - t * 3 / 10, 92 - t / 4, 255);
}

void picture_marble(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int vein = triangle_wave(x + y + clouds(x, y) * 4, 512);
	int t = vein * vein / 255;
	set(c, mix(236, 74, t * 3 / 4), mix(238, 96, t * 3 / 4), mix(240, 120, t * 3 / 4), 255);
}

void picture_tiles(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int u = x & 255, v = y & 255, odd = ((x >> 8) + (y >> 8)) & 1;
	if (u < 10 || v < 10 || u > 246 || v > 246) {
		set(c, 52, 54, 62, 255);
		return;
	}
	int n4 = clouds(x * 2, y * 2) / 4 - 32;
	int dx = u - 128, dy = v - 128, d = isqrt(dx * dx + dy * dy);
	if (odd) {
		set(c, 44 + n4 / 2, 58 + n4 / 2, 92 + n4 / 2, 255);
	} else if (d < 40) {
		set(c, 196, 92 + n4 / 2, 60, 255);
	} else {
		set(c, 214 + n4, 208 + n4, 190 + n4, 255);
	}
}

void picture_weave(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int u = x & 127, v = y & 127, over = ((x >> 7) + (y >> 7)) & 1;
	int across = over ? v : u, along = over ? u : v;
	int round = 128 - (across - 64) * (across - 64) / 32;
	int dip = 96 - (along - 64) * (along - 64) / 43;
	int light = (round + dip) / 2;
	set(c, light * (over ? 2 : 1), 40 + light, 60 + light * (over ? 1 : 2) / 2, 120 + light);
}

void picture_leaf(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n) - 512, y = position(py, n) - 512;
	/* Pointed at both ends: two circles that cross. */
	int dx = (x < 0 ? -x : x) + 330;
	int inside = 600 * 600 - dx * dx - y * y;
	int vein = x < 0 ? -x : x;
	int side = ((y - vein / 2) % 110 + 110) % 110;
	int t = clamp(inside / 900, 0, 255);
	int dark = vein < 12 || side < 14 ? 40 : 0;
	set(c, 40 + t / 5 + dark, 110 + t / 3 + dark, 36 + t / 8 + dark / 2,
			clamp(inside / 100, 0, 255));
}

void picture_glow(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n) - 512, y = position(py, n) - 512;
	int d = clamp(255 - isqrt(x * x + y * y) / 2, 0, 255);
	int core = clamp(d * 2 - 255, 0, 255);
	set(c, 255, 255, 255, d * d / 255 * 3 / 4 + core * core / 255 / 4);
}

void picture_star(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n) - 512, y = position(py, n) - 512;
	int ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
	int d = isqrt(x * x + y * y);
	/* Rays along the axes, thin outwards. */
	int ray = 255 - isqrt(ax * ay) * 3 / 2 - d / 3;
	int core = 255 - d * 2;
	int a = clamp(ray > core ? ray : core, 0, 255);
	set(c, 255, 240 + a / 17, 200 + a / 5, a);
}

void picture_letter(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	/* The letter is 4 x 7 units of 128, in the middle. */
	static const char letter[7][5] = { "###.", "#..#", "#..#", "###.", "#.#.", "#..#", "#..#" };
	int u = x - 256, v = y - 64;
	if (u >= 0 && u < 512 && v >= 0 && v < 896 && letter[v / 128][u / 128] == '#') {
		set(c, 250, 246, 230, 255);
	} else if (y < 512) {
		set(c, x < 512 ? 196 : 38, x < 512 ? 52 : 128, x < 512 ? 60 : 92, 255);
	} else {
		set(c, x < 512 ? 44 : 150, x < 512 ? 92 : 70, x < 512 ? 170 : 160, 255);
	}
}

void picture_sunset(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int dx = x - 620, dy = y - 430, d = isqrt(dx * dx + dy * dy);
	int t = clamp(y * 256 / 600, 0, 256);
	int r = mix(38, 255, t), g = mix(40, 150, t * t / 256), b = mix(120, 70, t * t / 256);
	int halo = clamp(300 - d, 0, 300) * 2 / 5;
	int ridge = 560 - triangle_wave(x + 130, 620) * 2 / 3 + noise(x, 5, 6) / 6;
	if (d < 130 && y < ridge) {
		set(c, 255, 236 - d / 5, 150 - d / 2, 255);
	} else if (y >= 640) {
		/* Water: the sky again, darker, with a path of light. */
		int wave = noise(x * 2, y * 8, 6),
		    shine = clamp(230 - (dx < 0 ? -dx : dx) + wave / 2, 0, 255);
		int deep = (y - 640) * 256 / 384;
		int glint = wave > 120 ? shine * (256 - deep / 2) / 256 : 0;
		set(c, mix(110, 20, deep) + glint, mix(74, 30, deep) + glint * 3 / 4,
				mix(86, 64, deep) + glint / 3, 255);
	} else if (y >= ridge) {
		int far = clamp((y - ridge) * 256 / 300, 0, 256);
		set(c, mix(84, 26, far), mix(48, 52, far), mix(92, 40, far), 255);
	} else {
		set(c, r + halo, g + halo * 3 / 4, b + halo / 3, 255);
	}
	/* Round corners. */
	int ex = clamp((x < 512 ? 512 - x : x - 511) - 300, 0, 255);
	int ey = clamp((y < 512 ? 512 - y : y - 511) - 300, 0, 255);
	c[3] = (uint8_t)clamp((240 - isqrt(ex * ex + ey * ey)) * 4, 0, 255);
}

/* Height of the planet, 0..255; the sea ends at 132. */
static int planet_height(int x, int y) {
	int bend = noise(x, y + 300, 7) / 2;
	int h = (noise(x + bend, y, 8) * 5 + noise(x, y, 7) * 3 + noise(x, y, 6) * 2 +
				noise(x, y, 5)) /
			11;
	return clamp(128 + (h - 122) * 2, 0, 255);
}

enum { PLANET_SEA = 132 };

void picture_planet(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int h = planet_height(x, y), latitude = y < 512 ? 512 - y : y - 511;
	int grain = noise(x, y, 4) / 10 - 12;
	if (latitude + noise(x, y, 6) / 3 + (h > PLANET_SEA ? 20 : 0) > 500) {
		set(c, 226 + grain, 234 + grain, 244, 255);
	} else if (h < PLANET_SEA) {
		int t = clamp((h - 60) * 256 / (PLANET_SEA - 60), 0, 256);
		t = t * t / 256;
		set(c, mix(10, 40, t), mix(38, 116, t), mix(88, 150, t), 255);
	} else {
		/* Deserts around the tropics, woods elsewhere; rock and snow above. */
		int dry = clamp(noise(x + 512, y, 7) + 90 -
						(latitude > 160 ? latitude - 160 : 160 - latitude),
				0, 255);
		int up = clamp((h - PLANET_SEA) * 3, 0, 256);
		int r = mix(46, 190, dry), g = mix(104, 158, dry), b = mix(44, 98, dry);
		set(c, mix(r, 150, up / 2) + grain, mix(g, 128, up / 2) + grain,
				mix(b, 108, up / 2) + grain, 255);
	}
}

void picture_clouds(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n);
	int swirl = noise(x, y, 7) * 2 - 255;
	int cover = noise(x + swirl, y * 2, 7) * 4 + noise(x + swirl, y * 2, 6) * 3 +
			noise(x, y * 2, 5) * 2;
	int a = clamp((cover / 9 - 134) * 5, 0, 240);
	set(c, 255, 255, 255, a);
}

void picture_lights(unsigned px, unsigned py, unsigned n, uint8_t c[4]) {
	int x = position(px, n), y = position(py, n), latitude = y < 512 ? 512 - y : y - 511;
	int people = clamp((noise(x, y, 6) - 118) * 3, 0, 255);
	int spark = (int)(hash2((uint32_t)px, (uint32_t)py) >> 24);
	int land = planet_height(x, y) > PLANET_SEA + 3 && latitude < 400;
	int light = land && spark < people / 2 ? 120 + spark : land ? people / 12 : 0;
	set(c, light, light * 13 / 16, light / 2, 255);
}
