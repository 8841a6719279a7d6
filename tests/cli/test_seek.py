#!/usr/bin/env python3
"""Seeking by keys of a .pica gives the same frames: test_seek.py PROGRAM CAPTURES"""
import json
import pathlib
import re
import struct
import sys
import unittest

from test_cli import CAPTURES, Case, PERSP, TEV
from test_container import chunks
from sample import EVERY, sample

BUNDLED = sorted(p for p in (CAPTURES.parent.parent / 'captures').glob('*.pica') if not p.name.startswith('vc4-')) + sorted(CAPTURES.glob('*.ctf*'))
EDGES = str(CAPTURES / 'st_edges.ctf')


class Seek(Case):
    def lines(self, path, frames, *options, name='hash'):
        """Without the name of the capture."""
        out = self.pica('render', '--format', name, '--frames', frames, *options, path)
        return [line.split(' ', 1)[1] for line in out.splitlines()]

    def flip(self, path, out, pick):
        """Damages the chunks that pick selects by (name, frame of the last key, whether it belongs to the key)."""
        data, frame, in_key, n = bytearray((self.dir / path).read_bytes()), 0, False, 0
        for at, name, _ in chunks(bytes(data)):
            if name == 'KEYF':
                frame, in_key = struct.unpack_from('<I', data, at + 48)[0], True
            if pick(name, frame, in_key):
                data[at + 48] ^= 1
                n += 1
            in_key = in_key and name != 'MEMP'
        self.assertGreater(n, 0)
        (self.dir / out).write_bytes(data)

    def test_the_last_frame_of_all_bundled_captures(self):
        n = 0
        for path in sample(BUNDLED):
            self.pica('convert', '--keys', '1', '--level', '1', path, 'a.pica')
            frames = json.loads(self.pica('info', '--json', 'a.pica'))['frames']
            if frames > 1:
                wanted = [line for line in self.lines(path, 'all') if line.startswith(f'{frames - 1} ')]
                self.assertEqual(self.lines('a.pica', 'last'), wanted or self.lines(path, 'last'), path)
                n += 1
        self.assertGreater(n, 30 if EVERY == 1 else 1)

    def test_frames_in_the_middle(self):
        self.pica('convert', '--keys', '4', EDGES, 'a.pica')
        whole = self.lines(EDGES, 'all')
        for frame in 3, 4, 7, 21:
            wanted = [line for line in whole if line.startswith(f'{frame} ')]
            self.assertEqual(self.lines('a.pica', frame), wanted)
            self.assertEqual(self.lines('a.pica', frame, '--connect=builtin:'), wanted)

    def test_work_in_front_of_the_key_is_not_done(self):
        self.pica('convert', '--keys', '4', TEV, 'a.pica')
        def draws(frames):
            report = json.loads(self.pica('render', '--json', '--format', 'none', '--frames', frames, 'a.pica'))
            return report['captures'][0]['counters']['draws']
        report = json.loads(self.pica('render', '--json', '--format', 'none', '--frames', 'all', 'a.pica'))
        frames = report['captures'][0]['frames']
        self.assertEqual(draws('20-last') * frames, draws('all') * (frames - 20))

    def test_other_arithmetic_and_trusted_loads_play_from_the_start(self):
        for path in (TEV, PERSP)[:2 if EVERY == 1 else 1]:
            self.pica('convert', '--keys', '1', path, 'a.pica')
            self.pica('convert', '--keys', '0', path, 'b.pica')
            for options in ['--float', 'f32'], ['--combiner', 'truncate'], ['--trust-loads']:
                self.assertEqual(self.lines('a.pica', 'last', *options), self.lines('b.pica', 'last', *options))
        report = json.loads(self.pica('render', '--json', '--format', 'none', '--float', 'f32', 'a.pica'))['captures'][0]
        whole = json.loads(self.pica('render', '--json', '--format', 'none', '--float', 'f32', 'b.pica'))['captures'][0]
        self.assertEqual(report['counters'], whole['counters'])

    def test_a_cut_is_drawn_in_one_way_from_its_start(self):
        # The key that the cut begins with holds memory that was drawn before.
        for i, options in enumerate(([], ['--float', 'f32'], ['--combiner', 'truncate'], ['--trust-loads'])):
            for path in (TEV, PERSP, EDGES) if EVERY == 1 else ((TEV, PERSP, EDGES)[i % 3],):
                for keys in '1', '0':
                    self.pica('convert', '--keys', keys, path, 'a.pica') # the name is in the file
                    self.pica('trim', '--frames', '5-6', *options, 'a.pica', f't{keys}.pica')
                self.assertEqual((self.dir / 't1.pica').read_bytes(), (self.dir / 't0.pica').read_bytes(), (path, options))

    def test_counts_and_draws_of_a_frame(self):
        self.pica('convert', '--keys', '2', TEV, 'a.pica')
        self.pica('convert', '--keys', '0', TEV, 'b.pica')
        def report(path, *options):
            (self.dir / path).replace(self.dir / 'c.pica') # the pictures show the name
            row, = json.loads(self.pica('render', '--json', '--format', 'none', '--frames', '9', *options, 'c.pica'))['captures']
            (self.dir / 'c.pica').replace(self.dir / path)
            for picture in row['pictures']:
                picture.pop('offset', None) # of the chunk
            return row['pictures']
        for option in '--overdraw', '--cost', '--every-draw':
            self.assertEqual(report('a.pica', option), report('b.pica', option))
            self.assertTrue(report('a.pica', option))

    def test_dump_of_a_frame(self):
        self.pica('convert', '--keys', '4', TEV, 'a.pica')
        self.pica('convert', '--keys', '0', TEV, 'b.pica')
        def dump(path, *options):
            return re.sub(r' *byte 0x[0-9A-F]+ *', '', self.pica('dump', path, *options))
        for options in (['--frame', '8'], ['--frame', '10'], ['--frame', '8', '--draw', '0'],
                        ['--frame', '13', '--draw', '0', '--since', '9:0']):
            self.assertEqual(dump('a.pica', *options), dump('b.pica', *options))

    def test_damage_in_front_of_a_key_does_not_matter(self):
        self.pica('convert', '--keys', '4', EDGES, 'a.pica')
        self.flip('a.pica', 'd.pica', lambda name, frame, _: name == 'EVTS' and frame == 4)
        self.pica('render', '--format', 'none', '--frames', '6', 'd.pica', code=3)
        self.assertRegex(self.err, r'EVTS chunk \d+')
        self.pica('render', '--format', 'none', '--frames', '2,20', 'd.pica', code=3)
        for frame in 3, 20:
            self.assertEqual(self.lines('d.pica', frame), self.lines(EDGES, frame))
            self.assertEqual(self.lines('d.pica', frame, '--connect=builtin:'), self.lines(EDGES, frame))
            self.assertEqual(self.pica('dump', 'd.pica', '--frame', frame), self.pica('dump', 'a.pica', '--frame', frame))
            self.assertIn('no difference', self.pica('diff', '--frames', frame, 'd.pica', EDGES))
            self.pica('batch', '--frames', frame, '-o', f'out{frame}', 'd.pica')
        self.pica('diff', '--frames', '6', 'd.pica', EDGES, code=3)
        self.pica('batch', '--frames', '6', '-o', 'out6', 'd.pica', code=3)

    def test_a_damaged_key_is_passed_over(self):
        self.pica('convert', '--keys', '4', EDGES, 'a.pica')
        for damaged, keys, asked in ('KEYF', (16, 20), 21), ('REGP', (16, 20), 20), ('MEMP', (4, 16, 20), 23), ('BLOB', (4,), 5):
            wanted = self.lines(EDGES, asked)
            self.flip('a.pica', 'd.pica', lambda name, frame, in_key: name == damaged and in_key and frame in keys)
            self.assertEqual(self.lines('d.pica', asked), wanted)
            self.assertRegex(self.err, rf'd\.pica: note: begun at an earlier key: byte 0x[0-9A-F]+: {damaged} chunk')
            self.assertIn('no difference', self.pica('diff', '--frames', asked, 'd.pica', EDGES))
            self.assertEqual(self.err.count('begun at an earlier key'), 1)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
