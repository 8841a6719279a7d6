#!/usr/bin/env python3
"""Declarations of the public headers as a module for cffi: generate.py OUTPUT LIBRARY PROGRAM -I DIR HEADER... -- COMPILER...

The compiler expands the headers; parts that cffi cannot parse (assertions about sizes, inline functions of pica_regs.h)
are left out. LIBRARY and PROGRAM are where the shared library and `pica` will be installed.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi


def declarations(compiler, folders, headers):
    with tempfile.TemporaryDirectory() as empty:
        # cffi knows the C library's types itself.
        for name in 'stdbool.h', 'stddef.h', 'stdint.h':
            (pathlib.Path(empty) / name).write_text('')
        includes = [f'-I{folder}' for folder in folders]
        unit = ''.join(f'#include "{header}"\n' for header in headers)
        command = compiler + ['-E', '-P', '-nostdinc', f'-I{empty}', *includes, '-DPICA_REGS_H', '-xc', '-']
        text = subprocess.run(command, input=unit, text=True, stdout=subprocess.PIPE, check=True).stdout
    return re.sub(r'_Static_assert\s*\(.*?"\s*\);', '', text, flags=re.S)


def main():
    split = sys.argv.index('--')
    parser = argparse.ArgumentParser()
    parser.add_argument('output')
    parser.add_argument('library')
    parser.add_argument('program')
    parser.add_argument('-I', dest='folders', action='append', default=[])
    parser.add_argument('headers', nargs='+')
    args = parser.parse_args(sys.argv[1:split])
    ffi = cffi.FFI()
    ffi.cdef(declarations(sys.argv[split + 1:], args.folders, args.headers))
    ffi.set_source('pica._native', None)
    ffi.emit_python_code(args.output)
    with open(args.output, 'a', encoding='utf-8') as module:
        module.write(f'LIBRARY = {args.library!r}\nPROGRAM = {args.program!r}\n')


main()
