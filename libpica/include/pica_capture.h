/*
 * Captures: files that hold what a program sent to the GPU. There are two forms, told apart by
 * their first bytes, and one interface reads both:
 *
 *   .pica  the container of libpica (docs/capture.md): complete states with memory, jobs, expected
 *          pictures; hashed, compressed, with random access. Written by the recorder
 *          (pica_record.h) and by struct pica_capture_writer.
 *   .ctf   CiTrace: a state of the registers and shader memories, then a stream of memory loads,
 *          register writes and frame markers, little-endian. May be compressed with zstd
 *          (.ctf.zst): one or more frames (RFC 8878), without a dictionary, with windows of at most
 *          128 MiB, and at most 1 GiB when decompressed. Offsets then count decompressed bytes.
 *
 *	struct pica_capture *capture;
 *	struct pica_capture_error error;
 *	if (pica_capture_open(&capture, "scene.ctf", &error) < 0) {
 *		fprintf(stderr, "%s\n", error.message);
 *		return 1;
 *	}
 *	pica_capture_load(capture, ctx);
 *	struct pica_capture_event event;
 *	while (pica_capture_next(capture, &event) > 0) {
 *		pica_submit(ctx, &event.job, 1, &seq);
 *		if (event.kind == PICA_CAPTURE_FRAME) {
 *			pica_wait(ctx, seq, -1);
 *			... pica_ctx_read_screen() ...
 *		}
 *	}
 *	pica_wait(ctx, seq, -1);
 *	pica_capture_close(capture);
 *
 * Opening a .ctf checks every byte, so that reading it cannot fail. Opening a .pica checks the
 * index and the first state; other chunks are checked when they are read, so pica_capture_next()
 * can fail. Well-formed elements without a meaning here (memory that the GPU cannot see, registers
 * of other devices) are left out and counted.
 *
 * Threads: a capture or a writer belongs to one thread at a time. C11 and C++.
 */
#ifndef PICA_CAPTURE_H
#define PICA_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "pica.h"
#include "pica_job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading ---- */

struct pica_capture;

enum { PICA_CAPTURE_MESSAGE = 384 };

/* Why a function failed. */
struct pica_capture_error {
	int code;        /* the negative errno that the function returned */
	/* 1: offset counts bytes that came out of the compression, 0: bytes of the file. */
	uint32_t is_decompressed;
	uint64_t offset; /* of the wrong byte, if has_offset */
	char message[PICA_CAPTURE_MESSAGE]; /* one line: file, byte, what was expected and found */
	uint32_t has_offset; /* 0: the error concerns the whole file */
	uint32_t reason;     /* index in message of the text after file and byte */
};

/*
 * Opens a file. Reads a .ctf, plain or compressed, whole; a .pica is read as needed and must not
 * change meanwhile. Memory is bounded by the size of the file and of its decompressed data; for a
 * .pica by the limits that its header declares. Returns 0. On failure leaves *out unchanged, fills
 * *err (may be NULL) and returns:
 *   -ENOENT, -EACCES, -EIO, ...  an error of open(2) or read(2)
 *   -EISDIR, -ESPIPE  a folder; another file that is not regular
 *   -EINVAL      not a capture, or one that contradicts itself: the message says where; compressed
 *                data that is damaged, cut off or followed by other data; a .pica with a damaged or
 *                missing chunk, which the message names
 *   -EOPNOTSUPP  a capture that cannot be read: another version; written by Azahar or by builds of
 *                Citra after December 2023, whose recorder leaves the stream out; a compressed
 *                frame with a larger window or a dictionary; a .pica that needs a later version or
 *                an unknown feature
 *   -EFBIG       a .ctf of more than 4 GiB, which the format's 32-bit offsets cannot address, or of
 *                more than 1 GiB when decompressed; a .pica that declares more than 4 GiB of data,
 *                1 GiB of windows or 1 GiB in one chunk
 *   -ENOMEM      out of memory
 */
int pica_capture_open(struct pica_capture **out, const char *path, struct pica_capture_error *err);
/*
 * Opens a capture in memory, plain or compressed. The bytes stay the caller's and must not change
 * until the capture is closed. name is used in messages (NULL: "memory"). Errors as for
 * pica_capture_open().
 */
int pica_capture_open_memory(struct pica_capture **out, const void *data, size_t size_bytes,
		const char *name, struct pica_capture_error *err);
