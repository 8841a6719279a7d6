"""Captures of the PICA200, the GPU of the Nintendo 3DS, drawn by libpica.

    import pica

    with pica.Capture('scene.ctf') as capture:
        player = pica.Player(capture, threads=2)
        picture = player.render(15)             # frame 15 of the top screen
        picture.width, picture.height, picture.rgb
        player.context.state()['VIEWPORT_WIDTH']

Capture   a file, .pica or .ctf: frames, what is in it
Player    draws a capture's frames, in any order
Context   one emulated GPU: memory, registers, command lists, screens
Device    threads and kernels that contexts share
Picture   RGB bytes, rows from the top
State     registers and shader memories of a context
Inspector questions about a capture: which draw made a pixel, with what state
Service   a service that draws: ServiceContext and Memory come from it

Everything without a class here is used as in C: pica.lib holds the functions and pica.ffi the types of pica.h,
pica_capture.h, pica_emit.h, pica_shader.h and pica_inspect.h, whose comments are their manual; pica.client_lib
those of pica_client.h.

Errors: CaptureError for a file that is not a valid capture, OSError with an errno for what the system or libpica
refuses, ValueError and TypeError for wrong arguments. Calls release the interpreter's lock while libpica works;
a context or a capture belongs to one thread at a time.

The library is the one named by the environment variable PICA_LIBRARY, else the one that the loader finds, else
the one that was installed together with this package. PICA_CLIENT_LIBRARY does the same for libpica-client.
"""
from ._library import CaptureError, ffi, lib, version
from .capture import Capture
from .context import Context, Device, describe_register, register_id, register_name
from .inspector import InspectError, Inspector
from .picture import Picture
from .player import Player
from .service import Memory, Service, ServiceContext, client_lib
from .state import ShaderState, State

__all__ = ['Capture', 'CaptureError', 'Context', 'Device', 'InspectError', 'Inspector', 'Memory', 'Picture', 'Player', 'Service', 'ServiceContext',
           'ShaderState', 'State', 'client_lib', 'describe_register', 'ffi', 'lib', 'register_id', 'register_name', 'version']
__version__ = version()
