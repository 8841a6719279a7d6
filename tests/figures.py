#!/usr/bin/env python3
"""Takes the figures of docs/figures.md again: figures.py BUILD [TABLE...]

A table follows a line <!-- NAME -->. Take them on a machine that does nothing else.
"""
import argparse
import functools
import json
import math
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
page = root / 'docs/figures.md'
parser = argparse.ArgumentParser(description='Takes the figures of docs/figures.md again.')
parser.add_argument('build', type=pathlib.Path, help='folder of a release build')
parser.add_argument('tables', nargs='*', metavar='TABLE', help='those to be taken; all of them')
arguments = parser.parse_args()
build = arguments.build.resolve()
pica = build / 'clients/pica/pica'
scenes = sorted((root / 'tests/captures').glob('*.pica'))
peers = sorted((root / 'tests/data/captures').glob('*.ctf'))


def machine():
    """What measures, and what else ran: the load before anything of ours did."""
    model = re.search(r'^model name\s*: (.*)$', pathlib.Path('/proc/cpuinfo').read_text(), re.M)
    options = {o['name']: o['value'] for o in json.loads(run('meson', 'introspect', '--buildoptions', build))}
    words = json.loads((build / 'compile_commands.json').read_text())[0]['command'].split()
    compiler = run(*words[:2 if words[0].endswith('ccache') else 1], '--version').splitlines()[0]
    isa = json.loads(run(pica, 'bench', '--json', '--repeat', '1', peers[0]))['isa']
    return rows_of(['what', 'is'], ['---', '---'],
                   ['processor', f'{model[1] if model else platform.machine()}, {os.cpu_count()} of its CPUs'],
                   ['kernels', isa],
                   ['system', f'Linux {platform.release()}'],
                   ['compiler', f"{compiler}, --buildtype {options['buildtype']}, "
                    f"assertions {'off' if options['b_ndebug'] == 'true' else 'on'}"],
                   ['load average before', '%.2f' % load_before])


def rows_of(*rows):
    return ''.join('| ' + ' | '.join(str(cell) for cell in row) + ' |\n' for row in rows)


def head(*columns):
    return rows_of(columns) + '|---' + '|--:' * (len(columns) - 1) + '|\n'


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def run(*args):
    return subprocess.run([str(a) for a in args], check=True, stdout=subprocess.PIPE, text=True).stdout


def bench(paths, *options):
    return json.loads(run(pica, 'bench', '--json', '--repeat', '3', *options, *paths))['captures']


def frames(paths, with_mean):
    measured = [bench(paths, '--threads', n) for n in (0, 2)]
    text = head('capture', 'frames', '1000 pixels', 'triangles', 'CPU, 0 workers', 'frame, 0', 'CPU, 2 workers', 'frame, 2')
    for zero, two in zip(*measured):
        info = json.loads(run(pica, 'info', '--json', zero['path']))
        work = (round(info['fragments'] / info['frames'] / 1000), round(info['drawn_triangles'] / info['frames']))
        text += rows_of([zero['name'], zero['frames'], *work,
                         *('%.1f' % m[k] for m in (zero, two) for k in ('cpu_ms', 'median_ms'))])
    if with_mean:
        means = ['%.1f' % mean([c[k] for c in m]) for m in measured for k in ('cpu_ms', 'median_ms')]
        text += rows_of(['*geometric mean*', '', '', '', *means])
    return text