/*
 * Opens the intact part of a .pica whose end is missing or that is damaged. Without its end: the
 * chunks from the front up to the first that is not whole. With its end the file falls into parts:
 * a part begins with a key and ends before damage to data that events need; the first part that
 * holds frames is opened. Its frames are counted from 0; info.first_frame says where it began in
 * the file. Returns 0 if nothing is missing (or the file is not a .pica: as pica_capture_open()); 1
 * if something is missing, and err->message says what; a negative errno if nothing can be read.
 */
int pica_capture_recover(
		struct pica_capture **out, const char *path, struct pica_capture_error *err);
/*
 * Opens the part that holds the given frame of the file, as pica_capture_recover(). -EINVAL if no
 * part does.
 */
int pica_capture_recover_at(struct pica_capture **out, const char *path, uint32_t frame,
		struct pica_capture_error *err);

/* A range of frames that can be read together. */
struct pica_capture_part {
	uint32_t first, frames;
	uint32_t is_open; /* 1: this part is open */
};

/*
 * Copies up to n parts of the recovered file, ascending. Returns their number, at most the number
 * of its keys; 0 if nothing is missing, or if the end is.
 */
unsigned pica_capture_parts(
		const struct pica_capture *capture, struct pica_capture_part *out, unsigned n);
/* Closes a capture. The data pointers of its jobs become invalid. NULL is allowed. */
void pica_capture_close(struct pica_capture *capture);

/*
 * Prepares a context for the next event: maps zeroed memory, owned by the context, where the
 * capture has a window that the context lacks, and loads the state. Memory contents come as the
 * first events, and memory must be all zero before: use a new context, or pica_ctx_zero_memory().
 * Errors as for pica_ctx_map().
 */
int pica_capture_load(struct pica_capture *capture, struct pica_ctx *ctx);
/*
 * Fills *settings for a context that replays the capture: the defaults, with memory and budgets of
 * the recorded context. Budgets never exceed the defaults.
 */
void pica_capture_ctx_settings(
		const struct pica_capture *capture, struct pica_ctx_settings *settings);
/*
 * Returns the state at the start, or at the place of pica_capture_seek(), for
 * pica_ctx_load_state(). Valid until the capture is closed; rewinding and seeking change it.
 *
 * Values that recorders leave undefined are replaced [fidelity: citrace]. In files of the Citra
 * family the w of fixed attributes becomes 1.0, the w of a uniform 0.0 unless its top byte is 0.
 * Files that give their stream size in bytes hold correct values: only the test of the top byte is
 * applied. If a file has no geometry-shader arrays, and the geometry unit is not in use and shares
 * writes with the vertex unit (0x244 bit 0 = 0), its memories start as copies of the vertex unit's.
 */
const struct pica_state *pica_capture_state(const struct pica_capture *capture);

enum pica_capture_kind {
	PICA_CAPTURE_JOB,    /* a job as it was submitted */
	PICA_CAPTURE_FRAME,  /* a picture is complete */
	PICA_CAPTURE_MEMORY, /* part of the memory that belongs to the state: PICA_OP_WRITE */
};

struct pica_capture_event {
	enum pica_capture_kind kind;
	uint32_t frame;  /* of a job: the frame it belongs to, of a frame: its number; from 0 */
	uint64_t offset; /* of the element in the (decompressed) .ctf; of the chunk in a .pica */
	/*
	 * In a .pica: any job that job_check() accepts but STATS, as it was submitted;
	 * PICA_OP_PRESENT as recorded, with PICA_CAPTURE_FRAME where it ended a frame. In a .ctf:
	 *
	 * PICA_OP_WRITE: a memory load. Its data lies in the capture. PICA_WRITE_KEEP_RENDERED is
	 *     set, unless loads are trusted: the recorder may have stored its own rendering of a
	 *     texture.
	 * PICA_OP_REG_WRITE: a register write. The list size (0x104018E0) always counts 8 bytes as
	 *     hardware does, although the Citra family records bytes.
	 * PICA_OP_PRESENT, both screens, left eye: with PICA_CAPTURE_FRAME.
	 * user_data and handle are 0; job_check() accepts every one.
	 */
	struct pica_job job;
};

/*
 * Reads the next event. Returns 1; 0 at the end, until rewound. For a .pica also -EINVAL (the next
 * chunk is damaged), -EIO or another error of reading it, -ENOMEM; pica_capture_error() has the
 * message.
 */
int pica_capture_next(struct pica_capture *capture, struct pica_capture_event *event);
/* Returns the last failure of next, seek, rewind or verify. */
const struct pica_capture_error *pica_capture_error(const struct pica_capture *capture);
/* Goes back to the first event. Fails as pica_capture_next() does, and never for a .ctf. */
int pica_capture_rewind(struct pica_capture *capture);
/*
 * Goes to the last place at or before the frame where the whole state is known (a key of a .pica,
 * the start of a .ctf), and stores its frame in *at (may be NULL). State and events continue from
 * there. If that key or its memory is damaged, fails with *at set as well: an earlier frame may
 * succeed.
 */
