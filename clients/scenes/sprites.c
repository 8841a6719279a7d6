/*
 * Two-dimensional games. Top: a storm of 1,536 shots around a space station, one draw; the vertex
 * program moves and turns them, so only the time changes from frame to frame. Bottom: a scrolling
 * landscape of tiles of eight texels, drawn at twice their size.
 */
#include "kit.h"

enum {
	FRAMES = 4,
	SHOTS = 1536,
	STATION = 10,
	SHIP = 3,
	SPRITES = SHOTS + STATION + SHIP,
	ATLAS = 64, /* texels, in cells of */
	CELL = 16, CORNERS = 4, QUAD_INDICES = 6,
};

/* ---- Top: shots ---- */

/* One corner of a sprite, 16 bytes. */
struct corner {
	int16_t direction[2]; /* of the flight and of axis x, in units of 1/16384 */
	int16_t distance;     /* from the centre at the start, in pixels */
	int16_t speed;        /* pixels a frame */
	uint8_t texel[2];     /* of the atlas */
	int8_t offset[2];     /* from the sprite's centre, along its axes, in pixels */
	uint8_t rgba[4];
};

/* time.x: frames since the start; middle.xy: origin of all shots. */
static const char program_source[] =
		".fvec projection[4], middle, time\n"
		".constf k(0.00006103515625, 0.015625, 0.003921569, 1.0)\n"
		".constf zero(0.0, 0.0, 0.0, 0.0)\n"
		OUT_COLOR
		".out out_tex texcoord0\n"
		".in in_flight v0\n"
		".in in_texel v1\n"
		".in in_offset v2\n"
		".in in_color v3\n"
		".proc main\n"
		"	mov r0, in_flight\n"
		"	mov r1.xy, in_offset.xy\n"
		"	; how far it has come, with its own length added along the way\n"
		"	mul r2.x, time.x, r0.w\n"
		"	add r2.x, r0.z, r2.x\n"
		"	add r2.x, r1.x, r2.x\n"
		"	mul r3.xy, k.xx, r0.xy\n"
		"	mul r4.xy, r3.xy, r2.xx\n"
		"	; the other axis stands upright on the first\n"
		"	mov r5.x, -r3.y\n"
		"	mov r5.y, r3.x\n"
		"	mad r4.xy, r5.xy, r1.yy, r4.xy\n"
		"	add r4.xy, middle.xy, r4.xy\n"
		"	mov r4.z, zero.x\n"
		"	mov r4.w, k.w\n"
		PROJECT("r4")
		"	mul r6.xy, k.yy, in_texel.xy\n"
		"	mov out_tex.x, r6.x\n"
		"	add out_tex.y, k.w, -r6.y\n"
		"	mul out_color, k.zzzz, in_color\n"
		END;

enum kind { BALL, RING, GRAIN, STAR, BEAM, HULL, FIN, PANEL };

static int absolute(int x) {
	return x < 0 ? -x : x;
}

/* Brightness and alpha of a centred shape, -15..15 on both axes. */
static void shape(enum kind kind, int x, int y, int *light, int *alpha) {
	const int d = x * x + y * y, ax = absolute(x), ay = absolute(y);
	int depth = 0; /* 0 at the rim, 255 inside */
	switch (kind) {
	case BALL:
		depth = 255 - d * 255 / 225;
		break;
	case RING:
		depth = 255 - absolute(d - 130) * 3;
		break;
	case GRAIN:
		depth = 255 - d * 255 / 225 - y * y * 5;
		break;
	case STAR:
		depth = 255 - ax * ay * 12 - (ax + ay) * 13;
		break;
	case BEAM:
		depth = 255 - ay * 40;
		break;
	case HULL:
		depth = ax + ay < 16 ? 255 - ay * 10 : 0;
		break;
	case FIN:
		depth = x < 10 - ay && x > ay - 14 && ay < 12 ? 230 - ay * 8 : 0;
		break;
	case PANEL:
		depth = ax < 14 && ay < 9 ? (x + 16) % 5 && (y + 16) % 5 ? 210 : 90 : 0;
		break;
	}
	depth = depth < 0 ? 0 : depth;
	*light = depth;
	*alpha = kind >= HULL ? (depth ? 255 : 0) : depth * 2 > 255 ? 255 : depth * 2;
}

