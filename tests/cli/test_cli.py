#!/usr/bin/env python3
"""Runs the built `pica`: test_cli.py PROGRAM CAPTURES [unittest arguments]"""
import itertools
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import terminal
from sample import EVERY

PICA = os.path.abspath(sys.argv[1])
CAPTURES = pathlib.Path(sys.argv[2]).resolve()
BUNDLED = CAPTURES.parent.parent / 'captures'
PERSP = str(CAPTURES / 'st_persp.ctf')
TEV = str(CAPTURES / 'st_tev6.ctf')


# ---- Pictures: (width, height, RGB bytes) ----

def png_chunks(data):
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at = 8
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        yield kind, body
        at += 12 + size


def png_stream(data):
    return b''.join(body for kind, body in png_chunks(data) if kind == b'IDAT')


def read_png(data):
    """RGB8 or RGBA8"""
    width, height, depth, color = struct.unpack('>IIBB', dict(png_chunks(data))[b'IHDR'][:10])
    assert depth == 8 and color in (2, 6)
    px = 3 if color == 2 else 4
    raw, n = zlib.decompress(png_stream(data)), px * width
    out, last = bytearray(), bytes(px + n)  # a row has one black pixel before it
    for at in range(0, height * (n + 1), n + 1):
        kind, coded, row = raw[at], raw[at + 1:at + 1 + n], bytearray(px)
        if kind == 0:
            row += coded
        elif kind == 1:
            for i, x in enumerate(coded):
                row.append(x + row[i] & 255)
        elif kind == 2:
            row += bytes(x + up & 255 for x, up in zip(coded, last[px:]))
        elif kind == 3:
            for i, x in enumerate(coded):
                row.append(x + (row[i] + last[i + px]) // 2 & 255)
        else:
            for x, left, up, corner in zip(coded, row, last[px:], last):  # row grows meanwhile
                a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                row.append(x + (left if a <= b and a <= c else up if b <= c else corner) & 255)
        out += row[px:]
        last = row
    return width, height, bytes(out)


def read_ppm(data):
    match = re.match(rb'P6\n(\d+) (\d+)\n255\n', data)
    return int(match[1]), int(match[2]), data[match.end():]


def read_qoi(data):
    magic, width, height, channels, space = struct.unpack('>4sIIBB', data[:14])
    assert (magic, channels, space) == (b'qoif', 3, 0) and data[-8:] == bytes(7) + b'\x01'
    px, seen, out, at = (0, 0, 0), {}, [], 14
    while len(out) < width * height:
        op = data[at]
        at += 1
        run = 1
        if op == 0xFE:
            px = tuple(data[at:at + 3])
            at += 3
        elif op >> 6 == 0:
            px = seen[op]
        elif op >> 6 == 1:
            px = tuple((c + (op >> s & 3) - 2) & 255 for c, s in zip(px, (4, 2, 0)))
        elif op >> 6 == 2:
            green = (op & 63) - 32
            red, blue = green + (data[at] >> 4) - 8, green + (data[at] & 15) - 8
            px = tuple((c + d) & 255 for c, d in zip(px, (red, green, blue)))
            at += 1
        else:
            run = (op & 63) + 1
        seen[(px[0] * 3 + px[1] * 5 + px[2] * 7 + 255 * 11) % 64] = px
        out += [px] * run
    assert len(out) == width * height and at == len(data) - 8
    return width, height, bytes(c for p in out for c in p)


# ---- Captures made here: register writes, loads and frame markers ----

FILL_START, FILL_END, FILL_VALUE, FILL_CONTROL = 0x10400010, 0x10400014, 0x10400018, 0x1040001C
FRAME = struct.pack('<5I', 0xE1, 0, 0, 0, 0)


def write(addr, value):
    return struct.pack('<5I', 0xE3, addr, value, 0, 0)


def register(number, value):
    return write(0x10401000 + 4 * number, value)


def fill(start, size, value, width):
    """width: 0 16 bit, 1 24 bit, 2 32 bit."""
    return (write(FILL_START, start >> 3) + write(FILL_END, start + size >> 3) + write(FILL_VALUE, value) +
            write(FILL_CONTROL, width << 8 | 1))


def capture(path, stream):
    """Header of 100 bytes without any array; the last word is the stream's size in bytes."""
    pathlib.Path(path).write_bytes(
        b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 +
        struct.pack('<II', 100, len(stream)) + stream)
    return str(path)


def solid_screen(unit, addr, color, lines, form=0x41):
    """A linear RGB8 image of one colour (0xRRGGBB) on a display controller (0 top, 1 bottom)."""
    base = 0x10400400 + 0x100 * unit
    return (fill(addr, lines * 720, color, 1) + write(base + 0x68, addr) + write(base + 0x70, form) +
            write(base + 0x90, 720))


def rgb(color, count):
    return bytes((color >> 16, color >> 8 & 255, color & 255)) * count


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='pica-cli-'))

    def tearDown(self):
        shutil.rmtree(self.dir)

    def pica(self, *args, code=0, binary=False, **kw):
        done = subprocess.run([PICA, *map(str, args)], cwd=self.dir, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300, **kw)
        self.err = done.stderr.decode(errors='replace')
        self.assertEqual(done.returncode, code, f'{args}: {self.err}')
        return done.stdout if binary else done.stdout.decode()

    def files(self):
        return sorted(str(p.relative_to(self.dir)) for p in self.dir.rglob('*') if p.is_file())

    def bytes(self, name):
        return (self.dir / name).read_bytes()


def verbs():
    text = subprocess.run([PICA, '--help'], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r'^  ([a-z]+) ', re.search(r'^Verbs .*:\n((?:  .*\n)+)', text, re.M)[1], re.M)


