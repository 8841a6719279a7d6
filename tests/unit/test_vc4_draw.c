/* Pictures of the VideoCore IV: the article's triangle, a console's triangle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "vc4_rig.h"

enum { WIDTH = 640, HEIGHT = 480, PICTURE_BYTES = WIDTH * HEIGHT * 4 };

static struct vc4_rig rig;

/* The article's programs, word for word, and program A of the reference: white. */
static void put_article(void) {
	rig_hex(&rig, RIG_SHADERS,
			"00709E00E7090010 C01A341A670C02E0 00709E00E7090010"
			"00709E00E7090010 00709E00E7090010 F77DC21527000210 F77DC21567000210"
			"F77DC215A7000210 C01ABC17671C02E0 F77D0215270C0210 F77D0615270C0210"
			"F77D0A15270C0210 00709E00E7090050 00709E00E7090030 00709E00E7090010"
			"00709E00E7090010");
	rig_hex(&rig, RIG_SHADERS + 0x100,
			"00709E00E7090010 C01A741A670C02E0 00709E00E7090010"
			"00709E00E7090010 00709E00E7090010 F77DC21527000210 F77DC21567000210"
			"F77DC215A7000210 F77DC215E7000210 F77DC21527010210 F77DC21567010210"
			"F77DC215A7010210 C01ABC17671C02E0 F77D0215270C0210 F77D0615270C0210"
			"F77D0A15270C0210 F77D0E15270C0210 F77D1215270C0210 F77D1615270C0210"
			"F77D1A15270C0210 00709E00E7090050 00709E00E7090030 00709E00E7090010"
			"00709E00E7090010");
	rig_hex(&rig, RIG_SHADERS + 0x200,
			"00709E00E7090010 00709E00E7090010 00709E00E7090040"
			"FFFFFFFFA70B02E0 00709E00E7090030 00709E00E7090010 00709E00E7090050");
	/* GL record, NV record, streams of the vertex and of the coordinate program. */
	rig_hex(&rig, RIG_SHADERS + 0x300,
			"0400 00 00 00021100 00000000 0000 01 0C 00001100"
			"00000000 0000 02 1C 00011100 00000000 00801100 0B 0C 00 00"
			"40801100 1B 1C 00 00");
	rig_hex(&rig, RIG_SHADERS + 0x340, "00 0C 00 00 00021100 00000000 00801100");
	rig_hex(&rig, RIG_VERTICES,
			"0014 0002 0000803F 0000803F 0002 001C 0000803F 0000803F"
			"0026 001C 0000803F 0000803F");
	rig_hex(&rig, RIG_VERTICES + 0x40,
			"D91ECD3A A0CB5DBF 0000803F 0000803F 0014 0002"
			"0000803F 0000803F 255C66BF 43DD5E3F 0000803F 0000803F 0002 001C 0000803F"
			"0000803F 4429673F 43DD5E3F 0000803F 0000803F 0026 001C 0000803F 0000803F");
}

/* T3. Both modes draw the same, whatever threads and instruction sets do. */
TEST_LOOP(the_articles_triangle, 2 * ISA_COUNT * 2) {
	const enum isa isa = (enum isa)(_i / 4);
	const bool is_nv = _i & 1;
	if (isa != ISA_C && !isa_available(isa)) {
		return;
	}
	rig_open(&rig, isa, _i & 2);
	put_article();
	rig_begin(&rig, WIDTH, HEIGHT, 0xFF00FFFF, 0);
	rig_list(&rig, 0, "60 03 00 02 67 0000 0000");
	rig_list(&rig, 0, is_nv ? "41 40031100" : "40 02031100");
	rig_list(&rig, 0, "21 04 03000000 00000000");
	rig_end(&rig);
	ck_assert_int_eq(rig_run(&rig), 0);
	ck_assert_int_eq(rig.result, 0);
	ck_assert_int_eq(rig.unit.error.error, 0);
	ck_assert_uint_eq(rig_crc32(rig_at(&rig, RIG_TARGET), PICTURE_BYTES), 0x3389075A);
	rig_close(&rig);
}
