/*
 * Captures: files that hold what a program sent to the GPU. There are two forms, distinguished by
 * their first bytes; one interface reads both:
 *
 *   .pica  the container of libpica (docs/capture.md): complete states with memory, jobs and
 *          expected pictures; hashed, compressed, with random access. Written by the recorder
 *          (pica_record.h) and by struct pica_capture_writer.
 *   .ctf   CiTrace: the state of the registers and shader memories, then a stream of memory loads,
 *          register writes and frame markers, little-endian. May be compressed with zstd
 *          (.ctf.zst): one or more frames (RFC 8878) without a dictionary, with windows of at most
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
 * Opening a .ctf checks the whole file, so reading it cannot fail. Opening a .pica checks the index
 * and the first state; other chunks are checked when they are read, so pica_capture_next() can
 * fail. Well-formed elements that have no meaning here (memory that the GPU cannot see, registers
 * of other devices) are skipped and counted.
 *
 * Threads: only one thread at a time may use a capture or a writer. C11 and C++.
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
	/* 1: offset counts decompressed bytes; 0: bytes of the file. */
	uint32_t is_decompressed;
	uint64_t offset; /* of the offending byte, if has_offset is 1 */
	char message[PICA_CAPTURE_MESSAGE]; /* one line: file, byte, what was expected and found */
	uint32_t has_offset; /* 0: the error concerns the whole file */
	uint32_t reason;     /* index in message of the text that follows file and byte */
};

/*
 * Opens a file. Reads a whole .ctf, plain or compressed, at once; reads a .pica as needed, so the
 * file must not change while it is open. Memory use is bounded by the size of the file and of its
 * decompressed data; for a .pica by the limits that its header declares. Returns 0. On failure
 * leaves *out unchanged, fills *err (may be NULL) and returns:
 *   -ENOENT, -EACCES, -EIO, ...  an error of open(2) or read(2)
 *   -EISDIR      a folder
 *   -ESPIPE      another file that is not regular
 *   -EINVAL      not a capture, or an inconsistent one: the message says where; compressed data
 *                that is damaged, truncated or followed by other data; a .pica with a damaged or
 *                missing chunk, which the message names
 *   -EOPNOTSUPP  an unsupported capture: another version; one by Azahar or by a build of Citra
 *                after December 2023, whose recorder omits the stream; a compressed frame with a
 *                larger window or a dictionary; a .pica that needs a later version or an unknown
 *                feature
 *   -EFBIG       a .ctf of more than 4 GiB, which the format's 32-bit offsets cannot address, or of
 *                more than 1 GiB when decompressed; a .pica that declares more than 4 GiB of data,
 *                1 GiB of windows or 1 GiB in one chunk
 *   -ENOMEM      out of memory
 */
int pica_capture_open(struct pica_capture **out, const char *path, struct pica_capture_error *err);
/*
 * Opens a capture in memory, plain or compressed. The caller keeps ownership of the bytes and must
 * not change them until the capture is closed. name appears in messages (NULL: "memory"). Errors as
 * for pica_capture_open().
 */
int pica_capture_open_memory(struct pica_capture **out, const void *data, size_t size_bytes,
		const char *name, struct pica_capture_error *err);
/*
 * Opens an intact part of a .pica that is damaged or whose end is missing. If the end is missing,
 * opens the chunks from the start of the file up to the first damaged one. Otherwise the file
 * divides into parts: a part begins with a key and ends before damage to data that events need.
 * Opens the first part that holds frames. Its frames are counted from 0; first_frame of struct
 * pica_capture_info says where it began in the file. Returns 0 if nothing is missing, 1 if
 * something is missing (err->message says what), or a negative errno if nothing can be read. A file
 * that is not a .pica is opened as by pica_capture_open().
 */
int pica_capture_recover(
		struct pica_capture **out, const char *path, struct pica_capture_error *err);
/*
 * Does the same as pica_capture_recover(), but opens the part that holds the given frame of the
 * file. Returns -EINVAL if no part does.
 */
int pica_capture_recover_at(struct pica_capture **out, const char *path, uint32_t frame,
		struct pica_capture_error *err);

/* A range of frames that can be read together. */
struct pica_capture_part {
	uint32_t first, frames;
	uint32_t is_open; /* 1: this part is open */
};

