#!/usr/bin/env python3
"""picad as a process: both loops, its socket, signals, configuration. Arguments: picad, test_client."""
import contextlib
import fcntl
import grp
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PICAD, CLIENT = sys.argv[1:3]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='picad')
        self.dir = pathlib.Path(self.folder.name)
        self.socket = str(self.dir / 'run' / '0')
        self.running = []

    def tearDown(self):
        for p in self.running:
            if p.poll() is None:
                p.kill()
            p.communicate()
        self.folder.cleanup()

    def env(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}
        return dict(env, **more)

    def started(self, *args, env=None, **kw):
        p = subprocess.Popen([PICAD, '--config', str(self.config()), *args],
                             stderr=subprocess.PIPE, text=True, env=env or self.env(), **kw)
        self.running.append(p)
        p.ready = p.stderr.readline()
        while 'event=output ' in p.ready:  # a display's
            p.ready = p.stderr.readline()
        self.assertIn('event=ready', p.ready)
        return p

    def start(self, *args, **kw):
        return self.started('--socket', self.socket, *args, **kw)

    def config(self, text=None):
        path = self.dir / 'picad.conf'
        if text is not None or not path.exists():
            path.write_text(text or '[picad]\n')
        return path

    def refused(self, *args, env=None):
        p = subprocess.run([PICAD, *args], capture_output=True, text=True, timeout=300, env=env or self.env())
        self.assertEqual(p.returncode, 2, p.stderr)
        return p.stderr

    def dial(self):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(s.close)
        s.settimeout(120)
        s.connect(self.socket)
        return s

    def greet(self, s=None):
        """A socket that has said HELLO, and what it was answered: the type and the text of the message."""
        s = s or self.dial()
        hello = struct.pack('<IHHIIIIQQIi32sQ32x', 0x41434950, 1, 0, 120, 1, 1, 1, 0, 0, 8, 0, b'x', 0)
        try:
            s.send(hello)
            answer = s.recv(4096)
        except (BrokenPipeError, ConnectionResetError):  # refused before it was heard; the reason comes after that
            answer = s.recv(4096)
        return s, struct.unpack_from('<H', answer, 4)[0], answer

    def region(self, s, size):
        """What the service says to a region of that size: 66 is yes, else its sentence."""
        s.send(struct.pack('<IHHIIIIII16x', 0x41434950, 5, 0, 48, 2, 0, 0, 0, size))
        answer = s.recv(4096)
        while struct.unpack_from('<I', answer, 12)[0] != 2:
            answer = s.recv(4096)
        kind = struct.unpack_from('<H', answer, 4)[0]
        return kind if kind != 65 else answer[32:].split(b'\0')[0].decode()

    def stop(self, p, sig=signal.SIGTERM):
        p.send_signal(sig)
        out = p.communicate(timeout=300)[1]
        self.assertEqual(p.returncode, 0, out)
        return out


