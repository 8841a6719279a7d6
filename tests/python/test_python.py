#!/usr/bin/env python3
"""The Python package: test_python.py PROGRAM TESTS README -- COMPILER.. (PYTHONPATH and PICA_LIBRARY are set)"""
import errno
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib

import pica

PICA, TESTS, README = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
COMPILER = sys.argv[5:]
ROOT = README.parent
PERSP = TESTS / 'data/captures/st_persp.ctf'
CUBE = TESTS / 'captures/cube.pica'


def tool(*args):
    return subprocess.run([str(a) for a in (PICA, *args)], stdout=subprocess.PIPE, check=True).stdout


def write(address, value):
    return struct.pack('<5I', 0xE3, address, value, 0, 0)


def capture_bytes(stream):
    """A CiTrace file without any array; the last word of its header is the stream's size in bytes."""
    header = b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10
    return header + struct.pack('<II', 100, len(stream)) + stream


def chunks(data, kind):
    """Offsets of the payloads of a kind of chunk in a .pica."""
    at = 80
    while at < len(data):
        stored = int.from_bytes(data[at + 8:at + 16], 'little')
        if data[at:at + 4] == kind:
            yield at + 48
        at += 48 + (stored + 15 & ~15)


# Freed memory is overwritten, and the error that the list ends with is logged.
ONE_CYCLE = '''
import gc, pica
for threads in 0, 2:
    context = pica.Context(pica.Device(threads=threads))
    context.itself = context
    context.write_memory(0x20000000, bytes([0xFF] * 64))
    job = pica.ffi.new('struct pica_job *', {'op': pica.lib.PICA_OP_LIST})
    job.u.list.addr, job.u.list.size_bytes = 0x20000000, 0x7000000
    context.submit(job)
    del context
    assert gc.collect() > 0
'''

FRAME = struct.pack('<5I', 0xE1, 0, 0, 0, 0)


class Collection(unittest.TestCase):
    def test_device_and_context_in_one_cycle(self):
        env = {**os.environ, 'MALLOC_PERTURB_': '165'}
        for _ in range(3):
            subprocess.run([sys.executable, '-c', ONE_CYCLE], env=env, timeout=60, check=True)


class Pictures(unittest.TestCase):
    def test_pictures_are_those_of_the_tool(self):
        for path in PERSP, CUBE:
            with pica.Capture(path) as capture:
                player = pica.Player(capture)
                for frame in range(min(capture.frames, 4)):
                    for screen in 'top', 'bottom':
                        picture = player.render(frame, screen)
                        expected = tool('render', '--format', 'ppm', '--frames', frame, '--screen', screen,
                                        '-o', '-', path)
                        self.assertEqual(picture.ppm(), expected, (path.name, frame, screen))

    def test_frames_in_any_order(self):
        with pica.Capture(CUBE) as capture:
            player = pica.Player(capture)
            forward = [player.render(frame).rgb for frame in range(capture.frames)]
            self.assertGreater(len(set(forward)), 1)
            for frame in reversed(range(capture.frames)):
                self.assertEqual(player.render(frame).rgb, forward[frame])
                self.assertEqual(player.frame, frame)
            self.assertEqual(player.render(-1).rgb, forward[-1])
            for frame in capture.frames, -capture.frames - 1:
                with self.assertRaises(IndexError):
                    player.render(frame)

    def test_settings_take_effect(self):
        with pica.Capture(PERSP) as capture:
            first = pica.Player(capture).render(3).rgb
            for settings in {'threads': 2}, {'isa': 'c'}, {'isa': 'emul', 'threads': 1}:
                self.assertEqual(pica.Player(capture, **settings).render(3).rgb, first, settings)
        self.assertEqual(pica.Device(isa='c').isa, 'c')
        for name, values in ('float', ('f24', 'f32')), ('combiner', ('nearest', 'truncate')):
            path = TESTS / 'data/captures/st_tev6.ctf'
            for value in values:
                keyword = {'float_mode' if name == 'float' else name: value}
                with pica.Capture(path) as capture:
                    picture = pica.Player(capture, **keyword).render(5)
                self.assertEqual(picture.ppm(), tool('render', '--format', 'ppm', '--frames', 5, '--screen', 'top',
                                                     f'--{name}', value, '-o', '-', path), keyword)

    def test_files_of_a_picture(self):
        picture = pica.Picture(2, 1, bytes(range(6)))
        self.assertEqual(repr(picture), 'Picture(width=2, height=1)')  # and not a megabyte of bytes
        self.assertEqual(picture.pixel(1, 0), (3, 4, 5))
        self.assertEqual(picture.ppm(), b'P6\n2 1\n255\n\0\1\2\3\4\5')
        data = picture.png()
        self.assertEqual(data[:33], b'\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\2\0\0\0\1\x08\2\0\0\0' +
                         struct.pack('>I', zlib.crc32(b'IHDR\0\0\0\2\0\0\0\1\x08\2\0\0\0')))
        size, = struct.unpack('>I', data[33:37])
        self.assertEqual(zlib.decompress(data[41:41 + size]), b'\0\0\1\2\3\4\5')
        with self.assertRaises(IndexError):
            picture.pixel(2, 0)

    def test_screen_that_was_never_set_is_none(self):
        with pica.Capture(data=capture_bytes(FRAME)) as capture:
            self.assertIsNone(pica.Player(capture).render(0))

    def test_solid_screen_is_its_colour(self):
        # LCD fill of the bottom screen: enable in bit 24, R in bits 0-7.
        with pica.Capture(data=capture_bytes(write(0x10202A04, 0x01563412) + FRAME)) as capture:
            picture = pica.Player(capture).render(0, 'bottom')
            self.assertEqual((picture.width, picture.height), (320, 240))
            self.assertEqual(picture.rgb, b'\x12\x34\x56' * 320 * 240)


