"""Each promise of docs/security.md names tests that exist: security.py BUILD_FOLDER."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def main():
    tests = json.loads(pathlib.Path(sys.argv[1], 'meson-info/intro-tests.json').read_text())
    known = {test['name'] for test in tests}
    for path in (ROOT / 'tests').rglob('meson.build'): # also tests that this build leaves out
        known |= set(re.findall(r"\btest\('([\w-]+)'", path.read_text()))
    for path in (ROOT / 'tests').rglob('*.[cp]*'):
        known |= set(re.findall(r'(?:TEST(?:_LOOP)?\(|\w+_CASE\(|def |static bool )(\w+)', path.read_text(errors='replace')))
    page = (ROOT / 'docs/security.md').read_text()
    rows = re.findall(r'(?m)^\| ([^|]+) \| ([^|]+) \|$', page.split('## What holds')[1].split('\n## ')[0])[1:]
    wrong = 0
    for promise, names in rows:
        missing = [name for name in re.findall('`([^`]+)`', names) if name not in known]
        wrong += bool(missing) or '`' not in names
        for name in missing or ([] if '`' in names else ['no test']):
            print(f'docs/security.md: {promise[:50]}...: {name}: expected a test that exists')
    print(f'security: {len(rows)} promises, {wrong} without their tests')
    return wrong != 0 or not rows


if __name__ == '__main__':
    sys.exit(main())
