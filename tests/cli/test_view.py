#!/usr/bin/env python3
"""pica view in a terminal: test_view.py PICA CAPTURES [unittest arguments]"""
import fcntl
import itertools
import os
import pathlib
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import unittest.mock

import terminal

PICA = os.path.abspath(sys.argv[1])
CAPTURES = pathlib.Path(sys.argv[2]).resolve()
CAPTURE = str(CAPTURES / 'octopus.pica')


class View(unittest.TestCase):
    def start(self, *args, rows=31, columns=80, pixels=(0, 0), threads=('--threads', '0'), capture=CAPTURE):
        self.master, slave = terminal.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, *pixels))
        self.p = subprocess.Popen([PICA, 'view', '--backend', 'term', *threads, *args, capture], stdin=slave,
                                  stdout=slave, stderr=subprocess.PIPE, start_new_session=True)
        os.close(slave)
        self.addCleanup(self.end)
        self.seen = b''

    def end(self):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        self.p.stderr.close()
        os.close(self.master)

    def key(self, keys):
        os.write(self.master, keys)

    def take(self, seconds):
        """Waits for the program's output and returns it; after its end there is no more."""
        if not select.select([self.master], [], [], seconds)[0]:
            return b''
        try:
            return os.read(self.master, 1 << 16)
        except OSError:
            time.sleep(seconds / 10)
            return b''

    def read_until(self, what):
        """Output up to the first match of `what`, which is removed."""
        deadline = time.monotonic() + 60
        while not (match := re.search(what, self.seen)):
            self.assertLess(time.monotonic(), deadline, self.seen[-300:])
            self.seen += self.take(1)
        text, self.seen = self.seen[:match.end()], self.seen[match.end():]
        return text

    def paused_at(self, frame):
        """The picture on the terminal when paused at a frame, from 0."""
        return self.read_until(rb'frame %d of 0-\d+  paused' % frame)

    def finish(self, key=b'q'):
        self.key(key)
        deadline = time.monotonic() + 60
        while self.p.poll() is None:
            self.assertLess(time.monotonic(), deadline)
            self.take(0.02)
        self.assertEqual(self.p.returncode, 0, self.p.stderr.read())

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PICA, 'render', '--frames', 'all', '--format', 'ppm', '-o', folder + '/{frame}-{screen}.ppm',
                            CAPTURE], check=True, stdout=subprocess.DEVNULL)
            files = sorted(pathlib.Path(folder).glob('*-top.ppm'))
            cls.top = [(pathlib.Path(folder) / f'{i}-top.ppm').read_bytes()[-400 * 240 * 3:] for i in range(len(files))]

    def mean(self, frame, x0, y0, size):
        total = [0, 0, 0]
        for y in range(y0, y0 + size):
            for x in range(x0, x0 + size):
                for c in range(3):
                    total[c] += self.top[frame][3 * (400 * y + x) + c]
        return tuple((t + size * size // 2) // (size * size) for t in total)

    def cells(self, text):
        """Rows of (above, below) of the last picture."""
        text = text[text.rindex(b'\x1b[H'):]
        rows = []
        for line in re.split(rb'\r+\n', text):  # a terminal makes \r\r\n of it
            above = below = None
            row = []
            for match in re.finditer(rb'\x1b\[([34]8);2;(\d+);(\d+);(\d+)m|\xe2\x96\x80', line):
                if match[1] == b'38':
                    above = tuple(map(int, match.groups()[1:]))
                elif match[1] == b'48':
                    below = tuple(map(int, match.groups()[1:]))
                else:
                    row.append((above, below))
            rows.append(row)
        return rows

    def test_blocks_are_the_means_of_the_pixels(self):
        # 400x240 in 50 columns and 15 rows of two: squares of 8 pixels.
        self.start('--pixels', 'blocks', '--screen', 'top', rows=16, columns=50)
        self.read_until(rb'frame \d+ of 0-\d+  (playing|slow)')
        self.key(b' ')
        text = self.read_until(rb'frame (\d+) of 0-\d+  paused')
        frame = int(re.findall(rb'frame (\d+) of', text)[-1])
        rows = self.cells(text)
        self.assertEqual([len(row) for row in rows], [50] * 15)
        for x, y in (0, 0), (49, 0), (25, 7), (10, 14), (30, 5):
            self.assertEqual(rows[y][x], (self.mean(frame, 8 * x, 16 * y, 8), self.mean(frame, 8 * x, 16 * y + 8, 8)))
        self.finish()

    def test_picture_of_a_videocore(self):
        # 640x480 in 40 columns and 15 rows of two: squares of 16 pixels.
        self.start('--pixels', 'blocks', rows=16, columns=40, capture=str(CAPTURES / 'vc4-mesh.pica'))
        self.read_until(rb'frame \d+ of 0-1  (playing|slow)')
        self.key(b' ')
        text = self.read_until(rb'frame (\d+) of 0-1  paused')
        frame = int(re.findall(rb'frame (\d+) of', text)[-1])
        picture = subprocess.run([PICA, 'render', '--frames', str(frame), '--format', 'ppm', '-o', '-',
                                  CAPTURES / 'vc4-mesh.pica'], check=True, capture_output=True).stdout[-640 * 480 * 3:]
        rows = self.cells(text)
        self.assertEqual([len(row) for row in rows], [40] * 15)
        for x, y in (0, 0), (20, 15), (11, 20):
            pixels = [picture[3 * (640 * (16 * y + j) + 16 * x + i) + c] for c in range(3) for j in range(16)
                      for i in range(16)]
            self.assertEqual(rows[y // 2][x][y % 2], tuple((sum(pixels[256 * c:256 * c + 256]) + 128) // 256
                                                           for c in range(3)))
        self.finish()

    def test_work_that_cannot_be_done_is_reported_at_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder) / 'bad.ctf'
            stream = b''.join(struct.pack('<5I', 0xE3, 0x10401000 + 4 * register, value, 0, 0)
                              for register, value in ((0x238, 8), (0x23A, 0x70000000 >> 3), (0x23C, 1)))
            bad.write_bytes(b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 +
                            struct.pack('<II', 100, len(stream)) + stream)
            self.start('--pixels', 'blocks', capture=str(bad))
            self.read_until(rb'frame 0 of 0-0  (playing|slow)')
            self.read_until(rb'frame 0 of 0-0  (playing|slow)')  # again, and it goes on
            self.key(b'q')
            while self.p.poll() is None:
                self.take(0.02)
            self.assertEqual((self.p.returncode, self.p.stderr.read()),
                             (3, b'pica view: %s: byte 0x8C: expected a command list inside memory\n' % bytes(bad)))

    def test_keys_step_and_wrap(self):
        self.start('--pixels', 'blocks', '--screen', 'top', rows=16, columns=50)
        n = len(self.top)
        self.read_until(rb'frame \d+ of')
        self.key(b' ')
        frame = int(re.findall(rb'frame (\d+) of', self.read_until(rb'frame (\d+) of 0-\d+  paused'))[-1])
        for key, step in (b'\x1b[C', 1), (b'\x1bOC', 1), (b'\x1b[D', -1), (b'\x1b[D', -1), (b'\x1b[D', -1):
            self.key(key)
            frame = (frame + step) % n
            self.paused_at(frame)
        while frame != 0:
            self.key(b'\x1b[D')
            frame -= 1
            self.paused_at(frame)
        self.key(b'\x1b[D')
        text = self.paused_at(n - 1)
        self.assertEqual(self.cells(text)[7][25][0], self.mean(n - 1, 200, 112, 8))
        self.key(b' ')
        self.read_until(rb'playing|slow')
        self.finish(b'\x1b')

    def test_resize_and_screens(self):
        self.start('--pixels', 'blocks', '--screen', 'top', rows=16, columns=50)
        self.read_until(rb'frame \d+ of')
        self.key(b' ')
        self.read_until(rb'paused')
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', 9, 25, 0, 0))
        os.kill(self.p.pid, signal.SIGWINCH)
        self.assertEqual([len(row) for row in self.cells(self.read_until(rb'(?s)\x1b\[2J.*?\x1b\[9;1H'))], [25] * 8)
        self.key(b's')  # the bottom screen: 320x240 in 16 pixels of height
        self.assertEqual(len(self.cells(self.read_until(rb'(?s)\x1b\[2J.*?\x1b\[9;1H'))[0]), 21)
        self.key(b's')  # both: 400x480
        self.assertEqual(len(self.cells(self.read_until(rb'(?s)\x1b\[2J.*?\x1b\[9;1H'))[0]), 13)
        self.finish()

    def test_a_window_that_is_too_small_says_so(self):
        def resize(rows, columns):
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            os.kill(self.p.pid, signal.SIGWINCH)
        self.start('--pixels', 'blocks', '--screen', 'top', rows=1, columns=1)
        self.read_until(rb'\x1b\[H2\x1b\[K\x1b\[J')
        self.assertEqual(self.take(1), b'') # and stands
        for rows, columns in (5, 80), (31, 19), (2, 12):
            resize(rows, columns)
            text = self.read_until(rb'(?s)\x1b\[2J.*\x1b\[J')
            self.assertIn(b'20x6 needed:', text)
            self.assertNotIn(b'\x1b[48;2', text)
            self.assertEqual(b'is too small' in text, rows > 2)
        resize(6, 20)
        self.assertEqual([len(row) for row in self.cells(self.read_until(rb'(?s)\x1b\[2J.*?\x1b\[6;1H'))], [16] * 5)
        self.read_until(rb'(?s)\x1b\[H.*\x1b\[6;1H.*\x1b\[H.*\x1b\[6;1H') # it continues
        resize(1, 80)
        self.read_until(rb'(?s)\x1b\[2J.*20x6 needed:.*\x1b\[J')
        self.key(b' ') # paused, while nothing shows it
        self.read_until(b'20x6 needed:')
        resize(6, 40)
        self.read_until(rb'(?s)\x1b\[2J.*\x1b\[6;1H\x1b\[7m\S+  frame \d+ of')
        self.assertEqual(self.take(1), b'')
        self.finish()

    def test_sixels(self):
        # The terminal's answer decides: it lists 4.
        self.start('--screen', 'top', rows=16, columns=50, pixels=(400, 256))
        self.read_until(rb'\x1b\[c')
        self.key(b'\x1b[?62;4;6c')
        text = self.read_until(rb'(?s)\x1bP0;1q.*?\x1b\\')
        self.key(b' ')
        text = self.read_until(rb'paused')
        frame = int(re.findall(rb'frame (\d+) of', text)[-1])
        data = text[text.rindex(b'\x1bP0;1q') + 6:text.rindex(b'\x1b\\')]
        self.assertTrue(data.startswith(b'"1;1;400;240'))
        picture, palette = self.decode(data[12:], 400, 240)
        # The mean of 4x4 dithered pixels equals the picture's, within a fraction of a level.
        for x, y in (0, 0), (396, 236), (200, 120), (100, 60):
            for c in range(3):
                have = sum(palette[picture[y + j][x + i]][c] * 255 / 100 for i in range(4) for j in range(4)) / 16
                self.assertLess(abs(have - self.mean(frame, x, y, 4)[c]), 26)
        self.finish()

    def decode(self, data, width, height):
        picture, palette = [[None] * width for _ in range(height)], {}
        x = y = color = 0
        for match in re.finditer(rb'#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|([?-~])|(\$)|(-)', data):
            if match[1]:
                palette[int(match[1])] = tuple(map(int, match.groups()[1:4]))
            elif match[5]:
                color = int(match[5])
            elif match[9]:
                x = 0
            elif match[10]:
                x, y = 0, y + 6
            else:
                count, sixel = (int(match[6]), match[7]) if match[6] else (1, match[8])
                for _ in range(count):
                    for bit in range(6):
                        if (sixel[0] - 63) >> bit & 1:
                            self.assertIsNone(picture[y + bit][x])
                            picture[y + bit][x] = color
                    x += 1
        self.assertTrue(all(px is not None for row in picture for px in row))
        return picture, palette

    def test_signals_give_the_terminal_back(self):
        # With any number of threads: a signal is delivered to any thread that does not block it.
        for number, threads in itertools.product(
                (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1),
                (('--threads', '0'), ('--threads', '2'), ())):
            self.start('--pixels', 'blocks', threads=threads)
            self.read_until(rb'frame \d+ of')
            self.assertFalse(termios.tcgetattr(self.master)[3] & (termios.ECHO | termios.ICANON))
            self.p.send_signal(number)
            self.read_until(rb'\x1b\[\?25h\x1b\[\?1049l')
            self.p.wait(60)
            self.assertEqual(self.p.returncode, 0, (number, threads))
            self.assertTrue(termios.tcgetattr(self.master)[3] & termios.ECHO)
            self.assertTrue(termios.tcgetattr(self.master)[3] & termios.ICANON)
            self.doCleanups()

    @unittest.mock.patch.dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':handle_segv=0')
    def test_a_crash_gives_the_terminal_back(self):
        for number, threads in itertools.product((signal.SIGABRT, signal.SIGSEGV), ('0', '2')):
            self.start('--pixels', 'blocks', threads=('--threads', threads))
            self.read_until(rb'frame \d+ of')
            self.p.send_signal(number)
            self.read_until(rb'\x18\x1b\\\x1b\[0m\x1b\[\?25h\x1b\[\?1049l')
            self.p.wait(60)
            self.assertEqual(self.p.returncode, -number)
            self.assertTrue(termios.tcgetattr(self.master)[3] & termios.ICANON)
            self.doCleanups()

    def stall(self):
        """A view whose terminal accepts no more output."""
        self.start('--pixels', 'blocks', rows=60, columns=200, threads=('--threads', '2'))
        self.read_until(rb'frame \d+ of')
        time.sleep(1) # some frames of 100 KB: more than a terminal holds

    def test_a_blocked_terminal_is_restored(self):
        for how in b'q', b'\x13', signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1:
            self.stall()
            if isinstance(how, bytes):
                self.key(how) # Ctrl+S holds the output
                self.key(b'q')
            else:
                self.p.send_signal(how)
            began = time.monotonic()
            self.p.wait(60) # without reading meanwhile
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(self.p.returncode, 0, how)
            self.read_until(rb'\x1b\[\?25h\x1b\[\?1049l')
            self.assertTrue(termios.tcgetattr(self.master)[3] & termios.ICANON)
            self.assertTrue(termios.tcgetattr(self.master)[0] & termios.IXON)
            self.doCleanups()

    def test_a_blocked_terminal_can_be_suspended(self):
        self.stall()
        self.p.send_signal(signal.SIGTSTP)
        os.waitid(os.P_PID, self.p.pid, os.WSTOPPED)
        self.assertTrue(termios.tcgetattr(self.master)[3] & termios.ICANON)
        self.read_until(rb'\x18\x1b\\\x1b\[0m\x1b\[\?25h\x1b\[\?1049l$')
        self.p.send_signal(signal.SIGCONT)
        self.read_until(rb'\x1b\[\?1049h(?s:.*)frame \d+ of')
        self.key(b' ')
        frame = int(re.findall(rb'frame (\d+) of', self.read_until(rb'frame (\d+) of 0-\d+  paused'))[-1])
        self.key(b'\x1b[C')
        self.paused_at((frame + 1) % len(self.top))
        self.finish()

    def test_the_status_line_shows_the_key_to_quit(self):
        self.start('--pixels', 'blocks')
        line = self.read_until(rb'\x1b\[31;1H\x1b\[7m[^\x1b]*\x1b\[0m').split(b'[7m')[1][:-4]
        self.assertEqual(len(line), 80)
        self.assertIn(b'  [q] quit  [space] pause  ', line)
        self.finish()

    def test_stopped_and_continued(self):
        self.start('--pixels', 'blocks', threads=())
        self.read_until(rb'frame \d+ of')
        for number in signal.SIGTSTP, signal.SIGSTOP, signal.SIGTSTP:
            self.p.send_signal(number)
            if number == signal.SIGTSTP:
                self.read_until(rb'\x1b\[\?1049l')
            os.waitid(os.P_PID, self.p.pid, os.WSTOPPED)
            self.p.send_signal(signal.SIGCONT)
            self.read_until(rb'\x1b\[\?1049h')
            self.read_until(rb'frame \d+ of')
            self.assertFalse(termios.tcgetattr(self.master)[3] & termios.ICANON)
        self.finish()

    def test_the_name_of_a_file_is_no_command_to_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'a\x1b[31m\u00e4\u009b.pica'
            path.symlink_to(CAPTURE)
            self.start('--pixels', 'blocks', capture=path)
            said = '\x1b[7ma\\x1B[31m\u00e4\\xC2\\x9B.pica  frame 0 of 0-'.encode()
            self.read_until(re.escape(said))
            self.finish()

    def test_a_display_is_that_of_the_picad_beside(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            shutil.copy(PICA, folder / 'pica')
            (folder / 'picad').write_text('#!/bin/sh\necho "$@" >"$0.said"\nexit $(cat "$0.ends")\n')
            (folder / 'picad').chmod(0o700)
            for status, exit in (0, 0), (1, 2):
                (folder / 'picad.ends').write_text(str(status))
                p = subprocess.run([folder / 'pica', 'view', '--backend', 'kms', '--rotate', '90', CAPTURE], timeout=60,
                                   capture_output=True)
                self.assertEqual(p.returncode, exit)
                said = (folder / 'picad.said').read_text()
                self.assertIn('--display=kms ', said)
                self.assertIn('--rotate=90', said)

    def test_mistakes(self):
        def refused(*args, exit=2, **kw):
            p = subprocess.run([PICA, 'view', *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, **kw)
            self.assertEqual(p.returncode, exit, p.stderr)
            return p.stderr
        self.assertIn('expected a terminal', refused('--backend', 'term', CAPTURE))
        self.assertIn('expected auto, kms, term or wayland', refused('--backend', 'x11', CAPTURE))
        self.assertIn('expected auto, sixel or blocks', refused('--pixels', 'ascii', CAPTURE))
        self.assertIn('expected one capture', refused(CAPTURE, CAPTURE))
        self.assertIn('expected a capture', refused())
        refused(__file__, exit=3)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
