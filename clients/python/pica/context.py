"""Devices and contexts: the emulated GPU."""
import collections
import errno
import os
import re

from ._library import Owner, check, ffi, lib
from .picture import Picture
from .state import State, describe_register, register_id, register_name

FLOATS = {'f24': lib.PICA_FLOAT_F24, 'f32': lib.PICA_FLOAT_F32}
COMBINERS = {'nearest': lib.PICA_COMBINER_NEAREST, 'truncate': lib.PICA_COMBINER_TRUNCATE}
SCREENS = {'top': lib.PICA_SCREEN_TOP, 'bottom': lib.PICA_SCREEN_BOTTOM}
EYES = {'left': lib.PICA_EYE_LEFT, 'right': lib.PICA_EYE_RIGHT}


def choose(table, name, what):
    """Returns table[name]; raises ValueError with the known names."""
    if name not in table:
        raise ValueError(f'{what} {name!r}: expected {" or ".join(table)}')
    return table[name]


def stats_dict(raw):
    """struct pica_stats as a dictionary."""
    stats = {name: getattr(raw, name) for name, field in ffi.typeof('struct pica_stats').fields
             if field.type.kind == 'primitive' and name not in ('size', 'reserved0')}
    stats['faults'] = {ffi.string(lib.pica_fault_name(i)).decode(): n for i, n in enumerate(raw.faults) if n}
    stats['guessed'] = {ffi.string(lib.pica_feature_name(i)).decode(): n for i, n in enumerate(raw.guessed) if n}
    return stats


class Device:
    """Worker threads and kernels. It lives as long as anything uses it.

    threads: workers in addition to the command thread, 0 to 64; 0: everything in the caller. isa: 'c', 'sse4.1', ...;
    None: the best. float_mode: 'f24', as hardware, or 'f32'. combiner: 'nearest', as hardware, or 'truncate'."""

    def __init__(self, threads=0, isa=None, float_mode='f24', combiner='nearest'):
        settings = ffi.new('struct pica_settings *')
        lib.pica_settings_init(settings)
        if not 0 <= threads <= 64:
            raise ValueError(f'threads {threads}: expected 0 to 64')
        settings.n_threads = threads
        name = ffi.new('char[]', isa.encode()) if isa is not None else ffi.NULL
        settings.isa = name
        settings.float_mode = choose(FLOATS, float_mode, 'float_mode')
        settings.combiner = choose(COMBINERS, combiner, 'combiner')
        self.arithmetic = settings.float_mode, settings.combiner
        errors = collections.deque(maxlen=64)
        self.log = ffi.callback('pica_log_fn', lambda _, level, line: errors.append(ffi.string(line).decode(errors='replace')))
        settings.log, settings.log_level = self.log, lib.PICA_LOG_ERROR
        out = ffi.new('struct pica_device **')
        ret = lib.pica_device_create(out, settings)
        if ret == -errno.EINVAL:
            raise ValueError(f'isa {isa!r}: {errors[-1] if errors else "unknown"}')
        check(ret, f'device with isa {isa}, {threads} threads')
        self._errors = errors
        self.handle = ffi.gc(out[0], lambda handle, log=self.log: lib.pica_device_destroy(handle))

    @property
    def isa(self):
        """The name of the kernels in use."""
        return ffi.string(lib.pica_device_isa(self.handle)).decode()

    def error(self, result, what):
        """The exception for a job that ended with a negative errno; it names the exceeded budget, if any."""
        if result == -errno.ENOMEM:
            return MemoryError(what)
        reason = os.strerror(-result)
        if result == -errno.EDQUOT:
            named = [m[0] for line in self._errors if (m := re.search(r'budget of .* used up', line))]
            reason = named[-1] if named else 'a budget is used up'
        return OSError(-result, f'{what}: {reason}')


