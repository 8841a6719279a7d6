"""Pictures: bytes, and the simplest files of them."""
import dataclasses
import struct
import zlib


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture as RGB bytes, three a pixel, rows from the top without gaps."""
    width: int
    height: int
    rgb: bytes = dataclasses.field(repr=False)

    def pixel(self, x, y):
        """(red, green, blue) at column x of row y, counted from the top left."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f'pixel ({x}, {y}) of a picture of {self.width}x{self.height}')
        at = 3 * (y * self.width + x)
        return tuple(self.rgb[at:at + 3])

    def ppm(self):
        """The bytes of a PPM file (P6)."""
        return b'P6\n%d %d\n255\n' % (self.width, self.height) + self.rgb

    def png(self):
        """The bytes of a PNG file."""
        def chunk(kind, data):
            return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
        row = 3 * self.width
        rows = b''.join(b'\0' + self.rgb[at:at + row] for at in range(0, len(self.rgb), row))
        return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', self.width, self.height, 8, 2, 0, 0, 0)) +
                chunk(b'IDAT', zlib.compress(rows, 6)) + chunk(b'IEND', b''))