/*
 * Copies up to n parts of the recovered file, in ascending order. Returns the number of all parts,
 * which is at most the number of keys in the file; 0 if nothing is missing, or if the end of the
 * file is missing.
 */
unsigned pica_capture_parts(
		const struct pica_capture *capture, struct pica_capture_part *out, unsigned n);
/* Closes a capture. The data pointers of its jobs become invalid. NULL is allowed. */
void pica_capture_close(struct pica_capture *capture);

/*
 * Prepares a context for the next event: loads the state, and maps zeroed memory, owned by the
 * context, for each window of the capture that the context lacks. The first events write the memory
 * contents and require zeroed memory: use a new context, or pica_ctx_zero_memory(). Errors as for
 * pica_ctx_map().
 */
int pica_capture_load(struct pica_capture *capture, struct pica_ctx *ctx);
/*
 * Fills *settings for a context that replays the capture: the defaults, with the memory and budgets
 * of the recorded context. Budgets never exceed the defaults.
 */
void pica_capture_ctx_settings(
		const struct pica_capture *capture, struct pica_ctx_settings *settings);
/*
 * Returns the state at the start, or at the place that pica_capture_seek() found, for
 * pica_ctx_load_state(). Valid until the capture is closed; rewinding and seeking change it.
 *
 * Values that recorders leave undefined are replaced [fidelity: citrace]. In files of the Citra
 * family, the w of fixed attributes becomes 1.0, and the w of a uniform becomes 0.0 unless its top
 * byte is 0. Files that give their stream size in bytes hold correct values: a w is replaced only
 * if its top byte is not 0. If a file has no geometry-shader arrays, and the geometry unit is
 * unused and shares writes with the vertex unit (0x244 bit 0 = 0), the memories of the geometry
 * unit start as copies of those of the vertex unit.
 */
const struct pica_state *pica_capture_state(const struct pica_capture *capture);

enum pica_capture_kind {
	PICA_CAPTURE_JOB,    /* a job as it was submitted */
	PICA_CAPTURE_FRAME,  /* a picture is complete */
	PICA_CAPTURE_MEMORY, /* part of the memory that belongs to the state: PICA_OP_WRITE */
};

struct pica_capture_event {
	enum pica_capture_kind kind;
	uint32_t frame;  /* number, from 0, of the frame that a job belongs to or that ends */
	uint64_t offset; /* of the element in the (decompressed) .ctf; of the chunk in a .pica */
	/*
	 * In a .pica: any job that pica_submit() accepts except PICA_OP_STATS, as it was submitted;
	 * PICA_OP_PRESENT as recorded, with PICA_CAPTURE_FRAME if it ended a frame. In a .ctf:
	 *
	 * PICA_OP_WRITE: a memory load. Its data points into the capture.
	 *     PICA_WRITE_KEEP_RENDERED is set unless loads are trusted
	 *     (pica_capture_trust_loads()), because the recorder may have stored its own rendering
	 *     of a texture.
	 * PICA_OP_REG_WRITE: a register write. The list size (0x104018E0) is always in units of 8
	 *     bytes, as on hardware, although the Citra family records bytes.
	 * PICA_OP_PRESENT: both screens, left eye, with PICA_CAPTURE_FRAME.
	 * user_data and handle are 0; every job passes the checks of pica_submit().
	 */
	struct pica_job job;
};

/*
 * Reads the next event. Returns 1, or 0 at the end until the capture is rewound. For a .pica may
 * also return -EINVAL (the next chunk is damaged), -ENOMEM, -EIO or another read error;
 * pica_capture_error() has the message.
 */
int pica_capture_next(struct pica_capture *capture, struct pica_capture_event *event);
/* Returns the last failure of next, seek, rewind or verify. */
const struct pica_capture_error *pica_capture_error(const struct pica_capture *capture);
/* Goes back to the first event. Fails as pica_capture_next() does; never fails for a .ctf. */
int pica_capture_rewind(struct pica_capture *capture);
/*
 * Goes to the last place at or before the frame where the whole state is known (a key of a .pica,
 * the start of a .ctf), and stores its frame in *at (may be NULL). State and events continue from
 * there. If that key or its memory is damaged, fails but still sets *at; seeking to an earlier
 * frame may succeed.
 */
