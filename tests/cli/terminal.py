"""Terminals for tests: pseudo ones, which a chroot without /dev/pts does not have."""
import pty
import sys
import unittest


def openpty():
    """As pty.openpty(); a test that calls it is skipped where the system has none to give."""
    try:
        return pty.openpty()
    except OSError as error:
        reason = f'no pseudo terminal to be had (/dev/ptmx, /dev/pts): {error}'
        print(f'skipped: {reason}', file=sys.stderr)
        raise unittest.SkipTest(reason) from None