class General(Case):
    def test_help_of_each_verb_fits_a_screen(self):
        self.assertIn('render', verbs())
        for verb in ['', *verbs()]:
            lines = self.pica(*verb.split(), '--help', env={}).splitlines()
            self.assertLessEqual(len(lines), 24 if verb else 40, verb)
            self.assertLessEqual(max(map(len, lines)), 80, verb)
            self.assertTrue(lines[0].startswith('Usage: pica ' + verb), lines[0])

    def test_help_of_a_verb(self):
        self.assertEqual(self.pica('help', 'lint'), self.pica('lint', '--help'))
        self.assertEqual(self.pica('help'), self.pica('--help'))

    def test_suggestions_for_typos(self):
        for args, meant in ((['rendr'], 'did you mean render?'), (['help', 'lnit'], 'did you mean lint?'),
                            (['lint', '--jsno', 'x'], 'Did you mean --json?'), (['render', '--frmae=1'], 'Did you mean --frames?')):
            self.pica(*args, code=2)
            self.assertIn(meant, self.err)
        for args in (['x'], ['batch?????'], ['lint', '--nothing-like-it'], ['lint', '--json=1'], ['render', '--frames']):
            self.pica(*args, code=2)
            self.assertNotRegex(self.err, '[Dd]id you mean')

    def on_terminal(self, *args, **env):
        """The printed text, and the rows on the terminal at the end."""
        master, slave = pty.openpty()
        done = subprocess.Popen([PICA, *map(str, args)], stdin=slave, stdout=slave, stderr=slave, cwd=self.dir,
                                env={'PATH': os.environ['PATH'], 'TERM': 'xterm', 'PAGER': '', **env})
        os.close(slave)
        out = b''
        try:
            while part := os.read(master, 65536):
                out += part
        except OSError:
            pass # closed at the other end
        os.close(master)
        self.assertEqual(done.wait(), 0, out)
        rows = [row.split('\r\x1b[K')[-1] for row in out.decode().split('\r\n')]
        return out.decode(), [re.sub(r'\x1b\[\d+m', '', row) for row in rows if row]

    def test_progress_is_erased_before_results(self):
        captures = [BUNDLED / 'crates.pica', BUNDLED / 'cube.pica']
        for args in (['render', '--verify'], ['lint'], ['info'], ['render', '--format', 'hash', '--frames', 'all'], ['verify']):
            out, rows = self.on_terminal(*args, *captures)
            self.assertEqual(rows, [line for line in self.pica(*args, *captures).splitlines() if line], args)
            self.assertEqual('crates 1/3' in out, args != ['verify'])

    def test_colours_and_pager_of_a_terminal(self):
        cube = BUNDLED / 'cube.pica'
        clean = f'{cube}: \x1b[32mclean\x1b[0m\r\n'
        for env, end in (({}, clean), ({'NO_COLOR': '1'}, f'{cube}: clean\r\n'), ({'TERM': 'dumb'}, f'{cube}: clean\r\n'),
                         ({'PAGER': 'cat'}, clean), ({'PAGER': 'sed s/^/_/'}, '_' + clean),
                         ({'PAGER': 'sed s/^/_/', 'TERM': 'dumb'}, f'{cube}: clean\r\n')):
            self.assertEqual(self.on_terminal('lint', cube, **env)[0].split('\r\x1b[K')[-1], end, env)
        self.assertNotIn('\x1b', self.pica('lint', cube, env={'TERM': 'xterm', 'PAGER': 'false'}))
        for verb in ['dump'], ['info']:
            self.assertEqual({row[0] for row in self.on_terminal(*verb, cube, PAGER='sed s/^/_/')[1]}, {'_'})

    def test_captures_from_the_standard_input(self):
        cube = (BUNDLED / 'cube.pica').read_bytes()
        for args in ['render', '--format', 'hash'], ['info'], ['lint'], ['verify'], ['dump']:
            named = self.pica(*args, BUNDLED / 'cube.pica').replace(f'{BUNDLED}/cube.pica', '-').replace('cube', 'stdin')
            self.assertEqual(self.pica(*args, '-', input=cube).replace('/dev/stdin', '-'), named, args)
        self.assertEqual(self.pica('diff', '-', BUNDLED / 'cube.pica', input=cube), 'no difference\n')
        self.pica('convert', '-', 'a.ctf', '--lossy', input=cube)
        self.pica('info', '-', input=b'', code=3)
        self.assertIn('/dev/stdin: ', self.err)

    def test_trim_omits_memory_that_its_frames_fill(self):
        for name in 'cube', 'lamps':
            source = BUNDLED / f'{name}.pica'
            self.pica('trim', '--frames', '1-2', source, f'{name}.pica')
            hashes = [[line.split()[2:] for line in self.pica('render', '--format', 'hash', '--frames', *what).splitlines()]
                      for what in (('1-2', source), ('all', f'{name}.pica'))]
            self.assertEqual(len(hashes[0]), 4)
            self.assertEqual(hashes[0], hashes[1])
            self.assertIn('4 pictures as expected', self.pica('render', '--verify', f'{name}.pica'))
            # Targets, depth buffers and screens of the frame before are 2 MB that compress to 400 KiB and more.
            self.assertLess(len(self.bytes(f'{name}.pica')), 1.1 * source.stat().st_size)

    def test_a_trimmed_capture_is_smaller(self):
        """Without what its frames never read: the front buffers of earlier frames, and their lists."""
        for name, most in ('crates', .75), ('proctex', .75), ('octopus', .75), ('materials', .95):
            source = BUNDLED / f'{name}.pica'
            self.pica('trim', '--frames', '1-last', source, 'a.pica')
            self.assertLess(len(self.bytes('a.pica')), most * source.stat().st_size, name)
            self.assertIn('as expected', self.pica('render', '--verify', '--format', 'none', 'a.pica'))

    def test_a_trimmed_capture_without_screens_keeps_the_last_target(self):
        target = register(0x11D, 0x18000000 >> 3) + register(0x11E, 1 << 24 | 63 << 12 | 64) + register(0x117, 2)
        capture(self.dir / 'a.ctf', target + fill(0x18000000, 64 * 64 * 4, 0x204060FF, 2) + 3 * FRAME)
        self.pica('trim', '--frames', '2', 'a.ctf', 'b.pica')
        hashes = [self.pica('render', '--format', 'hash', '--frames', frame, name).split()[2:]
                  for frame, name in (('2', 'a.ctf'), ('0', 'b.pica'))]
        self.assertEqual(hashes[0][0], 'buffer')
        self.assertEqual(hashes[0], hashes[1])

    def test_info_of_several_captures(self):
        texts = [self.pica('info', path) for path in (PERSP, TEV)]
        self.assertEqual(self.pica('info', PERSP, 'missing.ctf', TEV, code=2), texts[0] + '\n\n' + texts[1])
        reports = json.loads(self.pica('info', '--json', PERSP, 'missing.ctf', TEV, code=2))['captures']
        self.assertEqual(reports[::2], [json.loads(self.pica('info', '--json', path)) for path in (PERSP, TEV)])
        self.assertEqual((reports[1]['path'], len(reports[1]['errors'])), ('missing.ctf', 1))

    def test_sizes_have_units(self):
        self.assertRegex(self.pica('convert', CAPTURES / 'st_tev6.ctf', 'a.pica'), r'^a\.pica: \d+\.\dKiB, from 152\.4KiB\n$')
        size = len(self.bytes('a.pica'))
        self.assertRegex(self.pica('convert', 'a.pica', 'a.ctf'), rf'^a\.ctf: \d+\.\dKiB, from {size / 1024:.1f}KiB\n$')
        self.assertRegex(self.pica('trim', '--frames', '1', 'a.pica', 'b.pica'), rf'^b\.pica: .*, from {size / 1024:.1f}KiB\n$')
        self.assertRegex(self.pica('info', BUNDLED / 'galaxy.pica'), r'\nmemory loads     14 \(55\.5KiB\)\n')

    def test_help_all_shows_what_help_leaves_out(self):
        few, all_of_it = self.pica('render', '--help'), self.pica('render', '--help-all')
        for option in '--isa=NAME', '--float=f24|f32', '--combiner=nearest|truncate', '-v, --verbose':
            self.assertNotIn(option, few)
            self.assertIn(option, all_of_it)
        self.assertNotIn('HANG', all_of_it)
        self.assertEqual([line for line in few.splitlines() if line not in all_of_it], [])
        for verb in ['', *verbs()]:
            every = self.pica(*verb.split(), '--help-all').splitlines()
            self.assertEqual([line for line in self.pica(*verb.split(), '--help').splitlines() if line not in every], [], verb)

    def test_wrong_values_name_their_option(self):
        for args, message in (
                (['render', '--screen', 'left'], '--screen left: expected top, bottom or both'),
                (['render', '--eye', 'top'], '--eye top: expected left, right or both'),
                (['render', '--format', 'bmp'], '--format bmp: expected png, ppm, qoi, raw, y4m, hash or none'),
                (['render', '--frames', 'x'], '--frames x: expected frames as 0,3-7,last or all'),
                (['render', '--threads', '65'], '--threads 65: expected a number from 0 to 64'),
                (['render', '--float', 'f16'], '--float f16: expected f24 or f32'),
                (['render', '--combiner', 'x'], '--combiner x: expected nearest or truncate'),
                (['render', '--progress', 'x'], '--progress x: expected auto, always or never'),
                (['render', '--surface', '1'], '--surface 1: expected ADDR,FORMAT,WxH'),
                (['render', '--surface', '0x18000004,rgba8,8x8'],
                 '--surface 0x18000004,rgba8,8x8: expected an address that is a multiple of 8'),
                (['render', '--surface', '0x18000000,14,8x8'], '--surface 0x18000000,14,8x8: expected a texture format'),
                (['render', '--surface', '0x18000000,0,8x8', '--screen', 'top'], '--surface takes the place of --screen'),
                (['render', '--surface', '0x18000000,0,8x8', '--eye', 'left'], '--surface takes the place of --eye'),
                (['bench', '--repeat', '0'], '--repeat 0: expected a number from 1 to 100000'),
                (['dump', '--group', 'x'], '--group x: '), (['dump', '--draw', 'x'], '--draw x: '),
                (['trim', '--keys', 'x'], '--keys x: '), (['convert', '--level', '20'], '--level 20: '),
                (['diff', '--a', 'x'], '--a x: '), (['diff', '--tolerance', 'x'], '--tolerance x: '),
                (['shader', '--entry', 'x'], '--entry x: expected none or a number'),
                (['lint', '--progress', 'x'], '--progress x: '), (['info', '--progress', 'x'], '--progress x: ')):
            self.assertEqual(self.pica(*args, PERSP, code=2), '', args)
            self.assertTrue(self.err.startswith(f'pica {args[0]}: {message}'), (args, self.err))

    def test_files_that_are_not_captures_are_not_read(self):
        """20 GiB of zeros, with memory for a small part of them."""
        with open(self.dir / 'zeros.pica', 'wb') as f:
            f.truncate(20 << 30)
        with open(self.dir / 'some.ctf', 'wb') as f:
            f.truncate(3 << 30)

        def little():
            if not is_sanitized:    # whose shadow of memory is larger than any limit
                resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
        program = pathlib.Path(PICA).read_bytes()
        is_sanitized = b'__asan_' in program or b'__tsan_' in program
        for verb in 'info', 'verify', 'convert':
            for name in 'zeros.pica', 'some.ctf':
                self.pica(verb, name, *(['out.pica'] if verb == 'convert' else []), code=3, preexec_fn=little)
                self.assertIn(f'{name}: byte 0x0: not a capture: expected the bytes', self.err)

    def test_files_that_are_not_captures(self):
        (self.dir / 'empty').touch()
        (self.dir / 'a.png').write_bytes(b'\x89PNG\r\n\x1a\nxxxx')
        (self.dir / 'text').write_text('hello')
        expected = 'byte 0x0: not a capture: expected the bytes "CiTr" or "\\x89PICA"'
        for verb in 'info', 'render', 'dump', 'lint', 'verify', 'bench', 'diff':
            for path, code, message in (('.', 2, 'expected a capture, this is a folder'),
                                        ('/dev/null', 2, 'expected a capture in a regular file, this is a device or a pipe'),
                                        ('empty', 3, f'{expected}, this is an empty file'),
                                        ('a.png', 3, f'{expected}, this is a PNG picture'), ('text', 3, expected)):
                if verb == 'diff' and path == 'a.png':
                    continue  # it compares pictures, too
                self.pica(verb, path, *([path] if verb == 'diff' else []), code=code)
                self.assertIn(f'pica {verb}: {path}: {message}\n', self.err)

    def test_json_in_every_case(self):
        (self.dir / 'text').write_text('hello')
        for verb in 'info', 'render', 'dump', 'lint', 'verify', 'bench', 'diff':
            for path, code in ('missing', 2), ('text', 3):
                args = [verb, '--json', path] + ([path] if verb == 'diff' else [])
                report = json.loads(self.pica(*args, code=code))
                self.assertEqual((report['schema'], report['verb']), (2, verb))
                self.assertIn(f'{path}: ', json.dumps(report), args)  # the message, somewhere

    def test_version(self):
        self.assertRegex(self.pica('--version'), r'^pica \d+\.\d+\.\d+\n$')

    def test_wrong_use_exits_2_and_prints_no_result(self):
        for args in ([], ['nonsense'], ['--nonsense'], ['render'], ['render', '--nonsense', PERSP],
                     ['render', '--frames', 'x', PERSP], ['render', '--frames', '3-1', PERSP],
                     ['render', '--frames', '1,', PERSP], ['render', '--screen', 'left', PERSP],
                     ['render', '--eye', 'top', PERSP], ['render', '--format', 'bmp', PERSP],
                     ['render', '--threads', '65', PERSP], ['render', '--threads', '-1', PERSP],
                     ['render', '--isa', 'mmx', PERSP], ['render', '--float', 'f16', PERSP],
                     ['render', '--combiner', 'ceiling', PERSP],
                     ['render', '--progress', 'maybe', PERSP], ['render', '-o', 'x', '--format', 'none', PERSP],
                     ['render', '-o', 'x.jpg', PERSP], ['screenshot', '-o', 'x.JPG'],
                     ['submit', '--list', 'x@0x20000000', '--surface', '0x18000000,rgba8,8x8', '-o', 'x.gif'],
                     ['render', '--surface', '0x18000000,rgb9,8x8', PERSP],
                     ['render', '--surface', '0x18000000,rgba8,8x12', PERSP],
                     ['info'], ['bench'], ['bench', '--repeat', '0', PERSP], ['shader'],
                     ['shader', 'link', 'x'], ['shader', 'asm'], ['shader', 'disasm', 'a', 'b']):
            self.assertEqual(self.pica(*args, code=2), '', args)
            self.assertTrue(self.err.startswith('pica'), (args, self.err))
        self.assertEqual(self.files(), [])

    def test_full_standard_output_exits_2(self):
        with open('/dev/full', 'wb') as full:
            done = subprocess.run([PICA, 'info', PERSP], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, b'pica info: standard output: No space left on device\n')

    def test_full_standard_output_is_reported_once(self):
        for args in ['--format', 'hash'], ['--json', '--format', 'none'], ['-o', '-']:
            with open('/dev/full', 'wb') as full:
                done = subprocess.run([PICA, 'render', *args, PERSP], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count('No space left'), 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()) - done.stderr.count(': note: '), 1, done.stderr)


