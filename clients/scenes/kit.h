/* All that scenes share. */
#ifndef SCENES_KIT_H
#define SCENES_KIT_H

#include <stdio.h>
#include <string.h>

#include "canvas.h"
#include "chess.h"
#include "cube_map.h"
#include "lit.h"
#include "pictures/font.h"
#include "recorder.h"
#include "scenes.h"
#include "solid.h"
#include "texture.h"

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

#endif
