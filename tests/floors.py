#!/usr/bin/env python3
"""Holds the include order, and the table of rooms of docs/architecture.md, over the whole tree.

A file includes its own room, rooms on lower floors, and public headers. libpica/core/ names no chip: it includes
libpica/core/, proto/ and public headers only. The service and the clients meet in libpica-client alone.
"""
import pathlib
import re
import sys

# Room (a folder, the longest match wins) -> floor.
FLOOR = {
    'proto': 0, 'libpica/include': 1,
    'libpica/core/base': 2,
    'libpica/core/sched': 3, 'libpica/core/vec': 3, 'libpica/vc4/qpu': 3,
    'libpica/core/space': 4, 'libpica/core/queue': 4, 'libpica/pica/regs': 4,
    'libpica/core/raster': 5, 'libpica/pica/tex': 5, 'libpica/pica/xfer': 5, 'libpica/pica/emit': 5,
    'libpica/vc4/list': 5, 'libpica/vc4/tex': 5,
    'libpica/core/chunk': 6, 'libpica/vc4/run': 6,
    'libpica/core/tile': 7, 'libpica/pica/shader': 7,
    'libpica/core/pass': 8, 'libpica/pica/geom': 8, 'libpica/pica/frag': 8, 'libpica/pica/toolchain': 8,
    'libpica/core/ctx': 9, 'libpica/pica/draw': 9, 'libpica/vc4/draw': 9,
    'libpica/capture/form': 9, 'libpica/capture/disk': 10, 'libpica/vc4/front': 10,
    'libpica/pica/history': 10, 'libpica/pica/front': 11,
    'libpica/capture/container': 11, 'libpica/capture/citrace': 11,
    'libpica/capture': 12,
    'libpica/inspect': 13, 'libpica/record': 13,
    'libpica': 14,
    'pictures': 15,
    'options': 16,
    'service': 17,
    'clients/lib': 18,
    'clients': 19, 'host': 19, 'clients/scenes': 20, 'clients/pica': 20, 'clients/vc4-shim': 20,
    'bench': 21, 'conformance': 21, 'tests': 22,
}
# The independent renderer shares number formats and the register table with what it checks, and nothing else.
NAIVE = {'libpica/core/base', 'libpica/pica/regs', 'libpica/include', 'proto', 'tests'}

root = pathlib.Path(__file__).resolve().parent.parent
search = [root, root / 'libpica', root / 'libpica/include', root / 'proto', root / 'clients', root / 'clients/lib',
          root / 'clients/pica', root / 'clients/scenes', root / 'tests/naive', root / 'conformance']


def room_of(path):
    """The room of a path relative to the root."""
    while str(path) != '.':
        if str(path) in FLOOR:
            return str(path)
        path = path.parent
    return ''


wrong = []
count = 0
for top in ('proto', 'libpica', 'pictures', 'options', 'service', 'host', 'clients', 'bench', 'conformance', 'tests'):
    for path in sorted((root / top).rglob('*.[ch]')):
        name = path.relative_to(root)
        room = room_of(name.parent)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            found = next((p / match[1] for p in [path.parent, *search] if (p / match[1]).is_file()), None)
            if not found:
                wrong.append(f'{name}:{number}: there is no {match[1]}')
                continue
            other = room_of(found.resolve().relative_to(root).parent)
            count += 1
            where = f'{name}:{number}: {room} includes {other}'
            if room != other and FLOOR[other] >= FLOOR[room]:
                wrong.append(where)
            if room == 'proto' and other != 'proto':
                wrong.append(where)
            if room.startswith('libpica/core') and \
                    not other.startswith(('libpica/core', 'libpica/include', 'proto')):
                wrong.append(where)
            if room == 'service' and other.startswith('libpica') and \
                    other not in ('libpica/include', 'libpica/core/base', 'libpica/core/sched'):
                wrong.append(where)
            if re.match(r'tests/naive/naive', str(name)) and name.name != 'naive_scenes.c' and other not in NAIVE:
                wrong.append(where)
page = (root / 'docs/architecture.md').read_text()
table = {room: int(floor) for floor, room in re.findall(r'^\| (\d+) \| `([\w/-]+)/` \|', page, re.M)}
for room in sorted(FLOOR.keys() | table.keys()):
    if FLOOR.get(room) != table.get(room):
        wrong.append(f'docs/architecture.md: {room} stands on floor {table.get(room)}, not {FLOOR.get(room)}')
print('\n'.join(wrong) if wrong else f'floors: {count} includes, every one points down')
sys.exit(1 if wrong else 0)
