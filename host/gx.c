/* Commands and queues of them. */
#include "host.h"

#include <errno.h>
#include <string.h>

#include "pica_gsp.h"

/* In the memory shared with the service: the first client's queue. */
enum { NOBODYS = 1, QUEUE = 0x800, QUEUE_COUNT = QUEUE + 1, QUEUE_ENTRIES = QUEUE + 0x20 };

static const char *const names[PICA_GSP_ID_COUNT] = { "GX_RequestDma", "GX_ProcessCommandList",
	"GX_MemoryFill", "GX_DisplayTransfer", "GX_TextureCopy", "GX_FlushCacheRegions" };

static gxCmdQueue_s *bound; /* GX_ functions add to it */
static gxCmdQueue_s *current; /* it runs */

/* ---- One command ---- */

static const char *name_of(const u32 command[8]) {
	const u32 id = command[0] & 0xFF;
	return id < PICA_GSP_ID_COUNT ? names[id] : "gspSubmitGxCommand";
}

static int translate(void *user, uint32_t virt, uint32_t size, uint32_t *phys) {
	const u32 *command = user;
	uint32_t whole = size ? size : 1;
	*phys = host_memory_clip((const void *)(uintptr_t)virt, &whole);
	if (*phys && (!size || whole == size)) {
		return 0;
	}
	/* A fill's end, which is not part of it, comes here less 1. */
	virt += (command[0] & 0xFF) == PICA_GSP_MEMORY_FILL && virt != command[1] &&
			virt != command[4];
	if (*phys) {
		host_refuse("%s: 0x%X bytes at 0x%08X extend past the end of the memory there",
				name_of(command), size, virt);
	} else if (virt != NOBODYS) { /* which address() has told */
		host_refuse("%s: 0x%08X is not in the linear heap or VRAM", name_of(command),
				virt);
	}
	return -1;
}

Result host_command(const u32 command[8], gxCmdQueue_s *queue) {
	static _Alignas(4) uint8_t shared[PICA_GSP_SHARED_BYTES];
	struct pica_gsp_command c;
	const char *name = name_of(command);
	void *user = (void *)(uintptr_t)command;
	memset(shared + QUEUE, 0, 4);
	shared[QUEUE_COUNT] = 1;
	memcpy(shared + QUEUE_ENTRIES, command, 32);
	if (pica_gsp_take(shared, 0, translate, user, &c) != 1 || c.result < 0) {
		if (c.result != -ERANGE) {
			host_refuse("%s: malformed command: %08X %08X %08X %08X %08X %08X %08X %08X",
					name, command[0], command[1], command[2], command[3],
					command[4], command[5], command[6], command[7]);
		}
		c.interrupts = 0;
	} else {
		const void *src = c.dma_bytes ? host_memory_at(command[1], c.dma_bytes) : NULL;
		void *dst = c.dma_bytes ? host_memory_at(command[2], c.dma_bytes) : NULL;
		if (src && dst) {
			memmove(dst, src, c.dma_bytes);
		}
		if (c.n_jobs) {
			host_run(c.jobs, c.n_jobs, name);
		}
	}
	if ((command[0] & 0xFF) == PICA_GSP_FLUSH_REGIONS) {
		return c.result < 0 ? HOST_BAD_ARGUMENT : 0;
	}
	/* At most one interrupt ends a command; without any, the program would wait forever. */
	const int bit = __builtin_ffs((int)c.interrupts);
	host_raise(bit ? (GSPGPU_Event)(bit - 1) : GSPGPU_EVENT_MAX, queue);
	return c.result < 0 ? HOST_BAD_ARGUMENT : 0;
}

PICA_EXPORT Result gspSubmitGxCommand(const u32 command[8]) {
	return host_command(command, NULL);
}

/* ---- Queues ---- */

static void hand_over(gxCmdQueue_s *queue) {
	while (current == queue && queue->curEntry < queue->numEntries) {
		host_command(queue->entries[queue->curEntry++].data, queue);
	}
}

