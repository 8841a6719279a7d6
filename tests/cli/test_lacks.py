#!/usr/bin/env python3
"""Missing parts of a capture, as `pica info` reports and `pica convert` keeps them: test_lacks.py PROGRAM CAPTURES"""
import json
import struct
import sys
import unittest

from test_cli import CAPTURES, Case, FRAME, capture, fill, register, solid_screen, write

BUNDLED = CAPTURES.parent.parent / 'captures'
FCRAM = 0x20000000
PAGE = 4096
START = {'memory', 'tables', 'attributes', 'geometry', 'vertex_code', 'external', 'lcd', 'registers', 'vertex_descriptors',
         'vertex_uniforms'}  # flags that files have by their header
BITS = {'RGBA8': 32, 'RGB8': 24, 'RGB565': 16, 'ETC1': 4, 'ETC1A4': 8}


def load(at, size, addr):
    """size bytes of the file from `at` on, which an empty header's file always has."""
    return struct.pack('<5I', 0xE2, at, size, addr, 0)


def copy(source, target, size):
    return (write(0x10400C00, source >> 3) + write(0x10400C04, target >> 3) + write(0x10400C20, size) +
            write(0x10400C10, 8) + write(0x10400C18, 1))


def jump(addr, size):
    return register(0x238, size >> 3) + register(0x23A, addr >> 3) + register(0x23C, 1)


def without_loads(data, begin, end):
    """The same .ctf, with no load of what lies in [begin, end)."""
    stream, size = struct.unpack('<II', data[92:100])
    out = b''
    for at in range(stream, stream + size, 20):
        kind, source, count, addr, _ = struct.unpack('<5I', data[at:at + 20])
        if kind != 0xE2 or addr >= end or addr + count <= begin:
            out += data[at:at + 20]
            continue
        if addr < begin:
            out += load(source, begin - addr, addr)
        if addr + count > end:
            out += load(source + end - addr, addr + count - end, end)
    return data[:96] + struct.pack('<I', len(out)) + data[100:stream] + out


