#!/usr/bin/env python3
"""Holds the include order of docs/architecture.md: a room includes lower floors, itself and public headers."""
import pathlib
import re
import sys

FLOOR = {
    'base': 0, 'proto': 0,
    'vec': 1, 'sched': 1,
    'regs': 2, 'space': 2,
    'tex': 3, 'shader': 3, 'raster': 3, 'xfer': 3, 'emit': 3,
    'geom': 4, 'frag': 4,
    'draw': 5,
    'tile': 6,
    'pass': 7,
    'front': 8, 'capture': 8,
    'inspect': 9, 'record': 9,
}
# Exceptions, each with its reason.
ALLOWED = {
    ('tests/naive', 'base'), ('tests/naive', 'regs'),  # number formats and the register table only
}

root = pathlib.Path(__file__).resolve().parent.parent
wrong = []
for path in sorted((root / 'libpica').glob('*/*.[ch]')):
    room = path.parent.name
    if room == 'include':
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"(\w+)/', line)
        if not match:
            continue
        other = match.group(1)
        if other != room and (other not in FLOOR or FLOOR[other] >= FLOOR[room]):
            wrong.append(f'{path.relative_to(root)}:{number}: room {room} includes {other}')
for path in sorted((root / 'tests/naive').glob('naive*.[ch]')):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"(\w+)/', line)
        if match and ('tests/naive', match.group(1)) not in ALLOWED:
            wrong.append(f'{path.relative_to(root)}:{number}: the naive renderer includes {match.group(1)}')
for path in sorted((root / 'proto').glob('*.[ch]')):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r'\s*#\s*include\s+"\w+/', line):
            wrong.append(f'{path.relative_to(root)}:{number}: proto depends on nothing')
print('\n'.join(wrong) if wrong else 'floors: every include points down')
sys.exit(1 if wrong else 0)