def recording():
    text = head('capture', 'frames', 'CPU', 'recorded', 'more', 'finish', 'KiB')
    measured = bench([*scenes, *peers], '--record', '--threads', '0')
    for c in measured:
        text += rows_of([c['name'], c['frames'], '%.1f' % c['plain']['cpu_ms'], '%.1f' % c['recorded']['cpu_ms'],
                         '%.0f %%' % c['more_cpu_percent'], '%.0f' % c['finish_ms'], '%.0f' % (c['bytes'] / 1024)])
    for name, some in (('all scenes', measured[:len(scenes)]),
                       ('scenes of three frames and more', [c for c in measured[:len(scenes)] if c['frames'] >= 3]),
                       ('captures of 24 frames', measured[len(scenes):])):
        more = 100 * mean([c['recorded']['cpu_ms'] / c['plain']['cpu_ms'] for c in some]) - 100
        text += rows_of([f'*geometric mean, {name}*', '', '', '', '%.0f %%' % more, '', ''])
    more = sorted(c['recorded']['cpu_ms'] - c['plain']['cpu_ms'] for c in measured)
    text += rows_of(['*ms more: least, median, most*', '', '', '',
                     ', '.join('%.1f' % ms for ms in (more[0], more[len(more) // 2], more[-1])), '', ''])
    return text


def kib(size):
    return '%.1f' % (size / 1024)


def sizes():
    text = head('capture', '.pica', '.ctf', '.ctf.zst')
    totals = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in scenes + peers:
            row = []
            for suffix in ('pica', 'ctf', 'ctf.zst'):
                out = pathlib.Path(folder) / (path.stem + '.' + suffix)
                if path.suffix == '.' + suffix:
                    shutil.copy(path, out)
                else:
                    run(pica, 'convert', path, out)
                row.append(out.stat().st_size)
            totals[path.suffix] = [a + b for a, b in zip(totals.get(path.suffix, [0] * 3), row)]
            text += rows_of([path.stem, *map(kib, row)])
    for suffix, what in ('.pica', 'all scenes'), ('.ctf', 'all of the test program'):
        text += rows_of([f'*{what}*', *map(kib, totals[suffix])])
    return text


def spare_word(data, number):
    """A CiTrace file with another number in 0x1EF0000C, which nothing reads: its external registers stand first."""
    at = int.from_bytes(data[12:16], 'little') + 12
    return data[:at] + number.to_bytes(4, 'little') + data[at + 4:]


def batches():
    text = head('', 'from start to end', 'CPU, user', 'CPU, system')
    names = ['st_persp', 'st_edges', 'st_empty', 'st_smalltri', 'st_blend']
    with tempfile.TemporaryDirectory() as folder:
        units = pathlib.Path(folder) / 'units'
        units.mkdir()
        for name in names:
            source = (root / 'tests/data/captures' / (name + '.ctf')).read_bytes()
            for i in range(100):
                (units / f'{name}{i:02}.ctf').write_bytes(spare_word(source, i))
        loop = f'for f in {units}/*.ctf; do {pica} render --threads 0 -o {folder}/loop/ "$f" || exit 1; done'
        for title, command in (('the loop', ['sh', '-c', loop]),
                               ('`--jobs 1`', [pica, 'batch', '--jobs', '1', '-o', folder + '/one', units]),
                               ('`--jobs 2`', [pica, 'batch', '--jobs', '2', '-o', folder + '/two', units]),
                               ('again, all results there', [pica, 'batch', '--jobs', '2', '-o', folder + '/two', units])):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            run(*command)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            text += rows_of([title, *('%.2f s' % t for t in (time.monotonic() - start, after.ru_utime - before.ru_utime,
                                                              after.ru_stime - before.ru_stime))])
    return text


def display():
    """bench_show: size, format, layout, scale, filter, rotation, stereo, ms, memcpy, ratio."""
    found = {}
    for line in run(build / 'tests/service/bench_show', '0.3').splitlines()[1:]:
        size, form, *layout, ms, _, ratio = line.split()
        arrangement, scale, smooth, turn, stereo = layout
        name = ' '.join([arrangement, scale, smooth] + ([turn + ' degrees'] if turn != '0' else [])
                        + (['stereo ' + stereo] if stereo != 'left' else []))
        found.setdefault(name, {})[size, form] = (ms, ratio)
    kinds = [(size, form) for size in ('800x480', '1920x1080') for form in ('xrgb8888', 'rgb565')]
    text = head('layout', '800x480 XRGB8888', 'x memcpy', 'RGB565', 'x', '1920x1080 XRGB8888', 'x memcpy', 'RGB565', 'x')
    for name, cells in found.items():
        text += rows_of([name, *(c for kind in kinds for c in cells[kind])])
    return text


@functools.lru_cache
def bench_service():
    """pica bench --connect with a service of two workers."""
    with tempfile.TemporaryDirectory() as folder:
        where = f'{folder}/socket'
        picad = subprocess.Popen([build / 'service/picad', '--socket', where, '--threads', '2'], stderr=subprocess.PIPE, text=True)
        try:
            assert 'event=ready' in picad.stderr.readline()
            return json.loads(run(pica, 'bench', f'--connect={where}', f'--service-pid={picad.pid}', '--json', '--repeat', '15',
                                    *(p for p in scenes if p.stem in ('cube', 'planet', 'crates'))))
        finally:
            picad.terminate()
            picad.communicate()


def service(what):
    """'trips', 'loads' or 'captures' of that."""
    report = bench_service()
    if what == 'trips':
        return head('round trip', 'p50, us', 'p99, us') + ''.join(
            rows_of([name, '%.1f' % report[key]['p50_us'], '%.1f' % report[key]['p99_us']])
            for name, key in (('a byte through two pipes', 'pipe'), ('an empty job', 'barrier')))
    if what == 'loads':
        keys = 'bells_per_job', 'sleeps_per_job', 'system_calls_per_job', 'service_calls_per_job'
        return head('job', 'depth', 'jobs a second', 'bells a job', 'sleeps a job', 'system calls a job: client',
                    'service') + ''.join(
            rows_of([row['job'], row['depth'], '%.0f' % row['jobs_s'],
                     *('%.4f' % row[key] if key in row else '-' for key in keys)]) for row in report['loads'])
    return head('capture', 'depth', 'ms here', 'ms by the service', 'ratio', 'from', 'to', 'ratio of processor times') + ''.join(
        rows_of([row['name'], row['depth'], '%.2f' % row['here_ms'], '%.2f' % row['service_ms'],
                 *('%.3f' % row[key] for key in ('ratio', 'ratio_from', 'ratio_to', 'cpu_ratio'))])
        for row in report['captures'])


def stress():
    """The long forms of tests/service/stress, one after the other: what each has counted. Takes half an hour."""
    text = rows_of(['test', 'counted']) + '|---|---|\n'
    for name, *args in (('hostile-clients', 'uring'), ('hostile-clients', 'epoll'), ('failures',),
                        ('kills', 'uring', '1000', '200'), ('isolation', 'uring', '100000'),
                        ('double-fetch', 'uring', '1000000'), ('fairness', 'uring', '1000'), ('soak', 'uring', '1200')):
        path = build / 'tests/service/stress' / name
        lines = run(path, *([build / 'service/picad'] if args else []), *args).splitlines()
        counted = [line for line in lines if re.match(r'\d+ (cases|calls|clients|services|jobs|submissions|s)\b|alone|RSS', line)]
        text += rows_of([' '.join([name, *args]), '; '.join(counted)])
    return text


load_before = os.getloadavg()[0]
tables = {
    'machine': machine,
    'frames of the scenes': lambda: frames(scenes, True),
    'frames of the test program': lambda: frames(peers, False),
    'recording': recording,
    'sizes': sizes,
    'batches': batches,
    'display': display,
    'round trips of the service': lambda: service('trips'),
    'load of the service': lambda: service('loads'),
    'captures by the service': lambda: service('captures'),
    'what the service stands': stress,
}
text = page.read_text()
unknown = [name for name in arguments.tables if name not in tables]
if unknown:
    parser.error(f'expected of TABLE: {", ".join(tables)}; not {unknown[0]}')
for name in arguments.tables or tables:
    table = tables[name]()
    text, n = re.subn(rf'(<!-- {name} -->\n)(\|.*\n)*', lambda m: m[1] + table, text)
    assert n == 1, name
    page.write_text(text)
