#!/usr/bin/env python3
"""Installs a build into a temporary folder and builds the README's program against it, shared and static.

Checked besides: soname, version, that exactly what the headers declare is exported, installed tools and texts.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def run(command, env=None, check=True):
    """The command's standard output; ends the test if it fails."""
    result = subprocess.run([str(c) for c in command], env=env, text=True, capture_output=True)
    if check and result.returncode != 0:
        print(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
        sys.exit(1)
    return result.stdout


class Install:
    def __init__(self, root, args):
        self.prefix = root / args.prefix.lstrip('/')
        self.bin = self.prefix / args.bindir
        self.lib = self.prefix / args.libdir
        self.include = self.prefix / args.includedir / 'pica'
        self.man = self.prefix / args.mandir / 'man1'
        self.data = self.prefix / args.datadir
        self.env = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=str(root),
                        PKG_CONFIG_PATH=str(self.lib / 'pkgconfig'))
        self.env.pop('DESTDIR', None)

    def pkg_config(self, *options, name='pica'):
        return run(['pkg-config', *options, name], env=self.env).split()


def declared_functions(headers):
    """Names in the headers' function declarations: lines that begin one, no types, no inline functions."""
    names = set()
    for header in headers:
        text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)
        text = re.sub(r'^\s*#.*(\\\n.*)*', '', text, flags=re.M)
        for line in text.splitlines():
            match = re.match(r'(?!typedef|static)\w[\w\s*]*?\b(pica_\w+)\(', line)
            if match:
                names.add(match.group(1))
    return names


def dynamic(path, tag):
    return re.findall(rf'\({tag}\).*\[(.*)\]', run(['readelf', '-dW', path]))


# Library -> its headers; those of libpica are all the others.
LIBRARIES = {'pica': [], 'pica-client': ['pica_client.h']}


def check_library(install, version, name):
    """The list of what is wrong with a shared library and its description."""
    wrong = []
    library = install.lib / f'lib{name}.so'
    soname = f"lib{name}.so.{version.split('.')[0]}"
    if dynamic(library, 'SONAME') != [soname] or not (install.lib / soname).exists():
        wrong.append(f"soname: expected {soname}, found {dynamic(library, 'SONAME')}")
    if install.pkg_config('--modversion', name=name) != [version]:
        wrong.append(f'{name}.pc: expected version {version}')
    exported = set()
    for line in run(['nm', '-D', '--defined-only', library]).splitlines():
        kind, symbol = line.split()[-2:]
        if kind != 'A':  # a version node
            exported.add(symbol.split('@')[0])
    others = [h for headers in LIBRARIES.values() for h in headers]
    declared = declared_functions([h for h in install.include.glob('*.h')
                                   if (h.name in LIBRARIES[name] if LIBRARIES[name] else h.name not in others)])
    wrong += [f'{soname}: {f}: exported, but declared in no header' for f in sorted(exported - declared)]
    wrong += [f'{soname}: {f}: declared, but not exported' for f in sorted(declared - exported)]
    print(f'{soname}: {len(exported)} functions exported, {len(declared)} declared')
    return wrong


def check_picture(data):
    """What is wrong with the triangle: 128x128, red, green and blue corners on black."""
    head = b'P6\n128 128\n255\n'
    if not data.startswith(head) or len(data) != len(head) + 3 * 128 * 128:
        return [f'expected a PPM of 128x128, got {data[:20]} and {len(data)} bytes']
    expected = {(0, 0): (0, 0, 0), (127, 127): (0, 0, 0), (8, 120): (255, 0, 0), (119, 120): (0, 255, 0),
                (64, 8): (0, 0, 255), (64, 83): (85, 85, 85)}
    wrong = []
    for (x, y), color in expected.items():
        at = len(head) + 3 * (128 * y + x)
        found = tuple(data[at:at + 3])
        if max(abs(f - c) for f, c in zip(found, color)) > 12:
            wrong.append(f'pixel ({x}, {y}): expected about {color}, got {found}')
    return wrong


