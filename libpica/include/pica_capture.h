/*
 * Captures: what a program told the GPU, as a file. There are two forms, told apart by their first
 * bytes, and one face to read both:
 *
 *   .pica  our own container (docs/capture.md): complete states with memory, jobs, the pictures
 *          that are expected; hashed, compressed, with random access. Written by the recorder
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
 * Every byte of a .ctf is checked when it is opened: what was opened can be read to its end,
 * whoever wrote it. Of a .pica the index and the first state are checked then, the other chunks
 * when they are read: pica_capture_next() can fail. Elements that are well-formed but useless here
 * (memory that the GPU cannot see, registers of other devices) are left out and counted.
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

/* Why a file was not opened. */
struct pica_capture_error {
	int code;        /* the negative errno that the function returned */
	/* 1: offset counts bytes that came out of the compression, 0: bytes of the file. */
	uint32_t is_decompressed;
	uint64_t offset; /* byte that is wrong, where there is one */
	char message[PICA_CAPTURE_MESSAGE]; /* one line: file, byte, what was expected and found */
	uint32_t has_offset; /* 0: the whole of it is wrong, or cannot be read */
	uint32_t reason;     /* in message: where the text behind file and byte begins */
};

/*
 * Opens a file. A .ctf, plain or compressed, is read whole; a .pica is read as it is needed and
 * must not change meanwhile. err may be NULL; it is filled on failure, *out is not. Memory is
 * bounded by the file's size and what really comes out of it; of a .pica by the limits that its
 * header declares.
 *   -ENOENT, -EACCES, -EIO ...  as open(2) and read(2) say
 *   -EISDIR, -ESPIPE  a folder; another thing that is no regular file
 *   -EINVAL      no capture, or one that contradicts itself: the message says
 *                where; compressed data that is damaged, cut off or followed by something else;
 *                a .pica with a damaged or missing chunk, which the message names
 *   -EOPNOTSUPP  a capture that cannot be read: another version, or written by Azahar and by
 *                builds of Citra after December 2023, whose recorder leaves the stream out;
 *                a compressed frame with a larger window or a dictionary; a .pica that needs a
 *                later version or a feature that is not known
 *   -EFBIG       a .ctf of more than 4 GiB, which the format's 32-bit offsets cannot name, or
 *                compressed and more than 1 GiB when decompressed; a .pica that declares more than
 *                4 GiB of data, 1 GiB of windows or 1 GiB in one chunk
 *   -ENOMEM
 */
int pica_capture_open(struct pica_capture **out, const char *path, struct pica_capture_error *err);
/*
 * The same for bytes in memory, plain or compressed, which stay the caller's and unchanged until
 * the capture is closed. name is used in messages (NULL: "memory").
 */
int pica_capture_open_memory(struct pica_capture **out, const void *data, size_t size_bytes,
		const char *name, struct pica_capture_error *err);
/*
 * Opens what is left of a .pica whose end is missing or that is damaged. Without its end: the
 * chunks from the front, up to the first that is not whole. With it the file falls into parts: a
 * part begins with a key and ends in front of damage that events need; the first one that holds
 * frames is opened. Its frames are counted from 0, info.first_frame says where it began. 0: nothing
 * is missing (or it is no .pica: as pica_capture_open()); 1: something is, and err->message says
 * what; negative: nothing can be saved.
 */
int pica_capture_recover(
		struct pica_capture **out, const char *path, struct pica_capture_error *err);
/* The same for the part that holds a frame of the file. -EINVAL: none does. */
int pica_capture_recover_at(struct pica_capture **out, const char *path, uint32_t frame,
		struct pica_capture_error *err);

/* Frames of the file that can be saved together. */
struct pica_capture_part {
	uint32_t first, frames;
	uint32_t is_open; /* 1: this is the one */
};

/*
 * Up to n parts of the file that was recovered, ascending; returns their number, at most the number
 * of its keys. 0: nothing is missing, or its end is.
 */
unsigned pica_capture_parts(
		const struct pica_capture *capture, struct pica_capture_part *out, unsigned n);
/* NULL is allowed. The data pointers of its jobs end with it. */
void pica_capture_close(struct pica_capture *capture);

