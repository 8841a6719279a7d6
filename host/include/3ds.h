/*
 * libpica-ctru: the graphics part of the console's system library for the host, with the names,
 * types and values of that library's public headers, so that programs and libraries of the console
 * compile with the host's compiler and draw with libpica.
 *
 * Link without -pie (as pkg-config pica-ctru does): the heaps then lie at the console's addresses,
 * which fit into 32 bits. docs/host.md lists the supported calls.
 */
#ifndef CTRU_3DS_H
#define CTRU_3DS_H

#ifdef __cplusplus
extern "C" {
#endif

#include <3ds/types.h>
#include <3ds/result.h>
#include <3ds/svc.h>
#include <3ds/os.h>
#include <3ds/env.h>
#include <3ds/synchronization.h>
#include <3ds/thread.h>
#include <3ds/allocator/linear.h>
#include <3ds/allocator/mappable.h>
#include <3ds/allocator/vram.h>
#include <3ds/gpu/enums.h>
#include <3ds/gpu/registers.h>
#include <3ds/gpu/gpu.h>
#include <3ds/gpu/gx.h>
#include <3ds/gpu/shbin.h>
#include <3ds/gpu/shaderProgram.h>
#include <3ds/services/apt.h>
#include <3ds/services/gspgpu.h>
#include <3ds/services/hid.h>
#include <3ds/services/irrst.h>
#include <3ds/gfx.h>
#include <3ds/console.h>
#include <3ds/romfs.h>
#include <3ds/font.h>
#include <3ds/noops.h>
#include <3ds/util/decompress.h>
#include <3ds/util/utf.h>

#ifdef __cplusplus
}
#endif

#endif
