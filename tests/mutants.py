#!/usr/bin/env python3
"""Draws mutants of proto/ and service/ at random, builds each, and counts those that a test kills.

mutants.py ROOT [--count N (200)] [--seed N (1)] [--minutes N] [--folder DIR] [--jobs N (2)]

A mutant is a copy of the tree with one change: a swapped operator, a constant off by one, a negated condition or a
statement less. One that the compiler refuses is not counted. A crash, a failure or a timeout of a test kills it. Prints
a line a mutant and the diff of each survivor; fails where fewer than 80 % are killed. Some survivors are not a fault of the
tests: the mutant may do the same as the original.
"""
import argparse
import collections
import difflib
import fnmatch
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

GOAL = 0.8
Mutant = collections.namedtuple('Mutant', 'path line kind text')
# Each word and what takes its place. Spaces around binary operators tell them from unary ones.
SWAPS = [(' == ', ' != '), (' != ', ' == '), (' < ', ' <= '), (' <= ', ' < '), (' > ', ' >= '), (' >= ', ' > '),
         (' && ', ' || '), (' || ', ' && '), (' + ', ' - '), (' - ', ' + '), (' |= ', ' &= '), (' += ', ' = ')]
STATEMENT = re.compile(r'^\t+(?:[a-z_]+\(.*\)|[\w.\->\[\]*]+ (?:[|&+-]?=) [^{}]*|(?:[\w.\->]+)(?:\+\+|--)|break|continue);$')
CONDITION = re.compile(r'^(\t+(?:\} else )?(?:if|while) )\((.*)\) \{$')
NUMBER = re.compile(r'(?<![\w.\'"])(\d+)(?![\w.\'"])')
# What covers a file: the first pattern that fits it; quick tests run first.
PROTO = ['ring', 'job', 'sock']
DISPLAY = ['display', 'card', 'card_seat', 'uevent', 'seat', 'layout', 'presenter', 'bench-show', 'show-service',
           'focus-service', 'kiosk-service', 'compose-service']
SERVICE = ['loop', 'client', 'metrics', 'logfmt', 'sandbox', 'hostile-clients-epoll', 'hostile-clients-uring',
           'client-edges-epoll', 'client-edges-uring', 'service-double-fetch', 'service-isolation', 'service-kills',
           'service-limits-epoll', 'service-failures', 'quota', 'recording', 'picad', 'config', 'descriptors']
COVER = [('service/display*', DISPLAY), ('service/present*', DISPLAY), ('service/layout*', DISPLAY),
         ('service/frame_sink*', DISPLAY), ('service/kiosk*', DISPLAY), ('service/seat*', DISPLAY),
         ('service/uevent*', DISPLAY), ('service/options_display*', DISPLAY + ['config']),
         ('proto/*', [*PROTO, *SERVICE]), ('*', [*SERVICE, 'show-service', 'focus-service'])]
SLOW = {'quota', 'recording', 'picad', 'config', 'descriptors', 'card', 'seat', 'show-service', 'focus-service',
        'kiosk-service', 'compose-service'}


def code_lines(text):
    """Numbers and code of the lines that may change: of functions, without comments, tables and texts."""
    in_comment = in_function = False
    for number, line in enumerate(text.splitlines()):
        if in_comment or line.lstrip().startswith(('/*', '*')):
            in_comment = '*/' not in line
        elif re.match(r'^\w.*\{$', line):
            in_function = '(' in line
        elif line == '}':
            in_function = False
        elif in_function and '"' not in line and 'assert' not in line:
            yield number, line.split('/*')[0].rstrip()


def mutants_of(path, text):
    for number, line in code_lines(text):
        def mutant(kind, new):
            return Mutant(path, number, kind, new)
        for old, new in SWAPS:
            for m in re.finditer(re.escape(old), line):
                yield mutant(f'{old.strip()} becomes {new.strip()}', line[:m.start()] + new + line[m.end():])
        for m in NUMBER.finditer(line):
            yield mutant(f'{m[1]} becomes {int(m[1]) + 1}', line[:m.start()] + str(int(m[1]) + 1) + line[m.end():])
        if m := CONDITION.match(line):
            yield mutant('condition negated', f'{m[1]}(!({m[2]})) {{')
        if STATEMENT.match(line):
            yield mutant('statement removed', re.match(r'\t+', line)[0] + ';')


