/* A console program that draws three frames, then ends in the way of its argument, or never. */
#include <3ds.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void frame(void) {
	gfxSwapBuffers();
	gspWaitForVBlank();
}

/* Until there is no stack left. */
static unsigned go_down(unsigned depth) {
	volatile unsigned char room[4096];
	room[depth % sizeof(room)] = (unsigned char)depth;
	return depth ? go_down(depth + 1) + room[0] : 0;
}

/* Accesses registers that do not exist. Returns whether every call has failed. */
static bool access_no_register(void) {
	u32 words[2] = { 0, 0 };
	return R_FAILED(GSPGPU_WriteHWRegs(0xFFFFFFF0, words, 4)) &&
			R_FAILED(GSPGPU_WriteHWRegs(0x401BFC, words, 8)) &&
			R_FAILED(GSPGPU_WriteHWRegsWithMask(0x400001, words, 4, words, 4)) &&
			R_FAILED(GSPGPU_ReadHWRegs(0, words, 4));
}

/* Causes a fault that would end a program on a console. */
static void fault(const char *how) {
	static u32 elsewhere;
	u8 *block = linearAlloc(16);
	if (strcmp(how, "twice") == 0) {
		linearFree(block);
		linearFree(block);
	} else if (strcmp(how, "refused") == 0) {
		GX_TextureCopy((u32 *)0x1000, 0, (u32 *)block, 0, 16, 8);
	} else if (strcmp(how, "end") == 0) {
		GX_MemoryFill((u32 *)block, 0, (u32 *)0x2000, 0x201, NULL, 0, NULL, 0);
	} else if (strcmp(how, "long") == 0) {
		GX_FlushCacheRegions((u32 *)block, 0x10000000, NULL, 0, NULL, 0);
	} else if (strcmp(how, "past") == 0) {
		block[16] = 0;
		memset(linearAlloc(0x80), 0, 0x81);
	} else if (strcmp(how, "linear") == 0) {
		linearFree(block + 1);
	} else if (strcmp(how, "vram") == 0) {
		vramFree(&elsewhere);
	} else if (strcmp(how, "queue") == 0) {
		gxCmdQueue_s queue = { .maxEntries = 0 };
		gxCmdQueueAdd(&queue, &(gxCmdEntry_s){ .data = { 0 } });
	} else if (strcmp(how, "break") == 0) {
		svcBreak(USERBREAK_PANIC);
	} else if (strcmp(how, "stack") == 0) {
		go_down(1);
	}
	linearFree(block);
}

/* Draws nothing, and never tells the console's GPU where the list ends. */
static void start_endless_list(void) {
	u32 *list = linearAlloc(64);
	memset(list, 0, 64);
	GPUCMD_SetBuffer(list, 16, 0);
	GPUCMD_AddWrite(GPUREG_FACECULLING_CONFIG, GPU_CULL_NONE);
	GX_ProcessCommandList(list, 16, GX_CMDLIST_FLUSH);
}

/* Ends without another vertical blank; or becomes a process that libpica-ctru does not see. */
static void leave(const char *how) {
	if (strcmp(how, "start") == 0) {
		start_endless_list();
	} else if (strcmp(how, "exec") == 0) {
		execlp("true", "true", NULL);
	} else if (strcmp(how, "close") == 0) {
		for (int fd = 3; fd < 256; fd++) {
			close(fd);
		}
		start_endless_list(); /* nobody sees it */
	}
}

static void overflow(void *user) {
	(void)user;
	go_down(1);
}

static LightEvent event;
static LightSemaphore semaphore;

/* Makes one call that a thread of the C library may not make. */
static void *call_as_foreign(void *user) {
	const char *how = user;
	puts("foreign"); /* it may print */
	if (strcmp(how, "foreign-alloc") == 0) {
		linearFree(linearAlloc(64));
	} else if (strcmp(how, "foreign-unlock") == 0) {
		LightLock lock;
		LightLock_Init(&lock);
		LightLock_Unlock(&lock);
	} else if (strcmp(how, "foreign-sleep") == 0) {
		svcSleepThread(1);
	} else if (strcmp(how, "foreign-tick") == 0) {
		svcGetSystemTick();
	} else if (strcmp(how, "foreign-flush") == 0) {
		gfxFlushBuffers();
	}
	return NULL;
}

