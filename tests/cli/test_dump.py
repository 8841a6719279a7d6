#!/usr/bin/env python3
"""Runs the built `pica dump`: test_dump.py PROGRAM CAPTURES [unittest arguments]"""
import json
import pathlib
import struct
import sys
import unittest

from test_cli import CAPTURES, Case, FRAME, PERSP, register, write

BUNDLED = CAPTURES.parent.parent / 'captures'
TRIANGLE, KNOT, WALL, CUBE = (str(BUNDLED / f'{name}.ctf.zst') for name in ('triangle', 'knot', 'wall', 'cube'))
LIST = 0x20100000


# ---- Captures with lists, made here ----

def words(*values):
    return struct.pack(f'<{len(values)}I', *values)


def reg(number, value, mask=15):
    return words(value, mask << 16 | number)


def burst(number, *values, consecutive=1, mask=15):
    padding = () if len(values) % 2 else (0,)
    return words(values[0], consecutive << 31 | (len(values) - 1) << 20 | mask << 16 | number, *values[1:], *padding)


FINALIZE = reg(0x010, 0x12345678)
DRAW_ARRAYS = reg(0x22E, 1)


def jump_to(addr, size):
    return reg(0x238, size >> 3) + reg(0x23A, addr >> 3) + reg(0x23C, 1)


def run(addr, data):
    """A load of the list, which ends at a multiple of 16 bytes, and the three writes that start it."""
    data += bytes(-len(data) % 16)
    return [(addr, data), register(0x238, len(data) >> 3), register(0x23A, addr >> 3), register(0x23C, 1)]


def capture(path, *parts):
    """Stream elements and loads (address, data), and a frame marker."""
    data, stream = b'', b''
    for part in parts:
        if isinstance(part, tuple):
            stream += struct.pack('<5I', 0xE2, 100 + len(data), len(part[1]), part[0], 0)
            data += part[1]
        else:
            stream += part
    stream += FRAME
    pathlib.Path(path).write_bytes(
        b'CiTr' + struct.pack('<II', 1, 100) + struct.pack('<II', 100, 0) * 10 +
        struct.pack('<II', 100 + len(data), len(stream)) + data + stream)
    return str(path)


def writes(report):
    """[(name, value) or the number of a draw] of a report's lists."""
    return [row['draw'] if 'draw' in row else (row['name'], row['value'])
            for event in report['events'] if event['kind'] == 'list'
            for part in event['parts'] for row in part['writes']]


