#!/usr/bin/env python3
"""`pica inspect` as a server: test_served.py PROGRAM CAPTURES http|no-http [unittest arguments]"""
import base64
import csv
import io
import json
import random
import socket
import struct
import sys
import time
import unittest
import zlib

from sample import EVERY
from served import CallError, Served, Stdio, request, result
from test_cli import BUNDLED, CAPTURES, Case, read_png
from test_dump import capture
from test_inspect import Page
from test_lint import state

HAS_HTTP = sys.argv[3] == 'http'
CRATES = BUNDLED / 'crates.pica'


def png(answer):
    width, height, rgb = read_png(base64.b64decode(answer['png']))
    assert (width, height) == (answer['width'], answer['height'])
    return width, height, rgb


@unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
class Http(Case):
    def test_access(self):
        with Served(CRATES) as s:
            self.assertRegex(s.url, r'^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$')
            status, headers, body = s.http('GET', s.path)
            self.assertEqual(status, 200)
            self.assertIn("default-src 'none'", headers['Content-Security-Policy'])
            self.assertNotIn('unsafe', headers['Content-Security-Policy'])
            self.assertEqual(headers['Referrer-Policy'], 'no-referrer')
            self.assertTrue(Page(body.decode()).json['served'])
            token = s.path.strip('/')
            wrong = ('0' if token[0] != '0' else '1') + token[1:]
            good = request('capture', {})
            for path in '/', '/rpc', f'/{wrong}/', f'/{wrong}/rpc', f'/{token[:-1]}/', f'/{token}0/rpc', '//', f'//{token}/rpc':
                for method in 'GET', 'POST':
                    self.assertEqual(s.http(method, path, good if method == 'POST' else None)[0],
                                     404 if path == f'/{token}0/rpc' else 403, path)
            port = s.host.split(':')[1]
            for host in 'evil.example', f'evil.example:{port}', '127.0.0.1', '127.0.0.1:1', '':
                self.assertEqual(s.http('POST', s.path + 'rpc', good, {'Host': host})[0], 403, host)
            for origin in 'http://evil.example', 'null', f'https://{s.host}', 'http://127.0.0.1', f'http://{s.host}.evil.example', '':
                self.assertEqual(s.http('POST', s.path + 'rpc', good, {'Origin': origin})[0], 403, origin)
                self.assertEqual(s.http('GET', s.path, None, {'Origin': origin})[0], 403, origin)
            for headers in {}, {'Origin': f'http://{s.host}'}, {'Host': f'localhost:{port}', 'Origin': f'http://localhost:{port}'}:
                self.assertEqual(s.http('POST', s.path + 'rpc', good, headers)[0], 200, headers)
            for method, path, want in (('GET', 'rpc', 405), ('POST', '', 405), ('PUT', 'rpc', 405), ('GET', 'x', 404),
                                       ('GET', '?frame=3', 404), ('GET', '?frame=x', 404), ('GET', '?frame=0', 200)):
                self.assertEqual(s.http(method, s.path + path)[0], want, (method, path))
        self.assertEqual(s.code, 0)

    def test_other_users_cannot_reach_the_port(self):
        with Served(CRATES) as s:
            addresses = {a[4][0] for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
            for address in addresses - {'127.0.0.1'}:
                with self.assertRaises(OSError):
                    socket.create_connection((address, s.port), 5).close()

    def test_a_port_that_is_taken(self):
        with Served(CRATES) as s:
            self.pica('inspect', '--port', s.port, CRATES, code=2)
            self.assertIn(f'127.0.0.1:{s.port}: cannot listen', self.err)

    def test_malformed_requests(self):
        """Bytes at each level: HTTP, JSON, parameters. After each many the server still answers."""
        rnd, n = random.Random(3), 1000 if EVERY == 1 else 200
        with Served(BUNDLED / 'triangle.pica') as s:
            good = request('pixel', {'x': 5, 'y': 5, 'frame': 0})
            for i in range(n):
                body = bytearray(good)
                for _ in range(rnd.randrange(1, 6)):
                    body[rnd.randrange(len(body))] = rnd.randrange(256)
                body = bytes(body[:rnd.randrange(len(body) + 1)] if i % 3 == 0 else body)
                if i % 2:
                    answer = s.send(body)
                    self.assertTrue(('error' in answer) != ('result' in answer), body)
                    continue
                head = bytearray(f'POST {s.path}rpc HTTP/1.1\r\nHost: {s.host}\r\nContent-Length: {len(body)}\r\n\r\n'.encode())
                for _ in range(rnd.randrange(1, 4)):
                    head[rnd.randrange(len(head))] = rnd.randrange(256)
                with socket.create_connection(('127.0.0.1', s.port), 60) as c:
                    c.sendall(bytes(head) + body)
                    c.settimeout(.05)  # it may wait for more of them
                    try:
                        c.recv(1)
                    except OSError:
                        pass
            self.assertEqual(s.call('capture')['frames'], 3)
        self.assertEqual(s.code, 0)

    def test_large_slow_and_many(self):
        with Served(CRATES) as s:
            self.assertEqual(s.http('POST', s.path + 'rpc', b' ' * ((8 << 20) + 1))[0], 413)
            self.assertEqual(s.http('GET', '/' + 'x' * 40000)[0] // 100, 4)
            deep = s.send(b'[' * 30000)
            self.assertEqual(deep['error']['code'], -32700)
            idle = [socket.create_connection(('127.0.0.1', s.port), 60) for _ in range(100)]
            slow = socket.create_connection(('127.0.0.1', s.port), 60)
            slow.sendall(f'POST {s.path}rpc HTTP/1.1\r\nHost: {s.host}\r\nContent-Length: 100\r\n\r\n'.encode())
            begin = time.monotonic()
            self.assertEqual(s.call('capture')['frames'], 3)
            self.assertLess(time.monotonic() - begin, 9, 'a peer that says nothing holds others up')
            for c in idle + [slow]:
                c.close()

    def test_the_page_and_the_streams_answer_alike(self):
        with Served(CRATES) as s, Stdio(CRATES) as t:
            for method, params in (('capture', {}), ('frames', {}), ('steps', {'frame': 1}), ('pixel', {'x': 200, 'y': 120, 'steps': True}),
                                   ('state', {'draw': 7}), ('screen', {}), ('mesh', {'draw': 100}), ('lint', {}), ('pixel', {'x': 1}),
                                   ('state', {'draw': 700}), ('nothing', {})):
                self.assertEqual(s.send(request(method, params)), t.send(request(method, params)), method)


def solid_png(width, height, rgba):
    """Base64 of a PNG of one colour."""
    rows = (b'\0' + bytes(rgba) * width) * height

    def part(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    head = struct.pack('>IIBBBBB', width, height, 8, 6, 0, 0, 0)
    return base64.b64encode(b'\x89PNG\r\n\x1a\n' + part(b'IHDR', head) + part(b'IDAT', zlib.compress(rows)) + part(b'IEND', b'')).decode()


class Edits(Case):
    def target(self, s, draw):
        target = s.call('state', draw=draw)['state']['target']
        return {'address': target['color_addr'], 'format': target['color_format'], 'width': target['width'], 'height': target['height'], 'draw': draw}

    def test_a_constant_colour_changes_exactly_its_pixels(self):
        with Stdio(BUNDLED / 'combiner.pica') as s:
            # Replaces by the constant; blends by an alpha that is the texture's.
            where = self.target(s, 27)
            before, first = png(s.call('surface', kind='before', **where)), png(s.call('surface', **where))
            counts = png(s.call('surface', kind='fragments', **where))[2]
            drawn = [counts[i + 1] > 0 for i in range(0, len(counts), 3)]
            self.assertEqual(sum(drawn), 64 * 48)
            rows = s.call('edit', draw=27, register='TEXENV0_COLOR', fields='R=18 G=52 B=86')['edits']
            self.assertEqual(rows, [{'frame': 0, 'draw': 27, 'text': 'TEXENV0_COLOR = 0xFF563412 (R=18 G=52 B=86)'}])
            s.call('edit', draw=27, register=0x0C0, fields='ALPHA0=constant')
            self.assertEqual(len(s.call('edits')['edits']), 2)
            # 255 of the source and 0 of the destination.
            got, old = png(s.call('surface', **where))[2], before[2]
            for k, is_drawn in enumerate(drawn):
                self.assertEqual(got[3 * k:3 * k + 3], b'\x12\x34\x56' if is_drawn else old[3 * k:3 * k + 3])
            registers = s.call('state', draw=27)['state']['registers']
            self.assertEqual(registers['TEXENV0_COLOR']['value'], 0xFF563412)
            # None of the source: the destination stays.
            s.call('edit', draw=27, register='TEXENV0_COLOR', value=0x00563412)
            self.assertEqual(png(s.call('surface', **where)), before)
            self.assertEqual(len(s.call('undo')['edits']), 2)
            self.assertEqual(png(s.call('surface', **where))[2], got)
            self.assertEqual(s.call('undo', all=True), {'edits': []})
            self.assertEqual(png(s.call('surface', **where)), first)

    def answers(self, s, draw):
        rnd = random.Random(2)
        out = [s.call(method, **params) for method, params in (('steps', {}), ('draws', {}), ('frames', {}), ('screen', {}), ('state', {'draw': draw}),
                                                               ('mesh', {'draw': draw}), ('textures', {'draw': draw}))]
        return out + [s.call('pixel', x=rnd.randrange(400), y=rnd.randrange(240), steps=True) for _ in range(6)]

    def test_an_edit_without_effect_changes_no_answer(self):
        """Lists with an edit run word by word; steps, pixels and their jobs keep their numbers."""
        for name, draw in (('strips', 3), ('galaxy', 1), ('crates', 17), ('mirror', 8), ('immediate', 4))[:5 if EVERY == 1 else 2]:
            with Stdio(BUNDLED / f'{name}.pica') as s:
                first = self.answers(s, draw)
                state = s.call('state', draw=draw)
                s.call('edit', draw=draw, program='vertex', text=state['vsh_source'])
                if 'gsh_source' in state:
                    s.call('edit', draw=draw, program='geometry', text=state['gsh_source'])
                s.call('edit', draw=draw, register='BLEND_COLOR', value=state['state']['registers']['BLEND_COLOR']['value'])
                self.assertEqual(self.answers(s, draw), first, name)
                s.call('undo', all=True)
                self.assertEqual(self.answers(s, draw), first, name)

    def test_a_program(self):
        with Stdio(CRATES) as s:
            where = self.target(s, 100)
            before, first = png(s.call('surface', kind='before', **where)), png(s.call('surface', **where))
            self.assertNotEqual(before, first)
            text = s.call('state', draw=100)['vsh_source']
            # With a table of operand descriptors, none can be added.
            lines = [line for line in text.split('\n') if '.opdesc' not in line]
            at = max(i for i, line in enumerate(lines) if line.strip() == 'end')
            # All vertices in one place: nothing is drawn.
            lines.insert(at, '\tmov o0, v0.xxxx')
            s.call('edit', draw=100, program='vertex', text='\n'.join(lines))
            self.assertEqual(png(s.call('surface', **where)), before)
            self.assertNotEqual(s.call('state', draw=100)['vsh_source'], text)
            s.call('undo')
            self.assertEqual(png(s.call('surface', **where)), first)

    def test_textures_and_memory(self):
        with Stdio(CRATES) as s:
            first = s.call('screen')
            texture = s.call('textures', draw=91)['textures'][0]
            size = {'width': texture['width'], 'height': texture['height']}
            where = {'address': texture['addr'], 'format': texture['format'], 'draw': 91, 'kind': 'before', 'stored': True, **size}
            s.call('edit', draw=91, unit=texture['unit'], png=solid_png(*size.values(), (255, 0, 255, 255)))
            self.assertEqual(set(zip(*[iter(png(s.call('surface', **where))[2])] * 3)), {(255, 0, 255)})
            self.assertFalse(s.call('screen') == first)
            s.call('undo')
            self.assertEqual(s.call('screen'), first)
            # From a frame on.
            s.call('edit', frame=0, draw=2, address=0x185F0000, bytes='a5' * 256)
            for place, value in ({'frame': 0, 'draw': 1}, '00'), ({'frame': 0, 'draw': 2}, 'a5'), ({'frame': 2}, 'a5'):
                self.assertEqual(s.call('memory', address=0x185F0000, bytes=256, **place)['bytes'], value * 256, place)
            s.call('undo')
            self.assertEqual(s.call('screen'), first)

    def test_textures_of_all_formats(self):
        done = set()
        with Stdio(BUNDLED / 'formats.pica') as s:
            for step in s.call('steps')['steps']:
                for t in s.call('textures', draw=step['draw'])['textures'] if step['kind'] == 'draw' else []:
                    if 'wrong' in t or t['format'] in done:
                        continue
                    where = {'address': t['addr'], 'draw': step['draw'], 'kind': 'before', 'stored': True, **{k: t[k] for k in ('format', 'width', 'height')}}
                    first = s.call('surface', **where)
                    s.call('edit', draw=step['draw'], unit=t['unit'], face=t['face'], level=t['level'], png=first['png'])
                    again = s.call('surface', **where)
                    if t['format'].startswith('ETC1'):  # made anew, with loss
                        self.assertLess(max(abs(a - b) for a, b in zip(png(first)[2], png(again)[2])), 100)
                    else:
                        self.assertEqual(png(again), png(first), t['format'])
                    s.call('undo')
                    done.add(t['format'])
        self.assertEqual(len(done), 14)

    def test_errors_change_nothing(self):
        with Stdio(CRATES) as s:
            first = s.call('screen')
            for params, message in (
                    ({'register': 'NONE', 'value': 1}, 'register: expected the name or the number of a register'),
                    ({'register': 0x300, 'value': 1}, 'register: expected the name or the number of a register'),
                    ({'register': 'DRAWARRAYS', 'value': 1}, 'register 0x22E: expected one that keeps state'),
                    ({'register': 'TEXENV0_COLOR'}, 'expected either fields or value'),
                    ({'register': 'TEXENV0_COLOR', 'value': 1, 'fields': 'R=1'}, 'expected either fields or value'),
                    ({'register': 'TEXENV0_COLOR', 'fields': 'R=256'}, 'fields: R=256: expected as R a number of 8 bits'),
                    ({'register': 'TEXENV0_COLOR', 'fields': 'R=1 X=2'}, 'fields: X=2: expected FIELD=VALUE with a field of TEXENV0_COLOR: R, G, B, A'),
                    ({'register': 'DEPTH_COLOR_MASK', 'fields': 'ENABLE=1, FUNC=greater'}, 'fields: FUNC=greater: expected as FUNC one of: never, always, eq, ne, lt, le, gt, ge'),
                    ({'register': 'TEXENV0_COLOR', 'fields': 'R=' + '1' * 99}, 'expected as R a number of 8 bits'),
                    ({'register': 'TEXENV0_COLOR', 'fields': 'R'}, 'expected FIELD=VALUE'),
                    ({'register': 'TEXENV0_COLOR', 'value': 1 << 32}, 'value: expected'),
                    ({'program': 'vertex'}, 'program: expected text'), ({'program': 'pixel', 'text': ''}, 'program: expected'),
                    ({'program': 'vertex', 'text': '.proc main\nfoo\n.end'}, 'text: line 2: expected an instruction'),
                    ({'program': 'vertex', 'text': '.proc main\n' + 'nop\n' * 512 + 'end\n.end'}, 'expected vertex code within the first 512 instructions'),
                    ({'program': 'geometry', 'text': '.proc main\nend\n.end'}, 'expected a geometry program'),
                    ({'unit': 3, 'png': ''}, 'unit: expected'), ({'unit': 0, 'level': 7, 'png': ''}, 'expected a unit, face and level'),
                    ({'unit': 0, 'png': 'AAA='}, 'png: expected a PNG in base64'), ({'unit': 0, 'png': 'A'}, 'png: expected a PNG in base64'),
                    ({'unit': 0, 'png': solid_png(8, 16, (0, 0, 0, 0))}, 'png: 8x16: expected'),
                    ({'address': 0, 'bytes': '00'}, '1 bytes: expected a range in memory'),
                    ({'address': 0x18000000, 'bytes': '0g'}, 'bytes: expected pairs of hexadecimal digits'),
                    ({'address': 0x18000000, 'bytes': ''}, '0 bytes: expected a range in memory'),
                    ({'unit': 0, 'address': 0}, 'expected one of'), ({}, 'expected one of'), ({'frame': 9, 'register': 1, 'value': 1}, 'frame 9'),
                    ({'draw': 999, 'register': 'TEXENV0_COLOR', 'value': 1}, 'has no draw 999')):
                with self.assertRaises(CallError, msg=params) as caught:
                    s.call('edit', **{'draw': 100, **params})
                self.assertIn(message, str(caught.exception))
            with self.assertRaisesRegex(CallError, 'expected an edit before'):
                s.call('undo')
            self.assertEqual(s.call('edits'), {'edits': []})
            self.assertEqual(s.call('screen'), first)

    def test_hostile_values(self):
        rnd = random.Random(7)
        for name in ('immediate', 'triangle', 'galaxy')[:3 if EVERY == 1 else 1]:
            with Stdio(BUNDLED / f'{name}.pica') as s:
                first = s.call('screen')
                for i in range(100 if EVERY == 1 else 4):
                    params = {'register': rnd.randrange(0x300), 'value': rnd.choice((0, 0xFFFFFFFF, rnd.randrange(1 << 32)))}
                    if i % 4 == 0:
                        words = '\n'.join(f'.word 0x{rnd.randrange(1 << 32):08X}' for _ in range(rnd.randrange(1, 500)))
                        params = {'program': 'vertex', 'text': f'.proc main\n{words}\n.end'}
                    for method, more in ('edit', params), ('screen', {}), ('pixel', {'x': 9, 'y': 9}), ('steps', {}), ('draws', {}):
                        try:
                            s.call(method, **({'draw': 0} if method == 'edit' else {}), **more)
                        except CallError:
                            pass
                    if 'program' in params:
                        s.call('undo')  # it may run until its budget ends
                self.assertTrue(s.call('undo', all=True))
                self.assertEqual(s.call('screen'), first)
            self.assertEqual(s.code, 0)


class Two(Case):
    """Two captures."""

    def test_the_first_difference(self):
        path = BUNDLED / 'combiner.pica'
        with Stdio(path, path) as s:
            self.assertFalse(s.call('difference')['differs'])
            s.call('edit', side='b', draw=27, register='TEXENV0_COLOR', fields='R=18')
            self.assertEqual([len(s.call('edits', side=side)['edits']) for side in 'ab'], [0, 1])
            found = s.call('difference')
            self.assertEqual((found['differs'], found['frame'], found['draw']['draw'], found['draw']['part']), (True, 0, 27, 'color'))
            self.assertEqual([row['name'] for row in found['draw']['state_differences']], ['TEXENV0_COLOR'])
            # Its pixel, and their number, are those of both pictures.
            target = s.call('state', draw=27)['state']['target']
            where = {'address': target['color_addr'], 'format': target['color_format'], 'width': target['width'], 'height': target['height'], 'draw': 27}
            a, b = (png(s.call('surface', side=side, **where)) for side in 'ab')
            differing = [i // 3 for i in range(0, len(a[2]), 3) if a[2][i:i + 3] != b[2][i:i + 3]]
            self.assertEqual(len(differing), found['draw']['pixels'])
            first = found['draw']['first']
            self.assertIn((target['width'] - 1 - first['column']) * a[0] + first['row'], differing)
            self.assertEqual(s.call('undo', side='b'), {'edits': []})
            self.assertFalse(s.call('difference', every_draw=True)['differs'])
            for side in 'c', 1, None:
                with self.assertRaisesRegex(CallError, 'side: expected a, or b of two captures'):
                    s.call('capture', side=side)
        # Of one: what its edits change.
        with Stdio(path) as s:
            self.assertFalse(s.call('difference')['differs'])
            s.call('edit', draw=27, register='TEXENV0_COLOR', fields='R=18')
            self.assertEqual(s.call('difference'), found)
            with self.assertRaisesRegex(CallError, 'side: expected'):
                s.call('capture', side='b')

    def test_it_is_that_of_diff(self):
        a, b = BUNDLED / 'cube.pica', BUNDLED / 'knot.pica'
        want = json.loads(self.pica('diff', '--json', a, b, code=1))
        with Stdio(a, b) as s:
            got = s.call('difference')
            self.assertEqual([s.call('capture', side=side)['name'] for side in 'ab'], ['cube', 'knot'])
        self.assertEqual(got['first'], want['first'])
        self.assertEqual({k: v for k, v in got['draw'].items() if k != 'width'}, {k: v for k, v in want['draw'].items() if k not in 'ab'})
        self.pica('inspect', '-o', 'page.html', a, b, code=2)
        self.assertIn('-o: expected one capture', self.err)
        self.pica('inspect', '--stdio', a, BUNDLED / 'vc4-mesh.pica', code=2)
        self.pica('inspect', '--stdio', a, a, a, code=2)

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_pages(self):
        with Served(BUNDLED / 'cube.pica', BUNDLED / 'knot.pica') as s:
            self.assertEqual([Page(s.http('GET', s.path + at)[2].decode()).json['name'] for at in ('a/', 'b/?frame=1')], ['cube', 'knot'])
            self.assertIn(b'<script id="data"', s.http('GET', s.path)[2])
            for of, name in ('', 'cube'), ('a/', 'cube'), ('b/', 'knot'):
                self.assertEqual(result(s.send(request('capture', {}), of=of))['name'], name)
            self.assertEqual(s.call('capture', side='b')['name'], 'knot')
            self.assertEqual([s.http('GET', s.path + at)[0] for at in ('c/', 'a', 'a/x', 'a/b/')], [404] * 4)
            self.assertEqual(s.http('GET', s.path[:-2] + '/a/')[0], 403)


class Calls(Case):
    def verb(self, *args):
        return json.loads(self.pica(*args))

    def test_answers_are_those_of_the_verbs(self):
        with Stdio(CRATES) as s:
            for x, y in (200, 120), (10, 10), (399, 239):
                self.assertEqual(s.call('pixel', x=x, y=y, steps=True), self.verb('pixel', '--json', '--steps', CRATES, f'{x},{y}'))
            surface = '0x18300000,rgba8,240x320'
            self.assertEqual(s.call('pixel', x=100, y=30, frame=1, surface=surface),
                             self.verb('pixel', '--json', '--frame', 1, '--surface', surface, CRATES, '100,30'))
            self.assertEqual(s.call('pixel', x=100, y=30, frame=0, screen='bottom'),
                             self.verb('pixel', '--json', '--frame', 0, '--screen', 'bottom', CRATES, '100,30'))
            for frame, draw in (2, 113), (0, 0), (2, 5):
                want = self.verb('dump', '--json', '--state', '--shaders', '--draw', f'{frame}:{draw}', CRATES)
                got = s.call('state', frame=frame, draw=draw)
                self.assertEqual({k: got.get(k) for k in ('state', 'vsh_source', 'gsh_source')},
                                 {k: want.get(k) for k in ('state', 'vsh_source', 'gsh_source')})
            for vertex in 0, 7:
                self.assertEqual(s.call('shader_trace', draw=30, vertex=vertex),
                                 self.verb('shader', 'trace', '--json', '--draw', 30, '--vertex', vertex, CRATES))
            for frame in 0, 2:
                want = self.verb('draws', '--json', '--depends', '--frames', frame, CRATES)['captures'][0]
                self.assertEqual(s.call('draws', frame=frame), {'frame': frame, 'rows': want['rows'], 'first_rows': want['first_rows']})
            self.assertEqual(s.call('draws')['frame'], 2)
            self.assertEqual(s.call('capture')['frames'], self.verb('info', '--json', CRATES)['frames'])
        path = capture(self.dir / 'a.ctf', *state({0x11E: 0}))  # a target without pixels
        with Stdio(path) as s:
            findings = s.call('lint')['findings']
            self.assertEqual(findings, json.loads(self.pica('lint', '--json', path, code=6))['captures'][0]['findings'])
            self.assertTrue(findings)
        self.assertEqual(s.code, 0)

    def test_steps_are_those_of_the_written_page(self):
        for name in ('crates', 'immediate', 'depth', 'stereo')[:4 if EVERY == 1 else 2]:
            path = BUNDLED / f'{name}.pica'
            self.pica('inspect', '-o', 'page.html', path)
            page = Page((self.dir / 'page.html').read_text())
            with Stdio(path) as s:
                answer = s.call('steps')
                work = s.call('draws')
            self.assertEqual(answer['total'], len(page.steps))
            # A step is the row of its number.
            self.assertEqual([(work['rows'][step['step']]['kind'], work['rows'][step['step']].get('draw')) for step in answer['steps']],
                             [(step['kind'], step.get('draw')) for step in answer['steps']])
            for want, got in zip(page.steps, answer['steps']):
                self.assertEqual([c['surface'] for c in want['changes']], [c['surface'] for c in got.pop('changes')], want)
                self.assertEqual({k: want.get(k) for k in got}, got)

    def test_pictures(self):
        # A draw with a depth buffer, and a texture with levels.
        path = BUNDLED / 'mirror.pica'
        with Stdio(path) as s:
            draw = next(r for r in s.call('steps')['steps'] if r.get('draw') == 1)
            target = s.call('state', draw=1)['state']['target']
            self.pica('dump', '-o', 'd', '--surfaces', '--textures', '--draw', 1, path)
            at = {'width': target['width'], 'height': target['height'], 'step': draw['step']}
            color = {'address': target['color_addr'], 'format': target['color_format'], **at}
            depth = {'address': target['depth_addr'], 'format': target['depth_format'], **at}
            for file, kind, where in (('color', 'color', color), ('color', 'after', color), ('before-color', 'before', color),
                                      ('depth', 'depth', depth), ('stencil', 'stencil', depth)):
                self.assertEqual(png(s.call('surface', kind=kind, **where)), read_png(self.bytes(f'd/{file}.png')), kind)
            # Red and white where the draw changed something, grey elsewhere.
            width, height, rgb = png(s.call('surface', kind='difference', **color))
            a, b = (read_png(self.bytes(f'd/{name}color.png'))[2] for name in ('before-', ''))
            for i in range(0, 3 * width * height, 3):
                self.assertEqual(rgb[i] == 255 and a[i:i + 3] != b[i:i + 3], a[i:i + 3] != b[i:i + 3])
            counts = png(s.call('surface', kind='fragments', **color))[2]
            self.assertEqual((sum(counts[::3]), sum(counts[1::3])), (draw['entered'], draw['passed']))
            self.assertEqual(counts[2::3].count(0), width * height)
            self.assertEqual([t['level'] for t in s.call('textures', draw=1)['textures']], [0, 1, 2, 3])
            for texture in s.call('textures', draw=1)['textures']:
                where = {k: texture[k] for k in ('format', 'width', 'height')}
                got = png(s.call('surface', stored=True, address=texture['addr'], draw=1, kind='before', **where))
                rgba = read_png(self.bytes(f'd/{texture["name"]}.png'))[2]
                self.assertEqual(got[2], bytes(v for i, v in enumerate(rgba) if i % 4 < 3))
            self.pica('render', '--format', 'ppm', '--frames', '1', '-o', '{screen}.ppm', path)
            for screen in 'top', 'bottom':
                width, height, rgb = png(s.call('screen', frame=1, screen=screen))
                self.assertEqual(rgb, self.bytes(f'{screen}.ppm')[-3 * width * height:])

    def test_overdraw_is_the_sum_of_the_frame(self):
        with Stdio(BUNDLED / 'blend.pica') as s:
            steps = s.call('steps')
            draws = [r for r in steps['steps'] if r['kind'] == 'draw' and r['changes']]
            surface = draws[-1]['changes'][0]['surface']
            where = steps['surfaces'][surface]
            counts = png(s.call('surface', kind='overdraw', address=where['addr'], format=where['format'], step=draws[-1]['step'],
                                width=where['memory_width'], height=where['memory_height']))[2]
            self.assertLess(max(counts[::3]), 255)
            self.assertEqual(sum(counts[::3]), sum(r['entered'] for r in draws if r['changes'][0]['surface'] == surface))

    def test_a_seek_gives_the_pictures_of_every_draw(self):
        """In both directions."""
        self.pica('render', '--every-draw', BUNDLED / 'cube.pica')
        pictures = sorted(self.dir.glob('cube-d*.png'))
        with Stdio(BUNDLED / 'cube.pica') as s:
            order = random.Random(4).sample(range(len(pictures)), len(pictures) if EVERY == 1 else 6)
            for draw in order:
                target = s.call('state', draw=draw)['state']['target']
                got = png(s.call('surface', draw=draw, address=target['color_addr'], format=target['color_format'], width=target['width'],
                                 height=target['height']))
                self.assertEqual(got, read_png(pictures[draw].read_bytes()), draw)

    def test_cost_is_that_of_pica_render(self):
        pictures = self.verb('render', '--cost', '--json', '--format', 'none', BUNDLED / 'blend.pica')['captures'][0]['pictures']
        with Stdio(BUNDLED / 'blend.pica') as s:
            for heat in (picture['heat'] for picture in pictures):
                target = heat['target']
                rgb = png(s.call('surface', kind='cost', address=target['addr'], format=target['format'], width=target['width'],
                                 height=target['height']))[2]
                costs = [r | g << 8 | b << 16 for r, g, b in zip(rgb[::3], rgb[1::3], rgb[2::3])]
                self.assertEqual((sum(costs), max(costs)), (heat['sum'], heat['max']))

    def test_thumbnails(self):
        with Stdio(CRATES) as s:
            rows = s.call('thumbnails', first=0, count=32)['thumbnails']
            steps = s.call('steps')
            shown = [step for step in steps['steps'][:32] if step['changes']]
            self.assertEqual([row is not None for row in rows], [bool(step['changes']) for step in steps['steps'][:32]])
            self.assertGreater(len(shown), 9)
            for step in shown[::3]:
                row, surface = rows[steps['steps'].index(step)], steps['surfaces'][step['changes'][0]['surface']]
                whole = png(s.call('surface', kind='color', address=surface['addr'], format=surface['format'],
                                   step=step['step'], width=surface['memory_width'], height=surface['memory_height']))
                width, height, rgb = png(row)
                by = -(-whole[0] // 120)
                self.assertEqual((width, height), (-(-whole[0] // by), -(-whole[1] // by)))
                for k in range(0, width * height, 7):
                    at = 3 * (k // width * by * whole[0] + k % width * by)
                    self.assertEqual(rgb[3 * k:3 * k + 3], whole[2][at:at + 3])
            self.assertEqual(len(s.call('thumbnails', count=1000)['thumbnails']), 32)
            self.assertEqual(s.call('thumbnails', first=5000)['thumbnails'], [])

    def test_meshes_are_the_tables_of_dump(self):
        for name, draw in (('crates', 100), ('immediate', 3), ('galaxy', 1)):
            path = BUNDLED / f'{name}.pica'
            self.pica('dump', '-o', 'd', '--vertices', '--draw', draw, path)
            with Stdio(path) as s:
                mesh = s.call('mesh', draw=draw)
                short = s.call('mesh', draw=draw, count=2)
            for key, file in ('vertices', 'vertices.csv'), ('geometry', 'geometry.csv'):
                if key not in mesh:
                    continue
                rows = list(csv.reader(io.StringIO((self.dir / 'd' / file).read_text())))
                self.assertEqual(mesh[key]['columns'], rows[0])
                self.assertEqual(mesh[key]['rows'], [[float(v) if v else None for v in row] for row in rows[1:4097]])
                self.assertEqual(short[key]['rows'], mesh[key]['rows'][:2])
        self.assertIn('geometry', mesh)

    def test_memory_before_and_after_a_fill(self):
        with Stdio(CRATES) as s:
            fill = next(r for r in s.call('steps', frame=0)['steps'] if r['kind'] == 'fill')
            addr, value = fill['text'].split()[0], int(fill['text'].split()[-1], 16)
            where = {'frame': 0, 'step': fill['step'], 'address': addr, 'bytes': 8}
            self.assertEqual(s.call('memory', before=True, **where)['bytes'], '00' * 8)
            self.assertEqual(s.call('memory', **where)['bytes'], value.to_bytes(4, 'little').hex() * 2)

    def test_memory_of_the_videocore(self):
        with Stdio(BUNDLED / 'vc4-texture.pica') as s:
            job = s.call('steps')['steps'][0]
            self.assertEqual(job['text'], '640x480 at 0x00120000; draws: 2')

            def pixel(x, y, **place):
                return s.call('memory', address=0x120000 + 4 * (640 * y + x), bytes=4, **place)['bytes']
            # The first draw covers (100, 200), the second (450, 200); before them the tile buffer is cleared.
            first, second = (s.call('pixel', x=x, y=200)['color'][1:].lower() for x in (100, 450))
            clear = '303030ff'
            for place, want in (({'step': 0, 'before': True}, ('00000000', '00000000')), ({'step': 0}, (clear, clear)), ({'draw': 0, 'before': True}, (clear, clear)),
                                ({'draw': 0}, (first, clear)), ({'step': 1}, (first, clear)), ({'draw': 1, 'before': True}, (first, clear)),
                                ({'step': 2}, (first, second)), ({}, (first, second)), ({'frame': 0}, ('00000000', '00000000'))):
                self.assertEqual((pixel(100, 200, **place), pixel(450, 200, **place)), want, place)
            for place, message in ({'draw': 2}, 'no such step: it has 3, and 2 draws'), ({'step': 3}, 'no such step'), ({'frame': 9}, 'frame 9'):
                with self.assertRaisesRegex(CallError, message):
                    pixel(0, 0, **place)
            with self.assertRaisesRegex(CallError, 'expected an address in memory'):
                s.call('memory', address=0xF0000000, bytes=4)
            with self.assertRaisesRegex(CallError, 'edit: expected a capture of a PICA200'):
                s.call('edit', draw=0, register=1, value=1)

    def test_any_draw_of_any_frame_in_any_order(self):
        """Also from checkpoints at the starts of frames."""
        rnd = random.Random(6)
        for path in (CRATES, BUNDLED / 'mirror.pica', BUNDLED / 'octopus.pica', CAPTURES / 'st_blend.ctf')[:4 if EVERY == 1 else 2]:
            self.pica('render', '--every-draw', '--frames', 'all', '--format', 'ppm', '-o', '{frame}-{draw}.ppm', path)
            places = [tuple(map(int, p.stem.split('-'))) for p in self.dir.glob('*.ppm')]
            with Stdio(path) as s:
                for frame, draw in rnd.sample(places, min(len(places), 40 // EVERY)) + sorted(places)[-2:][::-1]:
                    target = s.call('state', frame=frame, draw=draw)['state']['target']
                    width, height, rgb = png(s.call('surface', frame=frame, draw=draw, address=target['color_addr'], format=target['color_format'],
                                                    width=target['width'], height=target['height'], block32=target['block32']))
                    want = self.bytes(f'{frame}-{draw}.ppm')
                    self.assertEqual(rgb, want[-3 * width * height:], (path, frame, draw))
            for file in self.dir.glob('*.ppm'):
                file.unlink()

    def test_frames(self):
        with Stdio(CRATES) as s:
            rows = s.call('frames')['frames']
            self.assertEqual([r['frame'] for r in rows], [0, 1, 2])
            self.assertEqual(sum(r['draws'] for r in rows), self.verb('info', '--json', CRATES)['draws'])
            self.assertEqual(s.call('frames', first=1, count=1)['frames'], rows[1:2])
            table = self.verb('draws', '--json', '--frames', 1, CRATES)['captures'][0]['rows']
            for kind in 'draw', 'fill', 'transfer', 'copy', 'load':
                plural = {'copy': 'copies'}.get(kind, kind + 's')
                self.assertEqual(rows[1][plural], sum(r['kind'] == kind for r in table), kind)

    def test_errors_name_what_is_wrong(self):
        with Stdio(CRATES) as s:
            for method, params, code, message in (
                    ('nothing', {}, -32601, 'expected a method: capture frames steps'),
                    ('pixel', {'x': 1}, -32602, 'pixel: expected y'),
                    ('pixel', {'x': 1, 'y': -1}, -32602, 'pixel: y: expected'),
                    ('pixel', {'x': 1, 'y': 1.5}, -32602, 'pixel: y: expected'),
                    ('pixel', {'x': 1, 'y': 1, 'z': 1}, -32602, 'pixel: z: there is no such parameter'),
                    ('pixel', {'x': 1, 'y': 1, 'screen': 'left'}, -32602, 'pixel: screen: '),
                    ('pixel', {'x': 1, 'y': 1, 'steps': 1}, -32602, 'pixel: steps: expected true or false'),
                    ('pixel', {'x': 1, 'y': 1, 'frame': 3}, -32000, 'frame 3'),
                    ('pixel', {'x': 400, 'y': 1}, -32000, '400,1: expected a pixel of the top screen'),
                    ('pixel', {'x': 1, 'y': 1, 'surface': '0x18000000,etc1,8x8'}, -32602, 'pixel: surface: expected a format of colour'),
                    ('state', {'draw': 114}, -32000, 'frame 2 has no draw 114'),
                    ('state', {'step': 129}, -32000, 'frame 2 has no step 129: it has 129'),
                    ('shader_trace', {'draw': 0, 'vertex': 1 << 30}, -32000, 'has no vertex 1073741824'),
                    ('memory', {'address': 16, 'bytes': 4}, -32000, '0x00000010: expected an address in memory'),
                    ('memory', {'address': 16, 'bytes': 1 << 20}, -32602, 'memory: bytes: '),
                    ('surface', {'address': 8, 'format': 'RGBA8', 'width': 8, 'height': 8}, -32000, '0x00000008: it does not lie in memory'),
                    ('surface', {'address': '0x18000000', 'format': 'RGBA8', 'width': 12, 'height': 8}, -32000, 'multiples of 8'),
                    ('surface', {'address': '0x18000000', 'format': 'D24', 'width': 8, 'height': 8}, -32000, 'format: expected'),
                    ('surface', {'address': '0x18000000', 'format': 'a\0b', 'width': 8, 'height': 8}, -32602, 'surface: format: ')):
                with self.assertRaises(CallError, msg=(method, params)) as caught:
                    s.call(method, **params)
                self.assertEqual(caught.exception.code, code, (method, params))
                self.assertIn(message, str(caught.exception))
            for line, code in ((b'', -32700), (b'{', -32700), (b'\xff', -32700), (b'[]', -32600), (b'1', -32600), (b'{}', -32600),
                               (b'{"jsonrpc":"2.0","method":"capture"}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":"capture","params":[1]}', -32600),
                               (b' ' * ((8 << 20) + 1), -32600), (b'{"a":1,"a":2}', -32700), (b'{"jsonrpc":"2.0","id":1,"method":"cap\0ture"}', -32700)):
                self.assertEqual(s.send(line)['error']['code'], code, line[:60])
            self.assertEqual(s.call('capture')['frames'], 3)

    def test_bad_captures(self):
        whole = CRATES.read_bytes()
        rnd = random.Random(4)
        for i in range(40 if EVERY == 1 else 6):
            data = bytearray(whole)
            for _ in range(rnd.randrange(1, 40)):
                data[rnd.randrange(80, len(data))] = rnd.randrange(256)
            (self.dir / 'bad.pica').write_bytes(data)
            with Stdio(self.dir / 'bad.pica') as s:
                for method, params in ('steps', {}), ('pixel', {'x': 9, 'y': 9}), ('state', {'draw': 40}), ('mesh', {'draw': 9}), ('screen', {}):
                    try:
                        self.assertIn('jsonrpc', s.send(request(method, params)))
                    except (json.JSONDecodeError, BrokenPipeError):
                        break  # it could not be opened
            self.assertIn(s.process.returncode, (0, 2, 3), i)

    def test_conflicting_options(self):
        for args, message in ((['-o', 'x.html', '--stdio'], 'no --port and no --stdio'), (['-o', 'x.html', '--port', '1'], 'no --port'),
                              (['--stdio', '--port', '1'], '--stdio: expected no --port'), (['--frames', '1'], '--frames: expected -o')):
            self.pica('inspect', *args, CRATES, code=2)
            self.assertIn(message, self.err)
        if not HAS_HTTP:
            self.pica('inspect', CRATES, code=2)
            self.assertIn('built without libmicrohttpd', self.err)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
