#!/usr/bin/env python3
"""The library of pica conform, and the verb itself: test_conformance.py PICA LIBRARY ROOT [Sets|Naive]

Sets: all instruction sets of this machine with 0 to 8 threads. Naive: the independent renderer, the program
$NAIVE_PICTURES, as a replayer of all cases. Python's standard library only.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PICA, LIBRARY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
HASH = re.compile(r'[0-9a-f]{32}')


def rows(path):
    """name -> [provenance, rule, size, hash]"""
    return {line.split()[0]: line.split()[1:] for line in path.read_text().splitlines() if not line.startswith('#')}


def conform(*args, code=0):
    run = subprocess.run([PICA, 'conform', *args], text=True, capture_output=True)
    assert run.returncode == code, f'{args}: exit {run.returncode}: {run.stdout[-2000:]}{run.stderr}'
    return run


def write_png(path, width, height, kind, lines):
    chunks = (b'IHDR', struct.pack('>IIBBBBB', width, height, 8, kind, 0, 0, 0)), (b'IDAT', zlib.compress(lines)), (b'IEND', b'')
    pathlib.Path(path).write_bytes(b'\x89PNG\r\n\x1a\n' + b''.join(
        struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data)) for name, data in chunks))


class Conformance(unittest.TestCase):
    def test_manifest_is_what_the_sources_make(self):
        manifest, made = rows(ROOT / 'conformance/manifest.txt'), rows(LIBRARY / 'rows.txt')
        self.assertEqual(list(manifest), list(made))
        for name, row in made.items():
            self.assertEqual(manifest[name][:3], row[:3], name)
            self.assertRegex(manifest[name][3], HASH, name)
            if row[3] != '-':
                self.assertEqual(manifest[name][3], row[3], f'{name}: the computed picture is another one')
            else:
                self.assertIn(row[0], ('renderers', 'guess'), name)

    def test_each_case_has_its_files(self):
        names = set(rows(LIBRARY / 'manifest.txt'))
        for end in '.pica', '.ctf.zst', '.png':
            self.assertEqual({p.name.removesuffix(end) for p in LIBRARY.glob('*' + end)}, names, end)
        expected = {p.stem for p in (ROOT / 'conformance/expected').glob('*.png')}
        self.assertEqual(expected, names, 'conformance/expected')

    def test_rules_are_rows_of_the_fidelity_page(self):
        page = (ROOT / 'docs/fidelity.md').read_text()
        anchors = set(re.findall(r'^\| ([a-z][a-z0-9-]*) \|', page[page.index('\n## 8. '):], re.M))
        wrong = {row[1] for row in rows(LIBRARY / 'manifest.txt').values()} - anchors
        self.assertEqual(wrong, set())

    def test_all_cases_pass(self):
        counts = {}
        for row in rows(LIBRARY / 'manifest.txt').values():
            counts[row[0]] = counts.get(row[0], 0) + 1
        guesses = counts.pop('guess', 0)
        report = json.loads(conform('--json', '--threads=8').stdout)
        self.assertEqual((report['failed'], report['differing_guesses']), ([], 0))
        self.assertEqual(report['cases'], sum(counts.values()))
        self.assertEqual(report['passed'], report['cases'])
        self.assertEqual(report['guesses'], guesses)
        self.assertEqual({k: v for k, v in report['by_provenance'].items() if v}, counts)

    def test_sets_and_threads(self):
        for args in ('--isa=c', '--threads=0'), ('--isa=emul', '--threads=2'):
            self.assertEqual(json.loads(conform('--json', *args).stdout)['failed'], [], args)

    def test_readme_has_the_numbers(self):
        found = [row[0] for row in rows(LIBRARY / 'manifest.txt').values()]
        n, console = len(found) - found.count('guess'), found.count('console')
        page = ' '.join((ROOT / 'README.md').read_text().split())
        self.assertIn(f'{n} of {n} bit-identical', page)
        self.assertIn(f'{console} of them are confirmed on a console', page)

    def test_truncating_combiner_fails_where_products_are_rounded(self):
        report = json.loads(conform('--combiner=truncate', '--json', 'combiner-rgb-*', code=1).stdout)
        failed = {row['name'] for row in report['failed']}
        self.assertEqual(failed, {f'combiner-rgb-{op}' for op in ('modulate', 'interpolate', 'multiply-add', 'add-multiply')})
        self.assertEqual(report['passed'] + len(failed), report['cases'])
        for row in report['failed']:
            self.assertEqual((row['provenance'], row['rule']), ('arithmetic', 'combiner-rounding'))
            self.assertNotEqual(row['expected'], row['found'])
            self.assertLess(row['x'], 16)
            self.assertGreaterEqual(row['y'], 240 - 16)
        page = conform('--combiner=truncate', '--html', 'combiner-rgb-modulate', code=1).stdout
        self.assertIn('0 of 1 bit-identical', page)
        titles = re.findall(r'<img title="(\w+)".*?src="data:image/png;base64,([^"]*)"', page)
        self.assertEqual([title for title, _ in titles], ['expected', 'drawn', 'difference'])
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f'{title}.png' for title, _ in titles]
            for path, (_, data) in zip(paths, titles):
                path.write_bytes(base64.b64decode(data))
            # The third picture is grey where the first two are the same.
            grey = subprocess.run([PICA, 'diff', '-o', folder, *paths[:2]], text=True, capture_output=True)
            self.assertEqual((pathlib.Path(folder) / 'picture-diff.png').read_bytes(), paths[2].read_bytes(), grey.stdout)
        self.assertIn('<code>pica conform --combiner=truncate --html combiner-rgb-modulate</code><br>libpica '
                      f'{json.loads(conform("--json", "combiner-rgb-add").stdout)["version"]}, 20', page)
        self.assertRegex(page, r' \d{4}-\d\d-\d\d \d\d:\d\d UTC</p>')

    def test_a_page_is_filtered(self):
        """By state, as that of pica batch, and by feature; without a script."""
        page = conform('--combiner=truncate', '--html', 'combiner-rgb-modulate', 'combiner-rgb-add', 'fog-*', 'gas-never', code=1).stdout
        self.assertEqual(re.findall(r'<b>(\d+)</b>(\w+)</a> <input type="checkbox" checked class="f-(\w+)"', page),
                         [('1', 'failed', 'failed'), (str(page.count('<tr class="k-fog">') + 1), 'passed', 'passed'),
                          ('1', 'guesses', 'guesses')])
        self.assertIn('; guess: 1 of 1 (not counted)</p>', page)
        self.assertRegex(page, r'<h2 id="guesses">guesses</h2>\n<table>\n.*\n<tr class="k-gas"><td><code>gas-never</code><td>guess<')
        for state in 'failed', 'passed', 'guesses':
            self.assertIn(f'body:has(.f-{state}:not(:checked)) .s-{state}{{display:none}}', page)
            self.assertEqual(page.count(f'<div class="s-{state}">'), 1)
        self.assertEqual(re.findall('<option value="(.*?)">', page), ['combiner', 'fog', 'gas'])
        self.assertIn('body:has([value="fog"]:checked) tr[class]:not(.k-fog){display:none}', page)
        self.assertEqual(page.count('<tr class="k-combiner">'), 2)
        self.assertNotIn('<script', page)

    def test_replayer(self):
        chosen = ['combiner-rgb-add', 'combiner-rgb-modulate']
        render = f"f() {{ '{PICA}' render %s -o \"$2/{{name}}-{{screen}}.png\" \"$1\"; }}; f"
        run = conform('--replayer', render % '', *chosen)
        self.assertIn('2 of 2 bit-identical', run.stdout)
        run = conform('--replayer', render % '--combiner=truncate', *chosen, code=1)
        self.assertRegex(run.stdout, r'combiner-rgb-modulate: pixel \d+,\d+ is [0-9a-f]{6}: expected [0-9a-f]{6} \(arithmetic, ')
        self.assertIn('1 of 2 bit-identical: 0 of 0 known from a console, 1 of 2 by arithmetic, ', run.stdout)
        # The other form of the same capture, for renderers that read it.
        ctf = f"f() {{ '{PICA}' render -o \"$2/{{name}}-{{screen}}.png\" \"${{1%.pica}}.ctf.zst\"; }}; f"
        self.assertIn('2 of 2', conform('--replayer', ctf, *chosen).stdout)
        for command, message in ('exit 3 #', 'the replayer failed: exit status 3 ('), ('kill -9 $$ #', 'the replayer was ended by a signal: Killed ('), \
                ('true', 'the replayer wrote no picture: expected one PNG, or NAME-top.png ('), \
                ('f() { touch "$2/a.png" "$2/b.png"; }; f', 'the replayer wrote 2 pictures: expected one PNG, or NAME-top.png ('), \
                ('f() { mkfifo "$2/x.png"; }; f', "the replayer's picture x.png: not a regular file ("), \
                ('f() { mkdir "$2/x.png"; }; f', "the replayer's picture x.png: not a regular file ("), \
                ('f() { ln -s /dev/zero "$2/x.png"; }; f', "the replayer's picture x.png: not a regular file ("), \
                ('f() { ln -s none "$2/x.png"; }; f', "the replayer's picture x.png: No such file or directory ("):
            self.assertIn(message, conform('--replayer', command, chosen[0], code=1).stdout)
        for command in '', ' ':
            self.assertIn('--replayer: expected a command\n', conform('--replayer', command, code=2).stderr)
        for command, code in ('nosuchcmd', 127), ('/dev/null', 126):
            run = conform('--replayer', command, *chosen, code=2)
            self.assertEqual(run.stdout, '')
            self.assertEqual(run.stderr.count(f'the replayer cannot be run: exit status {code} of: {command}\n'), 1)
        # A picture that is not whole is none: the signature; to the header; to the first pixels; all but the last.
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PICA, 'render', '-o', f'{folder}/top.png', LIBRARY / f'{chosen[0]}.pica'], check=True, capture_output=True)
            for n in '0', '8', '33', '41', '60', '-20':
                run = conform('--replayer', f'f() {{ head -c {n} {folder}/top.png >"$2/top.png"; }}; f', *chosen, code=1)
                self.assertEqual(run.stdout.count("the replayer's picture top.png: expected a PNG ("), 2, n)
                self.assertIn('0 of 2', run.stdout)
            write_png(f'{folder}/wide.png', 16385, 1, 0, bytes(16386))
            run = conform('--replayer', f'f() {{ cp {folder}/wide.png "$2"; }}; f', chosen[0], code=1)
            self.assertIn("the replayer's picture wide.png: larger than 16384x16384 pixels (", run.stdout)
            # Alpha is ignored: a gradient of it changes nothing; a wrong colour below alpha 0 does.
            raw = subprocess.run([PICA, 'render', '--format=raw', '-o', '-', LIBRARY / f'{chosen[0]}.pica'],
                                 check=True, capture_output=True).stdout
            lines = bytearray().join(b'\0' + raw[1600 * y:1600 * (y + 1)] for y in range(240))
            for y in range(240):
                lines[1601 * y + 4:1601 * (y + 1):4] = bytes((x + y) & 255 for x in range(400))
            copy = f'f() {{ cp {folder}/rgba.png "$2"; }}; f'
            write_png(f'{folder}/rgba.png', 400, 240, 6, lines)
            self.assertIn('1 of 1 bit-identical', conform('--replayer', copy, chosen[0]).stdout)
            lines[1:5] = b'\1\2\3\0'
            write_png(f'{folder}/rgba.png', 400, 240, 6, lines)
            self.assertIn('pixel 0,0 is 010203: expected 000000 (', conform('--replayer', copy, chosen[0], code=1).stdout)
        self.assertEqual(list(pathlib.Path('/tmp').glob('pica-conform.*')), [])

    def test_signals_end_the_replayer(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                signal.signal(number, signal.SIG_DFL)  # background jobs of a shell ignore SIGINT
                os.mkfifo(pipe := pathlib.Path(folder, number.name))
                run = subprocess.Popen([PICA, 'conform', '--replayer', f'echo $$ >{pipe}; exec sleep 44 #', 'fill-16'])
                pid = int(pipe.read_text())
                run.send_signal(number)
                self.assertEqual(run.wait(), -number)
                self.assertRaises(ProcessLookupError, os.kill, pid, 0)
        self.assertEqual(list(pathlib.Path('/tmp').glob('pica-conform.*')), [])

    def test_other_library(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in folder, f'{folder}/none', '':
                self.assertEqual(conform('--cases', name, code=2).stderr,
                                 f'pica conform: --cases {name}: expected a folder with manifest.txt and its cases\n')
            for name in 'combiner-rgb-add.pica', 'combiner-rgb-add.png':
                shutil.copy(LIBRARY / name, folder)
            row = ['combiner-rgb-add', *rows(LIBRARY / 'manifest.txt')['combiner-rgb-add']]
            manifest = pathlib.Path(folder, 'manifest.txt')
            manifest.write_text(' '.join(row) + '\n')
            self.assertIn('1 of 1', conform('--cases', folder).stdout)
            picture = pathlib.Path(folder, 'combiner-rgb-add.png')
            whole, render = picture.read_bytes(), f"f() {{ '{PICA}' render -o \"$2/top.png\" \"$1\"; }}; f"
            other, wide = ((LIBRARY / f'{name}.png').read_bytes() for name in ('combiner-rgb-subtract', 'transfer-half-width'))
            for data, message in ((None, 'expected a PNG of 16x16'), (b'', 'expected a PNG of 16x16'),
                                  (whole[:-20], 'expected a PNG of 16x16'), (wide, 'expected a PNG of 16x16'),
                                  (other, 'is not the picture of the manifest')):
                picture.unlink() if data is None else picture.write_bytes(data)
                for args in [], ['--replayer', render]:
                    text = conform('--cases', folder, *args, code=1).stdout
                    self.assertIn(message, text)
                    self.assertIn('0 of 1 bit-identical', text)
            picture.write_bytes(whole)
            row[4] = '0' * 32
            manifest.write_text(' '.join(row) + '\n')
            self.assertIn('is not the picture of the manifest', conform('--cases', folder, code=1).stdout)
            row[1] = 'guess'
            manifest.write_text(' '.join(row) + '\n')
            self.assertIn('0 of 0 bit-identical', conform('--cases', folder).stdout)
            manifest.write_text('a/../b ' + ' '.join(row[1:]) + '\n')
            self.assertIn('line 1: expected NAME', conform('--cases', folder, code=2).stderr)
        self.assertIn('no case is named none', conform('none', code=2).stderr)


class Sets(unittest.TestCase):
    def test_every_set_and_number_of_threads(self):
        here = [isa for isa in ('c', 'emul', 'neon', 'sse4.1', 'avx2', 'avx512')
                if subprocess.run([PICA, 'conform', '--isa', isa, 'fill-16'], capture_output=True).returncode == 0]
        self.assertIn('c', here)
        for isa in here:
            for threads in range(9):
                report = json.loads(conform('--json', '--isa', isa, '--threads', str(threads)).stdout)
                self.assertEqual((report['failed'], report['differing_guesses']), ([], 0), (isa, threads))


class Naive(unittest.TestCase):
    def test_independent_renderer_as_a_replayer(self):
        report = json.loads(conform('--json', '--replayer', os.environ['NAIVE_PICTURES']).stdout)
        self.assertEqual((report['failed'], report['differing_guesses']), ([], 0))
        self.assertEqual((report['passed'], report['guesses']), (report['cases'], len(rows(LIBRARY / 'manifest.txt')) - report['cases']))
        print(f"{report['passed']} of {report['cases']}, and {report['guesses']} guesses, agree")


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], defaultTest=sys.argv[4:] or 'Conformance')
