/*
 * Shared by the files of libpica-ctru. Only the running thread of the program, one at a time, calls
 * these; other threads belong to libpica.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#include <3ds/result.h>
#include <3ds/svc.h>
#include <3ds/gpu/gx.h>
#include <3ds/services/gspgpu.h>

#include "core/base/attributes.h"
#include "pica.h"

enum {
	/* Lines of 451 dots, 414 of them, 24 ticks a dot: 59.83 a second. */
	HOST_FRAME_TICKS = 451 * 414 * 24,
	/* Frames that a program may still run after its last one. */
	HOST_GRACE_FRAMES = 60,
	/* Exit status as that of the tools: there is no service, or it ends; an end is forced. */
	HOST_EXIT_NO_SERVICE = 4,
	HOST_EXIT_TIMEOUT = 5,
	/* Finishing a recording after a crash needs less. */
	HOST_CRASH_STACK = 1 << 20,
	/* Of physical memory: the linear heap, VRAM. */
	HOST_WINDOWS = 2,
};

#define HOST_BAD_ARGUMENT MAKERESULT(RL_USAGE, RS_INVALIDARG, RM_APPLICATION, RD_OUT_OF_RANGE)

/* Options from `pica host-run`, in the environment. */
struct host_options {
	pid_t process; /* the program's, none that it forks */
	uint32_t frames; /* 0: no end */
	const char *record; /* path, or NULL */
	const char *input;
	const char *romfs; /* NULL: the folder beside the program */
	const char *sdmc; /* NULL: none */
	const char *font; /* NULL: the built-in letters */
	int lint; /* socket for jobs that were checked, or -1 */
	int pictures; /* pipe for the pictures of each frame, or -1 */
	const char *connect; /* socket of a service; "": the default one; NULL: no service */
	uint32_t threads;
	uint32_t arithmetic; /* enum pica_float, enum pica_combiner in bit 1 */
};

/* ---- host.c ---- */

/* Read before main(). */
extern struct host_options host_options;
/* Prints a line to the standard error. */
PICA_PRINTF(1, 2)
void host_log(const char *format, ...);
/* The same once for each `said`. */
PICA_PRINTF(2, 3)
void host_log_once(bool *said, const char *format, ...);
/* A mistake of the program, which continues: prints a line. --lint counts it. */
PICA_PRINTF(1, 2)
void host_refuse(const char *format, ...);
/* Prints a line, finishes the recording, and ends the process with status 2. */
PICA_PRINTF(1, 2)
_Noreturn void host_fail(const char *format, ...);
/* A fault of the program: prints a line and ends the process with SIGABRT, as a crash. */
PICA_PRINTF(1, 2)
_Noreturn void host_fault(const char *format, ...);
/*
 * Faults in a process that the program forks, which has no GPU and no time of its own, and in a
 * thread as host_check_thread().
 */
void host_check_process(const char *call);

/* ---- console.c ---- */

/* Makes the standard streams; before main(). */
void host_console_begin(void);
/* Flushes drawn text to the GPU. */
void host_console_flush(void);

/* ---- memory.c ---- */

/* Maps the heaps; before main(). argv: of the process, which this may restart. */
void host_memory_begin(char **argv);
struct host_window {
	uint8_t *base;
	uint32_t phys, size;
};

/* Returns window i of HOST_WINDOWS. */
struct host_window host_memory_window(unsigned i);
/* Replaces the memory of an unused window by that of a descriptor, which this keeps. */
void host_memory_share(unsigned i, int fd);
/* Returns the descriptor of a shared window, or -1. */
int host_memory_fd(unsigned i);
/* Shares all windows that are private. */
void host_memory_share_all(void);
/*
 * Maps the windows into a context; if a service has them, maps copies, which host_memory_renew()
 * updates.
 */
int host_memory_map(struct pica_ctx *ctx);
void host_memory_renew(void);
/* Truncates a range to the heap in which it begins. Returns its physical address, or 0. */
uint32_t host_memory_clip(const void *address, uint32_t *size);
/* Logs blocks of the linear heap that were written past their end. */
void host_memory_check(void);
/* Returns the memory at a virtual address of the console, or NULL. */
void *host_memory_at(uint32_t address, uint32_t size);

/* ---- clocks.c ---- */

/* Finds the libraries whose calls are not the program's; before main(). */
void host_clocks_begin(void);
/*
 * Returns the path of a file of random bytes, other ones at each call, in place of a random device;
 * any other path itself.
 */
const char *host_random_file(const char *path, char room[PATH_MAX]);

/* ---- turns.c ---- */

/* Whether this thread is one of the console's, not of the C library's. */
extern _Thread_local bool host_takes_turns;

/* Ticks since the start. */
extern uint64_t host_now;
/*
 * Waits for host_wake(object), at most until a tick. Returns false at the tick. function: of the
 * program's call, for messages.
 */
