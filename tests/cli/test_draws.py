#!/usr/bin/env python3
"""Pictures of draws, `pica render --every-draw` and so on: test_draws.py PROGRAM CAPTURES [unittest arguments]"""
import json
import math
import pathlib
import sys
import unittest

from sample import EVERY
from test_cli import CAPTURES, Case, FRAME, read_png, register, rgb
import test_dump
import test_lint
from test_cli import BUNDLED, fill, solid_screen, write
from test_dump import CUBE, DRAW_ARRAYS, FINALIZE, LIST, TRIANGLE, WALL, capture, reg, run

OVERDRAW = str(CAPTURES / 'st_overdraw.ctf')


class EveryDraw(Case):
    def test_a_picture_after_each_draw(self):
        out = self.pica('render', '--every-draw', CUBE)
        n = json.loads(self.pica('info', '--json', CUBE))['per_frame'][-1]['draws']
        self.assertEqual(self.files(), [f'cube-d{i:04}.png' for i in range(n)])
        self.assertEqual(len(out.splitlines()), n)
        for draw in 0, 5, n - 1:
            self.pica('dump', '--draw', draw, '--surfaces', '-o', 'dump', CUBE)
            self.assertEqual(self.bytes(f'cube-d{draw:04}.png'), self.bytes('dump/color.png'))

    def test_the_last_writer_is_on_the_screen(self):
        self.pica('render', '--every-draw', '--screen', 'top', WALL, code=2)
        self.pica('render', '--every-draw', WALL)
        self.pica('render', '--screen', 'top', '-o', 'top.png', WALL)
        tops = [f for f in self.files() if '-d' in f and self.bytes(f)[16:20] == (400).to_bytes(4, 'big')]
        self.assertEqual(read_png(self.bytes(tops[-1])), read_png(self.bytes('top.png')))

    def test_names_and_frames(self):
        (self.dir / 'x').mkdir()
        self.pica('render', '--every-draw', '--frames', '0-1', '-o', 'x/{frame}/{draw:2}.png', TRIANGLE)
        self.assertEqual(self.files(), [f'x/{f}/{d:02}.png' for f in (0, 1) for d in range(6)])
        self.pica('render', '--every-draw', '--frames', '1', '-o', 'y/', TRIANGLE)
        self.assertEqual(self.bytes('y/triangle-f0001-d0003.png'), self.bytes('x/1/03.png'))

    def test_hashes_do_not_depend_on_how_it_is_drawn(self):
        args = 'render', '--every-draw', '--contact-sheet', '--overdraw', '--cost', '--format', 'hash', CUBE, TRIANGLE
        first = self.pica(*args, '--threads', '0', '--isa', 'c')
        self.assertRegex(first.splitlines()[0], r'^cube 2 d0000 left [0-9a-f]{32}$')
        self.assertEqual(self.pica(*args, '--threads', '3'), first)
        if EVERY < 10:  # slow with sanitizers
            self.assertEqual(self.pica(*args, '--threads', '2', '--isa', 'emul'), first)

    def test_json(self):
        report = json.loads(self.pica('render', '--every-draw', '--json', '--format', 'none', TRIANGLE))
        rows = report['captures'][0]['pictures']
        self.assertEqual([(r['draw'], r['kind'], r['screen']) for r in rows],
                         [(i, 'immediate' if i % 3 == 0 else 'arrays', f'd{i:04}') for i in range(6)])
        self.assertEqual(rows[0]['target'], {'addr': '0x18000000', 'format': 'RGBA8'})
        dump = json.loads(self.pica('dump', '--json', '--draw', '4', TRIANGLE))['state']
        self.assertEqual((rows[4]['offset'], rows[4]['addr']), (dump['offset'], dump['addr']))

    def test_target_outside_memory_is_noted(self):
        data = reg(0x11D, 0x40000000 >> 3) + reg(0x11E, 7 << 12 | 8) + reg(0x228, 3) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        self.assertEqual(self.pica('render', '--every-draw', 'a.ctf'), '')
        self.assertIn('frame 0 draw 0: no picture: its target does not lie in memory', self.err)
        self.pica('render', '--contact-sheet', 'a.ctf')
        self.assertIn('no sheet is written', self.err)
        self.assertEqual(self.files(), ['a.ctf'])

    def test_wrong_use(self):
        for args in (['--every-draw', '-o', 'x.png'], ['--every-draw', '--overdraw', '-o', '{draw}.png'],
                     ['--overdraw', '-o', '{draw}.png'], ['--overdraw', '--cost', '-o', 'x.png'],
                     ['--every-draw', '-o', '-'], ['--every-draw', '--surface', '0x18000000,rgba8,240x400'],
                     ['-o', '{draw}.png']):
            self.assertEqual(self.pica('render', *args, CUBE, code=2), '', args)
        self.assertEqual(self.files(), [])


