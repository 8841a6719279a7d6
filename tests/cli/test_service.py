#!/usr/bin/env python3
"""The tool with a service: test_service.py PICA PICAD DATA CAPTURES [unittest arguments]"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PICA, PICAD = (os.path.abspath(p) for p in sys.argv[1:3])
DATA, CAPTURES = (pathlib.Path(p).resolve() for p in sys.argv[3:5])
CUBE = str(CAPTURES / 'cube.pica')
PERSP = str(DATA / 'st_persp.ctf')
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}


def pica(*args, exit=0, **kw):
    """Standard output and error of the tool."""
    p = subprocess.run([PICA, *map(str, args)], capture_output=True, text=True, timeout=120,
                       env=dict(ENV, **kw.pop('env', {})), **kw)
    assert p.returncode == exit, f'{args}: exit {p.returncode}, not {exit}\n{p.stdout}{p.stderr}'
    return p.stdout, p.stderr


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='pica-service')
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.socket = str(self.dir / '0')
        (self.dir / 'picad.conf').write_text('[picad]\n')

    def start(self, *args):
        p = subprocess.Popen([PICAD, '--socket', self.socket, '--config', str(self.dir / 'picad.conf'), *args],
                             stderr=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(self.end, p)
        self.assertIn('event=ready', p.stderr.readline())
        return p

    def end(self, p, sig=signal.SIGTERM):
        """Stops a service; its log."""
        if p.poll() is None:
            p.send_signal(sig)
        return p.communicate(timeout=60)[1] if not p.stderr.closed else ''


class Render(Case):
    @classmethod
    def setUpClass(cls):
        cls.captures = [*map(str, sorted(CAPTURES.glob('*.pica'))), str(CAPTURES / 'triangle.ctf.zst'),
                        *map(str, sorted(DATA.glob('*.ctf')))]
        cls.args = 'render', '--format', 'hash', '--frames', 'all', '--eye', 'both'
        cls.here = pica(*cls.args, *cls.captures)

    def same_pictures(self, connect):
        self.assertGreaterEqual(len(self.captures), 43)
        self.assertGreater(len(self.here[0].splitlines()), 500)
        self.assertEqual(pica(*self.args, connect, *self.captures), self.here)
        print(f'{connect}: {len(self.here[0].splitlines())} pictures of {len(self.captures)} captures, the same')

    def test_same_pictures_in_this_process(self):
        self.same_pictures('--connect=builtin:1')

    def test_same_pictures_on_epoll(self):
        self.start('--loop', 'epoll', '--threads', '1')
        self.same_pictures(f'--connect={self.socket}')

    def test_same_pictures_on_the_best_loop(self):
        self.start('--loop', 'auto', '--threads', '0')
        self.same_pictures(f'--connect={self.socket}')

    def test_files_and_reports_are_the_same(self):
        """Surfaces, buffers where no screen is shown, one frame of several; and counters."""
        self.start('--threads', '0')
        surface = '0x18000000,rgba8,240x400'
        for name, args in (('surface', ('--surface', surface, CUBE)), ('frame', ('--frames', '1', PERSP)),
                           ('empty', (str(DATA / 'st_empty.ctf'),)), ('screen', ('--screen', 'bottom', CUBE))):
            seen = []
            for where, connect in ('here', ()), ('there', (f'--connect={self.socket}',)):
                folder = self.dir / where
                folder.mkdir(exist_ok=True)
                report = json.loads(pica('render', '--json', '-o', f'{folder}/{name}/', *connect, *args)[0])
                files = {p.name: p.read_bytes() for p in (folder / name).glob('*')}
                self.assertGreaterEqual(len(files), 1, name)
                seen.append((json.dumps(report).replace(str(folder), 'X'), files))
            self.assertEqual(seen[0], seen[1], name)

    def test_expected_pictures(self):
        self.start('--threads', '0')
        out, _ = pica('render', '--verify', f'--connect={self.socket}', *sorted(CAPTURES.glob('s*.pica')))
        self.assertIn('stereo: ', out)
        self.assertEqual(len(out.splitlines()), len(list(CAPTURES.glob('s*.pica'))))

    def test_the_usual_place(self):
        self.start('--threads', '0')
        here, there = (pica('render', '--format', 'hash', *a, CUBE, env={'PICA_SOCKET': self.socket})[0]
                       for a in ((), ('--connect',)))
        self.assertEqual(here, there)


class Trouble(Case):
    def test_no_service(self):
        _, err = pica('render', f'--connect={self.socket}', CUBE, exit=4)
        self.assertIn(f'no service at {self.socket}: No such file or directory', err)

    def test_options_that_are_the_services(self):
        for option, what in (('--threads=1', '--threads is the service\'s own'),
                             ('--float=f32', '--float is the service\'s own'),
                             ('--every-draw', 'in this process only')):
            _, err = pica('render', '--connect=builtin:', option, CUBE, exit=2)
            self.assertIn(what, err)

    def test_a_quota_is_named(self):
        self.start('--threads', '0', '--memory', '64M')
        _, err = pica('render', f'--connect={self.socket}', '--format=none', PERSP, exit=2)
        self.assertIn('quota of memory_bytes used up', err)

    def test_a_service_that_dies(self):
        """Stopped when the client is connected, so that its work is in flight; then killed."""
        service = self.start('--threads', '0')
        client = subprocess.Popen([PICA, 'render', f'--connect={self.socket}', '--frames=all', '--format=hash',
                                   *[PERSP] * 200], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
        self.assertIn('event=session_open', service.stderr.readline())
        service.kill()
        out, err = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 4, err)
        self.assertRegex(err, 'the service is gone|Connection refused')
        self.assertLess(len(out.splitlines()), 200 * 30)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
