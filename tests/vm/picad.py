#!/usr/bin/env python3
"""picad on virtual cards: what the card shows, photographed from outside, is what it should be.

    picad.py BUILD CAPTURES WORK KERNEL MODULES [NAME...]

Expected pictures are screens as `pica render` draws them, put together by plain loops (tests/service/compose.py).
Prints a line a case.
"""
import itertools
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'service'))
import compose  # noqa: E402
import under_systemd  # noqa: E402
from compose import Picture  # noqa: E402

STILL = 'blend'  # a capture of one frame: what it shows stays
EYES = 'stereo'  # one with two eyes, cut to a frame


def centred(canvas, width, height, color=(0, 0, 0)):
    out = Picture(width, height, color)
    out.put((width - canvas.width) // 2, (height - canvas.height) // 2, canvas)
    return out


class Cases:
    def __init__(self, build, captures, work):
        self.build, self.captures, self.work = build, captures, work
        self.known = {}
        subprocess.run([build / 'clients/pica/pica', 'render', '--progress', 'never', '--format', 'ppm', '-o',
                        f'{work}/{{name}}-{{screen}}.ppm', captures / f'{STILL}.pica'], check=True,
                       stdout=subprocess.DEVNULL)
        self.top, self.bottom = Picture.load(work / f'{STILL}-top.ppm'), Picture.load(work / f'{STILL}-bottom.ppm')
        pica = build / 'clients/pica/pica'
        subprocess.run([pica, 'trim', '--progress', 'never', '--frames', '0', captures / f'{EYES}.pica', work / 'eyes.pica'],
                       check=True, stdout=subprocess.DEVNULL)
        self.eyes = compose.read_screens(pica, work / 'eyes.pica', work)

    def stacked(self, color=(0, 0, 0)):
        out = Picture(400, 480, color)
        out.put(0, 0, self.top)
        out.put(40, 240, self.bottom)
        return out

    def hashes(self):
        """What a client of the service prints, as the library prints it."""
        ran = subprocess.run([self.build / 'clients/pica/pica', 'render', '--progress', 'never', '--format', 'hash', '-o', '-',
                              self.captures / f'{STILL}.pica'], check=True, capture_output=True, text=True)
        return ''.join(f'{word} ' for word in ran.stdout.split())

    def config(self, how):
        """A line that writes a configuration."""
        text = ''.join(f'{key} = {value}\\n' for key, value in how.items())
        return f"printf '[picad]\\n{text}' >/etc/pica/picad.conf"

    def reread(self, how):
        """A line that has picad read other options."""
        return f'{self.config(how)}; kill -HUP $pid'

    def composed(self, how, width, height, output=0, n_outputs=1):
        key = repr((how, width, height, output, n_outputs))
        if key not in self.known:
            self.known[key] = compose.compose(self.eyes, how, width, height, output, n_outputs)
        return self.known[key]


def shell(cases, lines):
    """The guest's side: runs picad with options until the photographs are the expected ones, and says how long it took."""
    script = ['mkdir -p /run/pica',
              'now() { read -r up rest </proc/uptime; echo ${up%.*}${up#*.}; }',
              'start() { picad --kiosk /still.pica --display kms "$@" 2>/log & pid=$!; }',
              # photograph NAME HEAD CRC: waits for it, 60 s at most
              'photograph() { from=$(now); while :; do a=$(ctl SHOT "$1" "$2"); case "$a" in "OK $3 "*) break;; esac;',
              '  if [ $(($(now) - from)) -gt 6000 ]; then echo "not ok $1: $a, expected $3"; cat /log; return 1; fi;',
              '  sleep 0.05; done; echo "picture: $1 after $((($(now) - from) * 10)) ms"; }',
              # await WHAT COMMAND...: until it succeeds, as long
              'await() { what=$1; shift; from=$(now); while ! "$@"; do [ $(($(now) - from)) -le 6000 ] || {',
              '  echo "not ok: $what"; cat /log; rc=1; return 1; }; sleep 0.05; done; }',
              # other CRC: a photograph is of something else; what it is stays in $a
              'other() { a=$(ctl SHOT other 0); case "$a" in "OK $1 "*) return 1;; "OK "*) return 0;; esac; return 1; }',
              'says() { grep -q "$1" /log; }',
              'stop() { kill -TERM $pid; wait $pid || { echo "not ok: exit status $?"; cat /log; rc=1; }; }', 'rc=0']
    return '\n'.join(script + lines + ['sleep 0.5', 'exit $rc'])


def ways(cases, width, height, finish, options=''):
    """Lines: each layout with each turn, and other options between them, without a start in between."""
    lines = [f"start() {{ picad --display kms --exec 'pica play --loop --rate 0.1 /eyes.pica' {options} 2>/log & pid=$!; }}",
             f'mkdir -p /etc/pica; start; photograph begin 0 {finish(cases.composed({}, width, height)).crc()} || rc=1']
    for n, how in enumerate(compose.ways()):
        name = '-'.join(f'{n} {how["layout"]} {how["rotate"]} {how["scale"]} {how["filter"]} {how["stereo"]}'.split())
        lines += [cases.reread(how), f'photograph {name} 0 {finish(cases.composed(how, width, height)).crc()} || rc=1']
    return [*lines, 'stop']


def case_layouts(cases):
    """One output of 32 bits a pixel: everything that is said of layouts, on the command line and then by SIGHUP."""
    lines, turned = [], cases.stacked().turned()
    for name, options, crc in [
            ('turned', '--rotate=90', centred(turned, 640, 480).crc()),
            ('top', '--layout=top --scale=1 --background=102030', centred(cases.top, 640, 480, (0x10, 0x20, 0x30)).crc())]:
        lines.append(f'start {options}; photograph {name} 0 {crc} || rc=1; stop')
    lines += ways(cases, 640, 480, lambda picture: picture)
    return ['--gpu', 'virtio', '--mode', '640x480', '--add', f'{cases.work}/eyes.pica:/eyes.pica'], shell(cases, lines)


def case_rgb565(cases):
    """16 bits a pixel: likewise."""
    crc = centred(cases.stacked(), 640, 480).rgb565().crc()
    lines = [f'start --mode=640x480:rgb565; photograph low 0 {crc} || rc=1; stop',
             *ways(cases, 640, 480, lambda picture: picture.rgb565(), '--mode=640x480:rgb565')]
    return ['--gpu', 'cirrus', '--add', f'{cases.work}/eyes.pica:/eyes.pica'], shell(cases, lines)


def case_outputs(cases):
    """Two outputs: a screen each, turned and with either eye, and other layouts the same on both."""
    lines = ['mkdir -p /etc/pica; ctl VNC 1 400 240 >/dev/null',
             f'start --layout=split-outputs; photograph out0 0 {centred(cases.top, 400, 240).crc()} || rc=1',
             f'photograph out1 1 {centred(cases.bottom, 400, 240).crc()} || rc=1; stop',
             "start() { picad --display kms --exec 'pica play --loop --rate 0.1 /eyes.pica' 2>/log & pid=$!; }; start",
             f'photograph begin 0 {cases.composed({}, 400, 240, 0, 2).crc()} || rc=1']
    for layout, turns, stereo in [*(('split-outputs', *pair) for pair in itertools.product(compose.TURNS, compose.STEREO)),
                                  ('stacked', 0, 'left'), ('side-by-side', 90, 'anaglyph')]:
        how = {'layout': layout, 'rotate': turns, 'stereo': stereo, 'scale': 'fit', 'filter': 'bilinear'}
        lines.append(cases.reread(how))
        for output in range(2):
            crc = cases.composed(how, 400, 240, output, 2).crc()
            lines.append(f'photograph {layout}-{turns}-{stereo}-{output} {output} {crc} || rc=1')
    return ['--gpu', 'virtio', '--heads', '2', '--mode', '400x240', '--vnc', '--add', f'{cases.work}/eyes.pica:/eyes.pica'], shell(
        cases, [*lines, 'stop'])


def case_deaths(cases):
    """The client is killed while it is shown, then the service: the picture is back, and the console at the end."""
    crc = centred(cases.stacked(), 400, 480).crc()
    lines = [
        f'start --linger-ms=60000; photograph first 0 {crc} || rc=1',
        # Its last picture stays until the next client has one: never another.
        'for i in 1 2 3 4 5; do kill -9 $(pidof pica); for k in 1 2 3 4; do a=$(ctl SHOT client$i$k 0);',
        f'  case "$a" in "OK {crc} "*) ;; *) echo "not ok client$i$k: $a"; rc=1;; esac; sleep 0.1; done; done',
        f'photograph client-back 0 {crc} || rc=1',
        'for i in 1 2 3; do kill -9 $pid; wait $pid; kill -9 $(pidof pica); start',
        f'  photograph service-back 0 {crc} || rc=1; done',
        f'stop; await "no console" other {crc} && echo "picture: console"',
    ]
    return ['--gpu', 'virtio', '--mode', '400x480'], shell(cases, lines)


def case_terminals(cases):
    """Another virtual terminal, ten times, and back."""
    crc = centred(cases.stacked(), 400, 480).crc()
    lines = [
        f'start --seat=builtin; photograph first 0 {crc} || rc=1', 'for i in 1 2 3 4 5 6 7 8 9 10; do chvt 2',
        f'  await "still shown" other {crc}',
        f'  chvt 1; photograph back 0 {crc} || rc=1; done', 'stop']
    return ['--gpu', 'virtio', '--mode', '400x480'], shell(cases, lines)


def case_hurry(cases):
    """Two outputs under terminals, sizes and SIGHUP in quick succession: the end of each round is shown on both."""
    sizes = (400, 480), (800, 480), (400, 240), (640, 480)
    lines = ['mkdir -p /etc/pica']
    for n in range(8):
        color = (30 * n, 0, 40)
        config = cases.config({'layout': 'split-outputs', 'scale': 1, 'background': '%02x%02x%02x' % color})
        outputs = [(*sizes[(n + i) % 4], screen) for i, screen in enumerate((cases.top, cases.bottom))]
        resize = [f'ctl VNC {i} {width} {height} >/dev/null' for i, (width, height, _) in enumerate(outputs)]
        if n == 0:
            lines += [*resize, config, 'start --seat=builtin']
        else:
            lines += ['chvt 2', resize[n % 2], config, 'kill -HUP $pid; chvt 1; kill -HUP $pid', resize[1 - n % 2],
                      'kill -HUP $pid']
        lines += [f'photograph round{n}-{i} {i} {centred(screen, width, height, color).crc()} || rc=1'
                  for i, (width, height, screen) in enumerate(outputs)]
    return ['--gpu', 'virtio', '--heads', '2', '--mode', '400x480', '--vnc'], shell(cases, [*lines, 'stop'])


def case_seat(cases):
    """An ordinary user shows pictures: seatd grants the card. seatd ends and restarts; terminals change."""
    crc = centred(cases.stacked(), 400, 480).crc()
    lines = [
        'mkdir -p /etc; echo root:x:0:0::/:/bin/sh >/etc/passwd; echo kiosk:x:1000:1000::/:/bin/sh >>/etc/passwd',
        'echo kiosk:x:1000: >/etc/group; chown kiosk /run/pica; chmod 666 /dev/null; export XDG_RUNTIME_DIR=/run',
        'seat() { seatd -g kiosk 2>/seatd.log & seatd=$!; await "no seatd" grep -qs "seatd started" /seatd.log; }',
        'user() { picad --user kiosk --kiosk /still.pica --display kms --socket /run/pica/0 "$@" 2>/log & pid=$!; }',
        f'seat; user --seat=seatd --sandbox=on; photograph user 0 {crc} || rc=1',
        f'chvt 2; sleep 0.5; chvt 1; photograph terminal-back 0 {crc} || rc=1; stop',
        f'user --seat=seatd --sandbox=on; photograph user-again 0 {crc} || rc=1',
        f'kill -9 $seatd; wait $seatd; chvt 2; chvt 1; rm -f /run/seatd.sock; seat; photograph seat-back 0 {crc} || rc=1; stop',
        # Without a seat: root alone, and a sentence for the others.
        'user --seat=none; await "no reason" says "this user may not open it"; stop',
    ]
    return ['--gpu', 'virtio', '--mode', '400x480', '--exe', shutil.which('seatd', path='/usr/sbin:/usr/bin')], shell(
        cases, lines)


def case_refusals(cases):
    """The card refuses commits and buffers for a while, or forever, with each errno: the picture is still shown."""
    crc = centred(cases.stacked(), 400, 480).crc()
    # The number of the request, errno (EBUSY, EINVAL, EACCES, ENOMEM), the first call, how many.
    rules = [('busy', 'bc:16:1:100'), ('busy-later', 'bc:16:30:100'), ('never-atomic', 'bc:22'), ('another-master', 'bc:13:3:3'),
             ('no-memory', 'b2:12:1:3'), ('no-mode', 'bc:12:1:50,a2:22:1:50')]
    lines = [f'start() {{ LD_PRELOAD=/ioctlfail.so picad --kiosk /still.pica --display kms "$@" 2>/log & pid=$!; }}']
    for name, rule in rules:
        lines += [f'export IOCTLFAIL={rule}; start; photograph {name} 0 {crc} || rc=1; sleep 1',
                  f'[ {name} != another-master ] || await "no word of it" says event=display_taken',
                  # ... and stays, or is back.
                  f'photograph {name}-stays 0 {crc} || rc=1; stop',
                  f'[ $(wc -l </log) -lt 60 ] || {{ echo "not ok {name}: talks without end"; head -70 /log; rc=1; }}']
    return ['--gpu', 'virtio', '--mode', '400x480', '--add', f'{cases.build}/tests/vm/ioctlfail.so:/ioctlfail.so'], shell(
        cases, lines)


def console(name, crc):
    """Lines: instead of that picture the text console is shown and takes text, and terminals can be changed."""
    return [f'await "{name}: still shown" other {crc}; seen=${{a#OK }}; echo text >/dev/tty1',
            f'await "{name}: no text console" other ${{seen%% *}}',
            f'chvt 3; [ $(cat /sys/class/tty/tty0/active) = tty3 ] || {{ echo "not ok {name}: a locked terminal"; rc=1; }}; chvt 1',
            f'echo "picture: {name}: a console"']


def case_crash(cases):
    """A crash of the service leaves a text console, and no terminal is locked; the next start shows the picture."""
    crc = centred(cases.stacked(), 400, 480).crc()
    lines = ['chvt 1']
    for seat in 'builtin', 'none':
        for number in 'SEGV', 'KILL':
            name = f'{seat}-{number.lower()}'
            lines += [f'start --seat={seat}; photograph {name} 0 {crc} || rc=1; kill -{number} $pid; wait $pid',
                      *console(f'{name}-console', crc)]
    lines += [f'start --seat=builtin; photograph again 0 {crc} || rc=1; stop', *console('end', crc)]
    return ['--gpu', 'virtio', '--mode', '400x480'], shell(cases, lines)


def case_suspend(cases):
    """The machine sleeps and wakes up: twice down to its clock, and the kernel itself ends that after five seconds (its
    test of that depth: Linux does not come back from this firmware); and twice idle, until somebody presses a key, in
    which this machine's clocks go on, so that there is nothing to be noticed. Each time the next picture is another
    one. Linux 6.1 wakes no virtio-gpu up."""
    key = '{"execute":"send-key","arguments":{"keys":[{"type":"qcode","data":"shift"}]}}'
    colors = [(40 * n, 0, 0) for n in range(5)]
    crc = [centred(cases.stacked(color), 800, 480, color).crc() for color in colors]
    lines = [f'start; photograph first 0 {crc[0]} || rc=1', 'echo deep >/sys/power/mem_sleep',
             'echo core >/sys/power/pm_test; echo enabled >/sys/devices/platform/i8042/serio0/power/wakeup; mkdir -p /etc/pica']
    for n, state in enumerate(('mem', 'mem', 'freeze', 'freeze')):
        if state == 'freeze':
            # Once more, for a machine that is slow to fall asleep.
            lines += ['echo none >/sys/power/pm_test', *(f"ctl LATER {seconds} '{key}' >/dev/null" for seconds in (4, 30))]
        lines += [f'echo {state} >/sys/power/state || {{ echo "not ok: no sleep"; rc=1; }}',
                  f'photograph awake-{state}-{n} 0 {crc[n]} || rc=1',
                  f'printf "[picad]\nbackground = {40 * (n + 1):02x}0000\n" >/etc/pica/picad.conf; kill -HUP $pid',
                  f'photograph next-{state}-{n} 0 {crc[n + 1]} || rc=1']
    lines += ['[ $(grep -c event=display_resumed /log) -eq 2 ] || { echo "not ok: it was not noticed"; cat /log; rc=1; }', 'stop']
    return ['--gpu', 'bochs', '--mode', '800x480'], shell(cases, lines)


def case_view(cases):
    """pica view, which ends by a signal and leaves the console."""
    crc = centred(cases.top.times(2), 800, 480).crc()
    lines = ['start() { pica view --backend kms "$@" /still.pica 2>/log & pid=$!; }', 'chvt 1',
             f'start --screen top; photograph view 0 {crc} || rc=1; stop', *console('after-view', crc)]
    return ['--gpu', 'virtio', '--mode', '800x480'], shell(cases, lines)


def case_plugs(cases):
    """No display at the start; then one, away and back, with another size."""
    lines = ['start --sandbox=on --seat=none; sleep 1']
    for width, height in ((400, 480), (800, 480), (640, 480)):
        lines += [f'ctl VNC 0 {width} {height} >/dev/null', f'photograph {width} 0 '
                  f'{centred(cases.stacked(), width, height).crc()} || rc=1', 'ctl VNC 0 0 0 >/dev/null; sleep 0.5']
    return ['--gpu', 'virtio', '--mode', '400x480', '--vnc'], shell(cases, [*lines, 'stop'])


def case_units(cases):
    """The units as they are installed, run by systemd with all that confines them."""
    return under_systemd.units(cases, centred(cases.stacked(), 400, 480).crc(), cases.hashes().replace(STILL, 'still'))


def case_users(cases):
    """Two users with a service each, one of whom attacks."""
    return under_systemd.users(cases, cases.hashes().replace(STILL, 'still'))


def case_logind(cases):
    """A kiosk that logind gives the card, with the drop-in that the unit documents."""
    colors = (0, 0, 0), (0x20, 0x40, 0x60)
    return under_systemd.logind(cases, *(centred(cases.stacked(color), 400, 480, color).crc() for color in colors))


CASES = {'layouts': case_layouts, 'outputs': case_outputs, 'rgb565': case_rgb565, 'deaths': case_deaths,
         'terminals': case_terminals, 'hurry': case_hurry, 'plugs': case_plugs, 'seat': case_seat,
         'refusals': case_refusals, 'crash': case_crash, 'suspend': case_suspend, 'view': case_view,
         'units': case_units, 'users': case_users, 'logind': case_logind}
LONG = ['units', 'users', 'logind']  # by name only


def main():
    build, captures, work = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    kernel, modules = sys.argv[4:6]
    names = sys.argv[6:] or [name for name in CASES if name not in LONG]
    failed = 0
    work.mkdir(parents=True, exist_ok=True)
    cases = Cases(build, captures, work)
    for name in names:
        options, script = CASES[name](cases)
        out = work / f'picad-{name}'
        ran = subprocess.run(
            [sys.executable, HERE / 'kmsvm.py', '--kernel', kernel, '--modules', modules, '--cache', work / 'cache',
             '--out', out, '--timeout', '300', '--quiet', '--exe', build / 'service/picad',
             '--exe', build / 'clients/pica/pica', '--add', f'{captures / (STILL + ".pica")}:/still.pica', *options,
             '--', script], capture_output=True, text=True)
        console = (out / 'console.log').read_text(errors='replace') if (out / 'console.log').exists() else ''
        for line in console.splitlines():
            if line.startswith(('picture:', 'not ok')):
                print(f'  {name}: {line.strip()}')
        print(f'{"ok" if ran.returncode == 0 else "not ok"} picad-{name}', flush=True)
        if ran.returncode:
            failed += 1
            print(console, ran.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