class Captures(unittest.TestCase):
    def test_contents_of_a_capture(self):
        with pica.Capture(PERSP) as capture:
            self.assertEqual(capture.frames, 24)
            info = capture.info()
            self.assertEqual((info.frames, info.lists, info.form), (24, 24, pica.lib.PICA_CAPTURE_CTF_BYTES))
            kinds = [event.kind for event in capture.events()]
            self.assertEqual(len(kinds), info.frames + info.loads + info.reg_writes)
            self.assertEqual(list(capture.events()), [])
            capture.rewind()
            self.assertEqual(len(list(capture.events())), len(kinds))
            self.assertEqual(len(capture.state().registers), 0x300)

    def test_no_frame_marker_is_one_frame(self):
        with pica.Capture(data=capture_bytes(write(0x10202204, 0x01000001))) as capture:
            self.assertEqual(capture.frames, 1)
            self.assertEqual(pica.Player(capture).render(0).pixel(0, 0), (1, 0, 0))

    def test_data_and_path_are_the_same(self):
        with pica.Capture(data=CUBE.read_bytes()) as a, pica.Capture(str(CUBE)) as b:
            self.assertEqual(pica.Player(a).render(1), pica.Player(b).render(1))

    def test_a_container_draws_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'cube.pica'
            tool('convert', '--keys', 1, CUBE, path)
            with pica.Capture(CUBE) as plain, pica.Capture(path) as capture:
                self.assertEqual(capture.info().form, pica.lib.PICA_CAPTURE_PICA)
                self.assertEqual(capture.frames, plain.frames)
                capture.verify()
                a, b = pica.Player(plain), pica.Player(capture)
                for frame in [*range(plain.frames), 0, plain.frames - 1]:
                    self.assertEqual(a.render(frame), b.render(frame), frame)
                digest = pica.ffi.new('uint8_t[16]')
                picture = b.render(1)
                pica.lib.pica_picture_hash(picture.rgb, picture.width, picture.height, 3 * picture.width, digest)
                self.assertEqual(capture.expected(1)[pica.lib.PICA_SCREEN_TOP, pica.lib.PICA_EYE_LEFT], bytes(digest))
                self.assertEqual(capture.seek(1), 1)
                self.assertEqual(plain.seek(1), 0)
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            with self.assertRaisesRegex(pica.CaptureError, 'chunk'):
                with pica.Capture(data=data) as capture:
                    capture.verify()

    def test_the_first_frame_is_reached_by_a_key(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'keys.pica'
            tool('convert', '--keys', 4, PERSP, path)
            whole = path.read_bytes()
            def damaged(wanted, after):
                """The first such chunk after so many keys loses a bit."""
                at, keys, data = 80, 0, bytearray(whole)
                while keys <= after or data[at:at + 4] != wanted:
                    stored = int.from_bytes(data[at + 8:at + 16], 'little')
                    at += 48 + (stored + 15) // 16 * 16
                    keys += data[at:at + 4] == b'KEYF'
                data[at + 48] ^= 1
                return pica.Capture(data=data)
            with pica.Capture(PERSP) as plain, damaged(b'EVTS', 1) as events, damaged(b'REGP', 5) as key:
                player = pica.Player(plain)
                self.assertEqual(pica.Player(events).render(21), player.render(21))
                self.assertEqual(pica.Player(events).render(2), player.render(2))
                with self.assertRaisesRegex(pica.CaptureError, 'EVTS chunk'):
                    pica.Player(events).render(6)
                self.assertEqual(key.seek(21), 16)
                self.assertEqual(pica.Player(key).render(21), player.render(21))
                # What keys hold is of other arithmetic.
                with self.assertRaisesRegex(pica.CaptureError, 'EVTS chunk'):
                    pica.Player(events, float_mode='f32').render(21)
            with pica.Capture(path) as capture, pica.Capture(PERSP) as plain:
                player = pica.Player(capture, float_mode='f32')
                wanted = pica.Player(plain, float_mode='f32').render(21)
                self.assertEqual(player.render(21), wanted)
                self.assertEqual(player.render(3), pica.Player(plain, float_mode='f32').render(3))

    def test_errors(self):
        with self.assertRaises(FileNotFoundError):
            pica.Capture(TESTS / 'no such file')
        with tempfile.NamedTemporaryFile(suffix='.ctf') as file:
            file.write(PERSP.read_bytes()[:5000])
            file.flush()
            with self.assertRaisesRegex(pica.CaptureError, 'byte 0x') as caught:
                pica.Capture(file.name)
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        self.assertIsInstance(caught.exception.offset, int)
        for arguments in {}, {'path': PERSP, 'data': b''}:
            with self.assertRaises(TypeError):
                pica.Capture(**arguments)

    def test_a_list_that_is_not_in_memory(self):
        stream = write(0x104018E0, 2) + write(0x104018E8, 0x10000000 >> 3) + write(0x104018F0, 1) + FRAME
        with pica.Capture(data=capture_bytes(stream)) as capture:
            with self.assertRaisesRegex(OSError, 'byte 0x8c') as caught:  # 100 bytes of header, two elements
                pica.Player(capture).render(0)
            self.assertEqual(caught.exception.errno, errno.ERANGE)

    def test_a_damaged_frame_stays_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'keys.pica'
            tool('convert', '--keys', 1, CUBE, path)
            data = bytearray(path.read_bytes())
        with pica.Capture(data=data) as capture:
            player = pica.Player(capture)
            good = [player.render(frame).rgb for frame in range(3)]
        self.assertEqual(len(set(good)), 3)
        data[list(chunks(data, b'EVTS'))[1] + 40] ^= 1
        with pica.Capture(data=data) as capture:
            player = pica.Player(capture)
            self.assertEqual(player.render(0).rgb, good[0])
            for _ in range(3):
                with self.assertRaisesRegex(pica.CaptureError, 'EVTS'):
                    player.render(1)
                with self.assertRaisesRegex(ValueError, 'the last one failed'):
                    player.state()
            self.assertEqual(player.render(2).rgb, good[2])  # its key follows the damage
            self.assertEqual(player.render(0).rgb, good[0])
            with self.assertRaisesRegex(pica.CaptureError, 'EVTS'):
                player.render(1)

    def test_a_failed_list_stays_an_error(self):
        stream = write(0x104018E0, 2) + write(0x104018E8, 0x10000000 >> 3) + write(0x104018F0, 1) + FRAME * 3
        with pica.Capture(data=capture_bytes(stream)) as capture:
            player = pica.Player(capture)
            for frame in 0, 0, 2:
                with self.assertRaisesRegex(OSError, 'byte 0x8c'):
                    player.render(frame)

    def test_a_frame_beyond_the_end(self):
        with pica.Capture(CUBE) as capture:
            player = pica.Player(capture)
            frames, capture.frames = capture.frames, capture.frames + 1
            for _ in range(2):
                with self.assertRaisesRegex(ValueError, f'ends before frame {frames}'):
                    player.render(frames)

    def test_players_take_turns(self):
        with pica.Capture(CUBE) as capture:
            player = pica.Player(capture)
            good = [player.render(frame).rgb for frame in range(3)]
            one, two = pica.Player(capture), pica.Player(capture)
            for frame in range(3):
                self.assertEqual(one.render(frame).rgb, good[frame], frame)
                self.assertEqual(two.render(frame).rgb, good[frame], frame)
            one.seek(0)
            capture.seek(2)
            self.assertEqual(one.render(1).rgb, good[1])
            events = capture.events()
            next(events)
            one.render(0)
            with self.assertRaisesRegex(ValueError, 'elsewhere'):
                next(events)

    def test_closed_ones_say_so(self):
        capture = pica.Capture(PERSP)
        player = pica.Player(capture)
        player.render(0)
        capture.close()
        capture.close()
        for call in (lambda: player.render(0), lambda: player.render(1), lambda: player.render(2), player.state,
                     lambda: player.state(0), lambda: pica.Player(capture), capture.info, capture.state,
                     capture.rewind, lambda: capture.seek(0), capture.verify, lambda: capture.expected(0),
                     lambda: next(capture.events())):
            with self.assertRaisesRegex(ValueError, 'closed'):
                call()
        player.context.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            player.context.read_memory(0x18000000, 4)


class Contexts(unittest.TestCase):
    def test_memory(self):
        with pica.Context() as context:
            context.write_memory(0x20001000, b'hello')
            context.write_memory(0x20001005, bytearray(b', world'))
            self.assertEqual(context.read_memory(0x20001000, 13), b'hello, world\0')
            with self.assertRaises(OSError) as caught:
                context.read_memory(0x10000000, 16)
            self.assertEqual(caught.exception.errno, errno.ERANGE)

    def test_state(self):
        with pica.Capture(PERSP) as capture:
            state = pica.Player(capture).state(0)
        # Half of the screen's width, 120: f24 1.875 * 2^6; texture 0 is multiplied with the colour.
        self.assertEqual(state['VIEWPORT_WIDTH'], (63 + 6) << 16 | 0xE000)
        self.assertEqual(state[0x41], state['VIEWPORT_WIDTH'])
        self.assertEqual(state.describe('VIEWPORT_WIDTH'), 'VALUE=120(0x45e000)')
        self.assertIn('RGB0=texture0(3)', state.describe('TEXENV0_SOURCE'))
        with self.assertRaises(KeyError):
            state['NO_SUCH_REGISTER']
        self.assertEqual((pica.register_id('FINALIZE'), pica.register_name(0x10)), (0x10, 'FINALIZE'))

    def test_state_moves_to_another_context(self):
        with pica.Capture(PERSP) as capture:
            state = pica.Player(capture).state(5)
        self.assertTrue(any(state.vs.code))
        with pica.Context() as other:
            other.load_state(state)
            again = other.state()
            self.assertEqual(bytes(pica.ffi.buffer(again.raw)), bytes(pica.ffi.buffer(state.raw)))
            self.assertEqual(again.vs.uniforms, state.vs.uniforms)

    def test_command_list(self):
        # Entry: value, header (register, mask 15); BLEND_COLOR = 103; then FINALIZE.
        words = struct.pack('<4I', 0x11223344, 0x000F0103, 0x12345678, 0x000F0010)
        with pica.Context() as context:
            context.write_memory(0x20000000, words)
            context.run_list(0x20000000, len(words))
            self.assertEqual(context.read_registers(0x103, 1), [0x11223344])
            context.write_register('BLEND_COLOR', 0xAABBCCDD, 0b0110)
            self.assertEqual(context.state()['BLEND_COLOR'], 0x11BBCC44)
            self.assertEqual(context.stats()['lists'], 1)
            with self.assertRaises(OSError):
                context.run_list(0x10000000, 16)
            self.assertEqual(len(context.read_registers()), 0x300)

    def test_budget(self):
        # A list that jumps to itself: CMDBUF_SIZE0 = 238 and CMDBUF_ADDR0 = 23A in units of 8 bytes, CMDBUF_JUMP0 = 23C.
        words = struct.pack('<8I', 4, 0x000F0238, 0x20000000 >> 3, 0x000F023A, 1, 0x000F023C, 0x12345678, 0x000F0010)
        with pica.Context() as context:
            context.write_memory(0x20000000, words)
            with self.assertRaisesRegex(OSError, 'command list of 32 bytes at 0x20000000: budget of jumps used up'):
                context.run_list(0x20000000, len(words))
            context.write_memory(0x20000040, words[24:] * 2)
            context.run_list(0x20000040, 16)    # it continues

    def test_surface(self):
        with pica.Context() as context:
            context.write_memory(0x18000000, bytes([0x55]) * 64)
            i8, a8 = 7, 8
            self.assertEqual(context.read_surface(0x18000000, i8, 8, 8), b'\x55\x55\x55\xff' * 64)
            self.assertEqual(context.read_surface(0x18000000, a8, 8, 8)[3::4], b'\x55' * 64)
            with self.assertRaises(ValueError):
                context.read_surface(0x18000000, i8, 1 << 20, 8)

    def test_faults_have_names(self):
        # Register 2 is the CPU's.
        words = struct.pack('<4I', 0, 0x000F0002, 0x12345678, 0x000F0010)
        with pica.Context() as context:
            context.write_memory(0x20000000, words)
            context.run_list(0x20000000, len(words))
            name = pica.ffi.string(pica.lib.pica_fault_name(pica.lib.PICA_FAULT_UNKNOWN_REGISTER)).decode()
            self.assertEqual(context.stats()['faults'], {name: 1})

    def test_wrong_settings(self):
        for settings, text in (({'isa': 'z80'}, "isa 'z80'"), ({'threads': 65}, 'threads 65: expected 0 to 64'),
                               ({'threads': -1}, 'threads -1: expected')):
            with self.assertRaisesRegex(ValueError, text):
                pica.Device(**settings)
        for settings in {'float_mode': 'f16'}, {'combiner': 'odd'}:
            with self.assertRaisesRegex(ValueError, 'expected'):
                pica.Device(**settings)

    def test_threads_each_with_a_context(self):
        with pica.Capture(PERSP) as capture:
            expected = pica.Player(capture).render(2)
        device, results = pica.Device(threads=2), []

        def draw():
            with pica.Capture(PERSP) as mine:
                results.append(pica.Player(mine, device).render(2))
        threads = [threading.Thread(target=draw) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [expected] * 3)

    def test_a_device_outlives_its_contexts(self):
        contexts = [pica.Context(pica.Device(threads=1)) for _ in range(4)]
        for context in contexts:
            context.device = None
            context.write_memory(0x18000000, b'x')
        context = None
        contexts.clear()


class Declarations(unittest.TestCase):
    def test_layouts_are_the_compiler_s(self):
        """Sizes and offsets that cffi computed against those of C."""
        rows, lines = {}, []
        for name in pica.ffi.list_types()[1]:
            kind = pica.ffi.typeof(f'struct {name}')
            try:
                size = pica.ffi.sizeof(kind)
            except pica.ffi.error:  # known by name only
                continue
            rows[name] = [size] + [field.offset for _, field in kind.fields]
            values = [f'sizeof(struct {name})'] + [f'offsetof(struct {name}, {field})' for field, _ in kind.fields]
            lines.append(f'printf("{name}' + ' %zu' * len(values) + '\\n", ' + ', '.join(values) + ');')
        self.assertGreaterEqual(len(rows), 20)
        headers = 'pica_capture.h', 'pica_client.h', 'pica_emit.h', 'pica_inspect.h', 'pica_shader.h'
        source = ('#include <stdio.h>\n' + ''.join(f'#include "{header}"\n' for header in headers) +
                  'int main(void) {\n' + '\n'.join(lines) + '\nreturn 0;\n}\n')
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / 'layout'
            folders = [f'-I{ROOT / folder}' for folder in ('libpica/include', 'libpica', 'proto', 'clients/lib')]
            command = COMPILER + ['-x', 'c', '-', '-o', str(program), *folders]
            subprocess.run(command, input=source, text=True, check=True)
            output = subprocess.run([str(program)], stdout=subprocess.PIPE, text=True, check=True).stdout
        found = {line.split()[0]: [int(n) for n in line.split()[1:]] for line in output.splitlines()}
        self.assertEqual(found, rows)

    def test_each_function_of_the_headers_is_there(self):
        names = set()
        for header in 'pica.h', 'pica_capture.h', 'pica_emit.h', 'pica_inspect.h', 'pica_shader.h':
            text = re.sub(r'/\*.*?\*/', '', (ROOT / 'libpica/include' / header).read_text(), flags=re.S)
            names |= set(re.findall(r'^(?!typedef|static)\w[\w\s*]*?\b(pica_\w+)\(', text, re.M))
        self.assertGreater(len(names), 50)
        for name in names:
            self.assertTrue(callable(getattr(pica.lib, name)), name)


class Readme(unittest.TestCase):
    def test_the_example_runs(self):
        example = re.search(r'## From Python\n.*?\n\n((?:    [^\n]*\n|\n)+)', README.read_text(), re.S)[1]
        code = '\n'.join(line[4:] for line in example.splitlines())
        self.assertLessEqual(len(code.strip().splitlines()), 10)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / 'tests').symlink_to(TESTS)
            command = [sys.executable, '-c', code]
            run = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, check=True)
            picture = (pathlib.Path(folder) / 'last.png').read_bytes()
        lines = run.stdout.splitlines()
        self.assertEqual(lines[:-1], [f'{n} 400x240' for n in range(24)])
        self.assertTrue(lines[-1].startswith('RGB0=texture0(3) '))
        self.assertEqual(picture[:16], b'\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]])
