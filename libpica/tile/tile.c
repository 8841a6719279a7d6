/* Not written yet. */
typedef int tile_stub;
