#!/usr/bin/env python3
"""Runs the built `pica convert`, `trim`, `verify` and `render --verify`: test_container.py PROGRAM CAPTURES"""
import json
import pathlib
import resource
import shutil
import signal
import struct
import sys
import unittest

from sample import sample
from test_cli import (CAPTURES, Case, FRAME, PERSP, TEV, capture, fill, register, solid_screen, write)

BUNDLED = CAPTURES.parent.parent / 'captures'
CUBE = str(BUNDLED / 'cube.pica')
TRIANGLE = str(CAPTURES / 'triangle.ctf.zst')


def chunks(data):
    """(offset, name, size in the file)"""
    at = 80
    while at < len(data):
        name, _, stored = struct.unpack('<4sIQ', data[at:at + 16])
        size = 48 + (stored + 15) // 16 * 16
        yield at, name.decode(), size
        at += size


class Container(Case):
    def hashes(self, path, *options):
        """Without the name."""
        lines = self.pica('render', '--format', 'hash', '--frames', 'all', *options, path).splitlines()
        return [line.split(' ', 1)[1] for line in lines]

    def test_converted_captures_draw_the_same(self):
        for source in PERSP, TEV, TRIANGLE, CUBE:
            self.pica('convert', source, 'a.pica')
            self.assertEqual(self.hashes('a.pica'), self.hashes(source))
            self.assertRegex(self.pica('verify', 'a.pica'), r'^a\.pica: whole, version 1, \d+ frames, 1 keys')
            self.assertRegex(self.pica('render', '--verify', 'a.pica'), r'^a: \d+ pictures as expected\n$')

    def test_pica_to_ctf_and_back(self):
        self.pica('convert', CUBE, 'a.pica')
        for name in 'b.ctf', 'b.ctf.zst':
            self.pica('convert', 'a.pica', name)
            self.assertEqual(self.hashes(name), self.hashes(CUBE))
            self.pica('convert', name, 'c.pica')
            self.assertEqual(self.hashes('c.pica'), self.hashes(CUBE))

    def test_every_verb_takes_a_pica(self):
        self.pica('convert', CUBE, 'a.pica')
        told = json.loads(self.pica('info', '--json', 'a.pica'))
        source = json.loads(self.pica('info', '--json', CUBE))
        self.assertEqual(told['form'], 'pica')
        for key in 'frames', 'draws', 'triangles', 'fragments', 'lists', 'loads':
            self.assertEqual(told[key], source[key], key)
        missing = [row['what'] for row in source['missing']]
        self.assertEqual([row['what'] for row in told['missing']], missing)
        self.pica('bench', '--repeat', '1', 'a.pica')
        self.assertIn('draw', self.pica('dump', 'a.pica', '--frame', '1'))
        self.pica('render', 'a.pica')
        self.assertEqual(self.files(), ['a-bottom.png', 'a-top.png', 'a.pica'])

    def test_trim_is_self_contained(self):
        self.pica('convert', '--keys', '3', PERSP, 'a.pica')
        frames = self.hashes(PERSP)
        per_frame = 2
        for source in PERSP, 'a.pica':
            for range_, first, last in ('5-9', 5, 9), ('4', 4, 4), ('0-2', 0, 2), ('9-last', 9, None):
                self.pica('trim', '--frames', range_, source, 't.pica')
                wanted = frames[per_frame * first:per_frame * (last + 1) if last is not None else None]
                got = self.hashes('t.pica')
                self.assertEqual([line.split(' ', 1)[1] for line in got], [line.split(' ', 1)[1] for line in wanted])
                self.assertTrue(got[0].startswith('0 '))
                self.assertIn('as expected', self.pica('render', '--verify', 't.pica'))
                self.pica('verify', 't.pica')
        # Cut again: the place in the first capture is kept.
        self.pica('trim', '--frames', '5-9', PERSP, 't.pica')
        self.assertRegex(self.pica('info', 't.pica'), r'\nframes +5 \(5 to 9 of what it was cut from\)\n')
        self.pica('trim', '--frames', '2-3', 't.pica', 'u.pica')
        self.assertEqual(json.loads(self.pica('info', '--json', 'u.pica'))['first_frame'], 7)
        self.assertRegex(self.pica('info', 'u.pica'), r'\nframes +2 \(7 to 8 of what it was cut from\)\n')

    def test_trim_refuses_frames_that_are_not_there(self):
        self.pica('trim', '--frames', '5-900', CUBE, 't.pica', code=2)
        self.assertIn('frames, counted from 0', self.err)
        self.pica('trim', CUBE, 't.pica', code=2)
        self.pica('trim', '--frames', '1,3', CUBE, 't.pica', code=2)
        self.pica('trim', '--frames', '1', CUBE, 't.ctf', code=2)
        self.assertEqual(self.files(), [])

    def test_a_capture_is_not_replaced_by_its_own_pieces(self):
        self.pica('convert', CUBE, 'a.pica')
        (self.dir / 'link.pica').symlink_to('a.pica')
        whole = (self.dir / 'a.pica').read_bytes()
        for args in (['trim', '--frames', '1', 'a.pica', 'a.pica'], ['trim', '--frames', '1', 'link.pica', './a.pica'],
                     ['convert', 'a.pica', 'link.pica'], ['convert', '--recover', 'a.pica', 'a.pica'],
                     ['render', '--screen', 'top', '-o', 'a.pica', 'a.pica'],
                     ['render', '--format', 'none', '--trace', 'a.pica', 'a.pica']):
            self.pica(*args, code=2)
            self.assertIn('this is ', self.err, args)
            self.assertEqual((self.dir / 'a.pica').read_bytes(), whole, args)
        self.assertEqual(self.files(), ['a.pica', 'link.pica'])

    def test_key_frames(self):
        frames = json.loads(self.pica('info', '--json', PERSP))['frames']
        for keys in 0, 1, 4, 60:
            self.pica('convert', '--keys', keys, PERSP, 'a.pica')
            row, = json.loads(self.pica('verify', '--json', 'a.pica'))['captures']
            self.assertEqual(row['keys'], 1 + ((frames - 1) // keys if keys else 0))
            self.assertEqual(self.hashes('a.pica'), self.hashes(PERSP))

    def test_verify_names_the_first_difference(self):
        # Another filling of the bottom screen in frame 2 of three.
        def stream(colors):
            return b''.join(solid_screen(0, 0x18000000, 0x336699, 400) + solid_screen(1, 0x18100000, c, 320) + FRAME
                            for c in colors)
        a = capture(self.dir / 'a.ctf', stream((1, 2, 3)))
        b = capture(self.dir / 'b.ctf', stream((1, 2, 4)))
        self.pica('convert', a, 'a.pica')
        self.pica('convert', b, 'b.pica')
        self.assertIn('6 pictures', self.pica('render', '--verify', 'a.pica'))
        # The pictures of a with the events of b.
        self.graft('a.pica', 'b.pica', 'c.pica')
        self.pica('verify', 'c.pica')
        self.pica('render', '--verify', 'c.pica', code=1)
        self.assertRegex(self.err, r'c\.pica: frame 2, screen bottom: expected [0-9a-f]{32}, drawn [0-9a-f]{32}')
        self.assertIn('4 pictures', self.pica('render', '--verify', '--frames', '0-1', 'c.pica'))
        report = json.loads(self.pica('render', '--verify', '--json', 'c.pica', code=1))
        self.assertEqual(report['captures'][0]['verified'], 4)
        # Convert and trim keep the expected pictures, and report them.
        self.pica('trim', '--frames', '1-2', 'c.pica', 'd.pica')
        self.assertIn('frame 2 is not drawn as the capture expects', self.err)
        self.pica('render', '--verify', 'd.pica', code=1)
        self.assertIn('frame 1, screen bottom', self.err)

    def graft(self, pictures, events, out):
        """The EXPT chunk of one container in another of the same layout: its hash is its own."""
        a, b = self.bytes(pictures), bytearray(self.bytes(events))
        (at, size), = [(at, size) for at, name, size in chunks(a) if name == 'EXPT']
        (to, to_size), = [(at, size) for at, name, size in chunks(b) if name == 'EXPT']
        self.assertEqual((at, size), (to, to_size), 'the two containers must be laid out alike')
        b[to:to + size] = a[at:at + size]
        (self.dir / out).write_bytes(b)

    def test_verify_without_pictures_is_trouble(self):
        self.pica('render', '--verify', PERSP, code=2)
        self.assertIn('expects no pictures', self.err)

    def test_modes_of_the_pictures_are_reported(self):
        self.pica('convert', '--combiner', 'truncate', TEV, 'a.pica')
        self.pica('render', '--verify', '--combiner', 'truncate', 'a.pica')
        self.pica('render', '--verify', 'a.pica', code=1)
        self.assertIn('were drawn with --float f24 --combiner truncate', self.err)

    def test_damage_is_named(self):
        self.pica('convert', PERSP, 'a.pica')
        good = self.bytes('a.pica')
        for at, name, size in chunks(good):
            bad = bytearray(good)
            bad[at + size - 1 if size > 48 else at + 20] ^= 1
            (self.dir / 'b.pica').write_bytes(bad)
            self.pica('verify', 'b.pica', code=3)
            self.assertIn(f'{name.strip()} chunk', self.err)
            self.assertIn(f'byte 0x{at:X}', self.err)
            if name not in ('EXPT', 'INDX', 'END ', 'INFO', 'INFC') and name != 'BLOB':
                self.pica('render', 'b.pica', '--format', 'none', code=3)
        report = json.loads(self.pica('verify', '--json', 'a.pica', 'b.pica', code=3))
        self.assertEqual([row['whole'] for row in report['captures']], [True, False])

    def test_a_file_that_ends_inside_of_a_chunk(self):
        """The total has the padding, in which it may end, too."""
        good = pathlib.Path(CUBE).read_bytes()
        at, name, size = next(chunks(good))
        stored = struct.unpack('<Q', good[at + 8:at + 16])[0]
        self.assertLess(stored, size - 48)  # it has padding
        for there in 0, stored - 1, stored, size - 49:
            (self.dir / 'b.pica').write_bytes(good[:at + 48 + there])
            self.pica('info', 'b.pica', code=3)
            self.assertIn(f'{name} chunk 0: the file ends inside of it, after {there} of {size - 48} bytes', self.err)

    def test_recover(self):
        self.pica('convert', '--keys', '4', PERSP, 'a.pica')
        good = self.bytes('a.pica')
        frames = self.hashes('a.pica')
        events = [at for at, name, _ in chunks(good) if name == 'EVTS']
        (self.dir / 'b.pica').write_bytes(good[:events[2] + 60])
        self.pica('render', 'b.pica', code=3)
        self.assertRegex(self.err, r'EVTS chunk \d+: the file ends')
        self.pica('convert', '--recover', 'b.pica', 'c.pica')
        self.assertRegex(self.err, r'lost from here on: .*EVTS chunk')
        self.assertIn('b.pica: saved: frames 0 to 7\n', self.err)
        self.assertEqual(self.hashes('c.pica'), frames[:16])
        self.pica('verify', 'c.pica')
        self.assertIn('the end of the capture', self.pica('info', 'c.pica'))
        # Damage in the middle of a file with an intact end leaves the frames before it; damage of a key or of pictures
        # leaves all frames.
        for name, kept in ('EVTS', 16), ('MEMP', None), ('REGP', None), ('EXPT', None):
            at, size = [(at, size) for at, kind, size in chunks(good) if kind == name][2 if name == 'EVTS' else 1]
            bad = bytearray(good)
            bad[at + size - 20] ^= 1
            (self.dir / 'b.pica').write_bytes(bad)
            self.pica('convert', '--recover', 'b.pica', 'c.pica')
            self.assertRegex(self.err, rf'lost: b\.pica: byte 0x[0-9A-F]+: {name} chunk')
            self.assertEqual(self.hashes('c.pica'), frames[:kept])
            self.pica('verify', 'c.pica')
            self.pica('render', '--verify', 'c.pica')
        # A whole one is just converted.
        self.pica('convert', '--recover', 'a.pica', 'd.pica')
        self.assertEqual(self.err, '')
        # Too little is left.
        (self.dir / 'b.pica').write_bytes(good[:200])
        self.pica('convert', '--recover', 'b.pica', 'e.pica', code=3)
        self.assertRegex(self.err, r'nothing can be saved: b\.pica: byte 0x[0-9A-F]+: INFO chunk 0: the file ends')
        self.assertFalse((self.dir / 'e.pica').exists())
        self.pica('convert', '--recover', 'none.pica', 'e.pica', code=2)
        self.assertNotIn('saved', self.err)

    def test_all_damage_is_named(self):
        self.pica('convert', '--keys', '4', PERSP, 'a.pica')
        good = self.bytes('a.pica')
        all_ = list(chunks(good))
        first = next(i for i, chunk in enumerate(all_) if chunk[1] == 'EVTS')
        events = [i for i, chunk in enumerate(all_) if chunk[1] == 'EVTS']
        registers = [i for i, chunk in enumerate(all_) if chunk[1] == 'REGP']
        blobs = [i for i, chunk in enumerate(all_) if chunk[1] == 'BLOB' and i > first]
        for numbers in (events[1:2], [registers[2]], [registers[1], registers[1] + 3], [events[0], events[3], registers[3]],
                        blobs[:1], [events[1], registers[2], registers[2] + 1, events[4]], events):
            bad = bytearray(good)
            for i in numbers:
                bad[all_[i][0] + 50] ^= 1
            (self.dir / 'b.pica').write_bytes(bad)
            self.pica('verify', 'b.pica', code=3)
            named = [int(line.split(' chunk ')[1].split(':')[0]) for line in self.err.splitlines()]
            self.assertEqual(named, sorted(numbers), self.err)
            row, = json.loads(self.pica('verify', '--json', 'b.pica', code=3))['captures']
            self.assertEqual([error['offset'] for error in row['errors']], [all_[i][0] for i in sorted(numbers)])

    def test_a_capture_without_screens(self):
        source = capture(self.dir / 'a.ctf', fill(0x18000000, 0x1000, 7, 2) + FRAME)
        self.pica('convert', source, 'a.pica')
        self.assertIn('0 expected pictures (no screen was set)', self.pica('verify', 'a.pica'))
        self.pica('render', '--verify', 'a.pica', code=2)
        self.assertIn('it expects no pictures, for no screen was set when it was made', self.err)
        self.pica('render', '--verify', source, code=2)
        self.assertIn('a CiTrace file expects no pictures', self.err)

    def test_the_info_of_a_file_is_stored_twice(self):
        """INFO, its copy, and what is usual."""
        self.pica('convert', '--keys', '4', PERSP, 'a.pica')
        good = self.bytes('a.pica')
        whole = json.loads(self.pica('info', '--json', 'a.pica'))
        def part(data, name):
            return next(at for at, kind, _ in chunks(data) if kind == name)
        def recovered(said):
            self.pica('convert', '--recover', 'b.pica', 'c.pica')
            self.assertRegex(self.err, rf'lost: b\.pica: byte 0x50: INFO chunk 0: it is damaged{said}')
            self.assertIn('b.pica: saved: all 24 frames\n', self.err)
            self.pica('verify', 'c.pica')
            self.assertIn('48 pictures', self.pica('render', '--verify', 'c.pica'))
            return json.loads(self.pica('info', '--json', 'c.pica'))
        # The flag of a chunk that older readers ignore.
        self.assertEqual(good[part(good, 'INFC') + 4] & 2, 2)
        # The copy alone is damaged: playing does not need it, and verify finds it.
        bad = bytearray(good)
        bad[part(good, 'INFC') + 60] ^= 1
        (self.dir / 'b.pica').write_bytes(bad)
        self.assertEqual(self.hashes('b.pica'), self.hashes('a.pica'))
        self.pica('verify', 'b.pica', code=3)
        self.assertIn('INFC chunk', self.err)
        # INFO alone: all is as it was.
        bad = bytearray(good)
        bad[0x8C] ^= 1
        (self.dir / 'b.pica').write_bytes(bad)
        self.pica('render', 'b.pica', code=3)
        told = recovered(r'; its copy is taken, chunk \d+\n')
        for key in 'source', 'missing', 'title', 'first_frame', 'frames':
            self.assertEqual(told.get(key), whole.get(key), key)
        # Both.
        bad[part(good, 'INFC') + 60] ^= 1
        (self.dir / 'b.pica').write_bytes(bad)
        recovered(' and has no copy; taken are the usual memory')

    def damage(self, data, name, n, out='b.pica'):
        """The n-th chunk of a name, from 0, in a file of its own."""
        at, size = [(at, size) for at, kind, size in chunks(data) if kind == name][n]
        bad = bytearray(data)
        bad[at + size - 20] ^= 1
        (self.dir / out).write_bytes(bad)
        return f'{name} chunk [0-9]+'

    def test_a_later_key_that_is_damaged(self):
        self.pica('convert', '--keys', '4', PERSP, 'a.pica')
        good, frames = self.bytes('a.pica'), self.hashes('a.pica')
        for name in 'KEYF', 'REGP', 'MEMP':
            chunk = self.damage(good, name, 2)  # of frame 8
            # A program that only draws does not read it.
            self.assertEqual(self.hashes('b.pica'), frames)
            self.assertEqual(self.err, '')
            for args in ['verify', 'b.pica'], ['render', '--verify', 'b.pica']:
                self.pica(*args, code=3)
                self.assertRegex(self.err, rf'b\.pica: byte 0x[0-9A-F]+: {chunk}: ')
            self.assertEqual(self.files(), ['a.pica', 'b.pica'])
            report = json.loads(self.pica('render', '--verify', '--json', 'b.pica', code=3))
            self.assertRegex(report['captures'][0]['errors'][0]['message'], chunk)
            self.pica('batch', '--verify', '-o', 'out', 'a.pica', 'b.pica', code=3)
            results = [json.loads(line) for line in (self.dir / 'out/results.jsonl').read_text().splitlines()]
            bad, = [row for row in results if row['state'] != 'pass']
            self.assertEqual(bad['state'], 'broken')
            self.assertRegex(bad['messages'][0], chunk)
            shutil.rmtree(self.dir / 'out')
            # A program that is to begin there begins before it, and reports that.
            self.pica('trim', '--frames', '9-10', 'b.pica', 't.pica')
            self.assertRegex(self.err, rf'b\.pica: note: .*{chunk}')
            self.assertEqual([line.split(' ', 1)[1] for line in self.hashes('t.pica')],
                             [line.split(' ', 1)[1] for line in frames[18:22]])
            (self.dir / 't.pica').unlink()

    def test_frames_after_damage(self):
        self.pica('convert', '--keys', '4', PERSP, 'a.pica')
        good = self.bytes('a.pica')
        frames = [line.split(' ', 1) for line in self.hashes('a.pica')]  # two a frame

        def saved(first, end):
            self.pica('verify', 'c.pica')
            self.pica('render', '--verify', 'c.pica')
            self.assertEqual([line.split(' ', 1) for line in self.hashes('c.pica')],
                             [[str(int(frame) - first), rest] for frame, rest in frames[2 * first:2 * end]])
            self.assertEqual(json.loads(self.pica('info', '--json', 'c.pica'))['first_frame'], first)

        # Events from frame 8 on: kept are those before it, and those from the key of frame 12 on.
        chunk = self.damage(good, 'EVTS', 2)
        self.pica('convert', '--recover', 'b.pica', 'c.pica')
        self.assertRegex(self.err, rf'lost: b\.pica: byte 0x[0-9A-F]+: {chunk}: ')
        self.assertIn('b.pica: note: frames 12 to 23 are whole, too: --recover=12 saves them\n', self.err)
        self.assertIn('b.pica: saved: frames 0 to 7 of 24\n', self.err)
        saved(0, 8)
        for frame in 12, 17, 23:
            self.pica('convert', f'--recover={frame}', 'b.pica', 'c.pica')
            self.assertIn('b.pica: saved: frames 12 to 23 of 24\n', self.err)
            self.assertIn('b.pica: note: frames 0 to 7 are whole, too: --recover=0 saves them\n', self.err)
            saved(12, 24)
        for frame in 8, 11, 24:
            self.pica('convert', f'--recover={frame}', 'b.pica', 'd.pica', code=3)
            self.assertIn(f'b.pica: frame {frame} is damaged or missing: whole frames: 0-7, 12-23\n', self.err)
        self.assertNotIn('d.pica', self.files())
        # The first key: the next one is the first.
        self.damage(good, 'REGX', 0)
        self.pica('convert', '--recover', 'b.pica', 'c.pica')
        self.assertIn('b.pica: saved: frames 4 to 23 of 24\n', self.err)
        saved(4, 24)
        # Twice.
        self.damage(good, 'EVTS', 1)
        self.damage(self.bytes('b.pica'), 'EVTS', 4)
        self.pica('convert', '--recover=10', 'b.pica', 'c.pica')
        for part in 'frames 0 to 3 ', 'frames 20 to 23 ':
            self.assertIn(part, self.err)
        saved(8, 16)
        self.pica('convert', '--recover=x', 'b.pica', 'c.pica', code=2)

    def test_nothing_and_no_file(self):
        """A capture in which nothing happens; names of folders."""
        good = pathlib.Path(CUBE).read_bytes()
        first = next(at for at, name, _ in chunks(good) if name == 'EVTS')
        (self.dir / 'a.pica').write_bytes(good[:first])
        self.pica('convert', '--recover', 'a.pica', 'b.pica')
        self.assertIn(' 0 frames, 1 keys, ', self.pica('verify', 'b.pica'))
        self.pica('convert', 'b.pica', 'c.ctf', code=2)
        self.assertIn('b.pica: nothing happens in it', self.err)
        self.assertFalse((self.dir / 'c.ctf').exists())
        for name in 'd.ctf', 'd.pica':
            (self.dir / name).mkdir()
            self.pica('convert', CUBE, name, code=2)
            self.assertIn(f'{name}: Is a directory', self.err)

    def cut_vertices(self, before, name):
        """The triangle's frames; then a strip of three immediate vertices, the given number of them before a frame ends."""
        def word(x):  # binary32 to f24, of 0 and numbers of which f24 holds all
            bits, = struct.unpack('<I', struct.pack('<f', x))
            return bits >> 8 & 0x800000 | ((bits >> 23 & 255) - 64) << 16 | bits >> 7 & 0xFFFF if x else 0

        def vector(x, y, z, w):
            x, y, z, w = map(word, (x, y, z, w))
            return (register(0x233, w << 8 | z >> 16) + register(0x234, z << 16 & 0xFFFFFFFF | y >> 8) +
                    register(0x235, y << 24 & 0xFFFFFFFF | x))

        vectors = []
        for x, y in (-2, -1), (2, -1), (0, 1.5):
            vectors += [vector(x, y, 0, 1), vector(255, 128 + 64 * y, 0, 255)]
        self.pica('convert', BUNDLED / 'triangle.pica', 'plain.ctf')
        data = bytearray(self.bytes('plain.ctf'))
        stream = (register(0x25F, 1) + register(0x245, 0) + register(0x232, 15) + b''.join(vectors[:before]) + FRAME +
                  b''.join(vectors[before:]) + register(0x245, 1) + register(0x111, 1) + register(0x10, 0x12345678) +
                  write(0x10400C18, 1) + FRAME)
        size, = struct.unpack('<I', data[96:100])
        data[96:100] = struct.pack('<I', size + len(stream))
        (self.dir / name).write_bytes(data + stream)
        self.assertNotEqual(*[line.split(' ', 1)[1] for line in self.hashes(name) if 'bottom' in line][-2:])

    def test_a_capture_from_the_middle_becomes_a_ctf(self):
        for name in sample(('cube', 'galaxy', 'materials', 'proctex', 'lamps', 'sprites', 'stereo')):
            for frames in '1', '1-last':
                self.pica('trim', '--frames', frames, BUNDLED / f'{name}.pica', 'a.pica')
                self.pica('convert', 'a.pica', 'b.ctf')
                self.assertEqual(self.hashes('b.ctf'), self.hashes('a.pica'), name)
                self.assertNotIn('--trust-loads', self.err, name)

    def test_ports_in_the_middle_of_a_vector_travel_through_a_ctf(self):
        # Words of a uniform and of an attribute after one that is whole, code after a word; indices stay where they were.
        start = (register(0x2C0, 5) + b''.join(register(0x2C1, 0x3F3E3D3C + i) for i in range(5)) + register(0x290, 7) +
                 register(0x291, 9) + register(0x2CB, 3) + register(0x2CC, 0x11) + register(0x232, 4) +
                 b''.join(register(0x233 + i, i << 4) for i in range(3)) + register(0x233, 3))
        a = capture(self.dir / 'a.ctf', solid_screen(0, 0x18000000, 5, 400) + start + 3 * FRAME)
        self.pica('trim', '--frames', '1-2', a, 'a.pica')
        self.pica('convert', 'a.pica', 'b.ctf')
        self.assertEqual(self.err, '')
        self.pica('trim', '--frames', '1', 'b.ctf', 'c.pica')
        states = []
        for name in 'a.pica', 'c.pica':
            data = self.bytes(name)
            states.append([data[at + 48:at + size] for at, kind, size in chunks(data) if kind in ('IDXS', 'ATTR', 'SHVS')])
        self.assertEqual(len(states[0]), 3)
        self.assertEqual(states[0], states[1])

    def test_a_vertex_that_is_not_complete_travels_through_a_ctf(self):
        self.cut_vertices(1, 'a.ctf')
        self.pica('trim', '--frames', '4', 'a.ctf', 'a.pica')
        self.pica('convert', 'a.pica', 'b.ctf')
        self.assertEqual(self.hashes('b.ctf'), self.hashes('a.pica'))

    def test_limits_of_ctf(self):
        # Two vertices of three are in the assembler when the frame ends.
        self.cut_vertices(4, 'a.ctf')
        self.pica('trim', '--frames', '4', 'a.ctf', 'a.pica')
        self.pica('convert', 'a.pica', 'b.ctf', code=2)
        self.assertIn('a.pica: a .ctf cannot hold vertices that the assembler holds', self.err)
        self.assertIn('b.ctf: frame 0, screen bottom, would not be the same', self.err)
        self.assertFalse((self.dir / 'b.ctf').exists())
        self.pica('convert', '--lossy', 'a.pica', 'b.ctf')
        self.assertIn('a .ctf cannot hold', self.err)
        self.assertNotEqual(self.hashes('b.ctf'), self.hashes('a.pica'))
        # In the frame before they have no effect.
        self.pica('trim', '--frames', '3-4', 'a.ctf', 'a.pica')
        self.pica('convert', 'a.pica', 'b.ctf')
        self.assertEqual(self.hashes('b.ctf'), self.hashes('a.pica'))

    def test_tables_at_the_start_travel_through_a_ctf(self):
        upload = register(0x1C5, 3 << 8) + b''.join(register(0x1C8, 0x1000 + i) for i in range(256))
        a = capture(self.dir / 'a.ctf', solid_screen(0, 0x18000000, 5, 400) + upload + 3 * FRAME)
        self.pica('trim', '--frames', '1-2', a, 'a.pica')
        self.pica('convert', 'a.pica', 'b.ctf')
        self.assertEqual(json.loads(self.pica('info', '--json', 'b.ctf'))['reg_writes'], 256 + 1 + 4)
        self.pica('trim', '--frames', '1', 'b.ctf', 'c.pica')  # after the uploads
        states = []
        for name in 'a.pica', 'c.pica':
            data = self.bytes(name)
            states.append([data[at + 48:at + size] for at, kind, size in chunks(data) if kind in ('LUTL', 'LUTP')])
        self.assertEqual(states[0], states[1])
        self.assertGreater(len(states[0][0]), 100)

    def test_no_space_leaves_nothing(self):
        def little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        octopus = BUNDLED / 'octopus.pica'  # larger than the limit long before its end
        for args in (['convert', PERSP, 'a.pica'], ['convert', octopus, 'a.pica'], ['trim', '--frames', '0-1', octopus, 'a.pica'],
                     ['convert', octopus, 'a.ctf'], ['convert', octopus, 'a.ctf.zst']):
            self.pica(*args, code=2, preexec_fn=little)
            self.assertRegex(self.err, rf'^pica {args[0]}: {args[-1]}: File too large\n$', args)
            self.assertEqual(self.files(), [], args)

    def test_verdict_does_not_mix_with_pictures(self):
        self.pica('convert', PERSP, 'a.pica')
        for options in (['--format', 'hash'], ['--format', 'hash', '-o', '-']):
            out = self.pica('render', '--verify', '--frames', 'last', *options, 'a.pica')
            self.assertRegex(out, r'^(a \d+ (top|bottom) left [0-9a-f]{32}\n){2}$')
            self.assertIn('a: 2 pictures as expected', self.err)
        self.pica('render', '--verify', '--frames', 'last', '--format', 'hash', '-o', 'a.txt', 'a.pica')
        self.assertNotIn('as expected', (self.dir / 'a.txt').read_text())
        one = ['--frames', 'last', '--screen', 'top', '-o', '-', '--format', 'ppm', 'a.pica']
        picture = self.pica('render', *one, binary=True)
        self.assertEqual(self.pica('render', '--verify', *one, binary=True), picture)
        video = ['--format', 'y4m', '--frames', '0', 'a.pica']
        self.assertEqual(self.pica('render', '--verify', *video, binary=True), self.pica('render', *video, binary=True))

    def test_a_ctf_refuses_options_without_effect(self):
        for option in ['--keys', '3'], ['--level', '1'], ['--float', 'f32'], ['--combiner', 'truncate']:
            for name in 'a.ctf', 'a.ctf.zst':
                self.pica('convert', *option, PERSP, name, code=2)
                self.assertIn(f'{name}: --', self.err)
                self.assertIn(': for a .pica alone', self.err)
        self.assertEqual(self.files(), [])

    def test_refusals(self):
        self.pica('convert', PERSP, 'a.png', code=2)
        self.assertIn('expected a name that ends in', self.err)
        self.pica('convert', PERSP, code=2)
        self.pica('convert', PERSP, 'a.pica', 'b.pica', code=2)
        self.pica('convert', 'none.ctf', 'a.pica', code=2)
        self.pica('convert', PERSP, 'no/such/a.pica', code=2)
        self.pica('convert', '--level', '20', PERSP, 'a.pica', code=2)
        self.pica('verify', code=2)
        (self.dir / 'x.pica').write_bytes(b'\x89PIC')
        self.pica('verify', 'x.pica', code=3)
        self.assertIn('header', self.err)
        self.assertEqual(self.files(), ['x.pica'])


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
