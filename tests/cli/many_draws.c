/* many-draws OUT.pica N: a frame of N draws, at most 1,000, a green square each; draw 17 is red. */
#include <stdlib.h>

#include "canvas.h"

enum { COLUMNS = 40, WRONG = 17 };

int main(int argc, char **argv) {
	struct recorder *r = calloc(1, sizeof(*r));
	const int n = argc == 3 ? atoi(argv[2]) : 0;
	if (n < 1 || n > 1000 || !r || recorder_init(r, argv[1], "many draws", false) < 0) {
		return 2;
	}
	canvas_store(r);
	recorder_frame_begin(r, 0x101010FF, 0x101010FF);
	recorder_draw_top(r);
	for (int i = 0; i < n; i++) {
		canvas_rect(r, i % COLUMNS * 10, i / COLUMNS * 9, 9, 8,
				i == WRONG ? 0xFF0000FF : 0x00FF00FF);
	}
	canvas_use(r, &r->canvas.font);
	for (int i = 0; i < n; i++) {
		canvas_draw_quads(r, (unsigned)i, 1);
	}
	recorder_frame_end(r);
	const int ret = recorder_finish(r);
	free(r);
	return ret < 0;
}
