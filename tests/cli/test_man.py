#!/usr/bin/env python3
"""Man pages and bash completion against --help: test_man.py PROGRAM SCENES PICAD MAN COMPLETION [unittest arguments]"""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from sample import EVERY, sample

PICA, SCENES, PICAD, MAN, COMPLETION = (pathlib.Path(p).resolve() for p in sys.argv[1:6])


@functools.cache
def help_text(*command):
    """That of --help-all, which shows what --help leaves out."""
    env = dict(os.environ, LC_ALL='C')
    run = subprocess.run([str(c) for c in command] + ['--help-all'], env=env, text=True, capture_output=True,
                         stdin=subprocess.DEVNULL)
    assert run.returncode == 0, (command, run.stderr)
    return run.stdout


def help_options(text):
    """{long name: (short name, value, default)}; absent ones are None."""
    options, last = {}, None
    for line in text.splitlines():
        match = re.match(r' {2,6}(?:-(.), )?--([\w-]+)(\S*)(?:  +(.*))?$', line)
        if match:
            short, last, value, doc = match.groups()
            options[last] = [short, value.lstrip('=') or None, doc or '']
        elif last and re.match(r' {20,}\S', line):
            options[last][2] += ' ' + line.strip()
        else:
            last = None
    for row in options.values():
        match = re.search(r'[Dd]efault: (.*?)(?:\)|;|$)', row[2])
        row[2] = match[1] if match else None
    return {name: tuple(row) for name, row in options.items()}


def plain(text):
    """Without scdoc's marks."""
    text = re.sub(r'(?<!\w)_(.*?)_(?!\w)', r'\1', text.replace('*', ''))
    return text.replace('\\', '').replace('++', '')


def sections(page):
    """{heading: [lines]} of a page."""
    found, lines = {}, []
    for line in (MAN / f'{page}.1.scd').read_text().splitlines():
        if line.startswith('# '):
            lines = found[line[2:]] = []
        else:
            lines.append(line)
    return found


def terms(lines):
    """(term, [paragraphs]) of a list of terms with indented text, without marks."""
    rows = []
    for line in lines:
        if line.startswith('*'):
            rows.append((plain(line), ['']))
        elif rows and line.startswith('\t'):
            rows[-1][1][-1] += ' ' + plain(line.strip())
        elif rows and not line:
            rows[-1][1].append('')
    return [(term, [p.strip() for p in paragraphs if p]) for term, paragraphs in rows]


def man_options(page):
    options = {}
    for term, paragraphs in terms(sections(page).get('OPTIONS', [])):
        match = re.fullmatch(r'(?:-(.), )?--([\w-]+)(\S*)', term)
        assert match, f'{page}(1): expected "*-o*, *--option*=_VALUE_", found "{term}"'
        default = [m[1] for m in (re.search(r'Default: (.+?)\.?$', p) for p in paragraphs) if m]
        options[match[2]] = (match[1], match[3].lstrip('=') or None, default[-1] if default else None)
    return options


def help_subjects(text):
    """{long name: its heading}."""
    found, subject = {}, None
    for line in text.splitlines():
        if match := re.fullmatch(r' (\w[\w ]*):', line):
            subject = match[1]
        elif not line:
            subject = None
        elif match := re.match(r' {2,6}(?:-., )?--([\w-]+)', line):
            found[match[1]] = subject
    return found


def man_subjects(page):
    found, subject = {}, None
    for line in sections(page)['OPTIONS']:
        if line.startswith('## '):
            subject = line[3:]
        elif match := re.match(r'(?:\*-.\*, )?\*--([\w-]+)\*', line):
            found[match[1]] = subject
    return found


def exit_numbers(page):
    return {term for term, _ in terms(sections(page)['EXIT STATUS'])}


def verb_rows(text):
    block = re.search(r'^Verbs .*:\n((?:  .*\n)+)', text, re.M)[1]
    columns = {len(re.match(r'  [\w-]+ +', line)[0]) for line in block.splitlines()}
    assert len(columns) == 1, f'verbs are told from columns {columns} on'
    return dict(re.match(r'  ([\w-]+) +(.*)', line).groups() for line in block.splitlines())


