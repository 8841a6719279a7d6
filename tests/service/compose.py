"""What an output of picad shows, put together by plain loops from the screens as `pica render` writes them.

Independent of the service and of libpica's way to displays: the rules are those of picad(1) and pica_show.h, written
down once more in whole numbers and fractions.
"""
import itertools
import math
import pathlib
import re
import subprocess
import zlib
from fractions import Fraction

LAYOUTS = ('stacked', 'side-by-side', 'top', 'bottom', 'split-outputs')
SCALES = ('integer', 'fit', 'stretch', '1', '2', '3')
FILTERS = ('nearest', 'bilinear')
TURNS = (0, 90, 180, 270)
STEREO = ('left', 'side-by-side', 'anaglyph')
KEYS = ('layout', 'scale', 'filter', 'rotate', 'stereo', 'background')
BLACK = (0, 0, 0)


class Picture:
    """Rows of (r, g, b)."""

    def __init__(self, width, height, color=BLACK):
        self.width, self.height = width, height
        self.rows = [[color] * width for _ in range(height)]

    @staticmethod
    def of(rows):
        out = Picture(len(rows[0]), 0)
        out.height, out.rows = len(rows), rows
        return out

    @staticmethod
    def load(path):
        data = path.read_bytes()
        match = re.match(rb'P6\s(\d+)\s(\d+)\s255\s', data)
        width, rgb = int(match[1]), data[match.end():]
        pixels = list(zip(rgb[::3], rgb[1::3], rgb[2::3]))
        return Picture.of([pixels[at:at + width] for at in range(0, len(pixels), width)])

    def put(self, x0, y0, other):
        for y, row in enumerate(other.rows):
            self.rows[y0 + y][x0:x0 + other.width] = row

    def times(self, n):
        return Picture.of([[p for p in row for _ in range(n)] for row in self.rows for _ in range(n)])

    def turned(self):
        """A quarter turn clockwise."""
        return Picture.of([list(column) for column in zip(*self.rows[::-1])])

    def rgb565(self):
        """Truncated, as it is stored; and widened by its top bits, as who looks at it sees it."""
        def widen(p):
            r, g, b = p[0] >> 3, p[1] >> 2, p[2] >> 3
            return (r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2)
        return Picture.of([[widen(p) for p in row] for row in self.rows])

    def rgb(self):
        return bytes(itertools.chain.from_iterable(itertools.chain.from_iterable(self.rows)))

    def crc(self):
        return '%08x' % zlib.crc32(self.rgb())


def read_screens(pica, capture, folder):
    """The last frame's screens: left, right (the left one, where there is no other), bottom."""
    subprocess.run([pica, 'render', '--progress', 'never', '--format', 'ppm', '--eye', 'both', '-o',
                    f'{folder}/{{name}}-{{screen}}{{-eye}}.ppm', capture], check=True, stdout=subprocess.DEVNULL)
    paths = [pathlib.Path(folder) / f'{pathlib.Path(capture).stem}-{word}.ppm' for word in ('top', 'top-right', 'bottom')]
    left, right, bottom = (Picture.load(path) if path.exists() else None for path in paths)
    return {'left': left, 'right': right or left, 'bottom': bottom}


def anaglyph(left, right):
    return Picture.of([[(p[0], q[1], q[2]) for p, q in zip(a, b)] for a, b in zip(left.rows, right.rows)])