class List(Case):
    def test_a_line_for_each_write(self):
        data = reg(0x041, 0x469000) + reg(0x0C0, 0x00F30F30, 5) + FINALIZE
        out = self.pica('dump', capture(self.dir / 'a.ctf', *run(LIST, data)))
        self.assertIn('list 0x20100000 32 bytes\n'
                      '  20100000 041 VIEWPORT_WIDTH              f 00469000 VALUE=200(0x469000)\n'
                      '  20100008 0c0 TEXENV0_SOURCE              5 00f30f30 RGB0=primary(0) RGB1=texture0(3) '
                      'RGB2=previous(15) ALPHA0=texture0(3) ALPHA1=previous(15) ALPHA2=primary(0)\n'
                      '  20100010 010 FINALIZE                    f 12345678 VALUE=0x12345678\n'
                      'list end\n', out)

    def test_bursts_padding_and_holes(self):
        data = burst(0x11C, 1, 2, 3) + burst(0x233, 4, 5, consecutive=0) + burst(0x04F, 6, 7) + reg(0x24B, 8) + FINALIZE
        rows = json.loads(self.pica('dump', '--json', capture(self.dir / 'a.ctf', *run(LIST, data))))
        self.assertEqual(writes(rows), [
            ('DEPTHBUFFER_LOC', 1), ('COLORBUFFER_LOC', 2), ('FRAMEBUFFER_DIM', 3), ('FIXEDATTRIB_DATA0', 4),
            ('FIXEDATTRIB_DATA0', 5), ('SH_OUTMAP_TOTAL', 6), ('SH_OUTMAP_O0', 7), (None, 8), ('FINALIZE', 0x12345678)])

    def test_nothing_behind_finalize_and_a_jump_is_followed(self):
        there = reg(0x062, 1) + FINALIZE + reg(0x063, 1) + bytes(8)
        here = jump_to(LIST + 0x100, len(there)) + reg(0x064, 1)
        out = self.pica('dump', capture(self.dir / 'a.ctf', (LIST + 0x100, there), *run(LIST, here)))
        self.assertIn('  jump 0x20100100 32 bytes\n  20100100 062 EARLYDEPTH_TEST1', out)
        self.assertNotIn('EARLYDEPTH_CLEAR', out)
        self.assertNotIn('SH_OUTATTR_MODE', out)
        report = json.loads(self.pica('dump', '--json', 'a.ctf'))
        parts = [e for e in report['events'] if e['kind'] == 'list'][0]['parts']
        self.assertEqual([(p['addr'], p['size'], len(p['writes'])) for p in parts],
                         [(LIST, 32, 3), (LIST + 0x100, 32, 2)])

    def test_fields_have_names_and_values_in_json(self):
        data = reg(0x042, 0x38111112) + reg(0x0C2, 0x00010002) + reg(0x11D, 0x03000000) + reg(0x068, 0x3FF)
        report = json.loads(self.pica('dump', '--json', capture(self.dir / 'a.ctf', *run(LIST, data + FINALIZE * 2))))
        rows = [e for e in report['events'] if e['kind'] == 'list'][0]['parts'][0]['writes']
        self.assertEqual(report['schema'], 1)
        self.assertAlmostEqual(rows[0]['fields']['VALUE'], 2 / 240, places=8)
        self.assertEqual(rows[1]['fields'], {'RGB': 'add', 'ALPHA': 'modulate'})
        self.assertEqual(rows[2]['fields'], {'ADDR8': 0x18000000})
        self.assertEqual(rows[3]['fields'], {'X': -1, 'Y': 0})
        self.assertEqual((rows[3]['id'], rows[3]['mask'], rows[3]['addr']), (0x068, 15, LIST + 24))

    def test_other_events_and_their_registers_have_names(self):
        out = self.pica('dump', capture(self.dir / 'a.ctf', write(0x10400010, 0x3000000), (0x20000000, bytes(64))))
        self.assertRegex(out, r'byte 0x[0-9A-F]+ +register +0x10400010 PSC0_START +0x03000000\n')
        self.assertRegex(out, r'byte 0x[0-9A-F]+ +load +addr=0x20000000 size=0x40\n')

    def test_groups(self):
        data = reg(0x041, 0x469000) + reg(0x0C0, 0) + reg(0x2B0, 0) + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        report = json.loads(self.pica('dump', '--json', '--group', 'combiner,raster', 'a.ctf'))
        self.assertEqual([w[0] for w in writes(report)], ['VIEWPORT_WIDTH', 'TEXENV0_SOURCE'])

    def test_frames(self):
        first = json.loads(self.pica('dump', '--json', '--frame', '0', '--group', 'interrupt', TRIANGLE))
        last = json.loads(self.pica('dump', '--json', '--group', 'interrupt', TRIANGLE))
        self.assertEqual((first['frame'], last['frame']), (0, 2))
        self.assertEqual(last['events'][-1]['kind'], 'frame')
        self.pica('dump', '--frame', '3', TRIANGLE, code=2)
        self.assertIn('the last one is 2', self.err)


