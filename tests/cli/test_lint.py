#!/usr/bin/env python3
"""Runs the built `pica lint`: test_lint.py PROGRAM CAPTURES [unittest arguments]

Each rule has a capture that breaks it and a similar one that does not; the draw that both are made from breaks none.
"""
import json
import struct
import subprocess
import sys
import unittest

from sample import EVERY, sample
from test_cli import CAPTURES, PICA, Case, fill, register, write
from test_dump import BUNDLED, DRAW_ARRAYS, FINALIZE, LIST, burst, capture, jump_to, reg, run, words

COLOR, DEPTH, TEXTURE, ARRAYS = 0x18000000, 0x18060000, 0x20200000, 0x20001000
FLUSH, INVALIDATE, DRAW_ELEMENTS = reg(0x111, 1), reg(0x110, 1), reg(0x22F, 1)
MOV_O0, MOV_O1, END = 0x4C000000, 0x4C201000, 0x88000000
MOVA, NOP, ADD_V0_V1 = 0x48000000, 0x84000000, 0x00400080
NAN_F24, INFINITE_F24 = 0x7F8000, 0x7F0000

NONE = 0x1F1F1F1F
STATE = {
    0x040: 0, 0x041: 0x45E000, 0x042: 0x38111112, 0x043: 0x469000, 0x044: 0x3747AE14, 0x04D: 0xBF0000, 0x04E: 0,
    0x04F: 2, 0x050: 0x03020100, 0x051: 0x0B0A0908, 0x052: NONE, 0x053: NONE, 0x054: NONE, 0x055: NONE, 0x056: NONE,
    0x062: 0, 0x064: 0, 0x065: 0, 0x068: 0, 0x06D: 1, 0x06F: 3, 0x080: 0x1000,
    0x082: 64 << 16 | 64, 0x083: 0, 0x084: 0, 0x085: TEXTURE >> 3, 0x08E: 0,
    0x092: 64 << 16 | 64, 0x093: 0, 0x094: 0, 0x095: TEXTURE >> 3, 0x096: 0,
    0x09A: 64 << 16 | 64, 0x09B: 0, 0x09C: 0, 0x09D: TEXTURE >> 3, 0x09E: 0,
    0x08F: 0, 0x1C6: 1, 0x0C0: 0, 0x0C2: 0, 0x0C4: 0,
    0x0C8: 0xF000F, 0x0D0: 0xF000F, 0x0D8: 0xF000F, 0x0F0: 0xF000F, 0x0F8: 0xF000F, 0x0E0: 0,
    0x100: 0x00E40100, 0x101: 0x01010000, 0x104: 0x10, 0x105: 0xFF00FF10, 0x106: 0, 0x107: 0x1F10,
    0x112: 15, 0x113: 15, 0x114: 3, 0x115: 3, 0x116: 3, 0x117: 2, 0x118: 0, 0x11B: 0,
    0x11C: DEPTH >> 3, 0x11D: COLOR >> 3, 0x11E: 1 << 24 | 399 << 12 | 240,
    0x200: 0x20000000 >> 3, 0x201: 0xDF, 0x202: 0x10000000, 0x203: 0x1000, 0x204: 0x10, 0x205: 0x20140000,
    0x227: 0x80000000, 0x228: 3, 0x229: 0, 0x22A: 0, 0x242: 1, 0x244: 0, 0x24A: 1, 0x251: 1, 0x252: 0, 0x253: 1,
    0x25E: 1, 0x245: 0, 0x2B9: 0xA0000001, 0x2BA: 0x7FFF0000, 0x2BB: 0x76543210, 0x2BC: 0xFEDCBA98, 0x2BD: 3,
}


def code(*program):
    return reg(0x2CB, 0) + burst(0x2CC, *program, consecutive=0) + reg(0x2BF, 1)


def draw(regs=None, program=(MOV_O0, MOV_O1, END), front=b'', before=b'', trigger=DRAW_ARRAYS, after=b'', flush=FLUSH,
         end=FINALIZE):
    """A list with one triangle."""
    state = {**STATE, **(regs or {})}
    return (front + code(*program) + reg(0x2D5, 0) + burst(0x2D6, 0x36F, consecutive=0) +
            b''.join(reg(number, value) for number, value in state.items()) + before + trigger + after + flush + end)


def vertices(*positions):
    return ARRAYS, b''.join(struct.pack('<4f4B', *p, 255, 255, 255, 255) for p in positions)


TRIANGLE = vertices((0, 0, -.5, 1), (.5, 0, -.5, 1), (0, .5, -.5, 1))

FAR = vertices((.5, 0, -.5, 1), (1, 0, -.5, 1), (1, .5, -.5, 1))

NAN = vertices((float('nan'), 0, -.5, 1), (.5, 0, -.5, 1), (0, .5, -.5, 1), (.5, .5, -.5, 1))


def immediate(*x):
    """A triangle written into the list; x of its vertices."""
    return reg(0x232, 15) + b''.join(burst(0x233, *f24(v, 0, 0, ONE_F24), *f24(0, 0, 0, 0), consecutive=0) for v in x)


def scene(vertex=TRIANGLE, events=b'', **kw):
    return [vertex, *run(LIST, draw(**kw)), events]


def state(regs, **kw):
    return scene(regs=regs, **kw)


def textured(unit, regs, **kw):
    """A draw that reads a unit, and maps its coordinates."""
    coordinates = 0x1F1F0D0C, 0x1F1F0F0E, 0x1F1F1716
    return state({0x080: 0x1000 | 1 << unit, 0x0C0: 3 + unit, 0x051: coordinates[unit], 0x06F: 0x101 << unit | 1,
                  0x064: 1, **regs}, **kw)


def unread(unit, regs, **kw):
    """The same, but no stage reads it."""
    return textured(unit, {0x0C0: 0xE000E, **regs}, **kw)


def transfer(flags=0, out=(240, 400), crop=None, src=0x18100000, dst=0x20300000):
    width, height = crop or out
    return (write(0x10400C00, src >> 3) + write(0x10400C04, dst >> 3) + write(0x10400C08, out[1] << 16 | out[0]) +
            write(0x10400C0C, height << 16 | width) + write(0x10400C10, flags | (4 if crop else 0)) +
            write(0x10400C18, 1))


def copy(size, in_line=0, out_line=0, crop=4, src=0x18100000):
    return (write(0x10400C00, src >> 3) + write(0x10400C04, 0x20300000 >> 3) + write(0x10400C20, size) +
            write(0x10400C24, in_line) + write(0x10400C28, out_line) + write(0x10400C10, 8 | crop) +
            write(0x10400C18, 1))


def submit(data, size=None, addr=LIST):
    """A list of any size and at any address."""
    size = len(data) if size is None else size
    return [TRIANGLE, (addr, data), register(0x238, size >> 3), register(0x23A, addr >> 3), register(0x23C, 1)]


def uniforms(index, *values):
    return reg(0x2C0, index) + burst(0x2C1, *values, consecutive=0)


def f24(x, y, z, w):
    return w << 8 | z >> 16, (z & 0xFFFF) << 16 | y >> 8, (y & 0xFF) << 24 | x


