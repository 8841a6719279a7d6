/* Events, the vertical blank, and the service's other calls. */
#include "host.h"

#include <string.h>

#include <3ds/os.h>

enum { N_SCREENS = 2, MAX_RAISED = 256 };

/* Registers of the display controllers [fidelity: displays], and the offset of a screen. */
enum {
	PDC_LEFT0 = 0x10400468,
	PDC_LEFT1 = 0x1040046C,
	PDC_FORMAT = 0x10400470,
	PDC_SELECT = 0x10400478,
	PDC_STRIDE = 0x10400490,
	PDC_RIGHT0 = 0x10400494,
	PDC_RIGHT1 = 0x10400498,
	PDC_STEP = 0x100,
	LCD_FILL_TOP = 0x10202204,
	LCD_FILL_BOTTOM = 0x10202A04,
	LCD_FILL_ON = 1 << 24,
	HW_BASE = 0x10000000, /* 0x1EB00000 for programs */
};

static struct {
	ThreadFunc callback;
	void *data;
	bool is_one_shot;
	bool has_come; /* and was not waited for yet */
} events[GSPGPU_EVENT_MAX];

static struct {
	bool is_pending;
	unsigned swap;
	uint32_t left, right, stride, mode;
} presents[N_SCREENS];

struct raised {
	GSPGPU_Event id; /* GSPGPU_EVENT_MAX: no event */
	gxCmdQueue_s *queue;
};

/* Not heard of yet, in order. */
static struct raised raised[MAX_RAISED];
static unsigned n_raised;

static int last_event = -1;
static unsigned n_users;

/* ---- Events ---- */

void host_raise(GSPGPU_Event id, gxCmdQueue_s *queue) {
	if (n_raised < MAX_RAISED) {
		raised[n_raised++] = (struct raised){ id, queue };
		return;
	}
	/* Full: drops the oldest event without a queue, like the console's service. */
	unsigned i = 0;
	while (i < n_raised && raised[i].queue) {
		i++;
	}
	if (i == n_raised) {
		host_fault("%d commands are done, and the program never waits", MAX_RAISED);
	}
	memmove(&raised[i], &raised[i + 1], (n_raised - i - 1) * sizeof(*raised));
	raised[n_raised - 1] = (struct raised){ id, queue };
}

void host_forget(const gxCmdQueue_s *queue) {
	for (unsigned i = 0; i < n_raised; i++) {
		if (raised[i].queue == queue) {
			raised[i].queue = NULL;
		}
	}
}

static void deliver_event(GSPGPU_Event id) {
	const ThreadFunc callback = events[id].callback;
	void *data = events[id].data;
	if (callback && events[id].is_one_shot) {
		events[id].callback = NULL;
	}
	if (callback) {
		callback(data);
	}
	events[id].has_come = true;
	last_event = (int)id;
	host_wake(&events[id], UINT32_MAX);
	host_wake(&last_event, UINT32_MAX);
}

void host_deliver(void) {
	while (n_raised) {
		const struct raised r = raised[0];
		memmove(&raised[0], &raised[1], --n_raised * sizeof(*raised));
		if (r.queue) {
			host_queue_step(r.queue);
		}
		if (r.id < GSPGPU_EVENT_MAX) {
			deliver_event(r.id);
		}
	}
}

PICA_EXPORT void gspSetEventCallback(
		GSPGPU_Event id, ThreadFunc callback, void *data, bool one_shot) {
	if ((unsigned)id < GSPGPU_EVENT_MAX) {
		events[id].callback = callback;
		events[id].data = data;
		events[id].is_one_shot = one_shot;
	}
}

PICA_EXPORT void gspWaitForEvent(GSPGPU_Event id, bool next) {
	if ((unsigned)id >= GSPGPU_EVENT_MAX) {
		return;
	}
	host_deliver();
	if (next) {
		events[id].has_come = false;
	}
	while (!events[id].has_come) {
		host_wait(&events[id], UINT64_MAX);
	}
	events[id].has_come = false;
}

PICA_EXPORT GSPGPU_Event gspWaitForAnyEvent(void) {
	host_deliver();
	while (last_event < 0) {
		host_wait(&last_event, UINT64_MAX);
	}
	const GSPGPU_Event id = (GSPGPU_Event)last_event;
	last_event = -1;
	return id;
}

/* ---- Screens ---- */

static void write_register(uint32_t addr, uint32_t value) {
	const struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { addr, value, 0, { 0 } } };
	host_run(&job, 1, "a register");
}

static void latch(unsigned screen) {
	const uint32_t base = screen * PDC_STEP;
	const bool second = presents[screen].swap & 1;
	write_register(base + (second ? PDC_LEFT1 : PDC_LEFT0), presents[screen].left);
	write_register(base + (second ? PDC_RIGHT1 : PDC_RIGHT0), presents[screen].right);
	write_register(base + PDC_STRIDE, presents[screen].stride);
	write_register(base + PDC_FORMAT, presents[screen].mode);
	write_register(base + PDC_SELECT, second);
	presents[screen].is_pending = false;
}