/*
 * Makes the context ready for the next event: maps (owned, zeroed) memory where the capture has a
 * window that the context lacks, and loads the state. Memory itself comes as the first events, and
 * must be all zero: a new context, or pica_ctx_zero_memory(). Errors of pica_ctx_map().
 */
int pica_capture_load(struct pica_capture *capture, struct pica_ctx *ctx);
/*
 * Settings of a context for it: those of pica_ctx_settings_init(), with the memory and the budgets
 * of the one that was recorded, budgets never above the default.
 */
void pica_capture_ctx_settings(
		const struct pica_capture *capture, struct pica_ctx_settings *settings);
/*
 * The state at the start, or where pica_capture_seek() went, for pica_ctx_load_state(). Valid until
 * closed; changed by rewinding and seeking.
 *
 * What recorders leave undefined is settled [fidelity: citrace]: in files of the Citra family
 * the w of fixed attributes is 1.0, and the w of a uniform is 0.0 unless its top byte is 0; files
 * that say their stream size in bytes hold true values, to which only the top-byte test is
 * applied. Where a file has no geometry-shader arrays, and that unit shares the vertex shader's
 * (0x244 bit 0 = 0) and is not in use, it starts with the vertex shader's memories.
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
 * The next event: 1, or 0 at the end (and from then on, until rewound). Of a .pica also -EINVAL:
 * the next chunk is damaged, -EIO ...: it cannot be read, -ENOMEM; pica_capture_error() says which.
 */
int pica_capture_next(struct pica_capture *capture, struct pica_capture_event *event);
/* The last failure of next, seek, rewind or verify. */
const struct pica_capture_error *pica_capture_error(const struct pica_capture *capture);
/* Back to the first event. Fails as pica_capture_next(), and never for a .ctf. */
int pica_capture_rewind(struct pica_capture *capture);
/*
 * To the last place at or before the frame where the whole state is known, and *at its frame (may
 * be NULL): a key frame of a .pica, the start of a .ctf. State and events continue from there.
 * Where that key, or memory of it, is damaged *at is set as well, and those before *at may do.
 */
int pica_capture_seek(struct pica_capture *capture, uint32_t frame, uint32_t *at);
/* Checks all of a file, without disturbing where it is read. Fails as pica_capture_next(). */
int pica_capture_verify(struct pica_capture *capture);
/* Called for each damage; error lives until it returns. */
typedef void pica_capture_found_fn(void *user, const struct pica_capture_error *error);
/*
 * The same, going on behind damage as far as the index tells where: found is called for each chunk
 * that is not whole. Returns the first failure, which is pica_capture_error() then.
 */
int pica_capture_verify_all(
		struct pica_capture *capture, pica_capture_found_fn *found, void *user);
/* Whether loads overwrite what the renderer drew (default: 0, they do not). For later events. */
void pica_capture_trust_loads(struct pica_capture *capture, int trust);

enum pica_capture_form {
	PICA_CAPTURE_CTF_2015_04, /* April and May 2015: header of 92 bytes, no fixed attributes */
	PICA_CAPTURE_CTF_2015_05, /* until December 2023 */
	/* stream size in bytes, 32-bit writes: host recorders, our writer */
	PICA_CAPTURE_CTF_BYTES,
	PICA_CAPTURE_PICA,        /* the container */
};

/* What a capture does not tell; pictures may differ until the program itself sets it up. */
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
	 * Memory that is read and that neither a load nor the GPU wrote, so that it was 0
	 * (pica_ctx_find_unwritten()): textures, their smaller levels, faces of cubes but +X;
	 * indices and vertex arrays, which recorders leave out that did not run the vertex programs
	 * themselves; targets that draws blend with or test against; command lists, as recorders
	 * leave out where a jump enters them; sources of transfers and copies; what screens show.
	 * Known where the whole capture was drawn: pica convert does.
	 */
	PICA_CAPTURE_NO_TEXTURES = 0x100,
	PICA_CAPTURE_NO_LEVELS = 0x200,
	PICA_CAPTURE_NO_FACES = 0x400,
	PICA_CAPTURE_NO_VERTICES = 0x800,
	PICA_CAPTURE_NO_TARGETS = 0x1000,
	PICA_CAPTURE_NO_LISTS = 0x2000,
	PICA_CAPTURE_NO_SOURCES = 0x4000,
	PICA_CAPTURE_NO_SCREENS = 0x8000,
	/* DMA of the processor: recorders of the Citra family leave no trace of it */
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
	 * As pica_capture_next() gives them, without PICA_CAPTURE_MEMORY; lists: jobs that start
	 * one.
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
	uint32_t all_frames; /* recovered: of the file, as its index tells; 0: not known */
	enum pica_float float_mode;  /* that the expected pictures were drawn with */
	enum pica_combiner combiner;
	char title[64], tool[64]; /* text, may be empty */
};

