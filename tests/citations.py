#!/usr/bin/env python3
"""What code and documents cite exists: pages and sections of the hardware reference, decisions, documents.

docs/sources.md says what the pages of the reference are, which sections they have, and lists the decisions.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
text = (root / 'docs/sources.md').read_text()
pages = {}
for page, body in re.findall(r'^\*\*([\w-]+)\.md\*\*\n(.*?)(?=\n\n|\Z)', text, re.M | re.S):
    pages[page] = set(re.findall(r'(?:^|; )(\d+(?:\.\d+)?) ', body.replace('\n', ' ')))
decisions = {int(n) for n in re.findall(r'\*\*Decision (\d+)', text)}

suffixes = {'.c', '.h', '.def', '.py', '.md', '.build', '.scd'}
ignored = {'docs/sources.md', 'tests/citations.py'}
folders = ("clients", "docs", "libpica", "pictures", "proto", "service", "tests")
files = [p for folder in folders for p in sorted((root / folder).rglob('*')) if p.suffix in suffixes and p.is_file()]
documents = {p.name for p in [root / 'README.md', *(root / 'docs').glob('*.md'), *(root / 'tests').rglob('*.md')]}

wrong = []
cited = 0
for path in files:
    name = str(path.relative_to(root))
    if name in ignored or 'tests/data/' in name:
        continue
    for number, line in enumerate(path.read_text(errors='replace').splitlines(), 1):
        for page, sections in re.findall(r'\b([a-z][\w-]*)\.md\b((?:,? (?:and |to )?\d+(?:\.\d+)*)*)', line):
            cited += 1
            if page not in pages:
                if f'{page}.md' not in documents:
                    wrong.append(f'{name}:{number}: there is no {page}.md here, nor in docs/sources.md')
                continue
            # The first number is a section; those behind it may be registers.
            first = re.search(r'\d+(?:\.\d+)*', sections)
            if first and first[0] not in pages[page]:
                wrong.append(f'{name}:{number}: {page}.md has no section {first[0]} in docs/sources.md')
        for decision in re.findall(r'\b[Dd]ecisions? (\d+)', line):
            cited += 1
            if int(decision) not in decisions:
                wrong.append(f'{name}:{number}: decision {decision} is not in docs/sources.md')
print('\n'.join(wrong) if wrong else f'citations: {cited}, all of things that docs/sources.md or the tree has')
sys.exit(1 if wrong or cited < 100 else 0)
