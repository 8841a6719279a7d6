#!/usr/bin/env python3
"""Programs of the console on this machine: test_host.py PICA PICAD PROGRAMS [unittest arguments]

The folder has host-calls, host-clocks, host-console, host-cube, host-ends, host-threads, cube.shbin, and host-chrono if there is a
compiler of C++.
"""
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import zlib

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # host-run does not catch signals that were ignored before, as by nohup
TREE = pathlib.Path(__file__).resolve().parents[2]
PICA, PICAD, PROGRAMS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
# By hand: the main thread has priority 0x30, "urgent" one less, the patient ones one more, "late" two. Two of the patient
# ones have a place; each asks for the time, which then advances by 1 us.
ORDER = """main 0 at 1 us
urgent 1 at 2 us
urgent 10 at 3 us
main 10 at 4 us
patient-a 10 at 5 us
patient-b 10 at 6 us
patient-a 11 at 2006 us
patient-a 11 at 2007 us
patient-b 12 at 2008 us
patient-b 12 at 2009 us
patient-c 12 at 2010 us
late 1 at 3008 us
patient-c 13 at 4012 us
patient-c 13 at 4013 us
"""
# Each reading takes 1 us of 268 ticks, at 268.111856 MHz; the first 8 bytes are those of SplitMix64 from 0.
CLOCKS = """real 946684800.000000999
monotonic 0.000001999
processor 0.000002998
clock 3
day 946684800.000004
utc 946684800.000005997
other 0.001006993
slept 0.001506994
other 0.002007990
until 0.250000995
late 0 wrong 1
left 0 at 946684800
foreign 1.250002995
random 11 af cd 1d 7b 39 a8 20 e2 f4 65 b9
entropy 4f 45 09 80
/dev/urandom ec 81 4c 72 a8 b8 8b f8
/dev/urandom 7f 08 e7 80 cc 2b 0b 82
/dev/random c7 32 16 af 55 a6 ed 20
"""
CHRONO = """slept 20000999
system 946684800020002998
random 2713282036 2065550767
"""


