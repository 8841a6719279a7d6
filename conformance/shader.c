/* Shader programs: each instruction with edge values, operands, uniforms, flow, and the geometry
 * shader. */
#include <math.h>

#include "kit.h"

/* ---- Arithmetic ---- */

enum { SIDE = 8, CELL = 2 };

/* a grows to the right, b up. */
static const float values[SIDE] = { 0, 1, -1.5f, 0.375f, 3, INFINITY, -INFINITY, NAN };

/* Truncates a number to the 17 bits of an f24. [fidelity: f24-model] */
static double cut(double x) {
	int exponent;
	if (x == 0 || !isfinite(x)) {
		return x;
	}
	const double m = frexp(x, &exponent);
	return ldexp(trunc(ldexp(m, 17)), exponent - 17);
}

/* 0 times anything but NaN is 0. [fidelity: f24-facts] */
static double mul(double a, double b) {
	return (a == 0 && !isnan(b)) || (b == 0 && !isnan(a)) ? 0 : cut(a * b);
}

static double add(double a, double b) {
	return cut(a + b);
}

static double dot(double a, double b, unsigned n) {
	/* (a, b, 2, 1/2) . (b, 1, 1/4, b); of DPH the first vector's w is 1. */
	const double p[4] = { mul(a, b), mul(b, 1), 0.5, mul(n == 5 ? 1 : 0.5, b) };
	const double two = add(p[0], p[1]), three = add(two, p[2]);
	return n == 3 ? three : add(three, p[3]);
}

enum formula {
	ADD,
	MUL,
	MAX,
	MIN,
	SGE,
	SLT,
	FLR,
	RCP,
	RSQ,
	EX2,
	LG2,
	MAD,
	DP3,
	DP4,
	DPH,
	DST,
	MOV,
	LITP_Y,
	LITP_Z,
	LITP_W,
	EQ,
	NE,
	LT,
	LE,
	GT,
	GE,
};

static double compute(enum formula f, double a, double b) {
	switch (f) {
	case ADD:
		return add(a, b);
	case MUL:
		return mul(a, b);
	case MAX:
		return a > b ? a : b;
	case MIN:
		return a < b ? a : b;
	case SGE:
	case GE:
		return a >= b;
	case SLT:
	case LT:
		return a < b;
	case FLR:
		return floor(a);
	case RCP:
		return cut(1 / a);
	case RSQ:
		return cut(1 / sqrt(a));
	case EX2:
		return cut(exp2(a));
	case LG2:
		return cut(log2(a));
	case MAD:
		return add(mul(a, b), 0.375);
	case DP3:
		return dot(a, b, 3);
	case DP4:
		return dot(a, b, 4);
	case DPH:
		return dot(a, b, 5);
	case DST:
		return mul(b, 1);
	case MOV:
		return a;
	case EQ:
		return a == b;
	case NE:
		return a != b;
	case LE:
		return a <= b;
	case GT:
		return a > b;
	default:
		return 0;
	}
}

/*
 * The program around an instruction: r1 = (a, b, 2, 1/2), r2 = (b, 1, 1/4, b). It shows r0.x: red
 * if it is at least 0, green: a quarter of its absolute value, blue if it is a number.
 */
#define PROGRAM(text) \
	OUT_COLOR ".in in_pos v0\n.in in_color v1\n.constf k(0.0, 1.0, 0.25, 0.375)\n" \
		  ".constf t(2.0, 0.5, 0.0, 0.0)\n" \
		  ".proc main\n	mov out_pos, in_pos\n	mov r1.xy, in_color.xy\n" \
		  "	mov r1.zw, t.xxxy\n" \
		  "	mov r2.x, in_color.y\n	mov r2.y, k.y\n	mov r2.z, k.z\n" \
		  "	mov r2.w, in_color.y\n" text \
		  "	mov r4, k.yyyy\n	sge r4.x, r0.x, k.x\n	mul r4.y, k.z, r0.x\n" \
		  "	sge r4.z, r0.x, r0.x\n" \
		  "	mov out_color, r4\n" END
