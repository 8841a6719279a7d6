#!/usr/bin/env python3
"""`pica batch`: test_batch.py PROGRAM CAPTURES [unittest arguments]"""
import base64
import contextlib
import errno
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.argv[1:3] = [os.path.abspath(sys.argv[1]), sys.argv[2]]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import terminal  # noqa: E402: beside this
import test_cli as cli  # noqa: E402: they read the same arguments
import test_dump  # noqa: E402
from sample import EVERY  # noqa: E402

BUNDLED = cli.CAPTURES.parent.parent / 'captures'
VRAM = 0x18000000
RED, BLUE = 0xFF0000, 0x0000FF
LIST_NOWHERE = cli.write(0x104018E0, 2) + cli.write(0x104018E8, 0x10000000 >> 3) + cli.write(0x104018F0, 1)
# A list that jumps to its own start: a budget ends it.
ENDLESS = test_dump.run(0x20000000, test_dump.words(4, 0x000F0238, 0x20000000 >> 3, 0x000F023A, 1, 0x000F023C, 0, 0))


def screen(color, unit=0, frames=1):
    """A capture of one colour on a screen, in each frame another shade."""
    lines = (400, 320)[unit]
    return b''.join(cli.solid_screen(unit, VRAM + 0x100000 * unit, color + 16 * i, lines) + cli.FRAME
                    for i in range(frames))


def documented(name):
    """An example of docs/batch.md: the block that is opened by ```sh NAME."""
    page = (pathlib.Path(__file__).resolve().parents[2] / 'docs/batch.md').read_text()
    return re.search(rf'^```sh {re.escape(name)}\n(.*?)^```$', page, re.M | re.S)[1]


def children(pid):
    return [int(p) for p in pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text().split()]


def state_of(pid):
    return pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]


def is_at_work(pid):
    """A zombie counts, too: it has no descriptors any more."""
    try:
        return state_of(pid) == 'Z' or os.readlink(f'/proc/{pid}/fd/2').endswith('/log.txt')
    except OSError:
        return False


