"""Pictures as data of the console: textures (.t3x), as tex3ds makes them of a .t3s, always of the format RGBA8, never packed;
and framebuffers (.bgr)."""
import pathlib
import re
import shlex
import struct
import zlib

CUBE = ((2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (3, 1))  # +x -x +y -y +z -z in the cross
MORTON = sorted(((sum((x >> b & 1) << 2 * b | (y >> b & 1) << 2 * b + 1 for b in range(3))), x, y)
                for y in range(8) for x in range(8))


class Picture:
    """Rows of RGBA from the top."""

    def __init__(self, width, height, rows=None):
        self.width, self.height = width, height
        self.rows = rows or [bytearray(4 * width) for _ in range(height)]

    def paste(self, other, x, y):
        for i, row in enumerate(other.rows):
            self.rows[y + i][4 * x:4 * (x + other.width)] = row

    def cut(self, x, y, width, height):
        return Picture(width, height, [row[4 * x:4 * (x + width)] for row in self.rows[y:y + height]])

    def half(self):
        """Means of 2x2 pixels."""
        small = Picture(self.width // 2, self.height // 2)
        for y, row in enumerate(small.rows):
            a, b = self.rows[2 * y], self.rows[2 * y + 1]
            for i in range(4 * small.width):
                at = i // 4 * 8 + i % 4
                row[i] = (a[at] + a[at + 4] + b[at] + b[at + 4]) // 4
        return small

    def framebuffer(self):
        """Columns from the left, each from the bottom, of BGR: a screen's memory."""
        return b''.join(row[4 * x:4 * x + 3][::-1] for x in range(self.width) for row in reversed(self.rows))

    def tiled(self):
        """Tiles of 8x8 in Morton order, the bytes of a pixel from the last one on."""
        out = bytearray()
        for y in range(0, self.height, 8):
            rows = [row[::-1] for row in self.rows[y:y + 8]]
            for x in range(0, self.width, 8):
                for _, i, j in MORTON:
                    at = 4 * (self.width - 1 - x - i)
                    out += rows[j][at:at + 4]
        return out


def read_png(path):
    data = path.read_bytes()
    if data[:8] != b'\x89PNG\r\n\x1a\n':
        raise ValueError(f'{path}: expected a PNG')
    at, packed, palette, clear = 8, b'', b'', b''
    while at < len(data):
        size, kind = struct.unpack_from('>I4s', data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, bits, color, _, _, interlaced = struct.unpack('>IIBBBBB', body)
        packed += body if kind == b'IDAT' else b''
        palette = body if kind == b'PLTE' else palette
        clear = body if kind == b'tRNS' else clear
        at += size + 12
    if bits != 8 or interlaced:
        raise ValueError(f'{path}: expected 8 bits a channel, not interlaced')
    n = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    raw, stride = zlib.decompress(packed), n * width
    picture, above = Picture(width, height), bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(kind, line, above, n)
        above = line
        row = picture.rows[y]
        if color == 3:
            for i, k in enumerate(line):
                row[4 * i:4 * i + 4] = palette[3 * k:3 * k + 3] + (clear[k:k + 1] or b'\xFF')
            continue
        for c in range(3):
            row[c::4] = line[c if n >= 3 else 0::n]
        row[3::4] = line[n - 1::n] if n in (2, 4) else b'\xFF' * width
    return picture


def unfilter(kind, line, above, n):
    for i in range(len(line) if kind else 0):
        left, up, corner = (line[i - n], above[i], above[i - n]) if i >= n else (0, above[i], 0)
        if kind == 4:
            guess = left + up - corner
            a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
            left = left if a <= b and a <= c else up if b <= c else corner
        line[i] = (line[i] + (left, up, (left + up) // 2, left)[kind - 1]) & 0xFF


def power(n):
    return max(8, 1 << (n - 1).bit_length())


def pack(pictures):
    """Packs all into one picture, in rows of decreasing height; [(x, y)] in the order given."""
    side = power(max(p.width for p in pictures))
    while True:
        x = y = row = 0
        places = [(0, 0)] * len(pictures)
        for k in sorted(range(len(pictures)), key=lambda k: -pictures[k].height):
            p = pictures[k]
            if x + p.width > side:
                x, y, row = 0, y + row, 0
            places[k] = x, y
            x, row = x + p.width, max(row, p.height)
        if y + row <= side:
            break
        side *= 2
    sheet = Picture(side, power(y + row))
    for p, place in zip(pictures, places):
        sheet.paste(p, *place)
    return sheet, places


def pictures_of(path):
    return [w for w in shlex.split(path.read_text()) if w.lower().endswith('.png')]


def indices(path):
    """The text of the header that names the pictures of a .t3s by their numbers."""
    names = [re.sub(r'\W', '_', pathlib.Path(name).stem) for name in pictures_of(path)]
    return '#pragma once\n' + ''.join(f'#define {path.stem}_{name}_idx {i}\n' for i, name in enumerate(names))


def convert(path):
    """The bytes of the .t3x of a .t3s."""
    words = shlex.split(path.read_text())
    pictures = [read_png(pathlib.Path(path.parent, name)) for name in pictures_of(path)]
    if '--skybox' in words or '--cubemap' in words:
        side = pictures[0].width // 4
        faces = [pictures[0].cut(x * side, y * side, side, side) for x, y in CUBE]
        kind, places, pictures = 1, [(0, 0)], [faces[0]]
    else:
        sheet, places = pack(pictures)
        faces, kind = [sheet], 0
    width, height = faces[0].width, faces[0].height
    levels = min(width, height).bit_length() - 4 if '-m' in words else 0
    out = bytearray(struct.pack('<HBBB', len(places), (width.bit_length() - 4) | (height.bit_length() - 4) << 3 | kind << 6, 0,
                                levels))
    for p, (x, y) in zip(pictures, places):
        out += struct.pack('<6H', p.width, p.height, 1024 * x // width, 1024 - 1024 * y // height,
                           1024 * (x + p.width) // width, 1024 - 1024 * (y + p.height) // height)
    body = bytearray()
    for face in faces:
        for level in range(levels + 1):
            body += face.tiled()
            face = face.half() if level < levels else face
    return bytes(out + struct.pack('<I', len(body) << 8) + body)