TOP = help_text(PICA)
VERBS = verb_rows(TOP)
# Page -> the command whose help it describes; those that are missing fail a test of their own.
EXPECTED = {'pica': (PICA,), 'pica-scenes': (SCENES,), 'picad': (PICAD,), **{f'pica-{verb}': (PICA, verb) for verb in VERBS}}
PAGES = {page: command for page, command in EXPECTED.items() if (MAN / f'{page}.1.scd').exists()}


class Man(unittest.TestCase):
    maxDiff = None

    def test_help_of_view_names_the_places_of_its_page(self):
        places = re.search('in a terminal, .*', '\n'.join(sections('pica-view')['NAME']))[0]
        self.assertIn(f'again and again: {places}.', ' '.join(help_text(PICA, 'view').split()))

    def test_examples_of_the_readme_draw_into_out(self):
        examples = re.findall('(?m)^    build/clients/pica/pica render (.*)', (MAN.parents[1] / 'README.md').read_text())
        self.assertGreater(len(examples), 4)
        self.assertEqual([e for e in examples if not re.search("-o '?out/|--format hash|--verify", e)], [])

    def test_each_verb_has_a_page_and_each_page_a_verb(self):
        self.assertGreaterEqual(len(VERBS), 4)
        pages = {p.name.removesuffix('.1.scd') for p in MAN.glob('*.1.scd')}
        self.assertEqual(sorted(EXPECTED.keys() - pages), [], 'verbs without a page, docs/man/pica-VERB.1.scd')
        self.assertEqual(sorted(pages - EXPECTED.keys()), [], 'pages of no verb')
        listed = re.search(r'man_pages = \[(.*?)\]', (MAN / 'meson.build').read_text(), re.S)[1]
        self.assertEqual(sorted(re.findall(r"'(.*?)'", listed)), sorted(EXPECTED), 'docs/man/meson.build')

    def test_options_are_those_of_help(self):
        for page, command in PAGES.items():
            helped, written = help_options(help_text(*command)), man_options(page)
            self.assertIn('help', helped)
            with self.subTest(page):
                self.assertEqual(sorted(helped.keys() - written.keys()), [], f'missing in {page}(1)')
                self.assertEqual(sorted(written.keys() - helped.keys()), [], f'in {page}(1), but not in --help')
                for name in helped:
                    self.assertEqual(written[name][:2], helped[name][:2], f'{page}(1), --{name}: letter, value')
                    if helped[name][2]:
                        self.assertEqual(written[name][2], helped[name][2], f'{page}(1), --{name}: default')

    def test_options_are_under_the_headings_of_help(self):
        helped = {name: subject or 'Help' for name, subject in help_subjects(help_text(PICAD)).items()}
        self.assertEqual(helped, man_subjects('picad'))
        self.assertEqual(len(set(helped.values())), 10)

    def test_usage_is_that_of_help(self):
        for page, command in PAGES.items():
            usage = re.findall(r'^(?:Usage|  or): +(.*)', help_text(*command), re.M)
            with self.subTest(page):
                synopsis = [plain(line) for line in sections(page)['SYNOPSIS'] if line]
                self.assertEqual(synopsis, [u.strip() for u in usage])

    def test_verbs_of_the_first_page(self):
        rows = dict(terms(sections('pica')['VERBS']))
        self.assertEqual(rows, {verb: [f'{what}; pica-{verb}(1)'] for verb, what in VERBS.items()})
        see = plain(' '.join(sections('pica')['SEE ALSO']))
        self.assertEqual(sorted(re.findall(r'([\w-]+)\(1\)', see)), sorted(EXPECTED.keys() - {'pica'}))

    def test_names_and_references(self):
        for page in PAGES:
            with self.subTest(page):
                name, = [line for line in sections(page)['NAME'] if line]
                self.assertRegex(name, rf'^{page} - \w')
                text = (MAN / f'{page}.1.scd').read_text()
                self.assertTrue(text.startswith(f'{page}(1) '))
                for other in re.findall(r'\*(pica[\w-]*)\*\(1\)', text):
                    self.assertIn(other, EXPECTED)

    def test_instruction_sets_are_those_of_the_program(self):
        sets = re.search(r'Kernels: (.*?) \(', help_text(PICA, 'render'))[1]
        found = [m for page in MAN.glob('*.scd') for m in
                 re.findall(r'(?:Instruction set: |isa=NAME \()([\w.]+(?:, [\w.]+\w)*)', plain(page.read_text()))]
        self.assertEqual(set(found), {sets})

    def test_exit_status(self):
        told = set(re.findall(r'\b(\d) [a-z]', re.search(r'Exit status:(.*)', TOP, re.S)[1]))
        self.assertEqual(exit_numbers('pica'), told)
        for page in PAGES:
            with self.subTest(page):
                self.assertLessEqual({'0', '2'}, exit_numbers(page))
                self.assertLessEqual(exit_numbers(page), told)

    @unittest.skipUnless(shutil.which('scdoc'), 'there is no scdoc')
    def test_pages_are_scdoc(self):
        for page in PAGES:
            with open(MAN / f'{page}.1.scd', encoding='utf-8') as source:
                subprocess.run(['scdoc'], stdin=source, stdout=subprocess.DEVNULL, check=True)


