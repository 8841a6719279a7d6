#!/usr/bin/env python3
"""Rows for protocol_page.c from the protocol's headers: protocol_rows.py HEADER...

FIELD(struct, member) for each member of a structure, NUMBER(name) for each enumerator but the ends of a range.
"""
import re
import sys

for header in sys.argv[1:]:
    with open(header, encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    text = re.sub(r'union \{.*?\} (\w+);', r'union \1;', text, flags=re.S)
    for name, body in re.findall(r'^struct (\w+) \{(.*?)^\};', text, flags=re.S | re.M):
        for declaration in filter(str.strip, body.split(';')):
            for member in re.findall(r'(\w+)(?:\[\w+\])?(?:,|$)', declaration.strip()):
                print(f'FIELD({name}, {member})')
    for body in re.findall(r'^enum(?: \w+)? \{(.*?)\}', text, flags=re.S | re.M):
        for name in re.findall(r'(?:^|,)\s*(PICA_\w+)', body):
            if not re.search('_(END|COUNT)$', name):
                print(f'NUMBER({name})')