def canvas_of(screens, layout, stereo, output, n_outputs):
    """(x, y, picture) of each screen, in console pixels."""
    if layout == 'split-outputs':
        layout = 'stacked' if n_outputs == 1 else ('top', 'bottom', 'none')[min(output, 2)]
    places, width = [], 0
    if layout in ('stacked', 'side-by-side', 'top'):
        eyes = {'left': [screens['left']], 'side-by-side': [screens['left'], screens['right']],
                'anaglyph': [anaglyph(screens['left'], screens['right'])]}[stereo]
        for eye in eyes:
            places.append((width, 0, eye))
            width += 400
    if layout == 'stacked':
        places.append(((width - 320) // 2, 240, screens['bottom']))
    elif layout in ('side-by-side', 'bottom'):
        places.append((width, 0, screens['bottom']))
    return places


def scale_of(how, view, canvas):
    """How many pixels a console pixel is, along x and y."""
    stretch = [Fraction(v, c) for v, c in zip(view, canvas)]
    fit = min(stretch)
    if how == 'stretch':
        return stretch
    if how == 'fit':
        return [fit, fit]
    times = (math.floor(fit) or fit) if how == 'integer' else Fraction(how)
    return [times, times]


def mix(a, b, weight):
    """Of 256 parts."""
    return tuple((p * (256 - weight) + q * weight + 128) // 256 for p, q in zip(a, b))


def nearest(i, n, m):
    """The pixel of m that holds the centre of pixel i of n."""
    return math.floor(Fraction((2 * i + 1) * m, 2 * n)), 0


def between(i, n, m):
    """The pixel of m whose centre is before that of pixel i of n, and how much the next one weighs."""
    at = math.floor((Fraction((2 * i + 1) * m, 2 * n) - Fraction(1, 2)) * 256)
    return divmod(min(max(at, 0), 256 * (m - 1)), 256)


def draw(out, columns, rows, size, picture, is_smooth):
    """Scales a picture to a size; of it are seen columns and rows, which are {place on the output: place in it}."""
    at = between if is_smooth else nearest
    xs = [(x, *at(i, size[0], picture.width)) for x, i in columns.items()]
    for y, j in rows.items():
        row, weight = at(j, size[1], picture.height)
        line = picture.rows[row]
        if weight:
            line = [mix(p, q, weight) for p, q in zip(line, picture.rows[row + 1])]
        to = out.rows[y]
        for x, i, weight in xs:
            to[x] = mix(line[i], line[i + 1], weight) if weight else line[i]


def seen(place, extent, n):
    """Of the pixels that begin at a place: those on an output of n."""
    return {place + i: i for i in range(extent) if 0 <= place + i < n}


def compose(screens, how, width, height, output=0, n_outputs=1):
    """how: a dict of picad's options. The picture of an output."""
    turns = int(how.get('rotate', 0)) // 90
    color = tuple(bytes.fromhex(how.get('background', '000000')))
    out = Picture(width, height, color)
    places = canvas_of(screens, how.get('layout', 'stacked'), how.get('stereo', 'left'), output, n_outputs)
    if not places:
        return out
    canvas = [max(x + p.width for x, y, p in places), max(y + p.height for x, y, p in places)]
    view = (height, width) if turns % 2 else (width, height)
    scale = scale_of(how.get('scale', 'integer'), view, canvas)
    # In the middle, before it is turned.
    origin = [int(Fraction(v - math.floor(s * c), 2)) for v, s, c in zip(view, scale, canvas)]
    for x, y, picture in places:
        x0, x1 = (origin[0] + math.floor(scale[0] * edge) for edge in (x, x + picture.width))
        y0, y1 = (origin[1] + math.floor(scale[1] * edge) for edge in (y, y + picture.height))
        for _ in range(turns):
            picture = picture.turned()
        # The corner that is the upper left one when all is turned.
        left, top, extent = ((x0, y0, (x1 - x0, y1 - y0)), (width - y1, x0, (y1 - y0, x1 - x0)),
                             (width - x1, height - y1, (x1 - x0, y1 - y0)), (y0, height - x1, (y1 - y0, x1 - x0)))[turns]
        is_smaller = x1 - x0 < (picture.height if turns % 2 else picture.width)
        draw(out, seen(left, extent[0], width), seen(top, extent[1], height), extent, picture,
             how.get('filter') == 'bilinear' or is_smaller)
    return out


def ways():
    """Ways of showing: each layout with each turn, and in them each pair of the other options more than once."""
    rest = itertools.cycle(itertools.product(SCALES, FILTERS, STEREO))
    for n, (layout, turn) in enumerate(itertools.product(LAYOUTS, TURNS)):
        for _ in range(1 + 6 * (n % 2)):  # strides that visit all of them in the end
            scale, smooth, stereo = next(rest)
        yield {'layout': layout, 'scale': scale, 'filter': smooth, 'rotate': turn, 'stereo': stereo,
               'background': '%06x' % (0x102030 + n)}