/* Cells of 16 x 16, white in the middle; the rim shows the vertex colour. */
static void picture_atlas(unsigned px, unsigned py, unsigned n, uint8_t rgba[4]) {
	const unsigned cell = py / CELL * (n / CELL) + px / CELL;
	const int x = 2 * (int)(px % CELL) - CELL + 1, y = 2 * (int)(py % CELL) - CELL + 1;
	int light = 0, alpha = 0;
	if (cell <= PANEL) {
		shape((enum kind)cell, x, y, &light, &alpha);
	}
	memset(rgba, light, 3);
	rgba[3] = (uint8_t)alpha;
}

struct sprite {
	enum kind kind;
	double turn; /* of its direction */
	int distance, speed, width, height;
	uint32_t rgba;
};

static void put_sprite(struct corner *v, const struct sprite *s) {
	for (unsigned k = 0; k < CORNERS; k++) {
		const int right = k & 1, up = k >> 1;
		struct corner *c = &v[k];
		*c = (struct corner){
			.direction = { (int16_t)(16384 * turn_cos(s->turn)),
					(int16_t)(16384 * turn_sin(s->turn)) },
			.distance = (int16_t)s->distance, .speed = (int16_t)s->speed,
			.texel = { (uint8_t)((s->kind % (ATLAS / CELL) + (unsigned)right) * CELL),
					(uint8_t)((s->kind / (ATLAS / CELL) + 1 - (unsigned)up) *
							CELL) },
			.offset = { (int8_t)((2 * right - 1) * s->width),
					(int8_t)((2 * up - 1) * s->height) },
		};
		put_color(c->rgba, 4, s->rgba);
	}
}

/* Three patterns with opposite rotations. */
static struct sprite shot(unsigned i) {
	if (i % 4 == 0) { /* grains in 16 arms */
		const unsigned arm = i / 4 % 16, wave = i / 64;
		return (struct sprite){ GRAIN, arm / 16.0 - wave * 0.013, 22 + (int)wave * 10, 4, 7,
			5, hsv(0.52 + wave * 0.006, 0.75, 1) };
	}
	if (i % 4 == 2 && i % 16 != 2) { /* rings that stars shoot */
		const unsigned arm = i / 4 % 32, wave = i / 128;
		return (struct sprite){ wave % 2 ? RING : STAR, arm / 32.0 + wave * 0.031,
			30 + (int)wave * 19, 6, 6, 6, hsv(0.1 + wave * 0.01, 0.8, 1) };
	}
	const unsigned arm = i / 2 % 24, wave = i / 48;
	return (struct sprite){ BALL, arm / 24.0 + wave * 0.019, 26 + (int)wave * 8, 3, 5, 5,
		hsv(0.93 - wave * 0.012, 0.85, 1) };
}

static void put_station(struct corner *v) {
	static const struct sprite hull = { BALL, 0, 0, 0, 18, 18, 0xD0D8E8FF },
				   eye = { RING, 0, 0, 0, 9, 9, 0xFF4060FF };
	for (unsigned i = 0; i < STATION - 2; i++) {
		const struct sprite panel = { PANEL, (i + 0.5) / (STATION - 2), 20, 0, 8, 10,
			0x80A8E0FF };
		put_sprite(&v[i * CORNERS], &panel);
	}
	put_sprite(&v[(STATION - 2) * CORNERS], &hull);
	put_sprite(&v[(STATION - 1) * CORNERS], &eye);
}

static void put_ship(struct corner *v) {
	/* Below the station: its direction is up. */
	static const struct sprite parts[SHIP] = { { BEAM, 0.25, -93, 0, 12, 5, 0x60C0FFFF },
		{ FIN, 0.25, -81, 0, 11, 12, 0xF0F4FFFF },
		{ HULL, 0.25, -80, 0, 9, 4, 0xFF7840FF } };
	for (unsigned i = 0; i < SHIP; i++) {
		put_sprite(&v[i * CORNERS], &parts[i]);
	}
}

/* ---- Bottom: tiles ---- */

enum { TILE = 8, ART_SIZE = 32, ROWS = 15, COLUMNS = 24 };