static void sleep_long(void *user) {
	(void)user;
	svcSleepThread(INT64_MAX);
}

/* For what never comes. */
static void wait_long(const char *how) {
	LightEvent_Init(&event, RESET_ONESHOT);
	LightSemaphore_Init(&semaphore, 0, 1);
	if (strcmp(how, "event") == 0) {
		LightEvent_Wait(&event);
	} else if (strcmp(how, "semaphore") == 0) {
		LightSemaphore_Acquire(&semaphore, 1);
	} else if (strcmp(how, "p3d") == 0) {
		gspWaitForP3D();
	} else if (strcmp(how, "thread-stack") == 0) {
		threadJoin(threadCreate(overflow, NULL, 0x1000, 0x31, -2, false), U64_MAX);
	} else if (strncmp(how, "foreign-", 8) == 0) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, call_as_foreign, (void *)(uintptr_t)how) == 0) {
			pthread_join(thread, NULL);
		}
	} else if (strcmp(how, "join") == 0) {
		threadJoin(threadCreate(sleep_long, NULL, 0, 0x31, -2, false), U64_MAX);
	}
	while (strcmp(how, "vblank") == 0 || strcmp(how, "loop") == 0) {
		if (how[0] == 'l') {
			aptMainLoop();
		}
		frame();
	}
}

/* Calls what needs the GPU or a vertical blank. */
static void work_in_child(const char *how) {
	if (strcmp(how, "vblank") == 0) {
		gspWaitForVBlank();
	} else if (strcmp(how, "fill") == 0) {
		u32 *block = linearAlloc(64);
		GX_MemoryFill(block, 0, block + 16, 0x201, NULL, 0, NULL, 0);
	} else if (strcmp(how, "flush") == 0) {
		gfxFlushBuffers();
	} else if (strcmp(how, "init") == 0) {
		gfxExit();
		gfxInitDefault();
	} else if (strcmp(how, "term") == 0) {
		raise(SIGTERM);
	} else if (strcmp(how, "loop") == 0) {
		while (aptMainLoop()) {
		}
	}
}

/* Returns whether the script has moved the C-stick right and down. */
static bool is_moved(void) {
	circlePosition at;
	irrstInit();
	irrstScanInput();
	hidScanInput();
	irrstCstickRead(&at);
	irrstExit();
	return at.dx == 100 && at.dy == -50 && irrstKeysHeld() == hidKeysHeld() &&
			irrstKeysHeld() == (KEY_CSTICK_RIGHT | KEY_CSTICK_DOWN);
}

int main(int argc, char **argv) {
	const char *how = argc > 1 ? argv[1] : "";
	if (strcmp(how, "chdir") == 0 && (chdir("/") < 0 || R_FAILED(romfsInit()))) {
		return 1;
	}
	gfxInitDefault();
	if (strncmp(how, "early-", 6) == 0) {
		leave(how + 6);
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		frame();
	}
	leave(how);
	if (strcmp(how, "register") == 0 && !access_no_register()) {
		return 1;
	}
	if (strcmp(how, "list") == 0 || strcmp(how, "register") == 0) {
		start_endless_list();
		gspWaitForP3D();
		svcOutputDebugString("later", 5);
		frame();
	}
	if (strcmp(how, "fork") == 0 && fork() == 0) {
		for (int fd = 0; fd < 3; fd++) {
			close(fd);
		}
		sleep(40); /* the pipe stays open */
		_exit(0);
	}
	if (strcmp(how, "child") == 0) {
		const pid_t child = fork();
		if (child == 0) {
			exit(0); /* the recording is not its own */
		}
		waitpid(child, NULL, 0);
		frame();
	}
	if (strncmp(how, "child-", 6) == 0) {
		int status;
		const pid_t child = fork();
		if (child == 0) {
			work_in_child(how + 6);
			_exit(0);
		}
		waitpid(child, &status, 0);
		frame();
		return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	if (strcmp(how, "killed") == 0) {
		puts("first");
		svcOutputDebugString("second", 6);
		puts("third");
		raise(SIGKILL);
	}
	if (strcmp(how, "environment") == 0) {
		return system("env | grep PICA_HOST_; test $(ls /proc/self/fd | wc -l) = 4");
	}
	if (strcmp(how, "_exit") == 0) {
		_exit(3);
	}
	fault(how);
	wait_long(how);
	return is_moved() ? 7 : 0;
}
