#!/usr/bin/env python3
"""Who is shown on picad's display, pictures of it, its numbers, and settings that change meanwhile.

test_focus.py PICA PICAD PRESENTER CAPTURES
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import unittest

from test_show import CAPTURES, ENV, PICA, PRESENTER, Case


class Asked(Case):
    """What the display does is asked for."""

    def present(self, capture, name):
        """A client that has presented the last frame of a capture and stays."""
        p = subprocess.Popen([PRESENTER, self.socket, str(CAPTURES / capture), name], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(self.leave, p)
        self.assertEqual(p.stdout.readline(), 'presented\n')
        return p

    def leave(self, p):
        p.communicate('', timeout=300)

    def frame(self, capture):
        path = self.dir / f'{capture}.ppm'
        self.pica('render', '--screen', 'top', '-o', path, CAPTURES / capture)
        return path.read_bytes()

    def metrics(self):
        text = self.pica('metrics', f'--connect={self.socket}')
        return dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))

    def on_display(self):
        report = json.loads(self.pica('sessions', f'--connect={self.socket}', '--json'))
        return {row['name']: (row['is_shown'], row['is_pinned']) for row in report['sessions']}


class Ruled(Asked):
    """pica focus, screenshot and metrics."""

    def test_pictures_of_a_session_count_for_it(self):
        used = []
        for presents in 2, 64:
            p = self.start('--presents', str(presents))
            self.present('cube.pica', 'cube')
            used.append(max(int(value) for key, value in self.metrics().items()
                            if key.startswith('picad_session_engine_memory_bytes{')))
            self.end(p)
        # Two screens of 32 bits a pixel each time, beside caches that may differ.
        self.assertGreater(used[1] - used[0], 62 * 4 * 240 * (400 + 320) * 0.9)

    def test_focus_screenshot_and_numbers(self):
        cube, knot = self.frame('cube.pica'), self.frame('knot.pica')
        p = self.start('--headless', '400x240@200', '--layout', 'top', '--linger-ms', '600000')
        connect = f'--connect={self.socket}'
        first = self.present('cube.pica', 'first')
        self.assertEqual(self.picture(), cube)
        second = self.present('knot.pica', 'second')
        self.assertEqual(self.picture(), knot)
        sessions = json.loads(self.pica('sessions', connect, '--json'))['sessions']
        ids = {row['name']: row['id'] for row in sessions}
        self.assertEqual({row['name']: row['is_shown'] for row in sessions}, {'first': False, 'second': True})
        self.pica('focus', connect, ids['first'])
        self.until(lambda: self.picture() == cube)
        self.assertEqual(self.on_display(), {'first': (True, True), 'second': (False, False)})
        rows = [line.split() for line in self.pica('sessions', connect).splitlines()]
        self.assertEqual({row[3]: row[-1] for row in rows}, {'name': 'display', 'first': 'shown,pinned', 'second': '-'})
        self.assertIn(' shown,pinned\n', self.pica('top', connect, '--once'))
        self.pica('focus', connect, 'policy')
        self.until(lambda: self.picture() == knot)
        self.assertEqual(self.on_display(), {'first': (False, False), 'second': (True, False)})
        numbers = self.metrics()
        self.assertEqual(numbers['picad_outputs'], '1')
        self.assertEqual(numbers['picad_shown_session'], str(ids['second']))
        self.assertEqual(int(numbers['picad_frames_presented_total']),
                         sum(int(numbers[f'picad_session_frames_presented_total{{session="{i}",name="{n}"}}'])
                             for n, i in ids.items()))
        self.assertEqual(numbers['picad_frames_dropped_total'], '0')
        self.assertGreater(float(numbers['picad_flip_latency_seconds{quantile="0.5"}']), 0)
        # Who is shown goes: the other one; nobody is left: the last picture stays.
        self.leave(second)
        self.until(lambda: self.picture() == cube)
        self.leave(first)
        self.until(lambda: json.loads(self.pica('sessions', connect, '--json'))['sessions'] == [])
        self.assertEqual(self.picture(), cube)
        self.end(p)

    def test_the_highest_priority_is_shown(self):
        def play(name, *options):
            return subprocess.Popen([PICA, 'play', f'--connect={self.socket}', '--loop', '--name', name, *options,
                                     CAPTURES / f'{name}.pica'], env=ENV)
        logic, blend = self.frame('logic.pica'), self.frame('blend.pica')
        p = self.start('--headless', '400x240@200', '--layout', 'top', '--focus', 'priority', '--max-priority', '5')
        first = play('logic', '--priority', '9')
        self.until(lambda: self.picture() == logic)
        second = play('blend', '--priority=4')
        self.until(lambda: any(name.startswith('picad_session_frames_hidden_total') and 'name="blend"' in name and int(n) > 3
                               for name, n in self.metrics().items()))
        self.assertEqual(self.picture(), logic)
        rows = json.loads(self.pica('sessions', f'--connect={self.socket}', '--json'))['sessions']
        self.assertEqual({row['name']: row['priority'] for row in rows}, {'logic': 5, 'blend': 4})
        first.terminate()
        self.assertEqual(first.wait(timeout=300), 0)
        self.until(lambda: self.picture() == blend)
        second.terminate()
        self.assertEqual(second.wait(timeout=300), 0)
        for text in '11', '-11', 'x', '':
            self.assertIn('-10 to 10', self.pica('play', '--priority', text, CAPTURES / 'blend.pica', exit=2))
        self.end(p)

    def test_screenshot_of_each_output(self):
        connect = f'--connect={self.socket}'
        p = self.start('--headless', '400x240@200,320x240@200,64x48@200', '--layout', 'split-outputs', '--linger-ms', '600000',
                       '--background', '204060')
        self.said(p, 'event=output output=1 name=headless-2 mode=320x240')
        self.present('octopus.pica', 'first')
        self.pica('render', '-o', f'{self.dir}/want-{{screen}}.ppm', CAPTURES / 'octopus.pica')
        want = [(self.dir / f'want-{screen}.ppm').read_bytes() for screen in ('top', 'bottom')]
        want += [b'P6\n64 48\n255\n' + 64 * 48 * b'\x20\x40\x60']  # a third output has no screen
        said = self.pica('screenshot', connect, '-o', f'{self.dir}/{{display}}-have-{{display}}.ppm')
        self.assertEqual(said, ''.join(f'{self.dir}/{n}-have-{n}.ppm {size}\n'
                                       for n, size in enumerate(('400x240', '320x240', '64x48'))))
        have = sorted(self.dir.glob('*-have-*.ppm'))
        self.assertEqual([path.name for path in have], ['0-have-0.ppm', '1-have-1.ppm', '2-have-2.ppm'])
        self.assertEqual([path.read_bytes() for path in have], want)
        for n in 2, 1, 0:
            self.pica('screenshot', connect, '--display', n, '-o', self.dir / 'one.ppm')
            self.assertEqual((self.dir / 'one.ppm').read_bytes(), want[n])
        self.assertEqual(self.picture(), want[0])
        self.pica('screenshot', connect, '--display=1', '-o', f'{self.dir}/only-{{display}}.ppm')
        self.assertEqual([path.name for path in self.dir.glob('only-*')], ['only-1.ppm'])
        for n in 3, 0xFFFFFFFF:
            self.assertIn('no such output', self.pica('screenshot', connect, '--display', n, '-o', self.dir / 'x.ppm', exit=2))
        for n in 'HDMI-A-1', '-1', 1 << 32, '':
            self.assertIn(f'--display {n}: expected the number of an output',
                          self.pica('screenshot', connect, '--display', n, '-o', self.dir / 'x.ppm', exit=2))
        self.assertIn('expected {display}, no other name in braces',
                      self.pica('screenshot', connect, '-o', f'{self.dir}/{{output}}.ppm', exit=2))
        self.assertFalse((self.dir / 'x.ppm').exists())
        self.end(p)

    def test_refusals(self):
        connect = f'--connect={self.socket}'
        p = self.picad()
        while 'event=ready' not in p.stderr.readline():
            pass
        for args in (('focus', connect, '1'), ('screenshot', connect, '-o', self.dir / 'x.png')):
            self.assertIn('the service has no display', self.pica(*args, exit=2))
        self.assertFalse((self.dir / 'x.png').exists())
        self.end(p)
        self.pica('focus', connect, '1', exit=4)
        p = self.start()
        self.assertIn('no such session', self.pica('focus', connect, '99', exit=2))
        for word in 'x', '0', '-1', '1x':
            self.pica('focus', connect, word, exit=2)
        self.pica('focus', connect, exit=2)
        self.pica('screenshot', connect, exit=2)
        self.assertIn('expected the name of a file', self.pica('screenshot', connect, '-o', '', exit=2))
        self.assertIn('No such file', self.pica('screenshot', connect, '-o', '/no/such/folder/x.png', exit=2))
        self.end(p)


class Reread(Asked):
    """SIGHUP."""
    test_focus_screenshot_and_numbers = test_screenshot_of_each_output = test_refusals = None

    def reread(self, p, text):
        """What it says, from SIGHUP to the verdict."""
        (self.dir / 'picad.conf').write_text('[picad]\n' + text)
        p.send_signal(signal.SIGHUP)
        said = ''
        while not re.search(r'event=reload(ed|_failed)', said):
            line = p.stderr.readline()
            self.assertTrue(line, said)
            said += line
        return said

    def test_display_is_configured_again(self):
        p = self.start('--headless', '400x480@200', '--linger-ms', '600000', '--frames', f'hash:{self.dir}/hashes')
        first = self.present('cube.pica', 'first')
        stacked = self.picture()
        self.assertIn('event=reloaded', self.reread(p, 'layout = bottom\nbackground = 203040\n'))
        self.until(lambda: self.picture() != stacked)
        bottom = self.picture()
        self.assertEqual(bottom[-3:], bytes.fromhex('203040'))
        self.assertIn('event=reloaded', self.reread(p, 'rotate = 180\n'))
        self.until(lambda: self.picture() not in (stacked, bottom))
        turned = self.picture()[-400 * 480 * 3:]
        px = [turned[i:i + 3] for i in range(0, len(turned), 3)]
        self.assertEqual(b''.join(px[::-1]), stacked[-len(turned):])
        # The pictures in between: of each way one, and never a black one.
        frames = len(self.pica('render', '--format', 'hash', '--frames', 'all', '--screen', 'top',
                               CAPTURES / 'cube.pica').splitlines())
        self.end(p)
        self.leave(first)
        have = [row[2] for row in self.shown()]
        self.assertEqual(len(have), 1 + frames + 2, have)
        self.assertEqual(len(set(have)), len(have))

    def test_the_display_follows_the_present_log_level(self):
        p = self.start('--headless', '400x480@200', '--layout', 'top', '--linger-ms', '0')

        def come_and_go(name):
            before = self.picture()
            client = self.present('cube.pica', name)
            self.until(lambda: self.picture() != before)
            self.leave(client)
            self.until(lambda: self.picture() == before)

        come_and_go('first')
        self.assertIn(' event=shown session=', self.reread(p, 'log-level = info\n'))
        (self.dir / 'picad.conf').write_text('[picad]\nlog-level = error\nbackground = 203040\n')
        p.send_signal(signal.SIGHUP)
        self.until(lambda: self.picture()[-3:] == bytes.fromhex('203040'))
        come_and_go('second')
        self.assertRegex(self.reread(p, ''), r'^\S+ level=info event=reloaded sessions=\d+\n$')
        come_and_go('third')
        self.assertIn(' event=shown session=', self.reread(p, ''))
        # From the start, and to the end: of picad as a whole.
        self.end(p)
        (self.dir / 'picad.conf').write_text('[picad]\nlog-level = error\n')
        p = self.picad('--display', 'headless', '--threads', '1', '--headless', '400x480@200')
        def listens():  # which it says to nobody
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
                return s.connect_ex(self.socket) == 0
        self.until(listens)
        come_and_go('fourth')
        self.assertEqual(self.end(p), '')

    def test_focus_and_the_idle_picture(self):
        p = self.start('--headless', '400x240@200', '--layout', 'top')
        self.pica('render', '--screen', 'top', '-o', self.dir / 'idle.png', CAPTURES / 'knot.pica')
        first, second = self.present('cube.pica', 'first'), self.present('planet.pica', 'second')
        planet = self.picture()
        self.reread(p, 'focus = pinned:first\n')
        self.until(lambda: self.picture() != planet)
        self.assertEqual(self.picture(), self.frame('cube.pica'))
        self.reread(p, f'focus = pinned:nobody\nlinger-ms = 0\nidle = {self.dir}/idle.png\n')
        self.until(lambda: self.picture() == self.frame('knot.pica'))
        self.leave(first)
        self.leave(second)
        self.end(p)

    def test_fixed_keys_are_named_and_mistakes_change_nothing(self):
        os.mkfifo(self.dir / 'pipe')
        p = self.start('--headless', '64x48', '--layout', 'top')
        idle = self.picture()
        self.assertIn('event=reloaded', self.reread(p, 'mode = 64x64\nthreads = 3\nlayout = bottom\n'))
        # The command line's threads and layout win: they do not change.
        line = p.stderr.readline()
        self.assertIn('event=reload_incomplete keys=mode text=', line)
        for text, what in (('scale = 0\n', 'scale 0: expected'), ('background = red\n', 'background red: expected'),
                           ('idle = /no/such.png\n', 'idle: /no/such.png: '),
                           (f'idle = {self.dir}/pipe\n', 'expected a PNG in a regular file')):
            said = self.reread(p, text)
            self.assertIn(what, said)
            self.assertIn('event=reload_failed', said)
        self.assertEqual(self.picture(), idle)
        # It still waits for the next start; defaults that are said now do not.
        self.reread(p, 'mode = 64x64\nframes = none\nloop = auto\nsandbox = auto\nrecord-when = always\n')
        self.assertIn('keys=mode ', p.stderr.readline())
        self.end(p)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
