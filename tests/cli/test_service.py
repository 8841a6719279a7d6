#!/usr/bin/env python3
"""The tool with a service: test_service.py PICA PICAD DATA CAPTURES [unittest arguments]"""
import fcntl
import json
import os
import pathlib
import pwd
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import terminal
from sample import EVERY, sample

PICA, PICAD = (os.path.abspath(p) for p in sys.argv[1:3])
DATA, CAPTURES = (pathlib.Path(p).resolve() for p in sys.argv[3:5])
CUBE = str(CAPTURES / 'cube.pica')
PERSP = str(DATA / 'st_persp.ctf')
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}


def pica(*args, exit=0, **kw):
    """Standard output and error of the tool."""
    p = subprocess.run([PICA, *map(str, args)], capture_output=True, text=True, timeout=300,
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
        self.read_until(p, 'event=ready')
        return p

    def read_until(self, p, what):
        """Reads a service's log up to a line that has the words."""
        seen = ''
        while what not in seen:
            line = p.stderr.readline()
            self.assertTrue(line, f'{what}: not in {seen}')
            seen += line

    def end(self, p, sig=signal.SIGTERM):
        """Stops a service; its log."""
        if p.poll() is None:
            p.send_signal(sig)
        return p.communicate(timeout=300)[1] if not p.stderr.closed else ''


class Render(Case):
    @classmethod
    def setUpClass(cls):
        cls.captures = [*map(str, sample(CAPTURES.glob('*.pica'))), str(DATA / 'triangle.ctf.zst'),
                        *map(str, sample(DATA.glob('*.ctf')))]
        cls.args = 'render', '--format', 'hash', '--frames', 'all', '--eye', 'both'
        cls.here = pica(*cls.args, *cls.captures)

    def same_pictures(self, connect):
        self.assertGreaterEqual(len(self.captures), 43 // EVERY)
        self.assertGreater(len(self.here[0].splitlines()), 500 if EVERY == 1 else 50)
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

    def test_arithmetic_is_the_clients_choice(self):
        """Contexts of one service can use different arithmetic."""
        self.start('--threads', '1')
        seen, captures = set(), [str(CAPTURES / name) for name in ('combiner.pica', 'planet.pica', 'materials.pica')]
        for args in (), ('--float=f32',), ('--combiner=truncate',), ('--float=f32', '--combiner=truncate'):
            here = pica(*self.args, *args, *captures)
            self.assertEqual(pica(*self.args, *args, f'--connect={self.socket}', *captures), here)
            seen.add(here[0])
        self.assertEqual(len(seen), 4)

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
        _, err = pica('render', f'--connect={self.socket}', '--format=none', CUBE, exit=4)
        self.assertIn(f'no service at {self.socket}: No such file or directory', err)

    def test_options_that_are_the_services(self):
        for option, what in (('--threads=1', '--threads is the service\'s own'),
                             ('--isa=c', '--isa is the service\'s own'),
                             ('--every-draw', 'in this process only')):
            _, err = pica('render', '--connect=builtin:', option, CUBE, exit=2)
            self.assertIn(what, err)

    def test_a_quota_is_named(self):
        self.start('--threads', '0', '--memory', '130M')
        _, err = pica('render', f'--connect={self.socket}', '--format=none', PERSP, exit=2)
        self.assertIn('quota of memory_bytes used up', err)
        _, err = pica('bench', f'--connect={self.socket}', '--repeat=1', PERSP, exit=2)
        self.assertIn(f'{PERSP}: quota of memory_bytes used up', err)

    def test_a_budget_is_named(self):
        self.start('--threads', '0', '--vertices', '3')
        _, err = pica('render', f'--connect={self.socket}', '--format=none', PERSP, exit=3)
        self.assertIn('expected less work in one list: the budget of vertices is used up', err)
        _, err = pica('bench', f'--connect={self.socket}', '--repeat=1', PERSP, exit=3)
        self.assertRegex(err, f'{PERSP}: byte 0x[0-9A-F]+: expected less work in one list: the budget of vertices is')

    def test_a_service_that_dies(self):
        """Stopped when the client is connected, so that its work is in flight; then killed."""
        service = self.start('--threads', '0')
        client = subprocess.Popen([PICA, 'render', f'--connect={self.socket}', '--frames=all', '--format=hash',
                                   *[PERSP] * 200], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
        self.read_until(service, 'event=session_open')
        service.kill()
        out, err = client.communicate(timeout=300)
        self.assertEqual(client.returncode, 4, err)
        self.assertRegex(err, 'the service is gone|Connection refused')
        self.assertLess(len(out.splitlines()), 200 * 30)


class Play(Case):
    def play(self):
        service = self.start('--threads', '0', '--display', 'headless')
        client = subprocess.Popen([PICA, 'play', '--loop', '--rate=0', '--connect', self.socket, CUBE],
                                  stderr=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(lambda: (client.kill(), client.communicate()))
        frames = 0
        while not frames:
            frames = sum(s['jobs'] for s in json.loads(pica('sessions', '--json', '--connect', self.socket)[0])['sessions'])
        return service, client

    def test_a_signal_ends_it_whatever_the_service_does(self):
        service, client = self.play()
        service.send_signal(signal.SIGSTOP)
        self.addCleanup(service.send_signal, signal.SIGCONT)
        for number in signal.SIGINT, signal.SIGTERM:
            time.sleep(0.5) # it is waiting now
            self.assertIsNone(client.poll())
            client.send_signal(number)
            began = time.monotonic()
            _, err = client.communicate(timeout=60)
            self.assertEqual((client.returncode, err), (0, ''))
            self.assertLess(time.monotonic() - began, 20)
            client = subprocess.Popen([PICA, 'play', '--connect', self.socket, CUBE], stderr=subprocess.PIPE, text=True,
                                      env=ENV) # waits for its welcome
        self.assertEqual(client.communicate(timeout=60)[1].count('does not answer'), 1)
        self.assertEqual(client.returncode, 5)


class Sessions(Case):
    def client(self, *args):
        """A session that stays: it has drawn a frame, and blocks writing it into a full pipe."""
        p = subprocess.Popen([PICA, 'render', f'--connect={self.socket}', '--format=ppm', '-o', '-', '--screen=top', CUBE],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
        self.addCleanup(lambda: (p.kill(), p.communicate()))
        p.stdout.read(1)
        return p

    def busy_client(self, *captures):
        """Draws for longer than any test takes."""
        names = [f'{i}.ctf' for i in range(len(captures))]
        for name, capture in zip(names, captures):
            (self.dir / name).symlink_to(os.path.abspath(capture))
        p = subprocess.Popen([PICA, 'render', f'--connect={self.socket}', '--format=none', '--frames=all',
                              *names * (60000 // len(names))], stderr=subprocess.DEVNULL, env=ENV, cwd=self.dir)
        self.addCleanup(lambda: (p.kill(), p.wait()))
        return p

    def sessions(self):
        return json.loads(pica('sessions', '--json', '--connect', self.socket)[0])['sessions']

    def test_sessions_and_kick(self):
        self.start('--threads', '0')
        self.assertEqual(self.sessions(), [])
        one, other = self.client(), self.client()
        rows = {row['pid']: row for row in self.sessions()}
        self.assertEqual(sorted(rows), sorted((one.pid, other.pid)))
        row = rows[one.pid]
        self.assertEqual((row['name'], row['uid'], row['contexts'], row['queued'], row['priority']),
                         ('pica', os.getuid(), 1, 0, 0))
        self.assertGreater(row['jobs'], 3)
        self.assertGreater(row['pixels'], 400 * 240)
        self.assertGreater(row['cpu_ns'], 0)
        self.assertGreater(row['p50_us'], 0)
        self.assertGreaterEqual(row['p99_us'], row['p50_us'])
        self.assertGreater(row['memory_bytes'], 0)
        lines = pica('sessions', '--connect', self.socket)[0].splitlines()
        self.assertEqual([int(line.split()[1]) for line in lines[1:]], [r['pid'] for r in self.sessions()])
        _, err = pica('kick', '--connect', self.socket, '77', row['id'], exit=2)
        self.assertIn('session 77: no such session', err)
        self.assertEqual([r['pid'] for r in self.sessions()], [other.pid])

    def test_record(self):
        folder = self.dir / 'captures'
        folder.mkdir()
        self.start('--threads', '0', '--record', str(folder), '--record-when', 'asked')
        client = self.busy_client(CUBE)
        while not self.sessions():
            time.sleep(0.05)
        number = self.sessions()[0]['id']
        # Stopped, so that it does not create all allowed files before the check.
        client.send_signal(signal.SIGSTOP)
        os.waitpid(client.pid, os.WUNTRACED)
        self.assertIn('expected the number', pica('record', '--connect', self.socket, '--session', 'x', exit=2)[1])
        self.assertIn('expected the number', pica('record', '--connect', self.socket, exit=2)[1])
        pica('record', '--connect', self.socket, '--session', number)
        self.assertTrue(self.sessions()[0]['is_recorded'])
        client.send_signal(signal.SIGCONT)
        # A file for each context; the first recording may have no frame.
        verified = []
        while not verified:
            time.sleep(0.1)
            verified = [path for path in folder.glob('*.pica') if subprocess.run(
                [PICA, 'render', '--verify', path], capture_output=True, env=ENV, check=False).returncode == 0]
        pica('record', '--stop', '--connect', self.socket, number)
        self.assertFalse(self.sessions()[0]['is_recorded'])
        self.assertIn('pictures as expected', pica('render', '--verify', verified[0])[0])
        self.assertIn('no such session', pica('record', '--connect', self.socket, 777, exit=2)[1])

    def test_nothing_is_recorded_without_a_folder(self):
        self.start('--threads', '0')
        self.client()
        number = self.sessions()[0]['id']
        self.assertIn('no folder for recordings', pica('record', '--connect', self.socket, number, exit=2)[1])

    def test_numbers_for_prometheus(self):
        self.start('--threads', '0')
        self.client()
        with open('/dev/full', 'w') as full:
            p = subprocess.run([PICA, 'metrics', '--connect', self.socket], stdout=full, stderr=subprocess.PIPE,
                               text=True, timeout=300, env=ENV)
        self.assertEqual((p.returncode, p.stderr), (2, 'pica metrics: standard output: No space left on device\n'))
        out, _ = pica('metrics', '--connect', self.socket)
        numbers = dict(line.rsplit(' ', 1) for line in out.splitlines() if line[0] != '#')
        self.assertEqual(numbers['picad_sessions'], '2')
        self.assertGreater(int(numbers['picad_pixels_total']), 400 * 240)

    def test_misuse(self):
        for verb in ('sessions',), ('metrics',), ('kick', '1'), ('top', '--once'):
            _, err = pica(*verb, '--connect', self.socket, exit=4)
            self.assertIn('no service at', err)
        # Without --connect the message names $PICA_SOCKET, or all usual places.
        with tempfile.TemporaryDirectory() as folder:
            place = folder + '/here'
            for env in {'PICA_SOCKET': place}, {'XDG_RUNTIME_DIR': folder}:
                p = subprocess.run([PICA, 'sessions'], capture_output=True, text=True, timeout=60, env=env)
                user = pwd.getpwuid(os.geteuid()).pw_name
                said = f' at {place}: No such file or directory' if 'PICA_SOCKET' in env else \
                    f': expected a socket at {folder}/pica/0, /run/pica/{user}/0 or /run/pica/0'
                if env.get('PICA_SOCKET') or not any(map(os.path.exists, (f'/run/pica/{user}/0', '/run/pica/0'))):
                    self.assertEqual((p.returncode, p.stderr), (4, f'pica sessions: no service{said}\n'))
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as silent:
                silent.bind(place)
                silent.listen(1)
                p = subprocess.run([PICA, 'sessions'], capture_output=True, text=True, timeout=60,
                                   env={'PICA_SOCKET': place})
                self.assertEqual(p.returncode, 5)
                self.assertIn(f'the service at {place} does not answer: ', p.stderr)
        for verb in ('sessions', '--json'), ('top', '--once', '--json'):
            out, err = pica(*verb, '--connect', self.socket, exit=4)
            self.assertIn('no service at', json.loads(out)['errors'][0]['message'])
        for args, what in ((('kick',), 'expected the number'), (('kick', 'x'), 'x: expected the number'),
                           (('sessions', 'x'), 'only options'), (('top', '--json'), '--json goes with --once'),
                           (('top', '--interval=0.01', '--once'), 'from 0.1 to 3600')):
            self.assertIn(what, pica(*args, exit=2)[1])
        self.assertIn('expected a terminal', pica('top', '--connect=builtin:', exit=2)[1])


class Submit(Case):
    def file(self, name, data):
        (self.dir / name).write_bytes(data)
        return str(self.dir / name)

    def test_lists_memory_and_jobs(self):
        self.start('--threads', '0')
        # A list that sets the width of the viewport, and ends.
        words = self.file('list.bin', struct.pack('<4I', 0x123456, 0xF0041, 0x12345678, 0xF0010))
        texels = self.file('memory.bin', bytes(range(256)) * 4096)
        # FILL of 64x64 pixels: user_data, op, flags, handle; start, end, value, control.
        fill = self.file('jobs.bin', struct.pack('<QHHI5I28x', 99, 2, 0, 77, 0x18000000, 0x18004000, 0xFF8000FF, 0x200, 0))
        before, after = self.dir / 'before', self.dir / 'after'
        args = ('submit', '--connect', self.socket, '--memory', f'{texels}@0x18000000', '--save', f'{before}@0x18000000,64',
                '--list', f'{words}@0x20000000', '--jobs', fill, '--save', f'{after}@0x18000000,16', '--json')
        report = json.loads(pica(*args)[0])
        self.assertEqual([(j['op'], j['result'], j['flags']) for j in report['jobs']],
                         [('write', 0, 0), ('write', 0, 0), ('list', 0, 0), ('fill', 0, 0)])
        self.assertEqual(before.read_bytes(), bytes(range(64)))
        self.assertEqual(after.read_bytes(), bytes.fromhex('ff0080ff') * 4)
        picture = self.dir / 'out.ppm'
        out, err = pica('submit', '--connect=builtin:', '--jobs', fill, '--surface', '0x18000000,rgba8,64x64', '-o', picture)
        self.assertEqual((out, err), ('', ''))
        self.assertEqual(picture.read_bytes(), b'P6\n64 64\n255\n' + bytes.fromhex('ff8000') * 4096)

    def test_trouble(self):
        good = self.file('good', struct.pack('<2I', 1, 0xF0010))
        write = self.file('write', struct.pack('<QHHI48x', 0, 6, 0, 0))
        unknown = self.file('unknown', struct.pack('<QHHI48x', 0, 77, 0, 0))
        for args, what in (((), 'expected something to submit'), (('--list', good), 'expected FILE@ADDR'),
                           (('--list', f'{good}@0x20000004'), 'at a multiple of 16'),
                           (('--list', f'{write}x@0x20000000'), 'No such file'),
                           (('--memory', f'{good}@0xFFFFFFFC'), 'beyond the end of the address space'),
                           (('--save', f'{good}@0x18000000'), 'expected FILE@ADDR,SIZE'),
                           (('--jobs', good), 'jobs of 64 bytes'), (('--jobs', write), 'names data or a context'),
                           (('--jobs', unknown), 'job 0 (unknown)'),
                           (('--list', f'{good}@0x20000000', '-o', 'x.png'), '-o: which surface is missing: --surface'),
                           (('--list', f'{good}@0x20000000', '--surface', '0x20000000,rgba8,8x8'),
                            '--surface: expected -o FILE for its picture'),
                           (('--list', f'{good}@0x30000000'), 'list: memory outside of VRAM and FCRAM: expected 0x18000000 to 0x185FFFFF or 0x20000000'),
                           (('--save', f'{self.dir}/x@0x18600000,16'), 'not wholly inside memory'),
                           (('x', '--jobs', good), 'only options')):
            _, err = pica('submit', '--connect=builtin:', *args, exit=2)
            self.assertIn(what, err)
        pica('submit', '--connect', self.socket, '--list', f'{good}@0x20000000', exit=4)


class Names(Case):
    def test_notes_are_separate(self):
        words = self.dir / 'cut'
        words.write_bytes(struct.pack('<II', 0, 4 << 20 | 0xF0040))  # four more words should follow
        err = pica('submit', '--connect=builtin:', '--list', f'{words}@0x20000000')[1]
        self.assertIn('list: note: its last entry is cut off, something in it was ignored\n', err)

    def test_sessions_have_the_names_that_they_were_given(self):
        p = self.start('--threads', '0')
        words = self.dir / 'fill'
        words.write_bytes(bytes(64))
        for verb, args in (('render', ('--format', 'none', CUBE)), ('bench', ('--repeat', '1')),
                           ('submit', ('--memory', f'{words}@0x20000000'))):
            pica(verb, f'--connect={self.socket}', '--name', f'my-{verb}', *args)
            self.assertIn('expected 1 to 31', pica(verb, f'--connect={self.socket}', '--name', 'x' * 32, *args, exit=2)[1])
            pica(verb, f'--connect={self.socket}', *args)
        for name in '', 'ä' * 16, 'x' * 32:
            self.assertIn(f'--name {name}: expected 1 to 31 bytes\n',
                          pica('play', f'--connect={self.socket}', '--name', name, CUBE, exit=2)[1])
        for verb in 'render', 'bench':
            self.assertIn('--name: only with --connect', pica(verb, '--name', 'x', CUBE, exit=2)[1])
        log = self.end(p)
        self.assertEqual(re.findall('event=session_open .* name="(.*)"', log),
                         ['my-render', 'pica', 'my-bench', 'pica', 'my-submit', 'pica'])


class Bench(Case):
    def test_numbers(self):
        self.start('--threads', '0')
        args = 'bench', f'--connect={self.socket}', '--repeat', '1', CUBE
        report = json.loads(pica(*args, '--json')[0])
        self.assertEqual(report['threads'], 0)
        for trip in 'pipe', 'barrier':
            self.assertGreater(report[trip]['p50_us'], 0)
            self.assertGreaterEqual(report[trip]['p99_us'], report[trip]['p50_us'])
        self.assertEqual([(row['job'], row['depth']) for row in report['loads']],
                         [(job, depth) for job in ('barrier', 'fill-256') for depth in (1, 8, 64, 256)])
        for row in report['loads']:
            # A sleep costs two system calls and ends with half of the jobs, a bell one, a submission at most one bell.
            half = (row['depth'] + 1) // 2
            self.assertGreater(row['jobs_s'], 0)
            self.assertLessEqual(row['bells_per_job'], 1.5 / half)
            self.assertLessEqual(row['sleeps_per_job'], 1.5 / half)
            self.assertLessEqual(row['system_calls_per_job'], 4.5 / half)
        self.assertLess(report['loads'][2]['system_calls_per_job'], 0.15)
        self.assertLess(report['loads'][3]['system_calls_per_job'], 0.1)
        self.assertEqual([(row['name'], row['frames'], row['depth']) for row in report['captures']],
                         [('cube', 3, depth) for depth in (1, 2, 4)])
        for row in report['captures']:
            self.assertAlmostEqual(row['ratio'], row['service_ms'] / row['here_ms'], 3)
            self.assertEqual((row['ratio_from'], row['ratio_to']), (row['ratio'], row['ratio']))  # of one pair

    def test_spread(self):
        """Of nine pairs the median lies between the second and the eighth in 19 of 20 cases: not at both ends."""
        self.start('--threads', '0')
        report = json.loads(pica('bench', f'--connect={self.socket}', '--repeat', '9', CUBE, '--json')[0])
        for row in report['captures']:
            self.assertLess(row['ratio_from'], row['ratio_to'])
            self.assertTrue(row['ratio_from'] <= row['ratio'] <= row['ratio_to'], row)

    def test_missing_captures_are_reported_first(self):
        none = [f'{self.dir}/none-{i}.pica' for i in range(2)]
        began = time.monotonic()
        out, err = pica('bench', f'--connect={self.dir}/no-service', '--json', *none, exit=2)  # no service is asked
        self.assertEqual([row['path'] for row in json.loads(out)['errors']], none)
        self.assertLess(time.monotonic() - began, 10)
        self.start('--threads', '0')
        out, err = pica('bench', f'--connect={self.socket}', '--json', '--repeat', '1', CUBE, none[0], exit=2)
        report = json.loads(out)
        self.assertEqual([(row['path'], row['message']) for row in report['errors']],
                         [(none[0], f'{none[0]}: No such file or directory')])
        self.assertEqual([row['name'] for row in report['captures']], ['cube'] * 3)
        self.assertEqual(json.loads(pica('bench', f'--connect={self.socket}', '--json', '--repeat', '1')[0])['errors'], [])
        self.assertIn('errors', json.loads(pica('bench', f'--connect={self.dir}/no-service', '--json', exit=4)[0]))

    def test_process_of_the_service(self):
        p = self.start('--threads', '1')
        args = 'bench', f'--connect={self.socket}', f'--service-pid={p.pid}', '--repeat', '2', CUBE
        out, err = pica(*args, '--json')
        report = json.loads(out)
        for row in report['captures']:
            self.assertTrue(0.2 < row['cpu_ratio'] < 5, row)
        if 'are not counted' in err:
            self.assertNotIn('service_calls_per_job', report['loads'][0])
            self.assertNotIn('service_calls_per_frame', report['captures'][0])
            self.assertNotIn('service-syscalls/job', pica(*args)[0])
            return
        calls = {(row['job'], row['depth']): row['service_calls_per_job'] for row in report['loads']}
        self.assertGreater(calls['barrier', 1], 0)  # mostly three, but sides that are both awake need none
        for job in 'barrier', 'fill-256':  # the service is woken once, with half of the jobs, and wakes the client: three calls
            self.assertLess(calls[job, 64], 0.3)
        for row in report['captures']:
            self.assertGreater(row['service_calls_per_frame'], 1)
        table = pica(*args)[0]
        self.assertIn(' service-syscalls/job\n', table)
        self.assertIn('  ratio   from     to cpu-ratio syscalls/frame\n', table)

    def test_misuse(self):
        gone = subprocess.Popen(['true'])
        gone.wait()
        self.assertIn(f'process {gone.pid}: No such process',
                      pica('bench', '--connect=builtin:', f'--service-pid={gone.pid}', exit=2)[1])
        for args, what in (((), 'expected a capture'), (('--service-pid=1', CUBE), 'only with --connect'),
                           (('--connect=builtin:', '--service-pid=0'), 'expected the number of a process'),
                           (('--connect=builtin:', '--threads=1'), "the service's own"),
                           (('--connect=builtin:', '--frames=0'), 'all frames are drawn')):
            self.assertIn(what, pica('bench', *args, exit=2)[1])
        self.assertIn('no service at', pica('bench', f'--connect={self.socket}', exit=4)[1])


class Top(Case):
    client, busy_client, sessions = Sessions.client, Sessions.busy_client, Sessions.sessions

    def test_once(self):
        self.start('--threads', '0')
        worker = self.client()
        report = json.loads(pica('top', '--once', '--json', '--interval=0.2', '--connect', self.socket)[0])
        self.assertEqual([row['pid'] for row in report['sessions']], [worker.pid])
        row, = report['sessions']
        self.assertEqual((row['jobs_s'], row['mpixel_s'], row['cpu_percent']), (0, 0, 0))  # it waits
        self.assertGreaterEqual(report['interval_s'], 0.2)
        self.assertEqual(report['total']['memory_bytes'], row['memory_bytes'])
        lines = pica('top', '--once', '--interval=0.1', '--connect', self.socket)[0].splitlines()
        self.assertRegex(lines[0], r'^sessions 1  jobs/s 0  Mpixel/s 0.0  queued 0  memory \d+\.\dMiB  cpu 0% of 1 threads')
        self.assertEqual(lines[3].split()[:3], [str(row['id']), str(worker.pid), 'pica'])

    def test_rates(self):
        """A client that draws all the time has rates above 0."""
        self.start('--threads', '0')
        self.busy_client(CUBE, PERSP)
        total = {'jobs_s': 0, 'mpixel_s': 0}
        while not total['jobs_s'] or not total['mpixel_s']:  # an interval may have none if the machine stalls
            total = json.loads(pica('top', '--once', '--json', '--connect', self.socket)[0])['total']
        self.assertGreater(total['cpu_percent'], 0)

    def screen(self, master, until):
        """Rows of text on the terminal after `until` has appeared."""
        seen, deadline = b'', time.monotonic() + 60
        while not re.search(until, seen):
            self.assertLess(time.monotonic(), deadline, seen[-1000:])
            if select.select([master], [], [], 1)[0]:
                seen += os.read(master, 65536)
        return seen

    def test_live(self):
        self.start('--threads', '0')
        workers = [self.client() for _ in range(3)]
        master, slave = terminal.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
        before = termios.tcgetattr(slave)
        top = subprocess.Popen([PICA, 'top', '--interval=0.1', '--connect', self.socket], stdin=slave, stdout=slave,
                               stderr=subprocess.PIPE, env=ENV, start_new_session=True)
        seen = self.screen(master, rb'q quit')
        self.assertTrue(seen.startswith(b'\x1b[?1049h\x1b[?25l'))
        for worker in workers:
            self.assertIn(b' %d pica' % worker.pid, seen)
        self.assertNotEqual(termios.tcgetattr(slave)[3], before[3])
        # Whole pictures, each in one piece: from the corner to its end, each line erased after its text.
        frames = self.screen(master, rb'(?s)(\x1b\[H.*?\x1b\[J){3}').split(b'\x1b[H')[1:-1]
        self.assertGreaterEqual(len(frames), 2)
        for frame in frames:
            self.assertTrue(frame.endswith(b'\x1b[J'), frame)
            self.assertEqual(frame.count(b'\x1b[K'), frame.count(b'\n') + 1)
        # A small window: nothing is longer, and what does not fit is counted.
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', 7, 40, 0, 0))
        top.send_signal(signal.SIGWINCH)
        frame = self.screen(master, rb'\.\.\. and 1 more[^H]*\x1b\[J').split(b'\x1b[H')
        last = [f for f in frame if b'and 1 more' in f][-1]
        rows = [re.sub(rb'\x1b\[\d*[a-zA-Z]', b'', row) for row in last.replace(b'\r', b'').split(b'\n')]
        self.assertLessEqual(len(rows), 7)
        self.assertLessEqual(max(map(len, rows)), 40)
        os.write(master, b'mq')
        _, err = top.communicate(timeout=300)
        self.assertEqual((top.returncode, err), (0, b''))
        self.screen(master, rb'\x1b\[\?25h\x1b\[\?1049l')
        self.assertEqual(termios.tcgetattr(slave), before)
        os.close(slave)

    def test_live_without_its_service(self):
        service = self.start('--threads', '0')
        master, slave = terminal.openpty()
        self.addCleanup(os.close, master)
        top = subprocess.Popen([PICA, 'top', '--interval=0.1', '--connect', self.socket], stdin=slave, stdout=slave,
                               stderr=subprocess.PIPE, env=ENV, start_new_session=True)
        os.close(slave)
        self.screen(master, rb'(?s)sessions \d+ .*q quit')
        service.kill()
        service.wait(timeout=300)
        self.screen(master, rb'waiting for the service at \S+ to come back')
        self.start('--threads', '0')
        self.screen(master, rb'(?s)sessions \d+ .*q quit')
        os.write(master, b'q')
        _, err = top.communicate(timeout=300)
        self.assertEqual((top.returncode, err), (0, b''))


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