void host_vblank(void) {
	host_check_process("a vertical blank");
	for (unsigned i = 0; i < N_SCREENS; i++) {
		if (presents[i].is_pending) {
			latch(i);
		}
	}
	host_console_flush();
	host_frame();
	host_raise(GSPGPU_EVENT_VBlank0, NULL);
	host_raise(GSPGPU_EVENT_VBlank1, NULL);
}

PICA_EXPORT bool gspPresentBuffer(unsigned screen, unsigned swap, const void *a, const void *b,
		u32 stride, u32 mode) {
	if (screen >= N_SCREENS) {
		return false;
	}
	const bool was_pending = presents[screen].is_pending;
	const uint32_t left = osConvertVirtToPhys(a), right = osConvertVirtToPhys(b);
	if (!left) {
		host_refuse("gspPresentBuffer: %p is not in the linear heap or VRAM", a);
		return was_pending;
	}
	presents[screen].is_pending = true;
	presents[screen].swap = swap;
	presents[screen].left = left;
	presents[screen].right = right ? right : left;
	presents[screen].stride = stride;
	presents[screen].mode = mode;
	return was_pending;
}

PICA_EXPORT bool gspIsPresentPending(unsigned screen) {
	return screen < N_SCREENS && presents[screen].is_pending;
}

PICA_EXPORT Result GSPGPU_SetBufferSwap(u32 screen, const GSPGPU_FramebufferInfo *info) {
	gspPresentBuffer(screen, info->active_framebuf, info->framebuf0_vaddr,
			info->framebuf1_vaddr ? info->framebuf1_vaddr : info->framebuf0_vaddr,
			info->framebuf_widthbytesize, info->format);
	return 0;
}

PICA_EXPORT Result GSPGPU_SetLcdForceBlack(u8 flags) {
	write_register(LCD_FILL_TOP, flags ? LCD_FILL_ON : 0);
	write_register(LCD_FILL_BOTTOM, flags ? LCD_FILL_ON : 0);
	return 0;
}

/* ---- Memory and registers ---- */

PICA_EXPORT Result GSPGPU_FlushDataCache(const void *address, u32 size) {
	const uint32_t phys = host_memory_clip(address, &size);
	if (phys && size) {
		const struct pica_job job = { .op = PICA_OP_INVALIDATE,
			.u.invalidate = { phys, size, { 0 } } };
		host_run(&job, 1, "GSPGPU_FlushDataCache");
	}
	return 0;
}

PICA_EXPORT Result GSPGPU_InvalidateDataCache(const void *address, u32 size) {
	(void)address;
	(void)size;
	return 0;
}

/* Returns whether the register exists; *value: its word. */
static bool read_register(const char *call, u32 reg, u32 *value) {
	if (host_read_external(HW_BASE + reg, value) == 0) {
		return true;
	}
	host_refuse("%s: 0x%08X: expected a register of the GPU, 0x400000-0x401BFC, or of the "
		    "screens, 0x202000-0x202FFC",
			call, reg);
	return false;
}

PICA_EXPORT Result GSPGPU_ReadHWRegs(u32 reg, u32 *data, u8 size) {
	for (unsigned i = 0; i < size / 4u; i++) {
		if (!read_register("GSPGPU_ReadHWRegs", reg + 4 * i, &data[i])) {
			return HOST_BAD_ARGUMENT;
		}
	}
	return 0;
}

static Result write_registers(
		const char *call, u32 reg, const u32 *data, const u32 *mask, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const u32 bits = mask ? mask[i] : UINT32_MAX;
		u32 old;
		if (!read_register(call, reg + 4 * i, &old)) {
			return HOST_BAD_ARGUMENT;
		}
		write_register(HW_BASE + reg + 4 * i, (old & ~bits) | (data[i] & bits));
	}
	return 0;
}

PICA_EXPORT Result GSPGPU_WriteHWRegs(u32 reg, const u32 *data, u8 size) {
	return write_registers("GSPGPU_WriteHWRegs", reg, data, NULL, size / 4u);
}

PICA_EXPORT Result GSPGPU_WriteHWRegsWithMask(
		u32 reg, const u32 *data, u8 size, const u32 *mask, u8 mask_size) {
	return write_registers("GSPGPU_WriteHWRegsWithMask", reg, data, mask,
			(size < mask_size ? size : mask_size) / 4u);
}

/* ---- Life ---- */

PICA_EXPORT Result gspInit(void) {
	n_users++;
	host_gpu_begin();
	return 0;
}

PICA_EXPORT void gspExit(void) {
	n_users -= n_users > 0;
}

PICA_EXPORT bool gspHasGpuRight(void) {
	return n_users > 0;
}