int pica_capture_seek(struct pica_capture *capture, uint32_t frame, uint32_t *at);
/*
 * Checks the whole file without changing the read position. Fails as pica_capture_next() does.
 */
int pica_capture_verify(struct pica_capture *capture);
/* Receives one error; error is valid until the function returns. */
typedef void pica_capture_found_fn(void *user, const struct pica_capture_error *error);
/*
 * Checks the whole file and continues after damage as far as the index allows. Calls found for each
 * damaged chunk. Returns the first failure, which pica_capture_error() then describes, or 0.
 */
int pica_capture_verify_all(
		struct pica_capture *capture, pica_capture_found_fn *found, void *user);
/* trust != 0: later memory loads overwrite rendered data; 0 (default): they do not. */
void pica_capture_trust_loads(struct pica_capture *capture, int trust);

enum pica_capture_form {
	PICA_CAPTURE_CTF_2015_04, /* April and May 2015: header of 92 bytes, no fixed attributes */
	PICA_CAPTURE_CTF_2015_05, /* until December 2023 */
	/* stream size in bytes, 32-bit writes: from host recorders and our writer */
	PICA_CAPTURE_CTF_BYTES,
	PICA_CAPTURE_PICA,        /* the container */
};

/* Missing parts of a capture; pictures may differ until the program itself sets them. */
enum {
	PICA_CAPTURE_NO_MEMORY = 1,       /* memory at the start (any .ctf): it is 0 */
	PICA_CAPTURE_NO_TABLES = 2,       /* lighting, fog, ... tables at the start (any .ctf) */
	PICA_CAPTURE_NO_ATTRIBUTES = 4,   /* fixed attributes at the start */
	PICA_CAPTURE_NO_GEOMETRY = 8,     /* one or more geometry-shader memories at the start */
	PICA_CAPTURE_UNKNOWN_W = 16,      /* w of uniforms at the start: trust the second frame */
	PICA_CAPTURE_EMPTY_LOADS = 32,    /* textures in formats that the recorder omits */
	PICA_CAPTURE_NO_VERTEX_CODE = 64, /* vertex program at the start */
	PICA_CAPTURE_LOST_END = 128,      /* the end of the file (pica_capture_recover()) */
	/*
	 * Memory that is read although neither a load nor the GPU wrote it, so it is 0
	 * (pica_ctx_find_unwritten()): textures; their smaller levels; cube faces except +X;
	 * indices and vertex arrays, which recorders omit if they do not run the vertex programs
	 * themselves; targets that draws blend with or test against; command lists entered by a
	 * jump, which recorders omit; sources of transfers and copies; displayed memory. Known
	 * only after the whole capture has been drawn, as pica convert does.
	 */
	PICA_CAPTURE_NO_TEXTURES = 0x100,
	PICA_CAPTURE_NO_LEVELS = 0x200,
	PICA_CAPTURE_NO_FACES = 0x400,
	PICA_CAPTURE_NO_VERTICES = 0x800,
	PICA_CAPTURE_NO_TARGETS = 0x1000,
	PICA_CAPTURE_NO_LISTS = 0x2000,
	PICA_CAPTURE_NO_SOURCES = 0x4000,
	PICA_CAPTURE_NO_SCREENS = 0x8000,
	/* CPU DMA, which recorders of the Citra family do not record */
	PICA_CAPTURE_NO_DMA = 0x10000,
	/* State at the start that is 0 because the .ctf header gives the array a size of 0. */
	PICA_CAPTURE_NO_EXTERNAL = 0x20000,  /* registers from 0x10400000 */
	PICA_CAPTURE_NO_LCD = 0x40000,       /* registers from 0x10202000 */
	PICA_CAPTURE_NO_REGISTERS = 0x80000, /* internal registers */
	PICA_CAPTURE_NO_VERTEX_DESCRIPTORS = 0x100000, /* operand descriptors */
	PICA_CAPTURE_NO_VERTEX_UNIFORMS = 0x200000,    /* float uniforms of the vertex program */
};

