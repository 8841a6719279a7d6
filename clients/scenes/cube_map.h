/* Cubes of six targets, which are drawn and then sampled by direction. */
#ifndef SCENES_CUBE_MAP_H
#define SCENES_CUBE_MAP_H

#include "recorder.h"

enum { CUBE_FACES = 6 };

/* The rotation from the world to a face's eye, which looks along -z. */
struct mat4 cube_face_look(unsigned face);
/* Faces that lie face_bytes apart, as a texture of unit 0. */
struct pica_texture cube_texture(uint32_t addr, uint32_t face_bytes, uint32_t size, uint32_t type);
/* Corner of a face in an unfolded cube, whose faces are size pixels wide. */
int cube_face_x(unsigned face, int left, int size);
int cube_face_y(unsigned face, int top, int size);
/* Borders and names of the faces there, on the canvas. */
void cube_labels(struct recorder *r, int left, int top, int size);

#endif
