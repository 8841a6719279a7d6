"""Captures: files of what a program told the GPU."""
import errno
import os

from ._library import CaptureError, check, ffi, lib
from .state import State

_BAD = {-errno.EINVAL, -errno.EOPNOTSUPP, -errno.EFBIG}


class Capture:
    """A capture: Capture(path), or Capture(data=bytes) for one in memory. A context manager.

    frames      number of frames, at least 1: a capture without a frame marker ends in its one frame
    name        its path, or 'memory'
    trust_loads True: recorded textures replace what was drawn in their place
    """

    def __init__(self, path=None, data=None, trust_loads=False):
        if (path is None) == (data is None):
            raise TypeError('expected either a path or data')
        out = ffi.new('struct pica_capture **')
        error = ffi.new('struct pica_capture_error *')
        self._data = None  # is read as long as the capture is open
        if path is not None:
            self.name = os.fspath(path)
            ret = lib.pica_capture_open(out, os.fsencode(self.name), error)
        else:
            self.name = 'memory'
            self._data = ffi.from_buffer(bytes(data))
            ret = lib.pica_capture_open_memory(out, self._data, len(self._data), ffi.NULL, error)
        if ret in _BAD:
            message = ffi.string(error.message).decode(errors='replace')
            raise CaptureError(message, -ret, error.offset if 'byte 0x' in message else None)
        if ret < 0 and path is not None and ret != -errno.ENOMEM:
            raise OSError(-ret, os.strerror(-ret), self.name)
        check(ret, self.name)
        self._handle = ffi.gc(out[0], lib.pica_capture_close)
        lib.pica_capture_trust_loads(self._handle, trust_loads)
        self.frames = max(self.info().frames, 1)

    @property
    def handle(self):
        """struct pica_capture, for functions of pica.lib."""
        if self._handle is None:
            raise ValueError('the capture is closed')
        return self._handle

    def close(self):
        """Closes the file. Players of it must not draw any more."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def info(self):
        """What the file holds and lacks: struct pica_capture_info."""
        info = ffi.new('struct pica_capture_info *')
        lib.pica_capture_info(self.handle, info)
        return info

    def state(self):
        """Registers and shader memories at the start: State."""
        raw = ffi.new('struct pica_state *')
        raw[0] = lib.pica_capture_state(self.handle)[0]
        return State(raw)

    def rewind(self):
        """Back to the first event."""
        lib.pica_capture_rewind(self.handle)

    def events(self):
        """The events from here on, each a struct pica_capture_event; its job may be submitted to a context."""
        event = ffi.new('struct pica_capture_event *')
        while check(lib.pica_capture_next(self.handle, event), self.name) > 0:
            yield event
            event = ffi.new('struct pica_capture_event *')