class RenderNames(Case):
    def setUp(self):
        super().setUp()
        self.top = solid_screen(0, 0x18000000, 0x102030, 400)
        self.bottom = solid_screen(1, 0x18100000, 0x405060, 320)
        self.both = capture(self.dir / 'both.ctf', self.top + self.bottom + FRAME * 12)
        self.mine = {'both.ctf'}

    def made(self):
        return [f for f in self.files() if f not in self.mine]

    def test_default_is_last_frame_of_each_screen_here(self):
        out = self.pica('render', 'both.ctf')
        self.assertEqual(self.made(), ['both-bottom.png', 'both-top.png'])
        self.assertEqual(out, 'both-top.png 400x240\nboth-bottom.png 320x240\n')
        self.assertEqual(read_png(self.bytes('both-top.png')), (400, 240, rgb(0x102030, 400 * 240)))
        self.assertEqual(read_png(self.bytes('both-bottom.png')), (320, 240, rgb(0x405060, 320 * 240)))

    def test_frames_are_in_default_names(self):
        self.pica('render', '--frames', '0,2-3,last,3', '--screen', 'top', 'both.ctf')
        self.assertEqual(self.made(), [f'both-f{n:04}-top.png' for n in (0, 2, 3, 11)])

    def test_last_named_explicitly_has_no_number(self):
        self.pica('render', '--frames', 'last', '--screen', 'bottom', 'both.ctf')
        self.assertEqual(self.made(), ['both-bottom.png'])

    def test_folder(self):
        (self.dir / 'out').mkdir()
        self.pica('render', '-o', 'out', 'both.ctf')
        self.pica('render', '-o', 'new/', '--format', 'qoi', 'both.ctf')
        self.assertEqual(self.made(), ['new/both-bottom.qoi', 'new/both-top.qoi', 'out/both-bottom.png',
                                       'out/both-top.png'])

    def test_one_file_takes_the_top_screen_and_notes_the_other(self):
        self.assertEqual(self.pica('render', '-o', 'x.png', 'both.ctf'), 'x.png 400x240\n')
        self.assertIn('bottom screen is shown too', self.err)
        self.assertEqual(self.made(), ['x.png'])

    def test_one_file_takes_the_bottom_screen_where_only_that_is_set(self):
        capture(self.dir / 'low.ctf', self.bottom + FRAME)
        self.mine.add('low.ctf')
        self.assertEqual(self.pica('render', '-o', 'x.png', 'low.ctf'), 'x.png 320x240\n')

    def test_format_follows_the_file_name_unless_given(self):
        self.pica('render', '-o', 'x.ppm', 'both.ctf')
        self.pica('render', '-o', 'y.ppm', '--format', 'qoi', 'both.ctf')
        self.assertEqual(read_ppm(self.bytes('x.ppm')), read_qoi(self.bytes('y.ppm')))

    def test_pattern(self):
        self.pica('render', '-o', '{screen}/{frame}-{name}-{eye}.png', '--frames', '9-10', 'both.ctf')
        self.assertEqual(self.made(), [f'{s}/{n}-both-left.png' for s in ('bottom', 'top') for n in (10, 9)])
        self.pica('render', '-o', 'f{frame:4}.png', '--frames', '9-10', '--screen', 'top', 'both.ctf')
        self.assertEqual([f for f in self.made() if f[0] == 'f'], ['f0009.png', 'f0010.png'])

    def test_several_captures(self):
        capture(self.dir / 'low.ctf', self.bottom + FRAME)
        self.mine.add('low.ctf')
        self.pica('render', '--format', 'ppm', '-o', '{name}.{screen}', 'both.ctf', 'low.ctf')
        self.assertEqual(self.made(), ['both.bottom', 'both.top', 'low.bottom'])
        self.assertIn('low.ctf: note: the top screen was never set, skipped', self.err)

    def test_collisions_are_refused_before_any_work(self):
        (self.dir / 'sub').mkdir()
        shutil.copy(self.both, self.dir / 'sub/both.ctf')
        self.mine.add('sub/both.ctf')
        for args, what in ((['-o', 'x.png', '--frames', 'all'], '{frame}'),
                           (['-o', '{frame}.png', '--screen', 'both'], '{screen}'),
                           (['-o', '{screen}.png', '--eye', 'both'], '{eye}'),
                           (['-o', '{screen}.png', 'missing.ctf'], '{name}'),
                           (['-o', '{scren}.png'], '{screen}'),
                           (['-o', '{name}/'], 'slash'),
                           (['-o', '-', '--frames', '0,1'], 'one picture'),
                           (['-o', '-', '--json'], 'both want'),
                           (['sub/both.ctf'], 'named both'),
                           (['--surface', '0x18000000,a8,8x8', '--surface', '0x18000000,i8,8x8'], 'one name'),
                           (['-o', 'x.png', '--surface', '0x18000000,a8,8x8', '--surface',
                             '0x18000040,a8,8x8'], '{screen}')):
            self.assertEqual(self.pica('render', *args, 'both.ctf', code=2), '')
            self.assertIn(what, self.err, args)
            self.assertEqual(self.made(), [], args)

    def test_names_that_meet_by_accident_are_not_replaced(self):
        for name in 'a', 'a1':
            capture(self.dir / f'{name}.ctf', self.top + FRAME * 12)
            self.mine.add(f'{name}.ctf')
        self.pica('render', '-o', '{name}{frame}.png', '--frames', '1,11', 'a.ctf', 'a1.ctf', code=2)
        self.assertIn('a11.png: already written', self.err)

    def test_standard_output(self):
        out = self.pica('render', '-o', '-', '--format', 'ppm', '--screen', 'bottom', 'both.ctf', binary=True)
        self.assertEqual(read_ppm(out), (320, 240, rgb(0x405060, 320 * 240)))
        out = self.pica('render', '-o', '-', 'both.ctf', binary=True)
        self.assertEqual(read_png(out)[:2], (400, 240))
        self.assertEqual(self.made(), [])

    def test_output_that_cannot_be_written_exits_2_and_leaves_nothing(self):
        (self.dir / 'file').write_bytes(b'')
        self.mine.add('file')
        for path in 'missing/x.png', 'file/x.png', 'file/', '/dev/full', 'file/{screen}.png', 'file/a/{screen}.png':
            self.pica('render', '-o', path, 'both.ctf', code=2)
            self.assertEqual(self.made(), [], path)

    def test_folders_of_a_pattern_are_made(self):
        self.pica('render', '-o', 'new/deep/{name}-{screen}.png', 'both.ctf')
        self.assertEqual(self.made(), ['new/deep/both-bottom.png', 'new/deep/both-top.png'])
        self.pica('render', '-o', 'other/{frame}/{screen}.png', '--frames', '0', '--screen', 'top', 'both.ctf')
        self.pica('render', '-o', 'a/b/', '--screen', 'top', 'both.ctf')
        self.assertEqual(self.made()[0], 'a/b/both-top.png')
        self.assertEqual(self.made()[-1], 'other/0/top.png')
        self.pica('render', '-o', 'unused/{screen}.png', 'missing.ctf', code=2)
        self.assertFalse((self.dir / 'unused').exists())

    @unittest.skipIf(os.geteuid() == 0, 'nothing refuses root')
    def test_read_only_folder_exits_2(self):
        (self.dir / 'ro').mkdir(mode=0o555)
        self.pica('render', '-o', 'ro', 'both.ctf', code=2)
        self.assertEqual(self.made(), [])

    def test_write_that_fails_half_way_leaves_old_file(self):
        (self.dir / 'x.ppm').write_bytes(b'old')

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        self.pica('render', '-o', 'x.ppm', 'both.ctf', code=2, preexec_fn=limit)
        self.assertIn('cannot write x.ppm', self.err)
        self.assertEqual(self.made(), ['x.ppm'])
        self.assertEqual(self.bytes('x.ppm'), b'old')

    def test_link_is_followed_and_stays(self):
        (self.dir / 'real.ppm').write_bytes(b'old')
        (self.dir / 'link.ppm').symlink_to('real.ppm')
        self.pica('render', '-o', 'link.ppm', 'both.ctf')
        self.assertTrue((self.dir / 'link.ppm').is_symlink())
        self.assertEqual(read_ppm(self.bytes('real.ppm'))[0], 400)

    def test_new_file_has_the_usual_mode(self):
        self.pica('render', '-o', 'x.ppm', 'both.ctf', preexec_fn=lambda: os.umask(0o027))
        self.assertEqual((self.dir / 'x.ppm').stat().st_mode & 0o777, 0o640)

    def test_eyes(self):
        stereo = (solid_screen(0, 0x18000000, 0x110000, 400, 0x21) + fill(0x18200000, 400 * 720, 0x000022, 1) +
                  write(0x10400494, 0x18200000))
        capture(self.dir / 's.ctf', stereo + self.bottom + FRAME)
        self.mine.add('s.ctf')
        self.pica('render', '--eye', 'both', '--format', 'ppm', 's.ctf')
        self.assertEqual(self.made(), ['s-bottom.ppm', 's-top-right.ppm', 's-top.ppm'])
        self.assertEqual(read_ppm(self.bytes('s-top.ppm'))[2], rgb(0x110000, 400 * 240))
        self.assertEqual(read_ppm(self.bytes('s-top-right.ppm'))[2], rgb(0x000022, 400 * 240))
        # Without stereo there is one picture.
        self.pica('render', '--eye', 'both', '--format', 'ppm', '-o', 'mono/', 'both.ctf')
        self.assertEqual([f for f in self.made() if 'mono' in f], ['mono/both-bottom.ppm', 'mono/both-top.ppm'])


