#!/usr/bin/env python3
"""Runs the built `pica dump`: test_dump.py PROGRAM CAPTURES [unittest arguments]"""
import csv
import io
import json
import pathlib
import re
import resource
import signal
import struct
import sys
import unittest

from test_cli import CAPTURES, Case, FRAME, PERSP, fill, read_png, register, rgb, write

BUNDLED = CAPTURES.parent.parent / 'captures'
TRIANGLE, KNOT, WALL, CUBE = (str(BUNDLED / f'{name}.pica') for name in ('triangle', 'knot', 'wall', 'cube'))
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

    def test_nothing_after_finalize_and_a_jump_is_followed(self):
        there = reg(0x062, 1) + FINALIZE + reg(0x063, 1) + bytes(8)
        here = jump_to(LIST + 0x100, len(there)) + reg(0x064, 1)
        out = self.pica('dump', capture(self.dir / 'a.ctf', (LIST + 0x100, there), *run(LIST, here)))
        self.assertIn('  jump 0x20100100 32 bytes\n  20100100 062 EARLYDEPTH_TEST1', out)
        self.assertNotIn('EARLYDEPTH_CLEAR', out)
        self.assertNotIn('SH_OUTATTR_MODE', out)
        report = json.loads(self.pica('dump', '--json', 'a.ctf'))
        parts = [e for e in report['events'] if e['kind'] == 'list'][0]['parts']
        self.assertEqual([(int(p['addr'], 16), p['size'], len(p['writes'])) for p in parts],
                         [(LIST, 32, 3), (LIST + 0x100, 32, 2)])

    def test_fields_have_names_and_values_in_json(self):
        data = reg(0x042, 0x38111112) + reg(0x0C2, 0x00010002) + reg(0x11D, 0x03000000) + reg(0x068, 0x3FF)
        report = json.loads(self.pica('dump', '--json', capture(self.dir / 'a.ctf', *run(LIST, data + FINALIZE * 2))))
        rows = [e for e in report['events'] if e['kind'] == 'list'][0]['parts'][0]['writes']
        self.assertEqual(report['schema'], 2)
        self.assertAlmostEqual(rows[0]['fields']['VALUE'], 2 / 240, places=8)
        self.assertEqual(rows[1]['fields'], {'RGB': 'add', 'ALPHA': 'modulate'})
        self.assertEqual(rows[2]['fields'], {'ADDR8': '0x18000000'})
        self.assertEqual(rows[3]['fields'], {'X': -1, 'Y': 0})
        self.assertEqual((rows[3]['id'], rows[3]['mask'], rows[3]['addr']), (0x068, 15, f'0x{LIST + 24:08x}'))

    def test_other_events_and_their_registers_have_names(self):
        out = self.pica('dump', capture(self.dir / 'a.ctf', write(0x10400010, 0x3000000), (0x20000000, bytes(64))))
        self.assertRegex(out, r'byte 0x[0-9A-F]+ +event \d+ +register +0x10400010 PSC0_START +0x03000000\n')
        self.assertRegex(out, r'byte 0x[0-9A-F]+ +event \d+ +load +addr=0x20000000 size=0x40\n')
        # Events of a .pica share the offset of their chunk; their numbers, the same as in the .ctf, distinguish them.
        self.pica('convert', PERSP, 'persp.pica')
        numbers = [re.findall(r'^byte 0x[0-9A-F]+ +event (\d+)', self.pica('dump', '--frame', 5, path), re.M)
                   for path in (PERSP, 'persp.pica')]
        self.assertEqual(numbers[0], numbers[1])
        self.assertEqual(len(set(numbers[0])), len(numbers[0]))
        self.assertGreater(len(numbers[0]), 4)
        rows = [row['event'] for row in json.loads(self.pica('dump', '--json', '--frame', 5, 'persp.pica'))['events'] if 'event' in row]
        self.assertEqual([str(n) for n in rows if str(n) in numbers[0]], numbers[0])

    def test_list_without_an_end_exits_3(self):
        here = jump_to(LIST, 0x20)
        capture(self.dir / 'a.ctf', *run(LIST, here + reg(0x064, 1)))
        self.pica('info', 'a.ctf', code=3)
        self.pica('dump', 'a.ctf', code=3)
        self.assertRegex(self.err, r'a.ctf: byte 0x[0-9A-F]+: .*a budget is used up')

    def test_words_of_tables_have_their_places(self):
        data = (reg(0x1C8, 1) + reg(0x1C5, 0x03FF) + burst(0x1C8, 2, 3, consecutive=0) + reg(0x1C5, 0x07, 1) +
                reg(0x1CF, 4) + reg(0x1C5, 0x1F05) + reg(0x1C9, 5) + reg(0x0AF, 0x028A) + reg(0x0B0, 6) +
                reg(0x0E6, 127) + burst(0x0E8, 7, 8) + reg(0x123, 15) + reg(0x124, 9) + reg(0x124, 10))
        out = self.pica('dump', capture(self.dir / 'a.ctf', *run(LIST, data + FINALIZE * 2)))
        tables = [line.rsplit(' of ', 1)[-1] if ' of ' in line else None for line in out.splitlines() if '_DATA' in line]
        self.assertEqual(tables, [None, 'FR[255]', 'FR[0]', 'FR[7]', '31[5]', 'rgb-map[10]',
                                  'fog[127]', 'fog[0]', 'gas[15]', 'gas[0]'])
        rows = [w for e in json.loads(self.pica('dump', '--json', 'a.ctf'))['events'] if e['kind'] == 'list'
                for w in e['parts'][0]['writes'] if 'DATA' in w['name']]
        self.assertNotIn('table', rows[0])
        self.assertEqual((rows[1]['table'], rows[1]['index']), ('FR', 255))
        self.assertEqual((rows[-1]['table'], rows[-1]['index']), ('gas', 0))

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

    def test_list_of_a_draw_begins_after_the_draw_before(self):
        data = reg(0x040, 1) + reg(0x228, 3) + DRAW_ARRAYS + reg(0x040, 2) + DRAW_ARRAYS + reg(0x040, 0) + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        report = json.loads(self.pica('dump', '--json', '--draw', '1', '--list', 'a.ctf'))
        self.assertEqual(writes(report), [('FACECULLING_CONFIG', 2), 1, ('DRAWARRAYS', 1)])

    def test_state_is_that_of_the_draw(self):
        data = reg(0x040, 1) + reg(0x228, 3) + DRAW_ARRAYS + reg(0x040, 2) + DRAW_ARRAYS + reg(0x040, 0) + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        for draw, mode in (0, 'front'), (1, 'back'):
            state = json.loads(self.pica('dump', '--json', '--draw', draw, 'a.ctf'))['state']
            self.assertEqual(state['registers']['FACECULLING_CONFIG'],
                             {'id': 0x040, 'value': draw + 1, 'fields': {'MODE': mode}})
            self.assertEqual((state['draw'], state['kind'], state['vertices'], int(state['addr'], 16)),
                             (draw, 'arrays', 3, LIST + 16 * (draw + 1)))
        self.assertIn('040 FACECULLING_CONFIG          00000002 MODE=back(2)\n', self.pica('dump', '--draw', '1', 'a.ctf'))

    def test_uniforms_and_fixed_attributes(self):
        vector = 0x408000BF, 0x00003E00, 0x003F0000  # 1, 0.5, -1, 3 [fidelity: list-numbers]
        data = (reg(0x2C0, 7) + burst(0x2C1, *vector, consecutive=0) + reg(0x232, 2) +
                burst(0x233, *vector, consecutive=0) + reg(0x228, 3) + DRAW_ARRAYS + FINALIZE)
        capture(self.dir / 'a.ctf', *run(LIST, data))
        state = json.loads(self.pica('dump', '--json', '--draw', '0', 'a.ctf'))['state']
        self.assertEqual(state['vsh']['floats'], {'7': [1, 0.5, -1, 3]})
        self.assertEqual(state['fixed_attributes'], {'2': [1, 0.5, -1, 3]})
        text = self.pica('dump', '--draw', '0', 'a.ctf')
        self.assertIn('vsh.c7   1 0.5 -1 3\n', text)
        self.assertIn('fixed2   1 0.5 -1 3\n', text)

    def test_tables(self):
        data = (reg(0x1C5, 8 << 8 | 254) + burst(0x1C8, 0x123, 0x456, consecutive=0) + reg(0x0E6, 3) + reg(0x0E8, 7) +
                reg(0x228, 0) + DRAW_ARRAYS + reg(0x0E6, 3) + reg(0x0E8, 9) + DRAW_ARRAYS + FINALIZE)
        capture(self.dir / 'a.ctf', *run(LIST, data))
        tables = json.loads(self.pica('dump', '--json', '--draw', '0', 'a.ctf'))['state']['tables']
        self.assertEqual(tables, {'light-SP0': [0] * 254 + [0x123, 0x456], 'fog': [0] * 3 + [7] + [0] * 124})
        self.assertIn('\ntable fog\n  0 0.0000+0.0000 0.0000+0.0000 0.0000+0.0000 0.0000+0.0034 ', self.pica('dump', '--draw', '0', 'a.ctf'))
        self.assertIn('table fog: 1 word differs, the first is 0x003\n',
                      self.pica('dump', '--draw', '1', '--since', '0', 'a.ctf'))
        self.assertNotIn('table fog', self.pica('dump', '--draw', '1', '--group', 'lighting', 'a.ctf'))

    def test_summary_reports_used_features(self):
        cases = (('shadow', 2, ['target', 'shadow', 'vsh']), ('crates', 100, ['target', 'depth', 'texture', 'texture', 'vsh']),
                 ('galaxy', 1, ['target', 'depth', 'vsh', 'gsh']))
        for name, draw, words in cases:
            text = self.pica('dump', '--draw', f'0:{draw}', BUNDLED / f'{name}.pica')
            self.assertEqual([line.split()[0] for line in text.split('\n\n')[0].splitlines()[1:]], words)
        self.assertIn('shadow-cube at 0x183a0000, bias 0.00199997\n',
                      self.pica('dump', '--draw', '0:100', BUNDLED / 'crates.pica'))
        self.assertIn('shadow-2D at 0x183a0000, bias 0.00600004, not divided by w\n',
                      self.pica('dump', '--draw', '0:15', BUNDLED / 'shadow.pica'))

    def test_effects_in_words(self):
        for name, draw, lines in (
                ('lamps', 20, ['lighting   2 lights, layers 0: D0(N.H) SP(spot), normals of texture 1, '
                               'shadow of texture 0, highlights clamped',
                               'light 0    at -2.5 2.30664 -6.29297, spot, distance attenuation, shadowed',
                               'light 3    direction -0.549805 0.652344 0.580078']),
                ('cloth', 5, ['lighting   2 lights, layers 0: D0(N.H), normals of texture 1, highlights clamped',
                              'light 0    direction -1 0.5 0.349854, two-sided',
                              'light 1    direction 0.799805 0.199951 -0.899902, two-sided']),
                ('proctex', 5, ['procedural u edge, v edge, color of u, noise, 128 colors from 0, linear']),
                ('valley', 60, ['fog        #d8c8b8']),
                ('shadow', 2, ['shadow     draws a shadow map, constant 1, linear 0']),
                ('lanterns', 2, ['shadow     draws a shadow map, constant 3.01953, linear -3']),
                ('smoke', 10, ['gas        adds up densities, depth gt, delta z 10240']),
                ('smoke', 47, ['gas        shades depth densities by density, attenuation 1.5, density scale 0.25']),
                ('wall', 2, [])):
            text = self.pica('dump', '--draw', draw, '--group', 'interrupt', BUNDLED / f'{name}.pica')
            found = [line for line in text.splitlines() if re.match('(light|procedural|fog|shadow|gas)', line)]
            self.assertEqual(found, lines, name)

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

    def test_programs_assemble_to_the_running_code(self):
        text = self.pica('dump', '--draw', '3', '--shaders', TRIANGLE)
        self.assertIn('dp4 o0.x, c0, v0\n', text)
        for line in '.in attribute0 v0', '.in attribute1 v1', '.out - position o0.xyzw', '.out - color o1.xyzw':
            self.assertIn(f'\n{line}\n', text)
        self.assertRegex(text, r'\n\.setf c95\(0, 1, 0\.0039\d+, 0\)\n')
        (self.dir / 'a.pica').write_text(text)
        self.pica('shader', 'asm', '-o', 'a.shbin', 'a.pica')
        again = self.pica('shader', 'disasm', 'a.shbin')
        self.assertIn('.opdesc 0x0006C368, 0x0006C364, 0x0006C362, 0x0006C361, 0x0006D54F\n', again)
        self.assertIn('mul o1, c95.z, v1\n', again)

    def list_of(self, data):
        capture(self.dir / 'a.ctf', *run(LIST, data))

    def test_programs_end_when_they_are_left(self):
        # MOV, END and after them an unreachable word; one of two descriptors is named.
        self.list_of(reg(0x2CB, 0) + burst(0x2CC, 0x4C000000, 0x88000000, 0x4C201001, consecutive=0) + reg(0x2D5, 0) +
                  burst(0x2D6, 0x36F, 0x36E, consecutive=0) + reg(0x2BD, 1) + reg(0x050, 0x03020100) + DRAW_ARRAYS + FINALIZE)
        text = self.pica('dump', '--draw', '0', '--shaders', 'a.ctf')
        self.assertEqual(text[text.index('; vertex'):], '; vertex program\n.in attribute0 v0\n.out - position o0.xyzw\n'
                         '.opdesc 0x0000036F\n.raw main\n\tmov o0, v0\n\tend\n.end\n')

    def test_uploads_are_numbers(self):
        self.list_of(reg(0x2C0, 5) + burst(0x2C1, 0x3F000040, 0x00003E00, 0x003F0000, consecutive=0) +
                  reg(0x290, 0x80000007) + burst(0x291, 0, 0x3F800000, 0xC0000000, 0x7FC00000, consecutive=0) +
                  reg(0x2CB, 3) + reg(0x2CC, 0x4C000000) + reg(0x2D5, 9) + reg(0x2D6, 0x36F) + FINALIZE)
        text = self.pica('dump', 'a.ctf')
        self.assertEqual(re.findall(r' (c\d+ = .*|code\[.*|descriptor\[.*)\n', text),
                         ['c5 = 1 0.5 2 1', 'c7 = nan -2 1 0', 'code[3] = mov', 'descriptor[9]'])
        rows = [row for event in json.loads(self.pica('dump', '--json', 'a.ctf'))['events'] for part in event.get('parts', [])
                for row in part['writes']]
        self.assertEqual([(r['uniform'], r['vector']) for r in rows if 'uniform' in r],
                         [(5, [1, .5, 2, 1]), (7, [None, -2, 1, 0])])
        self.assertEqual([(r['code'], r['instruction']) for r in rows if 'code' in r], [(3, 'mov')])

    def test_draw_that_is_not_there(self):
        self.assertEqual(self.pica('dump', '--draw', '6', TRIANGLE, code=2), '')
        self.assertIn('frame 2 has no draw 6', self.err)
        self.pica('dump', '--draw', '1', '--since', '1:77', TRIANGLE, code=2)
        self.assertIn('frame 1 has no draw 77', self.err)

    def test_wrong_use(self):
        for args in ([], ['--since', '1', TRIANGLE], ['--state', TRIANGLE], ['--draw', 'x', TRIANGLE],
                     ['--frame', 'all', TRIANGLE], ['--group', 'colours', TRIANGLE]):
            self.assertEqual(self.pica('dump', *args, code=2), '', args)

    def test_list_outside_memory_exits_3(self):
        capture(self.dir / 'a.ctf', register(0x238, 8), register(0x23A, 0x70000000 >> 3), register(0x23C, 1))
        self.pica('dump', 'a.ctf', code=3)
        self.assertIn('expected a command list inside memory', self.err)


