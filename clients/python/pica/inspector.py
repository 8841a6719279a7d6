"""Questions about the work of a capture: draws, state, pixels."""
import json
import os
import shutil
import subprocess

from . import _native
from .capture import Capture


class InspectError(RuntimeError):
    """A question that has no answer, or is malformed. code: as in JSON-RPC; -32000: it has no answer."""

    def __init__(self, error):
        super().__init__(error['message'])
        self.code = error['code']


def _program():
    return os.environ.get('PICA_PROGRAM') or shutil.which('pica') or _native.PROGRAM


class Inspector:
    """Answers questions about a capture. A context manager.

    capture: its path, or a Capture that was opened by one. Another process draws, the program `pica`: the one named by
    the environment variable PICA_PROGRAM, else the one in PATH, else the one that was installed with this package.

    Each method is a call of `pica inspect`; docs/inspect.md describes parameters and results, which are the JSON of
    the verbs pixel, dump, lint and shader trace. other: a second capture, about which a call asks if it has
    side='b'. A moment is frame (default: the last) and step or draw of it.

        with pica.Inspector('scene.pica') as inspector:
            writer = inspector.pixel(x=200, y=120)['last_writer']
            state = inspector.state(frame=writer['frame'], draw=writer['draw'])['state']
    """

    def __init__(self, capture, other=None):
        paths = []
        for one in (capture,) if other is None else (capture, other):
            if isinstance(one, Capture) and one.is_in_memory:
                raise ValueError('expected a capture that is a file')
            paths.append(one.name if isinstance(one, Capture) else os.fspath(one))
        self._process = subprocess.Popen([_program(), 'inspect', '--stdio', '--', *paths], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._number = 0
        try:
            self.call('capture')
        except BaseException:
            self.close()
            raise

    def call(self, method, **params):
        """The result of a call by its name; raises InspectError."""
        if self._process is None:
            raise ValueError('the inspector is closed')
        self._number += 1
        request = {'jsonrpc': '2.0', 'id': self._number, 'method': method, 'params': params}
        line = b''
        try:
            self._process.stdin.write(json.dumps(request).encode() + b'\n')
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            text = self._process.stderr.read().decode(errors='replace').strip()
            self.close()
            raise OSError(f'the program has ended: {text}')
        answer = json.loads(line)
        if 'error' in answer:
            raise InspectError(answer['error'])
        return answer['result']

    def capture(self):
        """Name, and number of frames."""
        return self.call('capture')

    def frames(self, **params):
        """Numbers of draws, fills, ... of frames. Parameters: first, count."""
        return self.call('frames', **params)

    def steps(self, **params):
        """The steps of a frame. Parameters: frame, first, count."""
        return self.call('steps', **params)

    def state(self, **params):
        """Registers, uniforms, programs. Parameters: frame, step or draw."""
        return self.call('state', **params)

    def pixel(self, x, y, **params):
        """Everything that touched a pixel. Parameters: frame, screen and eye or surface, steps."""
        return self.call('pixel', x=x, y=y, **params)

    def draws(self, **params):
        """Costs and dependencies of a frame's steps. Parameters: frame."""
        return self.call('draws', **params)

    def surface(self, address, format, width, height, **params):
        """A picture of memory, PNG in base64. Parameters: kind, block32, stored, frame, step or draw."""
        return self.call('surface', address=address, format=format, width=width, height=height, **params)

    def screen(self, **params):
        """A picture of a screen. Parameters: frame, screen, eye."""
        return self.call('screen', **params)

    def thumbnails(self, **params):
        """Small pictures after steps. Parameters: frame, first, count."""
        return self.call('thumbnails', **params)

    def shader_trace(self, draw, **params):
        """Each instruction of a vertex, or of a run of the geometry program. Parameters: frame; vertex, primitive or run."""
        return self.call('shader_trace', draw=draw, **params)

    def textures(self, draw, **params):
        """Levels and faces of a draw's textures. Parameters: frame."""
        return self.call('textures', draw=draw, **params)

    def mesh(self, draw, **params):
        """Vertices of a draw before and after its programs. Parameters: frame, count."""
        return self.call('mesh', draw=draw, **params)

    def memory(self, address, bytes, **params):
        """Bytes of memory in hexadecimal. Parameters: before, frame, step or draw."""
        return self.call('memory', address=address, bytes=bytes, **params)

    def edit(self, draw, **params):
        """Changes a register, program, texture or memory from a draw on, in all later answers. Parameters: frame;
        register, and fields or value; program and text; unit, face, level and png; address and bytes."""
        return self.call('edit', draw=draw, **params)

    def undo(self, **params):
        """Takes back the last edit. Parameters: all."""
        return self.call('undo', **params)

    def edits(self):
        """The edits that are in force."""
        return self.call('edits')

    def difference(self, **params):
        """The first difference of both captures, or of the one and its edits. Parameters: every_draw."""
        return self.call('difference', **params)

    def lint(self):
        """Findings of lint: causes of hangs or misbehaviour on the console."""
        return self.call('lint')

    def close(self):
        """Ends the other process."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in process.stdin, process.stdout, process.stderr:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
            process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, '_process', None) is not None:
            self.close()