class RenderPictures(Case):
    def test_compressed_capture_has_the_name_of_the_capture(self):
        out = self.pica('render', '--screen', 'top', CAPTURES / 'triangle.ctf.zst')
        self.assertEqual(out, 'triangle-top.png 400x240\n')

    def test_formats_hold_the_same_pixels(self):
        for name in PERSP, TEV:
            pictures = []
            for form, read in ('png', read_png), ('ppm', read_ppm), ('qoi', read_qoi):
                self.pica('render', '--screen', 'top', '-o', 'x.' + form, name)
                pictures.append(read(self.bytes('x.' + form)))
            self.assertEqual(pictures[0], pictures[1])
            self.assertEqual(pictures[1], pictures[2])
            self.assertGreater(len(set(pictures[0][2])), 32)

    def test_png_is_fast_setting(self):
        self.pica('render', '--screen', 'top', '-o', 'x.png', PERSP)
        idat = png_stream(self.bytes('x.png'))
        self.assertEqual(idat[1] >> 6, 0)  # zlib's FLEVEL: fastest
        self.assertEqual(zlib.decompress(idat)[::1 + 3 * 400], b'\x01' * 240)  # SUB in each row

    def test_hash_lines_do_not_depend_on_isa_or_threads(self):
        captures = [PERSP, TEV, CAPTURES / 'st_blend.ctf', CAPTURES / 'st_edges.ctf'][:4 if EVERY < 10 else 1]
        first = self.pica('render', '--format', 'hash', '--frames', '0,2,4', *captures)
        self.assertEqual(len(first.splitlines()), len(captures) * 3 * 2)
        for line in first.splitlines():
            self.assertRegex(line, r'^st_\w+ (0|2|4) (top|bottom) left [0-9a-f]{32}$')
        self.pica('render', '--isa', 'mmx', PERSP, code=2)
        sets = [isa for isa in re.split(', | or ', re.search(r'--isa mmx: expected (.*)', self.err)[1])
                if subprocess.run([PICA, 'bench', '--repeat', '1', '--isa', isa, PERSP], capture_output=True).returncode == 0]
        for isa, threads in [*itertools.product(sets, '02')][::EVERY]:
            out = self.pica('render', '--format', 'hash', '--frames', '0,2,4', '--isa', isa, '--threads', threads, *captures)
            self.assertEqual(out, first, (isa, threads))

    def test_hash_lines_into_a_pattern_are_refused(self):
        self.pica('render', '--format', 'hash', '-o', '{name}.txt', PERSP, code=2)
        self.assertIn('one file', self.err)
        self.assertEqual(self.files(), [])

    def test_hash_lines_into_a_file(self):
        out = self.pica('render', '--format', 'hash', PERSP)
        self.assertEqual(self.pica('render', '--format', 'hash', '-o', 'h.txt', PERSP), '')
        self.assertEqual(self.bytes('h.txt').decode(), out)

    def test_float_mode_changes_pictures_only_where_asked(self):
        f24 = self.pica('render', '--format', 'hash', '--float', 'f24', PERSP)
        self.assertEqual(self.pica('render', '--format', 'hash', PERSP), f24)
        self.assertNotEqual(self.pica('render', '--format', 'hash', '--float', 'f32', '--screen', 'top', PERSP),
                            '')

    def test_combiner_changes_pictures_only_where_asked(self):
        nearest = self.pica('render', '--format', 'hash', '--combiner', 'nearest', TEV)
        self.assertEqual(self.pica('render', '--format', 'hash', TEV), nearest)
        truncated = self.pica('render', '--format', 'hash', '--combiner', 'truncate', TEV)
        self.assertNotEqual(truncated, nearest)
        self.assertEqual(self.pica('render', '--format', 'hash', '--combiner', 'truncate', '--isa', 'c', TEV),
                         truncated)

    def test_all_frames(self):
        out = self.pica('render', '--format', 'hash', '--frames', 'all', '--screen', 'top', PERSP)
        self.assertEqual([int(line.split()[1]) for line in out.splitlines()], list(range(24)))

    def test_frame_that_is_not_there(self):
        self.pica('render', '--frames', '24', PERSP, code=2)
        self.assertIn('frame 24 was asked for, but the last one is 23', self.err)
        self.assertEqual(self.files(), [])

    def test_none_writes_and_prints_nothing(self):
        self.assertEqual(self.pica('render', '--format', 'none', PERSP), '')
        self.assertEqual(self.files(), [])

    def test_surface(self):
        # A8: 8x8 bytes in Morton order, all 0x55, decode as alpha; I8 as grey.
        capture(self.dir / 'a.ctf', fill(0x18000000, 64, 0x55555555, 2) + FRAME)
        out = self.pica('render', '--format', 'ppm', '--surface', '0x18000000,i8,8x8', 'a.ctf')
        self.assertEqual(out, 'a-surface-18000000.ppm 8x8\n')
        self.assertEqual(read_ppm(self.bytes('a-surface-18000000.ppm')), (8, 8, b'\x55' * 192))
        self.pica('render', '--surface', '0x185FFFC0,rgba8,8x8', 'a.ctf', code=2)
        self.assertIn('not wholly inside memory', self.err)

    def test_raw_has_no_header_and_keeps_alpha(self):
        # RGBA8 in memory is A, B, G, R; screens have no alpha.
        capture(self.dir / 'a.ctf', fill(0x18000000, 256, 0x11223344, 2) + fill(0x18000000, 16, 0x55667788, 2) + FRAME)
        self.pica('render', '--format', 'raw', '--surface', '0x18000000,rgba8,8x8', 'a.ctf')
        corner, rest = bytes.fromhex('55667788') * 2, bytes.fromhex('11223344')
        self.assertEqual(self.bytes('a-surface-18000000.raw'), corner + rest * 6 + corner + rest * 54)
        for name in PERSP, TEV:
            self.pica('render', '--screen', 'top', '-o', 'x.ppm', name)
            self.pica('render', '--screen', 'top', '-o', 'x.raw', name)
            raw = self.bytes('x.raw')
            self.assertEqual(len(raw), 400 * 240 * 4)
            self.assertEqual(raw[3::4], b'\xff' * (400 * 240))
            self.assertEqual([raw[c::4] for c in range(3)], [read_ppm(self.bytes('x.ppm'))[2][c::3] for c in range(3)])

    def test_raw_pictures_of_draws_are_turned_with_their_alpha(self):
        self.pica('render', '--every-draw', '-o', '{screen}.raw', PERSP)
        self.pica('render', '--every-draw', '-o', '{screen}.ppm', PERSP)
        made = self.files()
        self.assertIn('d0000.raw', made)
        alphas = set()
        for name in made:
            if name.endswith('.raw'):
                raw, (width, height, colors) = self.bytes(name), read_ppm(self.bytes(name[:-4] + '.ppm'))
                self.assertEqual(len(raw), 4 * width * height)
                self.assertEqual([raw[c::4] for c in range(3)], [colors[c::3] for c in range(3)])
                alphas |= set(raw[3::4])
        self.assertNotEqual(alphas, {255})

    def test_last_color_buffer_where_no_screen_is_shown(self):
        target = (register(0x117, 2) + register(0x11D, 0x18000000 >> 3) + register(0x11E, 16 | 7 << 12 | 1 << 24))
        capture(self.dir / 'b.ctf', target + fill(0x18000000, 16 * 8 * 4, 0x112233FF, 2) + FRAME * 3)
        self.assertEqual(self.pica('render', '--format', 'ppm', 'b.ctf'), 'b-buffer.ppm 16x8\n')
        self.assertEqual(read_ppm(self.bytes('b-buffer.ppm')), (16, 8, rgb(0x112233, 128)))
        self.assertIn('note: no screen is shown', self.err)
        out = self.pica('render', '--format', 'hash', '--frames', 'all', 'b.ctf')
        self.assertRegex(out, r'^b 2 buffer left [0-9a-f]{32}\n$')

    def test_screen_asked_for_that_is_not_set_is_no_error(self):
        capture(self.dir / 'e.ctf', FRAME)
        self.assertEqual(self.pica('render', '--screen', 'top', 'e.ctf'), '')
        self.assertIn('top screen was never set, skipped', self.err)
        self.assertEqual(self.files(), ['e.ctf'])

    def test_capture_without_frame_marker_ends_in_its_one_frame(self):
        capture(self.dir / 'm.ctf', solid_screen(1, 0x18000000, 0xABCDEF, 320))
        self.pica('render', '--format', 'ppm', 'm.ctf')
        self.assertEqual(read_ppm(self.bytes('m-bottom.ppm'))[2], rgb(0xABCDEF, 320 * 240))

    def test_json(self):
        report = json.loads(self.pica('render', '--json', '--frames', '3,last', PERSP))
        self.assertEqual((report['schema'], report['verb']), (2, 'render'))
        shot, = report['captures']
        self.assertEqual((shot['name'], shot['frames'], shot['errors']), ('st_persp', 24, []))
        self.assertEqual([(p['frame'], p['screen'], p['eye'], p['width'], p['height']) for p in shot['pictures']],
                         [(3, 'top', 'left', 400, 240), (3, 'bottom', 'left', 320, 240),
                          (23, 'top', 'left', 400, 240), (23, 'bottom', 'left', 320, 240)])
        self.assertEqual(self.files(), sorted(p['path'] for p in shot['pictures']))
        lines = self.pica('render', '--format', 'hash', '--frames', '3,last', PERSP)
        self.assertEqual([line.split()[4] for line in lines.splitlines()], [p['hash'] for p in shot['pictures']])
        self.assertEqual(shot['counters']['draws'], 24)
        self.assertEqual(shot['counters']['faults'], {})

    def test_json_without_files(self):
        for form in 'hash', 'none':
            shot, = json.loads(self.pica('render', '--json', '--format', form, PERSP))['captures']
            self.assertEqual([p['path'] for p in shot['pictures']], [None, None])
        self.assertEqual(self.files(), [])

    def test_progress_only_where_asked(self):
        self.pica('render', '--format', 'none', PERSP)
        self.assertEqual(self.err, '')
        self.pica('render', '--format', 'none', '--progress', 'always', PERSP)
        self.assertIn('st_persp 1/24', self.err)

    def test_progress_on_a_terminal(self):
        for when, expected in ('auto', True), ('never', False):
            ours, theirs = terminal.openpty()
            subprocess.run([PICA, 'render', '--format', 'none', '--progress', when, PERSP], stderr=theirs)
            os.write(theirs, b'.')
            self.assertEqual(b'st_persp' in os.read(ours, 65536), expected)
            os.close(ours)
            os.close(theirs)


