#!/usr/bin/env python3
"""picad keeps the program of a kiosk going:

test_kiosk.py PICA PICAD PRESENTER CAPTURES [unittest arguments]
"""
import datetime
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys
import time
import unittest

from test_show import CAPTURES, ENV, PICA, Case


class Kiosk(Case):
    def test_kiosks_with_nothing_to_play(self):
        """They are not tried again and again: picad does not say that it is ready."""
        (self.dir / 'text.pica').write_text('no capture')
        (self.dir / 'cut.pica').write_bytes((CAPTURES / 'cube.pica').read_bytes()[:5000])
        os.mkfifo(self.dir / 'pipe')
        for args, what in (([self.dir / 'typo.pica'], f'{self.dir}/typo.pica: No such file or directory\n'),
                           ([self.dir / '*.none'], f'{self.dir}/*.none: No such file'),
                           ([self.dir / '{a,b}.none'], f'{self.dir}/a.none: No such file'),
                           ([CAPTURES / '{cube,typo}.pica'], f'{CAPTURES}/typo.pica: No such file'),
                           ([CAPTURES / '{cu*,{k[n]ot,none*}}.pica'], f'{CAPTURES}/none*.pica: No such file'),
                           ([f'{{{CAPTURES}/cube,{self.dir}/cut}}.pica'], f'{self.dir}/cut.pica: '),
                           ([self.dir / 'text.pica'], f'{self.dir}/text.pica: byte 0x0: not a capture'),
                           ([self.dir / 'cut.pica'], f'{self.dir}/cut.pica: '),
                           ([self.dir / 'pipe'], f'{self.dir}/pipe: expected a capture in a regular file'),
                           ([self.dir], f'{self.dir}: expected a capture, this is a folder'),
                           ([CAPTURES / 'cube.pica', self.dir / 'typo.pica'], f'{self.dir}/typo.pica: No such file')):
            err = self.refused('--display', 'headless', '--threads', '1', '--kiosk', *map(str, args))
            self.assertTrue(err.startswith('picad: kiosk: '), err)
            self.assertIn(what, err)
            self.assertNotIn('event=ready', err)
            self.assertFalse(os.path.exists(self.socket))

    def test_kiosk_plays_again_and_again(self):
        p = self.start('--headless', '400x240@500', '--layout', 'top', '--frames', 'hash:-', '--kiosk',
                       CAPTURES / 'cube.pica', str(CAPTURES / '{octo*,{tri*,s{pri,mo}*}}.pica'), stdout=subprocess.PIPE)
        want = self.hashes(*(CAPTURES / f'{name}.pica' for name in ('cube', 'octopus', 'triangle', 'sprites', 'smoke')))
        # The idle picture, then everything twice. A frame shown again by itself would be a line of its own.
        have = [row[2] for row in self.rows(p, 1 + 2 * len(want))]
        self.assertEqual(have[1:], 2 * want)
        p.stdout.close()
        self.end(p)

    def test_kiosk_plays_both_chips(self):
        captures = [CAPTURES / f'{name}.pica' for name in ('vc4-mesh', 'cube')]
        p = self.start('--headless', '640x480@500', '--scale', '1', '--frames', 'hash:-', '--kiosk', *captures,
                       stdout=subprocess.PIPE)
        mesh = self.hashes(captures[0])
        n = len(mesh) + len(self.hashes(captures[1]))
        have = [row[2] for row in self.rows(p, 1 + 2 * n)][1:]
        self.assertEqual(have[:len(mesh)], mesh)
        self.assertEqual(have[n:], have[:n])
        self.assertEqual(len(set(have)), n)
        p.stdout.close()
        self.end(p)

    def test_each_capture_is_held(self):
        names = 'triangle', 'cube', 'triangle'
        before_ns = time.monotonic_ns()
        p = self.start('--headless', '400x240@500', '--layout', 'top', '--frames', 'hash:-', '--hold', '0.5', '--kiosk',
                       *(CAPTURES / f'{name}.pica' for name in names), stdout=subprocess.PIPE)
        want = [self.hashes(CAPTURES / f'{name}.pica') for name in names]
        have = self.rows(p, 1 + len(sum(want, [])))[1:]
        self.assertEqual([row[2] for row in have], sum(want, []))
        self.assertLess(max(map(len, want)), 0.5 * 59)  # shorter than they are held
        # The first picture of the last one, after two that were held.
        self.assertGreaterEqual(int(have[-len(want[-1])][3]), before_ns + 2 * 500_000_000)
        p.stdout.close()
        self.end(p)

    def test_each_screen_has_its_output(self):
        captures = CAPTURES / 'cube.pica', CAPTURES / 'octopus.pica'
        p = self.start('--headless', '400x240@500,320x240@500', '--layout', 'split-outputs', '--frames', 'hash:-', '--kiosk',
                       *captures, stdout=subprocess.PIPE)
        want = {'0': self.hashes(*captures), '1': self.hashes(*captures, screen='bottom')}
        have = {'0': [], '1': []}
        n = 2 * len(want['0'])
        while min(map(len, have.values())) <= n:
            _, output, picture = self.rows(p, 1)[0][:3]
            have[output].append(picture)
        for output in want:
            self.assertEqual(have[output][1:n + 1], 2 * want[output])  # the first one is idle
        p.stdout.close()
        self.end(p)

    def test_capture_that_vanishes_is_waited_for(self):
        here = self.dir / 'cu{b,e}.pica'
        here.write_bytes((CAPTURES / 'cube.pica').read_bytes())
        p = self.start('--headless', '64x48@100', '--kiosk', str(here).replace('{', r'\{'))
        self.said(p, 'name="kiosk"')  # the pattern was read: one that names nothing stays as it is
        here.rename(self.dir / 'away')
        self.said(p, f'level=warning event=kiosk_output text="pica play: {here}: No such file')
        self.said(p, 'event=kiosk_ended status=2')
        (self.dir / 'away').rename(here)
        self.said(p, 'name="kiosk"')
        self.end(p)
        self.assertEqual(p.returncode, 0)

    def test_a_vanished_capture_among_others_is_reported_once(self):
        here, away = self.dir / 'a.pica', self.dir / 'away'
        here.write_bytes((CAPTURES / 'cube.pica').read_bytes())
        p = self.start('--headless', '400x240@500', '--layout', 'top', '--frames', 'hash:-', '--kiosk', here,
                       CAPTURES / 'triangle.pica', stdout=subprocess.PIPE)
        its, others = (set(self.hashes(path)) for path in (here, CAPTURES / 'triangle.pica'))
        gone = f'level=warning event=kiosk_output text="pica play: {here}: No such file or directory"'
        for _ in range(2):
            while self.rows(p, 1)[0][2] not in its:
                pass
            here.rename(away)
            self.said(p, gone)
            # The other one again and again, with a picture each time: what is still underway of ours does not count.
            rounds = [row[2] for row in self.rows(p, 100)]
            self.assertGreater(len([hash for hash in rounds if hash in others]), 50)
            away.rename(here)
        p.stdout.close()
        self.assertNotIn(gone, self.before + self.end(p))

    def test_program_of_the_kiosk_is_started_again_and_ends_with_us(self):
        log = self.dir / 'ran'
        p = self.start('--exec', f'echo $$ $PICA_SOCKET >> {log}; test $(wc -l < {log}) -lt 2 || exec sleep 1000')
        self.until(lambda: log.exists() and len(log.read_text().splitlines()) >= 2)
        first, second = (line.split() for line in log.read_text().splitlines())
        self.assertEqual([first[1], second[1]], [self.socket] * 2)
        os.kill(int(second[0]), 0)
        err = self.before + self.end(p)
        self.assertIn(' level=info event=kiosk_ended status=0 again_in_s=0\n', err)
        self.gone(int(second[0]))

    def test_program_of_the_kiosk_that_keeps_ending_rests_and_talks_to_the_log(self):
        p = self.start('--frames', 'y4m:-', '--exec', 'echo words; kill -SEGV $$', stdout=subprocess.DEVNULL)
        said = self.before
        # At once, then later and later.
        while 'again_in_s=2' not in said:
            line = p.stderr.readline()
            self.assertTrue(line, said)
            said += line
        said = [line.partition(' ')[2] for line in said.splitlines() if 'event=kiosk' in line]
        self.assertEqual(set(said[::2]), {'level=info event=kiosk_output text="words"'})
        end = f'level=warning event=kiosk_ended signal={signal.SIGSEGV} again_in_s='
        # A machine that is slow for a while makes it begin anew: only the last ones are certain.
        self.assertEqual(said[1::2][-3:], [f'{end}{n}' for n in range(3)])
        self.end(p)

    def test_output_of_the_kiosk_becomes_log_lines(self):
        (self.dir / 'says').write_text(r'''
import fcntl, os, struct, termios, time

def say(fd, text):
    os.write(fd, text)
    while struct.unpack('i', fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0]:  # until it has been read
        time.sleep(0.01)

say(2, b'to "you"\xc2\x9b\\\0\r\n')
say(1, b'half')
say(1, b' a line\n\n' + 2500 * b'x' + b'\nwithout an end')
''')
        p = self.start('--exec', f'exec {sys.executable} {self.dir}/says')
        said = self.before
        while 'event=kiosk_ended' not in said:
            said += p.stderr.readline()
        said = [line.partition(' ')[2] for line in said.splitlines() if 'event=kiosk' in line]
        self.assertEqual(said, [r'level=warning event=kiosk_output text="to \"you\"\xC2\x9B\\ \r"'] +
                         [f'level=info event=kiosk_output text="{text}"' for text in
                          ('half a line', '', 1023 * 'x', 1023 * 'x', 454 * 'x', 'without an end')] +
                         ['level=info event=kiosk_ended status=0 again_in_s=0'])
        self.end(p)

    def test_program_of_the_kiosk_that_never_stops_talking_is_ended(self):
        p = self.start('--exec', 'echo y; echo y >&2; sleep 0.2; trap "" PIPE; yes & yes >&2; true')
        said = ''
        while not all(f'level={level} event=kiosk_output text="y"' in said for level in ('info', 'warning')):
            said += p.stderr.readline()
            self.assertLess(said.count('\n'), 150, said)
        time.sleep(1)
        said = self.end(p)
        self.assertIn('event=stopped', said)
        self.assertLess(said.count('event=kiosk_output'), 400)
        sums = [int(n) for n in re.findall('event=kiosk_not_logged lines=([0-9]+)', said)]
        self.assertGreater(sum(sums), 1000)
        self.assertEqual(p.returncode, 0)

    def test_lines_of_the_kiosk_are_summed_up(self):
        ended = self.dir / 'ended'
        p = self.start('--exec', f'seq 150; seq 7 >&2; touch {ended}; exec sleep 1000')
        self.until(ended.exists)
        said = self.before
        while 'event=kiosk_not_logged' not in said:  # without another word of it, ten seconds after the first
            line = p.stderr.readline()
            self.assertTrue(line, said)
            said += line
        said += self.end(p)
        said = [line.partition(' ')[2] for line in said.splitlines() if 'event=kiosk' in line]
        self.assertEqual([line for line in said if 'level=info' in line],
                         [f'level=info event=kiosk_output text="{n}"' for n in range(1, 101)] +
                         ['level=info event=kiosk_not_logged lines=50'])
        self.assertEqual([line for line in said if 'level=warning' in line],
                         [f'level=warning event=kiosk_output text="{n}"' for n in range(1, 8)])

    @unittest.skipIf(os.geteuid() != 0, 'only root becomes somebody else')
    def test_program_of_the_kiosk_is_at_home_with_its_user(self):
        self.dir.chmod(0o755)
        own = ' '.join((lambda u: (u.pw_dir, u.pw_name, u.pw_name, u.pw_shell))(pwd.getpwnam('daemon')))
        for user, words in (('daemon', own), ('daemon:nogroup', own), ('54321', '- - - -')):
            p = self.start('--user', user, '--exec',
                           'env | grep -q ^SHELL= || unset SHELL; echo $(id -u) ${HOME--} ${USER--} ${LOGNAME--} ${SHELL--}')
            uid = user if user.isdigit() else pwd.getpwnam('daemon').pw_uid
            self.said(p, f'level=info event=kiosk_output text="{uid} {words}"')
            self.end(p)

    def test_the_kiosk_follows_the_present_log_level(self):
        p = self.start('--headless', '400x480@200', '--layout', 'top', '--exec',
                       'while sleep 0.1; do echo info; echo warning >&2; done')
        self.said(p, 'text="info"')

        def reread(level, background):
            """From when on it holds: what the display shows says when picad has read it."""
            (self.dir / 'picad.conf').write_text(f'[picad]\nlog-level = {level}\nbackground = {background}\n')
            p.send_signal(signal.SIGHUP)
            self.until(lambda: self.picture()[-3:] == bytes.fromhex(background))
            time.sleep(0.5)  # what is being said does not count
            return datetime.datetime.utcnow().isoformat()

        warned, said = reread('warning', '102030'), []
        while not said or said[-1][0][5:] <= warned:
            line = p.stderr.readline()
            self.assertTrue(line)
            said.append(line.rstrip('\n').split(' ', 1))
        silent = reread('error', '302010')
        time.sleep(0.5)
        said += [line.split(' ', 1) for line in self.end(p).splitlines()]
        later = [words for time, words in said if time[5:] > warned]
        self.assertEqual(set(later), {'level=warning event=kiosk_output text="warning"'})
        self.assertEqual([words for time, words in said if time[5:] > silent], [])
        self.assertEqual(p.returncode, 0)

    def test_the_death_of_the_kiosks_keeper_is_noticed(self):
        p, pids = self.started('echo $PPID >> LOG; echo $$ >> LOG; exec sleep 1000')
        ignored = re.search(r'SigIgn:\t(\w+)', pathlib.Path(f'/proc/{pids[1]}/status').read_text())[1]
        self.assertFalse(int(ignored, 16) & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1))
        for pid in pids[0], p.pid:  # as killall does, for which both are picad
            os.kill(pid, signal.SIGHUP)
        self.said(p, 'event=reloaded')
        time.sleep(0.3)
        self.assertIsNone(p.poll())
        os.kill(pids[0], signal.SIGKILL)
        err = p.communicate(timeout=300)[1]
        self.assertIn('level=error event=kiosk_lost ', err)
        self.assertEqual(p.returncode, 2)
        self.gone(pids[1])

    def test_an_orderly_end_logs_no_warning(self):
        p = self.start('--kiosk', str(CAPTURES / 'cube.pica'))
        self.said(p, 'name="kiosk"')
        client = subprocess.Popen([PICA, 'play', '--loop', f'--connect={self.socket}', CAPTURES / 'cube.pica'], env=ENV,
                                  stderr=subprocess.PIPE, text=True)
        self.said(p, 'name="pica"')
        said = self.end(p)
        self.assertIn(': the service ', client.communicate(timeout=300)[1])
        self.assertIn('event=session_closed session=1', said)  # the kiosk's own has an end of its own
        self.assertRegex(said, 'level=info event=session_dropped session=2 .* why="the service stops"')
        self.assertNotRegex(said, 'level=(warning|error)|kiosk_output|picad: ')
        self.assertEqual(p.returncode, 0)

    def test_program_of_the_kiosk_ends_when_we_are_killed(self):
        log = self.dir / 'ran'
        p = self.start('--exec', f'echo $$ > {log}.new; mv {log}.new {log}; exec sleep 1000')
        self.until(log.exists)
        p.kill()
        p.wait()
        p.stderr.close()
        self.gone(int(log.read_text()))

    def started(self, how):
        """A service, and two pids that the program of its kiosk wrote."""
        log = self.dir / 'ran'
        p = self.start('--exec', how.replace('LOG', str(log)))
        self.until(lambda: log.exists() and len(log.read_text().splitlines()) >= 2)
        return p, [int(line) for line in log.read_text().splitlines()]

    def test_children_of_the_kiosk_end_too(self):
        # By the keeper that picad asks, by the one that misses picad, and, where SIGTERM is ignored, by force.
        for how in ('sleep 1000 & echo $! >> LOG; echo $$ >> LOG; wait; true',
                    'trap "" TERM; sleep 1000 & echo $! >> LOG; echo $$ >> LOG; wait; wait'):
            for number in signal.SIGTERM, signal.SIGKILL:
                p, pids = self.started(how)
                p.send_signal(number)
                p.wait(60)
                p.stderr.close()
                for pid in pids:
                    # Asked to end it waits for them; killed it leaves that to the keeper.
                    self.assertFalse(number == signal.SIGTERM and os.path.exists(f'/proc/{pid}'), how)
                    self.gone(pid)
                (self.dir / 'ran').unlink()

    def test_old_processes_of_the_kiosk_end_before_a_restart(self):
        p, pids = self.started('sleep 1000 & echo $! >> LOG; test $(wc -l < LOG) -lt 2 || exec sleep 1000')
        self.gone(pids[0])
        os.kill(pids[1], 0)
        err = self.before + self.end(p)
        self.gone(pids[1])
        self.assertEqual(err.count('event=kiosk_ended'), 1)  # not when the service ends
        self.assertIn('event=stopped', err.splitlines()[-1])

    def gone(self, pid):
        def is_gone():
            try:
                return 'Z' in pathlib.Path(f'/proc/{pid}/stat').read_text().split()[2]
            except (FileNotFoundError, ProcessLookupError):
                return True  # while it was looked at
        self.until(is_gone)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
