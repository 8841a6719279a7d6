#!/usr/bin/env python3
"""Error messages of the built `pica`: test_errors.py PROGRAM CAPTURES"""
import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import unittest

from test_cli import Case, FRAME, PERSP, PICA, TEV, capture, write


class Messages(Case):
    def test_no_control_characters(self):
        name = os.fsencode('a\x1b[2J\nb\x7f\u0085\u00e9.ctf') + b'\xff'
        path = os.path.join(os.fsencode(self.dir), name)
        with open(path, 'wb') as file:
            file.write(b'CiTr')
        done = subprocess.run([PICA, 'info', name], cwd=self.dir, capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.decode(), 'pica info: a\\x1B[2J\\x0Ab\\x7F\\xC2\\x85\u00e9.ctf\\xFF: byte 0x4: '
                                               'the file ends in its header, expected at least 92 bytes\n')
        # Bytes that are cut off, overlong, surrogates, beyond the last: no UTF-8.
        for odd in b'\xc3', b'\xc0\x9b', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xe0\x80\x9b', b'\xf0\x80\x80\x9b':
            done = subprocess.run([PICA, 'info', odd], cwd=self.dir, capture_output=True, check=False)
            shown = ''.join(f'\\x{byte:02X}' for byte in odd)
            self.assertEqual(done.stderr.decode(), f'pica info: {shown}: No such file or directory\n')

    def test_no_control_characters_in_results(self):
        self.pica('trim', '--frames', '0-1', PERSP, 'a\x1b[2J\n.pica')
        for args in (['verify'], ['verify', PERSP], ['info'], ['render', '--verify', '--format', 'none']):
            said = self.pica(*args, 'a\x1b[2J\n.pica')
            self.assertIn('a\\x1B[2J\\x0A', said, args)
            self.assertNotRegex(said, '[\x00-\x09\x0b-\x1f\x7f-\x9f]', args)

    def test_no_control_characters_out_of_arguments(self):
        odd = '\x1b[2J\x07\u009b'
        for args in ([odd], ['--' + odd], ['render', '--' + odd, PERSP], ['render', '--screen', odd, PERSP],
                     ['render', '--surface', odd + ',0,8x8', PERSP], ['shader', 'asm', odd], ['shader', odd],
                     ['info', odd], ['batch', '-o', 'out', odd], ['diff', odd, odd], ['render', '--isa', odd, PERSP],
                     ['render', '-o', odd + '/{x}', PERSP], ['submit', '--list', odd], ['view', odd],
                     ['render', '--connect=' + odd, PERSP], ['render', '--frames', odd, PERSP]):
            done = subprocess.run([PICA, *args], cwd=self.dir, capture_output=True, check=False)
            said = done.stdout.decode() + done.stderr.decode()  # a batch has a line on stdout
            self.assertNotEqual(done.returncode, 0, args)
            self.assertIn('\\x1B[2J', said, args)
            self.assertNotRegex(said, '[\x00-\x09\x0b-\x1f\x7f-\x9f]', args)

    def test_long_names_leave_room_for_the_reason(self):
        name = 'x' * 250
        (self.dir / name).write_bytes(b'CiTr')
        for path in name, os.path.join(*['.'] * 400, name):
            self.pica('info', path, code=3)
            self.assertIn('expected at least 92 bytes\n', self.err)

    def test_contents_of_a_file_are_not_commands(self):
        (self.dir / 'a.pica').write_text('.proc main\n\t\x1b[31m r0\n.end\n')
        self.pica('shader', 'asm', '-o', 'a.shbin', 'a.pica', code=2)
        self.assertNotIn('\x1b', self.err)


