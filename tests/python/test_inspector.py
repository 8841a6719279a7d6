#!/usr/bin/env python3
"""pica.Inspector: test_inspector.py PROGRAM CAPTURES CLI http|no-http (PYTHONPATH, PICA_LIBRARY, PICA_PROGRAM are set)

Its answers are those of the server, and of the page that is written.
"""
import inspect
import pathlib
import re
import subprocess
import sys
import unittest

import pica

sys.path.insert(0, sys.argv[3])
# pylint: disable=wrong-import-position
from served import Served
from test_cli import BUNDLED, Case
from test_inspect import Page

ROOT = pathlib.Path(sys.argv[3]).resolve().parent.parent
CRATES, MIRROR = BUNDLED / 'crates.pica', BUNDLED / 'mirror.pica'
QUESTIONS = [('capture', {}), ('frames', {'count': 2}), ('steps', {'frame': 1, 'count': 9}), ('state', {'draw': 3}), ('pixel', {'x': 200, 'y': 150, 'steps': True}),
             ('surface', {'address': '0x18000000', 'format': 'RGBA8', 'width': 240, 'height': 400, 'draw': 5, 'kind': 'difference'}),
             ('screen', {'screen': 'bottom'}), ('thumbnails', {'first': 4, 'count': 2}), ('shader_trace', {'draw': 2, 'vertex': 1}), ('textures', {'draw': 1}),
             ('mesh', {'draw': 2, 'count': 20}), ('memory', {'address': 0x18000000, 'bytes': 64, 'draw': 1}), ('draws', {}), ('lint', {}),
             ('difference', {}), ('edits', {}), ('edit', {'draw': 2, 'register': 'TEXENV0_COLOR', 'value': 1}), ('undo', {'all': True})]


class Inspectors(Case):
    @unittest.skipUnless(sys.argv[4] == 'http', 'built without libmicrohttpd')
    def test_answers_are_the_servers(self):
        with Served(MIRROR) as server, pica.Inspector(MIRROR) as inspector:
            for method, params in QUESTIONS:
                self.assertEqual(getattr(inspector, method)(**params), server.call(method, **params), method)

    def test_answers_are_those_of_the_written_page(self):
        self.pica('inspect', '-o', 'page.html', CRATES)
        page = Page((self.dir / 'page.html').read_text())
        with pica.Inspector(CRATES) as inspector:
            screen = page.screen(0, 'top')
            sources = page.screen_sources(screen)
            for x, y in (200, 120), (50, 60), (300, 200), (399, 239):
                at = y * screen['width'] + x
                answer = inspector.pixel(x, y)
                rgb = page.screen_rgb(0, screen, x, y, sources[at])
                self.assertEqual(answer['color'], '#' + bytes(rgb).hex().upper() + 'FF')
                if not sources[at]:
                    continue
                writer, ours = answer['last_writer'], page.last_writer(*sources[at])
                self.assertEqual((writer['frame'], writer['event'], writer['draw']), (ours['frame'], ours['event'], ours.get('draw')))
            # All that touched a pixel lies in steps of these numbers.
            steps = {(s['frame'], s['event'], s.get('draw')): s['kind'] for s in page.steps}
            for entry in inspector.pixel(200, 120)['entries']:
                if entry['frame'] == page.frames[0]['frame']:
                    self.assertEqual(steps[entry['frame'], entry['event'], entry.get('draw')], entry['kind'])
            for draw in 0, 50:
                state = inspector.state(draw=draw)
                step = next(s for s in page.steps if s.get('draw') == draw)
                self.assertEqual(state['vsh_source'], page.json['programs'][step['program']])

    def test_every_method_is_a_call(self):
        with pica.Inspector(CRATES) as inspector:
            with self.assertRaises(pica.InspectError) as caught:
                inspector.call('nothing')
            self.assertEqual(caught.exception.code, -32601)
            methods = {name for name, _ in inspect.getmembers(pica.Inspector, inspect.isfunction) if name[0] != '_'} - {'call', 'close'}
            self.assertEqual(methods, set(str(caught.exception).split(': ')[1].split()))
            self.assertEqual(methods, {method for method, _ in QUESTIONS})
        table = (ROOT / 'docs/inspect.md').read_text().split('# Calls')[1].split('| `kind` of')[0]
        self.assertEqual(set(re.findall(r'^\| `(\w+)` \|', table, re.M)), methods)

    def test_the_example_of_the_readme(self):
        part = re.search(r'To ask about draws .*?\n\n((?:    [^\n]*\n|\n)+)', (ROOT / 'README.md').read_text(), re.S)[1]
        code = '\n'.join(line[4:] for line in part.splitlines())
        run = subprocess.run([sys.executable, '-c', code], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
        self.assertEqual(run.stdout, "15 {'RGB': 'replace', 'ALPHA': 'replace'}\n")

    def test_two_captures(self):
        with pica.Capture(MIRROR) as mirror, pica.Inspector(CRATES, mirror) as inspector:
            self.assertEqual([inspector.call('capture', side=side)['name'] for side in 'ab'], ['crates', 'mirror'])
            self.assertTrue(inspector.difference()['differs'])

    def test_errors(self):
        with pica.Capture(CRATES) as capture, pica.Inspector(capture) as inspector:
            with self.assertRaisesRegex(pica.InspectError, 'frame 2 has no draw 999'):
                inspector.state(draw=999)
            with self.assertRaisesRegex(pica.InspectError, 'pixel: z: there is no such parameter'):
                inspector.pixel(1, 1, z=1)
            self.assertEqual(inspector.capture()['frames'], capture.frames)
        with self.assertRaisesRegex(ValueError, 'closed'):
            inspector.lint()
        with self.assertRaisesRegex(OSError, 'none.pica'):
            pica.Inspector('none.pica')
        with pica.Inspector(BUNDLED / 'vc4-grid.pica') as inspector:
            self.assertEqual(inspector.pixel(320, 240)['color'], inspector.pixel(320, 240, steps=True)['color'])
            self.assertEqual([s['kind'] for s in inspector.steps()['steps']], ['job', 'draw'])
            with self.assertRaisesRegex(pica.InspectError, 'state: expected a capture of a PICA200'):
                inspector.state(draw=0)
        with self.assertRaisesRegex(ValueError, 'a file'):
            pica.Inspector(pica.Capture(data=CRATES.read_bytes()))


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
