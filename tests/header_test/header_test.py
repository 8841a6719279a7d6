#!/usr/bin/env python3
"""Compiles each header alone, and twice in one unit: header_test.py --language c|c++ [-I DIR] HEADER... -- COMPILER..."""
import argparse
import pathlib
import subprocess
import sys

STANDARD = {'c': 'c11', 'c++': 'c++17'}
# No -Wshadow: a struct and a function may share a name, as stat does.
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wundef', '-Werror']

split = sys.argv.index('--')
compiler = sys.argv[split + 1:]
parser = argparse.ArgumentParser()
parser.add_argument('--language', choices=STANDARD, required=True)
parser.add_argument('-I', dest='folders', action='append', default=[])
parser.add_argument('headers', nargs='+', type=pathlib.Path)
args = parser.parse_args(sys.argv[1:split])
if not compiler:
    print(f'there is no compiler for {args.language}')
    sys.exit(77)

failed = 0
for header in args.headers:
    command = compiler + [f'-std={STANDARD[args.language]}', *WARNINGS, '-fsyntax-only', '-x', args.language]
    for folder in args.folders:
        command += ['-I', folder]
    unit = f'#include "{header.name}"\n#include "{header.name}"\n'
    run = subprocess.run(command + ['-'], input=unit, text=True, capture_output=True)
    if run.returncode != 0:
        failed += 1
        print(f'{header.name} as {STANDARD[args.language]}:\n{run.stderr}')
print(f'{len(args.headers)} headers as {STANDARD[args.language]} with {compiler[0]}: {failed} wrong')
sys.exit(1 if failed else 0)
