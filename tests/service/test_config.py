#!/usr/bin/env python3
"""How picad is told what to do: its configuration, command line, sample and units. Arguments: picad, test_client."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

from test_picad import PICAD, Case

CGROUPS = pathlib.Path('/sys/fs/cgroup')
SYSTEMD = pathlib.Path(__file__).resolve().parents[2] / 'service' / 'systemd'


def write_existing(path, text):
    """A folder that is not a control group has no such file."""
    with open(path, 'r+', encoding='ascii') as f:
        f.write(text)


class Files(Case):
    def test_an_inexpressible_configuration_is_an_error(self):
        with open('/dev/full', 'w', encoding='ascii') as full:
            p = subprocess.run([PICAD, '--print-config', '--config', str(self.config())], stdout=full,
                               stderr=subprocess.PIPE, text=True, timeout=300, env=self.env())
        self.assertEqual((p.returncode, p.stderr),
                         (2, 'picad: --print-config: standard output: No space left on device\n'))

    def test_sample_names_every_key_with_its_default(self):
        sample = (SYSTEMD / 'picad.conf').read_text()
        keys = {line.split('=')[0].strip('; ') for line in sample.splitlines() if ' = ' in line}
        p = subprocess.run([PICAD, '--print-config', '--config', str(self.config())], capture_output=True, text=True,
                           timeout=300, env=self.env())
        printed = {line.split('=')[0].split(':')[0].strip('; '): line for line in p.stdout.splitlines() if line[0] != '['}
        self.assertEqual(keys, printed.keys())

    def test_sample_holds_with_everything_in_force(self):
        text = (SYSTEMD / 'picad.conf').read_text().replace('access = user', 'access = group:root')
        text = text.replace('/var/lib/pica', str(self.dir))
        text = ''.join(line.removeprefix('; ') if ' = ' in line else line for line in text.splitlines(True))
        for config in (SYSTEMD / 'picad.conf', self.config(text)):
            p = subprocess.run([PICAD, '--print-config', '--config', str(config)], capture_output=True, text=True,
                               timeout=300, env=self.env())
            self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn('access = group:root\n', p.stdout)

    @unittest.skipIf(not shutil.which('systemd-analyze'), 'no systemd-analyze here')
    def test_units_are_sound(self):
        units = self.dir / 'units'
        units.mkdir()
        (units / 'user').mkdir()
        sources = sorted(f for pattern in ('**/*.service.in', '**/*.socket') for f in SYSTEMD.glob(pattern))
        names = [str(f.relative_to(SYSTEMD)).removesuffix('.in').replace('@.', '@daemon.') for f in sources]
        for source, name in zip(sources, names):
            text = source.read_text().replace('@bindir@/picad', '@picad@').replace('@picad@', os.path.abspath(PICAD))
            (units / name).write_text(text)
            if name.endswith('.service'):  # each has its share of the machine
                for key in 'MemoryHigh', 'MemoryMax', 'TasksMax', 'CPUWeight':
                    self.assertRegex(text, f'(?m)^{key}=[0-9]+%?$', name)
        for manager in 'system', 'user':
            mine = [name for name in names if name.startswith('user/') == (manager == 'user')]
            path = f'{units / "user" if manager == "user" else units}:'
            p = subprocess.run(['systemd-analyze', f'--{manager}', 'verify', '--man=no', '--recursive-errors=no',
                                *(str(units / name) for name in mine)], capture_output=True, text=True, timeout=300,
                               env=self.env(SYSTEMD_UNIT_PATH=path, XDG_RUNTIME_DIR=str(self.dir)))
            mistakes = [line for line in p.stderr.splitlines() if 'picad' in line]
            self.assertEqual(mistakes, [])
        # Tenths of what systemd calls exposure: it may become less.
        exposure = {'picad.service': 30, 'picad@daemon.service': 30, 'picad-kiosk@daemon.service': 60, 'user/picad.service': 65}
        self.assertEqual(set(exposure), {name for name in names if name.endswith('.service')})
        for name, most in exposure.items():
            p = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--no-pager', f'--threshold={most}',
                                str(units / name)], capture_output=True, text=True, timeout=300, env=self.env())
            self.assertEqual(p.returncode, 0, p.stdout + p.stderr)


class Configuration(Case):
    def printed(self, *args):
        p = subprocess.run([PICAD, '--print-config', *args], capture_output=True, text=True, timeout=300, env=self.env())
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout

    def test_a_user_has_a_quarter_by_default(self):
        for given, sessions, memory in (((), 16, None), (('--max-sessions', '9'), 3, None),
                                        (('--max-sessions', '9', '--user-sessions', '0'), 0, None),
                                        (('--total-memory', '8G'), 16, 2 << 30), (('--total-memory', '256M'), 16, 256 << 20),
                                        (('--total-memory', '8G', '--memory', '3G'), 16, 3 << 30),
                                        (('--total-memory', '8G', '--user-memory', '0'), 16, 0)):
            text = self.printed('--config', str(self.config()), *given)
            self.assertIn(f'\nuser-sessions = {sessions}\n', text)
            if memory is not None:
                self.assertIn(f'\nuser-memory = {memory}\n', text)

    def test_a_user_has_nine_tenths_of_the_processors_by_default(self):
        cpus = len(os.sched_getaffinity(0))
        for given, percent in (((), 90 * cpus), (('--user-cpu', '0'), 0), (('--user-cpu', '50'), 50),
                               (('--kiosk', 'a.pica'), 0), (('--exec', '/bin/true'), 0)):
            self.assertIn(f'\nuser-cpu = {percent}\n', self.printed('--config', str(self.config()), *given))

    def test_printed_configuration_is_equivalent(self):
        first = self.printed('--config', str(self.config()), '--memory', '1G', '--access', 'all', '--jobs', '77')
        self.assertIn('memory = 1073741824\n', first)
        self.assertIn('jobs = 77\n', first)
        self.assertEqual(self.printed('--config', str(self.config(first))), first)
        shown = '--config', str(self.config('[picad]\n')), '--display', 'headless'
        first = self.printed(*shown, '--kiosk', 'a.pica', '{b,c}/*.pica', 'd,e.pica')
        self.assertIn('\nkiosk = {a.pica,{b,c}/*.pica,d\\,e.pica}\n', first)
        self.assertEqual(self.printed('--config', str(self.config(first))), first)

    def test_defaults_are_printed_as_they_hold(self):
        config = '--config', str(self.config())
        text = self.printed(*config)
        for line in ('access = user', 'loop = auto', 'log-level = info', 'sandbox = auto', 'record-when = always',
                     'display = none', '; layout: stacked', '; scale: integer', '; focus: last', '; background: 000000',
                     'memory = 536870912', 'region = 268435456', '; isa: $PICA_ISA, else the best', '; user: not set',
                     '; card: the first with a display plugged in', '; headless: 800x480@59.831', '; seat: auto', '; idle: built in'):
            self.assertIn(f'\n{line}\n', text)
        self.assertNotIn('the default', text)
        self.assertEqual(self.printed('--config', str(self.config(text))), text)
        self.config('[picad]\n')
        self.assertIn('\nsocket = /run/pica/0\n', text)
        env = self.env(XDG_RUNTIME_DIR='/somewhere')
        self.assertIn(b'\nsocket = /somewhere/pica/0\n', subprocess.run([PICAD, '--print-config', *config], env=env,
                                                                       capture_output=True).stdout)
        shown = self.printed(*config, '--display', 'headless')
        self.assertIn('\nheadless = 800x480@59.831\nframes = none\nlayout = stacked\nscale = integer\n', shown)
        self.assertIn('\ndisplay = kms\n', self.printed(*config, '--exec', 'true'))
        self.assertIn('\nseat = auto\n', self.printed(*config, '--exec', 'true'))
        self.assertIn('\n; seat: auto\n', self.printed(*config, '--exec', 'true', '--sandbox', 'on'))

    def test_a_region_is_no_larger_than_the_memory_of_a_session(self):
        config = '--config', str(self.config())
        self.assertIn('\nregion = 67108864\n', self.printed(*config, '--memory', '64M'))
        said = 'region: 134217728 bytes are more than the 67108864 that memory lets a session have'
        self.assertIn(said, self.refused(*config, '--memory', '64M', '--region', '128M', '--socket', self.socket))
        self.assertFalse(os.path.exists(self.socket))
        p = self.start()
        self.config('[picad]\nmemory = 64M\nregion = 128M\n')
        p.send_signal(signal.SIGHUP)
        while 'event=reload' not in (line := p.stderr.readline()):
            pass
        self.assertIn(f'event=reload_failed why="{said}"', line)
        self.stop(p)

    def test_command_line_wins_over_drop_ins_over_file(self):
        path = self.config('[picad]\njobs = 1\nregions = 2\ncontexts = 3\n')
        folder = self.dir / 'picad.conf.d'
        folder.mkdir()
        (folder / '10-a.conf').write_text('[picad]\nregions = 20\ncontexts = 30\n')
        (folder / '20-b.conf').write_text('[picad]\nregions = 21\n')
        (folder / 'ignored.txt').write_text('nonsense')
        text = self.printed('--config', str(path), '--contexts', '4')
        for line in 'jobs = 1\n', 'regions = 21\n', 'contexts = 4\n':
            self.assertIn(line, text)

    def test_instruction_sets_are_named(self):
        config = '--config', str(self.config())
        sets = re.match(r'picad: --isa mmx: expected (c, emul, .*)\n', self.refused(*config, '--isa', 'mmx'))[1]
        self.assertIn('\nisa = emul\n', self.printed(*config, '--isa', 'emul'))
        for isa in re.split(', | or ', sets):
            p = subprocess.Popen([PICAD, '--socket', self.socket, *config, '--isa', isa], stderr=subprocess.PIPE, text=True,
                                 env=self.env())
            self.running.append(p)
            line = p.stderr.readline()
            if 'event=ready' in line:
                self.stop(p)
            else:  # an instruction set of other machines
                self.assertIn(f'event=engine_failed isa={isa} threads=', line)
                self.assertEqual((isa in ('c', 'emul'), p.wait(timeout=300)), (False, 2))

    def test_lines_are_read_unchanged(self):
        """Blanks in front make no line a part of the one before it; comments are as long as they like."""
        text = self.printed('--config', str(self.config(f'[picad]\nexec = {190 * "a"} b\n;{300 * "x"} = 1\n'
                                                        f'\tcard = /m\n  # {500 * "y"}\n \t jobs = 7')))
        for line in f'exec = {190 * "a"} b', 'card = /m', 'jobs = 7':
            self.assertIn(f'\n{line}\n', text)

    def test_mistakes_name_file_and_line(self):
        for text, what in (('[picad]\nnonsense = 1\n', ':2: unknown key nonsense'),
                           ('[other]\njobs = 1\n', ':1: unknown section [other], expected [picad]'),
                           ('[picad]\njobs = 2\n\n[other]\n', ':4: unknown section [other]'),
                           ('[other]\n[picad]\njobs = 0\n', ':1: unknown section [other]'),
                           ('[picad]\njobs = 0\n', ':2: jobs 0: expected a number from 1 to 8192'),
                           ('[picad]\njobs = 12x\n', ':2: jobs 12x: expected a number'),
                           ('[picad]\n\nloop = kqueue\n', ':3: loop kqueue: expected auto, uring or epoll'),
                           ('[picad]\nexec = ' + 193 * 'a' + ' rest\njobs = x\n', ':2: longer than 199 bytes'),
                           ('[picad]\nexec = ' + 192 * 'a' + ' rest = 1', ':2: longer than 199 bytes'),
                           ('[picad]\njobs = 1\n\n  jobs = x\n', ':4: jobs x: expected a number'),
                           ('[picad]\njust words\n', ':2: expected [picad], key = value')):
            self.assertIn(str(self.config(text)) + what, self.refused('--config', str(self.config(text))))
        self.assertIn('No such file', self.refused('--config', str(self.dir / 'none.conf')))
        os.mkfifo(self.dir / 'fifo')
        for path in self.dir, self.dir / 'fifo', '/dev/zero':
            self.assertIn(f'{path}: not a regular file', self.refused('--config', str(path)))
        self.assertIn('jobs = 512\n', self.printed('--config', '/dev/null'))
        self.assertIn('picad: --jobs x: expected', self.refused('--config', str(self.config('[picad]\n')), '--jobs', 'x'))
        self.assertIn('group:NAME', self.refused('--config', str(self.config()), '--access', 'group:no-such-group'))

    def test_hangup_reads_it_again_and_mistakes_change_nothing(self):
        path = self.config('[picad]\nlog-level = info\n')
        p = self.start()
        path.write_text('[picad]\njobs = 9\n')
        p.send_signal(signal.SIGHUP)
        line = p.stderr.readline()
        if 'event=sandbox_incomplete' in line: # a build with sanitizers has none
            line = p.stderr.readline()
        self.assertIn('event=reloaded', line)
        path.write_text('[picad]\nnonsense = 9\n')
        p.send_signal(signal.SIGHUP)
        self.assertIn(f'event=reload_failed why="{path}:2: unknown key nonsense" text=', p.stderr.readline())
        path.unlink()
        os.mkfifo(path)
        p.send_signal(signal.SIGHUP)
        self.assertIn(f'event=reload_failed why="{path}: not a regular file" text=', p.stderr.readline())
        self.stop(p)

    def test_processors_are_those_that_it_may_use_after_a_reload_too(self):
        one = min(os.sched_getaffinity(0))
        p = self.start(preexec_fn=lambda: os.sched_setaffinity(0, {one}))
        for text, said in ('jobs = 9', 'event=reloaded'), ('jobs = x', 'event=reload_failed'):
            self.config(f'[picad]\n{text}\n')
            p.send_signal(signal.SIGHUP)
            line = p.stderr.readline()
            while 'event=sandbox_incomplete' in line:  # a build with sanitizers has none
                line = p.stderr.readline()
            self.assertIn(said, line)
        self.stop(p)
        text = subprocess.run([PICAD, '--print-config', '--config', '/dev/null'], capture_output=True, text=True, timeout=300,
                              env=self.env(), preexec_fn=lambda: os.sched_setaffinity(0, {one})).stdout
        self.assertIn('\nthreads = 0\n', text)

    def test_total_memory_is_half_of_the_outer_control_groups_limit(self):
        for root, limit in (CGROUPS / 'memory', 'memory.limit_in_bytes'), (CGROUPS, 'memory.max'):
            outer = root / f'pica-test-{os.getpid()}'
            inner = outer / 'inner'
            try:
                outer.mkdir()
            except OSError:
                continue
            try:
                write_existing(outer / limit, str(200 << 20))
                inner.mkdir()
                text = subprocess.run([PICAD, '--print-config', '--config', '/dev/null'], capture_output=True, text=True,
                                      timeout=300, env=self.env(),
                                      preexec_fn=lambda group=inner: write_existing(group / 'cgroup.procs', '0')).stdout
            except (OSError, subprocess.SubprocessError):  # no such file: memory is not controlled there
                continue
            finally:
                if inner.exists():
                    inner.rmdir()
                outer.rmdir()
            self.assertIn(f'\ntotal-memory = {100 << 20}\n', text)
            return
        self.skipTest('no control group with a limit of memory can be made here')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
