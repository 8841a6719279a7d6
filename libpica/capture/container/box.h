/*
 * The .pica container: layout (docs/capture.md is its description), and what the files box_*.c
 * share. Everything is little-endian; sizes are bytes unless they say otherwise.
 *
 *	header        80 bytes
 *	chunk         header of 48 bytes, payload, zeros up to a multiple of 16
 *	...
 *	INDX, END     the last two chunks
 *
 * A chunk refers to blobs of earlier chunks only, so the part before a damaged place is usable.
 */
#ifndef CAPTURE_BOX_H
#define CAPTURE_BOX_H

#include <zstd.h>

#include "capture/form/form.h"

enum {
	BOX_MAGIC_BYTES = 8,
	BOX_VERSION = 1,
	BOX_HEADER = 80,
	BOX_CHUNK = 48, /* header of a chunk */
	BOX_ALIGN = 16,
	BOX_END_BYTES = BOX_CHUNK + 16,

	/* Limits that no file may exceed, even if its header allows more. */
	BOX_MAX_CHUNK = 1 << 30,
	BOX_MAX_WINDOW_BYTES = 1 << 30,
	BOX_MAX_CHUNKS = 1 << 24,
	BOX_MAX_WINDOWS = 32,
};
#define BOX_MAX_BLOB_BYTES (UINT64_C(4) << 30)

#define BOX_FOURCC(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum {
	BOX_INFO = BOX_FOURCC('I', 'N', 'F', 'O'),
	/* A key: these, in this order. BLOB chunks may come before MEMP. */
	BOX_KEYF = BOX_FOURCC('K', 'E', 'Y', 'F'),
	BOX_REGX = BOX_FOURCC('R', 'E', 'G', 'X'),
	BOX_REGL = BOX_FOURCC('R', 'E', 'G', 'L'),
	BOX_REGP = BOX_FOURCC('R', 'E', 'G', 'P'),
	BOX_SHVS = BOX_FOURCC('S', 'H', 'V', 'S'),
	BOX_SHGS = BOX_FOURCC('S', 'H', 'G', 'S'),
	BOX_ATTR = BOX_FOURCC('A', 'T', 'T', 'R'),
	BOX_LUTL = BOX_FOURCC('L', 'U', 'T', 'L'),
	BOX_LUTF = BOX_FOURCC('L', 'U', 'T', 'F'),
	BOX_LUTP = BOX_FOURCC('L', 'U', 'T', 'P'),
	BOX_LUTG = BOX_FOURCC('L', 'U', 'T', 'G'),
	BOX_IDXS = BOX_FOURCC('I', 'D', 'X', 'S'),
	BOX_GEOM = BOX_FOURCC('G', 'E', 'O', 'M'),
	BOX_CHIP = BOX_FOURCC('C', 'H', 'I', 'P'), /* for another chip: replaces those above */
	BOX_MEMP = BOX_FOURCC('M', 'E', 'M', 'P'),

	BOX_EVTS = BOX_FOURCC('E', 'V', 'T', 'S'),
	BOX_BLOB = BOX_FOURCC('B', 'L', 'O', 'B'),
	BOX_EXPT = BOX_FOURCC('E', 'X', 'P', 'T'),
	BOX_LACK = BOX_FOURCC('L', 'A', 'C', 'K'),
	BOX_INFC = BOX_FOURCC('I', 'N', 'F', 'C'), /* copy of INFO, for recovering */
	/* Never in a file: entries that recovery drops; BOX_LOST_DATA: dropped BLOBs. */
	BOX_LOST = 0,
	BOX_LOST_DATA = 1,
	BOX_INDX = BOX_FOURCC('I', 'N', 'D', 'X'),
	BOX_END = BOX_FOURCC('E', 'N', 'D', ' '),
};

/* Flags of a chunk. */
enum {
	BOX_ZSTD = 1,     /* the payload is one zstd frame of `plain` bytes */
	BOX_OPTIONAL = 2, /* a reader that does not know the chunk skips it */
};

struct box_header {
	uint8_t magic[BOX_MAGIC_BYTES];
	uint32_t version;    /* version of the format of the file */
	uint32_t min_reader; /* lowest version of a reader that understands it */
	uint64_t features;   /* bits that a reader must know; none so far */
	/* Limits, enforced before memory is allocated. */
	uint64_t max_chunk;    /* plain bytes of one payload */
	uint64_t blob_bytes;   /* plain bytes of all BLOB payloads */
	uint64_t window_bytes; /* memory of the recorded context */
	uint64_t max_chunks;   /* in the index */
	uint64_t reserved;
	uint8_t hash[16]; /* canonical XXH3-128, seed 0, of what precedes */
};
_Static_assert(sizeof(struct box_header) == BOX_HEADER, "layout of the file");