def fixed(index, *xy):
    return reg(0x232, index) + burst(0x233, *f24(*xy, 0, 0), consecutive=0)


ONE_F24 = 0x3F0000
GOOD = draw()
# A list of 16 n + 8 bytes whose last word pair is FINALIZE.
ODD_LIST = draw(end=b'')
ODD_LIST += bytes(-len(ODD_LIST) % 16) + FINALIZE
LOOP = jump_to(LIST, 32)
CUBE = {0x083: 1 << 28, 0x084: 0, **{0x085 + k: (TEXTURE + 0x4000 * k) >> 3 & 0x3FFFFF for k in range(1, 6)}}
INDEXED = {0x25E: 0x301, 0x229: 0x100, 0x253: 0x100}
MOV_O2 = 0x4C400000
# Lighting by one light far away, which uses no table and no texture.
LIT = {0x08F: 1, 0x1C6: 0, 0x0C0: 1, 0x140: 0, 0x141: 0, 0x149: 1, 0x1C2: 0, 0x1C3: 0x80000400, 0x1C4: 0xFFFFFFFF,
       0x1D0: 0, 0x1D1: 0, 0x1D2: 0, 0x1D9: 0, 0x051: 0x07060504, 0x06F: 0x01000001}
D0_ON, RR_ON = 0xFFFFFFFF & ~(1 << 16), 0xFFFFFFFF & ~(1 << 22)
COLORS = {0x051: 0x0B0A0908, 0x06F: 3, 0x064: 0}
# The second output without alpha: descriptor 1 writes x, y, z.
NO_ALPHA = {0x051: 0x1F0A0908}
ONLY_RGB = {'program': (MOV_O0, MOV_O1 | 1, END), 'before': reg(0x2D5, 1) + reg(0x2D6, 0x36E)}
TEXCOORD0 = {0x051: 0x1F1F0D0C, 0x06F: 0x101, 0x064: 1}
PROCTEX = {**TEXCOORD0, 0x080: 0x1400, 0x0C0: 6, 0x0A8: 0, 0x0AC: 128 << 11, 0x0AD: 0}
CIRCLE = {**PROCTEX, 0x0C0: 6 << 16, 0x0A8: 1 << 14}
THREE_OUTPUTS = {0x04F: 3, 0x25E: 2, 0x2BD: 7, 0x24A: 2, 0x251: 2}
ONE_ARRAY = {0x202: 0x10000000, 0x203: 0x1000, 0x204: 0x0, 0x205: 0x10100000}