#define CMP(op) \
	PROGRAM("	mov r0, k.xxxx\n	cmp r1.xx, " op ", " op \
		", r2.xx\n	ifc cmp.x\n		mov r0, k.yyyy\n	.end\n")

static void draw_cells(struct maker *m) {
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		struct vertex v[4];
		for (unsigned k = 0; k < 4; k++) {
			v[k] = (struct vertex){ case_x(m, (float)(CELL * (i % SIDE + (k & 1)))),
				case_y(m, (float)(CELL * (i / SIDE + (k >> 1)))), 0, 1,
				values[i % SIDE], values[i / SIDE], 0, 1, 0, 0, 1 };
		}
		case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
	}
}

static void make_instructions(struct maker *m) {
	static const struct {
		const char *name;
		enum formula formula;
		enum origin origin;
		const char *rule, *program;
	} rows[] = {
		{ "add", ADD, ORIGIN_RULE, "f24-facts",
				PROGRAM("	add r0, r1.xxxx, r2.xxxx\n") },
		{ "mul", MUL, ORIGIN_CONSOLE, "f24-facts",
				PROGRAM("	mul r0, r1.xxxx, r2.xxxx\n") },
		{ "max", MAX, ORIGIN_RULE, "f24-facts",
				PROGRAM("	max r0, r1.xxxx, r2.xxxx\n") },
		{ "min", MIN, ORIGIN_RULE, "f24-facts",
				PROGRAM("	min r0, r1.xxxx, r2.xxxx\n") },
		{ "sge", SGE, ORIGIN_CONSOLE, "f24-facts",
				PROGRAM("	sge r0, r1.xxxx, r2.xxxx\n") },
		{ "slt", SLT, ORIGIN_CONSOLE, "f24-facts",
				PROGRAM("	slt r0, r1.xxxx, r2.xxxx\n") },
		{ "sge-inverted", SGE, ORIGIN_RULE, "shader-isa",
				PROGRAM("	mov r3, r2.xxxx\n	sgei r0, r1.xxxx, r3\n") },
		{ "slt-inverted", SLT, ORIGIN_RULE, "shader-isa",
				PROGRAM("	mov r3, r2.xxxx\n	slti r0, r1.xxxx, r3\n") },
		{ "flr", FLR, ORIGIN_RULE, "shader-numbers", PROGRAM("	flr r0, r1.xxxx\n") },
		{ "rcp", RCP, ORIGIN_RULE, "f24-model", PROGRAM("	rcp r0, r1.x\n") },
		{ "rsq", RSQ, ORIGIN_RULE, "f24-model", PROGRAM("	rsq r0, r1.x\n") },
		{ "ex2", EX2, ORIGIN_RULE, "f24-model", PROGRAM("	ex2 r0, r1.x\n") },
		{ "lg2", LG2, ORIGIN_RULE, "f24-model", PROGRAM("	lg2 r0, r1.x\n") },
		{ "mad", MAD, ORIGIN_RULE, "f24-facts",
				PROGRAM("	mov r3, k.wwww\n"
					"	mad r0, r1.xxxx, r2.xxxx, r3\n") },
		{ "mad-uniform", MAD, ORIGIN_RULE, "f24-facts",
				PROGRAM("	mad r0, r1.xxxx, r2.xxxx, k.wwww\n") },
		{ "dp3", DP3, ORIGIN_RULE, "f24-facts", PROGRAM("	dp3 r0, r1, r2\n") },
		{ "dp4", DP4, ORIGIN_RULE, "f24-facts", PROGRAM("	dp4 r0, r1, r2\n") },
		{ "dph", DPH, ORIGIN_RULE, "f24-facts", PROGRAM("	dph r0, r1, r2\n") },
		{ "dst", DST, ORIGIN_RULE, "shader-isa",
				PROGRAM("	dst r3, r2, r1.yyyy\n	mul r0, k.xxxx, r3.zzzz\n"
					"	dst r3, r1.yyyy, r2.yyyy\n"
					"	mov r0, r3.yyyy\n") },
		{ "mov", MOV, ORIGIN_RULE, "shader-isa", PROGRAM("	mov r0, r1.xxxx\n") },
		{ "cmp-eq", EQ, ORIGIN_RULE, "f24-facts", CMP("eq") },
		{ "cmp-ne", NE, ORIGIN_RULE, "f24-facts", CMP("ne") },
		{ "cmp-lt", LT, ORIGIN_RULE, "f24-facts", CMP("lt") },
		{ "cmp-le", LE, ORIGIN_RULE, "f24-facts", CMP("le") },
		{ "cmp-gt", GT, ORIGIN_RULE, "f24-facts", CMP("gt") },
		{ "cmp-ge", GE, ORIGIN_RULE, "f24-facts", CMP("ge") },
		{ "litp-x", LITP_Y, ORIGIN_RENDERERS, "shader-numbers",
				PROGRAM("	litp r3, r1\n	mov r0, r3.xxxx\n") },
		{ "litp-y", LITP_Y, ORIGIN_RENDERERS, "shader-numbers",
				PROGRAM("	litp r3, r1\n	mov r0, r3.yyyy\n") },
		{ "litp-z", LITP_Z, ORIGIN_RENDERERS, "shader-numbers",
				PROGRAM("	litp r3, r1\n	mov r0, r3.zzzz\n") },
		{ "litp-w", LITP_W, ORIGIN_RENDERERS, "shader-numbers",
				PROGRAM("	litp r3, r1\n	mov r0, r3.wwww\n") },
		{ "litp-cmp", LITP_W, ORIGIN_RENDERERS, "shader-numbers",
				PROGRAM("	mov r0, k.xxxx\n	litp r3, r1\n	ifc cmp.x\n"
					"		add r0, k.yyyy, r0\n	.end\n"
					"	ifc cmp.y\n		add r0, t.xxxx, r0\n"
					"	.end\n") },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, rows[i].origin, rows[i].rule, 16, 16, "shader-%s",
				    rows[i].name)) {
			return;
		}
		use_program(&m->r, rows[i].program);
		draw_cells(m);
		EACH_PIXEL(m, x, y) {
			const double r = compute(
					rows[i].formula, values[x / CELL], values[y / CELL]);
			const double quarter = fabs(r) / 4;
			m->want[y][x] = (r >= 0 ? 0xFF0000FF : 0x000000FF) |
					(isnan(r) ? 0u : 0xFF00u) |
					(uint32_t)(quarter < 1 ? cut(quarter) * 255 + 0.5 : 255)
							<< 16;
		}
		if (rows[i].origin == ORIGIN_RENDERERS) {
			case_edge(m); /* some have one colour; a cell has two columns */
		}
		case_end(m);
	}
}

