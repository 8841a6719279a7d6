#!/usr/bin/env python3
"""The verbs on captures of the VideoCore IV: test_vc4.py PROGRAM CAPTURES VC4_JOB [unittest arguments]

Each rule of lint has a job that breaks it and a similar one that does not; the job that both are made from breaks none.
"""
import json
import pathlib
import subprocess
import sys
import unittest

from test_cli import Case

BUNDLED = pathlib.Path(sys.argv[2]).resolve().parent.parent / 'captures'
VC4_JOB = sys.argv[3]

# A triangle in NV mode, 64x64 pixels.
JOB = '''at 0x00100000
binning
TILE_BINNING_MODE ADDRESS=0x00120000 SIZE=0x1000 STATE_ADDRESS=0x00130000 COLUMNS=1 ROWS=1 INITIALIZE=1
START_TILE_BINNING
CLIP_WINDOW WIDTH=64 HEIGHT=64
CONFIGURATION_BITS DRAW_FRONT=1 DRAW_BACK=1 DEPTH_FUNCTION=always
NV_SHADER_STATE ADDRESS=0x00104000
ARRAY_PRIMITIVES MODE=triangles COUNT=3
INCREMENT_SEMAPHORE
FLUSH
at 0x00102000
rendering
CLEAR_VALUES COLOR=0xFF102030 COLOR_ODD=0xFF102030 Z=0xFFFFFF
TILE_RENDERING_MODE ADDRESS=0x00140000 WIDTH=64 HEIGHT=64 FORMAT=rgba8888
TILE_COORDINATES
STORE_GENERAL
WAIT_ON_SEMAPHORE
TILE_COORDINATES
BRANCH_TO_SUB_LIST ADDRESS=0x00120000
STORE_RESOLVED_LAST
at 0x00104000
NV_SHADER_RECORD SINGLE=1 STRIDE=12 CODE=0x00105000 UNIFORMS=0x00106000 VERTICES=0x00107000
at 0x00105000
PROGRAM
at 0x00107000
bytes 00 00 00 00 00 00 00 3F 00 00 80 3F 00 04 00 00 00 00 00 3F 00 00 80 3F 00 00 00 04 00 00 00 3F 00 00 80 3F
at 0x00108000
bytes 00 01 02 03
'''
SOURCE = '''ldi tlbc, 0xff00ff00
nop; nop; thrend
nop
nop; nop; sbdone
'''
DRAW = 'ARRAY_PRIMITIVES MODE=triangles COUNT=3'
INDEXED = 'INDEXED_PRIMITIVES MODE=triangles INDEX=u8 COUNT=3 ADDRESS=0x0010800'
BINNING = 'TILE_BINNING_MODE ADDRESS=0x00120000 SIZE=0x1000 STATE_ADDRESS=0x00130000 COLUMNS=1 ROWS=1 INITIALIZE=1'
BRANCH = 'BRANCH_TO_SUB_LIST ADDRESS=0x00120000'
# A rule, and a replacement in the job that breaks it; the second, similar replacement does not.
RULES = [
    ('vc4-record', (DRAW, 'bytes 09'), (DRAW, 'NOP\nMARKER\n' + DRAW)),
    ('vc4-value', (DRAW, 'bytes 21 07 03 00 00 00 00 00 00 00'), (DRAW, DRAW.replace('triangles', 'triangle-fan'))),
    ('vc4-value', ('FLUSH', 'FLUSH\nTILE_COORDINATES'), ('FLUSH', 'FLUSH\nNOP')),
    ('vc4-unbuilt', ('NV_SHADER_STATE', 'VG_SHADER_STATE ADDRESS=0x00104000\nNV_SHADER_STATE'),
     ('NV_SHADER_STATE', 'POINT_SIZE SIZE=2\nNV_SHADER_STATE')),
    ('vc4-memory', ('NV_SHADER_STATE ADDRESS=0x00104000', 'NV_SHADER_STATE ADDRESS=0x00200000'),
     ('NV_SHADER_STATE ADDRESS=0x00104000', 'NV_SHADER_STATE ADDRESS=0xC0104000')),
    ('vc4-memory', (DRAW, INDEXED.replace('0x0010800', '0x001FFFFE') + ' MAX_INDEX=2'),
     (DRAW, INDEXED + '0 MAX_INDEX=2')),
    ('vc4-endless', ('START_TILE_BINNING', 'START_TILE_BINNING\nBRANCH ADDRESS=0x00100010'),
     ('START_TILE_BINNING', 'START_TILE_BINNING\nBRANCH ADDRESS=0x00100016')),
    ('vc4-no-binning', (BINNING, 'NOP'),
     ('TILE_BINNING_MODE ', 'START_TILE_BINNING\nTILE_BINNING_MODE ')),
    ('vc4-no-shader', ('NV_SHADER_STATE ADDRESS=0x00104000', 'NOP'), ('NV_SHADER_STATE', 'NOP\nNV_SHADER_STATE')),
    ('vc4-no-start', ('START_TILE_BINNING', 'NOP'), ('START_TILE_BINNING', 'START_TILE_BINNING\nSTART_TILE_BINNING')),
    ('vc4-no-flush', ('INCREMENT_SEMAPHORE\nFLUSH', 'NOP'), ('FLUSH', 'FLUSH_ALL_STATE')),
    ('vc4-semaphore', ('INCREMENT_SEMAPHORE', 'NOP'), ('WAIT_ON_SEMAPHORE', 'NOP')),
    ('vc4-no-end', ('STORE_RESOLVED_LAST', 'STORE_RESOLVED'),
     ('STORE_RESOLVED_LAST', 'STORE_GENERAL BUFFER=color ADDRESS=0x00140000 LAST=1')),
    ('vc4-allocation', ('SIZE=0x1000', 'SIZE=0x1F'), ('SIZE=0x1000', 'SIZE=0x20')),
    ('vc4-samples', ('INITIALIZE=1', 'INITIALIZE=1 MULTISAMPLE=1'), ('INITIALIZE=1', 'INITIALIZE=1 LATER_BLOCK=128')),
    ('vc4-tile', ('TILE_COORDINATES\n' + BRANCH, 'TILE_COORDINATES COLUMN=1\n' + BRANCH), ('NOP', 'NOP')),
    ('vc4-first-tile', ('TILE_COORDINATES\nSTORE_GENERAL\n', ''),
     ('TILE_COORDINATES\nSTORE_GENERAL\n', 'LOAD_GENERAL BUFFER=color ADDRESS=0x00140000\n')),
    ('vc4-aligned', ('CODE=0x00105000', 'CODE=0x00105004'), ('CODE=0x00105000', 'CODE=0x80105000')),
    ('vc4-aligned', ('SINGLE=1 STRIDE=12', 'SINGLE=1 CLIP_HEADER=1 STRIDE=28'),
     ('VERTICES=0x00107000', 'VERTICES=0x00107004')),
    ('vc4-array', ('VERTICES=0x00107000', 'VERTICES=0x001FFFE0'), ('VERTICES=0x00107000', 'VERTICES=0x001FFFDC')),
    ('vc4-index', (DRAW, INDEXED + '1 MAX_INDEX=2'), (DRAW, INDEXED + '0 MAX_INDEX=2')),
    ('vc4-no-faces', ('DRAW_FRONT=1 DRAW_BACK=1', ''), ('DRAW_FRONT=1 DRAW_BACK=1', 'DRAW_BACK=1')),
]
EXTRA = {  # what such a job breaks besides
    'INCREMENT_SEMAPHORE\nFLUSH': ('WAIT_ON_SEMAPHORE', 'NOP'),
    'SINGLE=1 STRIDE=12': ('VERTICES=0x00107000', 'VERTICES=0x00107004'),
}