class Host(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        romfs = self.folder / 'romfs'
        (romfs / 'real').mkdir(parents=True)
        (romfs / 'real/side').write_text('inside')
        for name, to in ('link', '..'), ('way', self.folder / 'secret'), ('in', 'real'):
            (romfs / name).symlink_to(to)
        shutil.copy(PROGRAMS / 'cube.shbin', romfs)

    def pica(self, *args, exit=0):
        run = subprocess.run([PICA, *args], cwd=self.folder, capture_output=True, text=True, timeout=300,
                             stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, exit, run.stdout + run.stderr)
        return run

    def host(self, name, *args, exit=0, program=()):
        return self.pica('host-run', '--romfs', 'romfs', *args, PROGRAMS / f'host-{name}', *program, exit=exit)

    def hashes(self, *args, **kw):
        return self.host('cube', '--format', 'hash', '--pictures', 'all', *args, **kw).stdout.splitlines()

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def test_calls(self):
        (self.folder / 'card').mkdir()
        (self.folder / 'a').mkdir()
        self.write('secret', 'beside romfs')
        romfs = self.folder / 'romfs'
        sources = {p.name: p.read_bytes() for p in romfs.iterdir() if p.is_file()}
        run = self.host('calls', '--format', 'none', '--sdmc', 'card')
        self.assertEqual({p.name: p.read_bytes() for p in romfs.iterdir() if p.is_file()}, sources, 'only read')
        self.assertEqual([(p.name, p.read_text()) for p in (self.folder / 'card').iterdir()], [('b', 'text')])
        self.assertNotIn('sdmc', run.stderr)
        self.assertIn('GX_TextureCopy: 0x00001000 is not in the linear heap or VRAM', run.stderr)
        self.assertIn('DVLB_ParseFile: ', run.stderr)
        absent = [line for line in run.stderr.splitlines() if line.endswith(' here: such calls do nothing')]
        self.assertEqual(absent, [f'libpica-ctru: {name}: there is no {what} here: such calls do nothing' for name, what in (
            ('APT_CheckNew3DS', 'New 3DS'), ('PTMU_GetBatteryLevel', 'battery, shell or step counter'), ('swkbdInit', 'keyboard applet'),
            ('FSUSER_OpenFileDirectly', 'file system service'), ('ndspInit', 'sound'))])
        # By itself, at addresses that are what they are by chance.
        run = subprocess.run([PROGRAMS / 'host-calls'], capture_output=True, text=True, timeout=300,
                             env={'PICA_HOST_ROMFS': str(self.folder / 'romfs')})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr.count('sdmc:/ is not there: host-run --sdmc DIR gives it a folder'), 1)

    def test_console(self):
        """Text is drawn, and recorded; it is forwarded as lines."""
        hashes = ['host-run', '--format', 'hash', '--pictures', 'all', '-n', '6']
        run = self.pica(*hashes, '--record', 'text.pica', PROGRAMS / 'host-console')
        lines = run.stdout.splitlines()
        self.assertEqual((lines[0], lines[1]), ('before', 'nowhere'))
        self.assertNotIn('\x1b', run.stdout)
        self.assertIn('okok', run.stderr)
        self.assertEqual([line for line in lines if 'world' in line], ['Hello world!'])
        at = lines.index('On the bottom screen, without a line\'s end')
        self.assertEqual(at + 1, len(lines) - 12, 'each picture has its line')
        drawn = self.pica('render', '--format', 'hash', '--frames', 'all', 'text.pica').stdout.splitlines()
        self.assertEqual([line.split()[1:] for line in drawn], [line.split()[1:] for line in lines[at + 1:]])
        self.pica('host-run', '-n', '4', '-o', '{screen}.ppm', PROGRAMS / 'host-console')
        rows = (self.folder / 'top.ppm').read_bytes()[15:]
        green = [i // 3 for i in range(0, len(rows), 3) if rows[i:i + 3] == bytes([0, 255, 0])]
        # "world" is in row 15, from column 26 on.
        self.assertEqual({i // 400 // 8 for i in green}, {14})
        self.assertEqual({i % 400 // 8 for i in green}, set(range(25, 30)))

    def test_threads(self):
        for _ in range(3):
            run = subprocess.run([PROGRAMS / 'host-threads'], capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stdout), (0, ORDER), run.stderr)

    def test_clocks_and_random_numbers(self):
        """Those of the C library are the program's time and seeded; libpica keeps the real ones."""
        if '__asan_init' in (symbols := (PROGRAMS / 'host-clocks').read_bytes().decode('latin1')) or '__tsan_init' in symbols:
            self.skipTest('a sanitizer calls the C library in the place of the program and of libpica')
        self.assertEqual(self.host('clocks', '--format', 'none', '-n', '500').stdout, CLOCKS)
        self.assertEqual(self.host('clocks', '--format', 'none', '-n', '500', '--connect=builtin:1').stdout, CLOCKS)
        if (PROGRAMS / 'host-chrono').exists():
            self.assertEqual(self.host('chrono', '--format', 'none', '-n', '5').stdout, CHRONO)

    def test_same_every_time(self):
        first = self.hashes('-n', '5', '--record', 'one.pica')
        self.assertEqual([line.split()[1:4] for line in first],
                         [[str(i), screen, 'left'] for i in range(5) for screen in ('top', 'bottom')])
        self.assertEqual(len({line.split()[4] for line in first}), 10, 'every picture is another one')
        self.assertEqual(self.hashes('-n', '5', '--record', 'two.pica', '--threads', '2'), first)
        self.assertEqual((self.folder / 'one.pica').read_bytes(), (self.folder / 'two.pica').read_bytes())
        # The recording is the same pictures, in another process, and was checked when it was made.
        drawn = self.pica('render', '--format', 'hash', '--frames', 'all', 'one.pica').stdout.splitlines()
        self.assertEqual([line.split()[1:] for line in drawn], [line.split()[1:] for line in first])
        self.pica('render', '--verify', 'one.pica')
        self.assertEqual(self.hashes('-n', '3', '--isa', 'c'), first[:6])

    def service(self, *args):
        """Starts picad. Returns its process; its socket is `socket` in the folder."""
        picad = subprocess.Popen([PICAD, '--socket', self.folder / 'socket', *args], stderr=subprocess.PIPE, text=True)
        self.addCleanup(picad.communicate, timeout=300)
        self.addCleanup(picad.kill)
        self.wait_log(picad, 'event=ready')
        return picad

    def wait_log(self, picad, event):
        while event not in (line := picad.stderr.readline()):
            self.assertTrue(line, f'picad ended before {event}')

    def test_service(self):
        """picad as the GPU: pictures and recording are the same, also those of another process."""
        here = self.hashes('-n', '5', '--record', 'here.pica')
        picad = self.service('--threads', '2')
        self.assertEqual(self.hashes('-n', '5', '--connect=socket'), here)
        self.assertEqual(self.hashes('-n', '5', '--connect=builtin:', '--float', 'f32'),
                         self.hashes('-n', '5', '--float', 'f32'))
        run = self.host('cube', '-n', '5', '--format', 'hash', '--pictures', 'all', '--connect=socket', '--record',
                        'there.pica', '--lint')
        self.assertEqual(run.stdout.splitlines(), [*here, 'there.pica: clean'])
        self.assertEqual((self.folder / 'there.pica').read_bytes(), (self.folder / 'here.pica').read_bytes())
        run = self.host('calls', '--format', 'none', '--connect=socket')
        self.assertIn('GX_TextureCopy: 0x00001000 is not in the linear heap or VRAM', run.stderr)
        picad.terminate()
        log = picad.communicate(timeout=300)[1]
        self.assertEqual((log.count('event=session_open'), log.count('event=session_closed')), (3, 3), log)

    def test_no_service(self):
        whole = [line.split()[1:] for line in self.hashes('-n', '5')]
        run = self.host('cube', '--connect=none', exit=4)
        self.assertEqual(run.stderr, 'libpica-ctru: no service at none: No such file or directory\n')
        run = self.host('cube', '--connect=builtin:', '--isa', 'c', exit=2)
        self.assertIn('--connect: --isa is the service\'s own', run.stderr)
        for end, why in (('kill', ''), ('terminate', ': the service stops')):
            picad = self.service()
            with subprocess.Popen([PICA, 'host-run', '--romfs', 'romfs', '-n', '1000000', '--pictures', '4', '-o', f'{end}-{{screen}}.ppm',
                                   '--connect=socket', '--record', f'{end}.pica', '--lint', PROGRAMS / 'host-cube'], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
                while program.poll() is None and not (self.folder / f'{end}-bottom.ppm').exists():
                    time.sleep(0.01)
                getattr(picad, end)()
                out, error = program.communicate(timeout=60)
            self.assertEqual((program.returncode, error), (4, f'libpica-ctru: the service is gone{why}\n'))
            self.assertRegex(out.splitlines()[-1], f'^{end}.pica: clean up to frame [0-9]+; the program ended: status 4$')
            drawn = self.pica('render', '--verify', '--format', 'hash', '--frames', '0-4', f'{end}.pica').stdout.splitlines()
            self.assertEqual([line.split()[1:] for line in drawn[:10]], whole)
        self.service('--region', '1M')
        run = self.host('cube', '--connect=socket', exit=2)
        self.assertEqual(run.stderr, 'libpica-ctru: the service: 128 MiB of memory: larger than the quota of region_bytes\n')

    def test_input(self):
        still = self.hashes('-n', '6')
        script = self.write('keys', '# frame: state\n\n2: A circle=100,-50\n3:\n')
        moved = self.hashes('-n', '6', '--input', script)
        self.assertEqual(moved[:4], still[:4])
        self.assertNotIn(moved[4], still)
        self.assertEqual(len(set(moved) & set(still)), 4)  # the cube stays turned
        just_a = self.hashes('-n', '6', '--input', self.write('keys', '2: A\n3:\n'))
        self.assertEqual([i for i in range(12) if just_a[i] != still[i]], [4])  # the top screen, red
        script = self.write('keys', '4: START\n')
        self.assertEqual(self.hashes('--input', script, exit=7), still[:8])
        self.host('ends', '--format', 'none', '--input', self.write('keys', '2: cstick=100,-50\n'), exit=7)
        for line, message in (('x: A', 'expected `FRAME:'), ('1: Q', 'Q: expected a key'),
                              ('1: touch=320,0', 'touch=320,0: expected'), ('2: A\n2: B', 'frame 2: expected one after'),
                              ('1: slider=2', 'slider=2: expected'), ('1: cstick=0,157', 'cstick=0,157: expected')):
            run = self.host('cube', '--input', self.write('keys', line + '\n'), exit=2)
            self.assertIn('keys:', run.stderr)
            self.assertIn(message, run.stderr)

    def test_pictures(self):
        self.host('cube', '-n', '3', '-o', 'out/{frame}-{screen}.ppm', '--pictures', '0,last')
        self.assertEqual(sorted(p.name for p in (self.folder / 'out').iterdir()),
                         ['0-bottom.ppm', '0-top.ppm', '2-bottom.ppm', '2-top.ppm'])
        top = (self.folder / 'out/2-top.ppm').read_bytes()
        self.assertEqual(top[:15], b'P6\n400 240\n255\n')
        pixels = top[15:]
        self.assertEqual(tuple(pixels[:3]), (0x20, 0x30, 0x40))  # the background of the fill
        middle = pixels[3 * (120 * 400 + 200):][:3]
        self.assertNotEqual(tuple(middle), (0x20, 0x30, 0x40))
        self.host('cube', '-n', '2', '--screen', 'bottom', '-o', 'b.png')
        self.assertEqual((self.folder / 'b.png').read_bytes()[1:4], b'PNG')
        for name in '{screen}.y4m', '{screen}.gif':
            self.assertIn('expected a name that ends in .png', self.host('cube', '-n', '2', '-o', name, exit=2).stderr)
        for name in 'gif', 'y4m':
            run = self.host('cube', '-n', '2', '--format', name, exit=2)
            self.assertIn(f'--format {name}: expected png, ppm, qoi, raw, hash or none', run.stderr)
        run = self.host('cube', '-n', '2', '--format', 'hash', '-o', 'new/', '--record', 'x.pica', exit=2)
        self.assertEqual(run.stderr, 'pica host-run: -o new/: No such file or directory\n')
        self.assertFalse((self.folder / 'x.pica').exists(), 'refused before the run')
        self.host('cube', '-n', '2', '--format', 'hash', '-o', 'hashes')
        self.assertEqual((self.folder / 'hashes').read_text().splitlines(), self.hashes('-n', '2')[2:])

    def test_pictures_that_do_not_come(self):
        run = self.host('cube', '--pictures', '0,70', exit=2)
        self.assertIn('--pictures: frame 70 was asked for, but the last one is 59 (--frames)', run.stderr)
        for pictures in '2,3', '5-last':
            run = self.host('ends', '--format', 'hash', '--pictures', pictures, exit=2)
            self.assertIn(f'--pictures: frame {pictures[0:1] if "-" in pictures else 3} was asked for, but the last one is 2', run.stderr)
        self.assertEqual(len(self.host('ends', '--format', 'hash', '--pictures', '0-last').stdout.splitlines()), 6)

    def test_lint(self):
        run = self.host('cube', '-n', '2', '--format', 'none', '--lint')
        self.assertEqual(run.stdout, f'{PROGRAMS}/host-cube: clean\n')
        # A finding is told before the job runs, and is that of the recording; without its place there.
        for where in [], ['--connect=builtin:']:
            run = self.host('ends', '--format', 'none', '--record', 'x.pica', '--lint', *where, program=['list'], exit=6)
            lines = run.stderr.splitlines()
            told = [line for line in lines if line.startswith('pica host-run: ')]
            self.assertEqual(told, ['pica host-run: host-ends: frame 3: hang: a list ends without a write to FINALIZE: '
                                    'the GPU never signals its end [no-finalize]'])
            self.assertLess(lines.index(told[0]), lines.index('later'), run.stderr)
            self.assertEqual(run.stdout, self.pica('lint', 'x.pica', exit=6).stdout)
        run = self.host('ends', '--format', 'none', '--lint', program=['list'], exit=6)
        self.assertIn(f'{PROGRAMS}/host-ends: 1 rule (hang)\n', run.stdout)

    def test_lint_without_a_job(self):
        for end, exit in ('exit 0', 2), ('exit 3', 3), ('kill -KILL $$', 137):
            self.assertEqual(self.pica('host-run', '--lint', 'sh', '-c', end, exit=exit).stdout, 'sh: no job was checked\n')
        self.assertEqual(self.pica('host-run', '--lint', '/dev/null', exit=2).stdout, '')

    def test_a_program_that_ends_before_its_first_frame(self):
        program = f'{PROGRAMS}/host-ends'
        early = f'pica host-run: {program}: ended before its first vertical blank\n'
        self.assertEqual(self.host('ends', program=['early-'], exit=2).stderr, early)
        two = self.pica('host-run', '--format', 'hash', 'sh', '-c', f'{program}; {program}')
        self.assertEqual((len(two.stdout.splitlines()), two.stderr), (2, ''), 'a script may start several')
        for how in '', 'exec', 'close':
            run = self.host('ends', '--lint', program=['early-' + how], exit=2)
            self.assertEqual((run.stdout, run.stderr.count(early)), (f'{program}: no frame was checked\n', 1), run.stderr)
            run = self.host('ends', '--lint', '--record', 'x.pica', program=['early-' + how], exit=2)
            self.assertEqual(run.stdout, 'x.pica: no frame was checked\n')
            self.assertIn(early, run.stderr)
        run = self.host('ends', '--lint', program=['early-start'], exit=6)
        self.assertIn(f'{program}: 1 rule (hang)\n', run.stdout)
        self.assertIn(early, run.stderr)

    def test_a_program_that_lint_loses(self):
        for how in 'exec', 'close':
            run = self.host('ends', '--format', 'none', '--lint', program=[how])
            self.assertEqual(run.stdout, f'{PROGRAMS}/host-ends: clean up to frame 3; the program ended: it called _exit() or exec(), '
                                         'or closed its descriptors\n')

    def test_a_refused_command_is_not_clean(self):
        """The message names what the program passed."""
        for how, message in (('refused', 'GX_TextureCopy: 0x00001000 is not in the linear heap or VRAM'),
                             ('end', 'GX_MemoryFill: 0x00002000 is not in the linear heap or VRAM'),
                             ('long', 'GX_FlushCacheRegions: 0x10000000 bytes at 0x30000000 extend past the end of the memory there')):
            run = self.host('ends', '--format', 'none', '--lint', program=[how], exit=6)
            self.assertEqual(run.stdout, f'{PROGRAMS}/host-ends: 1 mistake that libpica-ctru told of\n')
            self.assertIn(message, re.sub('0x30[0-9A-F]{6}', '0x30000000', run.stderr))
            self.assertEqual(run.stderr.count('\n'), 1)

    def test_a_register_that_does_not_exist(self):
        """Its access is told and fails; lint and recording continue."""
        for where in [], ['--connect=builtin:']:
            run = self.host('ends', '--format', 'none', '--lint', '--record', 'x.pica', *where, program=['register'], exit=6)
            lines = run.stderr.splitlines()
            self.assertEqual(lines[:4], [f'libpica-ctru: GSPGPU_{call}: 0x{reg:08X}: expected a register of the GPU, 0x400000-0x401BFC, '
                                         'or of the screens, 0x202000-0x202FFC' for call, reg in (
                                             ('WriteHWRegs', 0xFFFFFFF0), ('WriteHWRegs', 0x401C00),
                                             ('WriteHWRegsWithMask', 0x400001), ('ReadHWRegs', 0))])
            self.assertIn('[no-finalize]', lines[4])
            self.assertIn('4 mistakes that libpica-ctru told of', run.stdout)
            self.assertIn('\nframes           4\n', self.pica('info', 'x.pica').stdout)

    def test_a_program_that_crashes_or_hangs_is_recorded(self):
        whole = self.hashes('-n', '3')
        for key, exit, why in ('L', 139, 'ended by a signal: Segmentation fault'), ('R', 5, 'no frame in 2 s: ended (--timeout)'):
            run = self.host('cube', '--format', 'none', '--input', self.write('keys', f'3: {key}\n'), '--timeout', '2', '--record',
                            f'{key}.pica', '--lint', exit=exit)
            self.assertIn(why, run.stderr)
            end = 'Segmentation fault' if key == 'L' else '--timeout'
            self.assertEqual(run.stdout, f'{key}.pica: clean up to frame 3; the program ended: {end}\n')
            drawn = self.pica('render', '--format', 'hash', '--frames', 'all', f'{key}.pica').stdout.splitlines()
            self.assertEqual([line.split()[1:] for line in drawn[:6]], [line.split()[1:] for line in whole])

    def test_a_fault_is_recorded(self):
        """As a crash, with the message."""
        for how, message in (('twice', 'linearFree(0x'), ('linear', 'linearFree(0x'), ('vram', 'vramFree(0x'),
                             ('queue', 'gxCmdQueueAdd: the queue is full'), ('break', 'svcBreak: panic')):
            run = self.host('ends', '--format', 'none', '--record', 'x.pica', '--lint', program=[how], exit=134)
            self.assertTrue(run.stderr.startswith('libpica-ctru: ' + message), run.stderr)
            self.assertEqual(run.stdout, 'x.pica: 1 mistake that libpica-ctru told of\n')
            self.assertIn('\nframes           3\n', self.pica('info', 'x.pica').stdout)
            (self.folder / 'x.pica').unlink()
        for how in 'stack', 'thread-stack':
            self.host('ends', '--format', 'none', '--record', 'x.pica', program=[how], exit=139)
            self.assertIn('\nframes           3\n', self.pica('info', 'x.pica').stdout)
            (self.folder / 'x.pica').unlink()

    def test_a_program_that_is_not_executable(self):
        self.write('cube.c', '')
        run = self.pica('host-run', './cube.c', exit=2)
        self.assertEqual(run.stderr, 'pica host-run: ./cube.c: cannot run it: Permission denied: expected an executable program\n')

    def test_a_write_past_a_block(self):
        """Of the linear heap: told when it is freed, or at the end."""
        run = self.host('ends', '--format', 'none', '--lint', program=['past'], exit=6)
        said = [re.sub('0x3[0-9A-F]{7}', 'ADDRESS', line) for line in run.stderr.splitlines()]
        line = 'libpica-ctru: the linear block of %d bytes at ADDRESS was written past its end: its byte %d has changed'
        self.assertEqual(said, [line % (16, 16), line % (128, 128)])
        self.assertEqual(run.stdout, f'{PROGRAMS}/host-ends: 2 mistakes that libpica-ctru told of\n')

    def test_a_program_that_does_not_end(self):
        """The message says why."""
        began = 'the program has not called aptMainLoop() in the 60 frames after its last one: ended'
        main = 'the main thread has waited in %s() since frame 3'
        for how, lines in (('event', [began, main % 'LightEvent_WaitTimeout']), ('semaphore', [began, main % 'LightSemaphore_Acquire']),
                           ('p3d', [began, main % 'gspWaitForEvent']), ('vblank', [began]),
                           ('join', [began, 'thread 0x101 has waited in svcSleepThread() since frame 3', main % 'threadJoin']),
                           ('loop', ['the program continued for 60 frames after aptMainLoop() returned false: ended'])):
            run = self.host('ends', '-n', '5', '--format', 'none', '--record', 'x.pica', '--lint', program=[how], exit=5)
            self.assertEqual(run.stderr, ''.join(f'libpica-ctru: {line}\n' for line in lines))
            self.assertEqual(run.stdout, 'x.pica: clean up to frame 5; the program ended: status 5\n')

    def test_finishing_a_recording_may_take_long(self):
        """Longer than --timeout; and no signal disturbs it."""
        run = self.host('cube', '-n', '600', '--format', 'none', '--timeout', '1', '--record', 'x.pica')
        self.assertEqual(run.stderr, '')
        whole = (self.folder / 'x.pica').read_bytes()
        with subprocess.Popen([PROGRAMS / 'host-cube'], stderr=subprocess.PIPE, text=True, env={
                'PICA_HOST_FRAMES': '600', 'PICA_HOST_ROMFS': 'romfs', 'PICA_HOST_RECORD': 'y.pica'}, cwd=self.folder) as program:
            while program.poll() is None and not list(self.folder.glob('y.pica.tmp*')):
                time.sleep(0.01)
            program.terminate()
            program.terminate()
            error = program.communicate(timeout=300)[1]
        self.assertEqual((program.returncode, error), (-signal.SIGTERM, ''))
        self.assertEqual((self.folder / 'y.pica').read_bytes(), whole)

    def test_a_signal_ends_the_program(self):
        """To the verb alone, or from the terminal, for both processes: the recording and the findings stay."""
        for number, send, why in ((signal.SIGINT, os.killpg, 'Interrupt'), (signal.SIGINT, os.kill, 'Interrupt'),
                                  (signal.SIGTERM, os.kill, 'Terminated'), (signal.SIGHUP, os.kill, 'Hangup')):
            name = f'{number}-{send.__name__}'
            with subprocess.Popen([PICA, 'host-run', '--romfs', 'romfs', '-n', '1000000', '--pictures', '0', '-o', name + '-{screen}.ppm',
                                   '--record', f'{name}.pica', '--lint', PROGRAMS / 'host-cube'], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
                while run.poll() is None and not (self.folder / f'{name}-bottom.ppm').exists():
                    time.sleep(0.01)
                send(run.pid, number)
                out, error = run.communicate(timeout=300)
            self.assertEqual(run.returncode, 128 + number, error)
            self.assertRegex(out.splitlines()[-1], f'^{name}.pica: clean up to frame [0-9]+; the program ended: {why}$')
            self.assertEqual(error, f'pica host-run: {PROGRAMS}/host-cube: ended by a signal: {why}\n')

    def test_a_process_that_the_program_leaves(self):
        """It holds the pipe and the standard output; the run ends with the program itself, and ends it. Other children of the
        run's process live on."""
        began = time.monotonic()
        run = subprocess.run(['sh', '-c', 'sleep 60 >/dev/null 2>&1 & echo $!; exec "$@"', 'sh', PICA, 'host-run', '--timeout', '20',
                              'sh', '-c', 'sleep 600 & echo $!; setsid sleep 600 & echo $!; sh -c "sleep 600 & echo \\$!; sleep 600" & '
                              'echo $!; sleep .2; exit 3'], cwd=self.folder, capture_output=True, text=True, timeout=300)
        other, *left = map(int, run.stdout.split())
        os.kill(other, signal.SIGKILL)
        self.assertEqual((len(left), run.stderr, run.returncode), (4, '', 3))
        for process in left:
            self.assertRaises(ProcessLookupError, os.kill, process, 0)
        self.assertLess(time.monotonic() - began, 15)
        for how in [], ['--lint']:
            run = self.host('ends', '--timeout', '20', '--format', 'hash', '--pictures', 'all', *how, program=['fork'])
            self.assertEqual(len([line for line in run.stdout.splitlines() if ' top ' in line]), 3, run.stdout)

    def test_the_program_ends_with_host_run(self):
        """SIGKILL leaves no program that spins."""
        with subprocess.Popen([PICA, 'host-run', 'sh', '-c', 'echo $$; while :; do :; done'], cwd=self.folder,
                              stdout=subprocess.PIPE, text=True) as run:
            program = int(run.stdout.readline())
            run.kill()
            try:
                self.assertEqual(run.communicate(timeout=60)[0], '')  # at the end of the program, too
            except subprocess.TimeoutExpired:
                os.kill(program, signal.SIGKILL)
                raise

    def test_a_child_that_ends(self):
        """exit() in a process that the program forks leaves the recording and the service alone."""
        for where in [], ['--connect=builtin:']:
            run = self.host('ends', '--format', 'none', '--record', 'x.pica', '--lint', *where, program=['child'])
            # The leak sanitizer looks for the parent's threads in the child.
            lines = [line for line in run.stderr.splitlines() if 'was not suspended. False leaks are possible.' not in line]
            self.assertEqual((run.stdout, lines), ('x.pica: clean\n', []))
            self.assertIn('\nframes           4\n', self.pica('info', 'x.pica').stdout)

    def test_a_child_that_draws(self):
        """It is ended with a message; the program's pictures, findings and recording stay whole."""
        for where in [], ['--connect=builtin:']:
            for how, call in (('vblank', 'gspWaitForEvent'), ('fill', 'GX_MemoryFill'), ('flush', 'GSPGPU_FlushDataCache'),
                              ('init', 'gspInit'), ('loop', 'a vertical blank'))[:1 if where else 5]:
                run = self.host('ends', '--format', 'hash', '--pictures', 'all', '--record', 'x.pica', '--lint', *where,
                                program=['child-' + how], exit=signal.SIGABRT)
                self.assertEqual(run.stderr, f'libpica-ctru: {call}: in a child of fork(): expected a process of its own\n')
                self.assertEqual(len([line for line in run.stdout.splitlines() if ' top ' in line]), 4, run.stdout)
                self.assertEqual(run.stdout.splitlines()[-1], 'x.pica: clean up to frame 4; the program ended: status 6')
                self.assertIn('\nframes           4\n', self.pica('info', 'x.pica').stdout)

    def test_a_thread_of_the_C_library_that_calls(self):
        """It is told which call, and what to use; the program's recording stays whole."""
        for how, call in (('sleep', 'svcSleepThread'), ('unlock', 'LightLock_Unlock'), ('alloc', 'linearMemAlign'),
                          ('tick', 'svcGetSystemTick'), ('flush', 'GSPGPU_FlushDataCache')):
            run = self.host('ends', '--format', 'none', '--record', 'x.pica', '--lint', program=['foreign-' + how], exit=134)
            self.assertEqual(run.stderr.splitlines(), [
                f'libpica-ctru: {call}: in a thread of the C library: expected one of threadCreate()',
                f'pica host-run: {PROGRAMS}/host-ends: ended by a signal: Aborted'])
            self.assertEqual(run.stdout, 'foreign\nx.pica: clean up to frame 3; the program ended: Aborted\n')
            self.assertIn('\nframes           3\n', self.pica('info', 'x.pica').stdout)
        self.host('ends', '--format', 'none', program=['foreign-print'])

    def test_a_child_that_is_stopped(self):
        """SIGTERM ends it: it has no recording to finish."""
        run = self.host('ends', '--format', 'none', '--record', 'x.pica', program=['child-term'], exit=signal.SIGTERM)
        self.assertEqual((run.stdout, run.stderr), ('', ''))

    def test_output_of_a_program_that_is_killed(self):
        """Its lines are all there, in order."""
        run = subprocess.run([PICA, 'host-run', '--format', 'none', PROGRAMS / 'host-ends', 'killed'], cwd=self.folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300)
        self.assertEqual(run.stdout, f'first\nsecond\nthird\npica host-run: {PROGRAMS}/host-ends: ended by a signal: Killed\n')
        self.assertEqual(run.returncode, 137)

    def test_a_program_that_the_program_starts(self):
        """It inherits no variable and no descriptor."""
        for where in [], ['--connect=builtin:']:
            run = self.host('ends', '--format', 'none', '--record', 'x.pica', '--lint', *where, program=['environment'])
            self.assertEqual((run.stdout, run.stderr), ('x.pica: clean\n', ''))

    def test_another_folder(self):
        """The program calls chdir(); the options' paths are relative to where host-run began."""
        (self.folder / 'out').mkdir()
        run = self.host('ends', '--format', 'none', '--record', 'out/x.pica', '--lint', program=['chdir'])
        self.assertEqual((run.stdout, run.stderr), ('out/x.pica: clean\n', ''))
        self.assertEqual([p.name for p in (self.folder / 'out').iterdir()], ['x.pica'])

    def test_an_output_that_is_an_input(self):
        """The program, the script: by any name."""
        program = self.folder / 'cube'
        shutil.copy(PROGRAMS / 'host-cube', program)
        (self.folder / 'link').hardlink_to(program)
        script = self.write('keys', '2: A\n')
        run = ['host-run', '-n', '1', '--input', script]
        before = program.read_bytes()
        for how, name in ('./cube', './cube'), ('./cube', 'link'), ('cube', 'cube'):
            for option, why in ('--record', 'expected another name'), ('--output', 'not overwritten'):
                with unittest.mock.patch.dict(os.environ, {'PATH': f'/none:{self.folder}:{os.environ["PATH"]}'}):
                    said = self.pica(*run, option, name, '--format', 'hash', how, exit=2).stderr
                self.assertRegex(said, f'^pica host-run: (--record|-o) {name}: this is the program itself[:,] {why}\n$')
        said = self.pica(*run, '-o', '{name}', '--format', 'png', '--screen', 'top', './cube', exit=2).stderr
        self.assertEqual(said, 'pica host-run: ./cube: cube: this is the program itself, not overwritten\n')
        said = self.pica(*run, '--record', './keys', './cube', exit=2).stderr
        self.assertEqual(said, 'pica host-run: --record ./keys: this is an input of the program: expected another name\n')
        self.assertEqual((program.read_bytes(), (self.folder / 'keys').read_text()), (before, '2: A\n'))

    def test_what_is_not_recorded(self):
        """A message says so, whatever the exit status."""
        for end, exit in ('exit 0', 2), ('exit 3', 3), ('kill -KILL $$', 137), ('kill -SEGV $$', 139):
            run = self.pica('host-run', '--record', 'x.pica', 'sh', '-c', end, exit=exit)
            self.assertEqual(run.stderr.splitlines()[-1], 'pica host-run: x.pica: was not recorded')
        run = self.host('ends', '--format', 'none', '--record', 'x.pica', program=['_exit'], exit=3)
        self.assertEqual(run.stderr, 'pica host-run: x.pica: was not recorded\n')
        run = self.host('ends', '--format', 'none', '--record', 'x.pica')
        self.assertEqual(run.stderr, '')
        run = self.host('ends', '--format', 'none', '--record', 'x.pica', program=['_exit'], exit=3)
        self.assertEqual(run.stderr, 'pica host-run: x.pica: was not recorded\n', 'that is an older one')

    def test_a_killed_program_leaves_no_file(self):
        for how in 'KILL', 'TERM':
            self.pica('host-run', '--record', 'x.pica', 'sh', '-c', f'touch x.pica.tmp-$$-0 x.pica.tmp-$$-1 x.pica.tmp-1-0; kill -{how} $$',
                      exit=128 + getattr(signal, f'SIG{how}'))
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ['romfs', 'x.pica.tmp-1-0'], 'another process\'s stays')

    def test_eyes(self):
        names = {}
        for eye in 'left', 'right', 'both':
            run = self.host('cube', '-n', '2', '--eye', eye, '-o', '{screen}{-eye}.png')
            names[eye] = run.stdout.split()[::2]
        self.assertEqual(names['both'], ['top.png', 'bottom.png'])  # one picture for both
        self.assertEqual(names['left'], names['both'])

    def test_wrong_use_of_try_citro3d(self):
        """One message and 2; 77 is for a missing checkout alone."""
        for name in 'citro3d/source', 'programs/cube/source', 'none':
            (self.folder / name).mkdir(parents=True)
        for *args, programs, message in (
                ('--only', '(', 'programs', '--only (: missing ), unterminated subpattern at position 0: expected a regular expression'),
                ('--only', 'zzz', 'programs', '--only zzz: no program of programs matches'),
                ('--tree', '/nosuch', 'programs', '--tree /nosuch: expected a build folder of libpica'),
                ('--cc', 'nosuchcc', 'programs', '--cc nosuchcc: expected a compiler'),
                ('--cc', '', 'programs', '--cc : expected a compiler'),
                ('--cc', "'", 'programs', "--cc ': No closing quotation"),
                ('--build', 'sheet', 'programs', f'{self.folder}/sheet/citro3d: Not a directory'),
                ('nosuch', 'nosuch: expected a folder of programs, or one program'),
                ('none', 'none: there are no programs: expected folders with a folder source')):
            (self.folder / 'sheet').touch()
            run = subprocess.run([sys.executable, '-B', TREE / 'host/try-citro3d', '--tree', PROGRAMS.parents[1], *args, '.', programs],
                                 cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, '', f'try-citro3d: {message}\n'), args)

    def test_no_checkout(self):
        """try-citro3d without citro3d; its textures."""
        run = subprocess.run([sys.executable, '-B', TREE / 'host/try-citro3d', self.folder, self.folder, '--tree', PROGRAMS],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 77, run.stdout + run.stderr)
        self.assertIn('there is no checkout citro3d', run.stdout)
        sys.path.insert(0, str(TREE / 'host'))
        sys.dont_write_bytecode = True
        from t3x import convert, indices, read_png
        rows = [[(x, y, 7, 255) for x in range(5)] for y in range(3)]
        raw = b''.join(bytes([1]) + bytes((a - b) & 255 for p, q in zip(row, [(0,) * 4] + row) for a, b in zip(p, q))
                       for row in rows)  # filter 1: less the pixel to the left

        def chunk(kind, data):
            return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
        (self.folder / 'a-b.png').write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 5, 3, 8, 6, 0, 0, 0)) +
                                              chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b''))
        sheet = self.folder / 'sheet.t3s'
        sheet.write_text('-f rgba8 -z auto\na-b.png\n')
        self.assertIn('#define sheet_a_b_idx 0\n', indices(sheet))
        data = convert(sheet)
        # One picture, 8x8 texels, RGBA8, no levels; its size and edges; a header without packing.
        self.assertEqual(data[:21], struct.pack('<HBBB6HI', 1, 0, 0, 0, 5, 3, 0, 1024, 640, 640, 256 << 8))
        texels = data[21:]
        self.assertEqual(texels[:16], bytes([255, 7, 0, 0, 255, 7, 0, 1, 255, 7, 1, 0, 255, 7, 1, 1]))  # x y: 00 10 01 11
        self.assertEqual(texels[64:68], bytes([255, 7, 0, 4]))  # the second 4x4: x from 4 on
        screen = read_png(self.folder / 'a-b.png').framebuffer()
        self.assertEqual((len(screen), screen[:12]), (45, bytes([7, 2, 0, 7, 1, 0, 7, 0, 0, 7, 2, 1])))  # up, then right

    def test_errors(self):
        self.assertIn('cannot run it', self.pica('host-run', './none', exit=2).stderr)
        self.assertIn('no frame', self.pica('host-run', '--format', 'none', 'true', exit=2).stderr)
        self.assertIn('Segmentation', self.pica('host-run', 'sh', '-c', 'kill -SEGV $$', exit=139).stderr)
        (self.folder / 'file').touch()
        for option, name, why in (('--romfs', 'none', 'No such file'), ('--romfs', 'file', 'expected a folder'), ('--sdmc', 'file', 'expected a folder'),
                                  ('--font', 'none', 'No such file'), ('--font', 'file', 'expected a font (.bcfnt)'), ('--font', 'romfs', 'expected a font'),
                                  ('--input', 'none', 'No such file'), ('--input', 'romfs', 'expected a file, this is a folder'),
                                  ('--record', 'none/x.pica', 'No such file'), ('--record', '-', 'expected a regular file'),
                                  ('--record', 'romfs', 'expected a regular file'), ('--record', '/dev/full', 'expected a regular file'),
                                  ('--record', 'x.ctf', 'this is the name of a CiTrace'), ('--record', './x.png', '-o names the same file')):
            run = self.host('cube', option, name, '-o', 'x.png', '--lint', exit=2)
            self.assertTrue(run.stderr.startswith(f'pica host-run: {option} {name}: {why}'), run.stderr)
            self.assertEqual((run.stderr.count('\n'), run.stdout), (1, ''), 'before the run')
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ['file', 'romfs'])
        run = subprocess.run([PROGRAMS / 'host-cube'], env={'PICA_HOST_ROMFS': 'none'}, capture_output=True, text=True, timeout=60)
        self.assertIn('there is no folder none', run.stderr)
        self.pica('host-run', '--frames', '0', 'true', exit=2)
        self.assertTrue(self.pica('host-run', '--isa', 'foo', 'true', exit=2).stderr.startswith('pica host-run: --isa foo: expected c, '))
        run = self.pica('host-run', '--timeout', '1', 'sleep', '60', exit=5)
        self.assertIn('sleep: no frame in 1 s: ended', run.stderr)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