/* ---- Operands, uniforms, flow: one colour each ---- */

#define HEAD OUT_COLOR ".in in_pos v0\n.in in_color v1\n.constf k(0.25, 0.5, 0.75, 1.0)\n"
#define BEGIN ".proc main\n	mov out_pos, in_pos\n	mov r0, k.wwww\n"
#define FINISH "	mov out_color, r0\n" END

/* The vertex colour is (1/4, 1/2, 3/4, 1) too. */
static const struct {
	const char *name, *rule;
	enum origin origin;
	uint32_t color;
	const char *program;
} flows[] = {
	{ "swizzle", "shader-isa", ORIGIN_RULE, 0xBF4080FF,
			HEAD BEGIN "	mov r0.xyz, in_color.zxyw\n" FINISH },
	{ "swizzle-of-second-operand", "shader-isa", ORIGIN_RULE, 0xBF804000,
			HEAD BEGIN
			"	mov r1, in_color\n	mul r0.xyz, k.wwww, r1.zyxw\n" FINISH },
	{ "negation", "shader-isa", ORIGIN_RULE, 0xBF8040FF,
			HEAD BEGIN "	add r0.xyz, k.wwww, -in_color\n" FINISH },
	{ "write-mask", "shader-isa", ORIGIN_RULE, 0xFF80FFFF,
			HEAD BEGIN "	mov r0.y, in_color\n" FINISH },
	{ "mova-x", "relative-addressing", ORIGIN_RULE, 0x8080FFFF,
			HEAD ".constf n(2.75, -1.5, 0.0, 0.0)\n"
			     ".setf c40(0.0, 0.0, 0.0, 0.0)\n.setf c41(0.25, 0.25, 1.0, 1.0)\n"
			     ".setf c42(0.5, 0.5, 1.0, 1.0)\n" BEGIN
			     "	mova a0.x, n.x\n	mov r0, c40[a0.x]\n" FINISH },
	{ "mova-y-negative", "relative-addressing", ORIGIN_RULE, 0x4040FFFF,
			HEAD ".constf n(2.75, -1.5, 0.0, 0.0)\n"
			     ".setf c40(0.0, 0.0, 0.0, 0.0)\n.setf c41(0.25, 0.25, 1.0, 1.0)\n"
			     ".setf c42(0.5, 0.5, 1.0, 1.0)\n" BEGIN
			     "	mova a0.y, n.y\n	mov r0, c42[a0.y]\n" FINISH },
	{ "uniform-beyond-c95", "relative-addressing", ORIGIN_RULE, 0xFFFFFFFF,
			HEAD ".constf n(4.0, 0.0, 0.0, 0.0)\n"
			     ".setf c95(0.25, 0.5, 0.0, 1.0)\n" BEGIN
			     "	mova a0.x, n.x\n	mov r0, c92[a0.x]\n" FINISH },
	{ "uniform-c95", "relative-addressing", ORIGIN_RULE, 0x408000FF,
			HEAD ".constf n(3.0, 0.0, 0.0, 0.0)\n"
			     ".setf c95(0.25, 0.5, 0.0, 1.0)\n" BEGIN
			     "	mova a0.x, n.x\n	mov r0, c92[a0.x]\n" FINISH },
	{ "address-wraps-in-7-bits", "relative-addressing", ORIGIN_RULE, 0x408000FF,
			HEAD ".constf n(90.0, 0.0, 0.0, 0.0)\n.setf c2(0.25, 0.5, 0.0, 1.0)\n" BEGIN
			     "	mova a0.x, n.x\n	mov r0, c40[a0.x]\n" FINISH },
	{ "loop-counts", "flow-control", ORIGIN_RULE, 0xFF40BFFF,
			HEAD
			".consti n(2, 0, 1, 0)\n" BEGIN
			"	mov r0.yz, k.xxxx\n	add r0.y, -k.x, r0.y\n	mov r0.z, r0.y\n"
			"	for n\n		add r0.z, k.x, r0.z\n	.end\n"
			"	mov r0.y, k.x\n" FINISH },
	{ "loop-al", "flow-control", ORIGIN_RULE, 0x4080BFFF,
			HEAD ".consti n(2, 1, 1, 0)\n"
			     ".setf c40(0.0, 0.0, 0.0, 0.0)\n.setf c41(0.25, 0.0, 0.0, 0.0)\n"
			     ".setf c42(0.0, 0.5, 0.0, 0.0)\n"
			     ".setf c43(0.0, 0.0, 0.75, 1.0)\n" BEGIN
			     "	mov r0, c40\n	for n\n		add r0, c40[aL], r0\n"
			     "	.end\n" FINISH },
	{ "loop-breakc", "flow-control", ORIGIN_RULE, 0x8080FFFF,
			HEAD
			".consti n(9, 0, 1, 0)\n" BEGIN
			"	mov r0.xy, c40.xx\n	for n\n		add r0.xy, k.xx, r0.xy\n"
			"		cmp k.yy, le, le, r0.xx\n		breakc cmp.x\n"
			"		nop\n	.end\n" FINISH },
	{ "loops-nested", "flow-control", ORIGIN_RULE, 0xBFFFFFFF,
			HEAD ".consti n(2, 0, 1, 0)\n.consti o(1, 0, 1, 0)\n"
			     ".constf s(0.125, 0.0, 0.0, 0.0)\n" BEGIN
			     "	mov r0.x, s.y\n	for n\n		for o\n"
			     "			add r0.x, s.x, r0.x\n		.end\n"
			     "		nop\n	.end\n" FINISH },
	{ "ifu-true", "flow-control", ORIGIN_RULE, 0x40FFFFFF,
			HEAD ".setb b3 true\n" BEGIN
			     "	ifu b3\n		mov r0.x, k.x\n	.else\n"
			     "		mov r0.x, k.y\n	.end\n" FINISH },
	{ "ifu-false", "flow-control", ORIGIN_RULE, 0x80FFFFFF,
			HEAD ".setb b3 false\n" BEGIN
			     "	ifu b3\n		mov r0.x, k.x\n	.else\n"
			     "		mov r0.x, k.y\n	.end\n" FINISH },
	{ "ifc-or", "flow-control", ORIGIN_RULE, 0x40FFFFFF,
			HEAD BEGIN
			"	mov r1, in_color\n	cmp k.xx, eq, ne, r1.xx\n"
			"	ifc cmp.x || cmp.y\n		mov r0.x, k.x\n	.end\n" FINISH },
	{ "ifc-and", "flow-control", ORIGIN_RULE, 0xFFFFFFFF,
			HEAD BEGIN
			"	mov r1, in_color\n	cmp k.xx, eq, ne, r1.xx\n"
			"	ifc cmp.x && cmp.y\n		mov r0.x, k.x\n	.end\n" FINISH },
	{ "ifc-not", "flow-control", ORIGIN_RULE, 0x40FFFFFF,
			HEAD BEGIN
			"	mov r1, in_color\n	cmp k.xx, eq, ne, r1.xx\n"
			"	ifc cmp.x && !cmp.y\n		mov r0.x, k.x\n	.end\n" FINISH },
	{ "jmpc", "flow-control", ORIGIN_RULE, 0xFFFF80FF,
			HEAD BEGIN "	mov r1, in_color\n	cmp k.xx, eq, eq, r1.xx\n"
				   "	jmpc cmp.x, there\n	mov r0.x, k.x\nthere:\n"
				   "	mov r0.z, k.y\n" FINISH },
	{ "jmpu", "flow-control", ORIGIN_RULE, 0xFFFF80FF,
			HEAD ".setb b1 true\n" BEGIN
			     "	jmpu b1, there\n	mov r0.x, k.x\nthere:\n"
			     "	mov r0.z, k.y\n" FINISH },
	{ "jmpu-not", "flow-control", ORIGIN_RULE, 0x40FF80FF,
			HEAD ".setb b1 true\n" BEGIN
			     "	jmpu !b1, there\n	mov r0.x, k.x\nthere:\n"
			     "	mov r0.z, k.y\n" FINISH },
	{ "call", "flow-control", ORIGIN_RULE, 0x40FF80FF,
			HEAD ".entry main\n.proc part\n	mov r0.x, k.x\n.end\n" BEGIN
			     "	call part\n	mov r0.z, k.y\n" FINISH },
	{ "call-in-call", "flow-control", ORIGIN_RULE, 0x4080FFFF,
			HEAD ".entry main\n.proc inner\n	mov r0.x, k.x\n.end\n"
			     ".proc part\n	call inner\n	mov r0.y, k.y\n.end\n" BEGIN
			     "	call part\n	nop\n" FINISH },
	{ "callc", "flow-control", ORIGIN_RULE, 0xFFFF80FF,
			HEAD ".entry main\n.proc part\n	mov r0.x, k.x\n.end\n" BEGIN
			     "	mov r1, in_color\n	cmp k.xx, ne, ne, r1.xx\n"
			     "	callc cmp.x, part\n	mov r0.z, k.y\n" FINISH },
	{ "callu", "flow-control", ORIGIN_RULE, 0x40FF80FF,
			HEAD ".setb b2 true\n.entry main\n.proc part\n"
			     "	mov r0.x, k.x\n.end\n" BEGIN
			     "	callu b2, part\n	mov r0.z, k.y\n" FINISH },
	{ "end-stops", "shader-isa", ORIGIN_RULE, 0x4080BFFF,
			HEAD BEGIN
			"	mov out_color, k\n	end\n	mov out_color, r0\n" END },
};

