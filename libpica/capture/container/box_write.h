/* Internals of the writer, for the recorder. */
#ifndef CAPTURE_BOX_WRITE_H
#define CAPTURE_BOX_WRITE_H

#include "capture/container/box.h"
#include "capture/disk/dedup.h"
#include "capture/disk/disk.h"

/* A growable buffer of bytes. */
struct box_buffer {
	uint8_t *bytes;
	uint64_t size, room;
};

struct pica_capture_writer {
	struct disk_file file;
	int error; /* the first one */
	ZSTD_CCtx *zstd;
	int level;
	struct box_header header;
	uint64_t size; /* of the file so far */

	/* Data that will become a chunk. */
	/* offsets in the list count from the start of the data */
	struct box_buffer blob_list, blob_data;
	struct box_buffer events;               /* records */
	struct box_events head;                 /* of them */
	struct box_buffer expected;
	uint32_t n_pending_blobs, n_expected;
	struct box_buffer lacks;
	uint32_t n_lacks, lacking; /* their bits */
	uint64_t n_pictures; /* expected pictures of all frames */

	struct dedup dedup; /* place: number of the blob */
	uint64_t n_blobs;
	struct box_buffer info;    /* payload of INFO */
	struct box_buffer entries; /* of the index */
	struct box_index index;
	uint64_t n_events;
	struct pica_window *windows; /* owned */
	uint32_t n_windows;
	bool has_key;
	enum pica_chip chip;
};

/* Completes the file, which has no name yet and can be read through w->file.fd. */
int box_writer_end(struct pica_capture_writer *w);

#endif
