/*
 * The stream from libpica-ctru to `pica host-run`, through a pipe (PICA_HOST_PICTURES): at the end
 * of each frame struct host_frame, then for each picture struct host_picture and its rows. A frame
 * HOST_FRAME_FINISHING says that the program has ended, or is at its last frame, and its recording
 * is being finished, which may take long; the pipe is closed afterwards.
 */
#ifndef HOST_PICTURES_H
#define HOST_PICTURES_H

#include <stdint.h>

enum {
	HOST_PICTURE_MAX_WIDTH = 800,
	HOST_PICTURE_HEIGHT = 240,
	HOST_FRAME_FINISHING = INT32_MAX,
	HOST_FRAME_PICTURES = 3, /* both eyes of the top screen, the bottom screen */
};

struct host_frame {
	uint32_t number;
	uint32_t n; /* pictures of the screens that were set, including the right eye's if it has
	 * one */
};

struct host_picture {
	uint32_t screen; /* enum pica_screen_id */
	uint32_t eye;    /* enum pica_eye */
	uint32_t width, height; /* of RGB8 rows from the top, without gaps */
};

#endif
