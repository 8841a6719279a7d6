#!/usr/bin/env python3
"""The picture with mipmaps is that of OpenGL's formulas, with exact numbers: levels_test.py PICA CAPTURE.

llvmpipe differs by up to 6 of 255 because its logarithm is linear between powers of two: with such a logarithm the
same formulas give llvmpipe's picture within 1. They are those of tests/vc4/pictures.c: mipmaps().
"""
import math
import pathlib
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, SIDE, LEVELS = 320, 240, 64, 7
# Corners on the screen, 1/W, texture coordinates
CORNERS = [(8, 6), (312, 6), (40, 210), (280, 210)]
INVERSE_W = [1, 1, 1 / 4, 1 / 4]
COORDINATES = [(0, 0), (4, 0), (0, 16), (4, 16)]
TRIANGLES = [(0, 1, 2), (1, 2, 3)]


def read(path):
    _, size, _, data = path.read_bytes().split(b'\n', 3)
    width = int(size.split()[0])
    return lambda x, y: data[3 * (y * width + x):3 * (y * width + x) + 3]


def checker():
    def texel(x, y):
        light = (x // 8 ^ y // 8) & 1
        return (255, 255, 64) if light else (4 * x, 4 * y, 200)
    return texel


def level_pictures(folder):
    """The checker, and the levels as the driver drew them: each in a job of its own."""
    pictures = [checker()] + [read(folder / f'{k}.ppm') for k in range(LEVELS - 1)]
    sides = [SIDE >> k for k in range(LEVELS)]
    return [(n, [[p(x, y) for x in range(n)] for y in range(n)]) for n, p in zip(sides, pictures)]


def weights(triangle, x, y):
    (x0, y0), (x1, y1), (x2, y2) = (CORNERS[i] for i in triangle)
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    b = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
    c = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
    return 1 - b - c, b, c


def coordinates(triangle, x, y):
    w = [a * INVERSE_W[i] for a, i in zip(weights(triangle, x + .5, y + .5), triangle)]
    return [sum(a * COORDINATES[i][k] for a, i in zip(w, triangle)) / sum(w) for k in range(2)]


def bilinear(level, s, t):
    n, rows = level
    u, v = s * n - .5, t * n - .5
    i, j = math.floor(u), math.floor(v)
    fu, fv = u - i, v - j
    a, b = rows[j % n], rows[(j + 1) % n]
    i, k = i % n, (i + 1) % n
    return [(a[i][c] * (1 - fu) + a[k][c] * fu) * (1 - fv) + (b[i][c] * (1 - fu) + b[k][c] * fu) * fv for c in range(3)]


def detail(triangle, x, y):
    """Of the quad of a pixel, from its first three pixels."""
    x, y = x & ~1, y & ~1
    at, right, up = (coordinates(triangle, x + dx, y + dy) for dx, dy in ((0, 0), (1, 0), (0, 1)))
    return .5 * math.log2(max(sum((SIDE * (p - q)) ** 2 for p, q in zip(to, at)) for to in (right, up)))


def sampled(levels, triangle, x, y):
    s, t = coordinates(triangle, x, y)
    lod = min(max(detail(triangle, x, y), 0), LEVELS - 1)
    k = int(lod)
    near, far = (bilinear(levels[min(k + i, LEVELS - 1)], s, t) for i in range(2))
    return [a + (lod - k) * (b - a) for a, b in zip(near, far)]


def main():
    pica, capture = sys.argv[1:]
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        subprocess.run([pica, 'render', '--format', 'ppm', '--frames', 'all', '-o', folder / '{frame}.ppm', capture],
                       check=True, stdout=subprocess.DEVNULL)
        levels, picture = level_pictures(folder), read(folder / '6.ppm')
    seen = most = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for triangle in TRIANGLES:
                if min(weights(triangle, x + .5, y + .5)) > 0:
                    want = sampled(levels, triangle, x, y)
                    most = max(most, *(abs(a - b) for a, b in zip(picture(x, y), want)))
                    seen += 1
    print(f'{seen} pixels, at most {most:.2f} of 255 off')
    assert seen > 50000 and most < 2.5


main()
