#!/usr/bin/env python3
"""Administrators come in while clients use all descriptors of picad. Arguments: picad, test_client, pica."""
import errno
import fcntl
import json
import os
import pathlib
import resource
import socket
import struct
import subprocess
import sys
import time
import unittest

from test_picad import Case

PICA = sys.argv[3]
FEW = 96
LOOPS = 'epoll', 'auto'
OTHER = 65534
USED_UP = b'descriptors'


class Descriptors(Case):
    def serve(self, *args):
        self.dir.chmod(0o755)
        return self.start('--threads', '0', '--max-sessions', '256', '--user-sessions', '256', *args,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, FEW)))

    @unittest.skipIf(os.geteuid() != 0, 'only root has more in flight than the service may send')
    def test_unread_descriptors(self):
        for loop in LOOPS:
            p = self.serve('--loop', loop)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            socket.send_fds(ours, [b'x'], [0] * (2 * FEW))  # of the same user
            _, kind, answer = self.greet()
            self.assertEqual(kind, 65)
            self.assertIn(b'too many descriptors that clients have not received', answer)
            ours.close()
            theirs.close()
            self.assertEqual(self.greet()[1], 64)
            self.assertIn('event=session_dropped', self.stop(p))

    def come(self):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(s.close)
        s.connect(self.socket)  # in the queue, as long as it takes
        return s

    def open_ones(self, p):
        return len(os.listdir(f'/proc/{p.pid}/fd'))

    def tool(self, *args):
        run = subprocess.run([PICA, *args, '--connect', self.socket], capture_output=True, text=True, timeout=60, env=self.env())
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def worked(self, p):
        """Seconds of processor time."""
        fields = pathlib.Path(f'/proc/{p.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def sessions(self):
        return json.loads(self.tool('sessions', '--json'))['sessions']

    def context(self, s):
        s.send(struct.pack('<IHHIIIIiI16x', 0x41434950, 3, 0, 48, 9, 0, 0, 0, 0))
        answer = s.recv(4096)
        return struct.unpack_from('<H', answer, 4)[0] == 66

    def bring(self, s):
        """What the service says to memory of the client's own: 66 is yes, else its sentence."""
        fd = os.memfd_create('region', os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, 4096)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, 2 | 4)  # F_SEAL_SHRINK, F_SEAL_GROW
        socket.send_fds(s, [struct.pack('<IHHIIIIII16x', 0x41434950, 6, 0, 48, 3, 0, 0, 0, 4096)], [fd])
        os.close(fd)
        answer = s.recv(4096)
        kind, cookie = struct.unpack_from('<H6xI', answer, 4)
        self.assertEqual(cookie, 3)
        return kind if kind != 65 else (struct.unpack_from('<i', answer, 16)[0], answer[32:].split(b'\0')[0])

    def fill(self):
        """Sessions with a context each until there are no descriptors: the sockets, and what the last one was told."""
        held = []
        while True:
            s, kind, answer = self.greet()
            if kind != 64:
                self.assertIn(USED_UP, answer)
                break
            self.context(s)
            held.append(s)
        for s in held:  # and what is left
            while self.context(s) and len(held) < 1000:
                pass
        return held, answer

    def as_other(self, do):
        os.seteuid(OTHER)
        try:
            return do()
        finally:
            os.seteuid(0)

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_clients_that_work(self):
        for loop in LOOPS:
            p = self.serve('--access', 'all', '--loop', loop)
            idle = self.open_ones(p)
            held, answer = self.as_other(self.fill)
            self.assertGreater(len(held), 5)
            self.assertGreaterEqual(self.open_ones(p), FEW - 2)
            for _ in range(20):  # what is held for administrators is theirs again and again
                shown = self.sessions()
                self.assertEqual(sum(s['uid'] == OTHER for s in shown), len(held))
            top = json.loads(self.tool('top', '--once', '--json', '--interval', '0.1'))
            self.assertEqual(len(top['sessions']), len(held))
            self.assertIn('picad_sessions', self.tool('metrics'))
            resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (4, FEW))
            for _ in range(3):  # which ends no session
                self.assertEqual(self.bring(held[0]), (-errno.EMFILE, b'the service is out of descriptors'))
            resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (FEW, FEW))
            # Beyond the quota there are four; a fifth is the end of the oldest.
            admins = [self.greet() for _ in range(6)]
            self.assertEqual([kind for _, kind, _ in admins], [64] * 6)
            self.assertEqual(self.region(admins[5][0], 4096), 'the service is out of descriptors')
            self.assertIn(len(self.sessions()) - len(held), (3, 4))  # with this one
            for s, _, _ in admins:
                s.close()
            self.assertIn(USED_UP, self.as_other(self.greet)[2])  # others still find none
            for s in shown[-3:]:
                if s['uid'] == OTHER:
                    self.tool('kick', str(s['id']))
            again, kind, _ = self.as_other(self.greet)
            self.assertEqual(kind, 64)
            for s in [*held, again]:
                s.close()
            end = time.monotonic() + 30
            while self.open_ones(p) > idle and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(self.open_ones(p), idle)
            s = self.greet()[0]
            self.assertEqual((self.region(s, 4096), self.bring(s)), (66, 66))
            self.stop(p)

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_silent_clients(self):
        for loop in LOOPS:
            p = self.serve('--access', 'all', '--loop', loop, '--max-greeting', '1024', '--hello-ms', '60000')
            silent = self.as_other(lambda: [self.come() for _ in range(3 * FEW)])
            for _ in range(5):
                self.assertEqual(self.sessions(), [])
            self.assertIn(b'too many connections at a time', silent[0].recv(4096))
            for s in silent:
                s.close()
            self.stop(p)

    def test_clients_of_the_same_user(self):
        for loop in LOOPS:
            p = self.serve('--loop', loop)
            held = []
            while True:
                s, kind, _ = self.greet()
                self.assertEqual(kind, 64)
                held.append(s)
                if self.region(s, 4096) == 'the service is out of descriptors':
                    break
            self.assertGreater(len(held), 5)
            self.assertEqual(len(self.sessions()), len(held))
            first = held[0]
            for s in self.sessions()[-8:]:
                self.tool('kick', str(s['id']))
            for s in held[1:]:
                s.close()
            self.assertEqual(self.region(first, 4096), 66)
            self.stop(p)

    def test_not_even_those_that_are_held(self):
        """Who comes waits, and the service does not turn round and round: nor in its log."""
        for loop in LOOPS:
            p = self.serve('--loop', loop)
            self.greet()[0].close()
            resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (4, FEW))
            came = self.come()
            time.sleep(0.3)
            before = self.worked(p)
            time.sleep(1)
            self.assertLess(self.worked(p) - before, 0.2)
            resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (FEW, FEW))
            came.settimeout(20)
            self.assertEqual(self.greet(came)[1], 64)
            came.close()
            self.assertLess(self.stop(p).count('event=accept_failed'), 60)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