struct pica_capture_info {
	enum pica_capture_form form;
	uint32_t missing;  /* bits of the enum above */
	uint32_t elements; /* in the stream, of all kinds, including skipped ones */
	/*
	 * Numbers of events of pica_capture_next(), without PICA_CAPTURE_MEMORY. lists: jobs that
	 * start a list.
	 */
	uint32_t frames, loads, reg_writes, lists;
	uint64_t load_bytes;
	/*
	 * Skipped: empty loads, loads outside the GPU's memory, writes to other devices, writes
	 * that are not 32 bits wide.
	 */
	uint32_t skipped_empty_loads, skipped_loads, skipped_writes, skipped_widths;
	uint32_t sizes_in_bytes; /* list sizes that were converted */
	uint32_t tail_elements;  /* after the last frame marker */
	/* Of a .pica. */
	uint32_t version;    /* of the file format */
	uint32_t source;     /* the form it was converted from; PICA_CAPTURE_PICA: recorded */
	uint32_t keys;       /* places where the whole state is known */
	uint32_t first_frame; /* number of frame 0 in the original capture */
	uint32_t all_frames; /* if recovered: frames in the index of the file; 0: unknown */
	enum pica_float float_mode;  /* used for the expected pictures */
	enum pica_combiner combiner;
	char title[64], tool[64]; /* text, may be empty */
	enum pica_chip chip;
};

void pica_capture_info(const struct pica_capture *capture, struct pica_capture_info *out);

/* How much of one kind is missing from a capture, if known. */
struct pica_capture_lack {
	uint32_t what;  /* one PICA_CAPTURE_* bit of the enum above */
	uint32_t first; /* physical address of the first missing page or load */
	uint64_t count; /* pages of 4 KiB; for PICA_CAPTURE_EMPTY_LOADS: loads */
};

/* Copies up to n of them, ascending by what. Returns the number of all, at most 32. */
unsigned pica_capture_lacks(
		const struct pica_capture *capture, struct pica_capture_lack *out, unsigned n);

