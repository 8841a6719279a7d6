#!/usr/bin/env python3
"""Mesa's vc4 driver on libpica-vc4-shim.so: what it submits becomes jobs that a chip could run, and a service draws them.

The pictures are compared with those of Mesa's llvmpipe. driver_test.py SHIM PROGRAM PICAD: built for arm64; elsewhere the
program runs in qemu-aarch64, and draws with the service of this machine, $PICA_PICAD. The folder with the arm64 packages is
$PICA_ARM64_ROOT, or / if they are installed. Exit 77 says what is missing.
"""
import pathlib
import struct
import sys
import tempfile

from driver import Driver, compare, skip, start_service

PICTURES = {'clear': 1, 'triangle': 1, 'textured': 1, 'depth': 1, 'blend': 1, 'stencil': 1, 'cube': 1, 'loop': 1,
            'clip': 1, 'mipmaps': 7, 'to-texture': 2, 'cube-map': 1, 'formats': 1, 'points': 1,
            'c_tex1': 1, 'd_tev3': 1, 'e_light': 1, 'g2_overblend': 1}  # and how many jobs each needs
SIZES = {0x04: 1, 0x06: 1, 0x07: 1, 0x08: 1, 0x11: 5, 0x18: 1, 0x19: 1, 0x1c: 7, 0x1d: 7, 0x20: 14, 0x21: 10, 0x38: 2,
         0x40: 5, 0x60: 4, 0x61: 5, 0x62: 5, 0x63: 5, 0x65: 5, 0x66: 9, 0x67: 5, 0x69: 9, 0x6a: 9, 0x70: 16, 0x71: 11,
         0x72: 14, 0x73: 3}


class Job:
    def __init__(self, folder):
        self.memory = (folder / 'memory.bin').read_bytes()
        self.fields = dict(line.split() for line in (folder / 'job.txt').read_text().splitlines())
        assert len(self.memory) == self['size'], folder

    def __getitem__(self, name):
        return int(self.fields[name], 0)

    def at(self, address, count):
        """Bytes at a bus address."""
        start = address - self['base']
        assert 0 <= start and start + count <= len(self.memory), f'{address:08x}: outside of the region'
        return self.memory[start:start + count]

    def word(self, address):
        return struct.unpack('<I', self.at(address, 4))[0]

    def records(self, thread):
        address, end = self[f'ct{thread}ca'], self[f'ct{thread}ea']
        while address < end:
            size = SIZES[self.at(address, 1)[0]]
            yield address, self.at(address, size)
            address += size
        assert address == end, 'the list ends in a record'

    def check_shader_record(self, word):
        record = word & ~15
        assert self.at(record, 1)
        for at in (4, 16, 28):
            words = [struct.unpack('<Q', self.at(self.word(record + at) + 8 * i, 8))[0] for i in range(400)]
            assert any(w >> 60 == 3 for w in words), f'{record + at:08x}: no end of a program'
            self.at(self.word(record + at + 4), 4)
        for i in range(word & 7 or 8):
            self.at(self.word(record + 36 + 8 * i), 1)

    def check(self):
        ops = [record[0] for _, record in self.records(0)]
        tiles = 0
        if ops:
            assert ops[:2] == [0x70, 0x06] and ops[-2:] == [0x07, 0x04], ops
        for address, record in self.records(0):
            if record[0] == 0x40:
                self.check_shader_record(self.word(address + 1))
            elif record[0] == 0x20:
                self.at(self.word(address + 6), self.word(address + 2) * (2 if record[1] >> 4 else 1))
            elif record[0] == 0x70:
                self.at(self.word(address + 1), self.word(address + 5))
                tiles = record[13] * record[14]
        calls = [self.word(address + 1) for address, record in self.records(1) if record[0] == 0x11]
        assert len(set(calls)) == len(calls) == tiles, f'{len(calls)} calls for {tiles} tiles'
        assert [record[0] for _, record in self.records(1)].count(0x19) == 1
        self.at(self['target'], self['width'] * self['height'] * 4)
        return sum(op in (0x20, 0x21) for op in ops)


def main():
    if len(sys.argv) != 4:
        skip('libpica-vc4-shim.so is built for arm64 with libdrm, its test with libEGL and libGLESv2')
    driver = Driver(*sys.argv[1:])
    with tempfile.TemporaryDirectory() as top:
        socket = pathlib.Path(top, 'picad')
        service = start_service(driver.picad, socket)
        try:
            for name, count in PICTURES.items():
                folder = pathlib.Path(top, name)
                folder.mkdir()
                driver.draw(name, folder / 'picture.ppm', socket, PICA_VC4_DUMP=folder)
                jobs = [Job(path) for path in sorted(folder.glob('????'))]
                assert len(jobs) == count, f'{name}: {len(jobs)} jobs'
                draws = [job.check() for job in jobs]
                assert (sum(draws) > 0) == (name != 'clear'), name
                other = driver.draw_other(name, folder / 'llvmpipe.ppm')
                share = compare(name, folder / 'picture.ppm', folder / 'llvmpipe.ppm')
                print(f'{name}: {count} jobs, {sum(draws)} draws; {share:.3f} % of pixels differ from {other}')
        finally:
            service.terminate()
            service.wait(60)


main()
