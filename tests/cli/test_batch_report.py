#!/usr/bin/env python3
"""The report of `pica batch`: test_batch_report.py PROGRAM CAPTURES [unittest arguments]"""
import errno
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import unittest
import zlib

import test_batch as batch
import test_cli as cli


def write_png(path, width, height, rgb):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + rgb[3 * width * y:3 * width * (y + 1)] for y in range(height))
    path.write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
                     chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class Report(batch.Case):
    def poke(self, name, *pixels):
        """Changes pixels of a golden picture: (x, y, colour)."""
        path = self.dir / 'gold' / name
        width, height, data = cli.read_png(path.read_bytes())
        data = bytearray(data)
        for x, y, color in pixels:
            data[3 * (width * y + x):3 * (width * y + x + 1)] = cli.rgb(color, 1)
        write_png(path, width, height, bytes(data))

    def page(self, out='out'):
        page = (self.dir / out / 'report.html').read_text()
        links = re.findall(r'(?:href|src)="(.*?)"|url\(([^)]*)', page)
        self.assertEqual([link for link in map(''.join, links) if not link.startswith(('#', 'data:image/png;base64,i'))], [],
                         'the page needs no other file')
        return page

    def test_two_pixels_are_found_at_once(self):
        self.capture('a.ctf', cli.solid_screen(1, batch.VRAM + 0x100000, 0x405060, 320) + batch.screen(0x102030))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--bless')
        self.poke('a-top.png', (123, 45, 0xFF0000), (121, 47, 0x00FF00))
        self.poke('a-bottom.png', (0, 0, 0), (319, 239, 0))
        text = self.batch('a.ctf', '-o', 'out', '--golden', 'gold', code=1)
        self.assertIn('2 pixels differ from a-top.png', text)
        differing = self.rows()[0]['pictures'][0]['differing']
        self.assertEqual(differing['box'], {'x': 121, 'y': 45, 'width': 3, 'height': 3})
        self.assertEqual(differing['first'], [
            {'x': 123, 'y': 45, 'drawn': '#102030', 'expected': '#ff0000'},
            {'x': 121, 'y': 47, 'drawn': '#102030', 'expected': '#00ff00'}])
        page = self.page()
        self.assertIn('frame 0, top: 2 pixels, by 239 at most, in columns 121 to 123, rows 45 to 47<', page)
        self.assertIn('<td>121<td>47<td><b style="background:#00ff00"></b> <code>#00ff00</code>', page)
        # The mark around them on each of three pictures, and eight times as large: 48x30 pixels from (98, 31) on.
        self.assertEqual(page.count('<i style="left:121px;top:45px;width:3px;height:3px"></i>'), 3)
        self.assertEqual(page.count('width:3200px;height:1920px;left:-784px;top:-248px'), 3)
        self.assertEqual(page.count('<i style="left:184px;top:112px;width:24px;height:24px"></i>'), 3)
        # Pixels that lie far apart: only the first one is enlarged.
        self.assertEqual(page.count('<i style="left:0px;top:0px;width:320px;height:240px"></i>'), 3)
        self.assertEqual(page.count('<i style="left:0px;top:0px;width:8px;height:8px"></i>'), 3)
        style = re.search('<style>(.*?)</style>', page, re.S)[1]
        self.assertNotRegex(re.search(r'\nimg\{(.*?)\}', style)[1], 'width|height')
        self.assertNotIn('<script', page)

    def test_many_pixels(self):
        self.capture('a.ctf', batch.screen(0x102030))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--bless')
        self.poke('a-top.png', *((x, 7, 0x102040) for x in range(20, 31)), (200, 7, 0x102032))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--tolerance', 2, code=1)
        self.assertIn(': 11 pixels, by 16 at most, in columns 20 to 30, rows 7 to 7<', self.page())
        self.assertIn('and 3 more', self.page())
        self.assertEqual(self.rows()[0]['pictures'][0]['differing']['beyond'], 11)

    def test_failures_by_state_and_alike_ones_together(self):
        self.capture('b.ctf', batch.screen(batch.RED))
        for name in 'd.ctf', 'e.ctf', 'f.ctf':
            (self.dir / name).write_bytes(b'hello ' + name.encode())
        (self.dir / 'a.ctf').write_bytes(b'CiTr')
        self.batch('b.ctf', '-o', 'out', '--golden', 'gold', '--bless')
        self.poke('b-top.png', (1, 2, 3))
        self.batch('.', '-o', 'out', '--golden', 'gold', code=3)
        page = self.page()
        self.assertEqual(re.findall('<h2 id="(.*?)">(.*?)</h2>', page), [('different', '1 different'), ('broken', '4 broken')])
        self.assertEqual(re.findall('<a href="#(.*?)"', page), ['different', 'broken'])
        self.assertEqual(page.count('<section'), 3)
        alike = re.search('<section[^>]*><h3>[^\n]*3 captures.*?</section>', page, re.S)[0]
        self.assertEqual(re.findall(r'<span class="name">(?:\./)?(.*?)<', alike), ['d.ctf', 'e.ctf', 'f.ctf'])
        self.assertEqual(alike.count('<ul class="messages">'), 1)

    def test_origin_of_values(self):
        self.capture('it\'s.ctf', batch.screen(batch.RED))
        self.batch("it's.ctf", '--frames', 'last', '-o', 'out')
        page = self.page()
        self.assertIn("<code>pica batch 'it'\\''s.ctf' --frames last -o out</code>", page)
        self.assertRegex(page, r'drawn on [^<]+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC')
        key = self.rows()[0]['key']
        self.assertIn(f'<code>results/{key}</code>', page)
        self.assertIn('width="200"', page)  # half as large
        self.batch("it's.ctf", '--frames', 'last', '-o', 'out')
        self.assertEqual(self.page(), page)

    def test_writer_of_the_first_differing_pixel(self):
        for name, screen in (('cube', 'top'), ('vc4-mesa-cube', 'picture')):
            with self.subTest(name):
                capture = f'{name}.pica'
                shutil.copy(batch.BUNDLED / capture, self.dir)
                self.batch(capture, '-o', name, '--golden', 'gold', '--bless')
                self.poke(f'{name}-{screen}.png', (200, 120, 0x123456))
                printed = self.batch(capture, '-o', name, '--golden', 'gold', code=1)
                made = json.loads(self.pica('pixel', '--json', capture, '200,120'))['last_writer']
                self.assertEqual(made['kind'], 'draw')
                text = 'the first pixel that differs, 200,120, was made by ' \
                       f'draw {made["draw"]} of frame {made["frame"]}'
                row = self.rows(name)[0]
                self.assertEqual(row['pictures'][0]['made_by'], text)
                self.assertIn(f'\n  {text}\n', printed)
                self.assertIn(f'frame {made["frame"]}, screen {screen}: {text}', row['messages'])
                self.assertIn(f'<p class="maker">{text}</p>', self.page(name))

    def test_first_draw_that_differs_where_only_hashes_are_known(self):
        shutil.copy(batch.BUNDLED / 'cube.pica', self.dir)
        printed = self.batch('cube.pica', '-o', 'out', '--verify', '--combiner', 'truncate', code=1)
        diff = json.loads(self.pica('diff', '--json', '--b', 'combiner=truncate', 'cube.pica', code=1))
        text = f'draw {diff["draw"]["draw"]} of frame {diff["frame"]} is the first that differs when drawn with ' \
               '--float f24 --combiner nearest'
        self.assertIn(f'\n  {text}\n', printed)
        self.assertEqual(self.rows()[0]['pictures'][0]['made_by'], text)
        self.assertIn(text, self.rows()[0]['messages'])
        self.assertIn(text, self.page())

    def test_a_build_server_gets_annotations(self):
        script = pathlib.Path(__file__).resolve().parents[2] / 'packaging/pica-ci'
        tools = self.dir / 'bin'
        tools.mkdir()
        (tools / 'pica').symlink_to(cli.PICA)
        self.capture('a%,b.ctf', batch.screen(0x102030))
        self.batch('.', '-o', 'out', '--golden', 'gold', '--bless')
        env = dict(os.environ, PATH=f'{tools}:{os.environ["PATH"]}', GITHUB_ACTIONS='true', GITHUB_STEP_SUMMARY='summary',
                   GITHUB_OUTPUT='outputs')
        command = ['bash', script, '-o', 'out', '--golden', 'gold', '.']
        done = subprocess.run(command, cwd=self.dir, env=env, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, '::error' in done.stdout), (0, False), done.stderr)
        self.poke('a%,b-top.png', (1, 2, 3))
        shutil.copy(self.dir / 'gold/a%,b-top.png', self.dir / 'gold/old-top.png')
        done = subprocess.run(command, cwd=self.dir, env=env, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r'(?m)^::error file=(\./)?a%25%2Cb.ctf,title=different::frame 0, screen top: 1 pixel '
                                      r'differs from a%25,b-top.png.*%0A.* was made by a fill in frame 0$')
        self.assertEqual(re.findall('(?m)^Captures: .*', (self.dir / 'summary').read_text()), [
            'Captures: 1, different: 0, errors: 0', 'Captures: 1, different: 1, errors: 0, unused golden pictures: 1'])
        self.assertIn('* **different** `a%,b.ctf`: ', (self.dir / 'summary').read_text().replace('./', ''))
        self.assertEqual((self.dir / 'outputs').read_text(), 2 * 'report=out/report.html\n')
        bare = subprocess.run(['bash', script, '.'], cwd=self.dir, text=True, capture_output=True, check=False)
        self.assertEqual((bare.returncode, 'expected -o FOLDER' in bare.stderr), (2, True))

    def test_pictures_come_before_hashes(self):
        shutil.copy(batch.BUNDLED / 'cube.pica', self.dir)
        self.batch('cube.pica', '-o', 'out', '--verify', '--float', 'f32', code=1)
        page = self.page()
        self.assertLess(page.index('<figure>'), page.index('expected <') if 'expected <' in page else
                        page.index(self.rows()[0]['messages'][0]))