class Serving(Case):
    def clients(self, *args):
        picad = self.start(*args)
        p = subprocess.run([CLIENT, self.socket], capture_output=True, text=True, timeout=200, env=self.env())
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        log = self.stop(picad)
        self.assertIn('event=session_open', log)
        self.assertIn('event=stopped', log)

    def test_clients_on_epoll(self):
        self.clients('--loop', 'epoll', '--threads', '1')

    def test_clients_on_the_best_loop(self):
        self.clients('--loop', 'auto', '--threads', '0')

    def test_two_services_of_one_socket(self):
        first = self.start()
        self.assertIn('another picad serves this socket\n', self.refused('--socket', self.socket))
        self.assertIn('the path of the socket is empty', self.refused('--socket', ''))
        self.stop(first)
        self.assertFalse(os.path.exists(self.socket))
        self.assertFalse(os.path.exists(self.socket + '.lock'))

    def test_stale_socket_is_replaced(self):
        first = self.start()
        first.kill()
        first.wait()
        self.stop(self.start(), signal.SIGINT)

    def test_file_in_the_way_stays(self):
        os.mkdir(self.dir / 'run')
        pathlib.Path(self.socket).write_text('mine')
        self.assertIn('not a socket: expected', self.refused('--socket', self.socket))
        self.assertEqual(pathlib.Path(self.socket).read_text(), 'mine')

    def test_rights_of_the_socket(self):
        for access, mode in ('user', 0o600), ('all', 0o666):
            p = self.start('--access', access)
            self.assertEqual(os.stat(self.socket).st_mode & 0o777, mode)
            self.stop(p)

    def test_silent_clients_get_an_error_and_are_dropped(self):
        p = self.start('--hello-ms', '50')
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(120)
        s.connect(self.socket)
        self.assertIn(b'no HELLO came in time', s.recv(4096))
        self.assertEqual(s.recv(4096), b'')
        s.close()
        self.stop(p)

    def test_garbage_gets_an_error_and_is_dropped(self):
        p = self.start()
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(120)
        s.connect(self.socket)
        s.send(b'GET / HTTP/1.1\r\n\r\n')
        self.assertIn(b'malformed message', s.recv(4096))
        s.close()
        self.assertIn('event=session_dropped', self.stop(p))

    def becomes(self, uid):
        os.seteuid(uid)
        self.addCleanup(os.seteuid, 0)

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_too_many_of_a_user(self):
        os.chmod(self.dir, 0o755)
        p = self.start('--user-sessions', '2', '--access', 'all')
        self.becomes(65534)
        (one, first, _), (_, second, _), (_, third, text) = self.greet(), self.greet(), self.greet()
        self.assertEqual((first, second, third), (64, 64, 65))
        self.assertIn(b'quota of user-sessions used up', text)
        one.close()
        while self.greet()[1] != 64:  # a place is free as soon as the service has noticed
            time.sleep(0.1)
        os.seteuid(0)
        self.stop(p)

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_users_are_counted_apart(self):
        os.chmod(self.dir, 0o755)
        p = self.start('--user-sessions', '1', '--access', 'all')
        answers = []
        for uid in 65534, 65533:
            self.becomes(uid)
            answers += [self.greet()[1], self.greet()[1]]
            os.seteuid(0)
        self.assertEqual(answers, [64, 65, 64, 65])
        self.stop(p)

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_administrators_may_inspect_beyond_the_quota(self):
        os.chmod(self.dir, 0o755)
        for quota in 'max-sessions', 'user-sessions':
            p = self.start(f'--{quota}', '1', '--access', 'all')
            first = self.greet()[0]
            if quota == 'max-sessions':
                self.becomes(65534)
                self.assertEqual(self.greet()[1], 65)
                os.seteuid(0)
            admin, kind, _ = self.greet()
            self.assertEqual(kind, 64)
            self.assertEqual(self.region(admin, 4096), f'quota of {quota.removeprefix("max-")} used up')
            self.assertEqual(self.region(first, 4096), 66)
            admin.send(struct.pack('<IHHIIQII', 0x41434950, 16, 0, 32, 3, 1, 0, 0))  # KICK the first one
            self.assertIn(b'ended by an administrator', first.recv(4096))
            # Its place is free as soon as the service has noticed: the administrator's session takes none.
            answer = None
            for _ in range(50):
                if answer != 66:
                    time.sleep(0.1)
                    last = self.greet()[0]
                    answer = self.region(last, 4096)
                    last.close()
            self.assertEqual(answer, 66)
            self.stop(p)

    def test_too_many_that_greet(self):
        p = self.start('--max-greeting', '2', '--hello-ms', '20000')
        open_ones = [self.dial() for _ in range(3)]
        self.assertIn(b'too many connections at a time', open_ones[0].recv(4096))
        self.assertEqual(self.greet(open_ones[1])[1], 64)
        self.assertEqual(self.greet(open_ones[2])[1], 64)
        self.stop(p)

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_user_with_most_silent_connections_loses_one(self):
        os.chmod(self.dir, 0o755)
        p = self.start('--max-greeting', '4', '--hello-ms', '20000', '--access', 'all')
        mine = self.dial()
        os.seteuid(65534)
        try:
            others = [self.dial() for _ in range(20)]
            for s in others[:17]:
                self.assertIn(b'too many connections at a time', s.recv(4096))
        finally:
            os.seteuid(0)
        self.assertEqual((self.greet()[1], self.greet(mine)[1], self.greet(others[19])[1]), (64, 64, 64))
        self.stop(p)

    def test_refusals_are_summed_up(self):
        p = self.start()
        for _ in range(500):
            s = self.dial()
            s.send(b'not a greeting')
            self.assertIn(b'malformed message', s.recv(4096))
            s.close()
        log = self.stop(p)
        told = log.count('event=session_dropped')
        unsaid = sum(int(line.split('lines=')[1]) for line in log.splitlines() if 'event=lines_left_out' in line)
        self.assertEqual(told + unsaid, 500)
        self.assertGreaterEqual(told, 10)
        self.assertGreater(unsaid, 0)

    def test_less_memory_after_a_reload_is_no_memory_without_end(self):
        for key, quota in (('memory', 'memory_bytes'), ('total-memory',) * 2, ('user-memory',) * 2):
            self.config('[picad]\n')
            p = self.start()
            s = self.greet()[0]
            self.assertEqual(self.region(s, 8 << 20), 66)
            self.config(f'[picad]\n{key} = 4M\n')
            p.send_signal(signal.SIGHUP)
            while 'event=reloaded' not in p.stderr.readline():
                pass
            self.assertEqual(self.region(s, 4096), f'quota of {quota} used up')
            self.stop(p)


