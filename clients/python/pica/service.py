"""A service that draws: picad in another process, or one inside this process."""
import ctypes
import errno
import os

from . import _native
from ._library import Owner, check, ffi, lib
from .context import COMBINERS, FLOATS, Gpu, choose, stats_dict


def _open():
    chosen = os.environ.get('PICA_CLIENT_LIBRARY')
    if chosen:
        return ffi.dlopen(chosen)
    path = os.path.join(os.path.dirname(_native.LIBRARY), os.path.basename(_native.LIBRARY).replace('pica', 'pica-client'))
    try:
        return ffi.dlopen(os.path.basename(path))
    except OSError:
        return ffi.dlopen(path)


client_lib = _open()


def _place(where):
    """The address of a connection with that argument, for messages."""
    if where:
        return os.fsdecode(where)
    path = ffi.new('char[]', 4096)
    return os.fsdecode(ffi.string(path)) if client_lib.pica_client_default_path(path, 4096) == 0 else None


class Service(Owner):
    """A connection to a service. A context manager.

    close() also ends its contexts and memory; buffers stay valid.

    where: the path of a socket; None: $PICA_SOCKET, or the default path; 'builtin:' or 'builtin:2': a service inside
    this process, with that many worker threads. name: shown to people, up to 31 bytes. slots: jobs in one submission.
    priority: -10 to 10.

    Raises OSError with the reason and, as filename, the socket; FileNotFoundError and ConnectionRefusedError mean
    that no service runs there. Any call raises ConnectionResetError if the service has gone: see reconnect(). Only
    one thread at a time may use it."""

    NAME = 'service'

    def __init__(self, where=None, name=None, slots=256, priority=0):
        settings = ffi.new('struct pica_client_settings *')
        client_lib.pica_client_settings_init(settings)
        text = ffi.new('char[]', name.encode()) if name is not None else ffi.NULL
        settings.name, settings.sq_entries, settings.priority = text, slots, priority
        out, message = ffi.new('struct pica_client **'), ffi.new('char[]', lib.PICA_TEXT_BYTES)
        place = os.fsencode(where) if where is not None else ffi.NULL
        ret = client_lib.pica_client_connect(out, place, settings, message)
        if ret < 0 and ret != -errno.ENOMEM:
            text = ffi.string(message).decode(errors='replace') or os.strerror(-ret)
            raise OSError(-ret, text, _place(where))
        check(ret, 'service')
        self._handle = ffi.gc(out[0], client_lib.pica_client_close)

    def check(self, ret, what):
        """The exception as for libpica, with the service's message."""
        if ret < 0 and ret != -errno.ENOMEM:
            text = ffi.string(client_lib.pica_client_error(self.handle)).decode(errors='replace')
            raise OSError(-ret, f'{what}: {text or os.strerror(-ret)}')
        return check(ret, what)

    @property
    def welcome(self):
        """The agreed features, limits and so on: struct pica_msg_welcome."""
        return client_lib.pica_client_welcome(self.handle)

    def context(self, float_mode=None, combiner=None):
        """A new ServiceContext, without memory.

        float_mode, combiner: as for a Device; if neither is given, the service's own."""
        out = ffi.new('struct pica_client_ctx **')
        settings = ffi.new('struct pica_client_ctx_settings *')
        client_lib.pica_client_ctx_settings_init(settings)
        if float_mode or combiner:
            settings.flags = lib.PICA_CTX_ARITHMETIC
            settings.float_mode = choose(FLOATS, float_mode or 'f24', 'float_mode')
            settings.combiner = choose(COMBINERS, combiner or 'nearest', 'combiner')
        self.check(client_lib.pica_client_ctx_create(out, self.handle, settings), 'context')
        return ServiceContext(self, out[0])

    def submit(self):
        """Submits the jobs in the slots; returns how many."""
        return self.check(client_lib.pica_client_submit(self.handle), 'submission')

    def wait(self, least=1, timeout=None):
        """Waits for at least `least` completions, or all in flight: [(user_data, result, flags)].

        timeout: in seconds; returns what has completed by then, or raises TimeoutError. [] if nothing is in
        flight."""
        done = ffi.new('struct pica_done[]', max(least, 64))
        ns = -1 if timeout is None else int(timeout * 1e9)
        ret = client_lib.pica_client_wait_many(self.handle, done, len(done), least, ns)
        if ret == -errno.ETIME:
            raise TimeoutError('no job was completed in time')
        if ret == -errno.ENOENT:
            return []
        return [(d.user_data, d.result, d.flags) for d in done[0:self.check(ret, 'completions')]]

    def sessions(self):
        """The sessions of the service, a list of struct pica_session_info."""
        rows, last, n = [], 0, 1
        while n:
            info = ffi.new('struct pica_session_info *')
            n = self.check(client_lib.pica_client_sessions(self.handle, last, info, 1), 'sessions')
            rows += [info] * n
            last = info.id
        return rows

    def reconnect(self):
        """Reconnects after ConnectionResetError, keeping memory and its bytes. Returns True if the state was lost."""
        return self.check(client_lib.pica_client_reconnect(self.handle), 'reconnection') == 1