class VideoCore(Case):
    def job(self, name, *changes):
        (self.dir / 'source.s').write_text(SOURCE)
        self.pica('shader', '--chip', 'vc4', 'asm', 'source.s', '-o', 'source.qpu')
        program = (self.dir / 'source.qpu').read_bytes()
        text = JOB.replace('PROGRAM', 'bytes ' + program.hex(' '))
        for old, new in changes:
            self.assertIn(old, text + 'NOP')
            text = text.replace(old, new)
        subprocess.run([VC4_JOB, self.dir / name], input=text, text=True, check=True)

    def rules(self, name, code):
        report = json.loads(self.pica('lint', '--json', name, code=code))
        return [row['rule'] for row in report['captures'][0]['findings']]

    def test_rules(self):
        self.job('good.pica')
        self.assertEqual(self.rules('good.pica', 0), [])
        for rule, bad, good in RULES:
            with self.subTest(rule=rule, change=bad):
                self.job('bad.pica', bad, *([EXTRA[bad[0]]] if bad[0] in EXTRA else []))
                self.assertEqual(self.rules('bad.pica', 6), [rule])
                self.job('near.pica', good)
                self.assertEqual(self.rules('near.pica', 0), [])

    def test_all_rules_have_a_job(self):
        named = {line.split(':')[0] for line in self.pica('lint', '--rules').splitlines() if line.startswith('vc4-')}
        self.assertEqual({rule for rule, *_ in RULES}, named)

    def test_place_of_a_finding(self):
        self.job('bad.pica', (DRAW, INDEXED + '1 MAX_INDEX=2'))
        row = json.loads(self.pica('lint', '--json', 'bad.pica', code=6))['captures'][0]['findings'][0]
        self.assertEqual((row['list'], row['draw'], row['addr'], row['detail']),
                         (0, 0, '0x00100023', 'index 3, MAX_INDEX 2'))

    def test_bundled_captures_break_no_rule(self):
        paths = sorted(BUNDLED.glob('vc4-*.pica'))
        self.assertGreater(len(paths), 7)
        for path in paths:
            with self.subTest(path.name):
                self.assertEqual(self.pica('lint', path), f'{path}: clean\n')

    def test_info(self):
        self.job('a.pica')
        report = json.loads(self.pica('info', '--json', 'a.pica'))
        self.assertEqual({key: report[key] for key in ('chip', 'frames', 'jobs', 'records', 'draws', 'vertices',
                                                       'primitives', 'bins', 'failed')},
                         {'chip': 'vc4', 'frames': 1, 'jobs': 1, 'records': 16, 'draws': 1, 'vertices': 3,
                          'primitives': 1, 'bins': 1, 'failed': []})
        self.assertEqual(report['windows'], [{'addr': '0x00100000', 'bytes': 1 << 20}])
        used = report['used']
        self.assertEqual(used['targets'], {'64x64 rgba8888 raster': 1})
        self.assertEqual(used['shaders'], {'NV': 1})
        self.assertEqual(used['primitives'], {'triangles': 1})
        self.assertEqual(used['records']['TILE_COORDINATES'], 2)
        self.assertEqual(sum(used['records'].values()), 16)
        text = self.pica('info', 'a.pica')
        self.assertIn('VideoCore IV', text)
        self.assertIn('64x64 rgba8888 raster (1)', text)

    def test_info_of_lists_that_cannot_be_read(self):
        self.job('a.pica', (DRAW, 'bytes 09'))
        text = self.pica('info', 'a.pica', code=3)
        self.assertIn('frame 0, job 0: binning list: offset 0x23 (no record): not a record', text)

    def test_dump(self):
        self.job('a.pica')
        lines = self.pica('dump', 'a.pica').splitlines()
        self.assertEqual(lines[1:4], [
            'binning list',
            '  0x00100000 +0x000000 TILE_BINNING_MODE ADDRESS=0x00120000 SIZE=0x1000 STATE_ADDRESS=0x00130000 '
            'COLUMNS=1 ROWS=1 INITIALIZE=1 FIRST_BLOCK=32 LATER_BLOCK=32',
            '  0x00100010 +0x000010 START_TILE_BINNING'])
        self.assertEqual(lines[6:9], [
            '  0x0010001e +0x00001e NV_SHADER_STATE ADDRESS=0x00104000',
            '  0x00104000           NV_SHADER_RECORD SINGLE=1 STRIDE=12 N_UNIFORMS=0 VARYINGS=0 CODE=0x00105000 '
            'UNIFORMS=0x00106000 VERTICES=0x00107000',
            '  0x00100023 +0x000023 ARRAY_PRIMITIVES MODE=triangles COUNT=3 FIRST=0'])
        self.assertIn('rendering list', lines)
        report = json.loads(self.pica('dump', '--json', 'a.pica'))
        records = report['jobs'][0]['records']
        self.assertEqual([r['name'] for r in records if r.get('list') == 'rendering'][-1], 'STORE_RESOLVED_LAST')
        self.assertEqual(len(records), 17)

    def test_dump_of_programs_can_be_assembled(self):
        self.job('a.pica')
        text = self.pica('dump', '--shaders', 'a.pica')
        self.assertNotIn('START_TILE_BINNING', text)
        self.assertEqual(text.splitlines()[1], '# fragment program at 0x00105000')
        (self.dir / 'again.s').write_text(text)
        self.pica('shader', '--chip', 'vc4', 'asm', 'again.s', '-o', 'again.qpu')
        self.assertEqual((self.dir / 'again.qpu').read_bytes(), (self.dir / 'source.qpu').read_bytes())

    def test_dump_refuses_options_of_the_other_chip(self):
        self.job('a.pica')
        for args in (['--draw', '0'], ['--group', 'raster']):
            self.assertEqual(self.pica('dump', *args, 'a.pica', code=2), '')

    def draws(self, *args):
        return json.loads(self.pica('draws', '--json', *args))['captures'][0]['rows']

    def test_draws(self):
        # As many pixels as the console drew; one of d53 may be covered by some samples only. A program of 11 instructions.
        row, = self.draws(BUNDLED / 'vc4-d50.pica')
        self.assertEqual({key: row[key] for key in ('frame', 'job', 'draw', 'mode', 'shader', 'varyings')},
                         {'frame': 0, 'job': 0, 'draw': 0, 'mode': 'triangles', 'shader': 'NV', 'varyings': 3})
        self.assertEqual((row['cost']['vertices'], row['cost']['drawn_triangles'], row['cost']['fragments']), (3, 1, 80000))
        self.assertEqual(row['cost']['steps'] % 11, 0)
        self.assertGreaterEqual(row['cost']['steps'], 11 * 80000 // 16)
        row, = self.draws('--isa', 'c', BUNDLED / 'vc4-d53.pica')
        self.assertEqual(row['cost']['fragments'], 79202 + 99 + 697 + 102)

    def test_vertex_programs_run_where_a_tile_has_a_triangle(self):
        cost = self.draws(BUNDLED / 'vc4-d51.pica')[0]['cost']
        self.assertEqual((cost['vertices'], cost['completed_vertices']), (3, 3))
        for row in self.draws('--isa', 'c', BUNDLED / 'vc4-mesh.pica'):  # half of each ring faces away
            self.assertLess(row['cost']['completed_vertices'], 49 * 21)
            self.assertGreater(row['cost']['completed_vertices'], 49 * 21 // 3)

    def test_draws_alone(self):
        # The second of equal draws, which a test of Z would hide, has the first one's cost; half a tile of 64x64, with
        # the pixels whose centres lie on its right edge.
        self.job('a.pica', (DRAW, DRAW + '\n' + DRAW), ('DEPTH_FUNCTION=always', 'DEPTH_FUNCTION=lt UPDATE_Z=1'))
        first, second = self.draws('a.pica')
        self.assertEqual((first['draw'], second['draw']), (0, 1))
        self.assertEqual(first['cost'], second['cost'])
        self.assertEqual(first['cost']['fragments'], 64 * 65 // 2)
        self.assertEqual(self.pica('draws', '--sort', 'vertices', '--frames', '0', 'a.pica').count('triangles'), 2)

    def test_captures_of_the_other_chip(self):
        self.job('a.pica')
        for args in (['draws', '--depends'], ['draws', '--sort', 'bytes'],
                     ['shader', 'trace', '--draw', '0'], ['render', '--overdraw', '-o', 'a']):
            with self.subTest(args):
                self.assertEqual(self.pica(*args, 'a.pica', code=2), '')
        self.assertEqual(self.pica('convert', '--lossy', 'a.pica', 'a.ctf', code=2), '')
        self.assertFalse((self.dir / 'a.ctf').exists())

    def test_trace_of_the_articles_programs(self):
        # Rows of vertices: Xc, Yc; Xs and Ys. All others are 1.
        vertices = [('0x3acd1ed9', '0xbf5dcba0', '0x02001400'), ('0xbf665c25', '0x3f5edd43', '0x1c000200'),
                    ('0x3f672944', '0x3f5edd43', '0x1c002600')]
        one = '0x3f800000'
        for vertex, (x, y, place) in enumerate(vertices):
            report = json.loads(self.pica('shader', 'trace', '--json', '--draw', '0', '--vertex', str(vertex),
                                          BUNDLED / 'vc4-seed-gl.pica'))
            coordinate, program = report['programs']
            self.assertEqual(coordinate['outputs'], {'Xc': x, 'Yc': y, 'Zc': one, 'Wc': one, 'Xs, Ys': place, 'Zs': one, '1/Wc': one})
            self.assertEqual(program['outputs'], {'Xs, Ys': place, 'Zs': one, '1/Wc': one})
            self.assertEqual((len(coordinate['steps']), len(program['steps'])), (24, 16))
            self.assertEqual(program['steps'][5], {'address': '0x0010b028', 'text': 'or ra0, vpm, -', 'add': place, 'mul': None,
                                                   'r4': None, 'flags': '---'})
        text = self.pica('shader', 'trace', '--draw', '0', BUNDLED / 'vc4-seed-gl.pica')
        self.assertIn('  Xs, Ys     02001400 (320, 32)\n', text)
        for args in (['--draw', '1'], ['--draw', '0', '--vertex', '3'], ['--draw', '0', '--frame', '1']):
            self.assertEqual(self.pica('shader', 'trace', *args, BUNDLED / 'vc4-seed-gl.pica', code=2), '')

    def test_a_service_draws(self):
        expected = self.pica('render', '--format', 'hash', '--frames', 'all', *sorted(BUNDLED.glob('vc4-*.pica')))
        self.assertGreater(len(expected.splitlines()), 25)
        self.assertEqual(self.pica('render', '--connect=builtin:1', '--format', 'hash', '--frames', 'all',
                                   *sorted(BUNDLED.glob('vc4-*.pica'))), expected)

    def test_pictures_after_draws(self):
        mesh = BUNDLED / 'vc4-mesh.pica'
        frames = self.pica('render', '--frames', 'all', '--format', 'hash', mesh).split('\n')[:-1]
        rows = [row.split() for row in
                self.pica('render', '--every-draw', '--frames', 'all', '--format', 'hash', mesh).splitlines()]
        self.assertEqual([row[1:3] for row in rows], [[f, f'd000{i}'] for f in '01' for i in range(3)])
        self.assertEqual(len({row[4] for row in rows}), 6)
        # After the last draw the picture is the frame's, and the frame's is as without looking.
        self.assertEqual([row[4] for row in rows[2::3]], [frame.split()[4] for frame in frames])
        report, = json.loads(self.pica('render', '--every-draw', '--frames', '1', '--json', '--verify', '-o', 'x/',
                                       mesh))['captures']
        draws = [row for row in json.loads(self.pica('draws', '--json', mesh))['captures'][0]['rows'] if row['frame'] == 1]
        self.assertEqual([(p['draw'], p['kind'], p['addr']) for p in report['pictures']],
                         [(row['draw'], row['mode'], row['record']) for row in draws])
        self.assertEqual(report['verified'], 1)
        self.pica('render', '--contact-sheet', '-o', 'sheet.ppm', mesh)
        self.assertEqual(self.bytes('sheet.ppm').split()[1:3], [b'512', b'164'])  # three of 160x120
        self.pica('render', '--cost', '-o', 'x/', mesh, code=2)
        self.assertIn('heat maps and surfaces are of a PICA200', self.err)
        self.pica('render', '--screen', 'top', '-o', 'y.png', mesh, code=2)
        self.assertIn('--screen: the picture of a vc4 is on no screen: expected a capture of a PICA200', self.err)

    def test_trim_leaves_out_targets_that_are_stored_again(self):
        for name, most in ('vc4-mesh', 1.1), ('vc4-samples', 1.3), ('vc4-load', 50):  # the last one loads its target
            source = BUNDLED / f'{name}.pica'
            self.pica('trim', '--frames', '1-last', source, 'a.pica')
            self.assertLess(len(self.bytes('a.pica')), most * source.stat().st_size, name)
            self.assertRegex(self.pica('render', '--verify', '--format', 'none', 'a.pica'), r'^a: [12] pictures? as expected\n$')

    def test_video_of_pictures(self):
        self.pica('render', '--format', 'y4m', '-o', 'v.y4m', '--frames', 'all', BUNDLED / 'vc4-mesh.pica')
        head, _, rest = self.bytes('v.y4m').partition(b'\n')
        self.assertIn(b' W640 H480 ', head)
        self.assertEqual(len(rest), 2 * (6 + 3 * 640 * 480))
        self.pica('render', '--format', 'y4m', '-o', 'w.y4m', BUNDLED / 'vc4-mesh.pica', BUNDLED / 'cube.pica', code=2)
        self.assertIn('expected a picture of 640x480 as before in the video, not of 400x480', self.err)
        self.assertFalse((self.dir / 'w.y4m').exists())

    def test_diff(self):
        self.job('a.pica')
        self.job('b.pica', ('COLOR=0xFF102030 COLOR_ODD', 'COLOR=0xFF102031 COLOR_ODD'))
        self.assertEqual(self.pica('diff', 'a.pica', 'a.pica'), 'no difference\n')
        self.assertEqual(self.pica('diff', '--a', 'isa=c', 'a.pica'), 'no difference\n')
        text = self.pica('diff', 'a.pica', 'b.pica', code=1)
        self.assertIn('frame 0 is the first that differs, screen picture: ', text)
        self.assertIn(' by 1 at most, ', text)
        self.assertEqual(self.pica('diff', '--tolerance', '1', 'a.pica', 'b.pica'), 'no difference\n')
        report = json.loads(self.pica('diff', '--json', 'a.pica', 'b.pica', code=1))
        self.assertEqual((report['first']['screen'], report['first']['max']), ('picture', 1))
        self.assertEqual(self.pica('diff', 'a.pica', BUNDLED / 'triangle.pica', code=2), '')
        self.assertEqual(self.pica('diff', '--every-draw', 'a.pica', 'b.pica', code=2), '')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