int pica_capture_seek(struct pica_capture *capture, uint32_t frame, uint32_t *at);
/*
 * Checks the whole file, without changing the reading position. Fails as pica_capture_next() does.
 */
int pica_capture_verify(struct pica_capture *capture);
/* Receives one damage; error is valid until the function returns. */
typedef void pica_capture_found_fn(void *user, const struct pica_capture_error *error);
/*
 * Checks the whole file and continues after damage as far as the index allows: calls found for each
 * chunk that is not whole. Returns the first failure, which is pica_capture_error() then.
 */
int pica_capture_verify_all(
		struct pica_capture *capture, pica_capture_found_fn *found, void *user);
/* Says whether later memory loads overwrite what the renderer drew (default: 0, they do not). */
void pica_capture_trust_loads(struct pica_capture *capture, int trust);

enum pica_capture_form {
	PICA_CAPTURE_CTF_2015_04, /* April and May 2015: header of 92 bytes, no fixed attributes */
	PICA_CAPTURE_CTF_2015_05, /* until December 2023 */
	/* stream size in bytes, 32-bit writes: host recorders, our writer */
	PICA_CAPTURE_CTF_BYTES,
	PICA_CAPTURE_PICA,        /* the container */
};

/* Parts that a capture lacks; pictures may differ until the program itself sets them. */
enum {
	PICA_CAPTURE_NO_MEMORY = 1,       /* memory at the start (any .ctf): it starts as 0 */
	PICA_CAPTURE_NO_TABLES = 2,       /* lighting, fog, ... tables at the start (any .ctf) */
	PICA_CAPTURE_NO_ATTRIBUTES = 4,   /* fixed attributes at the start */
	PICA_CAPTURE_NO_GEOMETRY = 8,     /* a geometry-shader memory at the start, or all */
	PICA_CAPTURE_UNKNOWN_W = 16,      /* w of uniforms at the start: trust the second frame */
	PICA_CAPTURE_EMPTY_LOADS = 32,    /* textures in formats that the recorder left out */
	PICA_CAPTURE_NO_VERTEX_CODE = 64, /* vertex program at the start */
	PICA_CAPTURE_LOST_END = 128,      /* the end of the file (pica_capture_recover()) */
	/*
	 * Memory that is read although neither a load nor the GPU wrote it, so that it is 0
	 * (pica_ctx_find_unwritten()): textures, their smaller levels, faces of cubes except +X;
	 * indices and vertex arrays, which recorders omit if they do not run the vertex programs
	 * themselves; targets that draws blend with or test against; command lists entered by a
	 * jump, which recorders omit; sources of transfers and copies; what screens show. Known
	 * only after the whole capture was drawn, as pica convert does.
	 */
	PICA_CAPTURE_NO_TEXTURES = 0x100,
	PICA_CAPTURE_NO_LEVELS = 0x200,
	PICA_CAPTURE_NO_FACES = 0x400,
	PICA_CAPTURE_NO_VERTICES = 0x800,
	PICA_CAPTURE_NO_TARGETS = 0x1000,
	PICA_CAPTURE_NO_LISTS = 0x2000,
	PICA_CAPTURE_NO_SOURCES = 0x4000,
	PICA_CAPTURE_NO_SCREENS = 0x8000,
	/* DMA of the processor, which recorders of the Citra family do not record */
	PICA_CAPTURE_NO_DMA = 0x10000,
	/* At the start, where the header of a .ctf gives such an array no words: they are 0. */
	PICA_CAPTURE_NO_EXTERNAL = 0x20000,  /* registers from 0x10400000 on */
	PICA_CAPTURE_NO_LCD = 0x40000,       /* registers from 0x10202000 on */
	PICA_CAPTURE_NO_REGISTERS = 0x80000, /* internal registers */
	PICA_CAPTURE_NO_VERTEX_DESCRIPTORS = 0x100000, /* of the vertex program's operands */
	PICA_CAPTURE_NO_VERTEX_UNIFORMS = 0x200000,    /* float uniforms of the vertex program */
};

