"""Captures: files with everything that a program sent to the GPU."""
import errno
import os

from ._library import CaptureError, Owner, check, ffi, lib
from .state import State

_BAD = {-errno.EINVAL, -errno.EOPNOTSUPP, -errno.EFBIG}


class Capture(Owner):
    """A capture, .ctf or .pica: Capture(path), or Capture(data=bytes) for one in memory. A context manager.

    After close() it and its Players raise ValueError.

    frames      number of frames, at least 1: a capture without a frame marker is one frame
    name        its path, or 'memory'
    is_in_memory  True: Capture(data=...)
    trust_loads True: recorded textures replace what was drawn in their place
    """

    NAME = 'capture'

    def __init__(self, path=None, data=None, trust_loads=False):
        if (path is None) == (data is None):
            raise TypeError('expected either a path or data')
        out = ffi.new('struct pica_capture **')
        error = ffi.new('struct pica_capture_error *')
        self.is_in_memory = path is None
        self._data = None  # must live as long as the capture is open
        if path is not None:
            self.name = os.fspath(path)
            ret = lib.pica_capture_open(out, os.fsencode(self.name), error)
        else:
            self.name = 'memory'
            self._data = ffi.from_buffer(bytes(data))
            ret = lib.pica_capture_open_memory(out, self._data, len(self._data), ffi.NULL, error)
        if ret in _BAD:
            raise self._error(error)
        if ret < 0 and path is not None and ret != -errno.ENOMEM:
            raise OSError(-ret, os.strerror(-ret), self.name)
        check(ret, self.name)
        self._handle = ffi.gc(out[0], lib.pica_capture_close)
        lib.pica_capture_trust_loads(self._handle, trust_loads)
        self.trusts_loads = bool(trust_loads)
        self._reader = None  # the reader that the position in the file belongs to
        self.frames = max(self.info().frames, 1)

    @staticmethod
    def _error(error):
        message = ffi.string(error.message).decode(errors='replace')
        return CaptureError(message, -error.code, error.offset if error.has_offset else None)

    def _check(self, ret):
        """Chunks of a .pica are checked when they are read: CaptureError if one is damaged."""
        if ret in _BAD:
            raise self._error(lib.pica_capture_error(self.handle))
        return check(ret, self.name)

    def info(self):
        """Contents of the file: struct pica_capture_info."""
        info = ffi.new('struct pica_capture_info *')
        lib.pica_capture_info(self.handle, info)
        return info

    def state(self):
        """Registers and shader memories at the start, or at the position of the last seek(): State."""
        raw = ffi.new('struct pica_state *')
        raw[0] = lib.pica_capture_state(self.handle)[0]
        return State(raw)

    def rewind(self):
        """Returns to the first event."""
        self._reader = None
        self._check(lib.pica_capture_rewind(self.handle))

    def seek(self, frame):
        """Moves to the last position at or before a frame where the whole state is known; returns its frame.

        That is an undamaged key of a .pica, else the start. state() and events() continue from there."""
        self._reader = None
        at = ffi.new('uint32_t *')
        ret = lib.pica_capture_seek(self.handle, frame, at)
        while ret in _BAD and at[0] > 0:
            ret = lib.pica_capture_seek(self.handle, at[0] - 1, at)
        self._check(ret)
        return at[0]

    def verify(self):
        """Checks the whole file; raises CaptureError with the damage."""
        self._check(lib.pica_capture_verify(self.handle))

    def expected(self, frame):
        """The pictures that a .pica expects of a frame: {(screen, eye): hash of 16 bytes}, screen 0 top, eye 0 left."""
        n = ffi.new('uint32_t *')
        rows = lib.pica_capture_expected(self.handle, frame, n)
        return {(rows[i].screen, rows[i].eye): bytes(rows[i].hash) for i in range(n[0])}

    def events(self):
        """The events from here on, each a struct pica_capture_event; its job may be submitted to a context.

        Iteration raises ValueError if rewind(), seek(), events() or a Player moves the position meanwhile."""
        self._reader = reader = object()
        return self._events(reader)

    def _events(self, reader):
        while True:
            event = ffi.new('struct pica_capture_event *')
            handle = self.handle
            if self._reader is not reader:
                raise ValueError('the capture is elsewhere: another reader moved it')
            if self._check(lib.pica_capture_next(handle, event)) == 0:
                return
            yield event