struct box_chunk {
	uint32_t fourcc;
	uint32_t flags;
	uint64_t stored; /* payload in the file, at most plain */
	uint64_t plain;  /* size of the uncompressed payload */
	uint64_t number; /* of the chunk, from 0 */
	uint8_t hash[16]; /* XXH3-128 of what precedes, the stored payload and its padding */
};
_Static_assert(sizeof(struct box_chunk) == BOX_CHUNK, "layout of the file");

/* Payload of INFO, followed by n_windows of box_window. */
struct box_info {
	/* 0 recorded, 1 CiTrace of April 2015, 2 CiTrace, 3 CiTrace with sizes in bytes */
	uint32_t source;
	uint32_t missing; /* PICA_CAPTURE_NO_* */
	uint32_t first_frame;
	uint32_t float_mode, combiner;
	uint32_t n_windows;
	/* list words, list jumps, vertices, shader steps, pixels, job steps; 0: unknown */
	uint64_t budgets[6];
	uint64_t reserved;
	char title[64], tool[64]; /* UTF-8, ended by a zero byte */
};
_Static_assert(sizeof(struct box_info) == 208, "layout of the file");

struct box_window {
	uint32_t phys, size;
	uint32_t flags, reserved; /* zero */
};

struct box_key {
	uint32_t frame, reserved;
	uint64_t event; /* number of the next one */
};

struct box_chip {
	uint32_t chip; /* enum pica_chip: not a PICA200 */
	uint32_t reserved;
};

/* MEMP: a list head, then these, ascending; memory outside of them is zero. */
struct box_memory {
	uint32_t phys, size;
	uint64_t blob;
};

struct box_list {
	uint32_t n, reserved;
};

/* EVTS: head, then n_events records. */
struct box_events {
	uint64_t first_event;
	uint32_t first_frame;
	uint32_t n_events, n_frames;
	uint32_t n_writes, n_regs, n_lists; /* kinds of jobs, for pica_capture_info() */
	uint64_t write_bytes;
};

/*
 * A record: this, then n_words of struct pica_job's arguments; the others are 0. In a WRITE the
 * data is the number of a blob of its size.
 */
struct box_record {
	uint16_t op; /* enum pica_op, or BOX_OP_FRAME */
	uint16_t flags;
	uint32_t n_words; /* 0..12 */
};

enum {
	BOX_OP_FRAME = 0x100, /* PRESENT that ends a frame */
};

/* BLOB: head, n of box_blob, then data. */
struct box_blobs {
	uint64_t first_blob;
	uint32_t n, reserved;
};

struct box_blob {
	uint8_t hash[16]; /* XXH3-128 of the data */
	uint32_t size;
	uint32_t offset; /* in the payload, a multiple of 16 */
	uint64_t reserved;
};

/* EXPT: list head, then these. */
struct box_expected {
	uint32_t frame;
	uint8_t screen, eye;
	uint16_t reserved;
	uint32_t width, height;
	uint8_t hash[16];
};
_Static_assert(sizeof(struct box_expected) == 32, "layout of the file");

/* LACK, which can be left out: list head, then these. */
struct box_lack {
	uint32_t what;  /* one of PICA_CAPTURE_NO_* */
	uint32_t first; /* address */
	uint64_t count; /* at least 1 */
};
_Static_assert(sizeof(struct box_lack) == 16, "layout of the file");

/* INDX: head, then n of box_entry: all chunks before it. */
struct box_index {
	uint32_t n, n_frames;
	/* Sums over EVTS, for pica_capture_info(). */
	uint64_t n_writes, n_regs, n_lists, write_bytes;
	uint64_t n_tail; /* events after the last frame */
};

struct box_entry {
	uint64_t offset, stored, plain;
	uint32_t fourcc, flags;
	uint64_t first; /* EVTS, KEYF: event; BLOB: blob */
	uint32_t n;     /* EVTS: events, BLOB: blobs */
	uint32_t frame; /* EVTS: first frame, KEYF: frame */
};
_Static_assert(sizeof(struct box_entry) == 48, "layout of the file");

struct box_end {
	uint64_t index; /* offset of INDX */
	uint64_t size;  /* of the file */
};

extern const uint8_t box_magic[BOX_MAGIC_BYTES];

