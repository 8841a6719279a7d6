#!/usr/bin/env python3
"""Scans the code of the pixel path: objects.py OBJDUMP LIBRARY...

A pixel has one value on every machine. So no object may contract a*b+c to one rounding, estimate a reciprocal, or call
a function of libm that rounds as its version does. floorf and truncf have one result each.
"""
import re
import subprocess
import sys

INEXACT = re.compile(r'\t(v?fn?m(?:add|sub)\w*|v?r(?:cp|sqrt)\d*[ps][sdh]|fml[as]\w*|[uf]r(?:ecp|sqrt)[esx])\b')
LIBM = re.compile(r'R_\w+\s+((?:a?(?:sin|cos|tan)h?|atan2|sincos|exp2?|exp10|expm1|log(?:2|10|1p|b)?|pow|sqrt|cbrt|hypot|fmod'
                  r'|remainder|fma|ceil|floor|trunc|round|roundeven|rint|nearbyint|ll?rint|ll?round|ldexp|frexp|modf'
                  r'|scalbl?n|fmin|fmax|fdim)[fl]?)(?:@|-0x|\s)')
EXACT = {'floorf', 'truncf'}

failures, products = [], 0
for library in sys.argv[2:]:
    dump = subprocess.run([sys.argv[1], '-dr', '--no-show-raw-insn', library], check=True, capture_output=True, text=True)
    for part in re.split(r'\n(?=\S+: +file format)', dump.stdout):
        name = part.strip().split(':')[0]
        products += len(re.findall(r'\tv?(?:mulps|fmul)\b', part))
        found = set(INEXACT.findall(part)) | set(LIBM.findall(part)) - EXACT
        failures += [f'objects: {library}: {name}: {word}' for word in sorted(found)]
print('\n'.join(failures) or f'objects: {len(sys.argv) - 2} libraries, {products} products')
sys.exit(bool(failures) or products < 100)
