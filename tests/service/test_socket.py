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
    def left(self):
        return sorted(path.name for path in (self.dir / 'run').iterdir()) if (self.dir / 'run').exists() else []

    def test_a_kiosk_asked_to_end_leaves_no_process(self):
        for loop in LOOPS:
            for sig in signal.SIGTERM, signal.SIGINT:
                p = self.start(*loop)
                self.assertEqual(self.left(), ['0', '0.lock'])
                self.stop(p, sig)
                self.assertEqual(self.left(), [])

    def test_files_of_a_killed_one_are_replaced_at_once(self):
        for n in range(10):
            p = self.start(*LOOPS[n % 2])
            self.greet()
            p.kill()
            p.wait()
            self.assertEqual(self.left(), ['0', '0.lock'])
        p = self.start()
        self.greet()
        self.stop(p)
        self.assertEqual(self.left(), [])

    def test_a_socket_of_another_service_is_left_alone(self):
        first = self.start()
        os.unlink(self.socket)
        self.assertIn('whose file was removed: no client can reach it', self.refused('--socket', self.socket))
        os.unlink(self.socket + '.lock')
        second = self.start()
        inode = os.stat(self.socket).st_ino
        self.stop(first)
        self.assertEqual(os.stat(self.socket).st_ino, inode)
        self.assertEqual(self.left(), ['0', '0.lock'])
        self.greet()
        self.stop(second)
        self.assertEqual(self.left(), [])

    def test_a_service_without_its_lock_keeps_its_socket(self):
        p = self.start()
        os.unlink(self.socket + '.lock')
        self.assertIn('another process listens on this socket', self.refused('--socket', self.socket))
        self.assertEqual(self.left(), ['0'])
        self.greet()
        self.stop(p)
        self.assertEqual(self.left(), [])

    def test_long_names(self):
        for length, text in (83, 'expected a name of 1 to 82 bytes'), (108, 'the path of the socket is longer than 107 bytes'):
            self.assertIn(text, self.refused('--socket', str(self.dir / ('x' * length))))
        self.socket = str(self.dir / ('x' * 82))
        self.stop(self.start())
        self.assertEqual([path.name for path in self.dir.iterdir() if path.name.startswith('x')], [])

    def ask_as(self, uid):
        """The type of the message that another user receives on connecting, or the error."""
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
    def test_a_reload_closes_the_service_to_others_and_a_start_opens_the_socket(self):
        self.dir.chmod(0o755)
        for loop in LOOPS:
            self.config('[picad]\naccess = group:daemon\n')
            p = self.start(*loop)
            self.assertEqual((stat.S_IMODE(os.stat(self.socket).st_mode), os.stat(self.socket).st_gid), (0o660, 1))
            self.assertIn(b'PermissionError', self.ask_as(65534))
            self.stop(p)
            self.config('[picad]\naccess = all\n')
            p = self.start(*loop)
            self.assertIn(b'malformed message', self.ask_as(65534))
            self.config('[picad]\naccess = user\n')
            p.send_signal(signal.SIGHUP)
            while 'event=reload_incomplete keys=access' not in p.stderr.readline():
                self.assertIsNone(p.poll())
            self.assertNotIn(b'malformed message', self.ask_as(65534))
            self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o666)
            self.stop(p)

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_another_user_in_a_folder_of_root(self):
        self.dir.chmod(0o755)
        run = self.dir / 'run'
        run.mkdir(0o755)
        for loop in LOOPS * 2:
            p = self.start('--user', 'nobody:nogroup', *loop)
            self.assertIn(b'malformed message', self.ask_as(65534))
            self.assertEqual((run / '0').stat().st_uid, 65534)
            self.stop(p)
            self.assertEqual(self.left(), ['0', '0.lock'])  # it may not, and the next one replaces them

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_another_user_finds_its_socket(self):
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
        for path in folder / 'pica', folder / 'pica/0', folder / 'pica/0.lock':
            self.assertEqual((path.stat().st_uid, path.stat().st_gid), (uid, uid), path)
        self.stop(p)
        self.assertEqual([path.name for path in (folder / 'pica').iterdir()], [])
        self.assertEqual(list(self.dir.glob('pica*/0')), [])


@unittest.skipIf(os.geteuid() != 0, 'only root can be led into folders of others')
class Links(Case):
    """The folder of the socket belongs to another user, who renames it and puts links to foreign files there."""
    UID = 65534

    def setUp(self):
        super().setUp()
        self.dir.chmod(0o755)
        self.user, self.foreign = self.dir / 'user', self.dir / 'foreign'
        self.user.mkdir()
        os.chown(self.user, self.UID, self.UID)
        self.foreign.mkdir()
        self.socket = str(self.user / 'run' / '0')

    def as_user(self, act):
        """act() with the rights of the user."""
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setgid(self.UID)
                os.setuid(self.UID)
                act()
                os._exit(0)
            finally:
                os._exit(1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def foreign_files(self):
        return [(path.name, path.lstat().st_uid, path.lstat().st_mode, path.lstat().st_ino)
                for path in sorted(self.foreign.rglob('*'))]

    def test_a_folder_that_is_renamed_and_linked_while_we_serve(self):
        run, away = self.user / 'run', self.user / 'away'
        for args in ((), ('--user', str(self.UID)), ('--sandbox', 'off')):
            for loop in LOOPS:
                self.as_user(run.mkdir)
                p = self.start(*args, *loop)
                for name in '0', '0.lock':
                    (self.foreign / name).unlink(missing_ok=True)
                    os.link(run / name, self.foreign / name)  # even the very file stays
                before = self.foreign_files()
                self.as_user(lambda: (run.rename(away), run.symlink_to(self.foreign)))
                p.send_signal(signal.SIGHUP)
                time.sleep(1.5)  # nobody makes the socket again there
                self.assertEqual(self.foreign_files(), before)
                self.stop(p)
                self.assertEqual(self.foreign_files(), before)
                # Without its capabilities root may not write there.
                self.assertEqual(sorted(path.name for path in away.iterdir()), [] if args else ['0', '0.lock'])
                self.as_user(lambda: (run.unlink(), shutil.rmtree(away)))

    def test_links_on_the_way_at_the_start(self):
        run = self.user / 'run'
        for link in run, self.user / 'below' / 'run', self.user / 'way':
            self.as_user(lambda: (link.parent.mkdir(exist_ok=True), link.symlink_to(self.foreign)))
            self.socket = str(link / 'deeper/0' if link.name == 'way' else link / '0')
            for args in (), ('--user', str(self.UID)):
                said = self.refused('--socket', self.socket, *args)
                self.assertIn('a symbolic link on the way', said)
            self.assertEqual(self.foreign_files(), [])

    def test_links_in_place_of_socket_and_lock(self):
        run = self.user / 'run'
        self.as_user(run.mkdir)
        for name in '0', '0.lock':
            self.as_user(lambda: (run / name).symlink_to(self.foreign / 'made'))
            for args in (), ('--user', str(self.UID)):
                self.refused('--socket', self.socket, *args)
                self.assertEqual(self.foreign_files(), [])
            (run / name).unlink()

    def test_files_that_the_user_may_not_have(self):
        secret = self.user / 'run' / '0.lock'
        self.as_user((self.user / 'run').mkdir)
        secret.write_text('secret')
        secret.chmod(0o600)
        self.assertIn('0.lock: Permission denied', self.refused('--socket', self.socket, '--user', str(self.UID)))
        self.assertEqual((secret.stat().st_uid, secret.read_text()), (0, 'secret'))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
