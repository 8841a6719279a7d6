#!/usr/bin/env python3
"""Checks that everything cited by code and documents exists: rows of docs/fidelity.md, section 8, their sources, pages
of the tree.

A comment cites a row as `fidelity: fill-rule` or `fidelity: fill-rule, scissor`. Each row names a source of docs/sources.md
and is cited somewhere. Nothing cites a page that is not in the tree, nor a decision by its number. Source files that a page of
docs/ names in backticks exist.
"""
import pathlib
import re
import sys

SPACE = r'\s+(?:[*#]\s+)?'
ANCHOR = r'[a-z][a-z0-9]*(?:-[a-z0-9]+)*'
CITATION = re.compile(rf'\bfidelity:{SPACE}({ANCHOR}(?:,{SPACE}{ANCHOR})*)')
SUFFIXES = {'.c', '.h', '.def', '.py', '.md', '.build', '.scd'}
FOLDERS = ('clients', 'conformance', 'docs', 'host', 'libpica', 'pictures', 'proto', 'service', 'tests')

root = pathlib.Path(__file__).resolve().parent.parent
fidelity = (root / 'docs/fidelity.md').read_text()
at = fidelity.index('\n## 8. ')
rows = {name: source for name, source in
        re.findall(rf'^\| ({ANCHOR}) \| .* \| (.*) \|$', fidelity[at:], re.M) if name != 'anchor'}
# The first column of the first table: the allowed names of sources.
names = re.findall(r'^\| ([\w /-]+) \|', (root / 'docs/sources.md').read_text().split('## Certainty')[0], re.M)
names = [name for name in names if name not in ('name', '---')]

wrong = []
cited = set()
count = 0


def cite(where, anchors):
    for anchor in anchors:
        cited.add(anchor)
        if anchor not in rows:
            wrong.append(f'{where}: docs/fidelity.md has no row {anchor}')


# The tables of sections 2 to 7 name rows without the word `fidelity`.
for line in fidelity[:at].splitlines():
    if line.startswith('|') or line.startswith('* **'):
        cited.update(word for word in re.findall(ANCHOR, line) if word in rows)
documents = {p.name for p in [root / 'README.md', *(root / 'docs').glob('*.md'), *(root / 'tests').rglob('*.md')]}
for path in (p for folder in FOLDERS for p in sorted((root / folder).rglob('*'))):
    name = str(path.relative_to(root))
    if path.suffix not in SUFFIXES or not path.is_file() or 'tests/data/' in name or name == 'tests/citations.py':
        continue
    text = path.read_text(errors='replace')
    for match in CITATION.finditer(text):
        count += 1
        cite(f'{name}:{text.count(chr(10), 0, match.start()) + 1}', re.findall(ANCHOR, match[1]))
    for number, line in enumerate(text.splitlines(), 1):
        for page in re.findall(r'\b([a-zA-Z][\w-]*\.md)\b', line):
            if page not in documents:
                wrong.append(f'{name}:{number}: there is no {page} here')
        if re.search(r'\b[Dd]ecisions? \d', line):
            wrong.append(f'{name}:{number}: cites a decision by its number: name the row of docs/fidelity.md')
sources = [str(p.relative_to(root)) for top in (*FOLDERS, 'options') for p in (root / top).rglob('*') if p.is_file()]
for path in sorted((root / 'docs').glob('*.md')):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in re.findall(r'`([\w./-]+\.(?:c|h|def|py))`', line):
            if not any(source == name or source.endswith('/' + name) for source in sources):
                wrong.append(f'docs/{path.name}:{number}: there is no {name}')
for anchor, source in rows.items():
    if not any(re.search(rf'\b{re.escape(name)}', source) for name in names):
        wrong.append(f'docs/fidelity.md: {anchor}: no source of docs/sources.md')
    if anchor not in cited:
        wrong.append(f'docs/fidelity.md: {anchor}: nothing cites this row')
print('\n'.join(wrong) if wrong else f'citations: {count}, of {len(rows)} rows with a source each')
sys.exit(1 if wrong or count < 100 else 0)