class Json(Case):
    def error_of(self, verb, name):
        report = json.loads(self.pica(verb, '--json', name, code=3))
        if report.get('captures'):
            report = report['captures'][0]
        error = report['errors'][0] if 'errors' in report else report
        self.assertIn(f': {error["message"]}\n', self.err)
        return error

    def test_file_offset_and_what_was_expected(self):
        whole = pathlib.Path(PERSP).read_bytes()
        for data, offset, expected, found in (
                (b'hello', 0, 'the bytes "CiTr" or "\\x89PICA"', None),
                (b'P6 1 1', 0, 'the bytes "CiTr" or "\\x89PICA"', 'a PPM picture'),
                (whole[:60], 60, 'at least 92 bytes', None),
                (whole[:4] + b'\2' + whole[5:], 4, 'version 1', '2'),
                (whole[:1000], 12, "at most the file's 0x3E8 bytes", None),
                (whole[:100000], 92, 'at 0x23020', 'the end of the file at 0x186A0: cut short, or '),
                (whole[:150000], 96, '11380 elements', 'the end of the file after 330 of them')):
            (self.dir / 'x.ctf').write_bytes(data)
            for verb in 'info', 'render', 'dump', 'lint', 'verify', 'bench':
                error = self.error_of(verb, 'x.ctf')
                self.assertEqual((error['path'], error['offset'], error['expected'], error['is_decompressed']),
                                 ('x.ctf', offset, expected, False), verb)
                self.assertTrue(error.get('found', '').startswith(found or ''), (verb, error))
                self.assertEqual('found' in error, found is not None, (verb, error))
                self.assertTrue(error['message'].startswith(f'x.ctf: byte 0x{offset:X}: '), error)

    def test_a_file_that_is_not_there_has_no_offset(self):
        report = json.loads(self.pica('info', '--json', 'gone.ctf', code=2))
        self.assertEqual(report['errors'], [{'message': 'gone.ctf: No such file or directory', 'path': 'gone.ctf'}])

    def test_a_list_outside_memory_has_its_place(self):
        stream = (write(0x104018E0, 16 >> 3) + write(0x104018E8, 0x10000000 >> 3) + write(0x104018F0, 1) + FRAME)
        capture(self.dir / 'x.ctf', stream)
        report = json.loads(self.pica('render', '--json', '--format', 'none', 'x.ctf', code=3))
        error = report['captures'][0]['errors'][0]
        self.assertEqual((error['path'], error['offset'], error['expected']),
                         ('x.ctf', 140, error['message'].split('expected ')[1]))


class Frames(Case):
    def test_errors_of_lists(self):
        for frames, message in (
                ('0-99999999999', 'frames have numbers up to 4294967294'),
                ('4294967295', 'frames have numbers up to 4294967294'),
                ('last-1', 'a dash stands between two frames, and none comes after the last: frames are counted '
                           'from 0'),
                ('5-3', 'expected ranges that ascend'), ('3-', 'expected a frame after the dash'),
                ('0,', 'expected frames as 0,3-7,last or all')):
            self.pica('render', '--format', 'none', '--frames', frames, PERSP, code=2)
            self.assertIn(f'pica render: --frames {frames}: {message}\n', self.err)
        for frames in 'last-last', '0-last', '23-last':
            self.pica('render', '--format', 'none', '--threads', '0', '--frames', frames, PERSP)