# Rule: (captures that break it, captures that do not)
CASES = {
    'list-size': ([submit(ODD_LIST)], [submit(ODD_LIST + bytes(8))]),
    'list-address': ([submit(bytes(8) + GOOD + bytes(-(len(GOOD) + 8) % 16), addr=LIST + 8)],
                     [submit(GOOD + bytes(-len(GOOD) % 16), addr=LIST + 16)]),
    'list-memory': ([submit(b'', size=0), [register(0x238, 2), register(0x23A, 0), register(0x23C, 1)]],
                    [submit(FINALIZE * 2)]),
    'no-finalize': ([scene(end=b'')], [scene()]),
    'finalize-value': ([scene(end=reg(0x010, 0x87654321))],
                       [scene(end=reg(0x010, 0x00005600)), scene(end=reg(0x010, 0x12345678))]),
    'truncated-entry': ([submit(draw(end=b'') + bytes(-len(draw(end=b'')) % 16) + words(1, 0x80FF0100, 0, 0))],
                        [submit(draw(end=b'') + bytes(-len(draw(end=b'')) % 16) + words(1, 0x802F0048, 0, 0) +
                                FINALIZE * 2)]),
    'jump-loop': ([[(LIST, LOOP + bytes(8)), register(0x238, 4), register(0x23A, LIST >> 3), register(0x23C, 1)]],
                  [[TRIANGLE, (LIST + 0x4000, GOOD + bytes(-len(GOOD) % 16)),
                    *run(LIST, jump_to(LIST + 0x4000, (len(GOOD) + 15) & ~15))]]),
    'no-register': ([scene(before=reg(0x345, 1)), scene(before=reg(0x020, 1))],
                    [scene(before=reg(0x345, 1, 0)), scene(before=reg(0x24B, 1))]),
    'port-mask': ([scene(before=reg(0x0E6, 0) + reg(0x0E8, 1, 7))], [scene(before=reg(0x0E6, 0, 1) + reg(0x0E8, 1))]),
    'flush-first': ([scene(front=FLUSH)], [scene(after=FLUSH)]),
    'unknown-value': ([scene(before=reg(0x11F, 0)), scene(before=reg(0x243, 0x36))],
                      [scene(before=reg(0x11F, 0x00010140) + reg(0x243, 0x37))]),
    'blend-and-logic': ([scene(before=burst(0x101, 0x76760000, 5))],
                        [scene(before=burst(0x101, 0x76760000, 3)), scene(before=burst(0x101, 0x01010000, 5)),
                         scene(before=reg(0x101, 0x76760000) + reg(0x102, 5))]),
    'blend-then-logic': ([scene(before=reg(0x101, 0x76760000) + reg(0x102, 5)),
                          scene(before=reg(0x102, 5) + reg(0x101, 0x76760000))],
                         [scene(before=reg(0x101, 0x76760000) + reg(0x103, 0) + reg(0x102, 5)),
                          scene(before=reg(0x101, 0x76760000) + reg(0x102, 0)), # nothing new in 102
                          scene(before=reg(0x101, 0x01010000) + reg(0x102, 5))]),
    'shader-word': ([state({0x2BA: 0}), scene(before=reg(0x2B0, 0)), scene(before=reg(0x280, 0x12340000)),
                     scene(before=reg(0x28A, 0x7FFE0000))],
                    [scene(before=reg(0x2B0, 0x7FFF8001) + reg(0x280, 0x7FFF0000) + reg(0x28A, 0x7FFF0000)),
                     scene(before=reg(0x2B0, 1, 3))]),
    'attribute-index': ([scene(before=reg(0x232, 12)), scene(before=reg(0x232, 14))],
                        [scene(before=reg(0x232, 11)), scene(trigger=immediate(ONE_F24, ONE_F24, ONE_F24))]),
    'early-depth-written': ([state({0x062: 1}), state({0x118: 1})],
                            [scene(before=reg(0x061, 1) + reg(0x062, 0) + reg(0x063, 1) + reg(0x06A, 0xFFFFFF) +
                                   reg(0x118, 0))]),
    'invalidate-unflushed': ([scene(after=INVALIDATE)], [scene(after=FLUSH + INVALIDATE), scene(front=INVALIDATE)]),
    'uniform-index': ([scene(before=uniforms(96, *f24(0, 0, 0, 0)))], [scene(before=uniforms(95, *f24(0, 0, 0, 0)))]),
    'uniform-nan': ([scene(before=uniforms(0, *f24(ONE_F24, ONE_F24, NAN_F24, 0))),
                     scene(before=uniforms(0x80000000, 0, 0, 0x7FC00000, 0))],
                    [scene(before=uniforms(0, *f24(ONE_F24, ONE_F24, INFINITE_F24, 0))),
                     scene(before=uniforms(0x80000000, 0, 0, 0x7F800000, 0))]),
    'code-index': ([scene(before=reg(0x2CB, 511) + burst(0x2CC, 0, 0, consecutive=0))],
                   [scene(before=reg(0x2CB, 510) + burst(0x2CC, 0, 0, consecutive=0)),
                    scene(before=reg(0x29B, 512) + reg(0x29C, 0))]),
    'descriptor-index': ([scene(before=reg(0x2D5, 128) + reg(0x2D6, 0))], [scene(before=reg(0x2D5, 127) + reg(0x2D6, 0))]),

    'depth-format': ([state({0x116: 1})], [state({0x116: 0}), state({0x116: 2}), state({0x116: 1, 0x107: 0x0F10})]),
    'color-format': ([state({0x117: 5 << 16})], [state({0x117: 4 << 16}), state({0x117: 5 << 16, 0x113: 0})]),
    'color-size': ([state({0x117: 0}), state({0x117: 3 << 16 | 2})],
                   [state({0x117: 3 << 16}), state({0x117: 1 << 16 | 1}), state({0x117: 0, 0x107: 0x1010})]),
    'target-size': ([state({0x11E: 1 << 24 | 399 << 12 | 244}), state({0x11E: 1 << 24 | 399 << 12})],
                    [state({0x11E: 1 << 24 | 399 << 12 | 248})]),
    'target-address': ([state({0x11D: COLOR >> 3 | 1}), state({0x11C: DEPTH >> 3 | 4})],
                       [state({0x11D: (COLOR + 64) >> 3}), state({0x11C: DEPTH >> 3 | 4, 0x107: 0x0F10})]),
    'target-memory': ([state({0x11D: 0x17000000 >> 3}), state({0x11C: (0x18600000 - 64) >> 3})],
                      [state({0x11C: (0x18600000 - 240 * 400 * 4) >> 3})]),
    'target-overlap': ([state({0x11C: (COLOR + 240 * 400 * 4 - 64) >> 3})],
                       [state({0x11C: (COLOR + 240 * 400 * 4) >> 3}), state({0x11C: COLOR >> 3, 0x115: 0})]),
    'destination-read': ([state({0x101: 0x76760000, 0x112: 0}), state({0x101: 0x01010003, 0x112: 0})],
                         [state({0x101: 0x76760000}), state({0x112: 0}), state({0x101: 0x76760000, 0x112: 0, 0x107: 0x1010})]),
    'blend-value': ([state({0x101: 0x01010005}), state({0x101: 0x010F0000}), state({0x101: 0xF1010000})],
                    [state({0x101: 0x76760004}), state({0x100: 0x00E40000, 0x101: 0x01010005}),
                     state({0x101: 0x01010005, 0x113: 0})]),
    'color-mode': ([state({0x100: 0x00E40102}), state({0x100: 0x01E40100}), state({0x100: 0x02E40100})],
                   [state({0x100: 0x00E40000})]),
    'early-depth': ([state({0x062: 1, 0x118: 1})], [state({0x062: 1, 0x118: 1, 0x11B: 1})]),
    'early-depth-half': ([state({0x062: 1}), state({0x118: 1})], [state({0x062: 1, 0x118: 1, 0x11B: 1})]),
    'stencil-format': ([state({0x105: 0xFF00FF11, 0x116: 0})], [state({0x105: 0xFF00FF11}), state({0x116: 0})]),
    # Tests: 4 is less, 2 is equal.
    'depth-read': ([state({0x107: 0x1F41, 0x114: 1}), state({0x105: 0xFF00FF21, 0x114: 2})],
                   [state({0x107: 0x1F41}), state({0x105: 0xFF00FF21}), state({0x107: 0x1F40, 0x114: 0}),
                    state({0x107: 0x1F11, 0x114: 0})]),
    'depth-write': ([state({0x107: 0x1F41, 0x115: 1}), state({0x105: 0xFF00FF21, 0x106: 0x200, 0x115: 2})],
                    [state({0x107: 0x1F41}), state({0x107: 0x0F41, 0x115: 0}), state({0x107: 0x1F10, 0x115: 0}),
                     state({0x105: 0xFF00FF21, 0x115: 2}), state({0x105: 0xFF000021, 0x106: 0x200, 0x115: 2})]),
    'depth-missing': ([state({0x11C: 0}), state({0x11C: 0, 0x107: 0x0F41})], [state({0x11C: 0, 0x107: 0x0F10}), scene()]),
    'rows-reversed': ([state({0x11E: 399 << 12 | 240})], [scene()]),
    'clip-nan': ([state({0x047: 1, 0x04B: NAN_F24}), state({0x047: 1, 0x048: INFINITE_F24})],
                 [state({0x047: 0, 0x04B: NAN_F24}), state({0x047: 1, 0x04B: ONE_F24})]),
    'viewport-nan': ([state({0x041: NAN_F24}), state({0x044: 0x7F000000}), state({0x04E: INFINITE_F24})],
                     [state({0x04E: 0x7EFFFF})]),
    'viewport-inverse': ([state({0x042: 0x3747AE14}), state({0x044: 0})], [state({0x042: 0x38111100})]),
    'scissor-empty': ([state({0x065: 3, 0x066: 10, 0x067: 100 << 16 | 9})],
                      [state({0x065: 3, 0x066: 10, 0x067: 100 << 16 | 10}), state({0x065: 0, 0x066: 10, 0x067: 9})]),
    'tev-source': ([state({0x0C0: 7}), state({0x0F8: 0xC0F000F, 0x0FA: 0x80000}), state({0x0C8: 0x8000F})],
                   [state({0x0C0: 0x770}), state({0x0C0: 0x7700000})]),
    'tev-operand': ([state({0x0C1: 6}), state({0x0C1: 0xE0, 0x0C2: 1})], [state({0x0C1: 0xD}), state({0x0C1: 0xE0})]),
    'tev-operation': ([state({0x0C2: 10}), state({0x0C2: 6 << 16})], [state({0x0C2: 9}), state({0x0C2: 7 | 15 << 16})]),
    'tev-scale': ([state({0x0C4: 3}), state({0x0C4: 3 << 16})], [state({0x0C4: 2 << 16 | 2})]),

    # Units that are on and that no stage reads have no finding.
    'texture-size': ([textured(0, {0x082: 96 << 16 | 64}), textured(1, {0x092: 64 << 16 | 4}), textured(2, {0x09A: 0})],
                     [textured(0, {0x082: 1024 << 16 | 8}), state({0x082: 96 << 16 | 64}), unread(0, {0x082: 0})]),
    'texture-format': ([textured(0, {0x08E: 14}), textured(2, {0x09E: 15})], [textured(0, {0x08E: 13}), unread(2, {0x09E: 15})]),
    'texture-memory': ([textured(0, {0x085: 0}), textured(1, {0x095: (0x18600000 - 0x3FF8) >> 3})],
                       [textured(1, {0x095: (0x18600000 - 0x4000) >> 3}), unread(0, {0x085: 0})]),
    'texture-vram-4bit': ([textured(1, {0x095: 0x18200000 >> 3, 0x096: 10})],
                          [textured(1, {0x095: 0x18200000 >> 3, 0x096: 7}), textured(1, {0x096: 10}),
                           unread(1, {0x095: 0x18200000 >> 3, 0x096: 10}),
                           textured(0, {0x085: 0x18200000 >> 3, 0x08E: 10})]),
    'cube-order': ([textured(0, {**CUBE, 0x087: TEXTURE >> 3 & 0x3FFFFF})],
                   [textured(0, CUBE), unread(0, {**CUBE, 0x087: TEXTURE >> 3 & 0x3FFFFF})]),
    'texture-type': ([textured(0, {0x083: 6 << 28})], [textured(0, {0x083: 3 << 28}), textured(0, {0x083: 5 << 28}), unread(0, {0x083: 6 << 28})]),
    'shadow-format': ([textured(0, {0x083: 2 << 28 | 1 << 20, 0x08E: 3})],
                      [textured(0, {0x083: 2 << 28 | 1 << 20}), textured(0, {0x08E: 3}),
                       unread(0, {0x083: 2 << 28 | 1 << 20, 0x08E: 3})]),
    'texture-shadow': ([textured(0, {0x083: 2 << 28}), textured(0, {0x083: 1 << 20})],
                       [textured(0, {0x083: 2 << 28 | 1 << 20}), unread(0, {0x083: 1 << 20})]),
    'texture-etc1': ([textured(0, {0x08E: 12}), textured(0, {0x08E: 13, 0x083: 2 << 4})],
                     [textured(0, {0x08E: 12, 0x083: 2 << 4}), textured(0, {0x08E: 13}), unread(0, {0x08E: 12})]),
    'texture-levels': ([textured(0, {0x084: 4 << 16})], [textured(0, {0x084: 3 << 16}), unread(0, {0x084: 4 << 16})]),
    'texture-config': ([textured(0, {0x080: 1})], [textured(0, {}), state({0x080: 0}), state({0x080: 1})]),
    'texture-coord3': ([state({**PROCTEX, 0x080: 0x1700})],
                       [state({**PROCTEX, 0x080: 0x1600}), state({0x080: 0x1300}), state({0x080: 0x1700})]),
    'texture-target': ([textured(0, {0x085: COLOR >> 3}), textured(1, {0x095: (DEPTH + 0x4000) >> 3})],
                       [textured(0, {0x085: (DEPTH + 240 * 400 * 4) >> 3}), textured(0, {0x085: COLOR >> 3, 0x113: 0}),
                        unread(0, {0x085: COLOR >> 3}), # a shadow pass, whose unit was left on
                        textured(0, {0x085: COLOR >> 3, 0x0C0: 0x3000000}), # a slot that the operation does not take
                        textured(0, {0x085: COLOR >> 3, 0x0C8: 0xE000E}), # a later stage drops it
                        unread(0, {0x085: COLOR >> 3, 0x100: 0x00E40003})]),
    'flush-texture': ([textured(0, {}, before=reg(0x080, 0x1000) + reg(0x11D, TEXTURE >> 3) + DRAW_ARRAYS +
                                reg(0x11D, COLOR >> 3) + reg(0x080, 0x1001))],
                      [textured(0, {}, before=reg(0x080, 0x1000) + reg(0x11D, TEXTURE >> 3) + DRAW_ARRAYS + FLUSH +
                                reg(0x11D, COLOR >> 3) + reg(0x080, 0x1001)),
                       unread(0, {}, before=reg(0x080, 0x1000) + reg(0x11D, TEXTURE >> 3) + DRAW_ARRAYS +
                              reg(0x11D, COLOR >> 3) + reg(0x080, 0x1001))]),

    'light-enable': ([state({**LIT, 0x1C6: 1}), state({**LIT, 0x08F: 0})], [state(LIT), state({0x08F: 1})]),
    'light-layers': ([state({**LIT, 0x1C3: 0x80000470}), state({**LIT, 0x1C3: 0x80000490})],
                     [state({**LIT, 0x1C3: 0x80000480}), state({**LIT, 0x1C3: 0x80000470, 0x0C0: 0})]),
    'light-input': ([state({**LIT, 0x1C4: D0_ON, 0x1D1: 6}), state({**LIT, 0x1C4: D0_ON, 0x1D1: 5})],
                    [state({**LIT, 0x1C4: D0_ON, 0x1D1: 4}), state({**LIT, 0x1D1: 6}),
                     state({**LIT, 0x1C4: D0_ON, 0x1D1: 6, 0x0C0: 0}),
                     state({**LIT, 0x1C3: 0x80000480, 0x1C4: D0_ON, 0x1D1: 5})]),
    'light-scale': ([state({**LIT, 0x1C4: D0_ON, 0x1D2: 4}), state({**LIT, 0x1C4: RR_ON, 0x1D2: 5 << 24})],
                    [state({**LIT, 0x1C4: D0_ON & RR_ON, 0x1D2: 7 << 24 | 6}), state({**LIT, 0x1C4: D0_ON, 0x1D2: 4, 0x0C0: 0})]),
    'light-table': ([state({**LIT, 0x1C4: D0_ON}), state({**LIT, 0x1C4: 0x7FFFFFFF, 0x1D9: 7}),
                     state({**LIT, 0x1C4: D0_ON}, before=reg(0x1C5, 0x100) + reg(0x1C8, 1))],
                    [state(LIT), state({**LIT, 0x1C4: D0_ON}, before=reg(0x1C5, 0) + reg(0x1C8, 0)),
                     state({**LIT, 0x1C4: 0x7FFFFFFF}), state({**LIT, 0x1C4: D0_ON, 0x0C0: 0}),
                     state({**LIT, 0x1C4: D0_ON, 0x113: 0})]),
    'light-bump': ([state({**LIT, 0x1C3: 0xB0000400})],
                   [state({**LIT, 0x1C3: 0xA0000400}), state({**LIT, 0x1C3: 0xB0000400, 0x0C0: 0})]),
    'light-map': ([state({**LIT, 0x1C3: 0x90000400}), state({**LIT, 0x1C3: 0x80000401}),
                   state({**LIT, 0x080: 0x1001, 0x1C3: 0x90C00400})],
                  [state({**LIT, 0x080: 0x1001, 0x1C3: 0x90000401}), state({**LIT, 0x080: 0x1400, 0x1C3: 0x90C00400})]),
    'light-outputs': ([state({**LIT, 0x051: 0x0B0A0908}), state({**LIT, 0x149: 0}), state({**LIT, 0x140: 255})],
                      [state(LIT), state({**LIT, **THREE_OUTPUTS, 0x149: 0, 0x052: 0x1F141312},
                                         program=(MOV_O0, MOV_O1, MOV_O2, END))]),
    'fog-mode': ([state({0x0E0: 1}), state({0x0E0: 6})], [state({0x0E0: 5}), state({0x0E0: 6, 0x107: 0x1010})]),
    'fog-table': ([state({0x0E0: 5})], [state({0x0E0: 5}, before=reg(0x0E6, 0) + reg(0x0E8, 0)), state({0x0E0: 0}),
                                              state({0x0E0: 5, 0x113: 0}), state({0x0E0: 5, 0x100: 0x00E40003})]),
    'gas-table': ([state({0x0E0: 7})], [state({0x0E0: 7}, before=reg(0x123, 0) + reg(0x124, 0)), state({0x0E0: 5}),
                                              state({0x0E0: 7, 0x113: 0})]),
    'effect-target': ([state({0x100: 0x00E40001, 0x117: 3 << 16}), state({0x100: 0x00E40003, 0x117: 1 << 16 | 1})],
                      [state({0x100: 0x00E40001}), state({0x100: 0x00E40003}), state({0x117: 3 << 16})]),
    'proctex-value': ([state({**PROCTEX, 0x0A8: 5}), state({**PROCTEX, 0x0A8: 10 << 6}), state({**PROCTEX, 0x0A8: 3 << 18}),
                       state({**PROCTEX, 0x0C0: 6 << 16 | 6, 0x0A8: 10 << 10 | 1 << 14}),
                       state({**PROCTEX, 0x0AC: 128 << 11 | 6})],
                      [state(PROCTEX), state({**PROCTEX, 0x0A8: 10 << 10 | 1 << 14}), state({**CIRCLE, 0x0A8: 1 << 14 | 10 << 6}),
                       state({**PROCTEX, 0x0A8: 10 << 10}), state({**PROCTEX, 0x0C0: 0, 0x0A8: 5})]),
    'proctex-width': ([state({**PROCTEX, 0x0AC: 0}), state({**PROCTEX, 0x0AD: 0x81})], [state({**PROCTEX, 0x0AD: 0x80}), state({**CIRCLE, 0x0AC: 0}),
                                                                                   state({**PROCTEX, 0x0C0: 0, 0x0AC: 0})]),
    'proctex-table': ([state(PROCTEX), state({**PROCTEX, 0x0A8: 1 << 15}, before=b''.join(
        reg(0x0AF, table << 8) + reg(0x0B0, 1) for table in (2, 4)))],
                      [state(PROCTEX, before=b''.join(reg(0x0AF, table << 8) + reg(0x0B0, 0) for table in (2, 4))),
                       # A circle of a 2D library: alpha alone, by the alpha map alone.
                       state(CIRCLE, before=reg(0x0AF, 3 << 8) + reg(0x0B0, 0)), state({**PROCTEX, 0x0C0: 0}),
                       state({**PROCTEX, 0x0A8: 1 << 14}, before=b''.join(
                           reg(0x0AF, table << 8) + reg(0x0B0, 1) for table in (2, 4)))]),
    'effect-nan': ([state({**LIT, 0x144: 0x7C00}), state({**LIT, 0x144: 0x7C010000}), state({**LIT, 0x145: 0xFC00}),
                    state({**LIT, 0x1C4: 0xFEFFFFFF, 0x14A: 0x7F000}), state({0x100: 0x00E40003, 0x130: 0x7C000000}),
                    state({0x0E0: 7, 0x0E4: 0x7E00}), state({**PROCTEX, 0x0A8: 1 << 15, 0x0AB: 0x7C00}),
                    state({**PROCTEX, 0x0A8: 1 << 15, 0x0A9: 0x7C000000}),
                    state({**PROCTEX, 0x0AC: 128 << 11 | 2 | 0x7C << 19})],
                   [state({**LIT, 0x144: 0x7BFF3C00}), state({**LIT, 0x144: 0x7C00, 0x0C0: 0}), state({**LIT, 0x154: 0x7C00}),
                    state({**LIT, 0x14A: 0x7F000}), state({0x130: 0x7C00}), state({0x0E4: 0x7C00}),
                    state({**PROCTEX, 0x0AB: 0x7C00}), state({**PROCTEX, 0x0AC: 128 << 11 | 0x7C << 19})]),
    'texcoord-missing': ([textured(0, COLORS), textured(1, TEXCOORD0)], [textured(0, {}), unread(0, COLORS)]),
    'texcoord-w': ([textured(0, {0x083: 3 << 28})],
                   [textured(0, {0x083: 3 << 28, 0x051: 0x1F100D0C, 0x06F: 0x10101}), textured(0, {}),
                    unread(0, {0x083: 3 << 28})]),

    'stride': ([state({0x205: 0x20180000}), state({0x205: 0x20100000})],
               [state({0x205: 0x20140000}), state({0x205: 0x20000000}), state({0x204: 0xC10, 0x205: 0x30180000}),
                state({0x201: 0x9F, 0x205: 0x20140000})]),
    'attribute-alignment': ([state({0x201: 0xF9, 0x204: 0x10, 0x205: 0x20140000})],
                            [state({0x204: 0x01}), state({0x201: 0x9F, 0x204: 0x0C1, 0x205: 0x30000000})]),
    'array-alignment': ([state({0x203: 0x1002})], [state({0x203: 0x1004}), state({0x201: 0xDD, 0x203: 0x1001, 0x205: 0x20080000})]),
    'components': ([state({0x205: 0xD0000000})], [state({0x205: 0xC0000000})]),
    'attribute-count': ([state({0x242: 2}), state({0x2B9: 0xA0000000})],
                        [state({0x242: 0, 0x2B9: 0xA0000000, 0x202: 0, 0x205: 0x10100000})]),
    'attribute-missing': ([state(ONE_ARRAY)], [state({**ONE_ARRAY, 0x202: 0x10020000})]),
    'attribute-nan': ([state({**ONE_ARRAY, 0x202: 0x10020000}, before=fixed(1, 0, NAN_F24)),
                       state({**ONE_ARRAY, 0x202: 0x10020000}, before=fixed(0, 0, 0) + fixed(1, INFINITE_F24, 0)),
                       scene(trigger=immediate(ONE_F24, INFINITE_F24, ONE_F24))],
                      [state({**ONE_ARRAY, 0x202: 0x10020000}, before=fixed(1, ONE_F24, 0) + fixed(2, NAN_F24, 0)),
                       scene(before=fixed(1, NAN_F24, 0)), # arrays hold both
                       state({**ONE_ARRAY, 0x202: 0x10020000}, before=fixed(1, NAN_F24, 0) + fixed(1, 0, 0)),
                       scene(trigger=immediate(ONE_F24, ONE_F24, ONE_F24))]),
    'vertex-memory': ([state({0x200: 0}), state({0x22A: 0x10000000}),
                       state({**INDEXED, 0x200: 0x27FFFFF0 >> 3, 0x227: 0x80000100}, trigger=DRAW_ELEMENTS)],
                      [state({0x22A: 100}), state({**INDEXED, 0x227: 0x80000100}, trigger=DRAW_ELEMENTS)]),
    'index-alignment': ([state({0x227: 0x80000001, **INDEXED}, trigger=DRAW_ELEMENTS)],
                        [state({0x227: 0x80000002, **INDEXED}, trigger=DRAW_ELEMENTS),
                         state({0x227: 0x00000001, **INDEXED}, trigger=DRAW_ELEMENTS)]),
    'left-over-vertices': ([state({0x228: 4})], [state({0x228: 6}), state({0x228: 4, 0x25E: 0x101})]),
    'strip-restart': ([state({0x25E: 0x101}, trigger=immediate(0, 0, 0)),
                       state({0x25E: 0x201}, before=reg(0x25F, 1) + DRAW_ARRAYS, trigger=immediate(0, 0, 0))],
                      [state({0x25E: 0x101}, before=reg(0x25F, 1), trigger=immediate(0, 0, 0)),
                       scene(trigger=immediate(0, 0, 0)), state({0x25E: 0x101})]),
    'draw-while-configuring': ([state({0x245: 1})], [state({0x245: 0})]),
    'indexed-mode': ([state({0x229: 0x100}), state({0x25E: 0x301}, trigger=DRAW_ELEMENTS)],
                     [state({**INDEXED}, trigger=DRAW_ELEMENTS),
                      state({0x25E: 0x101}, trigger=DRAW_ELEMENTS)]),
    'outmap-count': ([state({0x04F: 3, 0x25E: 2})], [state({0x2BD: 0x11, 0x04F: 2}, program=(MOV_O0, 0x4C801000, END))]),
    'vsh-outputs': ([state({0x24A: 2})], [state({0x24A: 1, 0x251: 2})]),
    'primitive-outputs': ([state({0x25E: 2})], [state({0x25E: 1})]),
    'outmap-position': ([state({0x050: 0x1F020100})], [state({0x050: 0x00010203})]),
    'outmap-clock': ([state({0x06F: 1}), textured(0, {0x06F: 1}), state({**LIT, 0x06F: 1})],
                     [textured(0, {}), state({0x051: 0x1F1F0D0C, 0x06F: 1, 0x064: 1}), unread(0, {0x06F: 1}),
                      state({0x06F: 1, 0x0C0: 14, 0x0F8: 0xE000E}), state({**LIT, 0x06F: 1, 0x0C0: 14})]),
    'texcoord-mode': ([textured(0, {0x064: 0})], [textured(0, {}), state({0x051: 0x1F1F0D0C, 0x06F: 0x101})]),
    # 1024 pixels are half of the range of 16-bit coordinates in 12.4 format.
    'vertex-position': ([state({0x041: 0x4B0000, 0x042: 0x33000000}, vertex=FAR)],
                        [state({0x041: 0x480000, 0x042: 0x36000000}, vertex=FAR), scene()]),
    'vertex-nan': ([scene(vertex=NAN), state({**INDEXED, 0x227: 0x80000100}, vertex=NAN, trigger=DRAW_ELEMENTS),
                    scene(trigger=immediate(ONE_F24, ONE_F24, NAN_F24))],
                   [state({0x22A: 1}, vertex=NAN), scene(trigger=immediate(ONE_F24, ONE_F24, ONE_F24))]),

    'shader-mova': ([scene(program=(MOVA, MOVA, MOV_O0, MOV_O1, END))],
                    [scene(program=(MOVA, NOP, MOVA, MOV_O0, MOV_O1, END)), scene(program=(MOV_O0, MOV_O1, END, MOVA, MOVA))]),
    'shader-inputs': ([scene(program=(ADD_V0_V1, MOV_O0, MOV_O1, END))],
                      [scene(program=(0x00401080, MOV_O0, MOV_O1, END)), scene(program=(0x00420080, MOV_O0, MOV_O1, END))]),
    'shader-output': ([scene(program=(MOV_O0, END)), scene(program=(MOV_O0, END, MOV_O1, END)),
                       state(NO_ALPHA, after=reg(0x051, 0x0B0A0908) + DRAW_ARRAYS, **ONLY_RGB)],
                      [scene(program=(MOV_O0, MOV_O1, END)), state(NO_ALPHA, **ONLY_RGB),
                       scene(program=(0x90000C01, MOV_O0, END, MOV_O1, END))]), # CALL of word 3
    'shader-twice': ([scene(program=(MOV_O0, MOV_O0, MOV_O1, END)), scene(program=(MOV_O0, NOP, MOV_O1, MOV_O1, END))],
                     [scene(), scene(program=(MOV_O2, MOV_O2, MOV_O0, MOV_O1, END)),
                      scene(program=(MOV_O0, MOV_O1, END, MOV_O0))]),
    'shader-opcode': ([scene(program=(0x80000000, MOV_O0, MOV_O1, END))], [scene(program=(NOP, MOV_O0, MOV_O1, END))]),
    'shader-endless': ([scene(program=(MOV_O0, MOV_O1, 0xB4000001))], [scene()]),

    'transfer-formats': ([scene(events=transfer(1 << 8 | 2 << 12)), scene(events=transfer(2 << 8))],
                         [scene(events=transfer(1 << 8 | 1 << 12)), scene(events=transfer(2 << 12)),
                          scene(events=transfer(2 << 8 | 4 << 12))]),
    'transfer-scale': ([scene(events=transfer(3 << 24))], [scene(events=transfer(2 << 24))]),
    'transfer-scale-linear': ([scene(events=transfer(1 << 24 | 2))], [scene(events=transfer(1 << 24))]),
    'transfer-empty': ([scene(events=transfer(out=(0, 64))), scene(events=transfer(out=(64, 0)))], [scene(events=transfer())]),
    'transfer-small': ([scene(events=transfer(out=(56, 64))), scene(events=transfer(out=(64, 8))),
                        scene(events=transfer(1 << 5, out=(64, 24)))],
                       [scene(events=transfer(out=(64, 16))), scene(events=transfer(1 << 5, out=(64, 32)))]),
    'transfer-larger': ([scene(events=transfer(out=(240, 400), crop=(232, 400))),
                         scene(events=transfer(out=(240, 400), crop=(240, 392)))],
                        [scene(events=transfer(out=(240, 400), crop=(256, 400)))]),
    'transfer-line': ([scene(events=transfer(1 << 8 | 1 << 12, out=(72, 64)))], [scene(events=transfer(out=(72, 64)))]),
    'transfer-tiled': ([scene(events=transfer(1 << 5, out=(72, 64))), scene(events=transfer(1 << 5 | 0x2200, out=(64, 64)))],
                       [scene(events=transfer(1 << 5, out=(64, 64))), scene(events=transfer(1 << 5 | 0x2200, out=(128, 64)))]),
    'transfer-block32': ([scene(events=transfer(1 << 16, out=(64, 40)))], [scene(events=transfer(1 << 16, out=(64, 64)))]),
    'transfer-dim': ([scene(events=transfer(out=(68, 64))), scene(events=transfer(out=(64, 66)))],
                     [scene(events=transfer(out=(72, 72)))]),
    'copy-empty': ([scene(events=copy(15))], [scene(events=copy(16))]),
    'copy-line': ([scene(events=copy(256, in_line=1 << 16)), scene(events=copy(256, out_line=1 << 16))],
                  [scene(events=copy(256, in_line=1 << 16 | 1))]),
    'copy-size': ([scene(events=copy(24))], [scene(events=copy(32))]),
    'copy-gap': ([scene(events=copy(176, in_line=0x10001)), scene(events=copy(192, in_line=0x10001, crop=0))],
                 [scene(events=copy(192, in_line=0x10001)), scene(events=copy(176, crop=0))]),
    'copy-memory': ([scene(events=copy(0x200000, src=0x18500000)), scene(events=transfer(dst=0x17000000)),
                     scene(events=fill(0x28000000, 16, 0, 2))],
                    [scene(events=copy(0x100000, src=0x18500000))]),
    'copy-alignment': ([scene(events=copy(16, src=0x18100008)), scene(events=fill(0x18100000, 24, 0, 2))],
                       [scene(events=copy(16, src=0x18100010))]),
    'flush-transfer': ([scene(flush=b'', events=transfer(src=COLOR)), scene(flush=b'', events=copy(64, src=DEPTH))],
                       [scene(events=transfer(src=COLOR)), scene(flush=b'', events=copy(64, src=COLOR - 64 + 0x200000))]),
    'fill-vram': ([scene(events=fill(0x20100000, 64, 0, 2))], [scene(events=fill(0x18100000, 64, 0, 2))]),
    'fill-empty': ([scene(events=fill(0x18100000, 0, 0, 2))], [scene(events=fill(0x18100000, 16, 0, 2) + fill(0, 0, 0, 2))]),
    'display-stride': ([scene(events=write(0x10400490, 724)), scene(events=write(0x10400590, 1))],
                       [scene(events=write(0x10400490, 720)), scene(events=write(0x10400490, 0x100000000 - 720))]),
    'display-format': ([scene(events=write(0x10400470, 5))], [scene(events=write(0x10400470, 0x80344))]),
}