class Lacks(Case):
    def missing(self, name):
        return {row['name']: row for row in json.loads(self.pica('info', '--json', name))['missing'] if 'name' in row}

    def test_each_array_of_the_header_has_a_flag(self):
        names = ('external', 'lcd', 'registers', 'attributes', 'vertex_code', 'vertex_descriptors', 'vertex_uniforms',
                 'geometry', 'geometry', 'geometry')
        whole = (CAPTURES / 'st_empty.ctf').read_bytes()
        self.assertEqual(set(self.missing(CAPTURES / 'st_empty.ctf')) & START, {'memory', 'tables'})
        for i, name in enumerate(names):
            (self.dir / 'a.ctf').write_bytes(whole[:16 + 8 * i] + bytes(4) + whole[20 + 8 * i:])
            self.assertEqual(set(self.missing('a.ctf')) & START, {'memory', 'tables', name}, i)
            self.pica('convert', 'a.ctf', 'a.pica')
            self.assertEqual(set(self.missing('a.pica')) & START, {'memory', 'tables', name}, i)

    def expect(self, name, *lacks):
        """Flags in addition to those of the start, each (name, count, first address); kept by convert and trim."""
        rows = self.missing(name)
        self.assertLessEqual({'memory', 'tables'}, set(rows))
        self.assertEqual(set(rows) - START, {lack[0] for lack in lacks})
        text = self.pica('info', name)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for what, count, first in lacks:
            self.assertEqual((rows[what]['count'], rows[what]['first']), (count, f'0x{first:08x}'), what)
            unit = f'{rows[what]["unit"]}{"s" * (count != 1)}'
            self.assertIn(f'  {rows[what]["what"]}: {count} {unit}, first 0x{first:08x}\n', text)
        self.pica('convert', name, 'converted.pica')
        self.assertEqual(self.missing('converted.pica'), rows)
        self.pica('verify', 'converted.pica')
        # A cut or repacked capture lacks the same parts.
        self.pica('trim', '--frames', '0', 'converted.pica', 'trimmed.pica')
        self.assertEqual(self.missing('trimmed.pica'), rows)
        self.pica('convert', '--recover', 'trimmed.pica', 'again.pica')
        self.assertEqual(self.missing('again.pica'), rows)

    def scene(self, name):
        """A bundled scene as .ctf: it lacks what every .ctf does, no more."""
        self.pica('convert', BUNDLED / f'{name}.pica', f'{name}.ctf')
        self.expect(f'{name}.ctf')
        self.assertEqual(set(self.missing(f'{name}.ctf')), {'memory', 'tables'})
        return self.bytes(f'{name}.ctf')

    def strip(self, data, begin, end):
        (self.dir / 'a.ctf').write_bytes(without_loads(data, begin, end))

    def state(self, name, draw):
        return json.loads(self.pica('dump', '--json', '--state', '--draw', f'0:{draw}', name))['state']

    def test_textures_and_their_levels(self):
        data = self.scene('cube')
        texture = next(t for t in self.state('cube.ctf', 0)['textures'] if t['levels'] > 1)
        begin, first = int(texture['addr'], 16), texture['width'] * texture['height'] * BITS[texture['format']] // 8
        pages = (begin + first - 1) // PAGE - begin // PAGE + 1
        self.strip(data, begin, begin + first)
        self.expect('a.ctf', ('textures', pages, begin))
        self.strip(data, begin + first, begin + first + 64)  # everything else in it is known
        self.expect('a.ctf')
        end = begin + sum(first >> 2 * level for level in range(texture['levels']))
        pages = (end - 1) // PAGE - (begin + first) // PAGE + 1
        self.strip(data, begin + first, end)
        self.expect('a.ctf', ('levels', pages, begin + first))

    def test_faces_of_a_cube(self):
        # The last draw once more, its texture being one face of a cube; the others lie where nothing was loaded.
        data = self.scene('cube')
        draws = json.loads(self.pica('info', '--json', 'cube.ctf'))['per_frame'][0]['draws']
        state = self.state('cube.ctf', draws - 1)
        texture = state['textures'][0]
        faces = [0x21000000 + 0x100000 * i for i in range(5)]
        param = state['registers']['TEXUNIT0_PARAM']['value'] & ~(7 << 28) | 1 << 28
        again = (register(0x83, param) + b''.join(register(0x86 + i, addr >> 3 & 0x3FFFFF) for i, addr in enumerate(faces)) +
                 register(0x22E, 1) + register(0x10, 0x12345678) + FRAME)
        size, = struct.unpack('<I', data[96:100])
        self.assertEqual((state['kind'], texture['unit']), ('arrays', 0))

        def build(name, stream):
            (self.dir / name).write_bytes(data[:96] + struct.pack('<I', size + len(stream)) + data[100:] + stream)
        bytes_of_one = sum(texture['width'] * texture['height'] * BITS[texture['format']] // 8 >> 2 * level
                           for level in range(texture['levels']))
        pages = -(-bytes_of_one // PAGE)
        build('a.ctf', again)
        self.expect('a.ctf', ('faces', 5 * pages, faces[0]))
        build('b.ctf', b''.join(load(100, bytes_of_one, addr) for addr in faces[1:]) + again)
        self.expect('b.ctf', ('faces', pages, faces[0]))
        build('c.ctf', b''.join(load(100, bytes_of_one, addr) for addr in faces) + again)
        self.expect('c.ctf')

    def test_vertices(self):
        data = self.scene('cube')
        state = self.state('cube.ctf', 0)['registers']
        base = state['ATTRIBBUFFERS_LOC']['value'] >> 1 << 4
        addr = base + state['ATTRIBBUFFER0_OFFSET']['value']
        self.strip(data, addr & -PAGE, (addr & -PAGE) + PAGE)
        row = self.missing('a.ctf')['vertices']
        self.assertEqual(int(row['first'], 16) & -PAGE, addr & -PAGE)
        self.assertGreaterEqual(row['count'], 1)

    def test_targets(self):
        data = self.scene('mirror')
        stream, size = struct.unpack('<II', data[92:100])
        plain = b''.join(data[at:at + 20] for at in range(stream, stream + size, 20)
                         if struct.unpack('<2I', data[at:at + 8]) not in ((0xE3, 0x1040001C), (0xE3, 0x1040002C)))
        (self.dir / 'a.ctf').write_bytes(data[:96] + struct.pack('<I', len(plain)) + data[100:stream] + plain)
        rows = self.missing('a.ctf')
        self.assertEqual(set(rows) - START, {'targets'})
        self.assertEqual(int(rows['targets']['first'], 16) >> 24, 0x18)

    def test_lists(self):
        # Not loaded, and entered as every list is.
        capture(self.dir / 'direct.ctf', write(0x104018E0, 16 >> 3) + write(0x104018E8, FCRAM >> 3) + write(0x104018F0, 1))
        self.assertEqual(self.missing('direct.ctf')['lists']['what'], 'command lists')
        finalize = struct.pack('<4I', 0x12345678, 0x000F0010, 0x12345678, 0x000F0010)
        entered = jump(FCRAM + 0x1000, 16) + FRAME
        for name, stream, lacks in (('a.ctf', load(100, 16, FCRAM + 0x1000) + entered, []),
                                    ('b.ctf', entered, [('lists', 1, FCRAM + 0x1000)])):
            header = b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10
            (self.dir / name).write_bytes(header + struct.pack('<II', 116, len(stream)) + finalize + stream)
            self.expect(name, *lacks)

    def test_sources(self):
        moved = copy(0x18010000, 0x18020000, 0x3000)
        self.expect(capture(self.dir / 'a.ctf', fill(0x18010000, 0x3000, 7, 2) + moved + FRAME))
        self.expect(capture(self.dir / 'b.ctf', fill(0x18010000, 0x1000, 7, 2) + moved + FRAME),
                    ('sources', 2, 0x18011000))
        # The target of a copy counts as known.
        again = copy(0x18020000, 0x18030000, 0x3000)
        self.expect(capture(self.dir / 'c.ctf', moved + again + FRAME), ('sources', 3, 0x18010000))

    def test_screens(self):
        shown = solid_screen(0, 0x18000000, 0x336699, 400)
        self.expect(capture(self.dir / 'a.ctf', shown + FRAME))
        self.expect(capture(self.dir / 'b.ctf', shown + write(0x10400468, 0x18100000) + FRAME),
                    ('screens', 71, 0x18100000))  # 400 lines of 720 bytes

    def test_loads_of_nothing_and_dma(self):
        empty = load(100, 0, 0x20345000) + load(100, 0, 0x20340000)
        self.expect(capture(self.dir / 'a.ctf', empty + FRAME), ('empty_loads', 2, 0x20345000))
        # As Citra writes it: a number of elements, and a width in each write.
        data = b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 + struct.pack('<II', 100, 1) + FRAME
        (self.dir / 'b.ctf').write_bytes(data)
        rows = self.missing('b.ctf')
        self.assertEqual(set(rows) - START, {'dma', 'uniform_w'})
        self.pica('convert', 'b.ctf', 'b.pica')
        self.assertEqual(self.missing('b.pica'), rows)
        self.assertIn('  copies by DMA (the recorder leaves no trace of them)\n', self.pica('info', 'b.pica'))

    def test_a_recording_is_complete(self):
        for name in 'chrome', 'materials':
            self.assertEqual(self.missing(BUNDLED / f'{name}.pica'), {})
            self.assertIn('missing in the capture\n  nothing\n', self.pica('info', BUNDLED / f'{name}.pica'))


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
