"""Drawing a capture frame by frame."""

from ._library import ffi, lib
from .context import Context, Device

_BATCH = 256  # jobs that are submitted together


class Player:
    """Draws the frames of a capture, which it has for itself as long as it draws.

    device: a Device, or its settings as keywords: threads, isa, float_mode, combiner.
    context: the Context behind the last frame that was drawn; frame: its number, -1 before the first.
    """

    def __init__(self, capture, device=None, **settings):
        if device is not None and settings:
            raise TypeError('expected either a device or its settings')
        self.capture = capture
        self.device = device or Device(**settings)
        self.context = None
        self._start(0)

    def _start(self, frame):
        """A new context at the last place before or at a frame where the whole state is known."""
        if self.context is not None:
            self.context.close()
        self.frame = self.capture.seek(frame) - 1
        self.context = Context(self.device, self.capture)
        self._events = self.capture.events()

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
        if n:
            seq = self.context.submit(jobs[0:n])
        if seq:
            self.context.wait(seq)
        self.frame += 1
        for offset, result, _ in self.context.reap():
            if result < 0:
                raise self.device.error(result, f'{self.capture.name}: byte {offset:#x}')

    def seek(self, frame):
        """Draws up to frame (counted from 0; -1 is the last one).

        An earlier one than the last begins anew, at a key before it where the capture has one."""
        frames = self.capture.frames
        if not -frames <= frame < frames:
            raise IndexError(f'frame {frame} of {frames}')
        frame %= frames
        if frame < self.frame:
            self._start(frame)
        while self.frame < frame:
            self._next()
        return self.context

    def render(self, frame=-1, screen='top', eye='left'):
        """The Picture of a frame (as seek() counts), None if the screen was never set by then."""
        return self.seek(frame).read_screen(screen, eye)

    def state(self, frame=None):
        """Registers and shader memories behind a frame, without an argument behind the last one drawn: State."""
        return (self.context if frame is None else self.seek(frame)).state()
