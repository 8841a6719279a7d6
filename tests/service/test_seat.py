#!/usr/bin/env python3
"""picad and a real seatd, without a card: who gives the screen, and what is said when nobody does.

    test_seat.py PICAD

Exit status 77: no seatd here, no root, or a seatd that is somebody's.
"""
import fcntl
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

PICAD = os.path.abspath(sys.argv[1])
SOCKET = '/run/seatd.sock'  # seatd knows no other
SEATD = shutil.which('seatd') or shutil.which('seatd', path='/usr/sbin:/usr/local/sbin')
# No terminals: a test changes nobody's screen.
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_', 'LIBSEAT'))},
       'SEATD_VTBOUND': '0'}
NOBODY = 65534


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


class Seat(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='pica-seat')
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o777)
        self.seatd = None
        self.addCleanup(self.stop_seatd)

    def start_seatd(self):
        self.stop_seatd()
        self.seatd = subprocess.Popen([SEATD], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENV)
        while 'seatd started' not in (line := self.seatd.stderr.readline()):
            self.assertTrue(line, 'seatd ended')

    def stop_seatd(self):
        if self.seatd:
            self.seatd.kill()
            self.seatd.communicate()
            self.seatd = None
        if os.path.exists(SOCKET):
            os.unlink(SOCKET)

    def picad(self, *args, **kw):
        return subprocess.Popen([PICAD, '--socket', f'{self.folder.name}/0', '--config', '/dev/null', '--threads', '0',
                                 '--display', 'kms', *args], stderr=subprocess.PIPE, text=True, env=ENV, **kw)

    def refused(self, *args, **kw):
        p = self.picad(*args, **kw)
        err = p.communicate(timeout=300)[1]
        self.assertEqual(p.returncode, 2, err)
        return err

    def start(self, *args, **kw):
        p = self.picad(*args, **kw)
        self.addCleanup(self.end, p)
        return p

    def end(self, p):
        if p.poll() is None:
            p.send_signal(signal.SIGTERM)
            p.communicate(timeout=300)

    def until(self, p, *words):
        """Reads what it says until each of the words was there, in any order."""
        said = ''
        while not all(word in said for word in words):
            line = p.stderr.readline()
            self.assertTrue(line, said)
            said += line
        return said

    def test_no_seat_grants_the_card(self):
        self.assertIn('text="seatd does not run', self.refused('--seat', 'seatd'))
        self.assertIn('sandbox = on forbids', self.refused('--seat', 'builtin', '--sandbox', 'on'))

    def lost_and_given_again(self, names, *options):
        self.start_seatd()
        for name in names:
            p = self.start('--seat', name, *options)
            # Without a word from anybody else: it has been given from the start.
            self.until(p, f'event=display_seat name={name} by=libseat', 'event=display_back', 'event=ready')
            self.stop_seatd()
            self.until(p, 'event=display_seat_lost', 'event=display_away')
            self.start_seatd()
            self.until(p, 'by=libseat', 'event=display_back')
            self.end(p)
            self.assertEqual(p.returncode, 0)

    def test_given_and_lost_and_given_again(self):
        self.lost_and_given_again(['seatd', 'auto'])

    def test_in_the_sandbox(self):
        p = self.start('--seat', 'none', '--sandbox', 'on')
        said = line = p.stderr.readline()
        while line and 'event=ready' not in line:
            said += (line := p.stderr.readline())
        if not line and 'sandbox' in said:
            self.skipTest('a build or a kernel without a sandbox')
        self.assertTrue(line, said)
        self.end(p)
        self.lost_and_given_again(['seatd'], '--sandbox', 'on')

    def test_logind_is_asked_by_the_session_that_is_ours(self):
        """Its files are read in the sandbox, too: what is missing then is the bus, and not our session."""
        folder = f'{self.folder.name}/systemd'
        for name, text in (('users/0', 'DISPLAY=c1\n'), ('sessions/c1', 'UID=0\nACTIVE=1\nSTATE=active\nTYPE=tty\nCLASS=user\n'
                                                        'SEAT=seat0\nVTNR=1\n'), ('seats/seat0', 'CAN_GRAPHICAL=1\n')):
            os.makedirs(os.path.dirname(f'{folder}/{name}'), exist_ok=True)
            with open(f'{folder}/{name}', 'w') as f:
                f.write(text)
        mounts = ['unshare', '--mount', 'sh', '-c', 'mkdir -p /run/systemd && mount --bind "$0" /run/systemd && exec "$@"', folder]
        if subprocess.run([*mounts, 'true'], stderr=subprocess.DEVNULL).returncode:
            self.skipTest('no name spaces of mounts')
        env = {**ENV, 'DBUS_SYSTEM_BUS_ADDRESS': f'unix:path={self.folder.name}/bus'}
        for sandbox in 'off', 'auto', 'on':
            with self.subTest(sandbox=sandbox):
                ran = subprocess.run([*mounts, PICAD, '--socket', f'{self.folder.name}/0', '--config', '/dev/null', '--threads',
                                      '0', '--display', 'kms', '--seat', 'logind', '--sandbox', sandbox],
                                     capture_output=True, text=True, env=env, timeout=60)
                if sandbox == 'on' and 'sandbox' in ran.stderr:
                    self.skipTest('a build or a kernel without a sandbox')
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn('event=display_seat name=logind error="No such file or directory" text="logind does not answer',
                              ran.stderr)

    def test_other_users(self):
        try:
            subprocess.run([PICAD, '--version'], user=NOBODY, stdout=subprocess.DEVNULL, check=True)
        except PermissionError:
            self.skipTest('a build that other users cannot read')
        self.start_seatd()
        os.chown(SOCKET, 0, 0)
        os.chmod(SOCKET, 0o660)
        self.assertIn('text="seatd does not serve this user', self.refused(
            '--seat', 'seatd', user=NOBODY, group=NOBODY, extra_groups=[]))
        os.chown(SOCKET, 0, NOBODY)  # as seatd -g GROUP
        p = self.start('--seat', 'seatd', user=NOBODY, group=NOBODY, extra_groups=[])
        self.until(p, 'event=display_back')


if __name__ == '__main__':
    if not SEATD:
        skip('no seatd')
    if os.geteuid() != 0:
        skip('seatd needs root')
    lock = open('/run/seatd.sock.lock', 'w')
    fcntl.flock(lock, fcntl.LOCK_EX)  # other tests of this machine
    with socket.socket(socket.AF_UNIX) as probe:
        if probe.connect_ex(SOCKET) == 0:
            skip('a seatd runs here already')
    if glob.glob('/dev/dri/card*'):
        skip('a card here that would show it')
    unittest.main(argv=sys.argv[:1])
