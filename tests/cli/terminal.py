"""Pseudo terminals for tests; a chroot without /dev/pts has none."""
import pty
import sys
import unittest


def openpty():
    """As pty.openpty(); skips the calling test if the system has none."""
    try:
        return pty.openpty()
    except OSError as error:
        reason = f'no pseudo terminal to be had (/dev/ptmx, /dev/pts): {error}'
        print(f'skipped: {reason}', file=sys.stderr)
        raise unittest.SkipTest(reason) from None
