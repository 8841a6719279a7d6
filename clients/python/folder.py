#!/usr/bin/env python3
"""Prints the folder below a prefix in which this Python looks for packages.

Debian's Python looks in /usr/local/lib/python3.N/dist-packages, not in the python3/dist-packages that Meson 1.0 takes:
so the interpreter's own list comes first. Below any other prefix, the folder has the name that a virtual environment
or a user's ~/.local has.
"""
import os
import site
import sys
import sysconfig


def folder(prefix):
    """The first folder of the interpreter's list that is below prefix/lib*, or what its installation would use there."""
    for path in site.getsitepackages():
        if os.path.normpath(path).startswith(os.path.join(prefix, 'lib')):
            return os.path.normpath(path)
    return sysconfig.get_path('purelib', 'posix_prefix', {'base': prefix, 'platbase': prefix})


print(folder(os.path.normpath(sys.argv[1])))
