"""The shared library, and names for its numbers."""
import errno
import os

from . import _native

ffi = _native.ffi


def _open():
    chosen = os.environ.get('PICA_LIBRARY')
    if chosen:
        return ffi.dlopen(chosen)
    try:
        return ffi.dlopen(os.path.basename(_native.LIBRARY))
    except OSError:
        return ffi.dlopen(_native.LIBRARY)


lib = _open()


def version():
    """The version of the library, as '0.1.0'."""
    word = lib.pica_version()
    return f'{word >> 16}.{word >> 8 & 0xFF}.{word & 0xFF}'


class CaptureError(ValueError):
    """A file that is not a capture, is damaged, or has a form that cannot be read.

    errno is EINVAL, EOPNOTSUPP or EFBIG; offset is that of the wrong byte, or None."""

    def __init__(self, message, number, offset):
        super().__init__(message)
        self.errno = number
        self.offset = offset


def check(result, what):
    """Returns the result; raises OSError or MemoryError for a negative errno."""
    if result >= 0:
        return result
    if result == -errno.ENOMEM:
        raise MemoryError(what)
    raise OSError(-result, f'{what}: {os.strerror(-result)}')


class Owner:
    """An object of the library, which a subclass opens as _handle. A context manager. NAME: for messages."""
    NAME = '?'

    @property
    def handle(self):
        """The struct of C, for functions of pica.lib or pica.client_lib."""
        self.check_open()
        return self._handle

    def check_open(self):
        """Raises ValueError if it is closed."""
        if self._handle is None:
            raise ValueError(f'the {self.NAME} is closed')

    def close(self):
        """Closes it, and frees everything that belongs to it."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