static void make_flows(struct maker *m) {
	for (unsigned i = 0; i < ARRAY_LEN(flows); i++) {
		if (!case_begin(m, flows[i].origin, flows[i].rule, 16, 16, "shader-%s",
				    flows[i].name)) {
			return;
		}
		use_program(&m->r, flows[i].program);
		struct vertex v[4];
		for (unsigned k = 0; k < 4; k++) {
			v[k] = (struct vertex){ k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0, 1, 0.25f, 0.5f,
				0.75f, 1, 0, 0, 1 };
		}
		case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = flows[i].color;
		}
		case_end(m);
	}
}

/* ---- The geometry shader ---- */

/* A vertex program that passes position and colour on. */
static const char pass_program[] = ".out out_pos dummy o0\n.out out_color dummy o1\n.in in_pos v0\n"
				   ".in in_color v1\n.proc main\n"
				   "	mov out_pos, in_pos\n	mov out_color, in_color\n" END;

/* One corner of a square around r1, at (x, y) of `k`. */
#define CORNER(slot, xy, color) \
	"	setemit " slot "\n	add r2.xy, " xy \
	", r1.xy\n	mov r2.zw, r1\n	mov out_pos, r2\n	mov out_color, " color \
	"\n	emit\n"
#define GS(kind) \
	".gsh " kind "\n" OUT_COLOR ".constf k(-0.25, 0.25, 0.0, 1.0)\n" \
	".constf left(-0.25, -0.25, 0.0, 0.0)\n" \
	".constf right(0.25, -0.25, 0.0, 0.0)\n.constf top(-0.25, 0.25, 0.0, 0.0)\n" \
	".constf high(-0.25, 0.75, 0.0, 0.0)\n" \
	".constf far(0.25, 0.25, 0.0, 0.0)\n.entry draw\n.proc draw\n	mov r0, k.zzzz\n"
