#!/usr/bin/env python3
"""Holds docs/fidelity.md to the register table and the code.

Section 3: each id 000-2FF has one row, with the name of libpica/include/regs/pica_regs.def, an allowed state and a source:
rows of section 8, and marks of docs/sources.md. An id that is stored or ignored was shown to do nothing by a console, or
section 4 lists it, with a reason and a source; section 4 lists no other id.
Section 2: states are allowed ones. Sections 2 and 4: the files that they name exist. Section 4: each file of
libpica/ with a [guess] or [REC] comment is named.
"""
import pathlib
import re
import sys

REGISTER_STATES = {'implemented', 'stored', 'ignored', 'hole'}
FEATURE_STATES = {'exact', 'agreed', 'recommended', 'guess', 'not yet'}
COUNT = 0x300
NO_EFFECT = ('HW: no visible effect', 'HW: no function found')

root = pathlib.Path(__file__).resolve().parent.parent
wrong = []


def registers():
    """id -> name of pica_regs.def, below COUNT."""
    text = (root / 'libpica/include/regs/pica_regs.def').read_text()
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


def reference():
    """The rows of section 8, and the marks of docs/sources.md."""
    anchors = {cells[0] for columns in (['anchor', 'what is known', 'source'], ['anchor', 'what holds', 'source'])
               for _, cells in rows(found[8], columns)}
    rows_of_marks = re.findall(r'^\| ((?:\[[^]]+\](?:, )?)+) \|', (root / 'docs/sources.md').read_text(), re.M)
    return anchors, set(re.findall(r'\[([^]]+)\]', ' '.join(rows_of_marks)))


def wrong_source(text):
    """What is wrong with 'early-depth, depth-test [REC]; addresses'; None: it exists."""
    for tag in re.findall(r'\[([^]]*)\]', text):
        # GBATEK is a source by itself.
        if not any(word in marks | {'GBATEK'} for word in re.split(r'[\s:;,-]+', tag)):
            return f'[{tag}] has no mark of docs/sources.md'
    anchors = [word.strip() for word in re.split('[;,]', re.sub(r'\s*\[[^]]*\]\s*', '', text))]
    missing = [word for word in anchors if word not in facts]
    return f'section 8 has no row {", ".join(missing)}' if missing else None


def guessed_ids(lines):
    """ids that the table of registers without an effect lists -> line."""
    listed = {}
    for number, cells in rows(lines, ['id', 'on hardware', 'here, and why', 'tag, source']):
        ids = expand_ids(cells[0])
        if ids is None:
            wrong.append(f'line {number}: "{cells[0]}" is not a list of ids')
            continue
        if len(cells[2].split()) < 3:
            wrong.append(f'line {number}: no reason')
        trouble = wrong_source(cells[3])
        if trouble or not cells[3].startswith('['):
            wrong.append(f'line {number}: source: {trouble or "no mark"}')
        for register in ids:
            if register in listed:
                wrong.append(f'line {number}: {register:03X} stands in line {listed[register]} already')
            listed[register] = number
    return listed


def check_registers(lines, guessed):
    table = registers()
    seen = {}
    needs = set()
    for number, cells in rows(lines, ['id', 'name', 'state', 'source', 'notes']):
        ids, state = expand_ids(cells[0]), cells[2]
        if state not in REGISTER_STATES:
            wrong.append(f'line {number}: "{state}" is not a state of a register')
        if ids is None:
            wrong.append(f'line {number}: "{cells[0]}" is not a list of ids')
            continue
        names = [None] * len(ids) if cells[1] == '-' else expand_names(cells[1])
        if len(names) != len(ids):
            wrong.append(f'line {number}: {len(ids)} ids, but {len(names)} names')
            continue
        trouble = wrong_source(cells[3])
        if trouble:
            wrong.append(f'line {number}: source: {trouble}')
        shown = state == 'stored' and any(f'[{tag}]' in cells[3] for tag in NO_EFFECT)
        if state in ('stored', 'ignored') and not shown:
            needs.update(ids)
        for register, name in zip(ids, names):
            if register >= COUNT:
                wrong.append(f'line {number}: {register:03X} is not an id below {COUNT:03X}')
            if register in seen:
                wrong.append(f'line {number}: {register:03X} has a row already, line {seen[register]}')
            seen[register] = number
            if name != table.get(register):
                wrong.append(f'line {number}: {register:03X} is {table.get(register, "no register")} in '
                             f'pica_regs.def, not {name or "a hole"}')
            if (state == 'hole') != (register not in table):
                wrong.append(f'line {number}: {register:03X} has the state "{state}"')
    for register in sorted(needs - guessed.keys()):
        wrong.append(f'line {seen[register]}: {register:03X} has no effect here, which no source shows and section 4 '
                     'does not list')
    for register in sorted(guessed.keys() - needs):
        wrong.append(f'line {guessed[register]}: {register:03X} is listed as without an effect, section 3 says otherwise')
    for register in range(COUNT):
        if register not in seen:
            wrong.append(f'section 3: no row for {register:03X} {table.get(register, "(hole)")}')
    return len(seen)


def check_features(lines):
    count = 0
    for number, cells in rows(lines, ['feature', 'state', 'source', 'code']):
        count += 1
        if cells[1] not in FEATURE_STATES:
            wrong.append(f'line {number}: "{cells[1]}" is not a state of a feature')
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
for section in (2, 3, 4, 8):
    if section not in found:
        wrong.append(f'section {section} is missing')
        found[section] = []
facts, marks = reference()
named_files(found[2])
n_features = check_features(found[2])
n_registers = check_registers(found[3], guessed_ids(found[4]))
n_guesses = check_guesses(found[4])
for name, n in (('feature', n_features), ('guess', n_guesses)):
    if n == 0:
        wrong.append(f'no {name} was found: has the head of the tables changed?')
print('\n'.join(f'docs/fidelity.md: {text}' for text in wrong) if wrong else
      f'fidelity: {n_registers} register ids, {n_features} features, {n_guesses} guesses')
sys.exit(1 if wrong else 0)
