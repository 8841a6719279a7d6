/* Outlines of chessmen for solid_lathe(), from the top down, about as wide as a field. */
#ifndef SCENES_CHESS_H
#define SCENES_CHESS_H

enum { PAWN_POINTS = 18, BISHOP_POINTS = 21, ROOK_POINTS = 17 };

extern const float chess_pawn[PAWN_POINTS][2];
extern const float chess_bishop[BISHOP_POINTS][2];
extern const float chess_rook[ROOK_POINTS][2];

#endif
