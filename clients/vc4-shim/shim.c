/*
 * libpica-vc4-shim.so: a render node of a VideoCore IV for Mesa's vc4 driver, without the chip.
 *
 *	qemu-aarch64 -L ROOT -E LD_PRELOAD=libpica-vc4-shim.so -E MESA_LOADER_DRIVER_OVERRIDE=vc4 \
 *		-E PICA_VC4_DUMP=FOLDER PROGRAM
 *
 * The library replaces libdrm's functions that find and use a device, and of open(), fstat() and
 * ioctl() for the node /dev/dri/renderD128. The node's descriptor is a memfd with the memory of all
 * buffers, so plain mmap() at a buffer's offset works, and the inode identifies duplicates of the
 * descriptor. kernel.h stands in for the kernel's driver.
 *
 * A service, picad, draws each submission before its ioctl returns (draw.h).
 *
 * PICA_VC4_SOCKET: the service's socket; without it the one that pica_client_connect() chooses.
 * PICA_VC4_DUMP: a folder that exists; each submission becomes a folder in it (dump.h). With it,
 * and without PICA_VC4_SOCKET, nothing is drawn.
 * PICA_VC4_MIB: size of the region, 16 to 512; default 256.
 *
 * docs/vc4-shim.md is the manual.
 */
/* The names of the C library are defined here, not called: no macros that change them. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xf86drm.h>

#include "draw.h"
#include "dump.h"
#include "kernel.h"

#define EXPORT __attribute__((visibility("default")))

static const char node_path[] = "/dev/dri/renderD128";
enum { NODE_MAJOR = 226, NODE_MINOR = 128, REGION_BASE = 0x10000000, MIB = 1 << 20 };

static struct {
	int fd; /* the region's */
	struct stat st;
	uint8_t *memory;
	struct kernel *kernel;
	const char *dump;
	struct drawer *drawer; /* NULL: nothing is drawn */
} node = { .fd = -1 };

static int run(void *user, const struct kernel_job *job) {
	if (node.dump) {
		int ret = dump_job(node.dump, node.memory, REGION_BASE, job);
		if (ret < 0) {
			fprintf(stderr, "libpica-vc4-shim: %s: %s\n", node.dump, strerror(-ret));
			return ret;
		}
	}
	return node.drawer ? drawer_run(node.drawer, job) : 0;
}

/* Returns a descriptor with the memory of all buffers, or a negative errno. */
static int open_memory(uint32_t size_bytes) {
	const char *where = getenv("PICA_VC4_SOCKET");
	node.dump = getenv("PICA_VC4_DUMP");
	if (where || !node.dump) {
		const int ret = drawer_create(&node.drawer, where, REGION_BASE, size_bytes);
		return ret < 0 ? ret : fcntl(drawer_memory_fd(node.drawer), F_DUPFD_CLOEXEC, 3);
	}
	const int fd = memfd_create("pica-vc4", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)size_bytes) < 0) {
		const int ret = -errno;
		close(fd);
		return ret;
	}
	return fd < 0 ? -errno : fd;
}

static void start(void) {
	const char *mib = getenv("PICA_VC4_MIB");
	const unsigned long size = mib ? strtoul(mib, NULL, 10) : 256;
	if (size < 16 || size > 512) {
		fprintf(stderr, "libpica-vc4-shim: PICA_VC4_MIB: %s: expected 16 to 512\n", mib);
		return;
	}
	const int fd = open_memory((uint32_t)(size * MIB));
	if (fd < 0 || syscall(SYS_fstat, fd, &node.st) < 0) {
		errno = fd < 0 ? -fd : errno;
		goto err;
	}
	void *memory = mmap(NULL, size * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		goto err;
	}
	node.memory = memory;
	node.kernel = kernel_create(memory, REGION_BASE, (uint32_t)(size * MIB), run, NULL);
	if (node.kernel) {
		node.fd = fd;
		return;
	}
	munmap(memory, size * MIB);
err:
	fprintf(stderr, "libpica-vc4-shim: %lu MiB of memory: %s\n", size, strerror(errno));
	drawer_destroy(node.drawer);
	node.drawer = NULL;
	if (fd >= 0) {
		close(fd);
	}
}

/* Files that are opened during the start are not the node. */
static _Thread_local bool is_starting;

static bool is_started(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (is_starting) {
		return false;
	}
	is_starting = true;
	pthread_once(&once, start);
	is_starting = false;
	return node.fd >= 0;
}

/* Returns whether fd is the node's descriptor, or a duplicate. */
static bool is_node(int fd) {
	struct stat st;
	return is_started() && syscall(SYS_fstat, fd, &st) == 0 && st.st_dev == node.st.st_dev &&
			st.st_ino == node.st.st_ino;
}

/* ---- The C library ---- */