void pica_capture_info(const struct pica_capture *capture, struct pica_capture_info *out);

/* How much of one thing it lacks, where that is known. */
struct pica_capture_lack {
	uint32_t what;  /* one bit of the above */
	uint32_t first; /* physical address of the first */
	uint64_t count; /* pages of 4 KiB; PICA_CAPTURE_EMPTY_LOADS: loads */
};

/* Up to n of them, ascending by what; returns their number, at most 32. */
unsigned pica_capture_lacks(
		const struct pica_capture *capture, struct pica_capture_lack *out, unsigned n);

/* A picture that is expected at a frame. */
struct pica_expected {
	uint32_t frame;
	uint32_t screen; /* enum pica_screen_id */
	uint32_t eye;    /* enum pica_eye */
	uint32_t width, height;
	uint8_t hash[16]; /* pica_picture_hash() */
};

/* The pictures of a frame, *n of them; NULL and 0: none are known. Valid until closed. */
const struct pica_expected *pica_capture_expected(
		const struct pica_capture *capture, uint32_t frame, uint32_t *n);
/*
 * Canonical XXH3-128, seed 0, over width and height (u32, little-endian) and RGB8 rows from the
 * top, stride_bytes apart.
 */
void pica_picture_hash(const uint8_t *rgb, uint32_t width, uint32_t height, size_t stride_bytes,
		uint8_t hash[16]);
/* The windows of memory that it needs, up to n; returns their number. host is NULL. */
unsigned pica_capture_windows(
		const struct pica_capture *capture, struct pica_window *out, unsigned n);

/* ---- Writing .pica ---- */

struct pica_capture_writer;

struct pica_capture_writer_settings {
	uint32_t size;  /* set by pica_capture_writer_settings_init() */
	uint32_t level; /* zstd, 1..19; default 3 */
	/* What pica_capture_info() will tell. */
	uint32_t missing; /* PICA_CAPTURE_NO_* */
	uint32_t source;  /* enum pica_capture_form; default PICA_CAPTURE_PICA */
	uint32_t first_frame;
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint32_t n_windows;
	const struct pica_window *windows; /* memory of the context; borrowed during create */
	struct pica_budgets budgets;       /* of the context; 0: the default */
	const char *title, *tool; /* up to 63 bytes are kept; NULL: empty */
	uint64_t reserved[8];     /* zero */
};

/* The default windows (VRAM and 128 MiB FCRAM) and budgets. */
void pica_capture_writer_settings_init(struct pica_capture_writer_settings *settings);

/*
 * The file appears under its name when it is finished, whole, or never: it grows without a name
 * (where the file system has no such files: beside it, as NAME.tmp-PROCESS-NUMBER), is brought to
 * the disk and gets its name, which is brought there, too. A file of that name is replaced; what is
 * no regular file is refused (-EINVAL). A process that is killed leaves at most a
 * NAME.tmp-PROCESS-NUMBER, of which pica_capture_recover() reads what is whole. The first failure
 * sticks: later calls return it.
 *   -EINVAL   malformed job or picture; no key frame before the first event
 *   -EOPNOTSUPP  a window that is read-only
 *   -ERANGE   memory outside the windows      -EFBIG  a limit of the format (pica_capture_open())
 *   -ENOMEM, or what open(2), write(2), rename(2) say
 */
int pica_capture_writer_create(struct pica_capture_writer **out, const char *path,
		const struct pica_capture_writer_settings *settings);