bool host_wait_in(const char *function, const void *object, uint64_t until);
#define host_wait(object, until) host_wait_in(__func__, object, until)
/* Logs the waits that began before a frame. */
void host_log_waits(uint32_t frame);
/* Returns the tick in ns from now; negative: never. */
uint64_t host_after(int64_t ns);
/* Wakes up to n threads that wait for an object, by priority. */
void host_wake(const void *object, unsigned n);
/* Yields to a ready thread of higher priority. function: as for host_wait_in(). */
void host_turn_in(const char *function);
#define host_turn() host_turn_in(__func__)
/* Advances the time by ticks for the program's own work. */
void host_spend_in(const char *function, uint64_t ticks);
#define host_spend(ticks) host_spend_in(__func__, ticks)

/* Returns a new handle. */
Handle host_new_handle(void);
/* Returns whether a handle is that of a thread; *is_done: it has ended. */
bool host_find_thread(Handle handle, bool *is_done);

/* ---- kernel.c ---- */

/* Releases its mutexes, and ends waits for it. thread: its id. */
void host_kernel_thread_ended(u32 thread);

/* ---- life.c ---- */

/* Whether the program knows that it is to end: aptMainLoop() has returned false. */
extern bool host_has_told_end;

/* ---- gpu.c ---- */

/*
 * Gives this thread a stack for a crash since there is none left, and *before (unless NULL) the one
 * to set again when room ends.
 */
void host_set_crash_stack(uint8_t room[HOST_CRASH_STACK], stack_t *before);
/*
 * In a thread of the C library, which has no turn: prints a line, and stops the thread; the program
 * ends by SIGABRT at its next frame.
 */
void host_check_thread(const char *call);
/* Tells --lint of a mistake that it does not see. */
void host_gpu_refused(void);
/* Creates the GPU at the first call. */
void host_gpu_begin(void);
enum pica_float host_float_mode(void);
enum pica_combiner host_combiner(void);
/* Reads a GPU or LCD register by its physical address. Returns 0, or an error of pica.h. */
int host_read_external(uint32_t addr, uint32_t *value);
/*
 * Runs jobs to their end. name: of the command, for messages. Returns the first bad result, or 0.
 */
int host_run(const struct pica_job *jobs, size_t n, const char *name);
/* Ends a frame: presents what the screens show now. */
void host_frame(void);
/* Frames so far. */
extern uint32_t host_frames;
/*
 * In a child of fork(): closes the descriptors to host-run, and forgets the recording and its
 * signals.
 */
void host_gpu_forget(void);
/* Ends the recording; does nothing in a process that the program forks. */
void host_gpu_end(void);

/* ---- service.c ---- */

/*
 * With host_options.connect, a service replaces libpica. If it is gone, these finish the
 * recording and end the process with HOST_EXIT_NO_SERVICE and a message.
 */

/* Connects, and shares the windows; before main(). */
void host_service_begin(void);
void host_service_end(void);
/* In a child of fork(): closes the connection, which remains the parent's. */
void host_service_forget(void);
/* Submits jobs; host_service_take() must have returned false. Returns 0 or more. */
int host_service_submit(const struct pica_job *jobs, size_t n);
/* Waits for the next completion. Returns false if no job is in flight. */
bool host_service_take(struct pica_done *done);
/* As the functions of pica_client.h. */
int host_service_read_external(uint32_t addr, uint32_t *value);
int host_service_screen(enum pica_screen_id id, struct pica_screen *out);
void host_service_read_screen(
		enum pica_screen_id id, enum pica_eye eye, uint8_t *rgb, size_t stride);

/* ---- gsp.c ---- */

/* A vertical blank: takes the presented buffers, ends the frame, raises the events. */
void host_vblank(void);
/*
 * Raises an event, to be delivered later. queue: the one whose command completes with it, or NULL.
 */
void host_raise(GSPGPU_Event id, gxCmdQueue_s *queue);
/* Delivers all raised events to the program. */
void host_deliver(void);
/* Drops pending completions of a queue's commands. */
void host_forget(const gxCmdQueue_s *queue);

/* ---- gx.c ---- */

/* Completes a command of a queue. */
void host_queue_step(gxCmdQueue_s *queue);
/* Runs a command; queue: its queue, or NULL. */
Result host_command(const u32 command[8], gxCmdQueue_s *queue);

/* ---- input.c ---- */

struct host_input {
	u32 keys;
	u16 touch_x, touch_y;
	s16 circle_x, circle_y, cstick_x, cstick_y;
	float slider;
};

/* Reads the script; before main(). */
void host_input_begin(const char *path);
/* The state of a frame. */
const struct host_input *host_input_at(uint32_t frame);

#endif