static int open_path(const char *path, int flags, mode_t mode) {
	if (strcmp(path, node_path) == 0) {
		if (!is_started()) {
			errno = ENOENT;
			return -1;
		}
		return fcntl(node.fd, F_DUPFD_CLOEXEC, 3);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                                                                 \
	EXPORT int name(const char *path, int flags, ...) {                                        \
		mode_t mode = 0;                                                                   \
		if (flags & (O_CREAT | O_TMPFILE)) {                                               \
			va_list list;                                                              \
			va_start(list, flags);                                                     \
			mode = va_arg(list, mode_t);                                               \
			va_end(list);                                                              \
		}                                                                                  \
		return open_path(path, flags, mode);                                               \
	}
OPEN(open)
OPEN(open64)

static int stat_fd(int fd, struct stat *st) {
	int ret = (int)syscall(SYS_fstat, fd, st);
	if (ret == 0 && is_node(fd)) {
		st->st_mode = S_IFCHR | 0666;
		st->st_rdev = makedev(NODE_MAJOR, NODE_MINOR);
	}
	return ret;
}

EXPORT int fstat(int fd, struct stat *st) {
	return stat_fd(fd, st);
}

EXPORT int fstat64(int fd, struct stat64 *st) {
	_Static_assert(sizeof(struct stat64) == sizeof(struct stat), "64-bit architectures only");
	return stat_fd(fd, (struct stat *)st);
}

static int node_ioctl(unsigned long request, void *arg) {
	int ret = kernel_ioctl(node.kernel, request, arg);
	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	return 0;
}

/* Mesa asks with it whether the node can draw. */
EXPORT int ioctl(int fd, unsigned long request, ...) {
	va_list list;
	va_start(list, request);
	void *arg = va_arg(list, void *);
	va_end(list);
	return is_node(fd) ? node_ioctl(request, arg) : (int)syscall(SYS_ioctl, fd, request, arg);
}

/* ---- libdrm ---- */

/* One block, as drmFreeDevice() frees it. */
struct device {
	drmDevice device;
	char *nodes[DRM_NODE_MAX];
	char path[sizeof(node_path)];
	drmPlatformBusInfo bus;
	drmPlatformDeviceInfo info;
	char *compatible[2];
	char name[32];
};

static int device_create(drmDevicePtr *out) {
	struct device *d = calloc(1, sizeof(*d));
	if (!d) {
		return -ENOMEM;
	}
	memcpy(d->path, node_path, sizeof(node_path));
	d->nodes[DRM_NODE_RENDER] = d->path;
	snprintf(d->bus.fullname, sizeof(d->bus.fullname), "/soc/gpu");
	snprintf(d->name, sizeof(d->name), "brcm,bcm2835-vc4");
	d->compatible[0] = d->name;
	d->info.compatible = d->compatible;
	d->device.nodes = d->nodes;
	d->device.available_nodes = 1 << DRM_NODE_RENDER;
	d->device.bustype = DRM_BUS_PLATFORM;
	d->device.businfo.platform = &d->bus;
	d->device.deviceinfo.platform = &d->info;
	*out = &d->device;
	return 0;
}

EXPORT int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max_devices) {
	if (!is_started()) {
		return 0;
	}
	if (!devices) {
		return 1;
	}
	if (max_devices < 1) {
		return 0;
	}
	int ret = device_create(&devices[0]);
	return ret < 0 ? ret : 1;
}

EXPORT int drmGetDevices(drmDevicePtr devices[], int max_devices) {
	return drmGetDevices2(0, devices, max_devices);
}

EXPORT int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device) {
	return is_node(fd) ? device_create(device) : -ENODEV;
}

EXPORT int drmGetDevice(int fd, drmDevicePtr *device) {
	return drmGetDevice2(fd, 0, device);
}

EXPORT int drmGetDeviceFromDevId(dev_t id, uint32_t flags, drmDevicePtr *device) {
	const bool is_ours = id == makedev(NODE_MAJOR, NODE_MINOR) && is_started();
	return is_ours ? device_create(device) : -ENODEV;
}

EXPORT void drmFreeDevice(drmDevicePtr *device) {
	if (device) {
		free(*device);
		*device = NULL;
	}
}

EXPORT void drmFreeDevices(drmDevicePtr devices[], int count) {
	for (int i = 0; devices && i < count; i++) {
		drmFreeDevice(&devices[i]);
	}
}

EXPORT int drmGetNodeTypeFromFd(int fd) {
	if (!is_node(fd)) {
		errno = EINVAL;
		return -1;
	}
	return DRM_NODE_RENDER;
}

EXPORT char *drmGetDeviceNameFromFd2(int fd) {
	return is_node(fd) ? strdup(node_path) : NULL;
}

EXPORT char *drmGetRenderDeviceNameFromFd(int fd) {
	return drmGetDeviceNameFromFd2(fd);
}

EXPORT drmVersionPtr drmGetVersion(int fd) {
	drmVersionPtr v = is_node(fd) ? calloc(1, sizeof(*v)) : NULL;
	if (!v) {
		return NULL;
	}
	v->name = strdup("vc4");
	v->date = strdup("20140616");
	v->desc = strdup("Broadcom VC4 graphics");
	if (!v->name || !v->date || !v->desc) {
		drmFreeVersion(v);
		return NULL;
	}
	v->name_len = (int)strlen(v->name);
	v->date_len = (int)strlen(v->date);
	v->desc_len = (int)strlen(v->desc);
	return v;
}

EXPORT void drmFreeVersion(drmVersionPtr v) {
	if (v) {
		free(v->name);
		free(v->date);
		free(v->desc);
		free(v);
	}
}

/* No capability: no syncobj, no sharing with other processes. */
EXPORT int drmGetCap(int fd, uint64_t capability, uint64_t *value) {
	if (!is_node(fd)) {
		errno = ENOTTY;
		return -1;
	}
	*value = 0;
	return 0;
}

EXPORT int drmIoctl(int fd, unsigned long request, void *arg) {
	if (!is_node(fd)) {
		errno = ENOTTY;
		return -1;
	}
	return node_ioctl(request, arg);
}
