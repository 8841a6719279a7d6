#!/usr/bin/env python3
"""Recordings of sessions are captures that show the same: test_record.py PICA PICAD CAPTURES [unittest arguments]"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from sample import EVERY

PICA, PICAD = (os.path.abspath(p) for p in sys.argv[1:3])
CAPTURES = pathlib.Path(sys.argv[3]).resolve()
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}


def pica(*args):
    p = subprocess.run([PICA, *map(str, args)], capture_output=True, text=True, timeout=300, env=ENV)
    assert p.returncode == 0, f'{args}: exit {p.returncode}\n{p.stdout}{p.stderr}'
    return p.stdout


def hashes(capture, *args):
    """The pictures of all frames, without the capture's name."""
    lines = pica('render', '--format', 'hash', '--frames', 'all', '--eye', 'both', *args, capture).splitlines()
    return [line.replace(pathlib.Path(capture).stem, 'NAME') for line in lines]


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='pica-record')
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.out = self.dir / 'recordings'
        self.out.mkdir()
        (self.dir / 'picad.conf').write_text('[picad]\n')

    def command(self, *args):
        return [PICAD, '--socket', str(self.dir / '0'), '--config', str(self.dir / 'picad.conf'), *map(str, args)]

    def start(self, *args):
        p = subprocess.Popen(self.command(*args), stderr=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(self.end, p)
        self.assertIn('event=ready', p.stderr.readline())
        return p

    def end(self, p):
        if p.poll() is None:
            p.send_signal(signal.SIGTERM)
        return p.communicate(timeout=300)[1] if not p.stderr.closed else ''

    def record(self, *args):
        """Records scenes of several kinds; returns the service's log."""
        p = self.start('--record', self.out, *args)
        for name in ('triangle', 'octopus', 'stereo', 'mirror', 'lanterns') if EVERY == 1 else ('triangle', 'stereo'):
            capture = CAPTURES / f'{name}.pica'
            before = set(self.out.iterdir())
            pica('render', '--format', 'none', f'--connect={self.dir / "0"}', capture)
            line = p.stderr.readline()
            while 'event=recorded' not in line:
                self.assertNotIn('failed', line)
                self.assertTrue(line)
                line = p.stderr.readline()
            (made,) = set(self.out.iterdir()) - before
            self.assertIn(f'path="{made}"', line)
            pica('verify', made)
            self.assertIn(' pictures as expected', pica('render', '--verify', '--format', 'none', made))
            self.assertEqual(hashes(made), hashes(capture))
        return self.end(p)

    def test_recordings_show_the_same_on_epoll(self):
        self.assertIn('event=stopped', self.record('--loop', 'epoll', '--threads', '2'))

    def test_recordings_show_the_same_on_the_best_loop(self):
        self.assertIn('event=stopped', self.record('--threads', '0', '--sandbox', 'off'))

    def test_only_requested_sessions_are_recorded(self):
        p = self.start('--record', self.out, '--record-when', 'asked')
        pica('render', '--format', 'none', f'--connect={self.dir / "0"}', CAPTURES / 'cube.pica')
        self.end(p)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_folder_that_is_not_there_is_made(self):
        self.out = self.dir / 'new'
        p = self.start('--record', self.out)
        pica('render', '--format', 'none', f'--connect={self.dir / "0"}', CAPTURES / 'cube.pica')
        self.end(p)
        # A recording cut short by the end of the service keeps the name of an unfinished one.
        self.assertEqual(len(list(self.out.iterdir())), 1)
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o700)

    def test_folders_that_cannot_be_made_are_refused(self):
        for folder, why in ((self.dir / 'none/none', 'cannot be created: No such file'),
                            (self.dir / 'picad.conf', 'expected a folder')):
            p = subprocess.run(self.command('--record', folder), capture_output=True, text=True, timeout=300, env=ENV)
            self.assertEqual(p.returncode, 2)
            self.assertIn(f'picad: record: {folder}: {why}', p.stderr)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
