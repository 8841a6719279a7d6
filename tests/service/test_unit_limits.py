"""
The bundled captures, drawn by services within the limits of the shipped units: test_unit_limits.py PICAD PICA UNITS CAPTURES

The machine has the least memory that docs/security.md names: the limit of a control group. 77 without rights for one.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PICAD, PICA, UNITS, CAPTURES = (os.path.abspath(path) for path in sys.argv[1:5])
SERVICE, CLIENT = 64000, 64001
MIB = 1 << 20
ROOTS = ('/sys/fs/cgroup', 'memory.max'), ('/sys/fs/cgroup/memory', 'memory.limit_in_bytes')


class Group:
    """A control group with a limit of memory, which picad finds in /proc/self/cgroup."""
    def __init__(self, limit):
        for root, file in ROOTS:
            self.path = pathlib.Path(root, f'pica-limits-{os.getpid()}')
            try:
                self.path.mkdir()
                with open(self.path / file, 'r+') as f: # a folder that is none has no such file
                    f.write(str(limit))
                return
            except OSError:
                if self.path.is_dir():
                    self.path.rmdir()
        print('no rights for a control group with a limit of memory')
        sys.exit(77)

    def enter(self):
        (self.path / 'cgroup.procs').write_text('0')

    def remove(self):
        for _ in range(100):
            try:
                return self.path.rmdir()
            except OSError: # a process is ending
                time.sleep(0.05)


def become(uid):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='pica-limits')
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        os.chmod(self.dir, 0o755)
        # Where other users may go.
        self.picad, self.pica = (shutil.copy(path, self.dir) for path in (PICAD, PICA))
        self.captures = [shutil.copy(path, self.dir) for path in sorted(pathlib.Path(CAPTURES).glob('*.ctf*'))]
        self.assertGreaterEqual(len(self.captures), 11)
        self.run_dir = self.dir / 'run'
        self.run_dir.mkdir()
        os.chown(self.run_dir, SERVICE, SERVICE)

    def render(self, *args, uid=CLIENT):
        p = subprocess.run([self.pica, 'render', '--format', 'hash', *args, *self.captures], capture_output=True, text=True,
                           preexec_fn=lambda: become(uid), cwd=self.dir)
        self.assertEqual(p.returncode, 0, p.stderr[-1000:])
        return p.stdout

    def expect(self, unit, machine, uid):
        text = pathlib.Path(UNITS, unit).read_text()
        percent = int(re.search(r'^MemoryMax=(\d+)%', text, re.M)[1])
        files = re.search(r'^LimitNOFILE=(\d+)', text, re.M)
        options = re.search(r'^ExecStart=@picad@ *(.*)', text, re.M)[1].replace('group:render', 'all').split()
        group = Group(machine * percent // 100)
        self.addCleanup(group.remove)

        def enter():
            group.enter()
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            n = min(int(files[1]) if files else 1024, most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
            become(SERVICE)

        socket = self.run_dir / 's'
        p = subprocess.Popen([self.picad, '--socket', socket, '--threads', '2', '--log-level', 'error', *options],
                             preexec_fn=enter, cwd=self.dir)
        self.addCleanup(p.wait)
        self.addCleanup(p.terminate)
        for _ in range(400):
            if socket.exists():
                break
            time.sleep(0.01)
        self.assertEqual(self.render(f'--connect={socket}', uid=uid), self.render())
        self.assertIsNone(p.poll())

    def test_a_service_of_a_user(self):
        self.expect('user/picad.service.in', 1280 * MIB, SERVICE)

    def test_a_service_for_a_user(self):
        self.expect('picad@.service.in', 1280 * MIB, SERVICE)

    def test_a_service_for_all(self):
        self.expect('picad.service.in', 2560 * MIB, CLIENT)


if __name__ == '__main__':
    if os.geteuid() != 0:
        print('not root')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