/*
 * The whole state here: before the first event, which is required, and at any frame. memory: n
 * windows with their host addresses; pages that are all 0 cost nothing, those that are in the file
 * already little.
 */
int pica_capture_writer_key(struct pica_capture_writer *writer, const struct pica_state *state,
		const struct pica_window *memory, unsigned n);
/* A job, as submitted: its user_data and handle are dropped, the data of a WRITE is copied. */
int pica_capture_writer_job(struct pica_capture_writer *writer, const struct pica_job *job);
/* The end of a frame, with the PRESENT that made it. */
int pica_capture_writer_frame(struct pica_capture_writer *writer, const struct pica_job *present);
/* A picture of the frame that ended last; its frame field is not looked at. */
int pica_capture_writer_expect(
		struct pica_capture_writer *writer, const struct pica_expected *expected);
/*
 * What the events turned out to lack: pica_capture_info() and pica_capture_lacks() will tell. One
 * bit, not given before.
 */
int pica_capture_writer_lack(
		struct pica_capture_writer *writer, const struct pica_capture_lack *lack);
/* Puts the file in place and frees the writer, whatever it returns. */
int pica_capture_writer_finish(struct pica_capture_writer *writer);
/* Gives up: nothing appears. NULL is allowed. */
void pica_capture_writer_destroy(struct pica_capture_writer *writer);

/* ---- Writing .ctf ---- */

/*
 * Writes the form PICA_CAPTURE_CTF_BYTES: header of 100 bytes with all ten arrays (0x400 words of
 * external registers, 0x400 LCD, 0x300 internal, 64 of fixed attributes, 4096 + 4096 + 384 of
 * each shader unit, operand descriptors beyond 128 being 0), then the memory, then the stream,
 * whose size stands in the header in bytes. Register writes hold {address, value, 0}. Such a file
 * needs no guessing: list sizes count 8 bytes, every w is what it says. Identical data is stored
 * once.
 *
 * The file appears under its name when it is finished, whole, or never, as those of struct
 * pica_capture_writer do. A path that ends in ".zst" is compressed when it is finished: zstd, level
 * 19, one frame with its content size and a checksum; until then its plain form grows in a file
 * without a name in the same folder. The first failure sticks: later calls return it.
 *   -EINVAL  malformed address or size, or path is no regular file
 *   -ERANGE  memory that the GPU cannot see
 *   -EFBIG   4 GiB are full, of a compressed capture 1 GiB before compression
 *   -ENOMEM, or what open(2), write(2), rename(2) say
 */
struct pica_ctf_writer;

/* initial: the state at the start, copied; NULL: all 0. Compressed if path ends in ".zst". */
int pica_ctf_writer_create(struct pica_ctf_writer **out, const char *path,
		const struct pica_state *initial);
/* Memory becomes data (1 byte or more): before the register write that makes the GPU read it. */
int pica_ctf_writer_memory(struct pica_ctf_writer *writer, uint32_t addr, const void *data,
		uint32_t size_bytes);
/* A GPU (0x10400000-0x10401FFF) or LCD (0x10202000-) register, multiple of 4. */
int pica_ctf_writer_reg_write(struct pica_ctf_writer *writer, uint32_t addr, uint32_t value);
/* The three writes that run a command list: size_bytes a multiple of 8, addr of 16. */
int pica_ctf_writer_list(struct pica_ctf_writer *writer, uint32_t addr, uint32_t size_bytes);
int pica_ctf_writer_frame(struct pica_ctf_writer *writer);
/*
 * Completes the file and opens it, before it has its name: whoever wants to be sure draws it first,
 * and then finishes or destroys the writer. Nothing can be written after it (-EINVAL). err may be
 * NULL. Errors as those of finish, and of pica_capture_open().
 */
int pica_ctf_writer_review(struct pica_ctf_writer *writer, struct pica_capture **out,
		struct pica_capture_error *err);
/*
 * Puts the file in place and frees the writer, whatever it returns. A stream of no elements is
 * -EINVAL: no reader accepts it.
 */
int pica_ctf_writer_finish(struct pica_ctf_writer *writer);
/* Gives up: nothing appears. NULL is allowed. */
void pica_ctf_writer_destroy(struct pica_ctf_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