class Files(Case):
    COLOR, DEPTH, ARRAYS, TEXTURE = 0x18000000, 0x18100000, 0x20200000, 0x20300000

    def machine(self, width=240, height=320, color=0, depth=3):
        """A vertex program that copies v0 to the position, one array of vec4 floats, a target."""
        return (reg(0x2CB, 0) + burst(0x2CC, 0x13 << 26, 0x22 << 26, consecutive=0) +  # mov o0, v0; end
                reg(0x2D5, 0) + reg(0x2D6, 0x36F) + reg(0x2BA, 0x7FFF0000) + reg(0x2BD, 1) + reg(0x2B9, 0xA0000000) +
                reg(0x2BB, 0) + reg(0x242, 0) + reg(0x24A, 0) + reg(0x04F, 1) + reg(0x050, 0x03020100) +
                reg(0x041, 0x45E000) + reg(0x043, 0x464000) + reg(0x068, 0) +  # 120, 160
                reg(0x200, self.ARRAYS >> 3) + reg(0x201, 15) + reg(0x202, 0) + reg(0x203, 0) + reg(0x204, 0) +
                reg(0x205, 1 << 28 | 16 << 16) +
                reg(0x11C, self.DEPTH >> 3) + reg(0x11D, self.COLOR >> 3) + reg(0x116, depth) +
                reg(0x117, color << 16) + reg(0x11E, 1 << 24 | (height - 1) << 12 | width))

    def floats(self, *values):
        return self.ARRAYS, struct.pack(f'<{len(values)}f', *values)

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def test_vertices_of_arrays(self):
        vertices = self.floats(9, 9, 9, 9, 0, 0, 0, 1, 1, -1, 2, 2, 0.5, 0, 0, -1)
        data = self.machine() + reg(0x228, 3) + reg(0x22A, 1) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', vertices, *run(LIST, data))
        rows = self.rows(self.pica('dump', '--draw', '0', '--vertices', 'a.ctf'))
        self.assertEqual([(r['position'], r['number']) for r in rows], [('0', '1'), ('1', '2'), ('2', '3')])
        self.assertEqual([float(rows[1][f'v0.{c}']) for c in 'xyzw'], [1, -1, 2, 2])
        self.assertEqual([float(rows[1][f'o0.{c}']) for c in 'xyzw'], [1, -1, 2, 2])
        self.assertEqual([float(rows[1][f'pos.{c}']) for c in 'xyzw'], [1, -1, 2, 2])
        # (x/w + 1) * half width; rows count from the top, of 320: 320 - (y/w + 1) * half height
        window = [[r[f'window.{c}'] for c in ('x', 'row', 'z')] for r in rows]
        self.assertEqual(window, [['120', '160', '0'], ['180', '240', '1'], ['', '', '']])

    def test_triangles_of_a_geometry_shader(self):
        galaxy = BUNDLED / 'galaxy.pica'
        sent = 0
        for draw in range(json.loads(self.pica('dump', '--json', '--frame', '0', galaxy))['draws']):
            text = self.pica('dump', '--draw', f'0:{draw}', '--vertices', galaxy)
            vertices, _, geometry = text.partition('\n\n')
            self.assertTrue(vertices.startswith('position,number,v0.x'))
            if not geometry:
                continue
            rows = self.rows(geometry)
            self.assertEqual([int(row['triangle']) for row in rows], [i // 3 for i in range(len(rows))])
            sent += len(rows) // 3
        self.assertGreater(sent, 1000)
        self.pica('trim', '--frames', '0', galaxy, 'a.pica')
        # Nothing else is drawn, so the statistics count exactly the kept primitives.
        self.assertEqual(sent, json.loads(self.pica('info', '--json', 'a.pica'))['triangles'])
        self.pica('dump', '--draw', '0:1', '--vertices', '-o', 'out', galaxy)
        self.assertEqual([f for f in self.files() if f.startswith('out/')],
                         ['out/geometry.csv', 'out/input.obj', 'out/output.obj', 'out/vertices.csv'])
        rows = self.rows(self.bytes('out/geometry.csv').decode())
        lines = self.bytes('out/output.obj').decode().splitlines()
        self.assertEqual([line.split()[1:3] for line in lines if line.startswith('v ')],
                         [[row['pos.x'], row['pos.y']] for row in rows])
        self.assertEqual(lines[-1], f'f {len(rows) - 2} {len(rows) - 1} {len(rows)}')
        self.assertEqual(sum(line.startswith('f ') for line in lines), len(rows) // 3)

    def test_a_full_disk_names_the_file(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        ignore = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), limit())
        self.pica('dump', '--draw', '0:100', '--vertices', '-o', 'out', BUNDLED / 'crates.pica', code=2, preexec_fn=ignore)
        self.assertRegex(self.err, r'^pica dump: cannot write out/vertices\.csv: File too large\n')
        self.assertEqual(self.files(), [])

    def test_vertices_by_indices(self):
        vertices = self.floats(1, 0, 0, 1, 2, 0, 0, 1, 3, 0, 0, 1)
        data = self.machine() + reg(0x227, 1 << 31 | 0x100) + reg(0x228, 3) + reg(0x22F, 1) + FINALIZE
        capture(self.dir / 'a.ctf', vertices, (self.ARRAYS + 0x100, struct.pack('<3H', 2, 0, 1)), *run(LIST, data))
        rows = self.rows(self.pica('dump', '--draw', '0', '--vertices', 'a.ctf'))
        self.assertEqual([(r['number'], r['v0.x']) for r in rows], [('2', '3'), ('0', '1'), ('1', '2')])
        data = self.machine() + reg(0x227, 0x104) + reg(0x228, 3) + reg(0x22F, 1) + FINALIZE
        capture(self.dir / 'b.ctf', vertices, (self.ARRAYS + 0x104, bytes((1, 1, 2))), *run(LIST, data))
        rows = self.rows(self.pica('dump', '--draw', '0', '--vertices', 'b.ctf'))
        self.assertEqual([r['number'] for r in rows], ['1', '1', '2'])

    def test_vertices_in_the_list(self):
        vector = 0x408000BF, 0x00003E00, 0x003F0000  # 1, 0.5, -1, 3 [fidelity: list-numbers]
        other = 0x3F000000, 0x00000000, 0x00C04000   # -2.5, 0, 0, 1
        data = self.machine() + reg(0x232, 15) + burst(0x233, *vector, *other, *vector, consecutive=0) + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        rows = self.rows(self.pica('dump', '--draw', '0', '--vertices', 'a.ctf'))
        self.assertEqual([[float(r[f'v0.{c}']) for c in 'xyzw'] for r in rows],
                         [[1, 0.5, -1, 3], [-2.5, 0, 0, 1], [1, 0.5, -1, 3]])

    def test_meshes(self):
        vertices = self.floats(0, 0, 0, 1, 1, 0, 0, 2, 0, 1, 0, 1, 1, 1, 4, 4)
        data = self.machine() + reg(0x228, 4) + reg(0x25E, 1 << 8) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', vertices, *run(LIST, data))
        self.pica('dump', '--draw', '0', '--vertices', '-o', 'out', 'a.ctf')
        faces = 'f 1 2 3\nf 3 2 4\n'
        self.assertEqual((self.dir / 'out/input.obj').read_text(), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 4\n' + faces)
        self.assertEqual((self.dir / 'out/output.obj').read_text(),
                         'v 0 0 0\nv 0.5 0 0\nv 0 1 0\nv 0.25 0.25 1\n' + faces)
        data = self.machine() + reg(0x228, 4) + reg(0x25E, 2 << 8) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', vertices, *run(LIST, data))
        self.pica('dump', '--draw', '0', '--vertices', '-o', 'out', 'a.ctf')
        self.assertTrue((self.dir / 'out/input.obj').read_text().endswith('f 1 2 3\nf 1 3 4\n'))

    def test_arrays_outside_memory(self):
        data = self.machine() + reg(0x200, 0x7000000) + reg(0x228, 3) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        self.pica('dump', '--draw', '0', '--vertices', 'a.ctf', code=2)
        self.assertIn('do not lie in memory', self.err)
        self.pica('dump', '--draw', '0', '--vertices', '-o', 'out', 'a.ctf', code=2)
        self.assertEqual(self.files(), ['a.ctf'])

    def test_texture_with_its_levels_and_alpha(self):
        # RGBA8 lies as A B G R; the first quad of an 8x8 tile is (0,0) (1,0) (0,1) (1,1).
        level0 = bytes((9, 3, 2, 1, 8, 6, 5, 4)) + bytes(256 * 4 - 8)
        level1 = bytes((77, 30, 20, 10)) * 64
        data = (self.machine() + reg(0x080, 1) + reg(0x082, 16 << 16 | 16) + reg(0x083, 0) + reg(0x084, 1 << 16) +
                reg(0x085, self.TEXTURE >> 3) + reg(0x08E, 0) + reg(0x228, 0) + DRAW_ARRAYS + FINALIZE)
        capture(self.dir / 'a.ctf', (self.TEXTURE, level0 + level1), *run(LIST, data))
        out = self.pica('dump', '--draw', '0', '--textures', '-o', 'out', 'a.ctf')
        self.assertEqual(out, 'out/tex0.png 16x16 RGBA8 0x20300000\nout/tex0-1.png 8x8 RGBA8 0x20300400\n')
        width, height, px = read_png((self.dir / 'out/tex0.png').read_bytes())
        self.assertEqual((width, height, px[:8]), (16, 16, bytes((1, 2, 3, 9, 4, 5, 6, 8))))
        self.assertEqual(read_png((self.dir / 'out/tex0-1.png').read_bytes()), (8, 8, bytes((10, 20, 30, 77)) * 64))

    def test_tables_as_pictures(self):
        # D0 half way up and level; a colour table of the procedural texture: first R, then G.
        data = (self.machine() + reg(0x1C5, 0) + burst(0x1C8, *[0x800] * 256, consecutive=0) + reg(0x0AF, 4 << 8) +
                burst(0x0B0, *[0xFF0000FF] * 128 + [0x8000FF00] * 128, consecutive=0) + reg(0x228, 0) + DRAW_ARRAYS + FINALIZE)
        capture(self.dir / 'a.ctf', *run(LIST, data))
        out = self.pica('dump', '--draw', '0', '--luts', '-o', 'out', 'a.ctf')
        self.assertEqual(out, 'out/lut-light-D0.png\nout/lut-proctex-color.png\n')
        width, height, px = read_png((self.dir / 'out/lut-light-D0.png').read_bytes())
        self.assertEqual((width, height), (560, 208))
        curve = {y for x in range(24, 536) for y in range(height) if px[3 * (width * y + x):][:3] == rgb(0xFFB030, 1)}
        self.assertEqual(curve, {104, 105})  # of 24 to 183

        # D0 is looked up with signs: -1 to 0 is its second half, drawn at the left. FR is unsigned.
        data = (self.machine() + reg(0x1D0, 2) + b''.join(
            reg(0x1C5, table << 8) + burst(0x1C8, *[0] * 128 + [0xFFF] * 128, consecutive=0) for table in (0, 3)) +
                reg(0x228, 0) + DRAW_ARRAYS + FINALIZE)
        capture(self.dir / 's.ctf', *run(LIST, data))
        self.pica('dump', '--draw', '0', '--luts', '-o', 'out', 's.ctf')
        for name, left, right in ('D0', 25, 183), ('FR', 183, 25):
            signed = read_png((self.dir / f'out/lut-light-{name}.png').read_bytes())[2]
            for x, y in (30, left), (270, left), (290, right), (530, right):
                self.assertEqual(signed[3 * (width * y + x):][:3], rgb(0xFFB030, 1), (name, x, y))
        width, height, px = read_png((self.dir / 'out/lut-proctex-color.png').read_bytes())
        for x, y, color in (24, 30, 0xFF0000), (279, 30, 0xFF0000), (280, 30, 0x00FF00), (279, 70, 0xFFFFFF), (280, 70, 0x808080):
            self.assertEqual(px[3 * (width * y + x):][:3], rgb(color, 1), (x, y))

        capture(self.dir / 'b.ctf', *run(LIST, self.machine() + reg(0x228, 0) + DRAW_ARRAYS + FINALIZE))
        self.assertEqual(self.pica('dump', '--draw', '0', '--luts', '-o', 'none', 'b.ctf'), '')
        self.assertIn('its tables are empty', self.err)
        self.pica('dump', '--draw', '0', '-o', 'all', 'b.ctf')
        self.assertNotIn('tables', self.err)

    def test_surfaces(self):
        data = self.machine(width=16, height=8, color=0, depth=3) + reg(0x228, 0) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', fill(self.COLOR, 16 * 8 * 4, 0x102030FF, 2), fill(self.DEPTH, 16 * 4 * 4, 0x05000010, 2),
                fill(self.DEPTH + 16 * 4 * 4, 16 * 4 * 4, 0x25000020, 2), *run(LIST, data))
        out = self.pica('dump', '--draw', '0', '--surfaces', '-o', 'out', 'a.ctf').splitlines()
        self.assertEqual(out[3:], ['out/color.png 16x8 RGBA8 0x18000000',
                                   'out/depth.png 16x8 0x10 (black) to 0x20 (white)',
                                   'out/stencil.png 16x8 0x5 (black) to 0x25 (white)'])
        self.assertEqual(read_png((self.dir / 'out/color.png').read_bytes()), (16, 8, rgb(0x102030, 128)))
        half = bytes(24) + bytes((255,)) * 24  # the second 8x8 block is white
        self.assertEqual(read_png((self.dir / 'out/depth.png').read_bytes()), (16, 8, half * 8))
        self.assertEqual(read_png((self.dir / 'out/stencil.png').read_bytes()), (16, 8, half * 8))

    def test_surface_of_a_screen_is_turned_upright(self):
        # Memory row 0 is the left column of the screen, memory column 0 its bottom.
        data = self.machine(width=240, height=8, color=0) + reg(0x228, 0) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', fill(self.COLOR, 240 * 8 * 4, 0x000000FF, 2), fill(self.COLOR, 64 * 4, 0x112233FF, 2),
                *run(LIST, data))
        self.pica('dump', '--draw', '0', '--surfaces', '-o', 'out', 'a.ctf')
        self.assertEqual(read_png((self.dir / 'out/color.png').read_bytes()),
                         (8, 240, rgb(0, 8 * 232) + rgb(0x112233, 64)))

    def test_surface_in_blocks_of_32(self):
        # Block (0,1) of 8x8 is the third one in memory [fidelity: framebuffer].
        data = self.machine(width=32, height=32, color=0) + reg(0x11B, 1) + reg(0x228, 0) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', fill(self.COLOR + 2 * 256, 256, 0x112233FF, 2), *run(LIST, data))
        self.pica('dump', '--draw', '0', '--surfaces', '-o', 'out', 'a.ctf')
        px = read_png((self.dir / 'out/color.png').read_bytes())[2]
        self.assertEqual([y for y in range(32) if px[96 * y:96 * y + 3] == rgb(0x112233, 1)], list(range(8, 16)))

    def test_before_and_after(self):
        self.pica('dump', '--draw', '0', '--surfaces', '-o', 'first', WALL)
        self.pica('dump', '--draw', '1', '--surfaces', '-o', 'second', WALL)
        self.assertEqual(self.bytes('first/color.png'), self.bytes('second/before-color.png'))
        self.assertNotEqual(self.bytes('first/before-color.png'), self.bytes('first/color.png'))

    def test_all_files_and_their_names_in_json(self):
        report = json.loads(self.pica('dump', '--json', '--draw', '2', '-o', 'out', CUBE))
        names = ['color.png', 'depth.png', 'stencil.png']
        self.assertEqual(self.files(), sorted(f'out/{n}' for n in (
            'tex0.png', 'tex0-1.png', 'tex0-2.png', 'tex0-3.png', 'vertices.csv', 'input.obj', 'output.obj', 'state.txt',
            'shader.v.pica', *names, *(f'before-{n}' for n in names))))
        self.assertEqual(sorted(row['path'] for row in report['files']), self.files())
        self.assertEqual(self.pica('dump', '--draw', '2', CUBE), (self.dir / 'out/state.txt').read_text())

    def test_nothing_but_vertices_and_surfaces_depends_on_how_it_is_drawn(self):
        first = self.pica('dump', '--draw', '2', '--vertices', '--threads', '0', '--isa', 'c', KNOT)
        self.assertEqual(self.pica('dump', '--draw', '2', '--vertices', '--threads', '2', KNOT), first)
        self.assertNotEqual(self.pica('dump', '--draw', '2', '--vertices', '--float', 'f32', KNOT), first)

    def test_several_captures(self):
        vc4 = BUNDLED / 'vc4-d50.pica'
        for args in [], ['--frame', '0', '--list']:
            one, other, chip = (self.pica('dump', *args, path) for path in (CUBE, KNOT, vc4))
            self.assertEqual(self.pica('dump', *args, CUBE, KNOT, 'missing.pica', vc4, code=2),
                             f'{CUBE}:\n{one}\n{KNOT}:\n{other}\n\n{vc4}:\n{chip}')
        reports = json.loads(self.pica('dump', '--json', CUBE, 'missing.pica', vc4, code=2))['captures']
        self.assertEqual(reports[0], json.loads(self.pica('dump', '--json', CUBE)))
        self.assertEqual((reports[1]['path'], len(reports[1]['errors'])), ('missing.pica', 1))
        self.assertEqual(reports[2], json.loads(self.pica('dump', '--json', vc4)))

    def test_the_pixel_of_several_captures(self):
        paths = CUBE, BUNDLED / 'vc4-mesh.pica'
        each = [self.pica('pixel', path, '200,120') for path in paths]
        self.assertEqual(self.pica('pixel', *paths, '200,120'), '\n'.join(each))
        reports = json.loads(self.pica('pixel', '--json', CUBE, 'missing.pica', '200,120', code=2))['captures']
        self.assertEqual(reports[0], json.loads(self.pica('pixel', '--json', CUBE, '200,120')))
        self.assertEqual((reports[1]['path'], len(reports[1]['errors'])), ('missing.pica', 1))
        color = reports[0]['color'][1:7]
        self.pica('assert-pixel', '--color', color, CUBE, CUBE, '200,120')
        self.assertEqual(self.pica('assert-pixel', '--color', color, *paths, '200,120', code=1), each[1])

    def test_wrong_use(self):
        self.pica('dump', '--draw', '0', '-o', 'out', CUBE, KNOT, code=2)
        self.assertIn('-o: expected one capture\n', self.err)
        for args in (['--draw', '0', '--textures'], ['--draw', '0', '--luts'], ['--draw', '0', '--surfaces'], ['-o', 'out'], ['--vertices'],
                     ['--draw', '0', '--vertices', '--json'], ['--draw', '1', '--since', '0', '-o', 'out']):
            self.assertEqual(self.pica('dump', *args, CUBE, code=2), '', args)
        self.pica('dump', '--draw', '0', '-o', 'no/such/folder', CUBE, code=2)
        self.assertIn('no/such/folder: No such file', self.err)
        self.assertEqual(self.files(), [])


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
