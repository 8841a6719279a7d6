#!/usr/bin/env python3
"""Runs the built `pica minimise`: test_minimise.py PROGRAM CAPTURES MANY_DRAWS"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from sample import EVERY

PICA, CAPTURES, MANY = (os.path.abspath(path) for path in sys.argv[1:4])
BUNDLED = pathlib.Path(CAPTURES).parent.parent / 'captures'
DRAWS = 1000 if EVERY == 1 else 30
WRONG = '174,4' # in square 17: 10x9 pixels each


class Minimise(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='pica-minimise')
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def pica(self, *args, code=0):
        p = subprocess.run([PICA, *map(str, args)], capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(p.returncode, code, p.stderr)
        self.err = p.stderr
        return p.stdout

    def left(self, *args):
        """The remaining jobs, draws, pages and entries."""
        text = self.pica('minimise', *args)
        return [int(n) for n in re.match(r'(\d+) of \d+ jobs, (\d+) of \d+ draws, (\d+) of \d+ pieces of memory, (\d+) of \d+ ',
                                         text).groups()]

    def draws(self, capture):
        return [row for row in json.loads(self.pica('draws', '--json', capture))['captures'][0]['rows'] if row['kind'] == 'draw']

    def test_one_wrong_draw(self):
        subprocess.run([MANY, 'many.pica', str(DRAWS)], check=True, cwd=self.dir)
        self.assertEqual(len(self.draws('many.pica')), DRAWS)
        self.pica('assert-pixel', 'many.pica', WRONG, '--color', 'FF0000', '--draw', '17')
        jobs, draws, pages, entries = self.left('--until', f'pixel:{WRONG}:FF0000', 'many.pica', 'a.pica')
        self.assertEqual(draws, 1)
        # The list, its transfer, their data, and the end of the frame; the registers that one draw needs.
        self.assertLess(jobs, 10)
        self.assertLess(entries, 40)
        self.assertEqual(len(self.draws('a.pica')), 1)
        self.pica('assert-pixel', 'a.pica', WRONG, '--color', 'FF0000', '--draw', '0')
        self.assertLess((self.dir / 'a.pica').stat().st_size, 12 << 10)
        # No part of it can be left out.
        self.assertEqual(self.left('--until', f'pixel:{WRONG}:FF0000', 'a.pica', 'b.pica')[:2], [jobs, draws])

    @unittest.skipUnless(EVERY == 1, 'in the suite long')
    def test_conditions(self):
        cube = BUNDLED / 'cube.pica'
        text = self.pica('render', '--format', 'hash', BUNDLED / 'triangle.pica')
        shown = re.search('[0-9a-f]{32}', text)[0]
        jobs = self.left('--until', f'hash:{shown}', BUNDLED / 'triangle.pica', 'a.pica')[0]
        self.assertIn(shown, self.pica('render', '--format', 'hash', 'a.pica'))
        self.assertGreater(jobs, 2)
        rule = json.loads(self.pica('lint', '--json', 'a.pica', code=6))['captures'][0]['findings'][0]['rule']
        self.left('--until', f'finding:{rule}', 'a.pica', 'e.pica')
        self.assertIn(f'[{rule}]', self.pica('lint', 'e.pica', code=6))
        # Any other colour than that of the background: one draw is left of 57.
        self.assertLessEqual(self.left('--until', 'pixel:200,120:!d8b88f', cube, 'b.pica')[1], 1)
        # Of three frames the first one with two fills, which a command finds.
        self.left('--until', 'command:test $(' + PICA + ' dump {} | grep -c " fill ") -ge 2', cube, 'c.pica')
        self.assertEqual(len(re.findall(' fill ', self.pica('dump', 'c.pica'))), 2)
        self.assertIn('\nframes           1 (', self.pica('info', 'c.pica'))
        # Captures of a VideoCore IV have only jobs and pages.
        self.left('--until', 'pixel:320,240:!000000', BUNDLED / 'vc4-seed-gl.pica', 'd.pica')
        self.pica('info', 'd.pica')

    def test_refused_arguments(self):
        cube = BUNDLED / 'cube.pica'
        for args, error in (
                ((cube, 'a.pica'), 'expected --until'), (('--until', 'x', cube, 'a.pica'), 'expected pixel:X,Y:RRGGBB'),
                (('--until', 'pixel:1:0', cube, 'a.pica'), 'pixel:200,120:ff8000'), (('--until', 'finding:x', cube, 'a.pica'), '--rules'),
                (('--until', 'hash:12', cube, 'a.pica'), '32 hexadecimal'), (('--until', 'command:true', cube, 'a.pica'), '{}'),
                (('--until', 'crash', '-', 'a.pica'), 'expected a file'), (('--until', 'crash', cube, 'a.ctf'), 'ends in .pica'),
                (('--until', 'crash', cube, cube), 'the capture itself')):
            self.pica('minimise', *args, code=2)
            self.assertIn(error, self.err)
        for condition in 'crash', 'pixel:200,120:123456', 'command:false {}', 'finding:jump-loop':
            self.pica('minimise', '--until', condition, cube, 'a.pica', code=1)
            self.assertIn('the condition does not hold', self.err)
        (self.dir / 'bad.pica').write_bytes(cube.read_bytes()[:999])
        self.pica('minimise', '--until', 'pixel:1,1:000000', 'bad.pica', 'a.pica', code=3)
        self.assertFalse((self.dir / 'a.pica').exists())

    def test_a_test_that_does_not_end(self):
        self.pica('minimise', '--timeout', '1', '--until', 'command:sleep 60; : {}', BUNDLED / 'cube.pica', 'a.pica', code=1)

    def test_interrupted_run_writes_its_results(self):
        p = subprocess.Popen([PICA, 'minimise', '--until', 'command:sleep 0.3; : {}', BUNDLED / 'window.pica', 'a.pica'],
                             stdout=subprocess.PIPE, text=True, cwd=self.dir, start_new_session=True)
        try:
            p.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGINT)
        self.assertIn(' jobs, ', p.communicate()[0])
        self.assertEqual(p.returncode, 0)
        self.pica('verify', 'a.pica')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
