#!/usr/bin/env python3
"""Three clients on the headless display for a long time: frames, memory, descriptors, processor time.

soak.py PICA PICAD CAPTURES [SECONDS (1200) [HERTZ (60)]]

Prints a line every tenth of the time. Fails where frames were dropped, descriptors or memory grow, or a client
ends; how fast the machine is fails nothing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PICA, PICAD = (os.path.abspath(p) for p in sys.argv[1:3])
CAPTURES = pathlib.Path(sys.argv[3]).resolve()
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 1200
HERTZ = sys.argv[5] if len(sys.argv) > 5 else '60'
ENV = {k: v for k, v in os.environ.items() if not k.startswith(('XDG_', 'PICA_', 'LISTEN_', 'NOTIFY_'))}
CLIENTS = {'cube': ['cube.pica'], 'wall': ['wall.pica', 'triangle.pica'], 'wrap': ['wrap.pica']}
TICK = os.sysconf('SC_CLK_TCK')


def run(*args):
    return subprocess.run([PICA, *map(str, args)], check=True, capture_output=True, text=True, timeout=120, env=ENV).stdout


class Soak:
    def __init__(self, folder):
        self.socket = f'{folder}/0'
        config = pathlib.Path(folder) / 'picad.conf'
        config.write_text('[picad]\n')
        self.picad = subprocess.Popen([PICAD, '--socket', self.socket, '--config', str(config), '--display', 'headless',
                                       '--headless', f'800x480@{HERTZ}', '--threads', '1'], env=ENV, text=True,
                                      stderr=subprocess.PIPE)
        while 'event=ready' not in self.picad.stderr.readline():
            pass
        # Nobody reads it from here on, and it says little: a line for each change of focus.
        self.players = {name: subprocess.Popen([PICA, 'play', '--loop', '--rate', '0', '--name', name, '--connect',
                                                self.socket, *(str(CAPTURES / c) for c in captures)], env=ENV)
                        for name, captures in CLIENTS.items()}

    def sample(self):
        text = run('metrics', '--connect', self.socket)
        numbers = dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))
        pid = self.picad.pid
        status = pathlib.Path(f'/proc/{pid}/status').read_text()
        stat = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
        return {'rss': int(status.split('VmRSS:')[1].split()[0]) / 1024,
                'fds': len(os.listdir(f'/proc/{pid}/fd')),
                'cpu': (int(stat[11]) + int(stat[12])) / TICK,
                'p50': float(numbers['picad_flip_latency_seconds{quantile="0.5"}']) * 1e3,
                'p99': float(numbers['picad_flip_latency_seconds{quantile="0.99"}']) * 1e3,
                **{k: int(numbers[f'picad_frames_{k}_total']) for k in ('presented', 'hidden', 'dropped', 'late')},
                'missed': int(numbers['picad_refreshes_missed_total'])}

    def focus_next(self, n):
        text = run('sessions', '--connect', self.socket)
        ids = [line.split()[0] for line in text.splitlines()[1:] if line.split()[3] in CLIENTS]
        if ids:
            run('focus', '--connect', self.socket, ids[n % len(ids)])

    def end(self):
        for p in self.players.values():
            p.terminate()
            p.wait(60)
        self.picad.terminate()
        self.picad.communicate(timeout=60)


def main():
    with tempfile.TemporaryDirectory(prefix='pica-soak') as folder:
        soak = Soak(folder)
        wrong = []
        try:
            wrong = watch(soak)
        finally:
            soak.end()
        print('\n'.join(wrong) if wrong else 'soak: fine')
        return 1 if wrong else 0


def watch(soak):
    wrong = []
    time.sleep(min(5, SECONDS / 10))  # everybody is there
    first = last = soak.sample()
    began = switched = time.monotonic()
    warm, focus = None, 0
    print(f'{"s":>6} {"shown":>7} {"hidden":>8} {"dropped":>7} {"late":>6} {"missed":>6} {"p50 ms":>7} {"p99 ms":>7}'
          f' {"rss MiB":>8} {"fds":>4} {"cpu ms/frame":>12}', flush=True)
    for step in range(1, 11):
        while time.monotonic() < began + SECONDS * step / 10:
            time.sleep(0.2)
            if time.monotonic() > switched + min(10, SECONDS / 20):
                switched = time.monotonic()
                focus += 1
                soak.focus_next(focus)
            for name, p in soak.players.items():
                if p.poll() is not None and not any(name in w for w in wrong):
                    wrong.append(f'{name} ended with status {p.returncode}')
        now = soak.sample()
        frames = now['presented'] - last['presented']
        print(f'{time.monotonic() - began:6.0f} {now["presented"]:7} {now["hidden"]:8} {now["dropped"]:7} {now["late"]:6}'
              f' {now["missed"]:6} {now["p50"]:7.2f} {now["p99"]:7.2f} {now["rss"]:8.1f} {now["fds"]:4}'
              f' {(now["cpu"] - last["cpu"]) * 1e3 / max(frames, 1):12.2f}', flush=True)
        last = now
        warm = warm or now
    if last['dropped']:
        wrong.append(f'{last["dropped"]} frames were dropped')
    if last['fds'] > warm['fds']:
        wrong.append(f'descriptors grow: {warm["fds"]} to {last["fds"]}')
    if last['rss'] > 1.1 * warm['rss'] + 8:
        wrong.append(f'memory grows: {warm["rss"]:.1f} to {last["rss"]:.1f} MiB')
    if last['presented'] == first['presented']:
        wrong.append('nothing was shown')
    return wrong


sys.exit(main())