class Gpu:
    """Base of local contexts and those in a service: state and pictures."""

    def _call(self, function, what, *args):
        """Calls a C function for this context; raises an exception for a negative errno."""
        raise NotImplementedError

    def read_registers(self, first=0, count=None):
        """count words of internal registers from number first on; without count, all remaining ones."""
        count = lib.PICA_REG_COUNT - first if count is None else count
        words = ffi.new('uint32_t[]', max(count, 1))
        self._call('read_regs', f'registers {first:#x} to {first + count:#x}', first, count, words)
        return list(words)[:count]

    def state(self):
        """A copy of the registers and shader memories: State."""
        raw = ffi.new('struct pica_state *')
        self._call('save_state', 'state', raw)
        return State(raw)

    def load_state(self, state):
        """Replaces registers and shader memories; memory stays. state: State or struct pica_state."""
        self._call('load_state', 'state', state.raw if isinstance(state, State) else state)

    def screen(self, screen='top'):
        """The state of a screen: struct pica_screen (width, height, is_set, addr, format, ...)."""
        info = ffi.new('struct pica_screen *')
        self._call('screen', 'screen', choose(SCREENS, screen, 'screen'), info)
        return info

    def read_screen(self, screen='top', eye='left'):
        """The Picture on a screen, None if the screen was never set."""
        info, side = self.screen(screen), choose(EYES, eye, 'eye')
        if not info.is_set:
            return None
        rgb = ffi.new('uint8_t[]', 3 * info.width * info.height)
        self._call('read_screen', f'{screen} screen', SCREENS[screen], side, rgb, 3 * info.width)
        return Picture(info.width, info.height, bytes(ffi.buffer(rgb)))

    def read_surface(self, address, form, width, height):
        """RGBA bytes of a tiled surface, memory row 0 first. form: number of a texture format, 0 to 13."""
        if not (0 < width <= 2048 and 0 < height <= 2048):
            raise ValueError(f'surface of {width}x{height}: expected sides up to 2048')
        rgba = ffi.new('uint8_t[]', 4 * width * height)
        self._call('read_surface', f'surface of {width}x{height} at {address:#010x}', address, form, width, height,
                   rgba, 4 * width)
        return bytes(ffi.buffer(rgba))


class Context(Owner, Gpu):
    """One emulated GPU with 6 MiB of VRAM at 0x18000000 and 128 MiB of FCRAM at 0x20000000, all 0 at first.

    capture: instead, the context starts with the capture's memory windows, budgets and state; the contents of memory
    come with its first events."""

    NAME = 'context'

    def __init__(self, device=None, capture=None):
        self.device = device or Device()
        settings = ffi.new('struct pica_ctx_settings *')
        lib.pica_ctx_settings_init(settings)
        if capture is not None:
            lib.pica_capture_ctx_settings(capture.handle, settings)
        out = ffi.new('struct pica_ctx **')
        check(lib.pica_ctx_create(out, self.device.handle, settings), 'context')
        # In one cycle the device's handle may be collected first; the C device then calls its log until the context ends.
        self._handle = ffi.gc(out[0], lambda handle, log=self.device.log: lib.pica_ctx_destroy(handle))
        if capture is not None:
            check(lib.pica_capture_load(capture.handle, self._handle), capture.name)

    def _call(self, function, what, *args):
        check(getattr(lib, f'pica_ctx_{function}')(self.handle, *args), what)

    # ---- Memory and registers ----

    def read_memory(self, address, size):
        """size bytes at a physical address."""
        data = ffi.new('uint8_t[]', size)
        check(lib.pica_ctx_read_memory(self.handle, address, data, size), f'{size} bytes at {address:#010x}')
        return bytes(ffi.buffer(data))

    def write_memory(self, address, data):
        """Puts bytes at a physical address."""
        with ffi.from_buffer(data) as view:
            check(lib.pica_ctx_write_memory(self.handle, address, view, len(view)),
                  f'{len(view)} bytes at {address:#010x}')

    def write_register(self, register, value, mask=15):
        """One write as in a command list; register: number or name, mask: bytes to write."""
        number = register_id(register) if isinstance(register, str) else register
        check(lib.pica_ctx_write_reg(self.handle, number, value, mask, ffi.NULL), f'register {register}')

    # ---- Work ----

    def submit(self, jobs):
        """Queues an array of struct pica_job, or one job. Returns the number of the last one. See pica.h: pica_submit()."""
        n = 1 if ffi.typeof(jobs).kind == 'pointer' else len(jobs)
        seq = ffi.new('uint64_t *')
        check(lib.pica_submit(self.handle, jobs, n, seq), 'job')
        return seq[0]

    def wait(self, seq):
        """Waits until all jobs up to number seq are complete."""
        check(lib.pica_wait(self.handle, seq, -1), 'wait')

    def reap(self):
        """Takes the completions: [(user_data, result, flags)]."""
        done, rows = ffi.new('struct pica_done[64]'), []
        while (n := check(lib.pica_reap(self.handle, done, len(done)), 'completions')) > 0:
            rows += [(d.user_data, d.result, d.flags) for d in done[0:n]]
        return rows

    def run_list(self, address, size):
        """Runs the command list of size bytes at a physical address and waits. Raises OSError if that fails."""
        job = ffi.new('struct pica_job *', {'op': lib.PICA_OP_LIST})
        job.u.list.addr, job.u.list.size_bytes = address, size
        self.reap()
        self.wait(self.submit(job))
        for _, result, _ in self.reap():
            if result < 0:
                raise self.device.error(result, f'command list of {size} bytes at {address:#010x}')

    def stats(self):
        """Counters since the start as a dictionary; faults and guessed by name, without those that are 0."""
        raw = ffi.new('struct pica_stats *')
        raw.size = ffi.sizeof('struct pica_stats')
        check(lib.pica_stats(self.handle, raw), 'statistics')
        return stats_dict(raw)


__all__ = ['Context', 'Device', 'choose', 'describe_register', 'register_id', 'register_name']