struct pica_capture_info {
	enum pica_capture_form form;
	uint32_t missing;  /* bits of the above */
	uint32_t elements; /* in the stream, of all kinds, left out or not */
	/*
	 * Events of pica_capture_next() without PICA_CAPTURE_MEMORY; lists: jobs that start a list.
	 */
	uint32_t frames, loads, reg_writes, lists;
	uint64_t load_bytes;
	/*
	 * Left out: loads of no bytes or outside the GPU's memory, writes to other devices, writes
	 * that are not 32 bits wide.
	 */
	uint32_t skipped_empty_loads, skipped_loads, skipped_writes, skipped_widths;
	uint32_t sizes_in_bytes; /* list sizes that were converted */
	uint32_t tail_elements;  /* after the last frame marker */
	/* Of a .pica. */
	uint32_t version;    /* of the format that the file was written in */
	uint32_t source;     /* form that it was converted from, PICA_CAPTURE_PICA: recorded */
	uint32_t keys;       /* places where the whole state is known */
	uint32_t first_frame; /* number of frame 0 in what it was cut from */
	uint32_t all_frames; /* recovered: frames of the file by its index; 0: not known */
	enum pica_float float_mode;  /* that the expected pictures were drawn with */
	enum pica_combiner combiner;
	char title[64], tool[64]; /* text, may be empty */
	enum pica_chip chip;
};

void pica_capture_info(const struct pica_capture *capture, struct pica_capture_info *out);

/* The amount of one kind that a capture lacks, if known. */
struct pica_capture_lack {
	uint32_t what;  /* one bit of the above */
	uint32_t first; /* physical address of the first */
	uint64_t count; /* pages of 4 KiB; PICA_CAPTURE_EMPTY_LOADS: loads */
};

/* Copies up to n of them, ascending by what. Returns their number, at most 32. */
unsigned pica_capture_lacks(
		const struct pica_capture *capture, struct pica_capture_lack *out, unsigned n);

enum {
	PICA_CAPTURE_PICTURE = 2, /* of a VideoCore IV: instead of an enum pica_screen_id */
};

/* An expected picture of a frame. */
struct pica_expected {
	uint32_t frame;
	uint32_t screen; /* enum pica_screen_id, or PICA_CAPTURE_PICTURE */
	uint32_t eye;    /* enum pica_eye */
	uint32_t width, height;
	uint8_t hash[16]; /* pica_picture_hash() */
};

/*
 * Returns the *n expected pictures of a frame; NULL and *n = 0 if none are known. Valid until the
 * capture is closed.
 */
const struct pica_expected *pica_capture_expected(
		const struct pica_capture *capture, uint32_t frame, uint32_t *n);
/*
 * Computes the canonical XXH3-128, seed 0, of width and height (u32, little-endian) and the RGB8
 * rows from the top, stride_bytes apart [fidelity: picture-hash].
 */
void pica_picture_hash(const uint8_t *rgb, uint32_t width, uint32_t height, size_t stride_bytes,
		uint8_t hash[16]);
/* Copies up to n windows of memory that the capture needs; host is NULL. Returns their number. */
unsigned pica_capture_windows(
		const struct pica_capture *capture, struct pica_window *out, unsigned n);

/* ---- Writing .pica ---- */

struct pica_capture_writer;

struct pica_capture_writer_settings {
	uint32_t size;  /* set by pica_capture_writer_settings_init() */
	uint32_t level; /* zstd, 1..19; default 3 */
	/* For pica_capture_info(). */
	uint32_t missing; /* PICA_CAPTURE_NO_* */
	uint32_t source;  /* enum pica_capture_form; default PICA_CAPTURE_PICA */
	uint32_t first_frame;
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint32_t n_windows;
	const struct pica_window *windows; /* memory of the context; borrowed during create */
	struct pica_budgets budgets;       /* of the context; 0: the default */
	const char *title, *tool; /* up to 63 bytes are kept; NULL: empty */
	enum pica_chip chip;      /* of the context; default PICA_CHIP_PICA200 */
	uint32_t reserved0;
	uint64_t reserved[7];     /* zero */
};

/* Fills *settings with the defaults: windows of VRAM and 128 MiB FCRAM, default budgets. */
void pica_capture_writer_settings_init(struct pica_capture_writer_settings *settings);

/*
 * Creates a writer. The file appears under its name whole, when it is finished, or never. Until
 * then it has no name (on file systems without such files it is NAME.tmp-PROCESS-NUMBER in the same
 * folder). Finishing syncs the file and its folder. A file of that name is replaced. If the process
 * is killed, at most NAME.tmp-PROCESS-NUMBER remains, of which pica_capture_recover() reads the
 * whole chunks. The first failure sticks: later calls return it.
 *   -EINVAL      malformed job or picture; no key before the first event; path names something that
 *                is not a regular file
 *   -EOPNOTSUPP  a window that is read-only
 *   -ERANGE      memory outside the windows
 *   -EFBIG       a limit of the format (pica_capture_open())
 *   -ENOMEM, or an error of open(2), write(2) or rename(2)
 */
