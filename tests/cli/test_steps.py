#!/usr/bin/env python3
"""The steps of fragments, computed once more by the rules of docs/fidelity.md: test_steps.py PROGRAM CAPTURES"""
import json
import math
import pathlib
import subprocess
import sys
import unittest

PROGRAM = CAPTURES = None


def rgba(text):
    return list(bytes.fromhex(text[1:]))


def shaded(name, x, y):
    """Fragments of a pixel, with the draw of each."""
    out = subprocess.run([PROGRAM, 'pixel', '--steps', '--json', '--frame', '0', CAPTURES / f'{name}.pica', f'{x},{y}'], capture_output=True, check=True).stdout
    return [(e, e['fragment']) for e in json.loads(out)['entries'] if 'fragment' in e]


def filtered(texels):
    """[fidelity.md, Textures]: each level is rounded, then the two together."""
    half = len(texels) // 2
    levels = []
    for part in [texels] if len(texels) in (1, 4) else [texels[:half], texels[half:]]:
        weights = [round(t['weight'] * 2**24) for t in part]
        share = sum(weights) >> 16  # of the level, of 256
        assert all(abs(w / 2**24 - t['weight']) < 1e-10 for w, t in zip(weights, part)) and sum(weights) == share << 16
        levels.append(([(sum(w // share * rgba(t['color'])[c] for w, t in zip(weights, part)) + 0x8000) >> 16 for c in range(4)], share))
    (a, share), *rest = levels
    assert share + sum(f for _, f in rest) == 256
    return [(x * share + y * f + 128) >> 8 for b, f in rest for x, y in zip(a, b)] if rest else a


class Steps(unittest.TestCase):
    def registers(self, name, draw):
        out = subprocess.run([PROGRAM, 'dump', '--json', '--draw', f'0:{draw}', '--state', CAPTURES / f'{name}.pica'], capture_output=True, check=True).stdout
        return {name: r['value'] for name, r in json.loads(out)['state']['registers'].items()}

    def test_texels_give_the_colours_of_units(self):
        seen = set()
        for name, pixels in ('cube', [(200, 120), (160, 60), (100, 200)]), ('planet', [(200, 120), (150, 100)]), ('wall', [(60, 60), (200, 30)]), ('formats', [(50, 50)]):
            for pixel in pixels:
                for _, f in shaded(name, *pixel):
                    for unit, texels in enumerate(f['texels']):
                        if texels:
                            self.assertEqual(filtered(texels), rgba(f['textures'][unit]), (name, pixel))
                            seen.add(len(texels))
        self.assertEqual(seen, {1, 4, 8})

    def test_lights_and_fog(self):
        """The colours of lights by the registers, the spec's formula and the factors that the tables gave."""
        counts = {'lights': 0, 'fog': 0}
        for name, pixels in ('lamps', [(200, 120), (120, 140)]), ('materials', [(100, 100)]), ('toon', [(200, 120)]), ('valley', [(200, 160), (90, 200), (40, 120), (300, 180)]):
            for pixel in pixels:
                for e, f in shaded(name, *pixel):
                    registers, light = None, f['lighting']
                    total = [[*light['ambient']], [0, 0, 0]] if light else None
                    for one in light['lights'] if light else []:
                        registers = registers or self.registers(name, e['draw'])
                        color = {kind: [(registers[f'LIGHT{one["number"]}_{kind}'] >> shift & 1023) / 255 for shift in (20, 10, 0)]
                                 for kind in ('DIFFUSE', 'AMBIENT', 'SPECULAR0', 'SPECULAR1')}
                        factor = {k: v['value'] if v else 1 for k, v in one.items() if k in ('spot', 'distance', 'd0', 'd1') or k.startswith('reflection')}
                        config = registers[f'LIGHT{one["number"]}_CONFIG']
                        geometric = [one['geometric'] if config >> bit & 1 else 1 for bit in (2, 3)]
                        dim = factor['spot'] * factor['distance']
                        for c in range(3):
                            primary = (color['DIFFUSE'][c] * one['diffuse'] * light['shadow'][c] + color['AMBIENT'][c]) * dim
                            shine = (color['SPECULAR0'][c] * factor['d0'] * geometric[0] +
                                     color['SPECULAR1'][c] * factor['d1'] * factor['reflection_' + 'rgb'[c]] * geometric[1])
                            shine = 0 if registers['LIGHTING_CONFIG0'] >> 27 & 1 and one['diffuse'] == 0 else shine * dim
                            if light['shadow'] == [1, 1, 1, 1]:
                                self.assertAlmostEqual(primary, one['primary'][c], places=5, msg=(name, pixel, one))
                                self.assertAlmostEqual(shine, one['secondary'][c], places=5, msg=(name, pixel, one))
                                counts['lights'] += 1
                            total[0][c] += one['primary'][c]
                            total[1][c] += one['secondary'][c]
                        n = math.sqrt(sum(v * v for v in light['normal']))
                        self.assertAlmostEqual(n, 1, places=5)
                    for i in range(2 if light else 0):
                        for c in range(3):
                            self.assertAlmostEqual(min(max(total[i][c], 0), 1) * 255, rgba(f['light'][i])[c], delta=0.501)
                    fog = f['fog']
                    if fog:
                        keep = fog['factor']
                        counts['fog'] += 1
                        self.assertEqual([(keep * a + (2047 - keep) * b + 1023) // 2047 for a, b in zip(rgba(f['combined'])[:3], rgba(fog['color'])[:3])],
                                         rgba(f['color'])[:3])
        self.assertGreater(min(counts.values()), 5, counts)


if __name__ == '__main__':
    PROGRAM, CAPTURES = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