void host_queue_step(gxCmdQueue_s *queue) {
	if (queue->lastEntry < queue->numEntries) {
		queue->lastEntry++;
	}
	if (queue->lastEntry == queue->numEntries) {
		if (queue->callback && current == queue) {
			queue->callback(queue);
		}
		host_wake(queue, UINT32_MAX);
	}
}

PICA_EXPORT void gxCmdQueueClear(gxCmdQueue_s *queue) {
	host_forget(queue);
	queue->numEntries = queue->curEntry = queue->lastEntry = 0;
}

PICA_EXPORT void gxCmdQueueAdd(gxCmdQueue_s *queue, const gxCmdEntry_s *entry) {
	if (queue->numEntries >= queue->maxEntries) {
		host_fault("gxCmdQueueAdd: the queue is full: it has room for %u commands",
				queue->maxEntries);
	}
	queue->entries[queue->numEntries++] = *entry;
	hand_over(queue);
}

PICA_EXPORT void gxCmdQueueRun(gxCmdQueue_s *queue) {
	current = queue;
	hand_over(queue);
}

PICA_EXPORT void gxCmdQueueStop(gxCmdQueue_s *queue) {
	current = current == queue ? NULL : current;
}

PICA_EXPORT bool gxCmdQueueWait(gxCmdQueue_s *queue, s64 timeout_ns) {
	const uint64_t until = host_after(timeout_ns);
	host_deliver();
	while (queue->lastEntry < queue->numEntries) {
		if (timeout_ns == 0 || !host_wait(queue, until)) {
			return false;
		}
	}
	return true;
}

PICA_EXPORT void GX_BindQueue(gxCmdQueue_s *queue) {
	bound = queue;
}

/* ---- The commands ---- */

static u32 address(const void *pointer) {
	if ((uintptr_t)pointer >> 32) {
		host_refuse("a GX command: %p is not in the linear heap or VRAM", pointer);
		return NOBODYS;
	}
	return (u32)(uintptr_t)pointer;
}

static Result put(const u32 words[8]) {
	gxCmdEntry_s entry;
	if (!bound) {
		return host_command(words, NULL);
	}
	memcpy(entry.data, words, sizeof(entry.data));
	gxCmdQueueAdd(bound, &entry);
	return 0;
}

PICA_EXPORT Result GX_RequestDma(u32 *src, u32 *dst, u32 length) {
	return put((const u32[8]){ PICA_GSP_REQUEST_DMA, address(src), address(dst), length });
}

PICA_EXPORT Result GX_ProcessCommandList(u32 *list, u32 size, u8 flags) {
	return put((const u32[8]){ PICA_GSP_PROCESS_LIST, address(list), size,
			flags & GX_CMDLIST_UPDATE_GAS_ACC, 0, 0, 0, flags >> 1 & 1 });
}

PICA_EXPORT Result GX_MemoryFill(u32 *start0, u32 value0, u32 *end0, u16 control0, u32 *start1,
		u32 value1, u32 *end1, u16 control1) {
	return put((const u32[8]){ PICA_GSP_MEMORY_FILL, address(start0), value0, address(end0),
			address(start1), value1, address(end1), control0 | (u32)control1 << 16 });
}

PICA_EXPORT Result GX_DisplayTransfer(u32 *src, u32 src_dim, u32 *dst, u32 dst_dim, u32 flags) {
	return put((const u32[8]){ PICA_GSP_DISPLAY_TRANSFER, address(src), address(dst), src_dim,
			dst_dim, flags });
}

PICA_EXPORT Result GX_TextureCopy(
		u32 *src, u32 src_dim, u32 *dst, u32 dst_dim, u32 size, u32 flags) {
	return put((const u32[8]){ PICA_GSP_TEXTURE_COPY, address(src), address(dst), size, src_dim,
			dst_dim, flags });
}

PICA_EXPORT Result GX_FlushCacheRegions(
		u32 *start0, u32 size0, u32 *start1, u32 size1, u32 *start2, u32 size2) {
	return host_command((const u32[8]){ PICA_GSP_FLUSH_REGIONS, address(start0), size0,
					    address(start1), size1, address(start2), size2 },
			NULL);
}