class Output(Case):
    def test_the_standard_output_by_another_name(self):
        """The same as "-": only the picture is written there, and only once."""
        want = self.pica('render', '-o', '-', '--screen', 'top', PERSP, binary=True)
        (self.dir / 'link.png').symlink_to('/dev/stdout')
        for args in ['-o', 'link.png'], ['-o', '/dev/stdout', '--format', 'png']:
            self.assertEqual(self.pica('render', *args, '--screen', 'top', PERSP, binary=True), want)
            with open(self.dir / 'to.png', 'wb') as to:
                subprocess.run([PICA, 'render', *args, '--screen', 'top', PERSP], cwd=self.dir, stdout=to, check=True)
            self.assertEqual(self.bytes('to.png'), want)
            self.pica('render', '--json', *args, PERSP, code=2)
            self.assertIn(f'-o {args[1]} and --json both want the standard output', self.err)
        lines = self.pica('render', '--format', 'hash', '-o', '/dev/stdout', '--verify',
                          pathlib.Path(PERSP).parent.parent.parent / 'captures/triangle.pica').splitlines()
        self.assertTrue(lines and all(re.fullmatch(r'triangle \d+ \w+ left [0-9a-f]{32}', line) for line in lines))
        self.assertIn('pictures as expected\n', self.err)

    def test_a_killed_program_leaves_nothing(self):
        try:
            os.close(os.open(self.dir, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            self.skipTest('this file system knows no files without a name')
        args = ['render', '--format', 'y4m', '--frames', 'all', '--threads', '0', '--isa', 'c', '-o', 'v.y4m', TEV]
        for old in None, b'what was there before':
            if old:
                (self.dir / 'v.y4m').write_bytes(old)
            with subprocess.Popen([PICA, *args], cwd=self.dir, stderr=subprocess.DEVNULL) as process:
                grows = False
                while not grows and process.poll() is None:
                    for fd in pathlib.Path(f'/proc/{process.pid}/fd').glob('*'):
                        with contextlib.suppress(OSError):
                            grows |= os.readlink(fd).startswith(f'{self.dir}/') and os.stat(fd).st_size > 0
                process.kill()
            self.assertEqual(process.returncode, -signal.SIGKILL)
            self.assertEqual(self.files(), ['v.y4m'] if old else [])
            if old:
                self.assertEqual(self.bytes('v.y4m'), old)
        self.pica(*args[:-3], '--frames', '0', *args[-3:])
        self.assertEqual(self.files(), ['v.y4m'])
        self.assertEqual(self.bytes('v.y4m')[:10], b'YUV4MPEG2 ')

    def test_a_word_is_one_or_many(self):
        self.pica('batch', 'plan', '-o', 'one', '--', PERSP)
        out = self.pica('batch', 'plan', '-o', 'two', '--', PERSP, TEV)
        self.assertEqual(out, '2 units; two\n')
        self.assertEqual(self.pica('batch', 'plan', '-o', 'one', '--', PERSP), '1 unit; one\n')


class Video(Case):
    VIDEO = ['render', '--format', 'y4m', '--frames', 'all', '--threads', '0', TEV]

    def run_video(self, *args, **kw):
        done = subprocess.run([PICA, *self.VIDEO, *args], cwd=self.dir, stderr=subprocess.PIPE, check=False, **kw)
        return done.returncode, done.stderr.decode()

    def test_a_full_device_is_named(self):
        with open('/dev/full', 'wb') as full:
            code, err = self.run_video(stdout=full)
        self.assertEqual(code, 2)
        self.assertRegex(err, r'^pica render: \S+st_tev6\.ctf: frame 0: cannot write the video to standard output: '
                              r'No space left on device\n$')
        code, err = self.run_video('-o', '/dev/full', stdout=subprocess.DEVNULL)
        self.assertEqual(code, 2)
        self.assertIn(': frame 0: cannot write the video to /dev/full: No space left on device\n', err)

    def test_a_file_beyond_its_size_limit_is_named_and_removed(self):
        code, err = self.run_video('-o', 'v.y4m', stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (900000, 900000)))
        self.assertEqual(code, 2)
        self.assertRegex(err, r': frame 1: cannot write the video to v\.y4m: File too large\n$')
        self.assertEqual(self.files(), [])

    def test_a_closed_reader_ends_it(self):
        """It ends by the signal, as any filter does, or with a message if the signal is ignored."""
        for ignored, code, message in (False, -signal.SIGPIPE, ''), (True, 2, 'to standard output: Broken pipe\n'):
            get, put = os.pipe()
            os.close(get)
            with os.fdopen(put, 'wb') as pipe:
                how = signal.SIG_IGN if ignored else signal.SIG_DFL
                have, err = self.run_video(stdout=pipe, restore_signals=False,
                                           preexec_fn=lambda: signal.signal(signal.SIGPIPE, how))
            self.assertEqual(have, code)
            self.assertTrue(err.endswith(message) if message else err == '', err)

    def test_all_pictures_of_a_video_have_one_size(self):
        """800 columns, no bottom screen, another capture: the header's size holds."""
        stereo = pathlib.Path(PERSP).parent.parent.parent / 'captures/stereo.pica'
        self.pica('render', '--format', 'y4m', '-o', 'v.y4m', '--frames', '0', PERSP, stereo, TEV)
        header, _, pictures = self.bytes('v.y4m').partition(b'\n')
        self.assertIn(b' W400 H480 ', header)
        size = 6 + 3 * 400 * 480
        self.assertEqual(len(pictures), 3 * size)
        self.assertEqual([pictures[i * size:i * size + 6] for i in range(3)], [b'FRAME\n'] * 3)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