class Lint(Case):
    def findings(self, parts):
        path = capture(self.dir / 'a.ctf', *(p for p in parts if p))
        report = json.loads(self.found('--json', path))
        row, = report['captures']
        self.assertEqual((report['verb'], row['path']), ('lint', path))
        self.assertEqual(self.code, 6 if row['findings'] else 0)
        self.assertEqual(self.found(path) == f'{path}: clean\n', not row['findings'])
        self.assertEqual(self.code, 6 if row['findings'] else 0)
        return row['findings']

    def found(self, *args):
        done = subprocess.run([PICA, 'lint', *args], capture_output=True, text=True, timeout=300)
        self.code = done.returncode
        return done.stdout

    def test_the_draw_that_all_are_made_from_breaks_no_rule(self):
        self.assertEqual(self.findings(scene()), [])
        self.assertEqual(self.findings(scene(events=transfer() + copy(256) + fill(0x18100000, 64, 0, 2))), [])

    def test_every_rule_has_captures(self):
        rules = json.loads(self.pica('lint', '--rules', '--json'))['rules']
        # Those of the VideoCore IV have theirs in test_vc4.py.
        self.assertEqual([r['rule'] for r in rules if not r['rule'].startswith('vc4-')], list(CASES))
        self.assertGreaterEqual(len(rules), 25)
        text = self.pica('lint', '--rules')
        for rule in rules:
            self.assertIn(rule['severity'], ('hang', 'wrong', 'odd'))
            self.assertRegex(rule['source'], r'\[(HW|DOC|1|2\+|GUESS)\]')
            self.assertIn(f'{rule["rule"]}: {rule["severity"]}: {rule["title"]}\n  source: {rule["source"]}\n', text)

    def test_rules(self):
        expected = {} # path: (rule, it is broken, number of the case)
        for rule, cases in CASES.items():
            for is_broken, captures in zip((True, False), cases):
                self.assertTrue(captures)
                for k, parts in enumerate(captures):
                    path = capture(self.dir / f'{len(expected)}.ctf', *(p for p in parts if p))
                    expected[path] = rule, is_broken, k
        rows = json.loads(self.found('--json', *expected))['captures']
        self.assertEqual([row['path'] for row in rows], list(expected))
        for row in rows:
            rule, is_broken, k = expected[row['path']]
            with self.subTest(rule, is_broken=is_broken, case=k):
                self.assertEqual(rule in {f['rule'] for f in row['findings']}, is_broken)

    def test_a_finding_names_its_place(self):
        data = draw(regs={0x116: 1}, after=reg(0x116, 3) + DRAW_ARRAYS + reg(0x116, 1) + DRAW_ARRAYS)
        row, = self.findings([TRIANGLE, *run(LIST + 0x4000, GOOD), *run(LIST, data)])
        at = LIST + data.index(DRAW_ARRAYS)
        self.assertEqual({k: row[k] for k in ('rule', 'severity', 'frame', 'list', 'draw', 'addr', 'register', 'name',
                                              'value', 'count')},
                         {'rule': 'depth-format', 'severity': 'hang', 'frame': 0, 'list': 1, 'draw': 1, 'addr': f'0x{at:08x}',
                          'register': 0x116, 'name': 'DEPTHBUFFER_FORMAT', 'value': 1, 'count': 2})
        out = self.pica('lint', 'a.ctf', code=6)
        self.assertEqual(out, 'a.ctf: hang: the depth buffer has format 1 [depth-format] (2 times)\n'
                              f'  frame 0, list 1, draw 1, word 0x{at:08x}: DEPTHBUFFER_FORMAT 0x116 = 0x00000001: '
                              '0, 2 and 3 are formats\na.ctf: 1 rule (hang)\n')

    def test_the_worst_is_first_and_registers_in_a_row_are_one(self):
        holes = b''.join(reg(0x346 + n, 1) for n in range(64)) + b''.join(reg(0x300 + 2 * n, 1) for n in range(20))
        capture(self.dir / 'a.ctf', *(p for p in scene(before=holes, end=reg(0x010, 1)) if p))
        rows = self.pica('lint', 'a.ctf', code=6).splitlines()
        self.assertRegex(rows[0], r'^a\.ctf: hang: .* \[no-finalize\]$')
        self.assertRegex(rows[4], r'^a\.ctf: odd: .* \[no-register\]')
        self.assertRegex(rows[-1], r'^a\.ctf: [12] rules? \(hang\), 1 rule \(odd\); 18 rows are not shown: --all shows all$')
        every = self.pica('lint', '--all', 'a.ctf', code=6).splitlines()
        self.assertEqual(len([r for r in every if '[no-register]' in r]), 21)
        self.assertIn('a.ctf: odd: a list writes where no register is, or one of the processor\'s [no-register] (64 times)', every)
        self.assertEqual(len([r for r in every if r.endswith('; registers 0x346 to 0x385')]), 1)
        row, = json.loads(self.pica('lint', '--json', 'a.ctf', code=6))['captures']
        self.assertEqual(len([f for f in row['findings'] if f['rule'] == 'no-register']), 84)
        self.assertEqual(row['findings'][0]['severity'], 'hang')

    def test_several_captures(self):
        capture(self.dir / 'good.ctf', *(p for p in scene() if p))
        capture(self.dir / 'bad.ctf', *(p for p in state({0x116: 1}) if p))
        out = self.pica('lint', 'good.ctf', 'bad.ctf', 'missing.ctf', code=6)
        self.assertEqual([line.split(': ')[:2] for line in out.splitlines() if line[0] != ' '],
                         [['good.ctf', 'clean'], ['bad.ctf', 'hang'], ['bad.ctf', '1 rule (hang)']])
        good, bad, missing = json.loads(self.pica('lint', '--json', 'good.ctf', 'bad.ctf', 'missing.ctf', code=6))['captures']
        self.assertEqual((good, len(bad['findings'])), ({'path': 'good.ctf', 'findings': []}, 1))
        self.assertIn('No such file', missing['errors'][0]['message'])

    def test_info_reports_accesses_outside_of_memory(self):
        for parts, place, text in (
                (state({0x11D: 0x17000000 >> 3}), 'draw 0', 'COLORBUFFER_LOC 0x11d = 0x02e00000: 384000 bytes at 0x17000000'),
                (state({0x200: 0}), 'draw 0', 'ATTRIBBUFFER0_OFFSET 0x203 = 0x00001000: vertices 0 to 2 at 0x00001000')):
            capture(self.dir / 'a.ctf', *(p for p in parts if p))
            self.assertRegex(self.pica('info', 'a.ctf'), r'\n  memory outside every window \(1\)\n'
                             rf'    first: frame 0, list 0, {place}, word 0x2\w{{7}}: {text}\n')
            row = json.loads(self.pica('info', '--json', 'a.ctf'))['outside']
            self.assertEqual((row['frame'], row['draw'], text.startswith(row['name'])), (0, 0, True))
        capture(self.dir / 'a.ctf', *(p for p in scene() if p))
        self.assertNotIn('outside', self.pica('info', '--json', 'a.ctf'))

    def test_a_texture_that_is_too_wide_has_one_finding(self):
        for dim, detail in ((64 << 16 | 2048, '64 by 0 (64 by 2048 was written, 11 bits of each are kept)'),
                            (2048 << 16 | 64, '0 by 64 (2048 by 64 was written, 11 bits of each are kept)'),
                            (96 << 16 | 64, '96 by 64'), (0, '0 by 0')):
            row, = self.findings(textured(0, {0x082: dim}))
            self.assertEqual((row['rule'], row['value'], row['detail']), ('texture-size', dim, detail))

    def test_a_fault_of_a_size_has_one_finding(self):
        dims = 8192 << 16 | 1024
        src, dst = 0x18100000, 0x27800000
        for parts, rule, register, value, detail in (
                (submit(FINALIZE), 'list-memory', 0x238, 1, '8 bytes, of which none is read'),
                (scene(events=transfer(out=(1024, 8192), dst=dst)), 'copy-memory', 0x10400C08, dims,
                 f'33554432 bytes at 0x{src:08X} to 33554432 bytes at 0x{dst:08X}'),
                (scene(events=transfer(out=(1024, 8192), dst=dst, crop=(240, 400))), 'copy-memory', 0x10400C08, dims,
                 f'7864320 bytes at 0x{src:08X} to 33554432 bytes at 0x{dst:08X}'),
                (scene(events=copy(0xF000000)), 'copy-memory', 0x10400C20, 0xF000000,
                 f'251658240 bytes at 0x{src:08X} to 251658240 bytes at 0x20300000')):
            row, = self.findings(parts)
            self.assertEqual((row['rule'], row['register'], row['value'], row['detail']),
                             (rule, register, value, detail))
        # Two addresses are two faults.
        self.assertEqual([row['rule'] for row in self.findings(scene(events=transfer(src=0, dst=0)))], 2 * ['copy-memory'])

    def test_a_nan_is_shown_with_its_component(self):
        for values, value, detail in (((0x80000005, 0x7FC00000, 0, 0, 0), 0x7FC00000, 'c5.w, an f32'),
                                      ((0x80000005, 0, 0xFFC00001, 0, 0), 0xFFC00001, 'c5.z, an f32'),
                                      ((0x80000005, 0, 0, 0, 0x7F800001), 0x7F800001, 'c5.x, an f32'),
                                      ((7, *f24(0, NAN_F24, 0, ONE_F24)), NAN_F24, 'c7.y, an f24'),
                                      ((7, *f24(0, 0, NAN_F24, 0)), NAN_F24, 'c7.z, an f24'),
                                      ((7, *f24(0, 0, 0, 0xFF8000)), 0xFF8000, 'c7.w, an f24')):
            row, = self.findings(scene(before=uniforms(*values)))
            self.assertEqual((row['rule'], row['value'], row['detail']), ('uniform-nan', value, detail))

    def test_a_nan_has_no_sign(self):
        rows = {row['rule']: row['detail'] for row in self.findings(state({0x041: 0xFF8000}))}
        self.assertEqual(rows.pop('viewport-nan'), 'nan')
        self.assertEqual(set(rows), {'vertex-position'})
        negative = vertices((struct.unpack('<f', b'\0\0\xC0\xFF')[0], 0, -.5, 1), (.5, 0, -.5, 1), (0, .5, -.5, 1))
        row, = self.findings(scene(negative))
        self.assertEqual((row['rule'], row['detail']), ('vertex-nan', 'vertex 0: nan 0 -0.5 1'))

    def test_an_external_register_has_its_name(self):
        row, = self.findings(scene(events=transfer(3 << 24)))
        self.assertEqual((row['rule'], row['name'], row['register'], row['value']),
                         ('transfer-scale', 'PPF_FLAGS', 0x10400C10, 3 << 24))
        self.assertNotIn('list', row)
        self.assertNotIn('draw', row)

    def test_a_container_has_the_findings_of_its_source(self):
        expected = self.findings(state({0x116: 1, 0x082: 96 << 16 | 64, 0x080: 0x1001}, events=transfer(3 << 24)))
        self.pica('convert', 'a.ctf', 'a.pica')
        rows = json.loads(self.pica('lint', '--json', 'a.pica', code=6))['captures'][0]['findings']
        self.assertEqual([(r['rule'], r.get('draw'), r['value']) for r in rows],
                         [(r['rule'], r.get('draw'), r['value']) for r in expected])

    def test_captures_of_working_programs_break_no_rule(self):
        for path in sample(CAPTURES.glob('*.ctf')):
            with self.subTest(path.name):
                self.assertEqual(self.pica('lint', path), f'{path}: clean\n')

    def test_scenes(self):
        # test_vc4.py has those of the VideoCore IV.
        paths = sample(p for p in BUNDLED.glob('*.pica') if not p.name.startswith('vc4-'))
        self.assertGreater(len(paths), 15 // EVERY)
        report = json.loads(self.pica('lint', '--json', *paths))
        self.assertEqual([(row['path'], row['findings']) for row in report['captures']], [(str(p), []) for p in paths])

    def test_wrong_use_and_bad_captures(self):
        self.pica('lint', code=2)
        self.pica('lint', '--rules', 'a.ctf', code=2)
        self.pica('lint', 'missing.ctf', code=2)
        (self.dir / 'bad.ctf').write_bytes(b'CiTr' + bytes(40))
        self.assertEqual(self.pica('lint', 'bad.ctf', code=3), '')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
