#!/usr/bin/env python3
"""Holds the form of C files: no line beyond 100 columns (a tab is 8), no file beyond 800 lines.

A line may be longer, up to 130 columns, only for a text that cannot be broken: one that holds a string of 32
characters or more, as messages are searched for whole.
"""
import pathlib
import re
import sys

COLUMNS, COLUMNS_OF_TEXT, LINES = 100, 130, 800
TEXT = re.compile(r'"(?:[^"\\]|\\.){32,}"')

root = pathlib.Path(__file__).resolve().parent.parent
wrong = []
for room in ('bench', 'clients', 'conformance', 'host', 'libpica', 'pictures', 'proto', 'service', 'tests'):
    for path in sorted((root / room).rglob('*.[ch]')):
        lines = path.read_text().splitlines()
        if len(lines) > LINES:
            wrong.append(f'{path.relative_to(root)}: {len(lines)} lines, at most {LINES}')
        for number, line in enumerate(lines, 1):
            width = len(line.expandtabs(8))
            if width > (COLUMNS_OF_TEXT if TEXT.search(line) else COLUMNS):
                wrong.append(f'{path.relative_to(root)}:{number}: {width} columns')
print('\n'.join(wrong) if wrong else 'form: every line and file within its bounds')
sys.exit(1 if wrong else 0)
