#!/usr/bin/env python3
"""Runs the built `pica diff`: test_diff.py PROGRAM CAPTURES [unittest arguments]"""
import json
import struct
import sys
import unittest
import zlib

from test_cli import CAPTURES, Case, FRAME, fill, read_png, rgb
import test_dump
from test_dump import CUBE, DRAW_ARRAYS, FINALIZE, LIST, TRIANGLE, WALL, capture, reg, run

WIDTH, HEIGHT = 64, 32
TEXENV5_SOURCE, TEXENV5_COLOR, CONSTANT = 0x0F8, 0x0FB, 14


def png(width, height, pixels):
    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    rows = b''.join(b'\0' + pixels[3 * width * y:3 * width * (y + 1)] for y in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class Made(Case):
    """Captures of rectangles with constant colours, on a target of 64x32 that no screen shows."""
    def frame(self, *rectangles, clear=0x000000FF):
        """(x, y from below, width, height, 0xRRGGBB)"""
        part, floats, data = test_dump.Files('machine'), [], b''
        for x, y, w, h, _ in rectangles:
            for px, py in (x, y), (x + w, y), (x, y + h), (x, y + h), (x + w, y), (x + w, y + h):
                floats += [px / (WIDTH / 2) - 1, py / (HEIGHT / 2) - 1, -0.5, 1]
        data += (part.machine(width=WIDTH, height=HEIGHT) + reg(0x041, 0x440000) + reg(0x043, 0x430000) +  # 32, 16
                 reg(0x107, 0x0F00) + reg(0x113, 15) + reg(0x100, 0x100) + reg(0x101, 0x01010000) +
                 reg(TEXENV5_SOURCE, CONSTANT << 16 | CONSTANT))
        for i, (_, _, _, _, color) in enumerate(rectangles):
            red, green, blue = color >> 16, color >> 8 & 255, color & 255
            data += reg(TEXENV5_COLOR, 0xFF000000 | blue << 16 | green << 8 | red) + reg(0x228, 6) + reg(0x22A, 6 * i) + DRAW_ARRAYS
        return [fill(part.COLOR, 4 * WIDTH * HEIGHT, clear, 2), part.floats(*floats), *run(LIST, data + FINALIZE)]

    def two(self, a, b):
        """Captures a.ctf and b.ctf of frames."""
        for name, frames in ('a.ctf', a), ('b.ctf', b):
            parts = []
            for i, frame in enumerate(frames):
                parts += ([FRAME] if i else []) + self.frame(*frame)
            capture(self.dir / name, *parts)

    def report(self, *args, code=1):
        return json.loads(self.pica('diff', '--json', *args, code=code))


SAME = (0, 0, 64, 32, 0x101010), (10, 20, 8, 4, 0x800000), (0, 0, 4, 4, 0x008000)


class Captures(Made):
    def test_memory_that_a_draw_reads(self):
        """One texel of a chart: its draw and place are named."""
        self.pica('convert', CAPTURES.parent.parent / 'captures' / 'wrap.pica', 'a.ctf')
        data = bytearray(self.bytes('a.ctf'))
        texture, = json.loads(self.pica('dump', '--json', '--draw', '3', 'a.ctf'))['state']['textures']
        texel = int(texture['addr'], 16) + 1000
        stream, size = struct.unpack('<II', data[92:100])
        for at in range(stream, stream + size, 20):
            kind, place, n, addr, _ = struct.unpack('<5I', data[at:at + 20])
            if kind == 0xE2 and addr <= texel < addr + n:
                data[place + texel - addr] ^= 0x10
                break
        (self.dir / 'b.ctf').write_bytes(data)
        found = self.report('a.ctf', 'b.ctf')
        row, = found['draw']['reads']
        self.assertEqual((row['what'], row['a_addr'], row['size'], row['bytes'], row['first']['offset']),
                         ('texture 0', texture['addr'], 2 * 32 * 32, 1, 1000))
        self.assertEqual(row['first']['a'] ^ row['first']['b'], 0x10)
        out = self.pica('diff', '--brief', 'a.ctf', 'b.ctf', code=1)
        self.assertIn(f'  it reads other bytes: texture 0, {texture["addr"]}-0x{texel + 1047:08x}: '
                      f'1 differs, first at 0x{texel:08x}: A ', out)

    def test_memory_without_an_effect(self):
        # A rectangle beside the target: its vertices differ and nothing is drawn.
        self.two([SAME + ((100, 4, 8, 8, 0xFFFFFF),)], [SAME + ((100, 5, 8, 8, 0xFFFFFF),)])
        self.assertEqual(self.pica('diff', 'a.ctf', 'b.ctf'), 'no difference\n')
        out = self.pica('diff', '--brief', '--every-draw', 'a.ctf', 'b.ctf', code=1)
        self.assertRegex(out, r'^frame 0: draw 3 is the first that reads other memory, which does not show\n'
                         r'  it reads other bytes: vertex array 0, 0x[0-9a-f]{8}-0x[0-9a-f]{8}: \d+ differ, first at 0x[0-9a-f]{8}: '
                         r'A [0-9a-f]{2}, B [0-9a-f]{2}\n')
        draw = self.report('--every-draw', 'a.ctf', 'b.ctf')['draw']
        self.assertEqual((draw['draw'], draw['part'], draw['state_differences']), (3, 'nothing', []))
        row, = draw['reads']
        self.assertEqual((row['what'], row['size'], row['a_addr']), ('vertex array 0', 6 * 16, row['b_addr']))
        self.assertNotIn('first', draw)
        # A tolerance is for what shows.
        self.pica('diff', '--every-draw', '--tolerance', '1', 'a.ctf', 'b.ctf')

    def test_same(self):
        self.two([SAME, SAME], [SAME, SAME])
        self.assertEqual(self.pica('diff', 'a.ctf', 'b.ctf'), 'no difference\n')
        self.assertEqual(self.report('a.ctf', 'b.ctf', '--every-draw', code=0)['differs'], False)

    def test_first_frame_draw_and_pixel(self):
        other = SAME[0], (10, 20, 8, 4, 0x800005), SAME[2]
        self.two([SAME, SAME, other], [SAME, other, SAME])
        report = self.report('a.ctf', 'b.ctf')
        self.assertEqual(report['differs'], True)
        # Window row 20 up to 23 of 32, from below: rows 8 to 11 from the top, which is memory's first row.
        self.assertEqual(report['first'], {
            'frame': 1, 'screen': 'buffer', 'pixels': 32, 'beyond': 32, 'max': 5,
            'first': {'x': 10, 'y': 8, 'a': [0x80, 0, 0], 'b': [0x80, 0, 5]}})
        draw = report['draw']
        self.assertEqual((draw['draw'], draw['part'], draw['pixels'], draw['differs_before']), (1, 'color', 32, False))
        self.assertEqual({k: draw['first'][k] for k in ('column', 'row')}, {'column': 10, 'row': 8})
        self.assertEqual((draw['first']['a']['rgba'], draw['first']['b']['rgba']),
                         ([0x80, 0, 0, 255], [0x80, 0, 5, 255]))
        self.assertEqual([(r['name'], r['from'], r['to']) for r in draw['state_differences']],
                         [('TEXENV5_COLOR', 0xFF000080, 0xFF050080)])
        self.assertEqual((draw['a']['frame'], draw['a']['draw'], draw['b']['draw']), (1, 1, 1))
        text = self.pica('diff', 'a.ctf', 'b.ctf', code=1)
        self.assertIn('frame 1 is the first that differs, screen buffer: 32 of 2048 pixels differ, by 5 at most, '
                      'first at column 10, row 8: A #800000, B #800005\n', text)
        self.assertIn('draw 1 is the first after which color differs: 32 pixels, first at column 10, row 8 in memory\n'
                      '  A rgba 128 0 0 255', text)
        self.assertIn('\nA, frame 1 draw 1: arrays', text)
        self.assertIn('\nB, frame 1 draw 1: arrays', text)
        self.assertIn('\n0fb TEXENV5_COLOR               B 0 -> 5\n', text)
        # Differences come first, then both states: a line that only one has is marked, common lines appear once.
        differs, both = text.split('\nboth states, A and B mark what one has alone\n')
        self.assertIn('\n0fb TEXENV5_COLOR               B 0 -> 5\n', differs)
        marked = [line for line in both.splitlines() if line[:1] in ('A', 'B')]
        self.assertEqual([line[:33].split() for line in marked if 'TEXENV' in line],
                         [['A', '0fb', 'TEXENV5_COLOR'], ['B', '0fb', 'TEXENV5_COLOR']])
        self.assertEqual(both.count('VIEWPORT_WIDTH'), 1)
        self.assertRegex(both, r'(?m)^  041 VIEWPORT_WIDTH ')
        self.assertNotRegex(both, r'(?m)^.. [0-9a-f]{3} [A-Z0-9_]+ +00000000 ')  # registers that hold 0
        self.assertLess(len(text.splitlines()), 130)
        brief = self.pica('diff', '--brief', 'a.ctf', 'b.ctf', code=1)
        self.assertEqual(brief, differs)

    def test_tolerance_and_pixels(self):
        other = SAME[0], (10, 20, 8, 4, 0x800005), (0, 0, 4, 4, 0x008009)
        self.two([SAME], [other])
        self.assertEqual(self.report('--tolerance', '9', 'a.ctf', 'b.ctf', code=0)['differs'], False)
        report = self.report('--tolerance', '5', 'a.ctf', 'b.ctf')
        self.assertEqual((report['first']['pixels'], report['first']['beyond']), (48, 16))
        self.assertEqual((report['first']['first']['x'], report['first']['first']['y']), (0, 28))
        self.assertEqual(report['draw']['draw'], 2)
        self.report('--tolerance', '5', '--pixels', '16', 'a.ctf', 'b.ctf', code=0)
        self.report('--pixels', '47', 'a.ctf', 'b.ctf', code=1)
        self.report('--pixels', '48', 'a.ctf', 'b.ctf', code=0)

    def test_hidden_difference_is_found_where_asked(self):
        self.two([[(0, 0, 64, 32, 0x010101), (0, 0, 64, 32, 0x333333)]], [[(0, 0, 64, 32, 0x020202), (0, 0, 64, 32, 0x333333)]])
        self.report('a.ctf', 'b.ctf', code=0)
        report = self.report('--every-draw', 'a.ctf', 'b.ctf')
        self.assertEqual((report['frame'], report['draw']['draw'], report['draw']['pixels']), (0, 0, 2048))

    def test_difference_that_no_draw_makes(self):
        for name, clear in ('a.ctf', 0x000000FF), ('b.ctf', 0x000001FF):
            capture(self.dir / name, *self.frame(*SAME[1:], clear=clear))
        report = self.report('a.ctf', 'b.ctf')
        self.assertEqual((report['draw']['draw'], report['draw']['differs_before']), (0, True))
        self.assertEqual(report['draw']['state_differences'], [])
        self.assertIn('in front of this draw already', self.pica('diff', 'a.ctf', 'b.ctf', code=1))

    def test_other_counts(self):
        self.two([SAME, SAME], [SAME])
        self.assertEqual(self.report('a.ctf', 'b.ctf')['frames'], [2, 1])
        self.two([SAME], [SAME + ((0, 0, 0, 0, 0),)])  # one more draw, which covers nothing
        self.report('a.ctf', 'b.ctf', code=0)
        report = self.report('--every-draw', 'a.ctf', 'b.ctf')
        self.assertEqual(report['draws'], [3, 4])

    def test_more_draws_than_memory_holds_at_once(self):
        # 128 MiB hold the records of about 16 targets of 1024x1024.
        part = test_dump.Files('machine')
        for name, early, late in ('a.ctf', 5, 0x80), ('b.ctf', 7, 0x90):
            data = part.machine(width=1024, height=1024) + reg(0x107, 0x0F00) + reg(0x113, 15)
            data += reg(0x100, 0x100) + reg(0x101, 0x01010000) + reg(TEXENV5_SOURCE, CONSTANT << 16 | CONSTANT)
            for i in range(26):
                data += reg(TEXENV5_COLOR, {5: early, 24: late}.get(i, i)) + reg(0x228, 3) + DRAW_ARRAYS
            vertices = part.floats(-1, -1, -.5, 1, -.9, -1, -.5, 1, -1, -.9, -.5, 1)
            capture(self.dir / name, vertices, *run(LIST, data + FINALIZE))
        self.assertEqual(self.report('--every-draw', 'a.ctf', 'b.ctf')['draw']['draw'], 5)
        # Only one draw exceeds the tolerance, further than fits after the first that differs at all.
        self.assertEqual(self.report('--every-draw', '--tolerance', '2', 'a.ctf', 'b.ctf')['draw']['draw'], 24)
        self.report('--every-draw', '--tolerance', '16', 'a.ctf', 'b.ctf', code=0)

    def test_targets_that_differ(self):
        part = test_dump.Files('machine')
        for name, depth in ('a.ctf', part.DEPTH), ('b.ctf', 0):  # none in memory; the colours are the same
            data = part.machine(width=WIDTH, height=HEIGHT) + reg(0x11C, depth >> 3) + reg(0x228, 3) + DRAW_ARRAYS
            vertices = part.floats(-1, -1, -.5, 1, -.9, -1, -.5, 1, -1, -.9, -.5, 1)
            capture(self.dir / name, vertices, *run(LIST, data + FINALIZE))
        draw = self.report('--every-draw', 'a.ctf', 'b.ctf')['draw']
        self.assertEqual((draw['draw'], draw['part']), (0, 'target'))
        self.assertEqual([r['name'] for r in draw['state_differences']], ['DEPTHBUFFER_LOC'])
        self.report('--every-draw', '--tolerance', '1', 'a.ctf', 'b.ctf', code=0)

    def test_files(self):
        other = SAME[0], (10, 20, 8, 4, 0x800005), SAME[2]
        self.two([SAME], [other])
        self.pica('diff', '-o', 'out', 'a.ctf', 'b.ctf', code=1)
        self.assertEqual([f for f in self.files() if f.startswith('out/')],
                         [f'out/{what}-{side}.png' for what in ('draw', 'frame') for side in ('a', 'b', 'diff')])
        width, height, px = read_png(self.bytes('out/frame-diff.png'))
        self.assertEqual((width, height), (64, 32))
        for x, y, color in (10, 8, rgb(0xFF0500, 1)), (0, 0, rgb(0x040404, 1)), (17, 11, rgb(0xFF0500, 1)):
            at = 3 * (64 * y + x)
            self.assertEqual(px[at:at + 3], color, (x, y))
        self.pica('diff', '-o', 'none', 'a.ctf', 'a.ctf')
        self.assertEqual([f for f in self.files() if f.startswith('none/')], [])


class Renderings(Made):
    def test_kernels_and_threads_draw_the_same(self):
        self.assertEqual(self.pica('diff', '--a', 'isa=c,threads=0', '--b', 'threads=2', '--every-draw', TRIANGLE),
                         'no difference\n')

    def test_float_modes_do_not(self):
        report = self.report('--b', 'float=f32', CUBE)
        self.assertEqual((report['first']['frame'], report['first']['screen'], report['first']['max']), (0, 'top', 1))
        self.assertEqual((report['draw']['draw'], report['draw']['part']), (0, 'color'))
        self.report('--b', 'float=f32', '--tolerance', '1', '--frames', '0', CUBE, code=0)

    def test_combiners_do_not(self):
        report = self.report('--a', 'combiner=nearest', '--b', 'combiner=truncate', '--frames', '1-2', CUBE)
        self.assertEqual(report['first']['frame'], 1)

    def test_draw_is_the_one_whose_pictures_differ(self):
        draw = self.report('--b', 'combiner=truncate', WALL)['draw']['draw']
        for mode in 'nearest', 'truncate':
            self.pica('render', '--frames', '0', '--every-draw', '--combiner', mode, '-o', mode + '/', WALL)
        names = [f'wall-f0000-d{i:04}.png' for i in range(draw + 1)]
        same = [self.bytes('nearest/' + n) == self.bytes('truncate/' + n) for n in names]
        self.assertEqual(same, [True] * draw + [False])


class Images(Made):
    def setUp(self):
        super().setUp()
        px = bytearray(rgb(0x404040, 12))
        (self.dir / 'a.png').write_bytes(png(4, 3, bytes(px)))
        px[3 * 6 + 1] += 9
        px[3 * 11] -= 2
        (self.dir / 'b.png').write_bytes(png(4, 3, bytes(px)))
        (self.dir / 'c.png').write_bytes(png(3, 4, bytes(px)))

    def test_pictures(self):
        self.assertEqual(self.pica('diff', 'a.png', 'a.png'), 'no pixel differs\n')
        self.assertEqual(self.pica('diff', 'a.png', 'b.png', code=1),
                         '2 of 12 pixels differ, by 9 at most, first at column 2, row 1: A #404040, B #404940\n')
        self.assertEqual(self.report('a.png', 'b.png', '--tolerance', '2')['picture'],
                         {'pixels': 2, 'beyond': 1, 'max': 9,
                          'first': {'x': 2, 'y': 1, 'a': [64, 64, 64], 'b': [64, 73, 64]}})
        self.pica('diff', 'a.png', 'b.png', '--tolerance', '9')
        self.pica('diff', 'a.png', 'b.png', '--tolerance', '2', '--pixels', '1')

    def test_sizes(self):
        self.assertEqual(self.pica('diff', 'a.png', 'c.png', code=1), 'A is 4x3, B is 3x4\n')
        self.assertEqual(self.report('a.png', 'c.png')['picture'], {'other_size': True})

    def test_captures_that_cannot_be_compared(self):
        (self.dir / 'd.png').write_bytes((self.dir / 'a.png').read_bytes()[:40])
        for args in (['a.png'], ['a.png', CUBE], ['a.png', 'd.png'], ['a.png', 'no.png']):
            self.assertEqual(self.pica('diff', *args, code=2), '', args)

    def test_options_without_effect_are_refused(self):
        for args, error in ((['--a', 'isa=c'], '--a: a.png is not drawn'), (['--b', 'isa=c'], '--b: b.png is not drawn'),
                            (['--every-draw'], '--every-draw: a picture has none')):
            self.pica('diff', *args, 'a.png', 'b.png', code=2)
            self.assertIn(error, self.err)


class Hashes(Made):
    def setUp(self):
        super().setUp()
        self.saved = self.pica('render', '--format', 'hash', '--frames', 'all', TRIANGLE)
        (self.dir / 'saved.txt').write_text('# of some version\n' + self.saved)

    def change(self, frame, screen):
        lines = self.saved.splitlines()
        for i, line in enumerate(lines):
            if line.startswith(f'triangle {frame} {screen} '):
                lines[i] = line[:-1] + ('0' if line[-1] != '0' else '1')
        (self.dir / 'other.txt').write_text('\n'.join(lines))

    def test_same(self):
        self.assertEqual(self.pica('diff', TRIANGLE, 'saved.txt'), '6 pictures compared, 0 differ\n')
        self.assertEqual(self.pica('diff', '--frames', '1', TRIANGLE, 'saved.txt'), '2 pictures compared, 0 differ\n')
        self.assertEqual(self.pica('diff', 'saved.txt', TRIANGLE), '6 pictures compared, 0 differ\n')

    def test_first_picture_that_differs(self):
        self.change(1, 'bottom')
        self.change(1, 'bottom')
        out = self.pica('diff', TRIANGLE, 'other.txt', code=1)
        self.assertRegex(out, r'^triangle frame 1: screen bottom, left eye is the first that differs: A [0-9a-f]{32}, '
                              r'B [0-9a-f]{32}\n6 pictures compared, 1 differs\n$')
        report = self.report('saved.txt', 'other.txt')
        self.assertEqual((report['first']['frame'], report['first']['screen'], report['different']), (1, 'bottom', 1))
        self.assertNotIn('state', report)  # there is no draw to show
        self.pica('diff', '--frames', '0,2', TRIANGLE, 'other.txt')

    def test_first_draw_that_differs(self):
        saved = self.pica('render', '--format', 'hash', '--frames', 'all', '--every-draw', CUBE)
        (self.dir / 'draws.txt').write_text(saved)
        n = len(saved.splitlines())
        self.assertEqual(self.pica('diff', CUBE, 'draws.txt'), f'{n} pictures compared, 0 differ\n')
        out = self.pica('diff', '--a', 'combiner=truncate', CUBE, 'draws.txt', code=1)
        # A comparison of two renderings, one not saved; draws come before the screens that show them.
        draw = self.report('--b', 'combiner=truncate', '--every-draw', CUBE)
        place = f'frame {draw["frame"]} draw {draw["draw"]["draw"]}'
        self.assertRegex(out, rf'^cube {place.replace(" draw", ": draw")} is the first that differs: A ')
        # The side that can be drawn still shows its state.
        self.assertIn(f'\nA, {place}: ', out)
        self.assertRegex(out, r'(?m)^041 VIEWPORT_WIDTH ')
        other = self.pica('diff', '--b', 'combiner=truncate', 'draws.txt', CUBE, code=1)
        self.assertRegex(other, rf'^cube {place.replace(" draw", ": draw")} is the first that differs: A ')
        self.assertIn(f'\nB, {place}: ', other)
        brief = self.pica('diff', '--brief', '--a', 'combiner=truncate', CUBE, 'draws.txt', code=1)
        self.assertIn(f'\nA, {place}: ', brief)
        self.assertNotIn('VIEWPORT_WIDTH', brief)
        state = self.report('--a', 'combiner=truncate', CUBE, 'draws.txt')['state']
        self.assertEqual(state['registers'], draw['draw']['a']['registers'])
        lines = [line.split() for line in saved.splitlines()]
        changed = ['ed4c' + hash[4:] if (frame, screen) == ('1', 'd0003') else hash for _, frame, screen, _, hash in lines]
        (self.dir / 'one.txt').write_text(''.join(' '.join(line[:4]) + f' {hash}\n' for line, hash in zip(lines, changed)))
        first = self.report(CUBE, 'one.txt')
        self.assertEqual((first['first']['frame'], first['first']['screen'], first['different']), (1, 'd0003', 1))
        self.pica('diff', '--frames', '0', CUBE, 'one.txt')

    def test_lists_that_cannot_be_compared(self):
        (self.dir / 'bad.txt').write_text(self.saved + 'triangle 1 top left 00\n')
        self.pica('diff', TRIANGLE, 'bad.txt', code=2)
        self.assertIn('bad.txt: line 7: expected name, frame, screen, eye and hash', self.err)
        self.pica('diff', CUBE, 'saved.txt', code=2)
        self.assertIn('expected lines of cube', self.err)
        self.pica('render', '--screen', 'top', '-o', 'a.png', TRIANGLE)
        self.pica('diff', 'saved.txt', 'a.png', code=2)
        self.assertIn('expected two captures, two pictures, or a capture and saved hashes', self.err)
        self.pica('diff', 'saved.txt', CUBE, code=2)
        self.assertIn('saved.txt: expected lines of cube', self.err)

    def test_options_without_effect_are_refused(self):
        for args, error in ((['--b', 'float=f32'], '--b: saved.txt is not drawn'),
                            (['--tolerance', '2'], '--tolerance: not for hashes, which can only be equal or differ'),
                            (['--pixels', '2'], '--pixels: not for hashes'), (['-o', 'out'], '--output: not for hashes'),
                            (['--every-draw'], '--every-draw: the hashes say what is compared')):
            self.assertEqual(self.pica('diff', *args, TRIANGLE, 'saved.txt', code=2), '', args)
            self.assertIn(error, self.err)
        self.assertFalse((self.dir / 'out').exists())


class Trouble(Made):
    def test_wrong_use(self):
        for args in ([], ['a', 'b', 'c'], ['--a', 'isa', CUBE], ['--a', 'speed=2', CUBE], ['--b', 'float=f16', CUBE],
                     ['--b', 'threads=65', CUBE], ['--tolerance', '256', CUBE], ['--b', 'isa=c', '--frames', '7', CUBE],
                     ['--a', 'isa=mmx', CUBE], ['no.ctf', CUBE], ['-o', 'no/such', CUBE]):
            self.assertEqual(self.pica('diff', *args, code=2), '', args)

    def test_a_single_capture_is_not_compared(self):
        self.pica('diff', CUBE, code=2)
        self.assertIn('expected two files, or one capture and --a or --b', self.err)

    def test_the_setting_that_is_wrong_is_named(self):
        for option in '--a', '--b':
            for given, error in (('isa=mmx', f'{option} isa=mmx: expected c, emul'),
                                 ('float=f24,threads=99', f'{option} threads=99: expected a number from 0 to 64'),
                                 ('speed=2', f'{option} speed=2: expected settings of isa'),
                                 ('isa', f'{option} isa: expected SETTING=VALUE')):
                self.pica('diff', option, given, CUBE, code=2)
                self.assertTrue(self.err.startswith(f'pica diff: {error}'), self.err)

    def test_bad_capture_exits_3(self):
        (self.dir / 'bad.ctf').write_bytes(b'CiTr' + bytes(200))
        self.pica('diff', 'bad.ctf', CUBE, code=3)
        self.assertIn('bad.ctf', self.err)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