class Completion(unittest.TestCase):
    def complete(self, *words, folder=None, program=PICA):
        """The completions of the last word."""
        return self.complete_all([words], folder, program)[0]

    def complete_all(self, lines, folder=None, program=PICA):
        """The completions of the last word of each line. One shell for all: each takes a tenth of a second."""
        script = ('source "$1"; function=$(complete -p "${2##*/}" | sed "s/complete -F //; s/ .*//"); program=$2; shift 2; '
                  'while (($#)); do COMP_WORDS=("$program" "${@:2:$1}"); shift $(($1 + 1)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); '
                  '"$function" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; '
                  'echo "${COMPREPLY[@]}"; done')
        words = [word for line in lines for word in (str(len(line)), *line)]
        run = subprocess.run(['bash', '--norc', '-c', script, 'bash', str(COMPLETION), str(program), *words], cwd=folder,
                             text=True, capture_output=True, check=True)
        self.assertEqual(run.stderr, '')
        offered = [sorted(line.split()) for line in run.stdout.splitlines()]
        self.assertEqual(len(offered), len(lines))
        return offered

    def test_verbs(self):
        self.assertEqual(self.complete(''), sorted(VERBS))
        self.assertEqual(self.complete('rend'), ['render'])

    def test_options_are_those_of_help(self):
        commands = [(), *((verb,) for verb in VERBS)]
        for command, offered in zip(commands, self.complete_all([(*command, '--') for command in commands])):
            options = help_options(help_text(PICA, *command))
            expected = sorted(f'--{name}' + ('=' if value and not value.startswith('[=') else '')
                              for name, (_, value, _) in options.items())
            self.assertEqual(offered, expected, command)

    def test_values(self):
        choices = 0
        for verb in sample(VERBS):
            text = help_text(PICA, verb)
            values = {name: value for name, (_, value, _) in help_options(text).items()
                      if value and not value.startswith('[=') and name not in ('output', 'connect') and
                      value not in ('FILE', 'FOLDER', 'DIR', 'PATH')}
            lines = [(verb, f'--{name}', '=', '') for name in values]
            if values:  # the other two spellings: one option of each verb
                name = next(iter(values))
                lines += [(verb, f'--{name}', ''), (verb, f'--{name}', '=')]
            answers = self.complete_all(lines)
            if values:
                self.assertEqual(answers[-2:], answers[:1] * 2)
            for (name, value), offered in zip(values.items(), answers):
                if '|' in value and value.islower():
                    self.assertEqual(offered, sorted(value.split('|')))
                doc = re.search(rf'--{name}=.*(?:\n {{20,}}.*)*', text)[0]
                if value == 'SETTINGS':  # the page has them
                    offered, doc = sorted({word.split('=')[0] for word in offered}), (MAN / f'pica-{verb}.1.scd').read_text()
                for word in offered:
                    self.assertRegex(doc, rf'(?<![\w.]){re.escape(word)}(?![\w])', f'{verb} --{name}')
                choices += len(offered)
        self.assertGreater(choices, 80 // EVERY)
        self.assertEqual(self.complete('render', '--format', '=', 'p'), ['png', 'ppm'])
        self.assertEqual(self.complete('bench', '--float', 'f3'), ['f32'])

    def test_unknown_verbs(self):
        self.assertEqual(self.complete('help', ''), [])
        self.assertEqual(self.complete('help', '--'), [])

    def test_words_are_no_expressions(self):
        for word in '[', 'p.an', '.*':
            self.assertIn('--bless', self.complete('batch', word, '--b'), word)

    def test_actions_of_batch_and_their_options(self):
        values = {'shard': '1/1', 'frames': 'last', 'pictures': 'all', 'float': 'f24', 'combiner': 'nearest', 'isa': 'c',
                  'progress': 'never', 'golden': 'gold'}
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f'{folder}/gold')
            for action in 'plan', 'run', 'merge':
                expected = []
                for name, (_, value, _) in help_options(help_text(PICA, 'batch')).items():
                    option = f'--{name}={values.get(name, 1)}' if value else f'--{name}'
                    golden = ['--golden=gold'] if action == 'plan' and name in ('tolerance', 'pixels') else []
                    run = subprocess.run([PICA, 'batch', '-o', 'out', *golden, option, action, 'none.json'], cwd=folder,
                                         text=True, capture_output=True, stdin=subprocess.DEVNULL)
                    if 'Try `pica batch' not in run.stderr:
                        expected.append(f'--{name}' + ('=' if value else ''))
                self.assertEqual(self.complete('batch', action, '--'), sorted(expected), action)
                self.assertEqual(self.complete('batch', action, '--fra'), ['--frames='] if action == 'plan' else [])

    def test_scenes_and_service(self):
        for program in SCENES, PICAD:
            expected = sorted(f'--{name}' + ('=' if value else '')
                              for name, (_, value, _) in help_options(help_text(program)).items())
            self.assertEqual(self.complete('--', program=program), expected)
        lines = subprocess.run([SCENES, '--list'], text=True, capture_output=True, check=True).stdout.splitlines()
        names = [line.split()[0] for line in lines]
        self.assertGreater(len(names), 15)
        self.assertEqual(self.complete('', program=SCENES), sorted(names))
        self.assertEqual(self.complete('--format', '=', '', program=SCENES), ['ctf', 'ctf.zst', 'pica'])
        self.assertEqual(self.complete('--display', '=', '', program=PICAD), ['headless', 'kms', 'none', 'wayland'])
        self.assertEqual(self.complete('--layout', 'si', program=PICAD), ['side-by-side'])
        with tempfile.TemporaryDirectory() as folder:
            for name in 'a.pica', 'b.conf':
                (pathlib.Path(folder) / name).touch()
            self.assertEqual(self.complete('', program=PICAD, folder=folder), ['a.pica'])
            self.assertEqual(self.complete('--kiosk', '=', '', program=PICAD, folder=folder), ['a.pica'])
            self.assertEqual(self.complete('--config', '=', 'b', program=PICAD, folder=folder), ['b.conf'])
            self.assertEqual(self.complete('--output', '=', 'b', program=SCENES, folder=folder), ['b.conf'])
            self.assertEqual(self.complete('-o', 'b', program=SCENES, folder=folder), ['b.conf'])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in 'a.ctf', 'b.ctf.zst', 'c.txt', 'd.shbin', 'e.pica', 'f.png', 'g.c', 'h.rs', 'i.json':
                (pathlib.Path(folder) / name).touch()
            (pathlib.Path(folder) / 'sub').mkdir()
            everything = sorted(os.listdir(folder))
            expected = {
                ('info', ''): ['a.ctf', 'b.ctf.zst', 'e.pica', 'sub'],
                ('render', '--json', 'a'): ['a.ctf'],
                ('shader', ''): ['asm', 'disasm', 'trace'],
                ('shader', '--entry', '=', '1', 'disasm', ''): ['d.shbin', 'sub'],
                ('render', '-o', ''): everything,
                ('render', '--trace', '=', 'c'): ['c.txt'],
                ('render', '--trace', 'c'): ['c.txt'],
                ('batch', '--golden', 's'): ['sub'],
                ('diff', ''): ['a.ctf', 'b.ctf.zst', 'c.txt', 'e.pica', 'f.png', 'sub'],
                ('batch', '@'): [f'@{name}' for name in everything],
                ('batch', '@c'): ['@c.txt'],
                ('batch', '@', 'c'): ['@c.txt'],
                ('batch', 'run', ''): ['i.json', 'sub'],
                ('diff', '--b', '=', 'fl'): ['float=f24', 'float=f32'],
                ('dump', '--group', 'geo'): ['geometry'],
            }
            self.assertEqual(dict(zip(expected, self.complete_all(expected, folder))), expected)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
