#!/usr/bin/env python3
"""What picad's outputs show is, pixel for pixel, what compose.py puts together: each layout and turn, in both formats.

test_compose.py PICA PICAD PRESENTER CAPTURES
"""
import itertools
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import compose

PICA, PICAD, PRESENTER = (os.path.abspath(p) for p in sys.argv[1:4])
CAPTURE = pathlib.Path(sys.argv[4]).resolve() / 'stereo.pica'
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}


def read_png(path):
    """A picture as picad writes them: RGB8 rows, each the differences of its pixels."""
    data, at, idat = path.read_bytes(), 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height = struct.unpack('>II', data[at + 8:at + 16])
        elif kind == b'IDAT':
            idat += data[at + 8:at + 8 + size]
        at += size + 12
    raw, rows = zlib.decompress(idat), []
    for y in range(height):
        line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        assert line[0] == 1
        rows.append(list(zip(*(bytes(v & 255 for v in itertools.accumulate(line[1 + c::3])) for c in range(3)))))
    return compose.Picture.of(rows)


class Compose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='pica-compose')
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.config = self.dir / 'picad.conf'
        self.screens = compose.read_screens(PICA, CAPTURE, self.dir)

    def start(self, mode):
        """Two outputs that differ in their format, and a client that has presented."""
        self.config.write_text('[picad]\n')
        picad = subprocess.Popen(
            [PICAD, '--socket', self.dir / '0', '--config', self.config, '--threads', '1', '--display', 'headless',
             '--headless', f'{mode}@200,{mode}@200:rgb565', '--frames', f'png:{self.dir}/{{frame}}-{{output}}.png'],
            stderr=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(self.end, picad)
        while 'event=ready' not in (line := picad.stderr.readline()):
            self.assertTrue(line, 'picad ended')
        presenter = subprocess.Popen([PRESENTER, self.dir / '0', CAPTURE, 'stereo'], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(presenter.communicate, '')
        self.assertEqual(presenter.stdout.readline(), 'presented\n')
        return picad

    def end(self, picad):
        picad.send_signal(signal.SIGTERM)
        picad.communicate(timeout=300)

    def reread(self, picad, how):
        self.config.write_text('[picad]\n' + ''.join(f'{key} = {value}\n' for key, value in how.items()))
        picad.send_signal(signal.SIGHUP)
        while 'event=reload' not in (line := picad.stderr.readline()):
            self.assertTrue(line, 'picad ended')
        self.assertIn('event=reloaded', line)

    def newest(self, output):
        return max(self.dir.glob(f'*-headless-{output + 1}.png'), default=None)

    def same(self, output, want, how):
        """The newest picture of an output is this one, or becomes it."""
        deadline, have, path = time.monotonic() + 30, None, None
        while not have or have.rows != want.rows:
            if (newest := self.newest(output)) == path:
                time.sleep(0.02)
            else:
                have, path = read_png(newest), newest
            if time.monotonic() > deadline:
                where = [(x, y) for y in range(want.height) for x in range(want.width) if have.rows[y][x] != want.rows[y][x]]
                x, y = where[0]
                self.fail(f'{how}, output {output}: {len(where)} pixels differ, the first at {x},{y}: '
                          f'{have.rows[y][x]}, not {want.rows[y][x]}')

    def check(self, width, height, ways):
        picad = self.start(f'{width}x{height}')
        for how in ways:
            self.reread(picad, how)
            for output in range(2):
                if output == 0 or how['layout'] == 'split-outputs':
                    want = compose.compose(self.screens, how, width, height, output, 2)
                self.same(output, want.rgb565() if output else want, how)

    def test_all_layouts_with_all_turns(self):
        self.check(500, 301, compose.ways())  # where some screens have less room than pixels

    def test_all_turns_of_larger_pictures(self):
        self.check(811, 487, [how for how in compose.ways() if how['layout'] == 'stacked'])

    def test_composer_itself(self):
        """Numbers that are known without it."""
        row = compose.Picture.of([[(0, 0, 0), (255, 128, 10)]])
        tall = row.turned()
        self.assertEqual(tall.rows, [[(0, 0, 0)], [(255, 128, 10)]])
        self.assertEqual(tall.turned().rows, [[(255, 128, 10), (0, 0, 0)]])
        out = compose.Picture(4, 1)
        compose.draw(out, compose.seen(0, 4, 4), {0: 0}, (4, 1), row, True)
        self.assertEqual(out.rows, [[(0, 0, 0), (64, 32, 3), (191, 96, 8), (255, 128, 10)]])
        compose.draw(out, compose.seen(0, 4, 4), {0: 0}, (4, 1), row, False)
        self.assertEqual(out.rows, [[(0, 0, 0)] * 2 + [(255, 128, 10)] * 2])
        screens = {name: compose.Picture(320 if name == 'bottom' else 400, 240, color) for name, color in
                   (('left', (1, 2, 3)), ('right', (4, 5, 6)), ('bottom', (7, 8, 9)))}
        out = compose.compose(screens, {'stereo': 'anaglyph', 'rotate': 90, 'background': 'ff0000'}, 482, 402)
        self.assertEqual([out.rows[200][x] for x in (0, 1, 240, 241, 480, 481)],
                         [(255, 0, 0), (7, 8, 9), (7, 8, 9), (1, 5, 6), (1, 5, 6), (255, 0, 0)])
        self.assertEqual([out.rows[y][1] for y in (0, 40, 41, 360, 361)], [(255, 0, 0)] * 2 + [(7, 8, 9)] * 2 + [(255, 0, 0)])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
