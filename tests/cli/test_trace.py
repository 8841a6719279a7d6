#!/usr/bin/env python3
"""Timelines of the threads: test_trace.py PICA PICAD CAPTURES probes|no-probes [unittest arguments]"""
import collections
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PICA, PICAD = (os.path.abspath(p) for p in sys.argv[1:3])
CAPTURES = pathlib.Path(sys.argv[3]).resolve()
HAS_PROBES = sys.argv[4] == 'probes'
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}


def run(*args, exit=0, timeout=300, **how):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=timeout, env=ENV, **how)
    assert p.returncode == exit, f'{args}: exit {p.returncode}\n{p.stdout}{p.stderr}'
    return p.stdout + p.stderr


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='pica-trace')
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.file = self.dir / 'trace.json'

    def check(self, threads):
        """Parses the file and checks its times. Returns the number of each event."""
        trace = json.loads(self.file.read_text())
        events = trace['traceEvents']
        names = {e['tid']: e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
        self.assertEqual(names, {0: 'command', **{i: f'worker {i}' for i in range(1, threads + 1)}})
        by_thread = collections.defaultdict(list)
        for e in events:
            if e['ph'] == 'X':
                begin = round(e['ts'] * 1000)
                by_thread[e['tid']].append((begin, -begin - round(e['dur'] * 1000)))
        self.assertLessEqual(by_thread.keys(), names.keys())
        for spans in by_thread.values():
            ends = []
            for begin, minus_end in sorted(spans):
                while ends and ends[-1] <= begin:
                    ends.pop()
                self.assertTrue(not ends or -minus_end <= ends[-1], 'spans of a thread cross each other')
                ends.append(-minus_end)
        begun = collections.Counter(e['id'] for e in events if e['ph'] == 'b')
        self.assertEqual(begun, collections.Counter(e['id'] for e in events if e['ph'] == 'e'))
        self.assertEqual(set(begun.values()), {1})
        tasks = {e['args']['unit'] for e in events if e['ph'] == 'X' and 'unit' in e['args']}
        self.assertLessEqual(tasks, begun.keys())
        counts = collections.Counter((e['ph'], e['name']) for e in events if e['ph'] in 'Xb')
        self.assertEqual(sum(counts.values()), trace['otherData']['spans'])
        self.assertEqual(trace['otherData']['left_out'], 0)
        return counts

    def test_render(self):
        counts = {}
        for threads in 0, 2:
            run(PICA, 'render', '--format', 'none', '--threads', threads, '--trace', self.file, CAPTURES / 'octopus.pica')
            counts[threads] = self.check(threads)
        for name in ('b', 'pass'), ('b', 'fill'), ('X', 'list'):
            self.assertEqual(counts[0][name], counts[2][name])
            self.assertGreater(counts[0][name], 0)
        # A preempted task of a worker has a span for each of its slices.
        self.assertGreaterEqual(counts[2]['X', 'vertices'], counts[0]['X', 'vertices'])
        self.assertGreater(counts[0]['X', 'vertices'], 0)

    def test_render_by_a_service_of_this_process(self):
        args = PICA, 'render', '--format', 'hash', CAPTURES / 'octopus.pica', '--trace', self.file
        for threads in 0, 2:
            there = run(*args, f'--connect=builtin:{threads or ""}')
            counts = self.check(threads)
            self.assertEqual(run(*args, '--threads', threads), there)
            here = self.check(threads)
            for name in ('b', 'pass'), ('b', 'fill'), ('X', 'list'):
                self.assertEqual(counts[name], here[name])
                self.assertGreater(counts[name], 0)

    @unittest.skipUnless(HAS_PROBES, 'built without sys/sdt.h')
    def test_probes_are_in_the_programs(self):
        for program in PICA, PICAD:
            found = collections.defaultdict(int)
            data = pathlib.Path(program).read_bytes()
            at = data.find(b'stapsdt\0')
            while at >= 0:  # three addresses, then provider, name and arguments, each with its 0
                provider, name, _ = data[at + 8 + 24:at + 200].split(b'\0')[:3]
                found[provider.decode(), name.decode()] += 1
                at = data.find(b'stapsdt\0', at + 1)
            for what in 'job', 'pass', 'tile':
                for end in 'begin', 'end':
                    self.assertGreaterEqual(found['pica', f'{what}_{end}'], 1, (program, dict(found)))

    def test_render_refuses_what_cannot_be(self):
        self.assertIn('No such file', run(PICA, 'render', '--format', 'none', '--trace', self.dir / 'none' / 'x',
                                          CAPTURES / 'triangle.pica', exit=2))
        self.assertIn('picad --trace', run(PICA, 'render', '--connect', '--trace', self.file, CAPTURES / 'cube.pica', exit=2))
        self.assertIn('No space left', run(PICA, 'render', '--format', 'none', '--trace', '/dev/full',
                                           CAPTURES / 'octopus.pica', exit=2))
        # The trace has a line for each thread, and billions are too many.
        self.assertIn('builtin: takes 0 to 64 threads\n', run(
            PICA, 'render', '--connect=builtin:4000000000', '--trace', self.file, CAPTURES / 'cube.pica', exit=2, timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))))

    def test_service(self):
        (self.dir / 'picad.conf').write_text('[picad]\n')
        p = subprocess.Popen([PICAD, '--socket', str(self.dir / '0'), '--config', str(self.dir / 'picad.conf'), '--trace',
                              str(self.file), '--threads', '2'], stderr=subprocess.PIPE, text=True, env=ENV)
        try:
            self.assertIn('event=ready', p.stderr.readline())
            run(PICA, 'render', '--format', 'none', f'--connect={self.dir / "0"}', CAPTURES / 'cube.pica')
        finally:
            p.send_signal(signal.SIGTERM)
            log = p.communicate(timeout=300)[1]
        self.assertEqual(p.returncode, 0, log)
        counts = self.check(2)
        self.assertGreater(counts['X', 'tile'], 10)
        self.assertEqual(sorted(f.name for f in self.dir.iterdir()), ['picad.conf', 'trace.json'])

    def test_probes(self):
        if not shutil.which('readelf'):
            self.skipTest('no readelf here')
        notes = run('readelf', '-n', PICA)
        if 'Provider: pica' not in notes:
            self.skipTest('built without sys/sdt.h')
        for name in 'job_begin', 'job_end', 'pass_begin', 'pass_end', 'tile_begin', 'tile_end':
            self.assertIn(f'Name: {name}\n', notes)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
