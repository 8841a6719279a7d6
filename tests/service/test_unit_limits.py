"""
The bundled captures, drawn by services within the limits of the shipped units: test_unit_limits.py PICAD PICA UNITS CAPTURES

The machine has the least memory that docs/security.md names: the limit of a control group. The kernel must neither slow the
service down (MemoryHigh) nor refuse it a thread (TasksMax). 77 without rights for control groups.
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
# Of each hierarchy: the limit and the highest use of memory.
MEMORY = ('/sys/fs/cgroup', 'memory.max', 'memory.peak'), \
    ('/sys/fs/cgroup/memory', 'memory.limit_in_bytes', 'memory.max_usage_in_bytes')
TASKS = ('/sys/fs/cgroup', 'pids.max', 'pids.peak'), ('/sys/fs/cgroup/pids', 'pids.max', 'pids.peak')


class Group:
    """A control group with a limit, which picad finds in /proc/self/cgroup."""
    def __init__(self, hierarchies, limit):
        for root, file, peak in hierarchies:
            self.path = pathlib.Path(root, f'pica-limits-{os.getpid()}')
            try:
                self.path.mkdir(exist_ok=True)
                with open(self.path / file, 'r+') as f: # a folder that is none has no such file
                    f.write(str(limit))
                self.peak_file = self.path / peak
                return
            except OSError:
                self.remove()
        print(f'no rights for a control group with {file}')
        sys.exit(77)

    def enter(self):
        (self.path / 'cgroup.procs').write_text('0')

    def peak(self):
        """Most that was used at a time. 0: the kernel does not say it (Linux 5.19, 6.11 for tasks)."""
        return int(self.peak_file.read_text()) if self.peak_file.exists() else 0

    def remove(self):
        for _ in range(100):
            try:
                return self.path.rmdir()
            except FileNotFoundError: # another limit of the same group
                return
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

    def start(self, unit, machine, user, *options):
        """Runs picad as the unit does, then with these options. Returns its output and a check that it keeps to the limits."""
        text = pathlib.Path(UNITS, unit).read_text()

        def setting(key, default=None):
            found = re.search(rf'^{key}=(\d+)', text, re.M)
            return int(found[1]) if found or default is None else default

        command = re.search(r'^ExecStart=\S+ *(.*)', text, re.M)[1].replace('group:render', 'all').split()
        memory, tasks = Group(MEMORY, machine * setting('MemoryMax') // 100), Group(TASKS, setting('TasksMax'))
        high = machine * setting('MemoryHigh') // 100
        self.addCleanup(tasks.remove)
        self.addCleanup(memory.remove)

        def enter():
            memory.enter()
            tasks.enter()
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            n = min(setting('LimitNOFILE', 1024), most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
            become(user)

        p = subprocess.Popen([self.picad, *command, '--threads', '2', '--log-level', 'error', *map(str, options)],
                             preexec_fn=enter, cwd=self.dir, stdout=subprocess.PIPE, text=True)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.terminate)

        def check():
            self.assertIsNone(p.poll())
            self.assertLess(memory.peak(), high)
            self.assertLess(tasks.peak(), setting('TasksMax'))
        return p.stdout, check

    def expect(self, unit, machine, uid):
        socket = self.run_dir / '0'
        _, check = self.start(unit, machine, SERVICE, '--socket', socket)
        for _ in range(400):
            if socket.exists():
                break
            time.sleep(0.01)
        self.assertEqual(self.render(f'--connect={socket}', uid=uid), self.render())
        check()

    def test_a_service_of_a_user(self):
        self.expect('user/picad.service.in', 1280 * MIB, SERVICE)

    def test_a_service_for_a_user(self):
        self.expect('picad@.service.in', 1280 * MIB, SERVICE)

    def test_a_service_for_all(self):
        self.expect('picad.service.in', 2560 * MIB, CLIENT)

    def test_a_kiosk(self):
        config = self.dir / 'kiosk.conf'
        config.write_text(f'[picad]\nkiosk = {self.dir}/*.ctf*\ndisplay = headless\nheadless = 400x240@500\n'
                          'layout = top\nframes = hash:-\n')
        shown, check = self.start('picad-kiosk@.service.in', 1280 * MIB, 0, '--config', config, '--socket', self.run_dir / '0')
        wanted = {line.split()[4] for line in self.render('--screen', 'top', '--frames', 'all').splitlines()}
        while wanted:
            line = shown.readline()
            self.assertTrue(line, 'picad ended')
            wanted.discard(line.split()[2])
        check()


if __name__ == '__main__':
    if os.geteuid() != 0:
        print('not root')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