def check_program(install, args, work, name, text, library, arguments=()):
    """Builds a program with the shared and with the static library, and looks at what it draws."""
    source = work / f'{name}.c'
    source.write_text(text)
    wrong = []
    common = args.compiler + ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
    if args.sanitize not in ('', 'none'):
        common.append(f'-fsanitize={args.sanitize}')
    cflags = install.pkg_config('--cflags', name=library)
    # The linker prefers a shared library of the same name: the static ones are named by their files.
    static = [f'-l:lib{f[2:]}.a' if f[2:] in LIBRARIES and f[:2] == '-l' else f
              for f in install.pkg_config('--static', '--libs', name=library)]
    pictures = set()
    for kind, libs in (('shared', install.pkg_config('--libs', name=library)), ('static', static)):
        program = work / f'{name}-{kind}'
        run(common + cflags + [source, '-o', program] + libs)
        uses = any(n.startswith(f'lib{library}.so') for n in dynamic(program, 'NEEDED'))
        if uses != (kind == 'shared'):
            wrong.append(f'{name}-{kind}: linked the other library')
        env = dict(os.environ)
        if kind == 'shared':
            env['LD_LIBRARY_PATH'] = str(install.lib)
        drawn = subprocess.run([str(program), *arguments], env=env, stdout=subprocess.PIPE, check=False)
        if drawn.returncode != 0:
            wrong.append(f'{name}-{kind}: exit {drawn.returncode}')
        wrong += [f'{name}-{kind}: {line}' for line in check_picture(drawn.stdout)]
        pictures.add(drawn.stdout)
    archive = install.lib / f'lib{library}.a'
    names = [line.split()[2] for line in run(['nm', '-g', '--defined-only', archive]).splitlines() if len(line.split()) == 3]
    if not names or any(not n.startswith('pica_') for n in names):
        wrong.append(f'{archive.name}: {len(names)} names, of others too: {[n for n in names if n[:5] != "pica_"][:5]}')
    if len(pictures) != 1:
        wrong.append(f'{name}: the two libraries draw different pictures')
    print(f'{name}: {len(text.splitlines())} lines, {len(drawn.stdout)} bytes of picture')
    return wrong