/* Pictures of 8 x 8, four in a row of the texture. */
static const char *const art[16] = {
	/* a: grass */ "gGgggGgggggggggggbggbgbgbbgbbbgbbbbbbbbbbBbbbbbbbbbbBbbbbbbbbbbb",
	/* b: earth */ "bbbbbbBbbbbbbbbbbBbbbbbbbbbbbBbbbbbbbbbbbbBbbbbbbbbbbbbBbBbbbbbb",
	/* c: bricks */ "oooBooooooroororBBBBBBBBBoooooooBooorooorBBBBBBBoooBoooooooBoroo",
	/* d: crate */ "kyyyyyykyokkkkoyykyyyykyyky00ykyyky00ykyykyyyykyyokkkkoykyyyyyyk",
	/* e: coin */ "..yyyy...ywyyyo.ywyyyyooywyyyyooywyyyyooyyyyyyoo.yyyyoo...oooo..",
	/* f: cloud */ "...www...wwwwww.wwwwwwwwwwwwwwwwwwwwwwwwcwwwwwwc.cccccc.........",
	/* g: bush */ "...gg.....ggGgg..ggGggGgGgggggggggGggGggggggggGgGgGggGgggggGgggG",
	/* h: fox */ "r....r..rr..rr..rrrrrr..r0rr0r..wwkkww.rorrrrorroooorrro.k..k...",
	/* i: slime */ "..........pppp...pPppPp.pwkpwkppppppppppPppppppPpPPppPPp.pppppp.",
	/* j: flower */ "..rr.rr..rryyrr..rryyrr...rrrr.....gg...gg.gg.gg.gggggg....gg...",
	/* k: leaves */ "..gggg...ggGggg.ggggggGggGgggggggggGgggGGggggggg.GggGgG...GGGG..",
	/* l: trunk */ "..bBbb....bbBb....bBbb....bbbb....bbBb....Bbbb....bbbb...bbBbbb.",
	/* m: far hill */ "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
	/* n: its left slope */ ".......m......mm.....mmm....mmmm...mmmmm..mmmmmm.mmmmmmmmmmmmmmm",
	/* o: its right slope */ "m.......mm......mmm.....mmmm....mmmmm...mmmmmm..mmmmmmm.mmmmmmmm",
	/* p: sign */ "oooooooooyyyyyyooyk00kyoooooooooB..oo..B...oo......oo......oo...",
};

static uint32_t art_color(char c) {
	static const struct {
		char letter;
		uint32_t rgba;
	} paints[] = { { 'g', 0x58B848FF }, { 'G', 0x388838FF }, { 'b', 0x9A6A40FF },
		{ 'B', 0x7A5030FF }, { 'o', 0xD08848FF }, { 'r', 0xE05830FF }, { 'k', 0x302830FF },
		{ 'y', 0xF8D050FF }, { '0', 0x181820FF }, { 'w', 0xFFFFFFFF }, { 'c', 0xC8D8F0FF },
		{ 'p', 0xA070D8FF }, { 'P', 0x7848B0FF }, { 'm', 0x80B0A8FF } };
	for (unsigned i = 0; i < COUNT(paints); i++) {
		if (paints[i].letter == c) {
			return paints[i].rgba;
		}
	}
	return 0;
}

static void picture_art(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	(void)n; /* ART_SIZE */
	const char *tile = art[y / TILE * (ART_SIZE / TILE) + x / TILE];
	const uint32_t color = art_color(tile[y % TILE * TILE + x % TILE]);
	put_color(rgba, 4, color);
}

/* Letters of art; far is drawn first and scrolls at half the speed. */
static const char *const far_map[ROWS] = {
	"........................",
	"...ff...................",
	"..............fff....ff.",
	".....f..................",
	"............f...........",
	"..ff.............ff.....",
	"........................",
	"........................",
	".....no.........no......",
	"....nmmo.......nmmo.....",
	"...nmmmmo..no.nmmmmo..no",
	"..nmmmmmmonmmonmmmmmonmm",
	".nmmmmmmmmmmmmmmmmmmmmmm",
	"nmmmmmmmmmmmmmmmmmmmmmmm",
	"mmmmmmmmmmmmmmmmmmmmmmmm",
}, *const near_map[ROWS] = {
	"........................",
	"........................",
	"........................",
	"....eee............k....",
	"...................kk...",
	"...cdcc......e....kkk...",
	"............eee...kkkk..",
	"..................kkk...",
	"..........cccdc....l....",
	"...................l....",
	".......h...i...aa..l.j..",
	".j.p..aaaa....abba.laaa.",
	"aaa.gabbbba..gabbbbabbba",
	"bbbaabbbbbba.abbbbbbbbbb",
	"bbbbbbbbbbbbabbbbbbbbbbb",
};

static void put_map(struct recorder *r, const char *const map[ROWS], int scroll) {
	for (int y = 0; y < ROWS; y++) {
		for (int x = 0; x < COLUMNS; x++) {
			const char tile = map[y][x];
			if (tile != '.') {
				const int index = tile - 'a', lift = tile == 'h' ? scroll % 5 : 0;
				canvas_sprite(r, x * 16 - scroll, y * 16 - lift, 16, 16,
						index % 4 * TILE, index / 4 * TILE, TILE, TILE,
						0xFFFFFFFF);
			}
		}
	}
}

