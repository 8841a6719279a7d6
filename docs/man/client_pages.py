#!/usr/bin/env python3
"""Man pages of libpica-client, a page a function, from the comments of pica_client.h.

client_pages.py HEADER --list: the names. client_pages.py HEADER SCDOC FOLDER: writes all pages, formatted by the program SCDOC.
"""
import pathlib
import re
import subprocess
import sys


def functions(text):
    """{name: (declaration, comment, section)}: a comment belongs to the declarations directly after it."""
    found, comment, section = {}, '', ''
    body = text[text.index('extern "C" {'):]
    pattern = re.compile(r'/\*(?P<comment>.*?)\*/|^(?P<skip>(?:struct|enum)[^;()]*\{.*?^\};)|'
                         r'^(?P<declaration>(?!typedef|static|#)\w[^;{}]*?\b(?P<name>pica_client_\w+)\([^;]*\);)|\n(?P<gap>\n)',
                         re.S | re.M)
    for match in pattern.finditer(body):
        if match['comment'] is not None:
            words = ' '.join(line.strip().lstrip('*').strip() for line in match['comment'].splitlines())
            title = re.match(r'\s*---- (.*) ----\s*$', words)
            if title:
                section, comment = title[1].split(':')[0], ''
            else:
                comment = '\n\n'.join(paragraph(p) for p in re.split(r'\n\s*\*\s*\n', match['comment']))
        elif match['declaration']:
            found[match['name']] = (match['declaration'], comment, section)
        elif match['gap']:
            comment = ''
    return found


def paragraph(text):
    """One line; rows of errors, which are indented (`   -EINVAL  why`), stay lines of their own, with a tab between."""
    lines = []
    for line in (line.strip().removeprefix('*') for line in text.splitlines()):
        row = re.match(r'\s{3}((?:-E\w+(?:, )?)+(?:, \.\.\.)?)\s\s+(\S.*)', line)
        if row:
            lines.append(f'{row[1]}\t{row[2]}')
        elif re.match(r'\s{3}-E', line):
            lines.append(line.strip())
        elif lines:
            lines[-1] += ' ' + line.strip()
        else:
            lines.append(line.strip())
    return '\n'.join(lines).strip()


def escape(text):
    """Words as they are; names of functions in bold, arguments as the header writes them."""
    text = re.sub(r'([\\_*<>~#])', r'\\\1', text)
    text = re.sub(r'^-', r'\\-', text, flags=re.M)
    return re.sub(r'((?:pica|poll)(?:\\_\w+)*)\((2?)\)',
                  lambda m: f'*{m[1]}*({m[2] or 3})' if 'client' in m[1] or m[2] else f'{m[1]}()', text)


def escape_lines(text):
    """Applies escape() except to the rows of errors."""
    return '\n'.join(line if line.startswith('-E') else escape(line) for line in text.split('\n'))


def page(name, declaration, comment, section, others):
    first = re.split(r'[.:;,]\s|[.:;]$|\(', comment)[0].replace('\n', ' ').strip()
    rows = re.sub(r'^(-E[^\t\n]*)(?:\t(.*))?$', lambda m: f'\n*{m[1]}*' + (f'\n\t{escape(m[2])}' if m[2] else ''),
                  escape_lines(comment), flags=re.M)
    code = '\n'.join('\t' + line.replace('\t\t', '    ') for line in declaration.splitlines())
    see = ', '.join(f'*{other}*(3)' for other in others if other != name)
    return f'''{name}(3) "libpica"

# NAME

{name} - {escape(first[0].lower() + first[1:])}

# SYNOPSIS

```
	#include <pica_client.h>

{code}
```

# DESCRIPTION

{rows}

# ERRORS

Functions that return an int return a negative errno when they fail. What each number means everywhere, and how to
get a sentence about it, is in *pica-client*(7).

# THREADS

Calls on one client, and on what belongs to it, come from one thread at a time; *pica-client*(7) has the exceptions.

# SEE ALSO

*pica-client*(7){', ' + see if see else ''}
'''


def main():
    found = functions(pathlib.Path(sys.argv[1]).read_text())
    if sys.argv[2] == '--list':
        print('\n'.join(found))
        return
    scdoc, folder = sys.argv[2:]
    for name, (declaration, comment, section) in found.items():
        if not comment:
            sys.exit(f'{name}: no comment in {sys.argv[1]}')
        text = page(name, declaration, comment, section, [n for n, f in found.items() if f[2] == section])
        with open(f'{folder}/{name}.3', 'w') as out:
            subprocess.run([scdoc], input=text, text=True, stdout=out, check=True)


main()
