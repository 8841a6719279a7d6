#!/usr/bin/env python3
"""picad in a window of a compositor that does what the test says (compositor.c):

test_window.py PICA PICAD COMPOSITOR CAPTURES [unittest arguments]
"""
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys
import time
import unittest

from test_show import CAPTURES, ENV, PICA, PICAD, PRESENTER as COMPOSITOR, Case

ESCAPE, F11 = 1, 87
MAXIMIZED, FULLSCREEN, RESIZING, ACTIVATED = 1, 2, 3, 4
SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW


class Compositor:
    def __init__(self, folder, *lacks):
        self.process = subprocess.Popen([COMPOSITOR, 'window', *lacks], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(ENV, XDG_RUNTIME_DIR=str(folder)))
        assert self.process.stdout.readline() == 'ready\n'

    def tell(self, words):
        self.process.stdin.write(words + '\n')
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip()

    def state(self):
        return {key: int(value) for key, value in re.findall(r'(\w+)=(-?\d+)', self.tell('state'))}

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)


class Window(Case):
    def setUp(self):
        super().setUp()
        self.before = ''
        self.env = dict(ENV, XDG_RUNTIME_DIR=str(self.dir), WAYLAND_DISPLAY='window')

    def picad(self, *args, **kw):
        return subprocess.Popen([PICAD, '--config', str(self.dir / 'picad.conf'), '--display',
                                 'wayland', '--threads', '1', '--socket', self.socket, *map(str, args)], stderr=subprocess.PIPE, text=True,
                                env=self.env, **kw)

    def start(self, *args, lacks=()):
        self.compositor = Compositor(self.dir, *lacks)
        self.addCleanup(self.compositor.end)
        p = self.picad(*args)
        self.addCleanup(self.end, p)
        self.said(p, 'event=ready')
        self.wait(lambda s: s['commits'] and s['acked'])
        return p

    def wait(self, condition):
        """Waits until the compositor's state fulfils a condition."""
        deadline = time.monotonic() + 60
        while not condition(state := self.compositor.state()):
            self.assertLess(time.monotonic(), deadline, state)
            time.sleep(0.01)
        return state

    def expect(self, width, height, scale=1):
        """Waits for a picture of this size, and compares it with what the service says that it shows."""
        state = self.wait(lambda s: (s['width'], s['height'], s['scale'], s['acked']) == (width, height, scale, 1))
        self.assertEqual(state['stride'], (4 * width + 255) // 256 * 256)
        self.assertEqual(state['offset'] % 4096, 0)
        self.assertEqual(state['seals'], SEALS)
        self.assertEqual(self.compositor.tell(f'picture {self.dir}/window.ppm'), 'ok')
        self.assertEqual((self.dir / 'window.ppm').read_bytes(), self.picture())

    def ended(self, p, status, *words):
        said = self.end_of(p)
        self.assertEqual(p.returncode, status, said)
        for word in words:
            self.assertIn(word, said)

    def end_of(self, p):
        """It ends by itself."""
        with p.stderr:
            said = p.stderr.read()
        p.wait(60)
        return said

    def test_the_window_follows_the_compositor(self):
        p = self.start('--scale', 'fit')  # in the sandbox, as by default
        tell = self.compositor.tell
        self.expect(400, 480)  # its own choice: nine tenths of 1024 rows hold both screens once
        for width, height in (1, 1), (2, 4000), (677, 333), (1024, 3), (801, 961):
            tell(f'size {width} {height} {RESIZING}')
            self.expect(width, height)
        # Sizes that the compositor leaves to the window, or that no window can have.
        for words in 'size 0 0', 'size -1 -2147483648':
            tell(words)
            self.expect(801, 961)
        tell('size 640 0')
        self.expect(640, 961)
        # To a full screen, and back to the size before it.
        tell(f'key {F11}')
        self.assertEqual(self.wait(lambda s: s['fullscreen'])['fullscreen'], 1)
        tell(f'size 1280 1024 {FULLSCREEN} {ACTIVATED}')
        self.expect(1280, 1024)
        tell(f'key {F11}')
        self.wait(lambda s: s['fullscreen'] == 2)
        tell('size 0 0')
        self.expect(640, 961)
        # Many at once: the last one counts.
        for n in range(100):
            tell(f'size {n + 1} {2 * n + 1}')
        tell('size 320 240')
        self.expect(320, 240)
        self.end(p)
        self.assertEqual(p.returncode, 0)

    def test_the_window_opens_in_the_size_of_the_layout(self):
        for size, *args in (((720, 240), '--layout', 'side-by-side'), ((1200, 720), '--scale', '3', '--layout', 'top'),
                            ((960, 720), '--layout', 'bottom'), ((480, 800), '--layout', 'top', '--rotate', '90'),
                            ((800, 960), '--scale', '2'), ((800, 480), '--stereo', 'side-by-side')):
            p = self.start(*args)
            self.expect(*size)
            self.end(p)
            self.compositor.end()

    def test_the_compositor_draws_the_title_bar(self):
        """If it offers to; the window has a title and an application's name in any case."""
        for lacks, mode in ((), 2), (('zxdg_decoration_manager_v1',), 0):
            p = self.start(lacks=lacks)
            self.expect(400, 480)
            state = self.compositor.state()
            self.assertEqual((state['names'], state['decoration']), (2, mode))
            self.end(p)
            self.compositor.end()

    def test_huge_windows_have_the_largest_picture(self):
        p = self.start()
        tell = self.compositor.tell
        tell('size 2147483647 16')
        self.expect(8192, 16)
        tell('scale 3')
        self.expect(8190, 48, 3)  # a multiple of the scale
        tell('size 3 2147483647')
        self.expect(9, 8190, 3)
        self.end(p)
        self.assertEqual(p.returncode, 0)

    def test_pixels_are_those_of_the_screen(self):
        p = self.start()
        tell = self.compositor.tell
        tell('scale 2')
        self.expect(800, 960, 2)
        tell('leave')
        self.expect(400, 480)
        for odd, scale in (0, 1), (-5, 1), (1000, 8):
            tell(f'scale {odd}')
            self.expect(400 * scale, 480 * scale, scale)
        tell('unplug')
        tell('size 100 100')
        self.wait(lambda s: s['acked'])
        self.end(p)
        self.assertEqual(p.returncode, 0)

    def test_closing_the_window_ends_the_service(self):
        for words in 'close', f'key {ESCAPE}':
            p = self.start('--kiosk', CAPTURES / 'triangle.pica')
            self.compositor.tell(words)
            self.ended(p, 0, 'level=info event=display_ended why="its user closed it"', 'event=stopped')
            self.compositor.end()

    def test_other_keys_do_nothing(self):
        p = self.start()
        for key in 16, 28, 0, 4294967295:
            self.compositor.tell(f'key {key}')
        self.compositor.tell('size 123 45')
        self.expect(123, 45)
        self.end(p)

    def test_a_compositor_that_goes_away_ends_the_service(self):
        for words, why in (('error', 'the Wayland compositor refused a request: error 3 of xdg_surface'),
                           ('', 'the Wayland compositor went away')):
            p = self.start('--kiosk', CAPTURES / 'triangle.pica')
            if words:
                self.compositor.tell(words)
            else:
                self.compositor.process.kill()
            self.ended(p, 2, f'level=error event=display_ended why="{why}"', f'picad: it ends: {why}\n')
            self.compositor.end()

    def test_a_hidden_window_delays_nothing(self):
        """Neither frames that are not answered, nor buffers that are kept, stop sessions."""
        p = self.start()
        self.compositor.tell('frames 0')
        self.pica('play', f'--connect={self.socket}', '--rate', '0', CAPTURES / 'octopus.pica')
        self.compositor.tell('frames 1')
        self.compositor.tell('keep 1')
        self.pica('play', f'--connect={self.socket}', '--rate', '0', CAPTURES / 'triangle.pica')
        before = self.compositor.state()['commits']
        play = subprocess.Popen([PICA, 'play', f'--connect={self.socket}', '--loop', CAPTURES / 'octopus.pica'], env=ENV)
        time.sleep(0.5)
        self.assertLessEqual(self.compositor.state()['commits'], before + 3)
        play.terminate()
        play.wait(60)
        self.end(p)
        self.assertEqual(p.returncode, 0)

    def test_a_missing_compositor_is_named(self):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        silent = dict(self.env, WAYLAND_DISPLAY=str(self.dir / 'silent'))
        listener.bind(silent['WAYLAND_DISPLAY'])
        listener.listen(1)
        begin = 'picad: it cannot start: '
        self.env, env = silent, self.env
        hung_up = self.picad()
        listener.accept()[0].close()
        self.ended(hung_up, 2, begin + 'the Wayland compositor does not answer: ')
        slow = self.picad('--socket', self.dir / 'another')
        self.env = env
        for lack, text in ('xdg_wm_base', 'xdg_wm_base'), ('wl_shm', 'wl_shm'), ('wl_compositor', 'wl_compositor of version 4'):
            compositor = Compositor(self.dir, lack)
            self.ended(self.picad(), 2, begin + f'the Wayland compositor lacks {text}\n')
            compositor.end()
        self.ended(self.picad(), 2, begin + 'no Wayland compositor: No such file or directory: expected $WAYLAND_DISPLAY and '
                   '$XDG_RUNTIME_DIR of one\n')
        self.ended(slow, 2, begin + 'the Wayland compositor does not answer: Connection timed out\n')

    def test_messages_of_view_name_it(self):
        for args, what in (('--layout', 'stacked'), 'it cannot start: no Wayland compositor: '), \
                (('--scale', 'x'), '--scale x: expected integer, '):
            p = subprocess.run([PICA, 'view', '--backend', 'wayland', *args, CAPTURES / 'cube.pica'], env=self.env,
                               capture_output=True, text=True, timeout=60)
            self.assertEqual(p.returncode, 2)
            self.assertTrue(p.stderr.startswith('pica view: ' + what), p.stderr)

    def test_view_of_work_that_cannot_be_done_ends(self):
        self.compositor = Compositor(self.dir)
        self.addCleanup(self.compositor.end)
        stream = b''.join(struct.pack('<5I', 0xE3, 0x10401000 + 4 * register, value, 0, 0)
                          for register, value in ((0x238, 8), (0x23A, 0x70000000 >> 3), (0x23C, 1)))
        bad = self.dir / 'bad.ctf'
        bad.write_bytes(b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 +
                        struct.pack('<II', 100, len(stream)) + stream)
        p = subprocess.run([PICA, 'view', '--backend', 'wayland', '--threads', '1', bad], env=self.env, capture_output=True,
                           text=True, timeout=60)
        self.assertEqual(p.returncode, 3, p.stderr)
        self.assertIn(f'pica view: {bad}: byte 0x8C: expected a command list inside memory\n', p.stderr)

    def test_view(self):
        self.compositor = Compositor(self.dir)
        self.addCleanup(self.compositor.end)
        named = self.dir / '*?[x]{a,b}\\.pica'
        named.symlink_to(CAPTURES / 'colors.pica')
        args = [PICA, 'view', '--threads', '1', named]
        for more in ['--backend', 'wayland', '--screen', 'top'], ['--layout', 'top']:  # the second one asks for a display
            view = subprocess.Popen(args + more, env=self.env, stderr=subprocess.PIPE, text=True)
            self.addCleanup(view.kill)
            self.wait(lambda s: s['commits'] > 2)
            self.compositor.tell('size 400 240')
            self.wait(lambda s: (s['width'], s['height']) == (400, 240))
            time.sleep(0.1)
            self.compositor.tell(f'picture {self.dir}/window.ppm')
            self.pica('render', '--screen', 'top', '--frames', 'last', '-o', self.dir / 'drawn.ppm', CAPTURES / 'colors.pica')
            self.assertEqual((self.dir / 'window.ppm').read_bytes(), (self.dir / 'drawn.ppm').read_bytes())
            self.compositor.tell('close')
            lines = view.communicate(timeout=60)[1].splitlines()
            # A build with sanitizers has no sandbox.
            self.assertEqual([line for line in lines if 'event=sandbox_incomplete' not in line], [])
            self.assertEqual(view.returncode, 0)
            self.compositor.end()
            self.compositor = Compositor(self.dir)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