enum {
	PICA_CAPTURE_PICTURE = 2, /* for a VideoCore IV, in place of an enum pica_screen_id */
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
 * Returns the expected pictures of a frame and stores their number in *n; returns NULL and *n = 0
 * if there are none. Valid until the capture is closed.
 */
const struct pica_expected *pica_capture_expected(
		const struct pica_capture *capture, uint32_t frame, uint32_t *n);
/*
 * Computes the canonical XXH3-128, seed 0, of width and height (u32, little-endian) followed by the
 * RGB8 rows from the top, stride_bytes apart [fidelity: picture-hash].
 */
void pica_picture_hash(const uint8_t *rgb, uint32_t width, uint32_t height, size_t stride_bytes,
		uint8_t hash[16]);
/* Copies up to n windows that the capture needs, host NULL. Returns the number of all. */
unsigned pica_capture_windows(
		const struct pica_capture *capture, struct pica_window *out, unsigned n);

/* ---- Writing .pica ---- */

struct pica_capture_writer;

struct pica_capture_writer_settings {
	uint32_t size;  /* set by pica_capture_writer_settings_init() */
	uint32_t level; /* zstd level, 1..19; default 3 */
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
 * Creates a writer. The file appears under its name only when it is finished, and then complete.
 * Until then it has no name (on file systems without unnamed files it is NAME.tmp-PROCESS-NUMBER in
 * the same folder). Finishing syncs the file and its folder and replaces an older file of that
 * name. If the process is killed, at most NAME.tmp-PROCESS-NUMBER remains, whose whole chunks
 * pica_capture_recover() reads. After a failure, all later calls return the same error:
 *   -EINVAL      malformed job or picture; no key before the first event; path exists and is not a
 *                regular file
 *   -EISDIR      path is a folder
 *   -EOPNOTSUPP  a read-only window
 *   -ERANGE      memory outside the windows
 *   -EFBIG       a limit of the format (pica_capture_open())
 *   -ENOMEM, or an error of open(2), write(2) or rename(2)
 */
int pica_capture_writer_create(struct pica_capture_writer **out, const char *path,
		const struct pica_capture_writer_settings *settings);
/*
 * Writes a key (the whole state). Required before the first event, and allowed at any frame. state
 * is NULL for a VideoCore IV, which has no state but memory. memory holds n windows with their host
 * addresses. Pages that are all 0 or already in the file take almost no space.
 */
int pica_capture_writer_key(struct pica_capture_writer *writer, const struct pica_state *state,
		const struct pica_window *memory, unsigned n);
/* Writes a job as submitted, without user_data and handle. Copies the data of a WRITE. */
int pica_capture_writer_job(struct pica_capture_writer *writer, const struct pica_job *job);
/* Ends a frame. present: the PRESENT job that ends it. */
int pica_capture_writer_frame(struct pica_capture_writer *writer, const struct pica_job *present);
/* Adds a picture of the frame that ended last; ignores expected->frame. */
int pica_capture_writer_expect(
		struct pica_capture_writer *writer, const struct pica_expected *expected);
/*
 * Records one missing kind for pica_capture_info() and pica_capture_lacks(). lack->what: one bit
 * that was not given before.
 */
int pica_capture_writer_lack(
		struct pica_capture_writer *writer, const struct pica_capture_lack *lack);
/*
 * Completes the file, gives it its name, and frees the writer even on failure. Returns 0 or the
 * first failure.
 */
int pica_capture_writer_finish(struct pica_capture_writer *writer);
/* Discards the file and frees the writer. NULL is allowed. */
void pica_capture_writer_destroy(struct pica_capture_writer *writer);

/* ---- Writing .ctf ---- */

/*
 * Writes the form PICA_CAPTURE_CTF_BYTES: a header of 100 bytes with all ten arrays (0x400 words of
 * external registers, 0x400 of LCD registers, 0x300 of internal registers, 64 of fixed attributes,
 * 4096 + 4096 + 384 of each shader unit; operand descriptors beyond 128 are 0), then the memory,
 * then the stream, whose size in the header is in bytes. Register writes hold {address, value, 0}.
 * Nothing in such a file is ambiguous: list sizes are in units of 8 bytes, and every w is correct.
 * Identical data is stored once.
 *
 * As for struct pica_capture_writer, the file appears under its name only when it is finished, and
 * then complete. If the path ends in ".zst", finishing compresses it: zstd, level 19, one frame
 * with content size and checksum. Until then the uncompressed form grows in an unnamed file in the
 * same folder. After a failure, all later calls return the same error:
 *   -EINVAL  malformed address or size, or path exists and is not a regular file
 *   -EISDIR  path is a folder
 *   -ERANGE  memory that the GPU cannot see
 *   -EFBIG   the file exceeds 4 GiB, or 1 GiB before compression
 *   -ENOMEM, or an error of open(2), write(2) or rename(2)
 */
struct pica_ctf_writer;

/*
 * Creates a writer. initial is the state at the start and is copied; NULL: all 0. Compresses the
 * file if path ends in ".zst".
 */
int pica_ctf_writer_create(struct pica_ctf_writer **out, const char *path,
		const struct pica_state *initial);
/* Writes a load of at least 1 byte. Call before the register write that makes the GPU read it. */
int pica_ctf_writer_memory(struct pica_ctf_writer *writer, uint32_t addr, const void *data,
		uint32_t size_bytes);
/*
 * Writes a GPU (0x10400000-0x10401FFF) or LCD (0x10202000-0x10202FFF) register. addr must be a
 * multiple of 4.
 */
int pica_ctf_writer_reg_write(struct pica_ctf_writer *writer, uint32_t addr, uint32_t value);
/* Writes the three registers that run a list. size_bytes: a multiple of 8; addr: of 16. */
int pica_ctf_writer_list(struct pica_ctf_writer *writer, uint32_t addr, uint32_t size_bytes);
/* Writes a frame marker. */
int pica_ctf_writer_frame(struct pica_ctf_writer *writer);
/*
 * Completes the file and opens it before it gets its name, so that the caller can draw it and then
 * finish or destroy the writer. Later writes fail (-EINVAL). err may be NULL. Errors as for
 * pica_ctf_writer_finish() and pica_capture_open().
 */
int pica_ctf_writer_review(struct pica_ctf_writer *writer, struct pica_capture **out,
		struct pica_capture_error *err);
/*
 * Completes the file, gives it its name, and frees the writer even on failure. Returns 0 or the
 * first failure; -EINVAL for a stream without elements, which no reader accepts.
 */
int pica_ctf_writer_finish(struct pica_ctf_writer *writer);
/* Discards the file and frees the writer. NULL is allowed. */
void pica_ctf_writer_destroy(struct pica_ctf_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
