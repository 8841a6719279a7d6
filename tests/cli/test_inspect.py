#!/usr/bin/env python3
"""Pages of `pica inspect`: test_inspect.py PROGRAM CAPTURES [unittest arguments]"""
import base64
import json
import pathlib
import random
import re
import struct
import sys
import unittest
import zlib

from sample import EVERY
from test_cli import BUNDLED, CAPTURES, Case
from test_dump import DRAW_ARRAYS, FINALIZE, LIST, capture, reg, run
from test_lint import TRIANGLE


class Page:
    """The page's decoding of the data, implemented again."""

    def __init__(self, text):
        self.text = text
        packed = re.search(r'<script id="data" type="text/plain">([A-Za-z0-9+/=]*)</script>', text)[1]
        data = zlib.decompress(base64.b64decode(packed))
        length, = struct.unpack_from('<I', data)
        self.json, self.planes = json.loads(data[4:4 + length]), data[4 + length:]
        self.surfaces, self.steps, self.frames = (self.json[k] for k in ('surfaces', 'steps', 'frames'))

    def difference(self, change, x, y):
        """(fragments, those kept, what they changed in R, G, B, A) of a pixel in the change's rectangle."""
        left, top, w, h = change['rect']
        s, k, n = self.surfaces[change['surface']], (y - top) * w + x - left, w * h
        at = s['at'] + y * s['width'] + x
        rgba = ([v ^ self.planes[at + c * s['width'] * s['height']] for c, v in enumerate(change['color'])] if 'color' in change
                else [self.planes[change['at'] + (2 + c) * n + k] for c in range(4)])
        return self.planes[change['at'] + k], self.planes[change['at'] + n + k], rgba

    def touches(self, surface, x, y, end):
        """[(step, entered, passed, colour after)]"""
        s = self.surfaces[surface]
        n = s['width'] * s['height']
        color = [self.planes[s['at'] + c * n + y * s['width'] + x] for c in range(4)]
        out = []
        for i, step in enumerate(self.steps[:end]):
            for change in step['changes']:
                left, top, w, h = change['rect']
                if change['surface'] != surface or not (left <= x < left + w and top <= y < top + h):
                    continue
                entered, passed, rgba = self.difference(change, x, y)
                color = [a ^ b for a, b in zip(color, rgba)]
                if entered or any(rgba):
                    out.append((i, entered, passed, color))
        return out

    def color(self, surface, x, y, end):
        s = self.surfaces[surface]
        n = s['width'] * s['height']
        start = [self.planes[s['at'] + c * n + y * s['width'] + x] for c in range(4)]
        return ([t[3] for t in self.touches(surface, x, y, end)] or [start])[-1]

    def last_writer(self, surface, x, y, end):
        kept = [t for t in self.touches(surface, x, y, end) if t[2] and self.steps[t[0]].get('writes_color', True)]
        return self.steps[kept[-1][0]] if kept else None

    def screen(self, frame, name):
        return next(s for s in self.frames[frame]['screens'] if s['screen'] == name)

    def screen_rgb(self, frame, s, x, y, source):
        """A screen's pixel, stored as the difference from the surface's pixel at the frame's end."""
        n, i = s['width'] * s['height'], y * s['width'] + x
        under = self.color(*source[:3], self.frames[frame]['end']) if source else [0, 0, 0]
        return [self.planes[s['at'] + c * n + i] ^ under[c] for c in range(3)]

    def screen_sources(self, s):
        """(surface, x, y, end) of each pixel, or None."""
        n, place, width, out = s['width'] * s['height'], 0, 1, []
        planes = [self.planes[s['at'] + k * n:s['at'] + (k + 1) * n] for k in range(12)]
        words = lambda first: (a | b << 8 | c << 16 | d << 24 for a, b, c, d in zip(*planes[first:first + 4]))
        for surface, end, step in zip(planes[3], words(4), words(8)):
            if surface:
                place = (place + step) & 0xFFFFFFFF
                width = self.surfaces[surface - 1]['width']
            out.append((surface - 1, place % width, place // width, end) if surface else None)
        return out


class Written(Case):
    pages = {}

    def page(self, *args):
        """Of a bundled capture, the page is made once."""
        if args not in self.pages:
            self.pica('inspect', '-o', 'page.html', *args)
            text = (self.dir / 'page.html').read_text()
            if not pathlib.Path(args[-1]).is_absolute():
                return Page(text)
            self.pages[args] = text
        return Page(self.pages[args])

    def test_last_writers_are_those_of_pica_pixel(self):
        rnd = random.Random(1)
        for name in ('crates', 'mirror', 'stereo', 'sprites', 'immediate', 'smoke')[::1 if EVERY == 1 else 5]:
            path, found = BUNDLED / f'{name}.pica', 0
            page = self.page(path)
            frame = page.frames[-1]
            for screen in frame['screens']:
                sources = page.screen_sources(screen)
                for _ in range(40 if EVERY == 1 else 2):
                    x, y = rnd.randrange(screen['width']), rnd.randrange(screen['height'])
                    args = '--screen', screen['screen'], '--frame', frame['frame']
                    found += self.compare_pixel_at(path, args, x, y, page, sources[y * screen['width'] + x])
            self.assertGreater(found, 1, name)

    def compare_pixel_at(self, path, args, x, y, page, source):
        answer = json.loads(self.pica('pixel', '--json', *args, path, f'{x},{y}'))
        writer, ours = answer['last_writer'], page.last_writer(*source) if source else None
        if writer is None or writer['frame'] < page.frames[0]['frame']:
            self.assertIsNone(ours, (path, args, x, y, answer))
            return 0
        self.assertIsNotNone(ours, (path, args, x, y, answer))
        self.assertEqual((ours['frame'], ours['kind'], ours.get('draw')), (writer['frame'], writer['kind'], writer['draw']),
                         (path, args, x, y))
        return 1

    def test_fragments_of_a_pixel_are_those_of_pica_pixel(self):
        """For each draw: how many fragments cover the pixel of a surface, how many are kept, and the resulting colour."""
        rnd = random.Random(2)
        for path in (BUNDLED / 'crates.pica', BUNDLED / 'materials.pica', CAPTURES / 'st_overdraw.ctf')[::1 if EVERY == 1 else 2]:
            page = self.page(path)
            for surface, s in list(enumerate(page.surfaces))[-2:]:
                for _ in range(20 if EVERY == 1 else 2):
                    x, y = rnd.randrange(s['width']), rnd.randrange(s['height'])
                    at = f'{s["height"] - 1 - y},{x}' if s['turned'] else f'{x},{y}'
                    answer = json.loads(self.pica('pixel', '--json', '--frame', page.frames[-1]['frame'], '--surface',
                                                  f'{s["addr"]},{s["format"]},{s["memory_width"]}x{s["memory_height"]}', path, at))
                    want = {}
                    for e in answer['entries']:
                        # Those after the rasteriser's tests are fragments.
                        if e['kind'] == 'draw' and 'fragment' in e and e['frame'] == page.frames[-1]['frame']:
                            n = want.setdefault(e['draw'], [0, 0])
                            n[0] += 1
                            n[1] += e['verdict'] in ('kept', 'overwritten', 'masked')
                    touches = page.touches(surface, x, y, len(page.steps))
                    got = {page.steps[i]['draw']: [entered, passed] for i, entered, passed, _ in touches
                           if page.steps[i]['kind'] == 'draw'}
                    self.assertEqual(got, want, (path, s['addr'], at))
                    if touches:
                        self.assertEqual('#' + bytes(touches[-1][3]).hex().upper(), answer['color'])

    def test_screens_are_those_of_pica_render(self):
        page = self.page('--frames', 'all', BUNDLED / 'crates.pica')
        self.assertEqual([f['frame'] for f in page.frames], [0, 1, 2])
        self.pica('render', '--format', 'ppm', '--frames', '1', '-o', '{screen}.ppm', BUNDLED / 'crates.pica')
        for name in 'top', 'bottom':
            s = page.screen(1, name)
            width, height = s['width'], s['height']
            rgb = self.bytes(f'{name}.ppm')[-3 * width * height:]
            sources = page.screen_sources(s)
            for i in range(0, width * height, 997):
                got = page.screen_rgb(1, s, i % width, i // width, sources[i])
                self.assertEqual(got, list(rgb[3 * i:3 * i + 3]), (name, i % width, i // width))

    def test_captures_of_the_videocore(self):
        """Pictures after each draw are those of the pixels' histories; those of the frames are those of pica render."""
        rnd, seen = random.Random(3), 0
        for name in ('vc4-mesh', 'vc4-mesa-to-texture', 'vc4-mesa-formats', 'vc4-load', 'vc4-samples')[::1 if EVERY == 1 else 2]:
            path = BUNDLED / f'{name}.pica'
            page = self.page('--frames', 'all', path)
            self.assertEqual(page.json['chip'], 'vc4')
            self.pica('render', '--format', 'ppm', '--frames', 'all', '-o', f'{name}/{{frame}}.ppm', path)
            for number, frame in enumerate(page.frames):
                screen, = frame['screens']
                width, height, sources = screen['width'], screen['height'], page.screen_sources(screen)
                rgb = self.bytes(f'{name}/{number}.ppm')[-3 * width * height:]
                for i in rnd.sample(range(width * height), 60):
                    self.assertEqual(page.screen_rgb(number, screen, i % width, i // width, sources[i]), list(rgb[3 * i:3 * i + 3]), (name, i))
                for i in rnd.sample(range(width * height), 12 if EVERY == 1 else 3):
                    seen += self.compare_history(path, page, frame, sources[i])
        self.assertGreater(seen, 2)

    def compare_history(self, path, page, frame, source):
        surface, x, y, _ = source
        answer, after, events = json.loads(self.pica('pixel', '--json', '--frame', frame['frame'], path, f'{x},{y}')), {}, set()
        for e in answer['entries']:
            if e['kind'] in ('clear', 'tile-load', 'draw') and e['frame'] == frame['frame']:
                after[e.get('draw')] = list(bytes.fromhex(e['after'][2:]))[::-1]
                events.add(e['event'])
        for index in range(frame['first'], frame['end']):
            step = page.steps[index]
            if step.get('draw') in after and step['event'] in events:
                self.assertEqual(page.color(surface, x, y, index + 1), after[step.get('draw')], (path, index, x, y))
        return len(after) > 1

    def test_state_is_that_of_pica_dump(self):
        path = BUNDLED / 'crates.pica'
        page = self.page(path)
        for draw in 0, 40:
            want = json.loads(self.pica('dump', '--json', '--draw', draw, path))['state']
            got, uniforms = {}, {}
            for step in page.steps:
                for number, word, addr, *_ in step.get('registers', []):
                    self.assertTrue(addr is not None or got.get(page.json['registers'][str(number)][0], 0) != word)
                    got[page.json['registers'][str(number)][0]] = word
                for number, *values in step.get('uniforms', []):
                    uniforms[str(number)] = values
                if step.get('draw') == draw:
                    break
            self.assertEqual({k: v for k, v in got.items() if v},
                             {k: r['value'] for k, r in want['registers'].items() if r['value']})
            uniforms = {k: v for k, v in uniforms.items() if any(v)}
            self.assertEqual(uniforms.keys(), want['vsh']['floats'].keys())
            for number, values in want['vsh']['floats'].items():
                for a, b in zip(uniforms[number], values):
                    self.assertAlmostEqual(a, b, delta=1e-6 * max(1, abs(b)))

    def test_a_register_has_the_word_that_set_it(self):
        data = reg(0x11D, 0x18000000 >> 3) + reg(0x11E, 7 << 12 | 8) + reg(0x228, 3) + DRAW_ARRAYS + FINALIZE
        capture(self.dir / 'a.ctf', *run(LIST, data))
        step = next(s for s in self.page('a.ctf').steps if s['kind'] == 'draw')
        # An entry is its value, then its header.
        self.assertEqual({r[0]: r[2] for r in step['registers'] if r[2]}, {0x11D: LIST, 0x11E: LIST + 8, 0x228: LIST + 16})
        # The load that brought the words.
        events = json.loads(self.pica('dump', '--json', '--list', 'a.ctf'))['events']
        load = next(e for e in events if e['kind'] == 'load' and int(e['addr'], 16) == LIST)
        self.assertEqual([r[3:] for r in step['registers'] if r[2]], [[load['offset'], load['event'], n] for n in (0, 8, 16)])

    def test_pages_are_small_and_alone(self):
        for path in sorted(BUNDLED.glob('[!v]*.pica')) + [CAPTURES / 'st_manytri.ctf'] if EVERY == 1 else [BUNDLED / 'lamps.pica']:
            text = self.page(path).text
            self.assertLess(len(text), 2_000_000, path)
            self.assertNotRegex(text, r'(src|href)=|https?:|@import|url\(|^import |^export ')

    def test_names_are_data(self):
        evil = self.dir / '<script>alert(1)</script>.pica'.replace('/', '_')
        evil.write_bytes((BUNDLED / 'triangle.pica').read_bytes())
        page = self.page(evil)
        text = page.text
        self.assertNotIn('alert', text)
        self.assertIn('alert', page.json['name'])

    def test_the_same_page_with_workers_and_kernels(self):
        args = 'inspect', BUNDLED / 'triangle.pica', '-o'
        self.pica(*args, 'a.html')
        self.pica(*args, 'b.html', '--threads', 2, '--isa', 'c')
        self.assertEqual(self.bytes('a.html'), self.bytes('b.html'))

    def test_a_list_that_does_not_end(self):
        capture(self.dir / 'a.ctf', TRIANGLE, *run(LIST, reg(0x238, 4) + reg(0x23A, LIST >> 3) + reg(0x23C, 1)))
        self.pica('inspect', '-o', 'page.html', 'a.ctf', code=3)
        self.assertEqual(len(re.findall('less work in one list', self.err)), 1)
        self.assertEqual(len(Page((self.dir / 'page.html').read_text()).frames), 1)

    def test_errors_leave_no_page(self):
        (self.dir / 'bad.pica').write_bytes((BUNDLED / 'triangle.pica').read_bytes()[:300])
        for args, code, message in ((['-o', 'p.html', 'bad.pica'], 3, 'bad.pica'), (['-o', 'p.html', 'none.pica'], 2, 'none.pica'),
                                    (['-o', 'p.html', '--stdio', BUNDLED / 'cube.pica'], 2, '-o: '),
                                    (['-o', 'p.html', '--frames', '9', BUNDLED / 'cube.pica'], 2, 'frame 9'),
                                    (['-o', 'no/p.html', BUNDLED / 'cube.pica'], 2, 'no/p.html')):
            self.pica('inspect', *args, code=code)
            self.assertIn(message, self.err)
        self.assertEqual(self.files(), ['bad.pica'])


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
