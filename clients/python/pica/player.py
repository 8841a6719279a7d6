"""Drawing a capture frame by frame."""

from ._library import ffi, lib
from .context import Context, Device

_BATCH = 256  # jobs that are submitted together


class Player:
    """Draws the frames of a capture. If several players share a capture, each change of player starts again.

    device: a Device, or its settings as keywords: threads, isa, float_mode, combiner.
    context: the Context after the last frame drawn; frame: its number, -1 before the first.

    After an error the next call starts again, and raises the same error if it meets the same damage. With a closed
    capture every call raises ValueError.
    """

    def __init__(self, capture, device=None, **settings):
        if device is not None and settings:
            raise TypeError('expected either a device or its settings')
        self.capture = capture
        self.device = device or Device(**settings)
        self.context = None
        self._start(0)

    def _start(self, frame):
        """Makes a new context at the last position at or before a frame where the whole state is known.

        Keys hold pixels drawn with the capture's arithmetic, and no trusted loads."""
        if self.context is not None:
            self.context.close()
        info = self.capture.info()
        has_keys = (info.float_mode, info.combiner) == self.device.arithmetic and not self.capture.trusts_loads
        self.frame = self.capture.seek(frame if has_keys else 0) - 1
        self.context = Context(self.device, self.capture)
        self._events = self.capture.events()
        self._reader = self.capture._reader

    def _is_next(self):
        """Whether the capture's position is still at the end of the last frame."""
        return self.capture._reader is self._reader

    def _next(self):
        """Draws the next frame and waits for it."""
        jobs, n, seq = ffi.new('struct pica_job[]', _BATCH), 0, 0
        for event in self._events:
            jobs[n] = event.job
            jobs[n].user_data = event.offset
            n += 1
            is_frame = event.kind == lib.PICA_CAPTURE_FRAME
            if n == _BATCH or is_frame:
                seq = self.context.submit(jobs[0:n])
                n = 0
            if is_frame:
                break
        else:
            if self.frame + 1 or self.capture.info().frames:
                raise ValueError(f'{self.capture.name}: the capture ends before frame {self.frame + 1}')
        if n:
            seq = self.context.submit(jobs[0:n])
        if seq:
            self.context.wait(seq)
        for offset, result, _ in self.context.reap():
            if result < 0:
                raise self.device.error(result, f'{self.capture.name}: byte {offset:#x}')
        self.frame += 1

    def seek(self, frame):
        """Draws up to frame (counted from 0; -1 is the last one).

        The first call, and one for an earlier frame, begins at a key before the frame if the capture has one."""
        frames = self.capture.frames
        self.capture.check_open()
        if not -frames <= frame < frames:
            raise IndexError(f'frame {frame} of {frames}')
        frame %= frames
        try:
            is_first = self.frame < 0 < frame and self.capture.info().keys > 1
            if self._events is None or is_first or frame < self.frame or (frame > self.frame and not self._is_next()):
                self._start(frame)
            while self.frame < frame:
                self._next()
        except BaseException:
            self._events = None
            raise
        return self.context

    def render(self, frame=-1, screen='top', eye='left'):
        """The Picture of a frame (as seek() counts), or None if the screen was not set by then."""
        return self.seek(frame).read_screen(screen, eye)

    def state(self, frame=None):
        """Registers and shader memories after a frame, by default the last one drawn: State."""
        self.capture.check_open()
        if frame is None and self._events is None:
            raise ValueError('no frame is drawn: the last one failed')
        return (self.context if frame is None else self.seek(frame)).state()