#define SQUARE \
	CORNER("0", "left.xy", "r3") \
	CORNER("1", "right.xy", "r3") \
	CORNER("2, prim", "top.xy", "r3") CORNER("0, prim inv", "far.xy", "r3")

/* Three vertices at the centres of three quarters, with colours 0, 1, 2. */
static const float places[3][2] = { { -0.5f, -0.5f }, { 0.5f, -0.5f }, { -0.5f, 0.5f } };
static const uint32_t colors[3] = { 0xE04030FF, 0x30C050FF, 0x4060F0FF };

/* From arrays, by an index list that begins with the number of vertices of a primitive. */
static void draw_variable(struct maker *m) {
	static const uint8_t index[4] = { 3, 0, 1, 2 };
	float v[3][8];
	for (unsigned k = 0; k < 3; k++) {
		memcpy(v[k], (const float[4]){ places[k][0], places[k][1], 0, 1 },
				sizeof(float[4]));
		put_color_float(v[k] + 4, colors[k]);
	}
	const struct pica_attributes a = {
		.base = ARRAY_BASE,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { recorder_store(&m->r, v, sizeof(v)) - ARRAY_BASE, 32, 2, { 0, 1 } } }
	};
	pica_emit_attributes(m->list, &a);
	pica_emit_draw_elements(m->list, PICA_PRIMITIVE_GEOMETRY,
			recorder_store(&m->r, index, sizeof(index)) - ARRAY_BASE, false, 4);
}

