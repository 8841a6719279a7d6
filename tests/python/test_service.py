#!/usr/bin/env python3
"""The Python package with a service: test_service.py PICAD README (PYTHONPATH, PICA_LIBRARY, PICA_CLIENT_LIBRARY are set)"""
import errno
import gc
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import pica

PICAD, README = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
VRAM, FCRAM, MIB = 0x18000000, 0x20000000, 1 << 20
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'LISTEN_', 'NOTIFY_'))}


def command_list(*registers):
    """Writes of (register, value), and the end."""
    words = [word for register, value in (*registers, ('FINALIZE', 0x12345678)) for word in
             (value, 0xF0000 | (0x10 if register == 'FINALIZE' else pica.register_id(register)))]
    return struct.pack(f'<{len(words)}I', *words)


class Work(unittest.TestCase):
    where = 'builtin:'

    def setUp(self):
        self.service = pica.Service(self.where, name='python test')
        self.addCleanup(self.service.close)
        self.context = self.service.context()
        self.vram = self.context.map(VRAM, MIB)
        self.fcram = self.context.map(FCRAM, MIB)

    def test_a_list_runs_and_pixels_are_read(self):
        data = command_list(('VIEWPORT_WIDTH', 0x123456))
        self.fcram.buffer[:len(data)] = data
        self.context.run_list(FCRAM, len(data))
        self.assertEqual(self.context.read_registers(pica.register_id('VIEWPORT_WIDTH'), 1), [0x123456])
        self.context.fill(VRAM, VRAM + 4 * 64 * 64, 0x11223344)
        self.assertEqual(bytes(self.vram.buffer[:8]), bytes.fromhex('4433221144332211'))
        self.assertEqual(self.context.read_surface(VRAM, 0, 64, 64), bytes.fromhex('11223344') * 64 * 64)
        stats = self.context.stats()
        self.assertEqual((stats['lists'], stats['fills']), (1, 1))

    def test_a_large_surface_is_read_in_slices(self):
        side, i8 = 1024, 7
        grey = [bytes([13 * band & 0xFF]) for band in range(side // 8)]
        self.vram.buffer[:side * side] = b''.join(8 * side * g for g in grey)
        want = b''.join(8 * side * (3 * g + b'\xff') for g in grey)
        self.assertTrue(self.context.read_surface(VRAM, i8, side, side) == want)

    def test_state(self):
        state = self.context.state()
        other = self.service.context()
        data = command_list(('VIEWPORT_WIDTH', 99))
        self.fcram.buffer[:len(data)] = data
        self.context.run_list(FCRAM, len(data))
        other.load_state(self.context.state())
        number = pica.register_id('VIEWPORT_WIDTH')
        self.assertEqual(other.read_registers(number, 1), [99])
        other.load_state(state)
        self.assertEqual(other.read_registers(number, 1), [state['VIEWPORT_WIDTH']])

    def test_screens(self):
        self.assertIsNone(self.context.read_screen('top'))
        job = self.context.put(pica.lib.PICA_OP_REG_WRITE, user_data=7)
        job.u.reg_write.addr, job.u.reg_write.value = 0x10202204, 0x01FF0000  # filled with blue
        self.assertEqual(self.service.submit(), 1)
        self.assertEqual(self.service.wait(timeout=60), [(7, 0, 0)])
        picture = self.context.read_screen('top')
        self.assertEqual((picture.width, picture.height, picture.pixel(5, 5)), (800, 240, (0, 0, 255)))

    def test_many_jobs_in_order(self):
        sent = 0
        while self.context.put(pica.lib.PICA_OP_BARRIER, user_data=sent):
            sent += 1
        self.assertEqual(sent, 256)
        self.assertEqual(self.service.submit(), 256)
        seen = []
        while len(seen) < sent:
            seen += self.service.wait(least=100, timeout=60)
        self.assertEqual(seen, [(n, 0, 0) for n in range(256)])
        self.assertEqual(self.service.wait(), [])

    def test_a_write_of_staged_data(self):
        out = pica.ffi.new('struct pica_client_memory **')
        self.assertEqual(pica.client_lib.pica_client_alloc(out, self.service.handle, 4096), 0)
        staged = pica.Memory(self.service, out[0], None, 4096)
        staged.buffer[16:20] = b'abcd'
        job = self.context.put(pica.lib.PICA_OP_WRITE)
        job.u.write.addr, job.u.write.size_bytes, job.u.write.data = VRAM + 32, 4, staged.data(16)
        self.service.submit()
        self.assertEqual(self.service.wait(), [(0, 0, 0)])
        self.assertEqual(bytes(self.vram.buffer[32:36]), b'abcd')
        staged.free()
        with self.assertRaisesRegex(ValueError, 'freed'):
            staged.buffer  # pylint: disable=pointless-statement

    def test_buffers_outlive_their_memory(self):
        kept, part = self.vram.buffer, memoryview(self.fcram.buffer)[4096:]
        self.context.fill(VRAM, VRAM + 16, 0x44332211)
        kept[:1], part[:1] = b'!', b'?'
        self.vram.free()
        for _ in range(2000):  # the service takes its pages back
            if bytes(kept[:4]) == bytes(4):
                break
            time.sleep(0.01)
        self.assertEqual(bytes(kept[:4]), bytes(4))
        kept[MIB - 1:] = b'end'[:1]
        del self.fcram
        self.service.close()
        self.assertEqual((bytes(kept[-1:]), len(part)), (b'e', MIB - 4096))
        self.assertIn(bytes(part[:1]), (b'?', b'\0'))
        address = int(pica.ffi.cast('uintptr_t', pica.ffi.from_buffer(kept)))

        def is_mapped():
            with open('/proc/self/maps', encoding='ascii') as maps:
                return any(line.startswith(f'{address:x}-') and '/memfd:' in line for line in maps)
        self.assertTrue(is_mapped())
        self.vram = kept = None
        gc.collect()
        self.assertFalse(is_mapped())

    def test_sessions(self):
        rows = [row for row in self.service.sessions() if row.id == self.service.welcome.session]
        self.assertEqual([(pica.ffi.string(row.name), row.contexts) for row in rows], [(b'python_test', 1)])
        self.assertEqual(rows[0].memory_bytes, 2 * MIB)

    def test_mistakes(self):
        with self.assertRaises(OSError) as caught:
            self.context.run_list(0x30000000, 16)
        self.assertEqual(caught.exception.errno, errno.ERANGE)
        with self.assertRaisesRegex(OSError, 'overlaps a window') as caught:
            self.context.map(VRAM, 4096)
        self.assertEqual(caught.exception.errno, errno.EEXIST)
        with self.assertRaisesRegex(OSError, 'larger than the quota of region_bytes'):
            self.context.map(0x40000000, 1 << 30)
        with self.assertRaises(ValueError):
            self.context.read_surface(VRAM, 0, 4096, 8)
        with self.assertRaises(TimeoutError):
            job = self.context.put(pica.lib.PICA_OP_WAIT)
            job.u.wait.context, job.u.wait.value = pica.client_lib.pica_client_ctx_handle(self.context.handle), 1
            self.service.submit()
            self.service.wait(timeout=0.01)
        with self.assertRaisesRegex(OSError, 'must be taken before'):
            self.context.fill(VRAM, VRAM + 16, 0)
        self.service.close()
        for call in self.context.stats, self.service.submit, lambda: self.vram.buffer:
            with self.assertRaisesRegex(ValueError, 'the service is closed'):
                call()


class Picad(Work):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='pica-python')
        cls.addClassCleanup(cls.folder.cleanup)
        cls.where = f'{cls.folder.name}/0'
        cls.start()

    @classmethod
    def start(cls):
        conf = pathlib.Path(cls.folder.name) / 'picad.conf'
        conf.write_text('[picad]\n')
        cls.process = subprocess.Popen([PICAD, '--socket', cls.where, '--config', conf, '--threads', '0'],
                                       stderr=subprocess.PIPE, text=True, env=ENV)
        cls.addClassCleanup(lambda process: (process.kill(), process.communicate()), cls.process)
        cls.logged('event=ready')

    @classmethod
    def logged(cls, what):
        """The next line of the log with these words."""
        line = ' '
        while line and what not in line:
            line = cls.process.stderr.readline()
        assert line, 'picad has ended'
        return line

    def test_the_log_names_the_owner_of_a_job(self):
        other = pica.Service(self.where, name='another')
        self.addCleanup(other.close)
        self.assertIn(f' event=session_open session={other.welcome.session} ', self.logged('name="another"'))
        # A list that jumps to its own start, and one in memory that is not there.
        data = struct.pack('<8I', 32 >> 3, 0x000F0238, FCRAM >> 3, 0x000F023A, 1, 0x000F023C, 0, 0)
        self.fcram.buffer[:len(data)] = data
        for context, number in (other.context(), errno.ERANGE), (self.context, errno.EDQUOT):
            with self.assertRaises(OSError) as caught:
                context.run_list(FCRAM, len(data))
            self.assertEqual(caught.exception.errno, number)
        for session, level, text in ((other.welcome.session, 'warning', 'memory outside every window (first seen in job 1)'),
                                     (self.service.welcome.session, 'error', 'job 1: budget of jumps used up')):
            line = self.logged(' event=engine ')
            self.assertIn(f' level={level} event=engine session={session} text="{text}"\n', line)

    def test_a_restart(self):
        """The service is killed; the client is told within a second, and continues with its memory, tables and all."""
        data = command_list(('VIEWPORT_WIDTH', 0x777))
        self.fcram.buffer[:len(data)] = data
        init = pica.ffi.new('struct pica_job *', {'op': pica.lib.PICA_OP_LIST})
        init.u.list.addr, init.u.list.size_bytes = FCRAM, len(data)
        self.assertEqual(pica.client_lib.pica_client_set_init_jobs(self.context.handle, init, 1), 0)
        self.vram.buffer[:5] = b'bytes'
        job = self.context.put(pica.lib.PICA_OP_WAIT, user_data=5)
        job.u.wait.context, job.u.wait.value = pica.client_lib.pica_client_ctx_handle(self.context.handle), 1
        self.service.submit()
        before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, which other programs do not
        self.addCleanup(signal.signal, signal.SIGPIPE, before)
        self.process.kill()
        self.process.wait()
        for _ in range(3):  # bells that nobody hears end no program
            self.context.put(pica.lib.PICA_OP_BARRIER)
            self.service.submit()
        start = time.monotonic()
        done = self.service.wait(least=4)
        self.assertEqual(done, [(5, -errno.ECONNRESET, 0)] + [(0, -errno.ECONNRESET, 0)] * 3)
        self.assertLess(time.monotonic() - start, 30)  # of what would be for ever
        for call in self.service.submit, self.service.wait, self.context.state, self.service.reconnect:
            with self.assertRaises((ConnectionResetError, ConnectionRefusedError, FileNotFoundError)):
                call()
        self.start()
        self.assertTrue(self.service.reconnect())
        self.assertFalse(self.service.reconnect())
        self.assertEqual(self.context.read_registers(pica.register_id('VIEWPORT_WIDTH'), 1), [0x777])
        self.assertEqual(bytes(self.vram.buffer[:5]), b'bytes')
        self.context.fill(VRAM, VRAM + 16, 0x01010101)
        self.assertEqual(bytes(self.vram.buffer[:5]), b'\1\1\1\1\1')


class Places(unittest.TestCase):
    def test_no_service(self):
        for where, env in ('/nonexistent/0', None), (b'/nonexistent/0', None), (None, '/nonexistent/0'), ('', '/nonexistent/0'):
            with self.assertRaises(FileNotFoundError) as caught, unittest.mock.patch.dict(os.environ, PICA_SOCKET=env or 'x'):
                pica.Service(where)
            self.assertEqual(caught.exception.filename, '/nonexistent/0')
            self.assertIn("No such file or directory: '/nonexistent/0'", str(caught.exception))
        with self.assertRaisesRegex(OSError, 'builtin: takes 0 to 64 threads'):
            pica.Service('builtin:x')

    def test_the_readme(self):
        part = re.search(r'Through a service, .*?\n\n((?:    [^\n]*\n|\n)+)', README.read_text(), re.S)[1]
        code = '\n'.join(line[4:] for line in part.splitlines()).strip()
        self.assertLessEqual(len([line for line in code.splitlines() if line]), 10)
        run = subprocess.run([sys.executable, '-c', code], text=True, stdout=subprocess.PIPE, check=True)
        self.assertEqual(run.stdout, "[64] b'\\xff\\x00\\x80\\xff' 16384\n")


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]])