class Words(Case):
    """What picad says itself, and where."""
    ESCAPE = '\x1b[31m\x07\u009bred'
    PLAIN = '\\x1B[31m\\x07\\xC2\\x9Bred'
    RELOADS = 800

    def test_control_characters_of_others_stay_out_of_the_terminal(self):
        config = self.config(f'[picad]\n{self.ESCAPE} = 1\n')
        for args, what in ((('--config', f'{self.dir}/{self.ESCAPE}'), 'No such file'),
                           (('--config', str(config)), 'unknown key'),
                           (('--config', str(self.dir / 'none'), '--jobs', self.ESCAPE), 'none'),
                           ((self.ESCAPE,), 'unexpected argument'),
                           (('--' + self.ESCAPE,), 'unrecognized option'),
                           (('--record', self.ESCAPE), 'without control characters'),
                           (('--record', 'a\nb'), 'without control characters')):
            config.write_text(f'[picad]\n{self.ESCAPE} = 1\n' if what == 'unknown key' else '[picad]\n')
            if '--config' not in args:
                args = ('--config', str(config), *args)
            err = self.refused(*args)
            self.assertIn(what, err)
            self.assertNotRegex(err, '[\0-\x09\x0b-\x1f\x7f-\x9f]')
            if self.ESCAPE in args[-1] and what != 'none':
                self.assertIn(self.PLAIN, err)

    def full_pipe(self):
        """A picad that has written more than its pipe holds, which nobody has read; the ends of the pipe."""
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        self.addCleanup(os.close, reader)
        p = subprocess.Popen([PICAD, '--socket', self.socket, '--config', str(self.config()), '--threads', '0'],
                             stderr=writer, env=self.env())
        self.running.append(p)
        self.assertIn(b'event=ready', os.read(reader, 4096))
        self.config(f'[picad]\n{"x" * 150} = 1\n')
        for _ in range(self.RELOADS):
            p.send_signal(signal.SIGHUP)
            self.greet()[0].close()  # by then it was read
        return p, reader, writer

    def test_an_unread_log_stops_no_client(self):
        p, reader, writer = self.full_pipe()
        # As blocking as before: it may be a terminal that others write to.
        self.assertEqual(fcntl.fcntl(writer, fcntl.F_GETFL) & os.O_NONBLOCK, 0)
        os.close(writer)
        text = b''
        while b'event=log_lost' not in text:
            text += os.read(reader, 65536)
        text += os.read(reader, 65536) if not text.endswith(b'\n') else b''
        told = text.count(b'event=reload_failed')
        lost = int(text.split(b'event=log_lost lines=')[1].split()[0])
        self.assertGreater(told, 100)  # 64 KiB
        self.assertGreaterEqual(told + lost, self.RELOADS)
        self.config('[picad]\n')
        p.send_signal(signal.SIGHUP)  # and lines continue after it
        self.assertIn(b'event=reloaded', os.read(reader, 65536))

    def test_the_service_ends_with_an_unread_log(self):
        p, _, writer = self.full_pipe()
        os.close(writer)
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(timeout=120), 0)
        self.assertFalse(os.path.exists(self.socket))