/* ---- Frames ---- */

static struct pica_texture atlas, tiles;
static struct mesh sprites;

static void store(struct recorder *r) {
	static const struct vertex_format format = { sizeof(struct corner), 4,
		{ { PICA_ATTRIB_TYPE_S16, 4 }, { PICA_ATTRIB_TYPE_U8, 2 },
				{ PICA_ATTRIB_TYPE_S8, 2 }, { PICA_ATTRIB_TYPE_U8, 4 } } };
	static struct corner v[SPRITES * CORNERS];
	static uint16_t index[SPRITES * QUAD_INDICES];
	uint16_t *end = index;
	for (unsigned i = 0; i < SHOTS; i++) {
		const struct sprite one = shot(i);
		put_sprite(&v[i * CORNERS], &one);
	}
	put_station(&v[SHOTS * CORNERS]);
	put_ship(&v[(SHOTS + STATION) * CORNERS]);
	for (unsigned i = 0; i < SPRITES * CORNERS; i += CORNERS) {
		end = put_quad(end, i, i + 1, i + 2, i + 3);
	}
	sprites = mesh_store_indexed(
			r, &format, PICA_PRIMITIVE_LIST, v, COUNT(v), index, COUNT(index));
	atlas = store_texture(r, PICA_TEXTURE_FORMAT_IA8, ATLAS, 1, picture_atlas);
	tiles = store_texture(r, PICA_TEXTURE_FORMAT_RGB5A1, ART_SIZE, 1, picture_art);
	set_filter(&tiles, PICA_FILTER_NEAREST);
}

static void draw_top(struct recorder *r, unsigned frame) {
	static const uint32_t space[4] = { 0x080818FF, 0x140820FF, 0x0C1830FF, 0x200C28FF };
	static const float middle[4] = { TOP_WIDTH / 2, 136, 0, 0 };
	const float time[4] = { (float)frame, 0, 0, 0 };
	canvas_gradient(r, 0, 0, TOP_WIDTH, SCREEN_HEIGHT, space);
	for (unsigned i = 0; i < 90; i++) {
		const int x = (int)(i * 7919 % 401),
			  y = (int)((i * 104729 + frame * (1 + i % 3)) % 240);
		canvas_rect(r, x, y, 1 + (i % 7 == 0), 1, i % 3 ? 0x6070A0FF : 0xD0D8FFFF);
	}
	canvas_draw(r);

	use_projected(r, program_source, screen_pixels(TOP_WIDTH));
	set_uniform(r, "middle", middle, 1);
	set_uniform(r, "time", time, 1);
	mesh_use(r, &sprites);
	pica_emit_texture(&r->list, 0, &atlas);
	/* The vertex colour; towards white where the texture is brighter than half. */
	TEV(r, 0, RGB2(ADD_SIGNED, TEXTURE0, PRIMARY), ALPHA2(MODULATE, TEXTURE0, PRIMARY));
	mesh_draw_part(r, &sprites, 0, SHOTS * QUAD_INDICES);
	tev_modulate(r);
	mesh_draw_part(r, &sprites, SHOTS * QUAD_INDICES, (STATION + SHIP) * QUAD_INDICES);

	/* covers shots under the text */
	canvas_rect(r, 0, 0, TOP_WIDTH, 13, 0x080818E8);
	canvas_rect(r, 0, SCREEN_HEIGHT - 13, 116, 13, 0x080818E8);
	canvas_text(r, 4, 3, 0xFFFFFFFF, "SCORE 0184250");
	canvas_text(r, 352, 3, 0xFF8090FF, "LIVES 3");
	canvas_text(r, 4, 230, 0x90B8E8FF, "1536 sprites, one draw");
	canvas_draw(r);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	canvas_sky(r, 0, 0, BOTTOM_WIDTH, SCREEN_HEIGHT, 0x68A8F0FF, 0xD8ECF8FF);
	canvas_draw(r);
	tev_modulate(r);
	put_map(r, far_map, (int)frame * 4);
	put_map(r, near_map, (int)frame * 8);
	canvas_draw_textured(r, &tiles);
}

const struct scene scene_sprites = {
	.name = "sprites",
	.what = "1,536 sprites in one draw, moved by the vertex program; a scrolling landscape of tiles",
	.frames = FRAMES, .has_canvas = true, .top = 0x000000FF, .bottom = 0x000000FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