_MREMAP_MAYMOVE = 1
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mremap.restype = ctypes.c_void_p
_libc.mremap.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int
_libc.munmap.argtypes = ctypes.c_void_p, ctypes.c_size_t


def _mapped_again(host, size):
    """Maps the shared pages at host a second time, until the last view of them is released."""
    again = _libc.mremap(int(ffi.cast('uintptr_t', host)), 0, size, _MREMAP_MAYMOVE)
    if again == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), f'mapping of {size} bytes: {os.strerror(ctypes.get_errno())}')
    return ffi.buffer(ffi.gc(ffi.cast('uint8_t *', again), lambda _: _libc.munmap(again, size), size), size)


class Memory:
    """Memory shared with the service. address: in the context, None: lists cannot address it."""

    def __init__(self, service, raw, address, size):
        self.service, self._raw, self.address, self.size = service, raw, address, size
        self._bytes = None

    @property
    def handle(self):
        """struct pica_client_memory, for functions of pica.client_lib."""
        self.service.check_open()
        if self._raw is None:
            raise ValueError('the memory is freed')
        return self._raw

    @property
    def buffer(self):
        """The bytes, for reading and writing in place.

        A buffer stays valid after the memory is freed or the service closed; its bytes become 0 soon after, and private."""
        host = client_lib.pica_client_host(self.handle)
        if self._bytes is None:
            self._bytes = _mapped_again(host, self.size)
        return self._bytes

    def data(self, offset=0):
        """The data field of a PICA_OP_WRITE."""
        return client_lib.pica_client_data(self.handle, offset)

    def free(self):
        """Frees the memory. Raises OSError if jobs are in flight."""
        self.service.check(client_lib.pica_client_free(self.handle), 'memory')
        self._raw = self._bytes = None


class ServiceContext(Gpu):
    """One emulated GPU in a service, from Service.context(). It starts without memory: see map()."""

    def __init__(self, service, raw):
        self.service, self._raw = service, raw

    @property
    def handle(self):
        """struct pica_client_ctx, for functions of pica.client_lib."""
        self.service.check_open()
        return self._raw

    def map(self, address, size, read_only=False):
        """Memory, all 0, at a physical address; both multiples of 4096. read_only: the GPU cannot write it."""
        out = ffi.new('struct pica_client_memory **')
        flags = lib.PICA_MAP_READ_ONLY if read_only else 0
        self.service.check(client_lib.pica_client_map(out, self.handle, address, size, flags),
                           f'{size} bytes at {address:#010x}')
        return Memory(self.service, out[0], address, size)

    # ---- Work ----

    def put(self, operation, user_data=0):
        """Takes a free slot for that operation (pica.lib.PICA_OP_...) and returns its struct pica_job to fill in, or
        None if all are taken.

        Service.submit() submits it."""
        job = client_lib.pica_client_slot(self.handle)
        if not job:
            return None
        job.op, job.user_data = operation, user_data
        return job

    def _run(self, what, fill, operation):
        if client_lib.pica_client_in_flight(self.service.handle):
            raise OSError(errno.EBUSY, f'{what}: completions of other jobs must be taken before')
        job = self.put(operation)
        if job is None:
            self.service.check(-errno.ECONNRESET, what)
        fill(job)
        self.service.submit()
        (_, result, _), = self.service.wait()
        check(result, what)

    def run_list(self, address, size):
        """Runs the command list of size bytes at a physical address and waits. Raises OSError if that fails."""
        def fill(job):
            job.u.list.addr, job.u.list.size_bytes = address, size
        self._run(f'command list of {size} bytes at {address:#010x}', fill, lib.PICA_OP_LIST)

    def fill(self, start, end, value):
        """Fills memory with a 32-bit word and waits. Addresses: multiples of 16."""
        def fill(job):
            job.u.fill.start, job.u.fill.end, job.u.fill.value, job.u.fill.control = start, end, value, 2 << 8
        self._run(f'fill from {start:#010x} to {end:#010x}', fill, lib.PICA_OP_FILL)

    # ---- Reading, as what Gpu has: waits for the jobs that were submitted before ----

    def _call(self, function, what, *args):
        self.service.check(getattr(client_lib, f'pica_client_{function}')(self.handle, *args), what)

    def stats(self):
        """Counters since the start, as Context.stats()."""
        raw = ffi.new('struct pica_stats *')
        raw.size = ffi.sizeof('struct pica_stats')
        self.service.check(client_lib.pica_client_stats(self.handle, raw), 'statistics')
        return stats_dict(raw)