class Manager(Case):
    def listener(self, kind=socket.SOCK_SEQPACKET, listens=True):
        s = socket.socket(socket.AF_UNIX, kind)
        self.addCleanup(s.close)
        s.bind(str(self.dir / f'passed{int(kind)}{listens}'))
        if listens:
            s.listen()
        return s

    def pass_sockets(self, sockets, *args, **env):
        """picad as a service manager starts it, with descriptors from 3 on."""
        held = [fcntl.fcntl(s.fileno(), fcntl.F_DUPFD, 100) for s in sockets]

        def place():
            for i, fd in enumerate(held):
                os.dup2(fd, 3 + i)

        # The pid is known only in the child: a shell writes it, then becomes picad.
        p = subprocess.Popen(['sh', '-c', 'export LISTEN_PID=$$; exec "$@"', 'sh', PICAD, '--config', str(self.config()),
                              *args], stderr=subprocess.PIPE, text=True, preexec_fn=place, pass_fds=range(3, 3 + len(held)),
                             env=self.env(LISTEN_FDS=str(len(held)), **env))
        self.running.append(p)
        for fd in held:
            os.close(fd)
        return p

    def notified(self, address):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(s.close)
        s.settimeout(120)
        s.bind(address)
        return s

    def told(self, notify, what):
        """What came before that, the dog's barking left out."""
        seen = []
        while (word := notify.recv(100).decode()) != what:
            seen += [word] if word != 'WATCHDOG=1' else []
        return seen

    def life(self, *args):
        listener = self.listener()
        where = f'\0pica-notify-{os.getpid()}-{time.monotonic_ns()}'
        notify = self.notified(where)
        p = self.pass_sockets([listener], *args, NOTIFY_SOCKET='@' + where[1:], WATCHDOG_USEC='200000')
        line = p.stderr.readline()
        if 'sandbox: the filter of system calls: Operation not supported' in line:
            self.skipTest('no filter of system calls here')
        self.assertIn('socket="passed"', line)
        self.assertEqual(notify.recv(100), b'READY=1')
        # Clients of the socket are served as those of its own are.
        c = subprocess.run([CLIENT, listener.getsockname()], capture_output=True, text=True, timeout=200, env=self.env())
        self.assertEqual(c.returncode, 0, c.stdout + c.stderr)
        # The dog has barked meanwhile: a queue of ten is full after a second, and loses the next words.
        while select.select([notify], [], [], 0)[0]:
            self.assertEqual(notify.recv(100), b'WATCHDOG=1')
        p.send_signal(signal.SIGHUP)
        self.assertEqual(self.told(notify, 'READY=1'), ['RELOADING=1'])
        while notify.recv(100) != b'WATCHDOG=1':
            pass
        p.send_signal(signal.SIGTERM)
        self.assertEqual(self.told(notify, 'STOPPING=1'), [])
        log = p.communicate(timeout=120)[1]
        self.assertEqual(p.returncode, 0, log)
        self.assertIn('event=stopped', log)
        # The socket is the manager's, which starts the service again for whoever comes.
        self.assertTrue(os.path.exists(listener.getsockname()))
        late = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        late.connect(listener.getsockname())
        late.close()

    def test_its_manager_is_notified_of_its_whole_life(self):
        self.life()

    def test_its_manager_is_notified_from_the_sandbox(self):
        self.life('--sandbox', 'on', '--loop', 'epoll')

    def test_unusable_sockets(self):
        for sockets in ([self.listener(socket.SOCK_STREAM)], [self.listener(listens=False)],
                        [self.listener(), self.listener(socket.SOCK_STREAM, False)]):
            err = self.pass_sockets(sockets).communicate(timeout=120)[1]
            self.assertEqual(self.running[-1].returncode, 2)
            self.assertIn('expected one listening SOCK_SEQPACKET socket from the service manager', err)

    @unittest.skipIf(not shutil.which('systemd-socket-activate'), 'no systemd-socket-activate here')
    def test_started_by_the_first_client(self):
        os.mkdir(self.dir / 'run')
        p = subprocess.Popen(['systemd-socket-activate', '--seqpacket', '-l', self.socket, PICAD, '--config', str(self.config())],
                             stderr=subprocess.PIPE, text=True, env=self.env())
        self.running.append(p)
        while 'Listening on' not in (line := p.stderr.readline()):
            self.assertTrue(line)
        c = subprocess.run([CLIENT, self.socket], capture_output=True, text=True, timeout=200, env=self.env())
        self.assertEqual(c.returncode, 0, c.stdout + c.stderr)
        log = self.stop(p)
        self.assertIn('socket="passed"', log)
        self.assertIn('event=stopped', log)


