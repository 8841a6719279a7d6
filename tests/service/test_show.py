#!/usr/bin/env python3
"""picad with a headless display shows what captures draw:

test_show.py PICA PICAD PRESENTER CAPTURES [unittest arguments]
"""
import fcntl
import glob
import os
import pathlib
import pwd
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
import zlib

PICA, PICAD, PRESENTER = (os.path.abspath(p) for p in sys.argv[1:4])
CAPTURES = pathlib.Path(sys.argv[4]).resolve()
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='pica-show')
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.socket = str(self.dir / '0')
        (self.dir / 'picad.conf').write_text('[picad]\n')

    def picad(self, *args, **kw):
        return subprocess.Popen([PICAD, '--socket', self.socket, '--config', str(self.dir / 'picad.conf'), *args],
                                stderr=subprocess.PIPE, text=True, errors='replace', env=ENV, **kw)

    def start(self, *args, **kw):
        p = self.picad('--display', 'headless', '--threads', '1', *args, **kw)
        self.addCleanup(self.end, p)
        self.before = ''  # what it said until it was ready
        line = p.stderr.readline()
        while 'event=ready' not in line:
            self.assertTrue(line, 'picad ended')
            self.before += line
            line = p.stderr.readline()
        return p

    def end(self, p):
        if p.poll() is None:
            p.send_signal(signal.SIGTERM)
        if p.stderr.closed:
            return ''
        if p.stdout and not p.stdout.closed:
            threading.Thread(target=p.stdout.read).start()
        with p.stderr:
            said = p.stderr.read()  # communicate() leaves out what was read ahead of the last line
        p.wait(timeout=300)
        return said

    def said(self, p, what):
        """Reads its log up to a line with these words."""
        before, self.before = self.before, ''
        while what not in before:
            before = p.stderr.readline()
            self.assertTrue(before, what)

    def pica(self, *args, exit=0):
        p = subprocess.run([PICA, *map(str, args)], capture_output=True, text=True, timeout=300, env=ENV)
        self.assertEqual(p.returncode, exit, p.stdout + p.stderr)
        return p.stdout if exit == 0 else p.stderr

    def picture(self):
        path = self.dir / 'shot.ppm'
        self.pica('screenshot', f'--connect={self.socket}', '-o', path)
        return path.read_bytes()

    def until(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def drawn(self, capture, screen):
        """Hashes of a screen, as the renderer writes them, drawn by the service."""
        out = self.pica('render', f'--connect={self.socket}', '--format', 'hash', '-o', '-', '--frames', 'all', capture)
        rows = [line.split() for line in out.splitlines()]
        return [row[4] for row in rows if row[2] == screen and row[3] == 'left']

    def shown(self):
        return [line.split() for line in (self.dir / 'hashes').read_text().splitlines()]

    def rows(self, p, n):
        """The first n lines of hashes on the service's standard output."""
        return [p.stdout.readline().split() for _ in range(n)]

    def hashes(self, *captures, screen='top'):
        which = [] if captures[0].name.startswith('vc4-') else ['--screen', screen]
        out = self.pica('render', '--format', 'hash', '--frames', 'all', *which, *map(str, captures))
        return [line.split()[4] for line in out.splitlines()]

    def refused(self, *args):
        p = self.picad(*args)
        err = p.communicate(timeout=300)[1]
        self.assertEqual(p.returncode, 2, err)
        return err


class Shown(Case):
    def check(self, name, screen, mode, *args):
        p = self.start('--headless', mode, '--layout', screen, '--frames', f'hash:{self.dir}/hashes', *args)
        want = self.drawn(CAPTURES / name, screen)
        self.end(p)
        have = self.shown()
        self.assertTrue(want)
        self.assertEqual([int(row[0]) for row in have], list(range(len(have))))
        # The idle picture comes first; the capture's frames follow, each once.
        self.assertEqual([row[2] for row in have[1:]], want)
        times = [int(row[3]) for row in have]
        period = 1e9 / 200
        for a, b in zip(times, times[1:]):
            self.assertGreaterEqual(b - a, period - 1)

    def test_top_screen(self):
        self.check('cube.pica', 'top', '400x240@200')

    def test_bottom_screen(self):
        self.check('octopus.pica', 'bottom', '320x240@200')

    def test_top_screen_of_a_capture_in_stereo(self):
        self.check('stereo.pica', 'top', '400x240@200')

    def test_pictures_of_a_videocore(self):
        """Each is shown in its own size, on all outputs, between screens."""
        p = self.start('--headless', '640x480@200,1280x960@200', '--layout', 'split-outputs', '--frames',
                       f'hash:{self.dir}/hashes')
        self.pica('play', f'--connect={self.socket}', *(CAPTURES / f'{name}.pica' for name in
                                                        ('vc4-d50', 'triangle', 'vc4-mesh', 'vc4-samples')))
        self.pica('render', '-o', self.dir / 'drawn.ppm', CAPTURES / 'vc4-samples.pica')
        self.assertEqual(self.picture(), (self.dir / 'drawn.ppm').read_bytes())
        self.end(p)
        have = [row[2] for row in self.shown() if row[1] == '0'][1:]
        d50, triangle, mesh, samples = (self.hashes(CAPTURES / f'{name}.pica') for name in
                                        ('vc4-d50', 'triangle', 'vc4-mesh', 'vc4-samples'))
        self.assertEqual(have[:1], d50)
        self.assertEqual(have[1 + len(triangle):], mesh + samples)
        self.assertEqual(len([row for row in self.shown() if row[1] == '1']), len(have) + 1)

    def test_two_outputs(self):
        p = self.start('--headless', '400x240@200,320x240@200', '--layout', 'split-outputs', '--frames',
                       f'hash:{self.dir}/hashes')
        top = self.drawn(CAPTURES / 'octopus.pica', 'top')
        self.end(p)
        have = [row[2] for row in self.shown() if row[1] == '0']
        self.assertEqual(have[1:], top)
        self.assertEqual(len([row for row in self.shown() if row[1] == '1']), len(have))

    def test_video_of_several_outputs_is_that_of_the_first(self):
        for modes, n in ('64x48', 0), ('64x48,32x32', 1):
            p = self.start('--headless', modes, '--frames', f'y4m:{self.dir}/x.y4m')
            said = self.before + self.end(p)
            self.assertEqual(said.count('level=warning event=frames_of_one output=0 text="a video has the first output only"'), n)
            self.assertTrue((self.dir / 'x.y4m').read_bytes().startswith(b'YUV4MPEG2 W64 H48 '))

    def test_video_on_the_standard_output(self):
        p = self.start('--headless', '64x48@100', '--frames', 'y4m:-', '--scale', 'fit', stdout=subprocess.PIPE)
        self.assertEqual(p.stdout.readline(), 'YUV4MPEG2 W64 H48 F100000:1000 Ip A1:1 C444 XCOLORRANGE=LIMITED\n')
        p.stdout.close()
        lines = [p.stderr.readline()]
        while lines[-1] and 'frames_ended' not in lines[-1]:
            lines.append(p.stderr.readline())
        self.assertIn('event=frames_ended path="standard output" error="Broken pipe"', lines[-1])
        self.end(p)

    def test_output_before_a_full_disk_is_kept(self):
        head = b'YUV4MPEG2 W64 H48 F500000:1000 Ip A1:1 C444 XCOLORRANGE=LIMITED\n'
        each = 6 + 3 * 64 * 48
        for most in 100000, len(head) - 1:
            out = self.dir / f'{most}.y4m'
            p = self.start('--headless', '64x48@500', '--frames', f'y4m:{out}',
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
            ended = f'level=error event=frames_ended path="{out}" error="File too large"'
            if ended not in self.before:
                self.said(p, ended)
            self.assertIn('event=stopped', self.end(p))
            self.assertEqual(p.returncode, 0)
        self.assertFalse(out.exists())
        video = (self.dir / '100000.y4m').read_bytes()
        n = (100000 - len(head)) // each
        self.assertEqual(video[:len(head)], head)
        self.assertEqual(len(video), len(head) + n * each)
        self.assertEqual({video[len(head) + i * each:][:6] for i in range(n)}, {b'FRAME\n'})

    def test_devices_that_take_nothing_end_the_frames_only(self):
        for kind in 'hash', 'y4m':
            p = self.start('--frames', f'{kind}:/dev/full')
            ended = 'level=error event=frames_ended path="/dev/full" error="No space left on device"'
            if ended not in self.before:
                self.said(p, ended)
            self.assertIn('event=stopped', self.end(p))
            self.assertEqual(p.returncode, 0)

    def test_a_file_that_cannot_be_named_is_reported(self):
        out = self.dir / 'gone'
        out.mkdir()
        p = self.start('--frames', f'hash:{out}/x')
        shutil.rmtree(out)
        self.assertIn(f'level=error event=frames_lost path="{out}/x" error="No such file or directory"', self.end(p))
        self.assertEqual(p.returncode, 0)

    def test_video_of_a_pipe_that_is_read_later_and_twice(self):
        pipe = str(self.dir / 'pipe')
        os.mkfifo(pipe)
        p = self.start('--headless', '64x48@100', '--frames', f'y4m:{pipe}', '--scale', 'fit')
        self.said(p, f'event=frames_waiting path="{pipe}"')
        for _ in range(2):
            with open(pipe, 'rb') as reader:
                self.assertEqual(reader.readline(), b'YUV4MPEG2 W64 H48 F100000:1000 Ip A1:1 C444 XCOLORRANGE=LIMITED\n')
                for _ in range(3):
                    self.assertEqual(reader.readline(), b'FRAME\n')
                    self.assertEqual(len(reader.read(3 * 64 * 48)), 3 * 64 * 48)
                self.said(p, f'event=frames_begun path="{pipe}"')
            self.said(p, f'event=frames_waiting path="{pipe}"')
        self.assertNotIn('level=error', self.end(p))
        self.assertEqual(p.returncode, 0)

    def test_unread_and_full_pipes_do_not_prevent_the_end(self):
        pipe = str(self.dir / 'pipe')
        os.mkfifo(pipe)
        self.end(self.start('--frames', f'hash:{pipe}'))
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        p = self.start('--headless', '64x48@100', '--frames', f'y4m:{pipe}')
        deadline = time.monotonic() + 30
        before = -1
        while not before or before != self.waiting_in(reader):  # a picture more each refresh, until it is full
            self.assertLess(time.monotonic(), deadline)
            before = self.waiting_in(reader)
            time.sleep(0.2)
        self.assertNotIn('level=error', self.end(p))
        self.assertEqual(p.returncode, 0)

    def waiting_in(self, fd):
        return struct.unpack('i', fcntl.ioctl(fd, termios.FIONREAD, b'\0' * 4))[0]

    def write_png(self, width, height, bits, color, rows):
        def chunk(name, data):
            return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
        (self.dir / 'idle.png').write_bytes(
            b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, bits, color, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(b''.join(b'\0' + row for row in rows))) + chunk(b'IEND', b''))

    def test_idle_picture_of_16_bits(self):
        self.write_png(4, 2, 16, 2, 2 * [struct.pack('>12H', *3 * [0x8000], 0x1000, 0x10FF, 0x1100, *3 * [0xFFFF], 0, 257, 514)])
        p = self.start('--headless', '4x2', '--idle', self.dir / 'idle.png')
        self.pica('screenshot', f'--connect={self.socket}', '-o', self.dir / 'shot.ppm')
        self.end(p)
        self.assertEqual((self.dir / 'shot.ppm').read_bytes()[-24:], 2 * bytes([*3 * [0x80], 0x10, 0x11, 0x11, *3 * [255], 0, 1, 2]))

    def test_idle_picture_that_is_too_large(self):
        self.write_png(8193, 1, 8, 0, [bytes(8193)])
        p = self.picad('--display', 'headless', '--idle', self.dir / 'idle.png')
        self.assertIn('a side of more than 8192 pixels', p.communicate(timeout=300)[1])
        self.assertEqual(p.returncode, 2)

    def test_idle_picture_lets_the_background_through(self):
        self.write_png(400, 240, 8, 6, 240 * [200 * b'\xff\x10\x20\xff' + 200 * b'\xff\xff\xff\0'])
        p = self.start('--headless', '400x240', '--idle', self.dir / 'idle.png', '--background', '#204060')
        self.pica('screenshot', f'--connect={self.socket}', '-o', self.dir / 'shot.ppm')
        self.end(p)
        row = 200 * b'\xff\x10\x20' + 200 * b'\x20\x40\x60'
        self.assertEqual((self.dir / 'shot.ppm').read_bytes()[-240 * 1200:], 240 * row)


class Played(Case):
    """pica play."""

    def test_play_shows_every_frame_once(self):
        captures = [CAPTURES / 'cube.pica', CAPTURES / 'octopus.pica']
        p = self.start('--headless', '400x240@500', '--layout', 'top', '--frames', 'hash:-', stdout=subprocess.PIPE)
        self.pica('play', f'--connect={self.socket}', '--rate', '0', *captures)
        want = self.hashes(*captures)
        self.assertEqual([row[2] for row in self.rows(p, 1 + len(want))][1:], want)
        self.assertIn('No such file', self.pica('play', f'--connect={self.socket}', self.dir / 'none.pica', exit=2))
        for rate in 'x', '-1', '1001', '59.8x':
            self.pica('play', f'--connect={self.socket}', '--rate', rate, captures[0], exit=2)
        self.end(p)
        self.pica('play', f'--connect={self.socket}', captures[0], exit=4)

    def test_play_needs_a_display(self):
        p = self.picad()
        while 'event=ready' not in p.stderr.readline():
            pass
        self.assertIn(f'the service at {self.socket}: it has no display',
                      self.pica('play', f'--connect={self.socket}', CAPTURES / 'cube.pica', exit=2))
        self.end(p)

    def test_a_service_without_workers(self):
        """As on one processor: a frame is complete without another job after it."""
        p = self.start('--threads', '0')
        self.pica('play', f'--connect={self.socket}', CAPTURES / 'triangle.pica')
        self.end(p)


class OnDisplay(Case):
    """pica view --backend kms; without a card it waits for one."""

    @unittest.skipIf(glob.glob('/dev/dri/card*'), 'a card here that would show it')
    def test_its_end_ends_the_service(self):
        (self.dir / 'a[1].pica').write_bytes((CAPTURES / 'cube.pica').read_bytes())
        p = subprocess.Popen([PICA, 'view', '--backend', 'kms', '--verbose', '--threads', '1', '--screen', 'top',
                              self.dir / 'a[1].pica'], stderr=subprocess.PIPE, text=True, env=ENV)
        lines = [p.stderr.readline()]
        while lines[-1] and 'event=session_open' not in lines[-1]:
            lines.append(p.stderr.readline())
        text = ''.join(lines)
        if 'without KMS' in text:
            p.communicate(timeout=300)
            self.skipTest('built without KMS')
        self.assertIn('pica view: no card found: waiting for one; Ctrl+C ends it\n', lines)
        self.assertIn('name="view"', lines[-1])
        self.assertIn('threads=1 ', text)
        folder = re.search(r'socket="(.*)/0"', text)[1]
        self.assertTrue(os.path.exists(folder))
        p.terminate()
        rest = p.communicate(timeout=300)[1]  # which ends when picad and its client have ended, too
        self.assertIn('event=stopped', rest)
        self.assertEqual(p.returncode, 0, rest)
        self.assertFalse(os.path.exists(folder))

    def test_devices_that_are_not_cards_are_reported(self):
        card = '--display', 'kms', '--seat', 'none', '--threads', '1', '--card'
        for path in '/dev/null', __file__, self.dir:
            p = self.picad(*card, path)
            self.addCleanup(self.end, p)
            err = p.communicate(timeout=300)[1]
            if 'without KMS' in err:
                self.skipTest('built without KMS')
            self.assertEqual(err, f'picad: card: {path}: not a card: expected /dev/dri/card0 or the like\n')
            self.assertEqual(p.returncode, 2)
        p = self.picad(*card, '/none')
        line = p.stderr.readline()
        while line and 'event=display_none' not in line:
            line = p.stderr.readline()
        self.end(p)
        self.assertIn('no such node; waiting', line)

    def test_options_of_a_display(self):
        for args, what in ((['--backend', 'term', '--rotate', '90'], '--rotate: only on a display'),
                           (['--float', 'f32', '--layout', 'top'], '--float, --combiner: only in a terminal, and --layout asks for a display\n'),
                           (['--pixels', 'blocks', '--scale', 'fit'], '--pixels: only in a terminal, and --scale asks'),
                           (['--layout', 'top', '--screen', 'bottom'], '--screen: --layout says it already'),
                           (['--layout', 'left'], '--layout left: expected stacked, side-by-side, top, bottom or split-outputs\n'),
                           (['--scale', '0'], '--scale 0: expected integer'), (['--filter', 'x'], '--filter x: expected nearest or bilinear\n'),
                           (['--rotate', '45'], '--rotate 45: expected 0, 90, 180 or 270\n'), (['--background', 'x'], '--background x: expected'),
                           (['--stereo', 'x'], '--stereo x: expected left, side-by-side or anaglyph\n')):
            self.assertTrue(self.pica('view', *args, CAPTURES / 'cube.pica', exit=2).startswith('pica view: ' + what), what)

    def test_options_of_a_terminal(self):
        for args, what in ((['--float', 'f32'], '--float'), (['--combiner', 'truncate'], '--combiner'),
                           (['--pixels', 'blocks'], '--pixels')):
            err = self.pica('view', '--backend', 'kms', *args, CAPTURES / 'cube.pica', exit=2)
            self.assertIn(what, err)
            self.assertIn('only in a terminal, and --backend=kms asks for a display\n', err)


class Video(Case):
    def test_video_is_that_of_the_pictures(self):
        for screen, width, height in ('both', 400, 480), ('bottom', 320, 240):
            out = self.dir / f'{screen}.y4m'
            self.assertEqual(self.pica('render', '--screen', screen, '-o', out, CAPTURES / 'octopus.pica'),
                             f'{out} {width}x{height}\n')
            self.pica('render', '--frames', 'all', '--format', 'ppm', '-o', f'{self.dir}/{{frame}}-{{screen}}.ppm',
                      CAPTURES / 'octopus.pica')
            video = out.read_bytes()
            head = f'YUV4MPEG2 W{width} H{height} F59831:1000 Ip A1:1 C444 XCOLORRANGE=LIMITED\n'.encode()
            self.assertTrue(video.startswith(head))
            size = 6 + 3 * width * height
            frames = (len(video) - len(head)) // size
            self.assertEqual(len(video), len(head) + frames * size)
            self.assertGreater(frames, 1)
            for frame in 0, frames - 1:
                data = video[len(head) + frame * size:][:size]
                self.assertEqual(data[:6], b'FRAME\n')
                luma = data[6:6 + width * height]
                rgb = (self.dir / f'{frame}-bottom.ppm').read_bytes()[-320 * 240 * 3:]
                for x, y in (0, 0), (319, 239), (160, 120), (77, 200):
                    r, g, b = rgb[3 * (320 * y + x):][:3]
                    at = (y + height - 240) * width + x + (width - 320) // 2
                    self.assertEqual(luma[at], (66 * r + 129 * g + 25 * b + 4224) >> 8)
                if screen == 'both':
                    self.assertEqual(luma[240 * width:][:40], bytes([16] * 40))  # black beside the bottom screen

    def test_outputs_that_are_not_videos(self):
        cube = CAPTURES / 'cube.pica'
        for args in (['--surface', '0x18000000,rgba8,64x64'], ['--every-draw'], ['--eye', 'both'], ['-o', 'x{frame}.y4m']):
            self.assertIn('--format y4m: a video', self.pica('render', '--format', 'y4m', *args, cube, exit=2))
        self.pica('render', '--format', 'y4m', '-o', '/no/such/folder/x.y4m', cube, exit=2)
        self.pica('render', '-o', self.dir / 'x.y4m', __file__, exit=3)
        self.assertEqual((self.dir / 'x.y4m').read_bytes().count(b'FRAME'), 0)


class Refused(Case):
    def test_options_that_make_no_sense(self):
        os.mkfifo(self.dir / 'pipe')
        for args, what in ((('--display', 'hdmi'), '--display hdmi: expected kms, wayland, headless or none\n'),
                           (('--headless', '1x1'), 'headless: only with display = headless'),
                           (('--frames', 'none'), 'frames: only with display = headless'),
                           (('--display', 'headless', '--headless', '0x1'), '--headless 0x1: expected WIDTHxHEIGHT'),
                           (('--display', 'headless', '--frames', 'gif:x'),
                            '--frames gif:x: expected hash:FILE, png:PATTERN, y4m:FILE or none'),
                           (('--display', 'headless', '--frames', 'y4m:'), '--frames y4m:: expected hash:FILE'),
                           (('--display', 'headless', '--frames', 'png:x.png'),
                            '--frames png:x.png: expected a pattern with {frame}'),
                           (('--display', 'headless', '--headless', '9x9,9x9', '--frames', 'png:{frame}.png'),
                            'frames png:{frame}.png: expected a pattern with {frame} and, for several outputs, {output}'),
                           (('--display', 'headless', '--frames', 'png:{frame}{n}.png'),
                            '--frames png:{frame}{n}.png: expected {frame} and {output}, no other name in braces\n'),
                           (('--display', 'headless', '--frames', f'png:{self.dir}/none/{{frame}}.png'),
                            f'cannot start: frames to png:{self.dir}/none/{{frame}}.png: No such file or directory\n'),
                           (('--display', 'headless', '--frames', f'hash:{self.dir}/none/x'),
                            f'cannot start: frames to hash:{self.dir}/none/x: No such file or directory\n'),
                           (('--display', 'headless', '--frames', f'png:{__file__}/{{frame}}.png'),
                            '{frame}.png: Not a directory\n'),
                           (('--layout', 'left'), '--layout left: expected stacked, side-by-side, top, bottom or split-outputs\n'),
                           (('--display', 'headless', '--scale', '0'), '--scale 0: expected integer, fit, stretch or a number'),
                           (('--display', 'headless', '--background', 'red'), '--background red: expected RRGGBB'),
                           (('--display', 'headless', '--background', '##102030'), '--background ##102030: expected RRGGBB'),
                           (('--exec', ''), '--exec : expected a command'),
                           (('--exec', ' \t', '--display', 'headless'), '--exec  '),
                           (('--kiosk', 'x', '--display', 'none'), 'kiosk: needs a display'),
                           (('--exec', 'x', '--kiosk', 'x', '--display', 'headless'), 'exec: expected no kiosk as well'),
                           (('--hold', '3', '--display', 'headless'), 'hold: only with kiosk'),
                           (('--hold', 'abc'), '--hold abc: expected seconds from 0 to 86400'),
                           (('--hold', '-1', '--kiosk', 'x', '--display', 'headless'),
                            '--hold -1: expected seconds from 0 to 86400'),
                           (('--hold', '1s', '--kiosk', 'x', '--display', 'headless'), '--hold 1s: expected seconds'),
                           (('x.pica',), 'unexpected argument: x.pica'),
                           (('--display', 'headless', '--focus', 'pinned:'), '--focus pinned:: expected last, priority or pinned:NAME'),
                           (('--display', 'headless', '--idle', '/no/such.png'),
                            'picad: idle: /no/such.png: No such file or directory\n'),
                           (('--display', 'headless', '--idle', __file__), 'not a PNG'),
                           (('--display', 'headless', '--idle', self.dir / 'pipe'),
                            f'picad: idle: {self.dir}/pipe: expected a PNG in a regular file'),
                           (('--trace', self.dir / 'pipe'),
                            f'picad: trace: {self.dir}/pipe: expected a regular file, this is a pipe')):
            self.assertIn(what, self.refused(*args))

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_pictures_have_to_be_writable_from_the_start(self):
        self.dir.chmod(0o755)
        out = self.dir / 'pictures'
        out.mkdir(0o755)
        args = '--headless', '64x48@100', '--user', 'nobody', '--frames', f'png:{out}/{{frame}}.png'
        self.assertIn(f'it cannot start: frames to png:{out}/{{frame}}.png: Permission denied\n',
                      self.refused('--display', 'headless', '--threads', '1', *args))
        os.chown(out, pwd.getpwnam('nobody').pw_uid, -1)
        p = self.start(*args)
        self.until(lambda: list(out.iterdir()))
        self.assertNotIn('level=error', self.end(p))

    def test_options_that_need_a_display(self):
        for option, value in (('layout', 'top'), ('scale', 'fit'), ('filter', 'bilinear'), ('rotate', '90'),
                              ('background', '102030'), ('stereo', 'left'), ('focus', 'last'), ('idle', '/x.png'),
                              ('linger-ms', '1')):
            said = f'picad: {option}: only with display = kms, wayland or headless\n'
            for display in (), ('--display', 'none'):
                self.assertEqual(self.refused(*display, f'--{option}', value), said)
            (self.dir / 'picad.conf').write_text(f'[picad]\n{option} = {value}\n')
            self.assertEqual(self.refused(), said)
            (self.dir / 'picad.conf').write_text('[picad]\n')
        (self.dir / 'picad.conf').write_text('[picad]\nexec =\n')
        self.assertEqual(self.refused(), f'picad: {self.dir}/picad.conf:2: exec : expected a command\n')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