class Draws(Case):
    def numbers(self, *args):
        return [w for w in writes(json.loads(self.pica('dump', '--json', *args))) if isinstance(w, int)]

    def test_count_is_that_of_the_engine(self):
        for path in TRIANGLE, KNOT, WALL, PERSP:
            frame = json.loads(self.pica('info', '--json', path))['per_frame'][-1]
            self.assertEqual(self.numbers(path), list(range(frame['draws'])), path)

    def test_run_of_vertices_is_one_draw(self):
        vertex = burst(0x233, 0, 0, 0, consecutive=0)
        data = (reg(0x242, 0) + reg(0x232, 15) + vertex * 3 + reg(0x25F, 1) + reg(0x232, 15) + vertex * 3 +
                reg(0x228, 3) + DRAW_ARRAYS + FINALIZE)
        report = json.loads(self.pica('dump', '--json', capture(self.dir / 'a.ctf', *run(LIST, data))))
        self.assertEqual(report['draws'], 3)
        names = [w if isinstance(w, int) else w[0] for w in writes(report)]
        # The draw begins at the word that completes the first vertex.
        self.assertEqual(names[:8], ['VSH_NUM_ATTR', 'FIXEDATTRIB_INDEX', 'FIXEDATTRIB_DATA0', 'FIXEDATTRIB_DATA0', 0,
                                     'FIXEDATTRIB_DATA0', 'FIXEDATTRIB_DATA0', 'FIXEDATTRIB_DATA0'])
        self.assertEqual(names[-3:], [2, 'DRAWARRAYS', 'FINALIZE'])

    def test_list_of_a_draw_begins_behind_the_draw_before(self):
        data = reg(0x040, 1) + reg(0x228, 3) + DRAW_ARRAYS + reg(0x040, 2) + DRAW_ARRAYS + reg(0x040, 0) + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        report = json.loads(self.pica('dump', '--json', '--draw', '1', '--list', 'a.ctf'))
        self.assertEqual(writes(report), [('FACECULLING_CONFIG', 2), 1, ('DRAWARRAYS', 1)])

    def test_state_is_what_the_draw_sees(self):
        data = reg(0x040, 1) + reg(0x228, 3) + DRAW_ARRAYS + reg(0x040, 2) + DRAW_ARRAYS + reg(0x040, 0) + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        for draw, mode in (0, 'front'), (1, 'back'):
            state = json.loads(self.pica('dump', '--json', '--draw', draw, 'a.ctf'))['state']
            self.assertEqual(state['registers']['FACECULLING_CONFIG'],
                             {'id': 0x040, 'value': draw + 1, 'fields': {'MODE': mode}})
            self.assertEqual((state['draw'], state['kind'], state['vertices'], state['addr']),
                             (draw, 'arrays', 3, LIST + 16 * (draw + 1)))
        self.assertIn('040 FACECULLING_CONFIG          00000002 MODE=back(2)\n', self.pica('dump', '--draw', '1', 'a.ctf'))

    def test_uniforms_and_fixed_attributes(self):
        vector = 0x408000BF, 0x00003E00, 0x003F0000  # 1, 0.5, -1, 3 [spec/registers.md 9]
        data = (reg(0x2C0, 7) + burst(0x2C1, *vector, consecutive=0) + reg(0x232, 2) +
                burst(0x233, *vector, consecutive=0) + reg(0x228, 3) + DRAW_ARRAYS + FINALIZE)
        capture(self.dir / 'a.ctf', *run(LIST, data))
        state = json.loads(self.pica('dump', '--json', '--draw', '0', 'a.ctf'))['state']
        self.assertEqual(state['vsh']['floats'], {'7': [1, 0.5, -1, 3]})
        self.assertEqual(state['fixed_attributes'], {'2': [1, 0.5, -1, 3]})
        text = self.pica('dump', '--draw', '0', 'a.ctf')
        self.assertIn('vsh.c7   1 0.5 -1 3\n', text)
        self.assertIn('fixed2   1 0.5 -1 3\n', text)

    def test_difference_of_two_draws(self):
        data = reg(0x040, 1) + reg(0x228, 3) + DRAW_ARRAYS + reg(0x040, 2) + reg(0x107, 0x11) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        out = self.pica('dump', '--draw', '1', '--since', '0', 'a.ctf').splitlines()
        self.assertEqual(out[2:], ['040 FACECULLING_CONFIG          MODE front -> back',
                                   '107 DEPTH_COLOR_MASK            ENABLE 0 -> 1 FUNC never -> always'])
        rows = json.loads(self.pica('dump', '--json', '--draw', '0', '--since', '1', 'a.ctf'))['differences']
        self.assertEqual([(r['name'], r['from'], r['to']) for r in rows],
                         [('FACECULLING_CONFIG', 2, 1), ('DEPTH_COLOR_MASK', 0x11, 0)])
        self.assertEqual(self.pica('dump', '--draw', '1', '--since', '1', 'a.ctf').splitlines()[2:], [])

    def test_difference_over_frames(self):
        # The cube turns: nothing but matrices differ.
        rows = json.loads(self.pica('dump', '--json', '--draw', '1:3', '--since', '0:3', CUBE))['differences']
        self.assertTrue(rows)
        self.assertEqual({r['what'] for r in rows} - {'register'}, {'vsh.c', 'gsh.c'})

    def test_programs_assemble_to_what_runs(self):
        text = self.pica('dump', '--draw', '3', '--shaders', TRIANGLE)
        self.assertIn('dp4 o0.x, c0, v0\n', text)
        (self.dir / 'a.pica').write_text(text)
        self.pica('shader', 'asm', '-o', 'a.shbin', 'a.pica')
        again = self.pica('shader', 'disasm', 'a.shbin')
        self.assertIn('.opdesc 0x0006C368, 0x0006C364, 0x0006C362, 0x0006C361, 0x0006D54F\n', again)
        self.assertIn('mul o1, c95.z, v1\n', again)

    def test_draw_that_is_not_there(self):
        self.assertEqual(self.pica('dump', '--draw', '6', TRIANGLE, code=2), '')
        self.assertIn('frame 2 has no draw 6', self.err)
        self.pica('dump', '--draw', '1', '--since', '1:77', TRIANGLE, code=2)
        self.assertIn('frame 1 has no draw 77', self.err)

    def test_wrong_use(self):
        for args in ([], [TRIANGLE, KNOT], ['--since', '1', TRIANGLE], ['--state', TRIANGLE], ['--draw', 'x', TRIANGLE],
                     ['--frame', 'all', TRIANGLE], ['--group', 'colours', TRIANGLE]):
            self.assertEqual(self.pica('dump', *args, code=2), '', args)

    def test_list_outside_memory_exits_3(self):
        capture(self.dir / 'a.ctf', register(0x238, 8), register(0x23A, 0x70000000 >> 3), register(0x23C, 1))
        self.pica('dump', 'a.ctf', code=3)
        self.assertIn('expected a command list inside memory', self.err)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