int pica_capture_writer_create(struct pica_capture_writer **out, const char *path,
		const struct pica_capture_writer_settings *settings);
/*
 * Writes a key, the whole state: required before the first event, and allowed at any frame. state:
 * NULL for a VideoCore IV, which has none but memory. memory:
 * n windows with their host addresses. Pages that are all 0 or already in the file take almost no
 * space.
 */
int pica_capture_writer_key(struct pica_capture_writer *writer, const struct pica_state *state,
		const struct pica_window *memory, unsigned n);
/* Writes a job as submitted. Drops user_data and handle; copies the data of a WRITE. */
int pica_capture_writer_job(struct pica_capture_writer *writer, const struct pica_job *job);
/* Ends a frame, with the PRESENT that made it. */
int pica_capture_writer_frame(struct pica_capture_writer *writer, const struct pica_job *present);
/* Adds a picture of the frame that ended last; ignores its frame field. */
int pica_capture_writer_expect(
		struct pica_capture_writer *writer, const struct pica_expected *expected);
/*
 * Records what the events lack, for pica_capture_info() and pica_capture_lacks(): one bit, not
 * given before.
 */
int pica_capture_writer_lack(
		struct pica_capture_writer *writer, const struct pica_capture_lack *lack);
/*
 * Completes the file, gives it its name, and frees the writer in any case. Returns 0 or the first
 * failure.
 */
int pica_capture_writer_finish(struct pica_capture_writer *writer);
/* Discards the file and frees the writer. NULL is allowed. */
void pica_capture_writer_destroy(struct pica_capture_writer *writer);

/* ---- Writing .ctf ---- */

/*
 * Writes the form PICA_CAPTURE_CTF_BYTES: a header of 100 bytes with all ten arrays (0x400 words of
 * external registers, 0x400 LCD, 0x300 internal, 64 of fixed attributes, 4096 + 4096 + 384 of each
 * shader unit, operand descriptors beyond 128 being 0), then the memory, then the stream, whose
 * size in the header is in bytes. Register writes hold {address, value, 0}. Nothing in such a file
 * is ambiguous: list sizes count 8 bytes, every w is true. Identical data is stored once.
 *
 * The file appears under its name whole, when it is finished, or never, as for struct
 * pica_capture_writer. If the path ends in ".zst" the file is compressed when it is finished: zstd,
 * level 19, one frame with content size and checksum; until then the plain form grows in an unnamed
 * file in the same folder. The first failure sticks: later calls return it.
 *   -EINVAL  malformed address or size, or path is not a regular file
 *   -ERANGE  memory that the GPU cannot see
 *   -EFBIG   4 GiB are full, or 1 GiB before compression
 *   -ENOMEM, or an error of open(2), write(2) or rename(2)
 */
struct pica_ctf_writer;

/*
 * Creates a writer. initial: the state at the start, copied; NULL: all 0. Compressed if path ends
 * in ".zst".
 */
int pica_ctf_writer_create(struct pica_ctf_writer **out, const char *path,
		const struct pica_state *initial);
/* Writes a memory load of 1 byte or more: before the register write that makes the GPU read it. */
int pica_ctf_writer_memory(struct pica_ctf_writer *writer, uint32_t addr, const void *data,
		uint32_t size_bytes);
/*
 * Writes a GPU (0x10400000-0x10401FFF) or LCD (0x10202000-0x10202FFF) register; addr: a multiple of
 * 4.
 */
int pica_ctf_writer_reg_write(struct pica_ctf_writer *writer, uint32_t addr, uint32_t value);
/* Writes the three registers that run a command list. size_bytes: a multiple of 8; addr: of 16. */
int pica_ctf_writer_list(struct pica_ctf_writer *writer, uint32_t addr, uint32_t size_bytes);
/* Writes a frame marker. */
int pica_ctf_writer_frame(struct pica_ctf_writer *writer);
/*
 * Completes the file and opens it before it has its name, so that the caller can draw it first and
 * then finish or destroy the writer. Later writes fail (-EINVAL). err may be NULL. Errors as for
 * finish and pica_capture_open().
 */
int pica_ctf_writer_review(struct pica_ctf_writer *writer, struct pica_capture **out,
		struct pica_capture_error *err);
/*
 * Completes the file, gives it its name, and frees the writer in any case. -EINVAL for a stream of
 * no elements, which no reader accepts.
 */
int pica_ctf_writer_finish(struct pica_ctf_writer *writer);
/* Discards the file and frees the writer. NULL is allowed. */
void pica_ctf_writer_destroy(struct pica_ctf_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
