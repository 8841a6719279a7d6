"""Which socket a client takes when it is told none: test_which_socket.py PICA. 77 without rights for a /run of its own."""
import os
import pathlib
import pwd
import socket
import subprocess
import sys
import tempfile
import unittest

PICA = os.path.abspath(sys.argv[1])
OWN, INSTANCE, SYSTEM = 'own', 'instance', 'system'


class Order(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='pica-order')
        self.addCleanup(self.folder.cleanup)
        self.runtime = pathlib.Path(self.folder.name)
        self.places = {OWN: self.runtime / 'pica/0', INSTANCE: pathlib.Path('/run/pica', pwd.getpwuid(os.geteuid())[0], '0'),
                       SYSTEM: pathlib.Path('/run/pica/0')}
        for path in self.places.values():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)

    def make(self, name, listens=True):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(s.close)
        s.bind(str(self.places[name]))
        if listens:
            s.listen()
            s.settimeout(0)
        return s

    def taken(self, sockets, **env):
        """Which of the listening sockets a client connected to."""
        env = {**os.environ, **env}
        env.setdefault('XDG_RUNTIME_DIR', str(self.runtime))
        env.pop('PICA_SOCKET', None)
        p = subprocess.Popen([PICA, 'sessions'], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        names = []
        while p.poll() is None:
            for name, s in sockets.items():
                try:
                    s.accept()[0].close()
                    names.append(name)
                except BlockingIOError:
                    pass
        self.addCleanup(p.stderr.close)
        return names, p.returncode, p.stderr.read()

    def test_the_users_own_comes_first(self):
        sockets = {name: self.make(name) for name in (OWN, INSTANCE, SYSTEM)}
        for name in OWN, INSTANCE, SYSTEM:
            self.assertEqual(self.taken(sockets)[0], [name])
            self.places[name].unlink()

    def test_one_that_does_not_answer_yet_is_taken_all_the_same(self):
        sockets = {SYSTEM: self.make(SYSTEM)}
        for name in INSTANCE, OWN:
            self.make(name, listens=False)
            names, status, text = self.taken(sockets)
            self.assertEqual((names, status), ([], 4), text)
            self.assertIn(str(self.places[name]), text)

    def test_without_the_variable_the_usual_folder_counts(self):
        self.places[OWN] = pathlib.Path('/run/user', str(os.geteuid()), 'pica/0')
        self.places[OWN].parent.mkdir(parents=True)
        sockets = {name: self.make(name) for name in (OWN, SYSTEM)}
        self.assertEqual(self.taken(sockets, XDG_RUNTIME_DIR='')[0], [OWN])


if __name__ == '__main__':
    if len(sys.argv) == 2:  # once more, with a /run that nobody else sees
        inside = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /run && exec "$@"', 'sh']
        if subprocess.run([*inside, 'true'], capture_output=True).returncode:
            print('no name space of mounts here')
            sys.exit(77)
        os.execvp(inside[0], [*inside, sys.executable, *sys.argv, 'inside'])
    unittest.main(argv=sys.argv[:1])
