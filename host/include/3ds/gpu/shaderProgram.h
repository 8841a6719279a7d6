/* A vertex shader and an optional geometry shader, and the commands that select them. */
#ifndef CTRU_SHADER_PROGRAM_H
#define CTRU_SHADER_PROGRAM_H

#include <3ds/gpu/shbin.h>

/* Four values for the registers from GPUREG_VSH_FLOATUNIFORM_CONFIG on. */
typedef struct {
	u32 id;
	u32 data[3]; /* w z | z y | y x, 24 bits each */
} float24Uniform_s;

/* An entry with the values of its constants. */
typedef struct {
	DVLE_s *dvle;
	u16 boolUniforms, boolUniformMask;
	u32 intUniforms[4]; /* x in bits 0-7 */
	float24Uniform_s *float24Uniforms;
	u8 intUniformMask;
	u8 numFloat24Uniforms;
} shaderInstance_s;

typedef struct {
	shaderInstance_s *vertexShader;
	shaderInstance_s *geometryShader; /* NULL: none */
	u32 geoShaderInputPermutation[2];
	u8 geoShaderInputStride;
} shaderProgram_s;

/* These return 0, or a negative result: a wrong argument, or no memory. */
Result shaderInstanceInit(shaderInstance_s *instance, DVLE_s *dvle);
Result shaderInstanceFree(shaderInstance_s *instance);
Result shaderInstanceSetBool(shaderInstance_s *instance, int id, bool value);
Result shaderInstanceGetBool(shaderInstance_s *instance, int id, bool *value);
/* Returns as DVLE_GetUniformRegister(). */
s8 shaderInstanceGetUniformLocation(shaderInstance_s *instance, const char *name);

Result shaderProgramInit(shaderProgram_s *program);
Result shaderProgramFree(shaderProgram_s *program);
Result shaderProgramSetVsh(shaderProgram_s *program, DVLE_s *dvle);
/* stride: inputs of a run; 0: as many as the vertex shader has outputs. */
Result shaderProgramSetGsh(shaderProgram_s *program, DVLE_s *dvle, u8 stride);
/* Input k of the geometry shader goes to the register in nibble k. */
Result shaderProgramSetGshInputPermutation(shaderProgram_s *program, u64 permutation);
/* Adds commands: entry points, output maps, modes, and code if requested. */
Result shaderProgramConfigure(shaderProgram_s *program, bool send_vsh_code, bool send_gsh_code);
/* The same with all code and constants. */
Result shaderProgramUse(shaderProgram_s *program);

#endif