class Trouble(Case):
    def test_missing_file_exits_2(self):
        self.pica('render', 'missing.ctf', code=2)
        self.assertIn('missing.ctf: No such file', self.err)
        self.pica('info', 'missing.ctf', code=2)
        self.pica('bench', 'missing.ctf', code=2)
        self.pica('shader', 'disasm', 'missing.shbin', code=2)

    def test_broken_capture_exits_3_names_the_place_and_the_others_are_drawn(self):
        data = pathlib.Path(PERSP).read_bytes()
        (self.dir / 'cut.ctf').write_bytes(data[:len(data) // 2])
        out = self.pica('render', 'cut.ctf', 'missing.ctf', PERSP, code=3)
        self.assertRegex(self.err, r'cut\.ctf: byte 0x[0-9A-F]+: ')
        self.assertIn('expected', self.err)
        self.assertEqual(out, 'st_persp-top.png 400x240\nst_persp-bottom.png 320x240\n')
        self.pica('info', 'cut.ctf', code=3)
        self.pica('bench', '--repeat', '1', 'cut.ctf', code=3)

    def test_broken_capture_in_json(self):
        (self.dir / 'bad.ctf').write_bytes(b'CiTr' + bytes(200))
        report = json.loads(self.pica('render', '--json', '--format', 'hash', 'bad.ctf', PERSP, code=3))
        bad, good = report['captures']
        self.assertEqual((bad['pictures'], len(good['pictures'])), ([], 2))
        self.assertIn('bad.ctf', bad['errors'][0]['message'])
        self.assertGreaterEqual(bad['errors'][0]['offset'], 4)

    def test_list_outside_memory_exits_3_with_its_place(self):
        # Its address is in the registers only; 100 bytes of header, two elements before the start.
        stream = (write(0x104018E0, 16 >> 3) + write(0x104018E8, 0x10000000 >> 3) + write(0x104018F0, 1) + FRAME)
        capture(self.dir / 'x.ctf', stream)
        for verb in ['render', '--format', 'hash'], ['info']:
            self.pica(*verb, 'x.ctf', code=3)
            self.assertIn('x.ctf: byte 0x%X: expected a command list inside memory' % (100 + 40), self.err)
        self.assertEqual(self.files(), ['x.ctf'])

    def test_used_up_budget_exits_3_and_is_named(self):
        # A list that jumps to its own start.
        words = struct.pack('<8I', 32 >> 3, 0x000F0238, 0x20000000 >> 3, 0x000F023A, 1, 0x000F023C, 0, 0)
        load = struct.pack('<5I', 0xE2, 100, len(words), 0x20000000, 0)
        run = write(0x104018E0, 32 >> 3) + write(0x104018E8, 0x20000000 >> 3) + write(0x104018F0, 1)
        (self.dir / 'loop.ctf').write_bytes(
            b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 +
            struct.pack('<II', 100 + len(words), 80 + len(FRAME)) + words + load + run + FRAME)
        self.pica('render', '--format', 'hash', 'loop.ctf', code=3)
        self.assertIn('budget of jumps used up', self.err)
        self.assertIn('loop.ctf: byte 0x%X: ' % (100 + len(words) + 60), self.err)
        said, = re.findall('loop.ctf: byte .*', self.err)
        for options in [], ['--record']:
            self.pica('bench', '--repeat', '1', *options, 'loop.ctf', code=3)
            self.assertIn(said, self.err)

    def test_faults_are_noted_once(self):
        # Entry: register 2 is the CPU's; then FINALIZE.
        words = struct.pack('<4I', 0, 0x000F0002, 0x12345678, 0x000F0010)
        header = 100
        load = struct.pack('<5I', 0xE2, header, len(words), 0x20000000, 0)
        run = write(0x104018E0, 16 >> 3) + write(0x104018E8, 0x20000000 >> 3) + write(0x104018F0, 1)
        stream = (load + run + FRAME) * 2
        (self.dir / 'f.ctf').write_bytes(
            b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 +
            struct.pack('<II', header + len(words), len(stream)) + words + stream)
        report = json.loads(self.pica('render', '--json', '--format', 'hash', 'f.ctf'))
        self.assertEqual(self.err.count("register that does not exist or is the CPU's (2)"), 1)
        faults = report['captures'][0]['counters']['faults']
        self.assertEqual(list(faults.values()), [2])


class Info(Case):
    def test_text(self):
        out = self.pica('info', PERSP)
        self.assertRegex(out, r'(?m)^frames +24$')
        self.assertRegex(out, r'(?m)^draws +24$')
        self.assertRegex(out, r'(?m)^textures +64x64 RGBA8 \(24\)$')
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_json(self):
        info = json.loads(self.pica('info', '--json', PERSP))
        self.assertEqual((info['schema'], info['verb'], info['name']), (2, 'info', 'st_persp'))
        self.assertEqual([info[k] for k in ('frames', 'lists', 'draws', 'triangles', 'jumps')], [24, 24, 24, 48, 0])
        self.assertEqual(info['used']['targets'], {'240x400 RGBA8': 24})
        self.assertEqual(info['used']['primitives'], {'strip': 24})
        self.assertEqual(info['used']['combiners'], {'modulate': 24})
        self.assertEqual([f['draws'] for f in info['per_frame']], [1] * 24)
        self.assertEqual(sum(f['triangles'] for f in info['per_frame']), 48)
        self.assertIn('memory at the start (begins as 0)', [m['what'] for m in info['missing']])
        self.assertEqual([s['screen'] for s in info['screens']], ['top', 'bottom'])

    def test_draws_that_are_walked_are_those_that_are_drawn(self):
        for path in sorted(CAPTURES.glob('*.ctf')):
            info = json.loads(self.pica('info', '--json', path))
            self.assertEqual(sum(info['used']['draws'].values()), info['draws'], path)
            self.assertEqual(sum(info['used']['targets'].values()), info['draws'], path)

    def test_features(self):
        def features(name):
            return json.loads(self.pica('info', '--json', CAPTURES / name))['used']
        self.assertIn('blending', features('st_blend.ctf')['features'])
        self.assertIn('depth test', features('st_manytri.ctf')['features'])
        self.assertEqual(features('st_light2.ctf')['lights'], {'2': 24})
        bundled = CAPTURES.parent.parent / 'captures'
        self.assertEqual(features('st_light2.ctf')['light_layers'], {'3': 24})
        self.assertEqual(features(bundled / 'proctex.pica')['procedural_maps'],
                         {'sqrt2': 4, 'add': 2, 'u, alpha u': 4, 'min': 6, 'u': 2})
        lamps, materials = (features(bundled / f'{name}.pica')['features'] for name in ('lamps', 'materials'))
        self.assertEqual([lamps[f] for f in ('spot light', 'distance attenuation', 'clamped highlights')], [126] * 3)
        self.assertEqual([materials[f] for f in ('Fresnel alpha', 'geometric factor', 'tangent mapping', 'bump mapping')],
                         [8, 4, 4, 20])
        self.assertEqual(features(bundled / 'cloth.pica')['features']['two-sided light'], 6)
        self.assertNotIn('lighting', features(bundled / 'wall.pica')['features'])
        self.assertEqual(features('st_tev6.ctf')['combiner_stages'], {'6': 96})
        self.assertEqual(features('st_empty.ctf')['draws'], {})


    def test_guesses(self):
        smoke = CAPTURES.parent.parent / 'captures/smoke.pica'
        info = json.loads(self.pica('info', '--json', smoke))
        self.assertEqual(info['guessed'], {'gas': 18})
        self.assertEqual((info['used']['features']['gas accumulation'], info['used']['features']['gas shading']), (3, 15))
        self.assertEqual(info['used']['textures']['256x512 RGBA8'], 15)
        self.assertRegex(self.pica('info', smoke), r'(?m)^drawn by a guess\n  gas \(18 draws\)$')
        self.assertEqual(json.loads(self.pica('info', '--json', PERSP))['guessed'], {})
        report = json.loads(self.pica('render', '--json', '--format', 'none', '--frames', '0', smoke))
        self.assertEqual(report['captures'][0]['counters']['guessed'], {'gas': 6})
        self.assertIn('note: drawn by a guess: gas (6 draws)', self.err)


class Bench(Case):
    def test_json(self):
        report = json.loads(self.pica('bench', '--json', '--repeat', '2', '--threads', '0', '--isa', 'c', '--frames', '4-7', PERSP, TEV))
        self.assertEqual([report[k] for k in ('schema', 'verb', 'threads', 'isa', 'repeat')], [2, 'bench', 0, 'c', 2])
        for row in report['captures']:
            self.assertEqual((row['frames'], row['samples']), (4, 8))
            self.assertGreater(row['median_ms'], 0)
            self.assertGreaterEqual(row['p99_ms'], row['median_ms'])
            self.assertGreater(row['mpixel_s'], 0)
            self.assertAlmostEqual(sum(row['stages'].values()), 1, delta=0.001)
            self.assertGreater(row['stages']['tile'], 0)
        a, b = (row['median_ms'] for row in report['captures'])
        self.assertAlmostEqual(report['geometric_mean']['median_ms'], (a * b) ** 0.5, delta=1e-5 * (a + b))

    def test_text_and_frames(self):
        out = self.pica('bench', '--repeat', '1', '--frames', '4-7', '--threads', '2', PERSP, TEV).splitlines()
        self.assertEqual([line.split()[0] for line in out], ['capture', 'st_persp', 'st_tev6', 'geometric-mean'])
        self.assertEqual(out[1].split()[1], '4')
        self.assertEqual(len(out[1].split()), len(out[0].split()))

    def test_recording(self):
        (self.dir / 'temp').mkdir()
        os.environ['TMPDIR'] = str(self.dir / 'temp')
        self.addCleanup(os.environ.pop, 'TMPDIR')
        cube = CAPTURES.parent.parent / 'captures/cube.pica'
        row, = json.loads(self.pica('bench', '--record', '--json', '--repeat', '2', '--threads', '0', cube))['captures']
        plain, recorded = row['plain'], row['recorded']
        for time, more in ('cpu_ms', 'more_cpu_percent'), ('median_ms', 'more_percent'):
            self.assertAlmostEqual(row[more], 100 * (recorded[time] / plain[time] - 1), delta=0.1)
        self.assertEqual(row['frames'], 3)
        self.assertGreater(row['finish_ms'], 0)
        # About the size of the bundled recording of the same frames.
        self.assertLess(abs(row['bytes'] / cube.stat().st_size - 1), 0.25)
        out = self.pica('bench', '--record', '--repeat', '1', PERSP, cube).splitlines()
        self.assertEqual([line.split()[0] for line in out], ['capture', 'st_persp', 'cube'])
        self.assertEqual(len(out[2].split()), 10)
        self.pica('bench', '--record', '--connect', cube, code=2)
        (self.dir / 'cut.pica').write_bytes(cube.read_bytes()[:20000])
        self.pica('bench', '--record', 'cut.pica', code=3)
        self.assertEqual(list((self.dir / 'temp').iterdir()), [])
        os.environ['TMPDIR'] = str(self.dir / 'missing')
        self.pica('bench', '--record', PERSP, code=2)
        self.assertIn('missing: No such file or directory', self.err)

    def test_frame_that_is_not_there(self):
        self.pica('bench', '--frames', '99', PERSP, code=2)


SOURCE = """\
.fvec matrix[4]
.constf one(0.0, 0.5, 1.0, -2.0)
.in position v0
.out pos position
.out color color
.proc main
	dp4 pos.x, matrix[0], v0
	dp4 pos.y, matrix[1], v0
	mov pos.zw, one
	mov color, one.zzzz
	end
.end
"""


class Shader(Case):
    def test_round_trip(self):
        (self.dir / 'a.v.pica').write_text(SOURCE)
        self.assertEqual(self.pica('shader', 'asm', 'a.v.pica'), '')
        self.assertEqual(self.files(), ['a.v.pica', 'a.v.shbin'])
        first = self.bytes('a.v.shbin')
        self.assertEqual(first[:4], b'DVLB')
        text = self.pica('shader', 'disasm', 'a.v.shbin')
        self.assertIn('dp4', text)
        (self.dir / 'b.pica').write_text(text)
        self.pica('shader', 'asm', '-o', 'b.shbin', 'b.pica')
        for action, name in ('asm', 'b.pica'), ('disasm', 'b.shbin'):
            before = (self.dir / name).read_bytes()
            self.pica('shader', action, '-o', name, name, code=2)
            self.assertIn('this is the input itself', self.err)
            self.assertEqual((self.dir / name).read_bytes(), before)
        self.pica('shader', 'disasm', '-o', 'c.pica', 'b.shbin')

        self.assertEqual(self.bytes('b.shbin'), first)  # names of uniforms, constants, everything
        self.assertIn('.uniform c0-c3 "matrix"\n', text)
        self.assertIn('.in position v0\n', text)
        self.assertEqual((self.dir / 'c.pica').read_text(), text)

    def test_entries_of_a_file(self):
        (self.dir / 'a.pica').write_text(SOURCE)
        (self.dir / 'b.pica').write_text('.gsh point c0\n.entry second\n.proc second\n\tend\n.end\n')
        self.pica('shader', 'asm', '-o', 'ab.shbin', 'a.pica', 'b.pica')
        self.assertIn('matrix', self.pica('shader', 'disasm', 'ab.shbin'))
        self.assertEqual(self.err, 'pica shader: ab.shbin: entry 0 of 2 is written; --entry chooses another\n')
        self.assertIn('.gsh point', self.pica('shader', 'disasm', '--entry', '1', 'ab.shbin'))
        self.assertEqual(self.err, '')

    def test_through_pipes(self):
        data = self.pica('shader', 'asm', '-', binary=True, input=SOURCE.encode())
        self.assertEqual(data[:4], b'DVLB')
        self.assertIn(b'dp4', self.pica('shader', 'disasm', '-', binary=True, input=data))

    def test_error_names_file_and_line(self):
        (self.dir / 'x.pica').write_text('.proc main\n\tmov r0, r1\n\tfrob r0\n.end\n')
        self.pica('shader', 'asm', 'x.pica', code=2)
        self.assertIn('x.pica:3: ', self.err)
        self.assertEqual(self.files(), ['x.pica'])

    def test_words_of_the_other_chip(self):
        text = 'nop\nldi vr_setup, 0x1a341ac0\nor ra0, vpm, -; nop\nnop; thrend\n'
        data = bytes.fromhex('00709e00 e7090010 c01a341a 670c02e0 f77dc215 27000210 00709e00 e7090030')
        (self.dir / 'a.s').write_text(text)
        self.assertEqual(self.pica('shader', '--chip', 'vc4', 'asm', 'a.s', '-o', 'b.qpu'), '')
        self.assertEqual(self.bytes('b.qpu'), data)
        self.assertEqual(self.pica('shader', '--chip', 'vc4', 'disasm', 'b.qpu'), text)
        self.pica('shader', '--chip', 'vc4', 'asm', 'a.s')
        self.assertEqual(self.bytes('a.qpu'), data)
        (self.dir / 'a.s').write_text('nop\n  or r0, r1 vpm\n')
        (self.dir / 'b.qpu').write_bytes(data[:-1])
        for args, message in ((['asm', 'a.s'], "a.s:2:13: vpm: expected ',' after the first source"),
                              (['disasm', 'b.qpu'], 'b.qpu: 31 bytes: expected words of 8 bytes'),
                              (['--entry', '0', 'disasm', 'b.qpu'], '--entry: of --chip pica only'),
                              (['asm', 'a.s', 'b.s'], '--chip vc4: expected asm and a source, or disasm and a file of words'),
                              (['disasm', '.'], '.: Is a directory')):
            self.assertEqual(self.pica('shader', '--chip', 'vc4', *args, code=2), '')
            self.assertEqual(self.err, f'pica shader: {message}\n')

    def test_not_a_shbin(self):
        (self.dir / 'x.shbin').write_bytes(b'DVLB' + b'\xff' * 60)
        self.pica('shader', 'disasm', 'x.shbin', code=2)
        self.assertIn('x.shbin: byte 0x4: expected 1 to 256 entries, got 4294967295', self.err)
        self.pica('shader', 'disasm', '--entry', '3', PERSP, code=2)
        self.assertIn('byte 0x0: not a .shbin file', self.err)
        (self.dir / 'empty.shbin').touch()
        self.pica('shader', 'disasm', 'empty.shbin', code=2)
        self.assertIn('empty.shbin: byte 0x0: not a .shbin file: it is empty', self.err)
        self.pica('shader', 'disasm', '.', code=2)
        self.assertEqual(self.err, 'pica shader: .: Is a directory\n')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
