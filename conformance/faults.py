#!/usr/bin/env python3
"""Plants faults in copies of the renderer, one at a time, and checks which cases of `pica conform` fail.

faults.py ROOT [--only NAME] [--folder DIR] [--jobs N (2)]

A fault is one change in one line, of one feature. It is found in its own case: cases of that feature fail, and no others.
Prints a line a fault with the number and the first of the cases that fail. Exit status 1: a fault was not found, or showed
elsewhere.
"""
import argparse
import fnmatch
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Name, file below libpica/, text, its replacement, cases.
FAULTS = [
    ('texels of HILO8 with bytes exchanged', 'pica/tex/decode_c.c',
     'rgba(src[2 * index + 1], src[2 * index], 0, 255)', 'rgba(src[2 * index], src[2 * index + 1], 0, 255)', 'texture-hilo8-*'),
    ('ETC1 blocks halved the other way', 'pica/tex/decode_c.c', '(flip ? y : x) >= 2', '(flip ? x : y) >= 2', 'texture-etc1*'),
    ('mirrored repeat without its last texel', 'pica/tex/private.h',
     'c < n ? c : 2 * n - 1 - c', 'c < n ? c : 2 * n - 2 - c', 'wrap-?-mirror-*'),
    ('maximum in blending without factors', 'pica/frag/blend_c.c',
     's * sf > d * df ? s * sf : d * df', '255 * (s > d ? s : d)', 'blend-equation-max-* blend-max-of-*'),
    ('blending divides with rounding', 'pica/frag/blend_c.c',
     'BLEND_DIV255(x) ((x) / 255)', 'BLEND_DIV255(x) ((2 * (x) + 255) / 510)', 'blend-* target-*-blend'),
    ('fog without differences between entries', 'pica/frag/fog.h', '(float)difference * f;', '(float)difference;', 'fog-* gas-*'),
    ('combiner operand 1 - alpha as alpha', 'pica/frag/resolve.c',
     '{ v.alpha, code & 1 }', '{ v.alpha, 0 }', 'combiner-operand-rgb?-1-a'),
    ('previous in stage 0 as in any stage', 'pica/frag/resolve.c',
     's == 0 && from', 's == 9 && from', 'combiner-previous-in-stage-0-*'),
    ('less as less or equal', 'pica/frag/key.c',
     '[COMPARE_LESS] = RELATION_LESS,', '[COMPARE_LESS] = RELATION_LESS | RELATION_EQUAL,',
     'depth-*-less alpha-test-less-* stencil-less-*'),
    ('depth map without its offset', 'pica/frag/test_c.c',
     'zow[i] * scale + offset;', 'zow[i] * scale + 0 * offset;', 'depth-map-*'),
    ('stencil increment wraps', 'pica/frag/test_c.c', 'old < 255 ? old + 1 : 255', '(old + 1) & 255', 'stencil-*-increment*'),
    ('outputs that nothing maps are 0', 'pica/geom/outmap.c',
     'memset(m->from, OUT_MAP_ONE,', 'memset(m->from, OUT_MAP_ZERO,', 'output-*-unmapped* output-color-half-mapped'),
    ('colours of vertices keep their sign', 'pica/geom/outmap.c', 'fabsf(v->a[c])', 'v->a[c]', 'vertex-colors-absolute shader-*'),
    ('a uniform beyond c95 is c0', 'pica/shader/arith.h', 'return k < 96 ? (int)k : -1;', 'return k < 96 ? (int)k : 0;',
     'shader-uniform-beyond-c95'),
    ('procedural pulse at the end', 'pica/frag/proctex_c.c', 'c > 0.5f ? 1.0f', 'c >= 1.0f ? 1.0f', 'procedural-clamp-?-pulse*'),
    ('light without its distance', 'pica/frag/light_c.c', 'f->distance ? f->distance[i] : 1.0f', '1.0f', 'light-*'),
    ('transfers to RGB565 lose a bit of green', 'pica/xfer/pixel_c.c', 'px[i] >> 10 & 63', 'px[i] >> 10 & 62',
     'transfer-*-to-rgb565 target-rgb565-* depth-d16-*'),
]


class Tree:
    """A copy of the sources, built without vector kernels: the plain ones have the faults."""

    def __init__(self, root, folder, jobs):
        self.root, self.build, self.jobs = folder / 'tree', folder / 'tree/build', str(jobs)
        if not self.root.exists():
            shutil.copytree(root, self.root, ignore=lambda where, names: [
                n for n in names if n == '.git' or (pathlib.Path(where) / n / 'meson-info').exists()])
        if not self.build.exists():
            subprocess.run(['meson', 'setup', self.build, self.root, '--buildtype=release', '-Disas=', '-Dtests=false', '-Dman=disabled',
                            '-Dpython=disabled'], check=True, stdout=subprocess.DEVNULL)
        self.compile('conformance/conformance')

    def compile(self, *more):
        subprocess.run(['ninja', '-C', self.build, '-j', self.jobs, 'clients/pica/pica', *more], check=True,
                       stdout=subprocess.DEVNULL)

    def failed(self):
        """Names of the cases that fail."""
        self.compile()
        run = subprocess.run([self.build / 'clients/pica/pica', 'conform', '--json', '--isa', 'c'], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f'faults: {run.stderr}')
        return [case['name'] for case in json.loads(run.stdout)['failed']]

    def plant(self, file, old, new):
        """The cases that fail with that change."""
        path = self.root / 'libpica' / file
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f'faults: {file}: expected `{old}` once')
        try:
            path.write_text(text.replace(old, new))
            return self.failed()
        finally:
            path.write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('--only', default='')
    parser.add_argument('--folder', type=pathlib.Path)
    parser.add_argument('--jobs', type=int, default=2)
    args = parser.parse_args()
    missed = n = 0
    with tempfile.TemporaryDirectory() as temporary:
        tree = Tree(args.root.resolve(), (args.folder or pathlib.Path(temporary)).resolve(), args.jobs)
        if bad := tree.failed():
            sys.exit(f'faults: {bad[0]} fails without a fault')
        for name, file, old, new, own in FAULTS:
            if args.only not in name:
                continue
            n += 1
            failed = tree.plant(file, old, new)
            elsewhere = [f for f in failed if not any(fnmatch.fnmatchcase(f, o) for o in own.split())]
            missed += not failed or bool(elsewhere)
            print(f'{name}: {len(failed)} cases: {" ".join(failed[:3]) or "NOT FOUND"}', end='')
            print(f'; ELSEWHERE: {" ".join(elsewhere)}' if elsewhere else '', flush=True)
    print(f'{n - missed} of {n} faults found in their own cases')
    sys.exit(missed > 0)


if __name__ == '__main__':
    main()
