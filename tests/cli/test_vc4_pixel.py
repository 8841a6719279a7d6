#!/usr/bin/env python3
"""Histories of pixels of the VideoCore IV: test_vc4_pixel.py PROGRAM CAPTURES VC4_JOB [unittest arguments]"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import unittest

from sample import sample
from test_cli import Case
from test_vc4 import DRAW, JOB

CAPTURES = pathlib.Path(sys.argv[2]).resolve()
VC4_JOB = sys.argv[3]
CONFIGURATION = 'CONFIGURATION_BITS DRAW_FRONT=1 DRAW_BACK=1 DEPTH_FUNCTION=always'


def vertices(z, corners=((0, 0), (1024, 0), (0, 1024))):
    return b''.join(struct.pack('<hhff', x, y, z, 1) for x, y in corners).hex(' ')


class Pixel(Case):
    def pixel(self, *args):
        return json.loads(self.pica('pixel', '--json', *args))

    def entries(self, *args, kind='draw'):
        return [e for e in self.pixel(*args)['entries'] if e['kind'] == kind]

    def assemble(self, source):
        (self.dir / 'source.s').write_text(source)
        self.pica('shader', '--chip', 'vc4', 'asm', 'source.s', '-o', 'source.qpu')
        return 'bytes ' + (self.dir / 'source.qpu').read_bytes().hex(' ')

    def program(self, color, before='', z='mov tlbz, rb15; nop\n', cond=''):
        return self.assemble(f'{before}{z}ldi tlbc{cond}, {color}\nnop; nop; thrend\nnop\nnop; nop; sbdone\n')

    def job(self, name, draws, first, clip=None):
        """Draws of a record each: texts before them, a program, vertices."""
        text, records, memory = '', '', ''
        for i, (state, program, points) in enumerate(draws):
            record, code, at = 0x104000 + 0x20 * i, 0x105000 + 0x400 * i, 0x107000 + 0x40 * i
            text += f'{state}\nNV_SHADER_STATE ADDRESS={record:#x}\n{DRAW}\n'
            records += f'at {record:#x}\nNV_SHADER_RECORD SINGLE=1 STRIDE=12 CODE={code:#x} UNIFORMS=0x106000 VERTICES={at:#x}\n'
            memory += f'at {code:#x}\n{program}\nat {at:#x}\nbytes {points}\n'
        head, rest = JOB.split('CONFIGURATION_BITS', 1)
        tail = rest[rest.index('INCREMENT_SEMAPHORE'):]
        tail = tail[:tail.index('at 0x00104000')]
        head = head.replace('CLIP_WINDOW WIDTH=64', f'CLIP_WINDOW WIDTH={clip or 64}')
        subprocess.run([VC4_JOB, self.dir / name], input=f'{head}{first}\n{text}{tail}{records}{memory}', text=True, check=True)

    def test_the_articles_triangle(self):
        for name in ('vc4-seed-gl', 'vc4-seed-nv'):
            with self.subTest(name):
                # White by program A, whose fourth of seven instructions writes the colour.
                report = self.pixel('--steps', CAPTURES / f'{name}.pica', '320,200')
                self.assertEqual(report['color'], '#FFFFFFFF')
                self.assertEqual(report['surface'], {'addr': f'0x{0x00120000 + 4 * (200 * 640 + 320):08X}', 'format': 'rgba8888'})
                self.assertEqual([e['kind'] for e in report['entries']], ['clear', 'draw', 'store'])
                clear, draw, store = report['entries']
                self.assertEqual((clear['after'], draw['before'], draw['after'], store['after']),
                                 ('0xFF00FFFF', '0xFF00FFFF', '0xFFFFFFFF', '0xFFFFFFFF'))
                self.assertEqual([e['verdict'] for e in report['entries']], ['overwritten', 'kept', 'kept'])
                self.assertEqual((draw['draw'], draw['primitive'], draw['vertices'], draw['x'], draw['row']), (0, 0, [0, 1, 2], 320, 200))
                # Corners (320, 32), (32, 448), (608, 448): the centre (320.5, 200.5) is (448 - 200.5) / 416 of the first one.
                weight = (448 - 200.5) / 416
                for got, want in zip(draw['barycentric'], (weight, (1 - weight - 0.5 / 288) / 2, (1 - weight + 0.5 / 288) / 2)):
                    self.assertAlmostEqual(got, want, delta=1e-5)
                fragment = draw['fragment']
                self.assertEqual((fragment['record'], fragment['list_offset']), ('0x00100028', 0x28))
                self.assertEqual((fragment['instructions'], fragment['z'], fragment['w'], fragment['varyings']), (7, 0xFFFFFF, 1, []))
                steps = fragment['steps']
                self.assertEqual([s['add'] for s in steps], [None] * 3 + ['0xffffffff'] + [None] * 3)
                self.assertEqual(steps[3]['text'], 'ldi tlbc, 0xffffffff')
                self.assertEqual(report['last_writer'], {'frame': 0, 'event': draw['event'], 'kind': 'draw', 'draw': 0, 'primitive': 0})
                # Outside it is the colour of the clear.
                report = self.pixel(CAPTURES / f'{name}.pica', '1,1')
                self.assertEqual((report['color'], report['last_writer']['kind'], report['last_writer']['draw']), ('#FFFF00FF', 'clear', None))
                self.assertEqual(self.entries(CAPTURES / f'{name}.pica', '1,1'), [])

    def test_depth_test(self):
        # Three draws after a clear to depth 1: at depth 0.5, then 0.75 (fails), then 0.25 (passes). Z is depth * (2^24 - 1), rounded.
        draws = [('', self.program(color), vertices(z)) for color, z in (('0xff0000ff', 0.5), ('0xff00ff00', 0.75), ('0xffff0000', 0.25))]
        less = 'CONFIGURATION_BITS DRAW_FRONT=1 DRAW_BACK=1 DEPTH_FUNCTION=lt UPDATE_Z=1'
        self.job('a.pica', draws, less)
        rows = self.entries('a.pica', '3,5')
        self.assertEqual([(e['draw'], e['verdict'], e['fragment']['z'], e['z_before'], e['z_after'], e['after']) for e in rows],
                         [(0, 'overwritten', 8388608, 0xFFFFFF, 8388608, '0xFF0000FF'),
                          (1, 'depth', 12582912, 8388608, 8388608, '0xFF0000FF'),
                          (2, 'kept', 4194304, 8388608, 4194304, '0xFFFF0000')])
        self.assertEqual(self.pixel('a.pica', '3,5')['color'], '#0000FFFF')
        self.assertEqual([e['fragment']['passed'] for e in rows], [1, 0, 1])
        # The same, whatever runs it.
        for args in (['--threads', '2'], ['--isa', 'c'], ['--isa', 'emul', '--threads', '3']):
            self.assertEqual(self.entries(*args, 'a.pica', '3,5'), rows)
        self.pica('assert-pixel', '--draw', '2', '--color', '0000FF', 'a.pica', '3,5')
        self.pica('assert-pixel', '--draw', '1', 'a.pica', '3,5', code=1)

    def test_why_primitives_are_not_seen(self):
        both = CONFIGURATION
        front, back = both.replace(' DRAW_BACK=1', ''), both.replace('DRAW_FRONT=1 ', '')
        white, other = self.program('0xffffffff'), ((0, 0), (0, 1024), (1024, 0))
        # Of two triangles of opposite directions one faces away, whichever way round.
        for state, verdicts in ((front, None), (back, None), (both, ['overwritten', 'kept'])):
            self.job('a.pica', [('', white, vertices(0.5)), ('', white, vertices(0.5, other))], state)
            got = [e['verdict'] for e in self.entries('a.pica', '3,5')]
            self.assertEqual(sorted(got), sorted(verdicts or ['culled', 'kept']))
            verdicts = verdicts or got
            if state == back:
                self.assertEqual(got, list(reversed(first)))
            first = got
        # A line without area through the pixel; the clip window; a program that writes no colour; one that discards.
        line = ((0, 0), (512, 512), (1024, 1024))
        self.job('a.pica', [('', white, vertices(0.5, line)), ('', white, vertices(0.5))], both, clip=16)
        self.assertEqual([e['verdict'] for e in self.entries('a.pica', '5,5')], ['degenerate', 'kept'])
        self.assertEqual([e['verdict'] for e in self.entries('a.pica', '20,5')], ['scissor'])
        blank = self.assemble('mov tlbz, rb15; nop\nnop; nop; thrend\nnop\nnop; nop; sbdone\n')
        never = self.program('0xffffffff', 'xor.setf -, r0, r0; nop\n', 'mov tlbz.zc, rb15; nop\n', '.zc')
        self.job('a.pica', [('', blank, vertices(0.5)), ('', never, vertices(0.5))], both)
        rows = self.entries('a.pica', '5,5')
        self.assertEqual([e['verdict'] for e in rows], ['masked', 'masked'])
        self.assertEqual(rows[0]['before'], rows[0]['after'])

    def test_programs_that_fail_or_do_not_end(self):
        endless = self.assemble('mov tlbz, rb15; nop\nbrr -, -32\nnop\nnop\nnop\n')
        self.job('a.pica', [('', endless, vertices(0.5))], CONFIGURATION)
        self.assertEqual(self.pica('pixel', '--steps', 'a.pica', '3,5', code=3), '')

    def test_pixels_are_those_of_the_picture(self):
        random.seed(18)
        for path in sample(CAPTURES.glob('vc4-*.pica')):
            self.pica('render', '--frames', 'last', '--format', 'raw', '-o', 'last.raw', path)
            raw = (self.dir / 'last.raw').read_bytes()
            target = json.loads(self.pica('draws', '--json', '--frames', 'last', path))['captures'][0]['rows'][-1]['target']
            for _ in range(3):
                x, y = random.randrange(target['width']), random.randrange(target['height'])
                with self.subTest(path.name, x=x, y=y):
                    report = self.pixel(path, f'{x},{y}')
                    at = 4 * (y * target['width'] + x)
                    self.assertEqual(bytes.fromhex(report['color'][1:]), raw[at:at + 4])
                    # In the buffer each entry begins as the one before has ended.
                    last = None
                    for e in report['entries']:
                        if e['kind'] not in ('clear', 'load') and last:
                            self.assertEqual(e['before'], last)
                        last = e['after']
                        if e['kind'] == 'draw' and e['fragment']['samples'] == 1 and e['verdict'] in ('kept', 'overwritten') and target['format'] == 'rgba8888':
                            self.assertEqual(int(e['after'], 16), int(e['fragment']['written'], 16))

    def test_errors(self):
        path = CAPTURES / 'vc4-seed-gl.pica'
        for args in (['--screen', 'top'], ['--surface', '0x120000,rgba8,640x480']):
            self.assertEqual(self.pica('pixel', *args, path, '1,1', code=2), '')
        self.assertEqual(self.pica('pixel', path, '640,1', code=2), '')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