class Case(cli.Case):
    def batch(self, *args, code=0, **kw):
        return self.pica('batch', *args, code=code, **kw)

    def start(self, *args, stdout=subprocess.PIPE):
        run = subprocess.Popen([cli.PICA, 'batch', *map(str, args)], cwd=self.dir, stdout=stdout,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        return run

    def capture(self, name, stream):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        cli.capture(path, stream)
        return name

    def slow(self, name):
        """A capture that runs long enough to be interrupted: it fills 3 MiB over and over."""
        return self.capture(name, cli.fill(VRAM, 0x300000, 1, 2) * 2000 + screen(RED))

    def rows(self, folder='out'):
        return [json.loads(line) for line in (self.dir / folder / 'results.jsonl').read_text().splitlines()]

    def states(self, folder='out'):
        return {row['unit']: row['state'] for row in self.rows(folder)}

    def results(self, folder='out'):
        return {p.name: p.stat().st_ino for p in (self.dir / folder / 'results').iterdir()}

    def wait_for(self, what, seconds=300):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            got = what()
            if got:
                return got
            time.sleep(0.01)
        self.fail('waited in vain')

    def worker(self, run):
        """The one drawing process, once there is exactly one; from then on it prints to its log."""
        return self.wait_for(lambda: [pid for pid in children(run.pid) if is_at_work(pid)])[0]

    def stopped(self, run):
        """The drawing process, stopped: it cannot end before the test has done what it does meanwhile."""
        worker = self.worker(run)
        os.kill(worker, signal.SIGSTOP)
        return worker


class Draw(Case):
    def test_pictures_are_those_of_render(self):
        self.capture('in/red.ctf', screen(RED))
        self.capture('in/sub/blue.ctf', screen(BLUE, unit=1))
        text = self.batch('in', '-o', 'out')
        self.assertRegex(text, r'(?s)1/2 pass in/.*2/2 pass in/.*2 units: 2 pass; out/report.html\n$')
        red, blue = self.rows()
        self.assertEqual((red['unit'], blue['unit']), ('in/red.ctf', 'in/sub/blue.ctf'))
        lines = self.pica('render', '--format', 'hash', 'in/red.ctf', 'in/sub/blue.ctf').splitlines()
        self.assertEqual([line.split()[-1] for line in lines],
                         [row['pictures'][0]['hash'] for row in (red, blue)])
        picture = blue['pictures'][0]
        self.assertEqual((picture['frame'], picture['screen'], picture['width'], picture['height']), (0, 'bottom', 320, 240))
        data = self.bytes(f'out/results/{blue["key"]}/{picture["file"]}')
        self.assertEqual(cli.read_png(data), (320, 240, cli.rgb(BLUE, 320 * 240)))

    def test_frames(self):
        self.capture('a.ctf', screen(RED, frames=5))
        self.batch('a.ctf', '-o', 'out', '--frames', '1-2,last')
        self.assertEqual([p['frame'] for p in self.rows()[0]['pictures']], [1, 2, 4])
        self.batch('a.ctf', '-o', 'out', '--frames', '7', code=2)
        self.assertEqual(self.rows()[0]['state'], 'refused')
        self.assertEqual(self.rows()[0]['messages'], ['frame 7 was asked for, but the last one is 4'])

    def test_both_eyes_and_the_last_colour_buffer(self):
        # A target of 64x64 pixels at 0x18000000, and no screen.
        self.capture('none.ctf', cli.fill(VRAM, 64 * 64 * 4, 0x112233FF, 2) + cli.register(0x11D, VRAM >> 3) +
                     cli.register(0x11E, 64 | 63 << 12 | 1 << 24) + cli.register(0x117, 2) + cli.FRAME)
        self.batch(BUNDLED / 'stereo.pica', 'none.ctf', '-o', 'out')
        stereo, none = sorted(self.rows(), key=lambda row: row['unit'] == 'none.ctf')
        self.assertIn('top-right', [p['screen'] for p in stereo['pictures']])
        shown = self.pica('render', '--format', 'hash', 'none.ctf').split()
        self.assertEqual(shown[2], 'buffer')
        self.assertEqual([(p['screen'], p['hash']) for p in none['pictures']], [('buffer', shown[4])])

    def test_which_pictures_are_kept(self):
        self.capture('a.ctf', screen(RED))
        for which, n in ('all', 1), ('wrong', 0), ('none', 0):
            self.batch('a.ctf', '-o', which, '--pictures', which)
            self.assertEqual(sum('file' in p for p in self.rows(which)[0]['pictures']), n)
            self.assertEqual(sum(f.endswith('.png') for f in self.files() if f.startswith(which)), n)

    def test_lists(self):
        for name in 'a.ctf', 'b.ctf', 'in/c.ctf', 'in/d.ctf.zst', 'in/e.pica', 'in/no.png':
            self.capture(name, screen(RED))
        (self.dir / 'list.txt').write_text('# two\n\na.ctf\r\nin\n')
        (self.dir / 'list').write_text('b.ctf\na.ctf\n')
        self.batch('list.txt', '@list', 'a.ctf', '-o', 'out')
        self.assertEqual(list(self.states()), ['a.ctf', 'b.ctf', 'in/c.ctf', 'in/d.ctf.zst', 'in/e.pica'])
        self.batch('@-', '-o', 'out', input=b'b.ctf\n')
        self.assertEqual(list(self.states()), ['b.ctf'])
        (self.dir / 'none.txt').write_text('# nothing\n')
        (self.dir / 'empty').mkdir()
        (self.dir / 'zero.txt').write_bytes(b'a.ctf\0')
        for wrong, message in (('none.txt', 'names no capture'), ('empty', 'no .pica'), ('@gone', 'No such file'),
                               ('zero.txt', 'zero byte')):
            self.batch(wrong, '-o', 'never', code=2)
            self.assertIn(message, self.err)
        self.assertFalse((self.dir / 'never').exists())

    def test_a_link_to_a_folder_above_is_no_trap(self):
        self.capture('in/a.ctf', screen(RED))
        os.symlink('..', self.dir / 'in' / 'up')
        os.symlink('a.ctf', self.dir / 'in' / 'b.ctf')
        self.batch('in', '-o', 'out')
        self.assertEqual(list(self.states()), ['in/a.ctf', 'in/b.ctf'])

    def test_names_of_any_bytes(self):
        name = os.fsdecode(b'a<&"\xff\x01.ctf')
        self.capture(name, screen(RED))
        self.batch(name, '-o', 'out', binary=True)
        self.assertTrue(self.rows()[0]['unit'].endswith('a<&"?\x01.ctf'))
        case, = xml.etree.ElementTree.parse(self.dir / 'out/junit.xml').iter('testcase')
        self.assertTrue(case.get('name').endswith('a<&"??.ctf'))
        self.assertIn('a&lt;&amp;&quot;??.ctf', (self.dir / 'out/report.html').read_text())
        self.batch('plan', name, '-o', 'plan.json', code=2)
        self.assertIn('UTF-8', self.err)
        self.assertFalse((self.dir / 'plan.json').exists())

    def test_options_that_make_no_sense(self):
        self.capture('a.ctf', screen(RED))
        for args, message in ((['a.ctf'], 'expected -o'), (['a.ctf', '-o', 'out', '--bless'], '--golden'),
                              (['a.ctf', '-o', 'out', '--shard', '1/2'], 'belongs to run'),
                              (['run', 'p.json', '-o', 'out', '--frames', 'all'], 'stands in the plan'),
                              (['run', 'p.json', '-o', 'out', '--float', 'f24'], 'stands in the plan'),
                              (['run', 'p.json', '-o', 'out', '--shard', '3/2'], 'I/N'),
                              (['run', 'p.json', 'q.json', '-o', 'out'], 'one plan'),
                              (['plan', 'a.ctf', '-o', 'p.json', '--jobs', '2'], 'draws nothing'),
                              (['merge', 'p.json', '-o', 'out', '--isa', 'c'], 'draws nothing'),
                              (['plan', 'a.ctf', '-o', 'p.json', '--golden', 'g', '--bless'], 'without a plan'),
                              (['plan', 'a.ctf', '-o', 'p.json', '--json'], 'JSON already'),
                              (['plan', 'a.ctf', '-o', 'p.json', '-v'], 'draws nothing'),
                              (['a.ctf', '-o', 'out', '--tolerance', '3'], 'expected --golden'),
                              (['a.ctf', '-o', 'out', '--jobs', '0'], '1 to 1024'),
                              (['a.ctf', '-o', 'out', '--timeout', 'nan'], 'expected seconds'),
                              (['a.ctf', '-o', 'out', '--isa', 'mips'], 'expected c, emul')):
            self.batch(*args, code=2)
            self.assertIn(message, self.err, args)
        self.assertEqual(self.files(), ['a.ctf'])


class Compare(Case):
    def test_verify(self):
        shutil.copy(BUNDLED / 'cube.pica', self.dir)
        self.batch('cube.pica', '-o', 'out', '--verify')
        row, = self.rows()
        verified = int(re.search(r'(\d+) pictures', self.pica('render', '--verify', 'cube.pica'))[1])
        self.assertEqual((row['state'], row['compared']), ('pass', verified))
        self.assertEqual(len(row['pictures']), verified)
        self.batch('cube.pica', '-o', 'out', '--verify', '--golden', 'gold', '--bless')
        self.batch('cube.pica', '-o', 'out', '--verify', '--golden', 'gold')  # a picture counts once
        self.assertEqual(self.rows()[0]['compared'], verified)
        self.batch('cube.pica', '-o', 'out', '--verify', '--float', 'f32', code=1)
        row, = self.rows()
        wrong = [p for p in row['pictures'] if 'expected_hash' in p]
        self.assertEqual(row['state'], 'different')
        self.assertTrue(wrong and all('file' in p for p in wrong[:16]))
        self.assertEqual(row['messages'][0], f'frame {wrong[0]["frame"]}, screen {wrong[0]["screen"]}: expected '
                         f'{wrong[0]["expected_hash"]}, drawn {wrong[0]["hash"]}')
        self.assertEqual(row['messages'][-1], 'note: its pictures were drawn with --float f24 --combiner nearest')
        self.assertEqual(self.bytes('out/report.html').count(b'class="views"'), 1)
        self.assertEqual(self.bytes('out/report.html').count(b'<figure>'), len(wrong))

    def test_nothing_to_verify(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out', '--verify', code=2)
        self.assertEqual(self.states(), {'a.ctf': 'refused'})
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--frames', 'all', '--bless')
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--verify', code=2)
        self.assertEqual(self.states(), {'a.ctf': 'refused'})

    def golden(self):
        self.capture('in/a.ctf', screen(RED))
        self.capture('in/sub/b.ctf', screen(BLUE))
        return self.batch('in', '-o', 'out', '--golden', 'gold', '--bless')

    def test_bless_then_compare(self):
        text = self.golden()
        self.assertIn('pass in/a.ctf: blessed a-top.png, which is new\n', text)
        self.assertNotIn('no such', text)
        self.assertEqual(sorted(f for f in self.files() if f.startswith('gold')), ['gold/a-top.png', 'gold/sub/b-top.png'])
        self.assertEqual(cli.read_png(self.bytes('gold/a-top.png')), (400, 240, cli.rgb(RED, 400 * 240)))
        self.batch('in', '-o', 'out', '--golden', 'gold')
        self.assertEqual([p['golden'] for r in self.rows() for p in r['pictures']], ['same', 'same'])
        self.assertEqual([r['compared'] for r in self.rows()], [1, 1])

    def test_pictures_of_render_are_golden(self):
        self.capture('a.ctf', screen(RED, frames=3))
        self.pica('render', 'a.ctf', '-o', 'gold/')
        self.pica('render', 'a.ctf', '--frames', 'all', '-o', 'all/')
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold')
        self.batch('a.ctf', '-o', 'out', '--golden', 'all', '--frames', 'all')

    def test_a_difference_is_shown(self):
        self.golden()
        self.capture('in/a.ctf', screen(RED + 0x30))
        text = self.batch('in', '-o', 'out', '--golden', 'gold', code=1)
        message = 'frame 0, screen top: 96000 pixels differ from a-top.png, by 48 at most, first at column 0, row 0'
        self.assertIn(f'different in/a.ctf: {message}\n', text)
        self.assertIn('2 units: 1 pass, 1 different', text)
        row = self.rows()[0]
        picture = row['pictures'][0]
        self.assertEqual(picture['differing'], {
            'pixels': 96000, 'beyond': 96000, 'max': 48, 'x': 0, 'y': 0,
            'box': {'x': 0, 'y': 0, 'width': 400, 'height': 240},
            'first': [{'x': x, 'y': 0, 'drawn': '#ff0030', 'expected': '#ff0000'} for x in range(8)]})
        folder = f'results/{row["key"]}'
        for member, color in ('file', RED + 0x30), ('expected_file', RED), ('difference_file', 0xFF3000):
            self.assertEqual(cli.read_png(self.bytes(f'out/{folder}/{picture[member]}'))[2][:3], cli.rgb(color, 1))
        page = (self.dir / 'out/report.html').read_text()
        # The page needs no other file.
        sources = re.findall(r'--[edx]:url\(data:image/png;base64,(.*?)\)', page)
        self.assertEqual([base64.b64decode(s) for s in sources],
                         [self.bytes(f'out/{folder}/f0000-top{part}.png') for part in ('-expected', '', '-difference')])
        self.assertNotIn('<img', page)
        self.assertEqual(page.count('class="wipe"'), 1)
        self.assertEqual(re.findall(r'class="f-(\w+)"', page), ['pass', 'different'])
        self.assertEqual(re.findall(r'<div class="s-(\w+)"', page), ['different', 'pass'])
        self.assertNotRegex(page, r'https?://')
        self.assertLess(page.index('in/a.ctf'), page.index('in/sub/b.ctf'))
        suite = xml.etree.ElementTree.parse(self.dir / 'out/junit.xml').getroot()[0]
        self.assertEqual([suite.get(k) for k in ('tests', 'failures', 'errors')], ['2', '1', '0'])
        self.assertEqual(suite[0][0].get('message'), message)
        self.assertEqual(len(suite[1]), 0)

    def test_blessing_says_what_changes(self):
        self.golden()
        self.capture('in/a.ctf', screen(RED + 0x30))
        self.capture('in/sub/b.ctf', screen(BLUE, unit=1))
        shutil.copy(self.dir / 'gold/a-top.png', self.dir / 'gold/sub/b-bottom.png')
        text = self.batch('in', '-o', 'out', '--golden', 'gold', '--bless')
        self.assertIn('pass in/a.ctf: blessed a-top.png, which has changed: 96000 pixels by 48 at most\n', text)
        self.assertIn('pass in/sub/b.ctf: blessed sub/b-bottom.png, which has another size\n', text)
        (self.dir / 'gold/a-top.png').write_bytes(b'no')
        self.assertIn('pass in/a.ctf: blessed a-top.png, which was not a PNG picture\n',
                      self.batch('in', '-o', 'out', '--golden', 'gold', '--bless'))

    def test_golden_pictures_of_no_capture(self):
        self.golden()
        for name in 'c-top.png', 'sub/old-f0003-top.png', 'cut-top.png':
            shutil.copy(self.dir / 'gold/a-top.png', self.dir / 'gold' / name)
        (self.dir / 'gold/notes.txt').write_text('')
        self.capture('in/cut.ctf', b'')
        (self.dir / 'in/cut.ctf').write_bytes(b'')  # broken: which pictures it has is not known
        text = self.batch('in', '-o', 'out', '--golden', 'gold', code=3)
        why = 'no capture of this batch has this golden picture'
        unused = ['gold/c-top.png', 'gold/sub/old-f0003-top.png']
        self.assertEqual(re.findall(r'(?m)^unused (.*): (.*)$', text), [(name, why) for name in unused])
        self.assertIn('3 units: 2 pass, 1 broken, 2 unused; ', text)
        os.remove(self.dir / 'in/cut.ctf')
        os.remove(self.dir / 'gold/cut-top.png')
        report = json.loads(self.batch('in', '-o', 'out', '--golden', 'gold', '--json'))  # which is no failure
        self.assertEqual((report['units'], report['states']), (2, {'pass': 2, 'unused': 2}))
        self.assertEqual([(r['unit'], r['state'], r['messages']) for r in self.rows()[2:]],
                         [(name, 'unused', [why]) for name in unused])
        suite = xml.etree.ElementTree.parse(self.dir / 'out/junit.xml').getroot()[0]
        self.assertEqual([suite.get(k) for k in ('tests', 'failures', 'errors', 'skipped')], ['4', '0', '0', '2'])
        self.assertEqual([case.get('name') for case in suite if case.find('skipped') is not None], unused)
        page = (self.dir / 'out/report.html').read_text()
        self.assertIn('<title>2 units</title>', page)
        self.assertIn('2 pictures</h3>', page)
        self.batch('in', '-o', 'out', '--golden', 'gold', '--bless')
        self.assertTrue((self.dir / 'gold/c-top.png').exists())

    def test_tolerance(self):
        self.golden()
        self.capture('in/a.ctf', screen(RED + 3))
        self.batch('in', '-o', 'out', '--golden', 'gold', '--tolerance', '2', code=1)
        self.batch('in', '-o', 'out', '--golden', 'gold', '--tolerance', '3')
        self.batch('in', '-o', 'out', '--golden', 'gold', '--pixels', '95999', code=1)
        self.batch('in', '-o', 'out', '--golden', 'gold', '--pixels', '96000')

    def test_another_size_a_missing_one_and_one_too_many(self):
        self.golden()
        shutil.copy(self.dir / 'gold/a-top.png', self.dir / 'gold/a-bottom.png')
        self.capture('in/a.ctf', screen(RED, unit=1))
        self.batch('in', '-o', 'out', '--golden', 'gold', code=1)
        self.assertEqual(self.rows()[0]['messages'], ['frame 0, screen bottom: 320x240, but a-bottom.png is 400x240',
                                                      'a-top.png exists, but the capture draws no such picture'])
        # Each is shown at its own size.
        page = (self.dir / 'out/report.html').read_text()
        (image, data), = re.findall(r'(<img [^>]*) src="data:image/png;base64,(.*?)">', page)
        self.assertNotRegex(image, 'width|height|style')
        self.assertEqual(base64.b64decode(data), self.bytes(f'out/results/{self.rows()[0]["key"]}/f0000-bottom-expected.png'))
        self.assertEqual(re.findall(r'class="layer".*?aria-label="(\w+)" style="width:(\d+)px;height:(\d+)px', page),
                         [('drawn', '320', '240')])
        self.assertEqual(re.findall(r'--([edx]):url', page), ['d'])
        os.remove(self.dir / 'gold/a-bottom.png')
        self.batch('in', '-o', 'out', '--golden', 'gold', code=1)
        self.assertEqual(self.rows()[0]['messages'][0], 'frame 0, screen bottom: a-bottom.png: no such golden picture')
        text = self.batch('in', '-o', 'out', '--golden', 'gold', '--bless')
        self.assertIn('blessed a-bottom.png, which is new\n  removed a-top.png', text)
        self.assertEqual(sorted(f for f in self.files() if f.startswith('gold')), ['gold/a-bottom.png', 'gold/sub/b-top.png'])

    def test_files_that_are_not_pictures(self):
        self.golden()
        (self.dir / 'gold/a-top.png').write_bytes(b'no')
        self.batch('in', '-o', 'out', '--golden', 'gold', code=2)
        self.assertEqual(self.rows()[0]['messages'], ['a-top.png: expected a PNG picture'])
        self.assertEqual(self.rows()[0]['state'], 'unreadable')
        self.assertIn('<error type="unreadable"', (self.dir / 'out/junit.xml').read_text())

    def test_a_golden_folder_that_is_not_there(self):
        self.capture('a.ctf', screen(RED))
        for path in 'gone', 'a.ctf':
            self.batch('a.ctf', '-o', 'out', '--golden', path, code=2)
            self.assertRegex(self.err, rf'^pica batch: --golden {path}: no such folder: [^\n]*\nTry .*\n$')
        self.assertFalse((self.dir / 'out').exists())
        self.batch('a.ctf', '-o', 'out', '--golden', 'gone', '--bless')

    def test_a_frame_that_is_gone(self):
        self.capture('a.ctf', screen(RED, frames=3))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--bless', '--frames', 'all')
        self.capture('a.ctf', screen(RED, frames=2))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--frames', 'all', code=1)
        self.assertEqual(self.rows()[0]['messages'], ['a-f0002-top.png exists, but the capture draws no such picture'])

    def test_a_broken_capture_is_not_blessed(self):
        self.capture('a.ctf', LIST_NOWHERE + screen(RED))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--bless', code=3)
        self.assertFalse((self.dir / 'gold').exists())

    def test_all_that_is_bundled_can_be_verified(self):
        """Captures that expect pictures, as README's example uses them, with distinct names."""
        bundled = sorted((cli.CAPTURES.parent.parent / 'captures').iterdir())
        self.assertEqual({path.suffix for path in bundled}, {'.pica'})
        self.batch('--verify', '-o', 'out', '--pictures', 'none', *bundled[::5])
        (self.dir / 'gold').mkdir()
        self.batch('plan', '--golden', 'gold', '-o', 'plan.json', *bundled)

    def test_two_of_one_name(self):
        self.capture('x/a.ctf', screen(RED))
        self.capture('y/a.ctf', screen(RED))
        (self.dir / 'gold').mkdir()
        self.batch('x', 'y', '-o', 'out', '--golden', 'gold', code=2)
        self.assertIn('x/a.ctf and y/a.ctf: both are named a, and so would be their golden pictures', self.err)
        self.batch('x', 'y', '-o', 'out')


class Alone(Case):
    """What fails, fails alone."""

    def test_bad_captures(self):
        self.capture('good.ctf', screen(RED))
        whole = (BUNDLED / 'triangle.pica').read_bytes()
        (self.dir / 'short.pica').write_bytes(whole[:len(whole) // 2])
        (self.dir / 'text.ctf').write_text('hello')
        (self.dir / 'empty.ctf').touch()
        os.mkfifo(self.dir / 'pipe.ctf')
        test_dump.capture(self.dir / 'endless.ctf', *ENDLESS)
        text = self.batch('good.ctf', 'short.pica', 'text.ctf', 'empty.ctf', 'gone.ctf', 'pipe.ctf', 'endless.ctf', '-o', 'out',
                          code=3)
        self.assertEqual(self.states(), {'good.ctf': 'pass', 'short.pica': 'broken', 'text.ctf': 'broken',
                                         'empty.ctf': 'broken', 'gone.ctf': 'trouble', 'pipe.ctf': 'trouble',
                                         'endless.ctf': 'broken'})
        self.assertIn('7 units: 1 pass, 4 broken, 2 trouble', text)
        self.assertIn('1/7 trouble gone.ctf: No such file or directory\n2/7 trouble pipe.ctf: expected a capture in a '
                      'regular file, this is a device or a pipe\n', text)
        for row in self.rows():
            self.assertFalse(any(row['unit'] in message for message in row['messages']), 'results name no path')
        errors = [c.get('name') for c in xml.etree.ElementTree.parse(self.dir / 'out/junit.xml').iter('testcase')
                  if c.find('error') is not None]
        self.assertEqual(errors, ['empty.ctf', 'endless.ctf', 'gone.ctf', 'pipe.ctf', 'short.pica', 'text.ctf'])

    def test_a_crash(self):
        self.slow('slow.ctf')
        self.capture('good.ctf', screen(RED))
        run = self.start('slow.ctf', 'good.ctf', '-o', 'out', '--jobs', 1)
        os.kill(self.worker(run), signal.SIGSEGV)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 2, err)
        self.assertEqual(self.states(), {'slow.ctf': 'crash', 'good.ctf': 'pass'})
        self.assertRegex(out, r'crash slow.ctf: ended (by signal 11|with status 1: ==\d+==ABORTING)')

    def test_a_unit_that_hangs(self):
        self.slow('slow.ctf')
        self.capture('good.ctf', screen(RED))
        run = self.start('slow.ctf', 'good.ctf', '-o', 'out', '--jobs', 1, '--timeout', 5)
        self.stopped(run)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 5, err)
        self.assertEqual(self.states(), {'slow.ctf': 'timeout', 'good.ctf': 'pass'})
        self.assertIn('not done after 5 seconds', out)

    @unittest.skipIf(b'__asan_' in pathlib.Path(cli.PICA).read_bytes() or b'__tsan_' in pathlib.Path(cli.PICA).read_bytes(),
                     'sanitizers need more memory than a limit leaves them')
    def test_memory(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out', '--memory', 100, code=2)
        self.assertEqual(self.states(), {'a.ctf': 'memory'})
        self.assertRegex(self.rows()[0]['messages'][0], 'Cannot allocate memory, with --memory 100$')
        self.batch('a.ctf', '-o', 'out', '--memory', 1000)
        self.assertEqual(self.states(), {'a.ctf': 'pass'})

    def test_a_capture_that_changes_meanwhile(self):
        self.slow('slow.ctf')
        run = self.start('slow.ctf', '-o', 'out')
        worker = self.stopped(run)
        with open(self.dir / 'slow.ctf', 'ab') as more:
            more.write(b'more')
        os.kill(worker, signal.SIGCONT)
        run.communicate(timeout=300)
        self.assertEqual(run.returncode, 2)
        row, = self.rows()
        self.assertEqual((row['state'], row['messages'][-1]), ('trouble', 'the file has changed since the batch began'))


class Resume(Case):
    def test_only_what_is_missing(self):
        for name in 'a.ctf', 'b.ctf', 'c.ctf':
            self.capture(name, screen(ord(name[0])))
        self.batch('a.ctf', 'b.ctf', '-o', 'out')
        before, first = self.results(), self.rows()
        text = self.batch('a.ctf', 'b.ctf', 'c.ctf', '-o', 'out')
        self.assertIn('pass (kept) a.ctf', text)
        self.assertIn('pass c.ctf', text)
        after = self.results()
        self.assertEqual({key: after[key] for key in before}, before)
        self.assertEqual(len(after), 3)
        self.assertEqual(self.rows()[:2], first)

    def test_results_belong_to_content(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out')
        before = self.results()
        shutil.copy(self.dir / 'a.ctf', self.dir / 'z.ctf')
        self.batch('a.ctf', 'z.ctf', '-o', 'out')
        self.assertEqual(self.results(), before)
        a, z = self.rows()
        self.assertEqual({**a, 'unit': 'z.ctf'}, z)
        self.capture('a.ctf', screen(BLUE))
        self.batch('a.ctf', '-o', 'out')
        self.assertEqual(len(self.results()), 2)

    def test_other_settings_are_other_results(self):
        self.capture('a.ctf', screen(RED, frames=2))
        settings = [], ['--frames', '0'], ['--float', 'f32'], ['--combiner', 'truncate'], ['--pictures', 'none']
        for number, args in enumerate(settings, 1):
            self.batch('a.ctf', '-o', 'out', *args)
            self.assertEqual(len(self.results()), number)
        self.batch('a.ctf', '-o', 'out', '--threads', '2', '--isa', 'c', '--jobs', '1')
        self.assertEqual(len(self.results()), len(settings))

    def test_a_golden_picture_that_changes(self):
        self.capture('a.ctf', screen(RED))
        self.capture('b.ctf', screen(BLUE))
        self.batch('a.ctf', 'b.ctf', '-o', 'out', '--golden', 'gold', '--bless')
        self.batch('a.ctf', 'b.ctf', '-o', 'out', '--golden', 'gold')
        self.assertIn('kept) a.ctf', self.batch('a.ctf', 'b.ctf', '-o', 'out', '--golden', 'gold'))
        shutil.copy(self.dir / 'gold/b-top.png', self.dir / 'gold/a-top.png')
        text = self.batch('a.ctf', 'b.ctf', '-o', 'out', '--golden', 'gold', code=1)
        self.assertIn('different a.ctf', text)
        self.assertIn('pass (kept) b.ctf', text)
        shutil.copy(self.dir / 'gold/b-top.png', self.dir / 'gold/b-bottom.png')
        self.assertIn('different b.ctf', self.batch('a.ctf', 'b.ctf', '-o', 'out', '--golden', 'gold', code=1))

    def test_a_damaged_result_is_made_again(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out')
        row, = self.rows()
        path = self.dir / 'out/results' / row['key'] / 'result.json'
        for damage in b'', b'{}', b'[1]', path.read_bytes()[:50], path.read_bytes().replace(b'"pass"', b'"fine"'):
            path.write_bytes(damage)
            self.assertIn('1/1 pass a.ctf', self.batch('a.ctf', '-o', 'out'))
            self.assertEqual(self.rows(), [row])

    def test_failures_of_the_machine_are_tried_again(self):
        self.slow('slow.ctf')
        self.batch('slow.ctf', '-o', 'out', '--timeout', '0.01', code=5)
        self.batch('slow.ctf', '-o', 'out')
        self.assertEqual(self.states(), {'slow.ctf': 'pass'})

    def test_a_worker_that_ends_while_another_result_is_read(self):
        self.capture('small.ctf', screen(RED))
        self.capture('larger.ctf', screen(BLUE, frames=9))
        self.batch('small.ctf', '-o', 'out')
        result = self.dir / 'out/results' / self.rows()[0]['key'] / 'result.json'
        whole = result.read_bytes()
        result.unlink()
        os.mkfifo(result)
        run = self.start('small.ctf', 'larger.ctf', '-o', 'out', '--jobs', 2)
        worker = self.worker(run)
        self.wait_for(lambda: state_of(worker) == 'Z')
        with open(result, 'wb') as pipe:
            (self.dir / 'result.json').write_bytes(whole)
            os.replace(self.dir / 'result.json', result)  # what is read next
            pipe.write(whole)
        self.assertEqual(run.wait(timeout=300), 0)
        self.assertEqual(set(self.states().values()), {'pass'})

    def interrupted(self, number):
        for i in range(6):
            self.capture(f'in/{i}.ctf', screen(i + 1))
        self.slow('in/slow.ctf')
        run = self.start('in', '-o', 'out', '--jobs', 2)
        self.wait_for(lambda: (self.dir / 'out/results').exists() and len(self.results()) >= 3)
        worker = self.stopped(run)
        run.send_signal(number)
        run.wait(timeout=300)
        self.assertEqual(run.returncode, -number)
        self.wait_for(lambda: not pathlib.Path(f'/proc/{worker}').exists())
        before = self.results()
        self.assertFalse((self.dir / 'out/results.jsonl').exists())
        self.batch('in', '-o', 'out')
        after = self.results()
        self.assertEqual({key: after[key] for key in before}, before)
        self.assertEqual(set(self.states().values()), {'pass'})
        self.assertFalse((self.dir / 'out/work').exists())
        self.batch('in', '-o', 'other')
        self.assertEqual(self.bytes('out/results.jsonl'), self.bytes('other/results.jsonl'))

    @unittest.skipIf(EVERY > 1, 'one of three')
    def test_sigint(self):
        self.interrupted(signal.SIGINT)

    @unittest.skipIf(EVERY > 1, 'one of three')
    def test_sigterm(self):
        self.interrupted(signal.SIGTERM)

    def test_kill(self):
        self.interrupted(signal.SIGKILL)

    def test_old_reports_are_removed_when_a_run_begins(self):
        self.slow('slow.ctf')
        self.batch('slow.ctf', '-o', 'out', '--timeout', '0.01', code=5)
        run = self.start('slow.ctf', '-o', 'out')
        self.stopped(run)
        self.assertEqual([p for p in self.files() if p.startswith('out/') and p.count('/') == 1], [])
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=300), -signal.SIGINT)


class Place(Case):
    """Folders that cannot be written."""

    def test_folders_that_are_none(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'a.ctf', code=2)
        self.assertIn('a.ctf: Not a directory', self.err)
        self.batch('a.ctf', '-o', 'no/such', code=2)
        self.assertIn('No such file', self.err)

    def test_a_full_disk_stops_the_batch(self):
        for i in range(8):
            self.capture(f'in/{i}.ctf', screen(i + 1))
        # No file may be larger than a block: reports and pictures do not fit, as on a full disk.
        limit = lambda: cli.resource.setrlimit(cli.resource.RLIMIT_FSIZE, (512, 512))
        self.batch('in', '-o', 'out', '--jobs', 1, code=2, preexec_fn=limit)
        self.assertEqual(self.err.count('cannot be stored'), 1)
        self.assertRegex(self.err, r'^pica batch: in/\d.ctf: its result cannot be stored: ' + os.strerror(errno.EFBIG) +
                         '; stopped, another run continues from here\n$')
        self.assertEqual(self.results(), {})
        self.batch('in', '-o', 'out')
        self.assertEqual(len(self.results()), 8)

    def test_two_runs_in_one_folder(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out')
        self.batch('plan', 'a.ctf', '-o', 'plan.json')
        reports = self.bytes('out/results.jsonl')
        folder = os.open(self.dir / 'out', os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, folder)
        for lock, alone, shard in (fcntl.LOCK_EX, 2, 2), (fcntl.LOCK_SH, 2, 0):  # a whole run; a shard of a plan
            fcntl.flock(folder, lock)
            self.batch('a.ctf', '-o', 'out', code=alone)
            self.assertIn('out: another run is under way in this folder', self.err)
            self.assertEqual(self.bytes('out/results.jsonl'), reports)
            self.batch('run', 'plan.json', '--shard', '1/1', '-o', 'out', code=shard)
            fcntl.flock(folder, fcntl.LOCK_UN)
        self.batch('a.ctf', '-o', 'out')
        self.assertFalse((self.dir / 'out/work').exists())

    def test_reports_appear_whole_or_not(self):
        self.capture('a.ctf', screen(RED))
        limit = lambda: cli.resource.setrlimit(cli.resource.RLIMIT_FSIZE, (1500, 1500))
        self.batch('a.ctf', '-o', 'out', '--pictures', 'none', code=2, preexec_fn=limit)
        self.assertIn('report.html: ' + os.strerror(errno.EFBIG), self.err)
        self.assertEqual(sorted(p.name for p in (self.dir / 'out').iterdir()), ['junit.xml', 'results', 'results.jsonl'])


class Talk(Case):
    def test_progress_on_a_terminal(self):
        for i in range(4):
            self.capture(f'in/{i}.ctf', screen(i))
        (self.dir / 'in/bad.ctf').write_text('hello')
        ours, theirs = terminal.openpty()
        run = subprocess.Popen([cli.PICA, 'batch', 'in', '-o', 'out', '--jobs', '1'], cwd=self.dir, stderr=theirs,
                               stdout=subprocess.PIPE, text=True)
        os.close(theirs)
        shown = b''
        with contextlib.suppress(OSError):
            while True:
                shown += os.read(ours, 65536)
        os.close(ours)
        out = run.communicate(timeout=300)[0]
        self.assertEqual(run.returncode, 3)
        self.assertRegex(shown.decode(), r'\d/5 units, \d failed, [\d.]+ a second, 0:00:\d\d left')
        self.assertEqual([line.split()[1] for line in out.splitlines()], ['broken', 'units:'])

    def test_json(self):
        self.capture('a.ctf', screen(RED))
        summary = json.loads(self.batch('a.ctf', '-o', 'out', '--json'))
        self.assertEqual([summary[k] for k in ('schema', 'verb', 'units', 'states', 'folder')],
                         [2, 'batch', 1, {'pass': 1}, 'out'])

    def test_run_data(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out')
        run = json.loads(self.bytes(f'out/results/{self.rows()[0]["key"]}/run.json'))
        self.assertEqual(run['host'], socket.gethostname())
        self.assertRegex(run['ended'], r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$')
        self.assertGreater(run['seconds'], 0)
        self.assertGreater(run['peak_kib'], 1000)


class Shards(Case):
    def inputs(self):
        for i in range(9):
            self.capture(f'in/{i}.ctf', screen(i * 7, frames=1 + i))
        shutil.copy(self.dir / 'in/3.ctf', self.dir / 'in/same.ctf')
        (self.dir / 'in/bad.ctf').write_text('hello')
        plan = self.batch('plan', 'in', '--frames', 'all', '-o', '-')
        self.assertEqual(self.batch('plan', 'in', '--frames', 'all', '-o', 'plan.json'), '11 units; plan.json\n')
        self.assertEqual((self.dir / 'plan.json').read_text(), plan)
        self.batch('in', '--frames', 'all', '-o', 'single', code=3)

    def assert_same(self, folder='out'):
        self.assertEqual(self.bytes(f'{folder}/results.jsonl'), self.bytes('single/results.jsonl'))

    def exits(self, shard, n):
        """The shard with the broken capture exits with 3."""
        run = subprocess.run([cli.PICA, 'batch', 'run', 'plan.json', '--shard', f'{shard}/{n}', '-o', f's{shard}'],
                             cwd=self.dir, capture_output=True, text=True, timeout=300)
        return run.returncode

    def test_shards_in_folders_of_their_own(self):
        self.inputs()
        self.assertEqual(sorted(self.exits(i, 3) for i in (1, 2, 3)), [0, 0, 3])
        parts = [set(self.results(f's{i}')) for i in (1, 2, 3)]
        self.assertEqual(sum(map(len, parts)), 10)
        self.assertEqual(len(set.union(*parts)), 10)
        self.assertTrue(all(len(p) >= 2 for p in parts), parts)
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', 's3', '-o', 'out', code=3)
        self.assert_same()
        strip = lambda text: re.sub(r'time="[\d.]+"', '', text)
        self.assertEqual(strip((self.dir / 'out/junit.xml').read_text()), strip((self.dir / 'single/junit.xml').read_text()))
        for row in self.rows():
            for picture in row['pictures']:
                self.assertTrue((self.dir / 'out/results' / row['key'] / picture['file']).exists())

    @unittest.skipUnless(shutil.which('parallel'), 'there is no GNU parallel')
    def test_parallel(self):
        (self.dir / 'captures').mkdir()
        for name in 'cube', 'depth', 'triangle', 'wall', 'window':
            shutil.copy(BUNDLED / f'{name}.pica', self.dir / 'captures')
        (self.dir / 'bin').mkdir()
        os.symlink(cli.PICA, self.dir / 'bin/pica')
        env = {**os.environ, 'PATH': f'{self.dir / "bin"}:{os.environ["PATH"]}', 'HOME': str(self.dir)}
        run = subprocess.run(['bash', '-e', '-c', documented('parallel')], cwd=self.dir, env=env, capture_output=True,
                             text=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.batch('--verify', '-o', 'single', 'captures/')
        self.assert_same()

    def test_shards_in_one_folder_at_once_and_twice(self):
        self.inputs()
        runs = [self.start('run', 'plan.json', '--shard', f'{i}/2', '-o', 'out', '--jobs', 1) for i in (1, 2, 1, 2)]
        self.assertEqual(sorted(run.wait(timeout=300) for run in runs), [0, 0, 3, 3])
        self.batch('merge', '--verify', 'plan.json', '-o', 'out', code=3)
        self.assert_same()

    def test_a_shard_that_is_killed_and_run_again(self):
        self.inputs()
        self.slow('in/slow.ctf')
        self.batch('plan', 'in', '--frames', 'all', '-o', 'plan.json')
        self.batch('in', '--frames', 'all', '-o', 'single', code=3)
        run = self.start('run', 'plan.json', '--shard', '1/2', '-o', 's1', '--jobs', 1)
        self.stopped(run)
        run.kill()
        run.wait()
        self.batch('merge', 'plan.json', 's1', '-o', 'out', code=3 if 'bad' in self.err else 2)
        self.assertIn('missing', self.states().values())
        self.batch('merge', '--verify', 'plan.json', 's1', '-o', 'out', code=2)
        self.assertRegex(self.err, r'in/\w+\.ctf: no result')
        self.assertFalse((self.dir / 'out/results.jsonl').exists())
        self.assertEqual(sorted((self.exits(1, 2), self.exits(2, 2))), [0, 3])
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', '-o', 'out', code=3)
        self.assert_same()

    def test_results_that_contradict(self):
        self.inputs()
        self.exits(1, 1)
        shutil.copytree(self.dir / 's1', self.dir / 's2')
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', '-o', 'out', code=3)
        key = next(row['key'] for row in self.rows() if row['pictures'])
        result = self.dir / 's2/results' / key / 'result.json'
        text = result.read_text()
        result.write_text(re.sub(r'"hash": "."', '"hash": "x"', text.replace('"frames": ', '"frames": 1')))
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', '-o', 'new', code=2)
        self.assertRegex(self.err, r'in/.*: s2/results/\w+/result.json says other things')
        result.write_text(text[:40])
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', '-o', 'new', code=2)
        self.assertIn('result.json: expected JSON', self.err)
        result.write_text(text)
        picture = next((self.dir / 's2/results' / key).glob('*.png'))
        data = picture.read_bytes()
        picture.write_bytes(data[:100])
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', '-o', 'new', code=2)
        self.assertIn('expected a whole PNG', self.err)
        self.assertFalse((self.dir / 'new/results.jsonl').exists())

    def test_a_final_result_is_better_than_trouble(self):
        self.slow('slow.ctf')
        self.batch('plan', 'slow.ctf', '-o', 'plan.json')
        text = self.batch('run', 'plan.json', '-o', 's1', '--timeout', '0.01', code=5)
        self.assertTrue(text.endswith('\n1 unit: 1 timeout; s1\n'), text)
        summary = json.loads(self.batch('run', 'plan.json', '-o', 's1', '--timeout', '0.01', '--json', code=5))
        self.assertEqual((summary['states'], summary['folder']), ({'timeout': 1}, 's1'))
        self.batch('run', 'plan.json', '-o', 's2')
        self.batch('merge', '--verify', 'plan.json', 's1', 's2', '-o', 'out')
        self.assertEqual(self.states(), {'slow.ctf': 'pass'})

    def test_parts_are_a_function_of_the_plan(self):
        self.inputs()
        listed = json.loads(self.bytes('plan.json'))
        self.assertEqual([u['size'] for u in listed['units']],
                         [(self.dir / u['path']).stat().st_size for u in listed['units']])
        for name in 'first', 'second':
            self.exits(2, 4)
            (self.dir / 's2').rename(self.dir / name)
        self.assertEqual(set(self.results('first')), set(self.results('second')))
        self.exits(7, 100)

    def test_a_plan_that_does_not_fit(self):
        self.capture('a.ctf', screen(RED))
        self.batch('plan', 'a.ctf', '-o', 'plan.json')
        plan = (self.dir / 'plan.json').read_text()
        program = json.loads(plan)['program']
        for change, message in ((lambda p: p.replace(program, program[::-1]), 'another build'),
                                (lambda p: p[:60], 'plan.json: line'),
                                (lambda p: '{}', 'expected a plan'),
                                (lambda p: p.replace('"last"', '"first"'), 'settings.frames'),
                                (lambda p: p.replace('"f24"', '24'), 'settings.float'),
                                (lambda p: p.replace('"a.ctf"', '3'), 'unit 0'),
                                (lambda p: re.sub('"content": "..', '"content": "', p), 'unit 0'),
                                (lambda p: re.sub(r'(?s)"units": \[.*\]', '"units": []', p), 'no units')):
            (self.dir / 'plan.json').write_text(change(plan))
            self.assertNotEqual(change(plan), plan)
            self.batch('run', 'plan.json', '-o', 'out', code=2)
            self.assertIn(message, self.err)
        self.assertFalse((self.dir / 'out').exists())

    def test_a_plan_with_a_member_less_or_more(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'blessed', '--golden', 'gold', '--bless')
        for options, n in ((), 14), (('--golden', 'gold'), 18):
            self.batch('plan', 'a.ctf', *options, '-o', 'plan.json')
            plan = json.loads(self.bytes('plan.json'))
            self.batch('run', 'plan.json', '-o', f'good{n}')
            cases = []
            for where, get in (('', lambda p: p), ('settings.', lambda p: p['settings']),
                               ('unit 0: ', lambda p: p['units'][0])):
                for name in list(get(plan)) + ['verfy']:
                    changed = json.loads(json.dumps(plan))
                    if name == 'verfy':
                        get(changed)[name] = True
                    else:
                        del get(changed)[name]
                    cases.append((f'{where}{name}', changed))
            self.assertGreaterEqual(len(cases), n)
            for name, changed in cases:
                (self.dir / 'plan.json').write_text(json.dumps(changed))
                for verb in 'run', 'merge':
                    self.batch(verb, 'plan.json', '-o', 'out', code=2)
                    if name not in ('schema', 'verb', 'program', 'units'):
                        self.assertIn(f'plan.json: {name}: ', self.err)
        for value in 1, None, 'true':
            changed = json.loads(json.dumps(plan))
            changed['settings']['verify'] = value
            (self.dir / 'plan.json').write_text(json.dumps(changed))
            self.batch('run', 'plan.json', '-o', 'out', code=2)
            self.assertIn('settings.verify: expected', self.err)
        self.assertFalse((self.dir / 'out').exists())

    def test_captures_and_golden_pictures_of_the_plan(self):
        self.capture('a.ctf', screen(RED))
        self.batch('a.ctf', '-o', 'out', '--golden', 'gold', '--bless')
        self.batch('plan', 'a.ctf', '--golden', 'gold', '-o', 'plan.json')
        self.batch('run', 'plan.json', '-o', 'out')
        self.capture('a.ctf', screen(BLUE))
        self.batch('run', 'plan.json', '-o', 'other', code=2)
        self.batch('merge', 'plan.json', '-o', 'other', code=2)
        self.assertEqual(self.rows('other')[0]['messages'], ['the file has changed since the batch began'])
        (self.dir / 'gold/new-top.png').write_bytes(b'x')
        self.batch('run', 'plan.json', '-o', 'out', code=2)
        self.assertIn('not those of the plan', self.err)

    def test_unreadable_captures_make_no_plan(self):
        self.batch('plan', 'gone.ctf', '-o', 'plan.json', code=2)
        self.assertIn('gone.ctf: No such file', self.err)
        self.assertEqual(self.files(), [])


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