def check_own_prefix(install, args, work):
    """The README's commands for a prefix below $HOME, in a shell that knows nothing of it."""
    text = args.readme.read_text()
    commands = re.search(r'^((?:    .*\n)*    cc triangle\.c .*\n(?:    .*\n)*)', text, re.M)[1]
    home = work / 'home'
    local = home / '.local'
    shutil.copytree(install.prefix, local, symlinks=True)
    config, = local.rglob('pica.pc')
    config.write_text(re.sub('^prefix=.*', f'prefix={local}', config.read_text(), flags=re.M))
    shutil.copy(work / 'triangle.c', home)
    env = {'HOME': str(home), 'PATH': os.environ['PATH']}
    done = subprocess.run(['sh', '-e', '-c', commands], cwd=home, env=env, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        return [f'README, a prefix of your own: exit {done.returncode}: {done.stderr}']
    return [f'README, a prefix of your own: {line}' for line in check_picture((home / 'triangle.ppm').read_bytes())]


def check_emulator(install, args, work):
    """The example of an emulator draws what it should, and its recording replays."""
    text = (args.readme.parent / 'docs/example-emulator.c').read_text()
    capture = work / 'emulator.pica'
    wrong = []
    if re.findall(r'^ \*\t(.*)', text, re.M) != ['cc example-emulator.c -o emulator $(pkg-config --cflags --libs pica)',
                                               './emulator emulator.pica >triangle.ppm']:
        wrong.append('example-emulator.c: its comment has other commands than are run here')
    wrong += check_program(install, args, work, 'emulator', text, 'pica', [capture])
    folder = subprocess.run([work / 'emulator-static', work], capture_output=True, text=True, check=False)
    if (folder.returncode, folder.stderr) != (1, f'emulator: {work}: Is a directory\n'):
        wrong.append(f'emulator that records to a folder: exit {folder.returncode}, {folder.stderr}')
    if '2 frames' not in run([install.bin / 'pica', 'verify', capture]):
        wrong.append('example-emulator.c: expected a capture of two frames')
    drawn = run([install.bin / 'pica', 'render', '--verify', '--frames', 'all', '--format', 'hash', capture])
    return wrong if drawn.count(' top ') == 2 else wrong + [f'example-emulator.c: its capture draws {drawn}']


def check_host(install, args, work):
    """The command of docs/host.md builds a program of the console, which draws alone and with a service."""
    text = (args.readme.parent / 'docs/host.md').read_text()
    if '    cc cube.c -o cube $(pkg-config --cflags --libs pica-ctru) -lm\n' not in text:
        return ['docs/host.md: its command is another one than is run here']
    tests, host = args.readme.parent / 'tests/host', work / 'host'
    (host / 'romfs').mkdir(parents=True)
    flags = install.pkg_config('--cflags', '--libs', name='pica-ctru')
    run([*args.compiler, tests / 'cube.c', '-o', host / 'cube', *flags, '-lm'])
    run([install.bin / 'pica', 'shader', '-o', host / 'romfs/cube.shbin', 'asm', tests / 'cube.pica'])
    env = {**os.environ, 'LD_LIBRARY_PATH': str(install.lib)}
    drawn = [subprocess.run([install.bin / 'pica', 'host-run', '--frames', '2', '--format', 'hash', *where, host / 'cube'],
                            env=env, text=True, stdout=subprocess.PIPE, check=False).stdout
             for where in ([], ['--connect=builtin:'])]
    return [] if drawn[0] == drawn[1] and drawn[0].count('cube 1 ') == 2 else [f'docs/host.md: the program draws {drawn}']


def check_programs(install, args, work):
    """The README's program, and the example of a client."""
    text = args.readme.read_text()
    example = (args.readme.parent / 'docs/example-client.c').read_text()
    wrong = check_program(install, args, work, 'triangle', re.search(r'## In a program\n.*?```c\n(.*?)```', text, re.S)[1],
                          'pica')
    if args.sanitize in ('', 'none'):
        wrong += check_own_prefix(install, args, work)
    if (install.include / 'pica_client.h').exists():
        commands = re.findall(r'^ \*\t(.*)', example, re.M)
        if commands != ['cc example-client.c -o client $(pkg-config --cflags --libs pica-client)',
                        './client builtin: >triangle.ppm']:
            wrong.append(f'example-client.c: its comment says {commands}, and another command is run here')
        wrong += check_program(install, args, work, 'client', example, 'pica-client', ['builtin:1'])
        wrong += check_emulator(install, args, work)
        if args.sanitize in ('', 'none'):
            wrong += check_host(install, args, work)
        gone = subprocess.run([work / 'client-static', '/nonexistent/0'], capture_output=True, text=True, check=False)
        if (gone.returncode, gone.stderr) != (4, 'client: /nonexistent/0: no service: No such file or directory\n'):
            wrong.append(f'client without a service: exit {gone.returncode}, {gone.stderr}')
    return wrong


def check_tools(install, args):
    """Tools run from where they are installed, in a folder that is not theirs, and draw what they should."""
    wrong = []
    tool = install.bin / 'pica'
    text = run([tool, '--version']).strip()
    print(f'pica --version: {text}')
    if args.version not in text:
        wrong.append(f'pica --version: expected {args.version}')
    golden = args.golden.read_text().splitlines()
    lines = run([tool, 'render', '--format', 'hash', args.captures / 'triangle.pica']).splitlines()
    drawn = [line.replace(' left ', ' ') for line in lines]
    print(f'pica render: {drawn}')
    wrong += [f'pica render: {line}: not in {args.golden}' for line in drawn if line not in golden]
    if len(drawn) != 2:
        wrong.append('pica render: expected two screens')
    if 'triangle' not in run([install.bin / 'pica-scenes', '--list']):
        wrong.append('pica-scenes --list: expected a triangle')
    new = install.prefix / 'made/by/scenes'
    run([install.bin / 'pica-scenes', '-o', new, 'triangle'])
    if not (new / 'triangle.pica').exists():
        wrong.append('pica-scenes -o: expected a capture in a folder that it makes')
    for name in 'architecture', 'batch', 'capture', 'embedding', 'fidelity', 'glossary', 'protocol', 'sources', 'threading':
        if not (install.data / f'doc/libpica/{name}.md').exists():
            wrong.append(f'{name}.md is not installed')
    return wrong


def check_texts(install, args):
    """Man pages and the completion of the shell are where they are looked for."""
    wrong = []
    pages = [page for page in args.pages.split(',') if page]
    for page in pages:
        path = install.man / f'{page}.1'
        if not path.exists() or not path.read_text().count('.SH') > 3:
            wrong.append(f'{path}: no man page')
    functions = declared_functions([install.include / 'pica_client.h']) if pages else []
    others = [install.man.parent / f'man3/{name}.3' for name in sorted(functions)]
    for path in others + [install.man.parent / 'man7/pica-client.7'] * bool(pages):
        if not path.exists() or not path.read_text().count('.SH') > 3:
            wrong.append(f'{path}: no man page')
    if pages and len(others) != len(list((install.man.parent / 'man3').glob('*'))):
        wrong.append('man3: pages of no function')
    for command in 'pica', 'pica-scenes', 'picad':
        completion = install.data / 'bash-completion/completions' / command
        if not completion.exists() or not re.search(rf'^complete -F .*\b{command}\b', completion.read_text(), re.M):
            wrong.append(f'{completion}: no completion')
    print(f'{len(pages)} man pages of programs, {len(others)} of functions')
    return wrong


# The folders in which an interpreter looks by itself, whether they exist yet or not.
SITES = """
import json, site
print(json.dumps(site.getsitepackages() + [site.getusersitepackages()]))
"""
# Imports with nothing but those folders, each moved below the first argument.
IMPORT = """
import site, sys
sys.path += [sys.argv[1] + path for path in site.getsitepackages() + [site.getusersitepackages()]]
import pica
print(pica.__file__, pica.__version__)
"""


def check_python_folders(args):
    """Below a prefix in which an interpreter looks, the package goes where it looks."""
    wrong = []
    for python in sorted({args.python, '/usr/bin/python3'}):
        if not os.access(python, os.X_OK):
            continue
        sites = json.loads(run([python, '-c', SITES]))
        for prefix in '/usr/local', '/usr', os.path.expanduser('~/.local'), run(
                [python, '-c', 'import sys; print(sys.prefix)']).strip():
            below = [site for site in sites if re.match(rf'{re.escape(prefix)}/lib\w*/', site)]
            found = run([python, args.folder, prefix]).strip()
            if not found.startswith(f'{prefix}/lib') or (below and found not in below):
                wrong.append(f'{python}: {prefix}: expected one of {below}, found {found}')
            print(f'{python}: {prefix}: {found}{"" if below else " (where it does not look by itself)"}')
    return wrong


def check_python(install, root, args):
    """The Python package finds the library that was installed with it, and Python finds the package."""
    if not args.python:
        return []
    env = dict(os.environ, LD_LIBRARY_PATH=str(install.lib))
    env.pop('PICA_LIBRARY', None)
    env.pop('PYTHONPATH', None)
    looks = args.site in json.loads(run([args.python, '-c', SITES], env=env))
    if not looks:  # a prefix or folder of one's own, which the README says to name
        env['PYTHONPATH'] = str(root / args.site.lstrip('/'))
    text = run([args.python, '-c', IMPORT, root], env=env).strip()
    print(f'python: {text}{"" if looks else " (by PYTHONPATH)"}')
    wrong = [] if args.site_is_chosen else check_python_folders(args)
    expected = f'{root}{args.site}/pica/__init__.py {args.version}'
    return wrong if text == expected else wrong + [f'python: expected {expected}']


def main():
    parser = argparse.ArgumentParser()
    for name in ('build', 'prefix', 'bindir', 'libdir', 'includedir', 'mandir', 'datadir', 'sanitize', 'version'):
        parser.add_argument(f'--{name}', required=True)
    for name in 'captures', 'golden', 'readme':
        parser.add_argument(f'--{name}', required=True, type=pathlib.Path)
    for name in 'pages', 'python', 'site', 'folder':
        parser.add_argument(f'--{name}', default='')
    parser.add_argument('--meson')
    parser.add_argument('--cross', action='store_true')
    parser.add_argument('--site-is-chosen', action='store_true')
    split = sys.argv.index('--')
    args = parser.parse_args(sys.argv[1:split])
    args.compiler = sys.argv[split + 1:]
    if args.cross:
        print('cross build: its programs are not built against an installation here')
        return SKIP
    for tool in (args.meson or 'meson', 'pkg-config', 'nm', 'readelf'):
        if not shutil.which(tool):
            print(f'there is no {tool}')
            return SKIP
    with tempfile.TemporaryDirectory(prefix='pica-install-') as folder:
        root = pathlib.Path(folder) / 'root'
        run([args.meson, 'install', '--no-rebuild', '--quiet', '-C', args.build, '--destdir', root])
        install = Install(root, args)
        wrong = []
        for name, headers in LIBRARIES.items():
            if all((install.include / header).exists() for header in headers):  # one may not have been built
                wrong += check_library(install, args.version, name)
        wrong += check_programs(install, args, pathlib.Path(folder))
        wrong += check_tools(install, args)
        wrong += check_texts(install, args)
        wrong += check_python(install, root, args)
    print('\n'.join(wrong) if wrong else 'install: as it should be')
    return 1 if wrong else 0


sys.exit(main())
