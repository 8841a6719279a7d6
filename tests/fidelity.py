#!/usr/bin/env python3
"""Holds docs/fidelity.md to the register table and the code.

Section 3: each id 000-2FF has one row, with the name of libpica/regs/pica_regs.def and an allowed state.
Section 2: states are allowed ones. Sections 2 and 4: the files that they name exist. Section 4: each file of
libpica/ with a [guess] or [REC] comment is named.
"""
import pathlib
import re
import sys

REGISTER_STATES = {'implemented', 'stored', 'ignored', 'hole'}
FEATURE_STATES = {'exact', 'agreed', 'recommended', 'guess', 'not yet'}
COUNT = 0x300

root = pathlib.Path(__file__).resolve().parent.parent
wrong = []


def registers():
    """id -> name of pica_regs.def, below COUNT."""
    text = (root / 'libpica/regs/pica_regs.def').read_text()
    rows = re.findall(r'^REG\(\s*0x([0-9A-Fa-f]+)\s*,\s*(\w+)\s*,', text, re.M)
    return {int(number, 16): name for number, name in rows if int(number, 16) < COUNT}


def sections():
    """Number of a section -> its lines, each with its number in the file."""
    found = {}
    current = 0
    for number, line in enumerate((root / 'docs/fidelity.md').read_text().splitlines(), 1):
        match = re.match(r'## (\d+)\. ', line)
        current = int(match.group(1)) if match else current
        found.setdefault(current, []).append((number, line))
    return found


def rows(lines, columns):
    """Body rows of the tables with that head: (line number, cells)."""
    inside = False
    for number, line in lines:
        if not line.startswith('|'):
            inside = False
            continue
        cells = [cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]]
        if cells == columns:
            inside = True
        elif inside and not re.fullmatch(r'[|:-]+', line):
            if len(cells) == len(columns):
                yield number, cells
            else:
                wrong.append(f'line {number}: {len(cells)} cells, the table has {len(columns)}')


def expand_ids(text):
    """'080, 0E8-0EF, 203-224/3' -> ids; a step is hexadecimal. None: not of that form."""
    ids = []
    for item in re.split(r',\s*', text):
        match = re.fullmatch(r'([0-9A-F]{3})(?:-([0-9A-F]{3})(?:/([0-9A-F]+))?)?', item)
        if not match:
            return None
        first = int(match.group(1), 16)
        last = int(match.group(2) or match.group(1), 16)
        step = int(match.group(3) or '1', 16)
        if last < first or step == 0 or (last - first) % step:
            return None
        ids += range(first, last + 1, step)
    return ids


def expand_names(text):
    """'LIGHT0-7_XY, ID' -> names, numbers running along."""
    names = []
    for item in re.split(r',\s*', text):
        match = re.fullmatch(r'(\w*?)(\d+)-(\d+)(\w*)', item)
        if match:
            head, first, last, tail = match.groups()
            names += [f'{head}{n}{tail}' for n in range(int(first), int(last) + 1)]
        else:
            names.append(item)
    return names


def check_registers(lines):
    table = registers()
    seen = {}
    for number, cells in rows(lines, ['id', 'name', 'state', 'source', 'notes']):
        ids, state = expand_ids(cells[0]), cells[2]
        if state not in REGISTER_STATES:
            wrong.append(f'line {number}: "{state}" is no state of a register')
        if ids is None:
            wrong.append(f'line {number}: "{cells[0]}" is no list of ids')
            continue
        names = [None] * len(ids) if cells[1] == '-' else expand_names(cells[1])
        if len(names) != len(ids):
            wrong.append(f'line {number}: {len(ids)} ids, but {len(names)} names')
            continue
        if not cells[3]:
            wrong.append(f'line {number}: no source')
        for register, name in zip(ids, names):
            if register >= COUNT:
                wrong.append(f'line {number}: {register:03X} is no id below {COUNT:03X}')
            if register in seen:
                wrong.append(f'line {number}: {register:03X} has a row already, line {seen[register]}')
            seen[register] = number
            if name != table.get(register):
                wrong.append(f'line {number}: {register:03X} is {table.get(register, "no register")} in '
                             f'pica_regs.def, not {name or "a hole"}')
            if (state == 'hole') != (register not in table):
                wrong.append(f'line {number}: {register:03X} has the state "{state}"')
    for register in range(COUNT):
        if register not in seen:
            wrong.append(f'section 3: no row for {register:03X} {table.get(register, "(hole)")}')
    return len(seen)


def check_features(lines):
    count = 0
    for number, cells in rows(lines, ['feature', 'state', 'source', 'code']):
        count += 1
        if cells[1] not in FEATURE_STATES:
            wrong.append(f'line {number}: "{cells[1]}" is no state of a feature')
        if not cells[2]:
            wrong.append(f'line {number}: no source')
    return count


def named_files(lines):
    files = set()
    for number, line in lines:
        for name in re.findall(r'`(?:libpica/)?(\w+/\w+\.(?:c|h|def))`', line):
            files.add(name)
            if not (root / 'libpica' / name).exists():
                wrong.append(f'line {number}: libpica/{name} does not exist')
    return files


def check_guesses(lines):
    files = named_files(lines)
    for path in sorted((root / 'libpica').glob('*/*')):
        if path.suffix not in ('.c', '.h', '.def'):
            continue
        name = str(path.relative_to(root / 'libpica'))
        if name not in files and re.search(r'\[(guess|REC)\b', path.read_text()):
            wrong.append(f'section 4: libpica/{name} guesses, and is not named')
    return sum(1 for _ in rows(lines, ['question', 'here', 'tag, source', 'code']))


found = sections()
for section in (2, 3, 4):
    if section not in found:
        wrong.append(f'section {section} is missing')
        found[section] = []
named_files(found[2])
n_features = check_features(found[2])
n_registers = check_registers(found[3])
n_guesses = check_guesses(found[4])
for name, n in (('feature', n_features), ('guess', n_guesses)):
    if n == 0:
        wrong.append(f'no {name} was found: has the head of the tables changed?')
print('\n'.join(f'docs/fidelity.md: {text}' for text in wrong) if wrong else
      f'fidelity: {n_registers} register ids, {n_features} features, {n_guesses} guesses')
sys.exit(1 if wrong else 0)
