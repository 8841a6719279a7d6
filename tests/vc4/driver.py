"""Programs with Mesa's vc4 driver, and with llvmpipe, for driver_test.py and record.py."""
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time

BEYOND = {'mipmaps': 2}  # percent of pixels: llvmpipe's logarithm is linear (levels_test.py)


def skip(reason):
    print(reason)
    sys.exit(77)


def pixels(path):
    header, size, depth, data = path.read_bytes().split(b'\n', 3)
    assert (header, depth) == (b'P6', b'255'), path
    return data


def compare(name, ours, other):
    """At least 99 % of pixels are within 2 of 255, which one colour alone is not."""
    a, b = pixels(ours), pixels(other)
    assert len(a) == len(b) > 0, name
    beyond = sum(max(abs(a[i + c] - b[i + c]) for c in range(3)) > 2 for i in range(0, len(a), 3))
    share = 100 * beyond / (len(a) / 3)
    assert share <= (BEYOND.get(name, 1)), f'{name}: {share:.3f} % of pixels differ from llvmpipe'
    assert name == 'clear' or len({a[i:i + 3] for i in range(0, len(a), 3)}) > 1, f'{name}: nothing is drawn'
    return share


def start_service(picad, socket, *options):
    service = subprocess.Popen([picad, f'--socket={socket}', '--sandbox=off', '--log-level=error', *options])
    while not socket.exists():
        assert service.poll() is None, 'picad does not start'
        time.sleep(0.05)
    return service


class Driver:
    """The drivers of this machine, or those of the folder with arm64 packages in an emulator."""

    def __init__(self, shim, program, picad):
        self.shim, self.program = shim, program
        root = pathlib.Path(os.environ.get('PICA_ARM64_ROOT', '/'))
        if not (root / 'usr/lib/aarch64-linux-gnu/dri/vc4_dri.so').exists():
            skip(f'{root}: no vc4_dri.so: package libgl1-mesa-dri of arm64')
        self.is_native = platform.machine() == 'aarch64'
        if not self.is_native and not shutil.which('qemu-aarch64'):
            skip('no qemu-aarch64: package qemu-user')
        self.emulator = [] if self.is_native else ['qemu-aarch64', '-L', root]
        self.picad = picad if self.is_native else os.environ.get('PICA_PICAD')
        if not self.picad:
            skip('PICA_PICAD: expected the picad of this machine: the emulator lacks system calls of the other one')

    def run(self, name, path, **settings):
        words = [f'{key}={value}' for key, value in settings.items()]
        # The emulator itself must not load the library.
        command = ['env', *words] if self.is_native else [*self.emulator, *(w for word in words for w in ('-E', word))]
        out = subprocess.run([*command, self.program, name, path], capture_output=True, text=True, timeout=120)
        assert out.returncode == 0, out.stderr
        return out

    def draw(self, name, path, socket, **settings):
        """With Mesa's vc4 driver and the service."""
        out = self.run(name, path, LD_PRELOAD=self.shim, MESA_LOADER_DRIVER_OVERRIDE='vc4', PICA_VC4_SOCKET=socket,
                       **settings)
        assert out.stdout == 'VC4 V3D 2.1\n' and not out.stderr, out.stdout + out.stderr

    def draw_other(self, name, path):
        """With llvmpipe. Returns its name."""
        # Its sampling with 8 bits alone differs from its other one in 4 % of the pixels of mipmaps.
        return self.run(name, path, LP_NUM_THREADS='0', GALLIVM_PERF='no_aos_sampling').stdout.strip()
