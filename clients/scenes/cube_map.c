#include "cube_map.h"

#include "canvas.h"

/* For each face the directions of the picture's axes and of the view. [fidelity: cube] */
static const struct {
	const char *name;
	float right[3], up[3], ahead[3];
	int column, row; /* unfolded */
} faces[CUBE_FACES] = {
	{ "+x", { 0, 0, -1 }, { 0, -1, 0 }, { 1, 0, 0 }, 2, 1 },
	{ "-x", { 0, 0, 1 }, { 0, -1, 0 }, { -1, 0, 0 }, 0, 1 },
	{ "+y", { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, 1, 0 },
	{ "-y", { 1, 0, 0 }, { 0, 0, -1 }, { 0, -1, 0 }, 1, 2 },
	{ "+z", { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, 1, 1 },
	{ "-z", { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 }, 3, 1 },
};

struct mat4 cube_face_look(unsigned face) {
	return mat4_look(faces[face].right, faces[face].up, faces[face].ahead);
}

struct pica_texture cube_texture(uint32_t addr, uint32_t face_bytes, uint32_t size, uint32_t type) {
	struct pica_texture t = texture_at(addr, size, size, PICA_TEXTURE_FORMAT_RGBA8, 0);
	t.type = type;
	for (uint32_t i = 1; i < CUBE_FACES; i++) {
		t.faces[i - 1] = addr + i * face_bytes;
	}
	return t;
}

int cube_face_x(unsigned face, int left, int size) {
	return left + faces[face].column * size;
}

int cube_face_y(unsigned face, int top, int size) {
	return top + faces[face].row * size;
}

void cube_labels(struct recorder *r, int left, int top, int size) {
	for (unsigned i = 0; i < CUBE_FACES; i++) {
		const int x = cube_face_x(i, left, size), y = cube_face_y(i, top, size);
		canvas_frame(r, x, y, size, size, 0x1C203080);
		canvas_rect(r, x + 2, y + 2, 14, 11, 0x00000080);
		canvas_text(r, x + 4, y + 4, 0xFFFFFFFF, faces[i].name);
	}
}