class Lines(batch.Case):
    def test_each_unit_has_a_line(self):
        for name in 'good1.ctf', 'good2.ctf', 'good3.ctf':
            self.capture(name, batch.screen(batch.RED))
        for name in 'bad1.ctf', 'bad2.ctf':
            (self.dir / name).write_bytes(b'hello')
        os.mkfifo(self.dir / 'pipe.ctf')
        (self.dir / 'link.ctf').symlink_to('nowhere')
        for kept in '', ' (kept)':
            text = self.batch('.', '-o', 'out', code=3)
            lines = [line.replace(' ./', ' ') for line in text.splitlines()]
            self.assertEqual([line.split()[0] for line in lines[:-1]], [f'{i}/7' for i in range(1, 8)])
            rest = sorted(line.split(' ', 1)[1].split(':')[0] for line in lines[:-1])
            self.assertEqual(rest, sorted([f'broken{kept} bad1.ctf', f'broken{kept} (same) bad2.ctf',
                                           f'pass{kept} good1.ctf', f'pass{kept} (same) good2.ctf',
                                           f'pass{kept} (same) good3.ctf', 'trouble link.ctf', 'trouble pipe.ctf']))
            self.assertIn('link.ctf: No such file or directory\n', text)
            self.assertEqual(self.err, '')
        self.batch('.', '-o', 'out', '--json', code=3)
        self.assertRegex(self.err, 'link.ctf: No such file or directory')

    def test_work_that_units_share_is_counted_once(self):
        for name, color in ('a.ctf', batch.RED), ('b.ctf', batch.RED), ('c.ctf', batch.BLUE):
            self.capture(name, batch.screen(color))
        self.batch('.', '-o', 'out')
        for path in (self.dir / 'out/results').glob('*/run.json'):
            path.write_text(re.sub(r'"seconds": [0-9.e-]+', '"seconds": 2.5', path.read_text(), count=1))
        self.batch('.', '-o', 'out')
        self.assertIn('<b>5.0 s</b>of work', (self.dir / 'out/report.html').read_text())

    def test_shards_have_a_line_for_each_unit(self):
        for name in 'good1.ctf', 'good2.ctf':
            self.capture(name, batch.screen(batch.RED))
        self.batch('plan', '.', '-o', 'plan.json')
        text = self.batch('run', 'plan.json', '-o', 'out')
        self.assertRegex(text, r'^1/2 pass \S*good1.ctf\n2/2 pass \(same\) \S*good2.ctf\n2 units: 2 pass; out\n$')

    def test_names_do_not_reach_the_terminal_raw(self):
        for name in 'a\x1b[31m.ctf', 'b\nc.ctf':
            self.capture(name, batch.screen(batch.RED + len(name)))
        text = self.batch('.', '-o', 'o\x1but')
        self.assertIn('a\\x1B[31m.ctf\n', text)
        self.assertIn('b\\x0Ac.ctf\n', text)
        self.assertIn('; o\\x1But/report.html\n', text)
        self.assertNotIn('\x1b', text)
        self.assertEqual(text.count('\n'), 3)
        self.assertIn('; p\\x1B\n', self.batch('plan', '.', '-o', 'p\x1b'))

    def test_a_reader_that_goes_does_not_end_the_batch(self):
        for i in range(6):
            self.capture(f'in/{i}.ctf', batch.screen(i + 1))
        reader, writer = os.pipe()
        os.close(reader)  # beforehand: otherwise everything may be printed already
        run = self.start('in', '-o', 'out', '--jobs', 1, stdout=writer)
        os.close(writer)
        self.assertEqual((run.wait(), run.stderr.read()),
                         (2, f'pica batch: standard output: {os.strerror(errno.EPIPE)}\n'))
        self.assertEqual(len(self.rows()), 6)
        self.assertFalse((self.dir / 'out/work').exists())

    def test_help_that_cannot_be_printed(self):
        for args in ['--help'], ['batch', '--help'], ['batch', '--help-all'], ['--version'], ['batch', '--usage']:
            with open('/dev/full', 'w') as full:
                run = subprocess.run([cli.PICA, *args], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(run.returncode, 2, args)
            self.assertRegex(run.stderr, f': standard output: {os.strerror(errno.ENOSPC)}\n$')


class Names(batch.Case):
    def test_a_golden_name_that_is_not_utf8_fails_alone(self):
        name = os.fsdecode(b'bad\xff.ctf')
        self.capture(name, batch.screen(batch.RED))
        self.capture('good.ctf', batch.screen(batch.BLUE))
        for more in ['--bless'], []:
            text = self.batch('.', '-o', 'out', '--golden', 'gold', *more, code=2, binary=True)
            self.assertIn(b'its golden pictures would have its name, which is not UTF-8', text)
            self.assertIn(b'2 units: 1 pass, 1 trouble', text)
        self.assertEqual([p.name for p in (self.dir / 'gold').iterdir()], ['good-top.png'])
        self.batch('.', '-o', 'out', binary=True)

    def test_a_capture_next_to_its_conversion(self):
        self.capture('in/x.ctf', batch.screen(batch.RED))
        self.pica('convert', 'in/x.ctf', 'in/x.pica')
        text = self.batch('in', '-o', 'out', '--golden', 'gold', '--bless')
        self.assertEqual(self.states(), {'in/x.pica': 'pass'})
        self.assertIn('in/x.ctf: left out, its golden pictures are those of in/x.pica', self.err)
        self.assertIn('1 unit: 1 pass', text)
        self.batch('in', '-o', 'out', '--golden', 'gold')
        self.assertEqual(self.states(), {'in/x.ctf': 'pass', 'in/x.pica': 'pass'})
        self.capture('in/x.ctf', batch.screen(batch.BLUE))
        self.batch('in', '-o', 'out', '--golden', 'gold', code=1)
        self.assertEqual(self.states(), {'in/x.ctf': 'different', 'in/x.pica': 'pass'})
        self.batch('plan', 'in', '-o', 'plan.json', '--golden', 'gold')


class Kept(batch.Case):
    def test_results_with_missing_pictures_are_made_again(self):
        self.capture('a.ctf', batch.screen(batch.RED))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--bless')
        self.capture('a.ctf', batch.screen(batch.BLUE))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', code=1)
        folder = self.dir / 'out/results' / self.rows()[0]['key']
        names = sorted(p.name for p in folder.glob('*.png'))
        self.assertEqual(len(names), 3)
        for name in names:
            self.assertIn('different (kept)', self.batch('a.ctf', '-o', 'out', '--golden', 'gold', code=1))
            whole = (folder / name).read_bytes()
            (folder / name).unlink()
            self.assertNotIn('kept', self.batch('a.ctf', '-o', 'out', '--golden', 'gold', code=1))
            self.assertEqual((folder / name).read_bytes(), whole)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