class Sheet(Case):
    def test_small_pictures_in_rows(self):
        self.pica('render', '--contact-sheet', '--every-draw', CUBE)
        width, height, px = read_png(self.bytes('cube-sheet.png'))
        # 7 in a row of 1660 pixels: 200 and a margin of 8; three rows of 120, a line of 10 and the margin.
        self.assertEqual((width, height), (7 * 208 + 8, 3 * 138 + 18 + 8))
        _, _, big = read_png(self.bytes('cube-d0008.png'))  # 320x240, the second one in the second row
        for x, y in (0, 0), (63, 41), (159, 119):
            at = [big[3 * (320 * (2 * y + j) + 2 * x + i):][:3] for j in (0, 1) for i in (0, 1)]
            mean = bytes((sum(p[c] for p in at) + 2) // 4 for c in range(3))
            place = 3 * (width * (8 + 18 + 138 + y) + 8 + 208 + x)
            self.assertEqual(px[place:place + 3], mean, (x, y))

    def test_each_has_its_number_below(self):
        self.pica('render', '--contact-sheet', TRIANGLE)
        width, _, px = read_png(self.bytes('triangle-sheet.png'))
        paper = rgb(0x202020, 1)
        for i in range(6):
            line = [px[3 * (width * y + x):][:3] for y in range(8 + 18 + 122, 8 + 18 + 130)
                    for x in range(8 + 208 * i, 8 + 208 * i + 60)]
            self.assertLess(line.count(paper), len(line) - 20, i)


class Heat(Case):
    TOP, HOT = 26, (252, 255, 180)

    def heat(self, *args):
        report = json.loads(self.pica('render', '--json', '--format', 'none', *args))
        return [row['heat'] for row in report['captures'][0]['pictures']]

    def test_overdraw_of_a_capture_made_for_it(self):
        row, = self.heat('--overdraw', OVERDRAW)
        frame = json.loads(self.pica('info', '--json', OVERDRAW))['per_frame'][-1]
        self.assertEqual(row, {
            'kind': 'overdraw', 'target': {'addr': '0x18000000', 'width': 240, 'height': 400, 'format': 'RGBA8'},
            'entered': 768000, 'sum': 768000, 'pixels': 96000, 'mean': 8.0, 'median': 8, 'p90': 8, 'p99': 8, 'max': 8,
            'histogram': [[8, 96000]]})
        self.assertEqual(frame['fragments'], 768000)

    def quads(self, *rows):
        """Rectangles of a target of 240x320, in pixels: x, y from the bottom row of the window, width, height."""
        part, floats, data = test_dump.Files('machine'), [], b''
        for x, y, w, h in rows:
            for px, py in (x, y), (x + w, y), (x, y + h), (x, y + h), (x + w, y), (x + w, y + h):
                floats += [px / 120 - 1, py / 160 - 1, -0.5, 1]
        data = part.machine() + reg(0x107, 0x0F00) + reg(0x113, 15) + reg(0x100, 0x100) + reg(0x101, 0x01010000)
        for i in range(len(rows)):
            data += reg(0x228, 6) + reg(0x22A, 6 * i) + DRAW_ARRAYS
        capture(self.dir / 'a.ctf', part.floats(*floats), *run(LIST, data + FINALIZE))

    def test_overdraw_of_rectangles(self):
        self.quads((0, 0, 100, 50), (40, 10, 100, 100), (40, 10, 10, 10))
        row, = self.heat('--overdraw', 'a.ctf')
        # 100x50 and 100x100 share 60x40; of that 10x10 have a third one.
        self.assertEqual(row['histogram'], [[1, 5000 + 10000 - 2 * 2400], [2, 2400 - 100], [3, 100]])
        self.assertEqual((row['sum'], row['pixels'], row['max'], row['median']), (15100, 12600, 3, 1))
        self.assertEqual(row['mean'], round(15100 / 12600, 4))
        cost, = self.heat('--cost', 'a.ctf')
        self.assertEqual(cost['pixels'], 12600)
        steps = cost['sum'] // 15100  # all draws have one plan
        self.assertEqual((cost['sum'], cost['max'], cost['median']), (15100 * steps, 3 * steps, steps))
        self.assertNotIn('histogram', cost)

    def test_picture_and_legend(self):
        self.quads((0, 0, 100, 50), (40, 10, 100, 100), (40, 10, 10, 10))
        self.assertEqual(self.pica('render', '--overdraw', 'a.ctf'), 'a-overdraw-target0.png 320x332\n')
        width, height, px = read_png(self.bytes('a-overdraw-target0.png'))

        def color(x, y):
            return tuple(px[3 * (width * y + x):][:3])
        # Window x is the screen's y from below; window rows count from memory's last row, the screen's right side.
        def pixel(x, y):
            return color(319 - y, self.TOP + 239 - x)
        self.assertEqual(pixel(45, 15), self.HOT)
        self.assertEqual(pixel(200, 200), (0, 0, 0))
        one, two = pixel(5, 5), pixel(90, 45)
        self.assertEqual((pixel(130, 100), pixel(39, 15), pixel(50, 15)), (one, one, two))
        self.assertLess(sum(one), sum(two))
        # The ramp has four steps of 64 pixels: 0, 1, 2, 3.
        ramp = [color(16 + 64 * i + 5, self.TOP + 240 + 8 + 12 + 5) for i in range(4)]
        self.assertEqual(ramp, [(0, 0, 0), one, two, self.HOT])

    def ticks(self, name, legend):
        """Columns of the ramp that have a mark below them, of 256; legend: the maximum of the map."""
        width, _, px = read_png(self.bytes(name))
        row = self.TOP + legend + 8 + 12 + 12
        return [x for x in range(256) if tuple(px[3 * (width * row + 16 + x):][:3]) == (0xE0, 0xE0, 0xE0)]

    def test_each_band_has_its_number(self):
        self.quads(*[(0, 0, 10 * i + 10, 10) for i in range(5)])
        self.assertEqual(self.heat('--overdraw', 'a.ctf')[0]['max'], 5)
        self.pica('render', '--overdraw', 'a.ctf')
        ticks = self.ticks('a-overdraw-target0.png', 240)
        self.assertEqual([x * 6 // 256 for x in ticks], [0, 1, 2, 3, 4, 5])

    def test_a_few_hot_pixels_leave_the_others_visible(self):
        self.quads((0, 0, 200, 200), *[(0, 0, 2, 2)] * 119)
        self.pica('render', '--overdraw', 'a.ctf')
        width, _, px = read_png(self.bytes('a-overdraw-target0.png'))
        median = px[3 * (width * (self.TOP + 239 - 100) + 319 - 100):][:3]
        self.assertEqual(tuple(px[3 * (width * (self.TOP + 239) + 319):][:3]), self.HOT)
        self.assertGreater(sum(median), 75)  # linear: about 9
        # 0, 1, 3, 10, 30 and 120: even steps of a logarithm.
        ticks = self.ticks('a-overdraw-target0.png', 240)
        self.assertEqual(len(ticks), 6)
        for x, value in zip(ticks, (0, 1, 3, 10, 30, 120)):
            self.assertAlmostEqual(x, 255 * math.log(1 + value) / math.log(121), delta=2)

    def test_counts_begin_with_the_frame(self):
        first, last = (self.heat('--overdraw', '--frames', f, OVERDRAW) for f in ('0', '7'))
        self.assertEqual(first, last)

    def test_nothing_drawn(self):
        (self.dir / 'a.ctf').write_bytes(pathlib.Path(capture(self.dir / 'b.ctf', register(0x041, 0))).read_bytes())
        self.pica('render', '--cost', 'a.ctf')
        self.assertIn('nothing was drawn in frame 0', self.err)



class Draws(Case):
    """pica draws"""

    def rows(self, *args):
        return json.loads(self.pica('draws', '--json', *args))['captures'][0]['rows']

    def test_a_row_for_each_piece_of_work(self):
        rows = self.rows(CUBE)
        draws = [r for r in rows if r['kind'] == 'draw']
        info = json.loads(self.pica('info', '--json', CUBE))['per_frame']
        self.assertEqual([r['draw'] for r in draws], [d for f in info for d in range(f['draws'])])
        self.assertEqual(sum(r['cost']['vertices'] for r in draws if r['mode'] != 'immediate'),
                         sum(f['vertices'] for f in info))
        self.assertEqual({r['kind'] for r in rows}, {'load', 'fill', 'transfer', 'draw'})
        self.assertEqual([r['frame'] for r in rows], sorted(r['frame'] for r in rows))
        dump = json.loads(self.pica('dump', '--json', '--draw', '0:3', CUBE))['state']
        row = next(r for r in draws if (r['frame'], r['draw']) == (0, 3))
        self.assertEqual((row['target'], row['offset']), (dump['target'], dump['offset']))

    def test_counts_of_a_triangle(self):
        """(120, 200), (180, 200), (120, 300) in a target of 240x400; MOV, MOV, END."""
        capture(self.dir / 'a.ctf', test_lint.TRIANGLE, *run(LIST, test_lint.draw()))
        row, = (r for r in self.rows('a.ctf') if r['kind'] == 'draw')
        cost = row['cost']
        self.assertEqual((cost['vertices'], cost['shader_steps'], cost['triangles']), (3, 9, 1))
        # Pixel centres inside the slanted side, 5x + 3y = 300, excluding those on it.
        inside = sum(5 * (2 * x + 1) + 3 * (2 * y + 1) < 600 for x in range(60) for y in range(100))
        self.assertEqual(cost['fragments'], {'kept': inside, 'masked': 0, 'alpha': 0, 'stencil': 0, 'depth': 0})
        self.assertEqual(row['target']['color_addr'], '0x18000000')

    def test_the_same_on_each_machine(self):
        first = self.pica('draws', '--json', CUBE, '--isa', 'c')
        self.assertEqual(self.pica('draws', '--json', CUBE, '--threads', '2'), first)
        if EVERY < 10:
            self.assertEqual(self.pica('draws', '--json', CUBE, '--isa', 'emul', '--threads', '3'), first)

    def test_sorted_and_frames(self):
        everything = self.rows(CUBE)
        for key, value in (('steps', lambda r: r.get('cost', {}).get('shader_steps', 0)),
                           ('fragments', lambda r: sum(r.get('cost', {'fragments': {}})['fragments'].values())),
                           ('bytes', lambda r: r.get('size_bytes', 0))):
            self.assertEqual(self.rows(CUBE, '--sort', key), sorted(everything, key=value, reverse=True), key)
        self.assertEqual(self.rows(CUBE, '--frames', '1'), [r for r in everything if r['frame'] == 1])
        self.pica('draws', '--frames', '99', CUBE, code=2)
        self.assertIn('99', self.err)

    def test_text(self):
        out = self.pica('draws', TRIANGLE).splitlines()
        rows = self.rows(TRIANGLE)
        self.assertEqual(len(out), 1 + len(rows))
        for line, row in zip(out[1:], rows):
            words = line.split()
            self.assertEqual((int(words[0]), words[1]), (row['frame'], row['kind']))
            if row['kind'] == 'draw':
                self.assertEqual([int(w) for w in words[2:5]],
                                 [row['draw'], row['cost']['vertices'], row['cost']['shader_steps']])
                self.assertEqual([int(w) for w in words[5:10]], list(row['cost']['fragments'].values()))

    def test_the_first_finding(self):
        data = reg(0x11D, 0x40000000 >> 3) + reg(0x11E, 7 << 12 | 8) + reg(0x228, 3) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        lint = json.loads(self.pica('lint', '--json', 'a.ctf', code=6))['captures'][0]['findings']
        row, = (r for r in self.rows('a.ctf') if r['kind'] == 'draw')
        self.assertIn(row['finding'], lint)

    def test_a_job_that_fails(self):
        data = reg(0x238, 4) + reg(0x23A, LIST >> 3) + reg(0x23C, 1)  # a list that jumps to itself
        capture(self.dir / 'a.ctf', test_lint.TRIANGLE, *run(LIST, data))
        report = json.loads(self.pica('draws', '--json', 'a.ctf', CUBE, code=3))['captures']
        self.assertEqual([sorted(capture) for capture in report], [['path', 'rows']] * 2)
        self.assertIn('less work in one list', self.err)

    def test_several_captures(self):
        (self.dir / 'broken.pica').write_bytes(b'no capture')
        report = json.loads(self.pica('draws', '--json', 'broken.pica', TRIANGLE, code=3))
        self.assertEqual([c['path'] for c in report['captures']], ['broken.pica', TRIANGLE])
        self.assertIn('message', report['captures'][0])


class Depends(Case):
    def rows(self, *args):
        return json.loads(self.pica('draws', '--depends', '--json', *args))['captures'][0]['rows']

    def copy(self, source, to, size):
        return (write(0x10400C00, source >> 3) + write(0x10400C04, to >> 3) + write(0x10400C20, size) +
                write(0x10400C10, 8) + write(0x10400C18, 1))

    def test_pieces_by_hand(self):
        capture(self.dir / 'a.ctf', fill(0x18000000, 0x10000, 1, 2), fill(0x18004000, 0x4000, 2, 2),
                self.copy(0x18000000, 0x18020000, 0xC000), self.copy(0x18030000, 0x18040000, 0x1000), (0x20000000, bytes(64)),
                self.copy(0x1800C000, 0x18050000, 0x8000), solid_screen(0, 0x18100000, 5, 400))
        rows = self.rows('a.ctf')
        self.assertEqual([r['kind'] for r in rows], ['fill', 'fill', 'copy', 'copy', 'load', 'copy', 'fill'])
        self.assertEqual([r['number'] for r in rows], list(range(7)))
        # Row 1 lies in the middle of row 0; -2: nothing wrote it.
        self.assertEqual([[read['from'] for read in r['reads']] for r in rows], [[], [], [[0, 1]], [[-2]], [], [[-2, 0]], []])
        self.assertEqual([r['is_read'] for r in rows], [True, True, False, False, False, False, True])
        text = self.pica('draws', '--depends', 'a.ctf').splitlines()
        self.assertRegex(text[3], r'^ +2 +0 copy +-  0x18020000  source: 0, 1; never read$')
        self.assertRegex(text[4], r'source: nothing; never read$')

    def test_a_shadow_map_and_its_frames(self):
        rows = self.rows(BUNDLED / 'shadow.pica')
        answer = json.loads(self.pica('draws', '--depends', '--json', '--frames', 1, BUNDLED / 'shadow.pica'))['captures'][0]
        self.assertEqual(answer['first_rows'], [next(r['number'] for r in rows if r['frame'] == frame) for frame in range(3)])
        last = [r for r in rows if r['frame'] == 2]
        self.assertEqual(self.rows('--frames', 'last', BUNDLED / 'shadow.pica'), last)
        writers = {r['number']: r for r in rows}
        textured = [r for r in last if any(read['what'] == 'texture 0' for read in r['reads'])]
        maps = {n for r in textured for read in r['reads'] if read['what'] == 'texture 0' for n in read['from']
                if writers[n]['kind'] == 'draw'}
        # One row: the last draw into the map, before all draws that read it.
        self.assertEqual(len(maps), 1)
        shadow = writers[maps.pop()]
        self.assertLess(shadow['number'], min(r['number'] for r in textured))
        after = [r for r in last if r['kind'] == 'draw' and r['number'] > shadow['number']]
        self.assertNotIn(shadow['target']['color_addr'], [r['target']['color_addr'] for r in after])
        # A trimmed capture starts with the results of earlier rows.
        self.pica('trim', '--frames', '2', BUNDLED / 'shadow.pica', 'a.pica')
        trimmed = self.rows('a.pica')
        self.assertEqual(len(trimmed), len(last))
        first = last[0]['number']
        def moved(n):
            return n - first if n >= first else -1 if n != -2 else n
        for a, b in zip(last, trimmed):
            self.assertEqual([sorted({moved(n) for n in read['from']}) for read in a['reads']],
                             [read['from'] for read in b['reads']])


class Steps(Case):
    """pica shader trace"""
    def trace(self, *args):
        return json.loads(self.pica('shader', 'trace', '--json', *args))

    def rows(self, path):
        rows = json.loads(self.pica('draws', '--json', '--frames', 'last', path))['captures'][0]['rows']
        return [row for row in rows if row['kind'] == 'draw']

    def test_the_last_values_are_the_outputs(self):
        for path in (CUBE, TRIANGLE, OVERDRAW, *(CAPTURES / name for name in ('st_persp.ctf', 'st_light0.ctf'))):
            for row in self.rows(path)[:3]:
                trace = self.trace('--draw', row['draw'], '--vertex', min(2, row['cost']['vertices'] - 1), path)
                words = {}
                for step in trace['steps']:
                    if 'result' in step:
                        result = step['result']
                        register = words.setdefault(result['register'], ['0x00000000'] * 4)
                        for component in result['components']:
                            register['xyzw'.index(component)] = result['f32']['xyzw'.index(component)]
                for name, output in trace['outputs'].items():
                    self.assertEqual(words.get(name, ['0x00000000'] * 4), output['f32'], (path, row['draw'], name))

    def test_steps_are_those_that_are_counted(self):
        rows = self.rows(TRIANGLE)
        for row, vertices in (rows[2], 3), (rows[0], 4):  # a triangle, a strip
            self.assertEqual(row['cost']['vertices'], vertices)
            self.assertEqual(sum(len(self.trace('--draw', row['draw'], '--vertex', k, TRIANGLE)['steps'])
                                 for k in range(vertices)), row['cost']['shader_steps'])
            self.assertEqual(row['cost']['shader_steps'], 6 * vertices)

    def test_arithmetic(self):
        operations = {'mov': lambda a: a, 'dp4': lambda a, b: [sum(x * y for x, y in zip(a, b))] * 4,
                      'max': lambda a, b: [max(x, y) for x, y in zip(a, b)],
                      'min': lambda a, b: [min(x, y) for x, y in zip(a, b)]}
        seen = set()
        for step in self.trace('--draw', 0, '--vertex', 1, CUBE)['steps']:
            name = step['instruction'].split()[0]
            if name in operations:
                seen.add(name)
                want = operations[name](*(source['value'] for source in step['sources']))
                scale = max(abs(x) for source in step['sources'] for x in source['value']) ** 2
                for component in step['result']['components']:
                    k = 'xyzw'.index(component)
                    self.assertAlmostEqual(step['result']['value'][k], want[k], delta=2 ** -14 * max(1, scale))
        self.assertEqual(seen, set(operations))
        # The first of them: row (1 0 0 0) of a matrix, by a vertex with x = 60: f24 of 60 = 1.875 * 2^5 is 44E000.
        first = self.trace('--draw', 0, '--vertex', 1, CUBE)['steps'][0]
        self.assertEqual((first['instruction'], first['result']['f24'][0], first['result']['f32'][0]),
                         ('dp4 r0.x, c4, v0', '0x44E000', '0x42700000'))

    def test_text(self):
        text = self.pica('shader', 'trace', '--draw', 0, '--vertex', 1, CUBE)
        self.assertIn('\n000    dp4 r0.x, c4, v0\n       c4     1 0 0 0\n', text)
        self.assertIn('       = r0.x 60 (f24 44E000, f32 42700000)\n', text)
        self.assertEqual(self.pica('shader', 'trace', '--draw', 0, '--vertex', 1, '--isa', 'c', '--threads', 2, CUBE), text)

    def test_a_vertex_that_is_written_into_a_list(self):
        path = pathlib.Path(CUBE).parent / 'immediate.pica'
        row = next(row for row in self.rows(path) if row['mode'] == 'immediate')
        trace = self.trace('--draw', row['draw'], '--vertex', row['cost']['vertices'] - 1, path)
        self.assertEqual(trace['steps'][-1]['instruction'], 'end')

    def test_geometry_program(self):
        galaxy = pathlib.Path(CUBE).parent / 'galaxy.pica'
        self.pica('dump', '--draw', '2:0', '--vertices', '-o', 'dump', galaxy)
        head, *rows = (line.split(',') for line in self.bytes('dump/geometry.csv').decode().splitlines())
        corners = [[float(row[head.index(name)]) for name in ('pos.x', 'pos.y', 'pos.z', 'pos.w')] for row in rows]
        for primitive in 0, 5, 101:
            trace = self.trace('--draw', 0, '--primitive', primitive, galaxy)
            first = trace['first_primitive']
            self.assertEqual((trace['run'], first, trace['primitives']), (primitive // 2, primitive // 2 * 2, 2))
            self.assertEqual(self.trace('--draw', 0, '--run', trace['run'], galaxy), trace)
            self.assertEqual((len(trace['steps']), trace['instructions']), (60, 60))
            slots, made = {}, []  # each point becomes two triangles, the second with swapped corners
            for emit in trace['emits']:
                self.assertEqual(trace['steps'][emit['step']]['instruction'], 'emit')
                slots[emit['vertex']] = emit['outputs']['o0']['value']
                if emit['is_last']:
                    made.append([slots[i] for i in ((1, 0, 2) if emit['is_inverted'] else (0, 1, 2))])
            for got, want in zip(sum(made, []), corners[3 * first:3 * first + 6], strict=True):
                for a, b in zip(got, want, strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-8)
        text = self.pica('shader', 'trace', '--draw', 0, '--run', 2, galaxy)
        self.assertIn('\nrun 2 of the geometry program: 60 instructions; emits primitives 4 to 5\n', text)
        self.assertIn('\n       = vertex 2, of a primitive\n       o0     -0.368083954 ', text)
        self.assertEqual(self.pica('shader', 'trace', '--draw', 0, '--run', 2, '--isa', 'c', '--threads', 2, galaxy), text)
        for args, message in ((('--run', 1500, galaxy), 'has no run of its geometry program 1500'),
                              (('--primitive', 3000, galaxy), 'has no primitive 3000'),
                              (('--run', 0, CUBE), 'draw 0 has no geometry program'),
                              (('--run', 0, '--vertex', 0, galaxy), 'only one of --vertex, --primitive and --run')):
            self.pica('shader', 'trace', '--draw', 0, *args, code=2)
            self.assertIn(message, self.err)

    def test_missing_objects(self):
        for args, message in ((('--draw', 99, CUBE), 'frame 2 has no draw 99'),
                              (('--draw', 0, '--vertex', 4, CUBE), 'draw 0 has no vertex 4'),
                              (('--draw', 0, '--frame', 3, CUBE), 'frame 3 was asked for'),
                              ((CUBE,), 'expected --draw=N'),
                              (('--draw', 0, '--entry', 1, CUBE), '--entry')):
            self.pica('shader', 'trace', *args, code=2)
            self.assertIn(message, self.err)
        self.pica('shader', 'disasm', '--draw', 0, 'a.shbin', code=2)
        self.assertIn('of trace only', self.err)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
