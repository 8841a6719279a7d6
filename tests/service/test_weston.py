#!/usr/bin/env python3
"""picad and pica view in windows of weston, without a display of its own, which takes pictures of its screen:

test_weston.py PICA PICAD WESTON CAPTURES [unittest arguments]
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import unittest
import zlib

from test_show import CAPTURES, ENV, PICA, PICAD, Case

WESTON = sys.argv[3]
SKIP = 77
WIDTH, HEIGHT = 480, 560  # of weston's screen


def read_png(data):
    """(width, height, rows of RGB triples) of 8-bit RGB or RGBA, whose A is left out."""
    at, idat = 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', body[:10])
        elif kind == b'IDAT':
            idat += body
        at += 12 + size
    assert depth == 8 and color in (2, 6), (depth, color)
    n = 3 if color == 2 else 4
    raw, before, rows = zlib.decompress(idat), bytes(n * width), []
    for y in range(height):
        kind, line = raw[y * (n * width + 1)], bytearray(raw[y * (n * width + 1) + 1:(y + 1) * (n * width + 1)])
        for i in range(n * width):
            a, b, c = line[i - n] if i >= n else 0, before[i], before[i - n] if i >= n else 0
            if kind == 1:
                line[i] = (line[i] + a) & 255
            elif kind == 2:
                line[i] = (line[i] + b) & 255
            elif kind == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                d = abs(p - a), abs(p - b), abs(p - c)
                line[i] = (line[i] + (a if d[0] <= d[1] and d[0] <= d[2] else b if d[1] <= d[2] else c)) & 255
        before = bytes(line)
        rows.append(b''.join(before[n * x:n * x + 3] for x in range(width)))
    return width, height, rows


class Weston(Case):
    def setUp(self):
        super().setUp()
        self.env = dict(ENV, XDG_RUNTIME_DIR=str(self.dir), WAYLAND_DISPLAY='window')
        (self.dir / 'ini').write_text('[shell]\npanel-position=none\n')
        # Windows lie somewhere on the screen, also below a panel. --debug: else Debian's weston lets nobody take pictures
        weston = self.run_beside('weston.log', WESTON, '--backend=headless-backend.so', '--use-pixman', '--debug', f'--config={self.dir}/ini',
                                 '--socket=window', '--idle-time=0', f'--width={WIDTH}', f'--height={HEIGHT}')
        self.until(lambda: (self.dir / 'window').exists() or weston.poll() is not None)
        self.assertIsNone(weston.poll(), (self.dir / 'weston.log').read_text())

    def run_beside(self, log, *command):
        with open(self.dir / log, 'wb') as out:
            process = subprocess.Popen([*map(str, command)], env=self.env, cwd=self.dir, stdout=out, stderr=out)
        self.addCleanup(self.finish, process)
        return process

    def finish(self, process):
        process.terminate()
        process.wait(60)

    def screenshot(self):
        for old in self.dir.glob('wayland-screenshot-*.png'):
            old.unlink()
        subprocess.run(['weston-screenshooter'], env=self.env, cwd=self.dir, check=True, timeout=60)
        shot, = self.dir.glob('wayland-screenshot-*.png')
        return shot.read_bytes()

    def expect_on_screen(self, rows, name):
        """The rows of a picture are somewhere on the screen."""
        middle = len(rows) // 2
        deadline = time.monotonic() + 60
        while True:
            data = self.screenshot()
            width, height, screen = read_png(data)
            self.assertEqual((width, height), (WIDTH, HEIGHT))
            at = [(y - middle, line.find(rows[middle])) for y, line in enumerate(screen)]
            if any(x >= 0 and y >= 0 and all(screen[y + i][x:x + len(row)] == row for i, row in enumerate(rows))
                   for y, x in at):
                break
            self.assertLess(time.monotonic(), deadline, (self.dir / 'log').read_text())
            time.sleep(0.1)
        if 'PICA_TEST_KEEP' in os.environ:
            pathlib.Path(os.environ['PICA_TEST_KEEP'], name).write_bytes(data)

    def rendered(self, capture):
        """Both screens of its last frame, the bottom one in the middle below the top one."""
        rows = []
        for screen, edge in ('top', 0), ('bottom', 40):
            path = self.dir / f'{screen}.png'
            self.pica('render', '--screen', screen, '--frames', 'last', '-o', path, capture)
            rows += [bytes(3 * edge) + row + bytes(3 * edge) for row in read_png(path.read_bytes())[2]]
        return rows

    def test_a_confined_service_shows_both_screens(self):
        capture = CAPTURES / 'colors.pica'
        picad = self.run_beside('log', PICAD, '--config', self.dir / 'picad.conf', '--socket', self.socket, '--display', 'wayland',
                                '--kiosk', capture)
        self.expect_on_screen(self.rendered(capture), 'picad.png')
        self.finish(picad)
        log = (self.dir / 'log').read_text()
        self.assertEqual(picad.returncode, 0, log)
        if 'event=sandbox_incomplete' not in log:  # a build with sanitizers has none
            self.assertRegex(log, 'event=ready .* filter=on folders=')
            self.assertNotRegex(log, 'level=(error|warning)')

    def test_view(self):
        capture = CAPTURES / 'triangle.pica'
        view = self.run_beside('log', PICA, 'view', '--backend', 'wayland', capture)
        self.expect_on_screen(self.rendered(capture), 'view.png')
        self.finish(view)
        self.assertEqual(view.returncode, 0, (self.dir / 'log').read_text())


if not shutil.which(WESTON) or not shutil.which('weston-screenshooter'):
    print('weston is not installed')
    sys.exit(SKIP)
if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
