#!/usr/bin/env python3
"""The sockets of picad while it runs and when it has ended. Arguments: picad, test_client."""
import os
import pathlib
import shutil
import signal
import socket
import stat
import sys
import time
import unittest

from test_picad import Case

LOOPS = ('--loop', 'epoll', '--threads', '0'), ('--loop', 'auto', '--threads', '1')


class Sockets(Case):
    def reach(self, path=None):
        """Until it is there and answers; the seconds that took."""
        began = time.monotonic()
        while True:
            try:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.settimeout(60)
                s.connect(path or self.socket)
                self.assertEqual(self.greet(s)[1], 64)
                return time.monotonic() - began
            except (FileNotFoundError, ConnectionRefusedError):
                self.assertLess(time.monotonic() - began, 60)
                time.sleep(0.02)
            finally:
                s.close()

    def keeper(self, p):
        pids = [int(pid) for task in pathlib.Path(f'/proc/{p.pid}/task').iterdir()
                for pid in (task / 'children').read_text().split()]
        self.assertEqual(len(pids), 1)
        return pids[0]

    def left(self):
        return sorted(path.name for path in (self.dir / 'run').iterdir()) if (self.dir / 'run').exists() else []

    def gone(self):
        end = time.monotonic() + 60
        while self.left() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.left(), [])

    def removed(self, *args):
        run = self.dir / 'run'
        for remove in (lambda: os.unlink(self.socket),
                       lambda: (os.unlink(self.socket + '.lock'), os.unlink(self.socket)),
                       lambda: shutil.rmtree(run),
                       lambda: os.rename(run, self.dir / 'away')):
            p = self.start(*args)
            old, _, _ = self.greet()
            remove()
            took = self.reach()
            print(f'# reachable again after {took:.2f} s')
            self.assertLess(took, 10)
            self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o600)
            self.assertEqual(self.region(old, 4096), 66)  # whoever was there has noticed nothing
            log = self.stop(p)
            self.assertEqual(log.count('event=socket_made_again'), 1, log)
            self.assertEqual(self.left(), [])
            shutil.rmtree(self.dir / 'away', ignore_errors=True)

    def test_what_is_removed_is_made_again_on_epoll(self):
        self.removed(*LOOPS[0])

    def test_what_is_removed_is_made_again_on_the_best_loop(self):
        self.removed(*LOOPS[1])

    def test_what_another_serves_is_left_to_it(self):
        for loop in LOOPS:
            first = self.start(*loop)
            keeper = self.keeper(first)
            os.kill(keeper, signal.SIGSTOP)  # and so it is late
            os.unlink(self.socket)
            os.unlink(self.socket + '.lock')
            second = self.start(*loop)
            inode = os.stat(self.socket).st_ino
            os.kill(keeper, signal.SIGCONT)
            line = ''
            while 'event=socket_lost' not in line:
                line = first.stderr.readline()
            self.assertIn(f'socket="{self.socket}" why="{self.socket}: another picad serves this socket"', line)
            time.sleep(2.5)
            self.assertNotIn('event=socket', self.stop(first))  # said once
            self.assertEqual(os.stat(self.socket).st_ino, inode)
            self.assertEqual(self.left(), ['0', '0.lock'])
            self.reach()
            self.assertIn('another picad serves this socket', self.refused('--socket', self.socket))
            self.stop(second)
            self.assertEqual(self.left(), [])

    def test_who_lost_its_lock_keeps_its_socket(self):
        p = self.start()
        keeper = self.keeper(p)
        os.kill(keeper, signal.SIGSTOP)
        os.unlink(self.socket + '.lock')
        self.assertIn('somebody else listens on this socket', self.refused('--socket', self.socket))
        self.assertEqual(self.left(), ['0'])
        os.kill(keeper, signal.SIGCONT)
        while self.left() != ['0', '0.lock']:
            time.sleep(0.02)
        self.reach()
        self.stop(p)
        self.assertEqual(self.left(), [])

    def test_nothing_is_left_of_a_killed_one(self):
        for n in range(10):
            p = self.start(*LOOPS[n // 2 % 2])
            if n % 2:
                self.greet()
            p.kill()
            p.wait()
            if n % 3:
                self.gone()
        self.stop(self.start())  # at once
        self.assertEqual(self.left(), [])

    def test_socket_of_a_killed_one_without_keeper_is_replaced(self):
        p = self.start()
        os.kill(self.keeper(p), signal.SIGKILL)
        line = ''
        while 'event=keeper_gone' not in line:
            line = p.stderr.readline()
        self.reach()
        p.kill()
        p.wait()
        self.assertEqual(self.left(), ['0', '0.lock'])
        p = self.start()
        self.reach()
        os.kill(self.keeper(p), signal.SIGKILL)
        self.stop(p)  # removes them itself
        self.assertEqual(self.left(), [])

    def test_a_folder_that_cannot_be_made_is_told(self):
        p = self.start()
        shutil.rmtree(self.dir / 'run')
        (self.dir / 'run').write_text('in the way')
        line = ''
        while 'event=socket_lost' not in line:
            line = p.stderr.readline()
        self.assertIn('Not a directory', line)
        os.unlink(self.dir / 'run')
        self.reach()
        self.assertIn('event=socket_made_again', self.stop(p))

    def ask_as(self, uid):
        """What somebody else is answered who connects: the type of the message, or why he cannot."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            try:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.settimeout(60)
                s.connect(self.socket)
                s.send(b'no greeting')
                os.write(writer, s.recv(4096))
            except OSError as e:
                os.write(writer, type(e).__name__.encode())
            os._exit(0)
        os.close(writer)
        answer = os.read(reader, 4096)
        os.close(reader)
        os.waitpid(pid, 0)
        return answer

    @unittest.skipIf(os.geteuid() != 0, 'not root: there is no other user to be')
    def test_a_reload_opens_and_closes_the_socket_to_others(self):
        self.dir.chmod(0o755)
        for loop in LOOPS:
            self.config('[picad]\naccess = group:daemon\n')
            p = self.start(*loop)
            self.assertEqual(os.stat(self.socket).st_gid, 1)
            for access, mode, answer in (('all', 0o666, b'malformed message'), ('user', 0o600, b'PermissionError'),
                                         ('group:daemon', 0o660, b'PermissionError'), ('all', 0o666, b'malformed message')):
                self.config(f'[picad]\naccess = {access}\n')
                p.send_signal(signal.SIGHUP)
                while stat.S_IMODE(os.stat(self.socket).st_mode) != mode:
                    time.sleep(0.02)
                self.assertIn(answer, self.ask_as(65534), access)
                self.assertEqual(os.stat(self.socket).st_gid, 1 if access == 'group:daemon' else 0)
            os.unlink(self.socket)
            self.reach()
            self.assertIn(b'malformed message', self.ask_as(65534))
            self.stop(p)

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_another_user_in_a_folder_of_root(self):
        self.dir.chmod(0o755)
        run = self.dir / 'run'
        run.mkdir(0o755)
        for loop in LOOPS:
            p = self.start('--user', 'nobody:nogroup', *loop)
            self.assertIn(b'malformed message', self.ask_as(65534))
            for name in '0', '0.lock':
                self.assertEqual((run / name).stat().st_uid, 65534)
                (run / name).unlink()
            self.reach()
            self.assertIn(b'malformed message', self.ask_as(65534))
            self.stop(p)
            self.assertEqual(self.left(), [])
            p = self.start('--user', 'nobody:nogroup', *loop)
            p.kill()
            p.wait()
            self.gone()

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_another_user_has_its_socket_where_it_looks(self):
        uid = 64321  # nobody's
        folder = pathlib.Path(f'/run/user/{uid}')
        made = [path for path in (folder, folder.parent) if not path.exists()]
        for path in reversed(made):
            path.mkdir(0o755)
        self.addCleanup(lambda: [shutil.rmtree(path) if path == folder else path.rmdir() for path in made])
        folder.chmod(0o700)
        os.chown(folder, uid, uid)
        self.socket = f'{folder}/pica/0'
        env = self.env(XDG_RUNTIME_DIR=str(self.dir))  # root's
        p = self.started('--user', str(uid), env=env)
        self.assertIn(f'socket="{self.socket}"', p.ready)
        self.assertIn(b'malformed message', self.ask_as(uid))
        shutil.rmtree(folder / 'pica')
        self.reach()
        self.assertEqual((folder / 'pica').stat().st_uid, uid)
        self.stop(p)
        self.assertEqual([path.name for path in (folder / 'pica').iterdir()], [])
        self.assertEqual(list(self.dir.glob('pica*/0')), [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