static inline uint64_t box_padded(uint64_t bytes) {
	return (bytes + BOX_ALIGN - 1) & ~(uint64_t)(BOX_ALIGN - 1);
}

/* "INFO", or another name of up to four letters. */
struct box_name {
	char text[5];
};
struct box_name box_fourcc_name(uint32_t fourcc);

/*
 * Returns whether data begins like a container; fewer than eight bytes may be the start of its
 * magic.
 */
bool box_is(const uint8_t *data, uint64_t size);

/* ---- Chunks: box_chunk.c ---- */

/* The bytes of an open file, or of memory. */
struct box_file {
	int fd; /* -1: data */
	const uint8_t *data;
	uint8_t *owned; /* data, if it is ours */
	uint64_t size;
};

/* Reads all of [offset, offset + n), which is inside the file. Returns 0 or a negative errno. */
int box_read(const struct box_file *file, uint64_t offset, void *out, uint64_t n);
/*
 * Stores the plain payload of a chunk in *payload (caller frees), its header in *head. max_plain:
 * limit of its size. number: the expected number. Returns 0, or -EINVAL, -EFBIG, -EOPNOTSUPP, -EIO
 * or -ENOMEM with a message that names the chunk.
 */
int box_read_chunk(const struct box_file *file, const struct capture_source *source,
		uint64_t offset, uint64_t number, uint64_t max_plain, struct box_chunk *head,
		uint8_t **payload, struct pica_capture_error *err);
/* "INDX chunk 3 at byte 0x..: text" */
int box_fail(const struct capture_source *source, struct pica_capture_error *err, int code,
		uint32_t fourcc, uint64_t number, uint64_t offset, const char *fmt, ...)
		PICA_PRINTF(7, 8);
/* Canonical XXH3-128 with seed 0. */
void box_hash(const void *data, uint64_t size, uint8_t hash[16]);
/*
 * Stores header and payload of a chunk, ready to be written, in *bytes (caller frees), their size
 * in *total. Compresses with zstd if that makes it smaller. Returns 0 or -ENOMEM.
 */
int box_make_chunk(uint32_t fourcc, uint32_t flags, uint64_t number, const void *payload,
		uint64_t size, ZSTD_CCtx *zstd, int level, uint8_t **bytes, uint64_t *total);

/* ---- State: box_state.c ---- */

/*
 * Return the number of chunks of a state, and the i-th one's name and size. A VideoCore IV has no
 * state but memory; one chunk states that.
 */
enum { BOX_STATE_CHUNKS = 12 }; /* at most */
unsigned box_state_chunks(enum pica_chip chip);
uint32_t box_state_fourcc(enum pica_chip chip, unsigned i);
uint64_t box_state_size(enum pica_chip chip, unsigned i);
/* state: NULL for a VideoCore IV. */
void box_state_pack(enum pica_chip chip, unsigned i, const struct pica_state *state,
		uint8_t *payload);
/* Returns NULL, or what is wrong with the payload, which has box_state_size() bytes. */
const char *box_state_unpack(enum pica_chip chip, unsigned i, const uint8_t *payload,
		struct pica_state *state);

/* ---- Reading: box_open.c, box_index.c, box_recover.c, box_stream.c, box_verify.c ---- */

struct box {
	struct pica_capture base;
	struct box_file file;
	struct box_header header;
	struct box_index index;
	struct box_entry *entry; /* all chunks but INDX and END */
	uint64_t n_entries, n_blobs, n_events;
	uint64_t first_key; /* entry of the key at frame 0: 1, unless a part was recovered */
	/*
	 * Of a part: the numbers of its first event and frame in the chunks. Numbers of entries and
	 * all returned ones are counted from there.
	 */
	uint64_t first_event;
	uint32_t first_frame;
	uint32_t all_frames; /* of the file of the part; 0: not a part */
	bool no_info; /* INFO is damaged: its copy or the defaults are used */

	/*
	 * Chunks of blobs, ascending, with their payloads: kept once read, since jobs point into
	 * them.
	 */
	struct box_pack {
		uint64_t entry, first, n;
		uint8_t *payload;
	} *pack;
	uint64_t n_packs;

	/* Where we read. */
	struct box_place {
		uint64_t key;        /* entry of the KEYF of the state */
		uint64_t next_entry; /* the next EVTS is here or later */
		uint8_t *memory;     /* payload of MEMP while it is given out, or NULL */
		uint64_t memory_entry;
		uint32_t next_memory;
		uint8_t *events; /* payload of an EVTS chunk, or NULL */
		uint64_t events_entry, at;
		uint32_t left; /* events in it */
		uint32_t frame;
	} place;
};