class Metrics(Case):
    def ask(self, s):
        """The text that METRICS is answered with."""
        s.send(struct.pack('<IHHIIQII', 0x41434950, 17, 0, 32, 1, 0, 0, 0))
        message, (fd,), _, _ = socket.recv_fds(s, 4096, 1)
        self.assertEqual(struct.unpack_from('<H', message, 4)[0], 71)
        with open(fd) as file:
            return file.read()

    def parsed(self, text):
        """Prometheus text as its grammar has it; the value of each sample."""
        label = r'[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"'
        sample = re.compile(rf'([a-zA-Z_:][\w:]*)(?:\{{({label}(?:,{label})*)\}})? (\d+(?:\.\d+)?)')
        kinds, values, family = {}, {}, None
        lines = text.removesuffix('\n').split('\n')
        self.assertTrue(text.endswith('\n'))
        for i, line in enumerate(lines):
            if line.startswith('# HELP '):
                family, words = line[7:].split(' ', 1)
                self.assertTrue(words and family not in kinds, line)
                self.assertTrue(lines[i + 1].startswith(f'# TYPE {family} '), line)
            elif line.startswith('# TYPE '):
                kinds[family] = line.rsplit(' ', 1)[1]
                self.assertIn(kinds[family], ('counter', 'gauge', 'histogram', 'summary'))
            else:
                found = sample.fullmatch(line)
                self.assertTrue(found, line)
                name, labels, value = found.groups()
                parts = {'histogram': ('_bucket', '_sum', '_count'), 'summary': ('', '_sum', '_count')}
                self.assertIn(name.removeprefix(family), parts.get(kinds[family], ('',)), line)
                self.assertEqual(name.endswith('_total'), kinds[family] == 'counter', line)
                self.assertNotIn((name, labels), values)
                values[name, labels] = float(value)
        for family in (name for name, kind in kinds.items() if kind == 'histogram'):
            buckets = [(labels, n) for (name, labels), n in values.items() if name == family + '_bucket']
            self.assertEqual(sorted(n for _, n in buckets), [n for _, n in buckets])
            self.assertEqual(buckets[-1], ('le="+Inf"', values[family + '_count', None]))
        return values

    def test_metrics_are_what_prometheus_reads(self):
        for display in (), ('--display', 'headless'):
            p = self.start('--threads', '0', *display)
            hello = struct.pack('<IHHIIIIQQIi32sQ32x', 0x41434950, 1, 0, 120, 1, 1, 1, 0, 0, 8, 0, b'a"b\\c\nd\xffe', 0)
            s = self.dial()
            s.send(hello)
            s.recv(4096)
            self.region(s, 8192)
            values = self.parsed(self.ask(s))
            who = 'session="1",name="a_b_c_d_e"'
            self.assertEqual(values['picad_session_memory_bytes', who], 8192)
            self.assertEqual(values['picad_session_cpu_seconds_total', who], 0)
            self.assertEqual(values['picad_sessions', None], 1)
            self.assertEqual(any(name.startswith('picad_flip') for name, _ in values), bool(display))
            self.stop(p)


