/* Shader binaries: a code block (DVLP) and entries (DVLE) in a file (DVLB). */
#ifndef CTRU_SHBIN_H
#define CTRU_SHBIN_H

#include <3ds/gpu/gpu.h>

typedef enum {
	VERTEX_SHDR = GPU_VERTEX_SHADER,
	GEOMETRY_SHDR = GPU_GEOMETRY_SHADER,
} DVLE_type;

typedef enum {
	DVLE_CONST_BOOL = 0, DVLE_CONST_u8 = 1, DVLE_CONST_FLOAT24 = 2,
} DVLE_constantType;

typedef enum {
	RESULT_POSITION = 0, RESULT_NORMALQUAT = 1, RESULT_COLOR = 2, RESULT_TEXCOORD0 = 3,
	RESULT_TEXCOORD0W = 4, RESULT_TEXCOORD1 = 5, RESULT_TEXCOORD2 = 6, RESULT_VIEW = 8,
	RESULT_DUMMY = 9,
} DVLE_outputAttribute_t;

typedef enum {
	GSH_POINT = 0, GSH_VARIABLE_PRIM = 1, GSH_FIXED_PRIM = 2,
} DVLE_geoShaderMode;

typedef struct {
	u32 codeSize; /* words */
	u32 *codeData;
	u32 opdescSize; /* descriptors */
	u32 *opcdescData;
} DVLP_s;

/* type: DVLE_CONST_... A float: x, y, z, w as 24-bit floats. */
typedef struct {
	u16 type, id;
	u32 data[4];
} DVLE_constEntry_s;

typedef struct {
	u16 type, regID; /* type: RESULT_... */
	u8 mask;
	u8 unk[3];
} DVLE_outEntry_s;

/* Registers as in pica_shader.h: v from 0, c from 0x10, i from 0x70, b from 0x78. */
typedef struct {
	u32 symbolOffset; /* of the name in symbolTableData */
	u16 startReg, endReg;
} DVLE_uniformEntry_s;

typedef struct {
	DVLE_type type;
	bool mergeOutmaps;
	DVLE_geoShaderMode gshMode;
	u8 gshFixedVtxStart, gshVariableVtxNum, gshFixedVtxNum;
	DVLP_s *dvlp;
	u32 mainOffset, endmainOffset;
	u32 constTableSize; /* all sizes: entries */
	DVLE_constEntry_s *constTableData;
	u32 outTableSize;
	DVLE_outEntry_s *outTableData;
	u32 uniformTableSize;
	DVLE_uniformEntry_s *uniformTableData;
	char *symbolTableData;
	u8 outmapMask;
	u32 outmapData[8]; /* number of slots, then their semantics */
	u32 outmapMode, outmapClock;
} DVLE_s;

typedef struct {
	u32 numDVLE;
	DVLP_s DVLP;
	DVLE_s *DVLE;
} DVLB_s;

/*
 * size: bytes. Checks and copies the whole file. Returns NULL for a malformed one, with a message.
 */
DVLB_s *DVLB_ParseFile(u32 *data, u32 size);
/* NULL is allowed. */
void DVLB_Free(DVLB_s *dvlb);
/* Returns the register's number in its kind (c5: 5), or -1. */
s8 DVLE_GetUniformRegister(DVLE_s *dvle, const char *name);
/* Does nothing: DVLB_ParseFile() has done it. */
void DVLE_GenerateOutmap(DVLE_s *dvle);

#endif
