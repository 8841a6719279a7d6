/*
 * The stream from libpica-ctru to `pica host-run`, through a pipe (PICA_HOST_PICTURES): at the end
 * of each frame struct host_frame, then for each picture struct host_picture and its rows.
 *
 * When the program initialises its GPU: HOST_FRAME_MEMORY and n of struct host_memory, none without
 * PICA_HOST_LINT. With that, a socket, then also the work: before each job HOST_FRAME_JOB and a
 * struct pica_job. The program waits for a byte from the socket before it executes the job.
 * HOST_FRAME_REFUSED stands for a mistake that is in no job.
 *
 * HOST_FRAME_FINISHING says that the program has ended, or is at its last frame: only mistakes may
 * follow. Finishing its recording may take long; the pipe is closed afterwards.
 */
#ifndef HOST_PICTURES_H
#define HOST_PICTURES_H

#include <stdint.h>

enum {
	HOST_PICTURE_MAX_WIDTH = 800,
	HOST_PICTURE_HEIGHT = 240,
	/* Numbers of frames that are none. */
	HOST_FRAME_FINISHING = INT32_MAX,
	HOST_FRAME_MEMORY = INT32_MAX - 1,
	HOST_FRAME_JOB = INT32_MAX - 2,
	HOST_FRAME_REFUSED = INT32_MAX - 3,
	HOST_FRAME_PICTURES = 3, /* both eyes of the top screen, the bottom screen */
};

/* The mark of a font file (.bcfnt) and its offset. Both sides check it. */
enum { HOST_FONT_MARK_AT = 0x14 };
#define HOST_FONT_MARK "FINF"

struct host_frame {
	uint32_t number;
	uint32_t n; /* pictures of the screens that were set, including the right eye's if it has
	 * one */
};

/* A window of physical memory. fd: of the program's process, which maps its start. */
struct host_memory {
	uint32_t phys, size;
	int32_t fd;
};

struct host_picture {
	uint32_t screen; /* enum pica_screen_id */
	uint32_t eye;    /* enum pica_eye */
	uint32_t width, height; /* of RGB8 rows from the top, without gaps */
};

#endif