def draw(root, rng):
    """All mutants in random order, each kind and file as likely as it has places."""
    found = []
    for path in sorted([*(root / 'proto').glob('*.c'), *(root / 'service').glob('*.c')]):
        found += mutants_of(path.relative_to(root), path.read_text())
    rng.shuffle(found)
    return found


class Tree:
    """A copy of the sources with a build of its own."""

    def __init__(self, root, folder, jobs):
        self.root, self.build, self.jobs = folder / 'tree', folder / 'tree/build', str(jobs)
        if not self.root.exists():
            shutil.copytree(root, self.root, ignore=lambda where, names: [
                n for n in names if n == '.git' or (pathlib.Path(where) / n / 'meson-info').exists()])
        if not self.build.exists():
            subprocess.run(['meson', 'setup', self.build, self.root, '--buildtype=release', '-Db_ndebug=false'], check=True,
                           stdout=subprocess.DEVNULL)
        tests = [t for t in self.introspect('--tests') if t['name'] in PROTO + DISPLAY + SERVICE]
        self.there = {t['name'] for t in tests}
        needed = {i for t in tests for i in [*t['depends'], t['cmd'][0]]}
        self.targets = [pathlib.Path(t['filename'][0]).relative_to(self.build) for t in self.introspect('--targets')
                        if t['id'] in needed or t['filename'][0] in needed]
        if not self.compile():
            sys.exit('mutants: the tree does not build')

    def introspect(self, what):
        return json.loads(subprocess.check_output(['meson', 'introspect', what, self.build]))

    def compile(self):
        return subprocess.run(['ninja', '-C', self.build, '-j', self.jobs, *self.targets], stdout=subprocess.DEVNULL).returncode == 0

    def failing(self, path):
        """The first test that fails, or None."""
        names = next(names for pattern, names in COVER if fnmatch.fnmatch(str(path), pattern))
        for slow in (False, True):
            chosen = [n for n in names if n in self.there and (n in SLOW) == slow]
            run = subprocess.run(['meson', 'test', '-C', self.build, '--no-rebuild', '--maxfail', '1', '--num-processes',
                                  self.jobs, '--timeout-multiplier', '0.5', *chosen], capture_output=True, text=True)
            if run.returncode:
                bad = re.search(r'/ (\S+) +(?:FAIL|TIMEOUT|ERROR|INTERRUPT)', run.stdout)
                return bad[1] if bad else 'tests'
        return None

    def try_one(self, mutant):
        """(whether it builds, the test that kills it or None, diff)"""
        path = self.root / mutant.path
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        changed = [*lines]
        changed[mutant.line] = mutant.text + '\n'
        try:
            path.write_text(''.join(changed))
            builds = self.compile()
            return builds, builds and self.failing(mutant.path), ''.join(difflib.unified_diff(
                lines, changed, str(mutant.path), str(mutant.path)))
        finally:
            path.write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--folder', type=pathlib.Path)
    parser.add_argument('--jobs', type=int, default=2)
    args = parser.parse_args()
    end = time.monotonic() + 60 * args.minutes
    with tempfile.TemporaryDirectory() as temporary:
        tree = Tree(args.root.resolve(), (args.folder or pathlib.Path(temporary)).resolve(), args.jobs)
        if bad := tree.failing(pathlib.Path('proto/ring.c')) or tree.failing(pathlib.Path('service/layout.c')):
            sys.exit(f'mutants: {bad} fails without a change')
        counts = collections.Counter()
        for mutant in draw(tree.root, random.Random(args.seed)):
            if counts['run'] == args.count or time.monotonic() > end:
                break
            builds, killer, diff = tree.try_one(mutant)
            if not builds:
                continue
            counts['run'] += 1
            counts['killed'] += killer is not None
            print(f'{mutant.path}:{mutant.line + 1}: {mutant.kind}: {f"killed by {killer}" if killer else "SURVIVES"}')
            print('' if killer else diff, end='', flush=True)
    run, killed = counts['run'], counts['killed']
    print(f'{run} mutants, {killed} killed: {100 * killed / max(run, 1):.0f} % (goal {100 * GOAL:.0f} %)')
    sys.exit(run == 0 or killed < GOAL * run)


if __name__ == '__main__':
    main()