/* The part of a damaged file to open. */
struct box_rescue {
	const uint32_t *frame; /* the part that holds it; NULL: the first part */
};

/*
 * Opens a file, and takes it over on success. rescue (may be NULL): continue without damaged parts.
 * Returns 0, 1 if something is missing (err says what), or a negative errno.
 */
int box_open(struct pica_capture **out, const struct box_file *file,
		const struct box_rescue *rescue, const struct capture_source *source,
		struct pica_capture_error *err);

/* Fills b->index and b->entry from the end of the file. */
int box_read_index(struct box *b, struct pica_capture_error *err);
/*
 * The same from the chunks themselves, up to the first damaged one. Returns 0, or its error with a
 * message; the entries before it are then filled in.
 */
int box_scan(struct box *b, struct pica_capture_error *err);
/* Result of recovering. */
enum { BOX_LOST_END = 1, BOX_LOST_OTHER = 2 };
/*
 * Keeps the entries of one part: the part that holds *frame or, for NULL, the first that holds any
 * frame. The others become BOX_LOST or BOX_LOST_DATA. Returns 0 if all are whole, BOX_LOST_* with
 * the first damage in *err (may be NULL), -EINVAL if there is no such part, or -ENOMEM.
 */
int box_recover(struct box *b, const uint32_t *frame, struct pica_capture_error *err);
/* The chip of the key that starts at i. */
enum pica_chip box_key_chip(const struct box *b, uint64_t i);
/* Returns the entry after a key that starts at i and has all of its chunks, or 0. */
uint64_t box_after_key(const struct box *b, uint64_t i);
/* Checks that the entries are consistent; sets b->pack and the counts. */
int box_check_entries(struct box *b, struct pica_capture_error *err);
/* Drops a key that lacks some of its chunks. */
void box_drop_partial_key(struct box *b);

/*
 * Stores the payload of an entry, entry->plain bytes, in *payload (caller frees). Returns 0 or a
 * negative errno with a message.
 */
int box_load(struct box *b, uint64_t entry, uint8_t **payload, struct pica_capture_error *err);
/* Returns -EINVAL with a message about the contents of an entry. */
int box_wrong(struct box *b, uint64_t entry, struct pica_capture_error *err, const char *why);

typedef const char *box_check_fn(const struct box *b, uint64_t entry, const uint8_t *payload);
/* box_load() of a payload that passes a check. */
int box_load_checked(struct box *b, uint64_t entry, box_check_fn *check, uint8_t **payload,
		struct pica_capture_error *err);

/* These check heads, lists and sizes of payloads. They return NULL, or what is wrong. */
/*
 * Returns NULL and copies the head of a list to *head, or returns what is wrong. row: bytes of each
 * row of the list.
 */
const char *box_check_list(const struct box *b, uint64_t entry, const uint8_t *payload,
		uint64_t row, struct box_list *head);
const char *box_check_events(const struct box *b, uint64_t entry, const uint8_t *payload);
const char *box_check_blobs(const struct box *b, uint64_t entry, const uint8_t *payload);
const char *box_check_memory(const struct box *b, uint64_t entry, const uint8_t *payload);
const char *box_check_expected(const struct box *b, uint64_t entry, const uint8_t *payload);
/* Adds a job to the sums of a chunk of events, and those to the sums of an index. */
void box_count(struct box_events *sums, const struct pica_job *job);
void box_add_sums(struct box_index *to, const struct box_events *sums);
bool box_in_windows(const struct pica_window *windows, uint32_t n, uint32_t phys, uint32_t size);

/*
 * Reads the record at payload + *at and moves *at past it. In a WRITE, job->u.write.data is the
 * number of the blob. Returns NULL, or what is wrong.
 */
const char *box_decode(const uint8_t *payload, uint64_t size, uint64_t *at, struct pica_job *job,
		bool *is_frame);

/* Reads a key's state into base.state; the next event is the first of its memory. */
int box_go_to_key(struct box *b, uint64_t entry, struct pica_capture_error *err);
/* Only the state; *memory: entry of its MEMP. */
int box_read_key(struct box *b, uint64_t entry, struct pica_state *state, uint64_t *memory,
		struct pica_capture_error *err);
void box_place_finish(struct box_place *place);
int box_next(struct pica_capture *c, struct pica_capture_event *event);
int box_seek(struct pica_capture *c, uint32_t frame, uint32_t *at);
int box_verify(struct pica_capture *c, pica_capture_found_fn *found, void *user);

#endif