static void draw_immediate(struct maker *m) {
	pica_emit_inputs(m->list, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(m->list, PICA_PRIMITIVE_GEOMETRY);
	for (unsigned k = 0; k < 3; k++) {
		float v[8] = { places[k][0], places[k][1], 0, 1 };
		put_color_float(v + 4, colors[k]);
		pica_emit_immediate(m->list, v, 2);
	}
	pica_emit_immediate_end(m->list);
}

static void make_geometry_shader(struct maker *m) {
	enum { RED = 0xE04030, GREEN = 0x30C050, BLUE = 0x4060F0 };
	static const struct {
		const char *name, *rule, *program;
		enum origin origin;
		uint32_t mode;
		unsigned inputs;
		bool is_high; /* one triangle, of 8 pixels' height */
		struct {
			unsigned x, y;
			uint32_t color; /* 0xRRGGBB, 0: none */
		} square[3];
	} rows[] = {
		{ "point", "gs-point",
				GS("point c0") "	mov r1, v0\n	mov r3, v1\n" SQUARE END,
				ORIGIN_RULE, PICA_GS_MODE_POINT, 2, false,
				{ { 2, 2, RED }, { 10, 2, GREEN }, { 2, 10, BLUE } } },
		/* Mean position and sum of the colours of two vertices; the third one waits. */
		{ "two-vertices", "gs-point",
				GS("point c0") "	add r1, v0, r0\n	mov r2, v2\n"
				"	add r1, r1, r2\n	mul r1, k.yyyy, r1\n	add r1, r1, r1\n"
				"	mov r3, v1\n	add r3, v3, r3\n" SQUARE END,
				ORIGIN_RULE, PICA_GS_MODE_POINT, 4, false, { { 6, 2, 0xFFFF80 } } },
		/* Position of the first, colour of the second. */
		{ "fixed", "gs-fixed",
				GS("fixed c20 c0 3") "	mov r1, c0\n	mov r3, c3\n" SQUARE END,
				ORIGIN_RULE, PICA_GS_MODE_FIXED, 1, false, { { 2, 2, GREEN } } },
		{ "variable", "gs-variable",
				GS("variable c20 3") "	mov r1, c1\n	mov r3, c4\n" SQUARE END,
				ORIGIN_RULE, PICA_GS_MODE_VARIABLE, 1, false, { { 2, 2, GREEN } } },
		/* The third corner writes no colour, so it has the first's. Flat: the third's. */
		{ "output-banks", "gs-emit",
				GS("point c0") "	mov r1, v0\n	mov r3, v1\n" CORNER(
						"0", "left.xy", "r3") CORNER("1", "right.xy",
						"k.wwww") "	setemit 2, prim\n"
							  "	add r2.xy, high.xy, r1.xy\n"
							  "	mov r2.zw, r1\n"
							  "	mov out_pos, r2\n	emit\n" END,
				ORIGIN_CONSOLE, PICA_GS_MODE_POINT, 2, true,
				{ { 2, 2, RED }, { 10, 2, GREEN }, { 2, 10, BLUE } } },
		/* b15 is set after the first run. */
		{ "b15-after-a-run", "gs-state",
				GS("point c0") "	mov r1, v0\n	mov r3, v1\n"
					       "	ifu b15\n		mov r3, k.wwww\n"
					       "	.end\n" SQUARE END,
				ORIGIN_RULE, PICA_GS_MODE_POINT, 2, false,
				{ { 2, 2, RED }, { 10, 2, 0xFFFFFF }, { 2, 10, 0xFFFFFF } } },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, rows[i].origin, rows[i].rule, 16, 16, "geometry-shader-%s",
				    rows[i].name)) {
			return;
		}
		use_geometry_program(&m->r, pass_program, rows[i].program);
		if (rows[i].inputs == 4) {
			pica_emit_geometry(m->list,
					&(const struct pica_geometry){ .mode = PICA_GS_MODE_POINT,
							.inputs = 4,
							.vs_outputs = 2 });
		}
		pica_emit_bool_uniforms(m->list, PICA_UNIT_GS, 0);
		pica_emit_reg_masked(m->list, PICA_REG_RASTER_FLAT, rows[i].is_high, 1);
		if (rows[i].mode == PICA_GS_MODE_VARIABLE) {
			draw_variable(m);
		} else {
			draw_immediate(m);
		}
		EACH_PIXEL(m, x, y) {
			for (unsigned k = 0; k < 3 && rows[i].square[k].color; k++) {
				/* The high triangle of 4 x 8 pixels has no sample on its edge. */
				const unsigned a = x - rows[i].square[k].x,
					       b = y - rows[i].square[k].y;
				if (a < 4 && (b < (rows[i].is_high ? 7 - 2 * a : 4))) {
					m->want[y][x] = rows[i].square[k].color << 8;
				}
			}
		}
		case_end(m);
	}
}

void make_shader(struct maker *m) {
	make_instructions(m);
	make_flows(m);
	make_geometry_shader(m);
}