class Confinement(Case):
    def status(self, p):
        """Of each thread: {field: value}."""
        tasks = pathlib.Path(f'/proc/{p.pid}/task').iterdir()
        return [dict(line.split(':\t', 1) for line in (t / 'status').read_text().splitlines() if ':\t' in line)
                for t in tasks]

    def serves(self, p):
        c = subprocess.run([CLIENT, self.socket], capture_output=True, text=True, timeout=200, env=self.env())
        self.assertEqual(c.returncode, 0, c.stdout + c.stderr)
        self.config().write_text('[picad]\njobs = 99\n')
        p.send_signal(signal.SIGHUP)
        log = ''
        while 'event=reload' not in log:
            log += p.stderr.readline()
        self.assertIn('event=reloaded', log)
        return self.stop(p)

    def sandboxed(self, *args):
        p = subprocess.Popen([PICAD, '--socket', self.socket, '--config', str(self.config()), '--sandbox', 'on', *args],
                             stderr=subprocess.PIPE, text=True, env=self.env())
        self.running.append(p)
        line = p.stderr.readline()
        if 'sandbox: the filter of system calls: Operation not supported' in line:
            self.skipTest('no filter of system calls here')
        self.assertIn('event=ready', line)
        for task in self.status(p):
            self.assertEqual((task['Seccomp'], task['NoNewPrivs'], task['CapEff'], task['CapPrm']),
                             ('2', '1', '0' * 16, '0' * 16))
        self.serves(p)
        self.assertFalse(os.path.exists(self.socket))
        self.assertFalse(os.path.exists(self.socket + '.lock'))

    def test_sandbox_on_epoll(self):
        self.sandboxed('--loop', 'epoll', '--threads', '2')

    def test_sandbox_on_the_best_loop(self):
        self.sandboxed('--threads', '0')

    def group(self):
        """Whom to let in, one that this user may give a file to."""
        for gid in [1] if os.geteuid() == 0 else [os.getegid(), *os.getgroups()]:
            with contextlib.suppress(KeyError):
                return f'group:{grp.getgrgid(gid).gr_name}'
        return 'all'

    def everything(self, loop):
        """Files are written and groups looked up with the filter as without it."""
        self.dir.chmod(0o755)
        for name in 'recordings', 'traces':
            os.mkdir(self.dir / name)
        self.sandboxed('--loop', loop, '--threads', '1', '--record', str(self.dir / 'recordings'), '--trace',
                       str(self.dir / 'traces' / 'file.json'), '--access', self.group())
        self.assertTrue(list((self.dir / 'recordings').glob('*.pica')))
        self.assertEqual([path.name for path in (self.dir / 'traces').iterdir()], ['file.json'])
        self.assertIn('traceEvents', (self.dir / 'traces' / 'file.json').read_text()[:100])

    def test_everything_in_the_sandbox_on_epoll(self):
        self.everything('epoll')

    def test_everything_in_the_sandbox_on_the_best_loop(self):
        self.everything('auto')

    def test_without_sandbox(self):
        p = self.start('--sandbox', 'off')
        for task in self.status(p):
            self.assertEqual(task['Seccomp'], self.status_here('Seccomp'))
        self.serves(p)

    def status_here(self, field):
        return dict(line.split(':\t', 1) for line in pathlib.Path('/proc/self/status').read_text().splitlines()
                    if ':\t' in line)[field]

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_becomes_another_user(self):
        self.dir.chmod(0o755)
        p = self.start('--user', 'nobody:nogroup')
        for task in self.status(p):
            self.assertEqual(set(task['Uid'].split()), {'65534'})
            self.assertEqual(set(task['Gid'].split()), {'65534'})
            self.assertEqual(task['Groups'].split(), [])
        self.assertEqual(os.stat(self.socket).st_uid, 65534)
        self.serves(p)
        self.assertFalse(os.path.exists(self.socket))
        self.assertFalse(os.path.exists(self.socket + '.lock'))

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_recordings_have_to_be_writable_from_the_start(self):
        self.dir.chmod(0o755)
        out = self.dir / 'recordings'
        out.mkdir(0o755)
        args = '--user', 'nobody:nogroup', '--record', str(out)
        err = self.refused('--socket', self.socket, '--config', str(self.config()), *args)
        self.assertIn(f'record: {out}: cannot be written: Permission denied', err)
        self.assertFalse(os.path.exists(self.socket))
        os.chown(out, 65534, 65534)
        self.stop(self.start(*args))

    @unittest.skipIf(os.geteuid() != 0, 'only root has clients of other groups')
    def test_members_of_a_group_are_let_in(self):
        self.dir.chmod(0o755)
        p = self.start('--access', 'group:daemon')
        os.chmod(self.socket, 0o666)  # so that picad is asked
        script = ('import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); '
                  's.connect(sys.argv[1]); s.sendmsg([b"x"]) if sys.argv[2] == "malformed" else 0; print(s.recv(4096))')
        for group, more, answer in ((1, [], 'malformed'), (12345, [1], 'malformed'), (12345, [2, 3, 1], 'malformed'),
                                    (12345, [2], 'not allowed'), (12345, [], 'not allowed')):
            c = subprocess.run(['/usr/bin/python3', '-c', script, self.socket, answer], capture_output=True, text=True, timeout=300,
                               user=12345, group=group, extra_groups=more, env=self.env())
            self.assertIn(answer, c.stdout, (group, more, c.stderr))
        self.stop(p)

    def test_users_that_are_not_there(self):
        for user in 'no-such-user-at-all', 'root:no-such-group':
            self.assertIn('picad: user ', self.refused('--socket', self.socket, '--config', str(self.config()),
                                                        '--user', user))
            self.assertFalse(os.path.exists(self.socket))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
