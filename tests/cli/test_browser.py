#!/usr/bin/env python3
"""The page of `pica inspect` in Chromium: test_browser.py PROGRAM CAPTURES http|no-http [unittest arguments]

Exit status 77: no browser is available. PICA_TEST_PICTURES: a folder for a picture of each view.
"""
import base64
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

try:
    from selenium import webdriver
    from selenium.common.exceptions import JavascriptException, NoSuchElementException, StaleElementReferenceException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print('no selenium: nothing is driven')
    sys.exit(77)
DRIVER = shutil.which('chromedriver')
if not DRIVER or not shutil.which('chromium'):
    print('no Chromium: nothing is driven')
    sys.exit(77)

# pylint: disable=wrong-import-position
from served import Served, Stdio
from test_cli import BUNDLED, Case
from test_inspect import Page
from test_served import solid_png

HAS_HTTP = sys.argv[3] == 'http'
PICTURES = os.environ.get('PICA_TEST_PICTURES')
PANELS = ['Pixel', 'State', 'Program', 'Textures', 'Mesh', 'Memory', 'Costs', 'Dependencies', 'Findings']
MODES = ['color', 'alpha', 'step', 'overdraw', 'rejected', 'before', 'difference', 'depth', 'stencil', 'wireframe', 'cost']
WRITTEN = 5  # so many of them need no engine
PATIENCE_S = 60


def start(is_dark=False):
    options = webdriver.ChromeOptions()
    for argument in '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-device-scale-factor=1':
        options.add_argument(argument)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {'width': 1280, 'height': 800, 'deviceScaleFactor': 1, 'mobile': False})
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': 'dark' if is_dark else 'light'}]})
    return driver


class Browser(Case):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.driver = start()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.home.cleanup()

    def setUp(self):
        super().setUp()
        # The page before may have asked a server that had ended.
        self.driver.get('about:blank')
        self.driver.get_log('browser')

    def until(self, what, is_so):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                got = is_so()
            except (JavascriptException, NoSuchElementException, StaleElementReferenceException):
                got = None  # it was drawn anew
            if got:
                return got
            time.sleep(.05)
        raise AssertionError(f'{what}: {self.text("panel")[:300]}')

    def open(self, url):
        self.driver.get('about:blank')
        self.driver.get(url)
        self.until('the tree', lambda: self.driver.find_elements(By.CSS_SELECTOR, '.row[aria-selected=true]'))

    def text(self, ident):
        return self.driver.find_element(By.ID, ident).text

    def script(self, text, *args):
        return self.driver.execute_script(f'return {text}', *args)

    def press(self, key):
        self.driver.find_element(By.TAG_NAME, 'body').send_keys(key)

    def panel(self, name):
        self.press(str(PANELS.index(name) + 1))
        self.until(name, lambda: self.script('document.querySelector("#panels [aria-selected=true]").textContent').startswith(name))
        return self.until(f'{name} is filled', lambda: '…' not in self.text('panel').split('\n') and self.text('panel'))

    def show(self, mode):
        """Chooses a way to show the picture, and waits for it: its distinct colours."""
        self.driver.execute_script('const m = document.getElementById("mode"); m.value = arguments[0]; m.dispatchEvent(new Event("change"));', mode)
        self.until(mode, lambda: (self.script('document.getElementById("picture").dataset.shows') or '').endswith(f' {mode}') and
                   not self.script('document.getElementById("picture").hidden'))
        return self.script('(() => { const c = document.getElementById("picture"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;'
                           'const s = new Set(); for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return s.size; })()')

    def picture(self, name):
        if PICTURES:
            self.driver.save_screenshot(str(pathlib.Path(PICTURES) / f'{name}.png'))

    def quiet(self):
        self.assertEqual([entry['message'] for entry in self.driver.get_log('browser') if entry['level'] == 'SEVERE' and 'favicon' not in entry['message']], [])
        self.driver.get('about:blank')  # the server may end: ask no more

    def click_pixel(self, x, y):
        self.driver.execute_script('const c = document.getElementById("picture"), b = c.getBoundingClientRect(), z = b.width / c.width;'
                                   'c.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: b.left + (arguments[0] + .5) * z,'
                                   'clientY: b.top + (arguments[1] + .5) * z }));', x, y)

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_every_view_of_three_captures(self):
        for name, x, y in ('mirror', 200, 150), ('galaxy', 200, 120), ('crates', 200, 120):
            path = BUNDLED / f'{name}.pica'
            with Served(path) as server, Stdio(path) as engine:
                self.open(server.url)
                self.show('color')
                self.click_pixel(x, y)
                text = self.until('the history', lambda: f'Pixel {x}, {y}' in self.text('panel') and self.text('panel'))
                answer = engine.call('pixel', x=x, y=y, steps=True)
                self.assertIn(answer['color'], text)
                writer = answer['last_writer']
                row = f'draw {writer["draw"]}' if writer['kind'] == 'draw' else writer['kind']
                self.until('the writer is selected', lambda: self.script('document.querySelector(".row[aria-selected=true] div").firstChild.textContent') == row)
                self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, '#panel details')), min(200, len(answer['entries'])))
                self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, '#panel details.last')), 1)
                if writer['kind'] == 'draw':
                    fragment = next(e for e in answer['entries'] if e.get('draw') == writer['draw'] and e.get('primitive') == writer['primitive'])['fragment']
                    for color in (fragment['color'], *fragment['stages'][0]['operands'][:1]):
                        self.assertIn(color, self.text('panel'))
                self.picture(f'{name}-pixel')
                self.check_panels(name, engine)
                self.check_modes(name, engine)
                self.quiet()

    def step(self):
        at = self.script('new URLSearchParams(location.hash.slice(1)).get("step")')
        return int(at)

    def check_panels(self, name, engine):
        """Of the selected draw, from the engine."""
        steps = engine.call('steps')
        # A draw with textures says more.
        index = max((i for i, s in enumerate(steps['steps']) if s['kind'] == 'draw' and s['entered'] and engine.call('textures', draw=s['draw'])['textures']),
                    default=self.step())
        self.driver.execute_script(f'location.hash = "#step={index}&view=s{steps["steps"][index]["changes"][0]["surface"]}&panel=state"')
        self.until('the step', lambda: self.text('step') == f'step {index} of 0 to {len(steps["steps"]) - 1}')
        draw = steps['steps'][index]['draw']
        self.assertIn(f'Frame {steps["frame"]}, draw {draw}', self.panel('State'))
        self.picture(f'{name}-state')
        trace = engine.call('shader_trace', draw=draw)
        text = self.panel('Program')
        for instruction in trace['steps'][:4]:
            self.assertIn(instruction['instruction'].strip(), text)
        self.picture(f'{name}-program')
        textures = engine.call('textures', draw=draw)['textures']
        text = self.panel('Textures')
        for t in textures:
            self.assertIn(f'{t["format"]} {t["width"]}x{t["height"]}', text)
        self.until('textures', lambda: self.script('[...document.querySelectorAll("canvas.texture")].filter((c) => c.getContext("2d")'
                                                   '.getImageData(0, 0, c.width, c.height).data.some((v) => v)).length') == len(textures))
        self.picture(f'{name}-textures')
        mesh = engine.call('mesh', draw=draw)
        self.assertIn(f'vertex 0 of {len(mesh["vertices"]["rows"])}', self.panel('Mesh'))
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, 'canvas.mesh')), 2)
        self.picture(f'{name}-mesh')
        step, surface = steps['steps'][index], steps['surfaces'][steps['steps'][index]['changes'][0]['surface']]
        memory = engine.call('memory', address=surface['addr'], bytes=8, step=step['step'])['bytes']
        self.assertIn(' '.join(memory[i:i + 2] for i in range(0, 16, 2)), self.panel('Memory'))
        self.assertIn(f'Memory after step {self.step()}\n', self.text('panel'))
        self.picture(f'{name}-memory')
        self.check_work(name, engine.call('draws'), step)
        findings = engine.call('lint')['findings']
        self.assertIn(findings[0]['detail'] if findings else 'Clean.', self.panel('Findings'))

    def check_work(self, name, work, step):
        row, number = work['rows'][step['step']], work['first_rows'][work['frame']] + step['step']
        self.panel('Costs')
        self.driver.find_element(By.XPATH, '//*[@id="panel"]//th/button[.="fragments"]').click()
        self.until('sorted', lambda: self.driver.find_elements(By.CSS_SELECTOR, '#panel th[aria-sort] button'))
        most = max(work['rows'], key=lambda r: sum(r.get('cost', {}).get('fragments', {}).values()))
        self.assertEqual(self.driver.find_element(By.CSS_SELECTOR, '#panel tr:nth-child(3) button').text, f'draw {most["draw"]}')
        cells = [e.text for e in self.driver.find_elements(By.CSS_SELECTOR, '#panel tr.changed td')]
        self.assertEqual(cells, [f'draw {step["draw"]}'] + [f'{n:,}' for n in (
            sum(row['cost']['fragments'].values()), row['cost']['fragments']['kept'], row['cost']['vertices'], row['cost']['drawn_triangles'],
            row['cost']['shader_steps'], row['cost']['samples'])] + [''])
        self.picture(f'{name}-costs')
        text = self.panel('Dependencies')
        for read in row['reads']:
            self.assertIn(f'{read["what"]}\n{read["addr"]}, {read["size_bytes"]:,} bytes', text)
        readers = [r for r in work['rows'] for read in r['reads'] if number in read['from']]
        self.assertEqual(len(self.driver.find_elements(By.XPATH, '//*[@id="panel"]//h2[2]/following-sibling::table//tr')), len(readers))
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, '#panel svg text')), len(work['rows']))
        self.picture(f'{name}-depends')

    def check_modes(self, name, engine):
        modes = self.script('[...document.getElementById("mode").options].map((o) => o.value)')
        self.assertEqual(modes, MODES)
        for mode in MODES:
            # A depth buffer may not be there: the page says so.
            if mode in ('depth', 'stencil') and name == 'crates':
                continue
            colors = self.show(mode)
            self.assertGreaterEqual(colors, 1 if mode in ('alpha', 'before', 'stencil', 'overdraw', 'rejected') else 2, (name, mode))
            self.picture(f'{name}-{mode}')
        self.show('color')

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_a_pixel_leads_to_the_geometry_program(self):
        with Served(BUNDLED / 'galaxy.pica') as server, Stdio(BUNDLED / 'galaxy.pica') as engine:
            self.open(server.url)
            self.show('color')
            self.click_pixel(200, 120)
            entry = next(e for e in reversed(engine.call('pixel', x=200, y=120)['entries']) if e['verdict'] == 'kept' and e['kind'] == 'draw')
            trace = engine.call('shader_trace', draw=entry['draw'], primitive=entry['primitive'])
            self.until('the button', lambda: self.driver.find_elements(By.XPATH, '//*[@id="panel"]//details[@open]//button[contains(., "geometry program")]'))
            self.driver.find_element(By.XPATH, '//*[@id="panel"]//details[@open]//button[contains(., "geometry program")]').click()
            text = self.until('the run', lambda: f'run {trace["run"]}: {trace["instructions"]} instructions' in self.text('panel') and self.text('panel'))
            self.assertEqual(text.count(', of a primitive'), sum(e['is_last'] for e in trace['emits']))
            self.picture('galaxy-geometry')
            self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_a_verdict_leads_to_its_register(self):
        signs = {'lt': '<', 'le': '≤', 'gt': '>', 'ge': '≥', 'eq': '=', 'ne': '≠'}
        with Served(BUNDLED / 'mirror.pica') as server, Stdio(BUNDLED / 'mirror.pica') as engine:
            for x, y, verdict, register, field in (140, 115, 'depth', 'DEPTH_COLOR_MASK', 'FUNC'), (50, 65, 'culled', 'FACECULLING_CONFIG', 'MODE'):
                self.open(f'{server.url}#view=top&x={x}&y={y}&panel=pixel')
                entry = next(e for e in engine.call('pixel', x=x, y=y, steps=True)['entries'] if e['verdict'] == verdict)
                setting = engine.call('state', draw=entry['draw'])['state']['registers'][register]['fields'][field]
                want = f'({register} {field} {setting})'
                if verdict == 'depth':
                    want = f'not {entry["fragment"]["z"]} {signs[setting]} {entry["z_before"]} {want}'
                title = self.until('the verdict', lambda: self.driver.find_elements(By.XPATH, f'//*[@id="panel"]//summary[contains(., "draw {entry["draw"]} ") and contains(., "{want}")]'))[0]
                self.driver.execute_script('arguments[0].click(); arguments[0].scrollIntoView();', title)
                link = self.until('the link', lambda: title.find_elements(By.XPATH, f'..//button[.="{register}"]'))[0]
                self.picture(f'verdict-{verdict}')
                self.driver.execute_script('arguments[0].click()', link)
                row = self.until('the row', lambda: self.driver.find_elements(By.CSS_SELECTOR, '#panel tr.found'))[0]
                self.assertIn(f'{field} {setting}', row.text)
                self.assertTrue(row.text.startswith(register))
                self.assertIn(f'Frame {entry["frame"]}, draw {entry["draw"]}\n', self.text('panel'))
                self.picture(f'register-{verdict}')
            # The stages of the last writer name their registers.
            self.open(f'{server.url}#view=top&x=200&y=150&panel=pixel')
            link = self.until('the stage', lambda: self.driver.find_elements(By.XPATH, '//*[@id="panel"]//details[@open]//button[.="TEXENV0_OPERAND"]'))[0]
            self.driver.execute_script('arguments[0].scrollIntoView({ block: "center" })', link)
            self.picture('stage-registers')
            self.driver.execute_script('arguments[0].click()', link)
            self.until('its row', lambda: self.driver.find_element(By.CSS_SELECTOR, '#panel tr.found').text.startswith('TEXENV0_OPERAND'))
            self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_fog_without_its_table(self):
        with Served(BUNDLED / 'combiner.pica') as server:
            server.call('edit', draw=27, register='TEXENV_UPDATE_BUFFER', fields='FOG_MODE=fog')
            step = next(s for s in server.call('steps')['steps'] if s.get('draw') == 27)
            surface = step['changes'][0]['surface']
            self.open(f'{server.url}#draw=26&panel=state')
            self.assertNotIn('fog table', self.text('panel'))
            self.open(f'{server.url}#draw=27&panel=state')
            self.assertIn('fog table: never uploaded, or all 0', self.text('panel'))
            self.open(f'{server.url}#draw=27&view=s{surface}&x=238&y=115&panel=pixel')  # a tile that it drew
            self.until('the fog', lambda: '0 % of' in self.text('panel') and 'fog table: never uploaded, or all 0' in self.text('panel'))
            self.driver.execute_script('document.querySelector("#panel .stage .bad").scrollIntoView({ block: "center" })')
            self.picture('fog-table')
        with Served(BUNDLED / 'valley.pica') as server:
            self.open(f'{server.url}#view=top&x=200&y=160&panel=pixel')
            text = self.until('the fog', lambda: 'fog entry' in self.text('panel') and self.text('panel'))
            self.assertNotIn('fog table', text)
            self.quiet()

    def edit(self, summary, **values):
        """Fills the form that opens at an element, and sends it: the page loads anew."""
        self.driver.execute_script('window.isOld = true; arguments[0].scrollIntoView({ block: "center" });', summary)
        summary.click()
        form = self.until('the form', lambda: summary.find_element(By.XPATH, '..').find_elements(By.TAG_NAME, 'form'))[0]
        for label, value in values.items():
            control = form.find_element(By.CSS_SELECTOR, f'[aria-label="{label.replace("_", " ")}"], [aria-label^="{label}"]')
            if control.tag_name == 'textarea':
                self.driver.execute_script('arguments[0].value = arguments[1];', control, value)
            else:
                if control.get_attribute('type') == 'text':
                    control.clear()
                control.send_keys(value)
        self.picture('edit-form')
        form.find_element(By.TAG_NAME, 'button').click()
        self.until('the page is new', lambda: not self.script('window.isOld') and self.driver.find_elements(By.CSS_SELECTOR, '.row[aria-selected=true]'))

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_edits(self):
        with Served(BUNDLED / 'combiner.pica') as server:
            steps = server.call('steps')['steps']
            index = next(i for i, s in enumerate(steps) if s.get('draw') == 27)
            pixel = ('(() => { const p = document.getElementById("picture"), d = p.getContext("2d").getImageData(0, 0, p.width, p.height).data;'
                     'let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] === 18 && d[i + 1] === 52 && d[i + 2] === 86; return n; })()')
            self.open(f'{server.url}#step={index}&view=s{steps[index]["changes"][0]["surface"]}&panel=state')
            self.show('color')
            self.press('a')
            self.assertEqual(self.script(pixel), 0)
            button = self.driver.find_element(By.XPATH, '//*[@id="panel"]//td[span[.="TEXENV0_COLOR"]]//summary')
            self.edit(button, Field='whole word', New_value='0xFF563412')
            self.until('the bar', lambda: self.text('edits').startswith('1 edit from frame 0 draw 27: TEXENV0_COLOR = 0xFF563412'))
            self.until('the picture', lambda: self.script(pixel) > 2000)
            self.assertEqual(self.step(), index)
            self.picture('edit-state')
            # A field whose values have names, and the one that it has.
            self.until('the state', lambda: self.driver.find_elements(By.XPATH, '//*[@id="panel"]//td[span[.="DEPTH_COLOR_MASK"]]//summary') or self.press('a'))
            button = self.driver.find_element(By.XPATH, '//*[@id="panel"]//td[span[.="DEPTH_COLOR_MASK"]]//summary')
            func = server.call('state', draw=27)['state']['registers']['DEPTH_COLOR_MASK']['fields']['FUNC']
            button.click()
            form = self.until('the form', lambda: self.driver.find_elements(By.XPATH, '//*[@id="panel"]//td[span[.="DEPTH_COLOR_MASK"]]//form'))[0]
            form.find_element(By.CSS_SELECTOR, '[aria-label=Field]').send_keys('FUNC')
            value = form.find_element(By.CSS_SELECTOR, '[aria-label="New value"]')
            self.assertIn(value.get_attribute('value'), str(func))
            self.assertEqual(value.text.split(), 'never always eq ne lt le gt ge'.split())
            self.picture('edit-names')
            self.driver.find_element(By.XPATH, '//*[@id="edits"]/button').click()
            self.until('the first picture', lambda: self.text('edits') == '' and self.script('document.getElementById("picture").dataset.shows') and self.script(pixel) == 0)
            # A program that draws nothing.
            self.panel('Program')
            text = server.call('state', draw=27)['vsh_source']
            button = self.driver.find_element(By.XPATH, '//*[@id="panel"]//h2[.="Vertex program"]/following-sibling::details/summary')
            self.edit(button, Source=text.replace('\nmain:', '\n').replace('.proc main', '.proc main\n\tnop', 1))
            self.until('the bar', lambda: 'vertex program: ' in self.text('edits'))
            self.assertEqual(len(server.call('edits')['edits']), 1)
            server.call('undo')
            # A texture.
            self.panel('Textures')
            (self.dir / 'new.png').write_bytes(base64.b64decode(solid_png(64, 64, (0, 0, 0, 0))))
            button = self.until('textures', lambda: self.driver.find_elements(By.CSS_SELECTOR, '#panel figure summary'))[0]
            self.edit(button, PNG=str(self.dir / 'new.png'))
            self.until('the bar', lambda: 'tex0: RGBA8 64x64' in self.text('edits'))
            self.assertEqual(server.call('memory', address=server.call('textures', draw=27)['textures'][0]['addr'], bytes=64, draw=27, before=True)['bytes'], '00' * 64)
            self.picture('edit-texture')
            self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_a_register_that_is_written_again(self):
        with Served(BUNDLED / 'lamps.pica') as server:
            page, now = Page(server.http('GET', server.path)[2].decode()), {}
            draws = [i for i, s in enumerate(page.steps) if s['kind'] == 'draw']
            for index in draws:
                again = [row[0] for row in page.steps[index]['registers'] if now.get(row[0], (None,))[0] == row[1]]
                if again:
                    break
                now.update({row[0]: (row[1], index, row[2]) for row in page.steps[index]['registers']})
            self.open(f'{server.url}#step={index}&panel=state')
            name = lambda number: page.json['registers'][str(number)][0]
            marked = self.driver.find_elements(By.XPATH, '//*[@id="panel"]//tr[@class="dim"]//span[.="written"]/ancestor::td/span')
            self.assertEqual([e.text for e in marked], [name(n) for n in sorted(again)])
            self.picture('state-written')
            # Of others: a link to the draw that set it, or before which it was set.
            self.press('a')
            number, (_, setter, addr) = next((n, row) for n, row in sorted(now.items()) if n not in {r[0] for r in page.steps[index]['registers']})
            link = self.driver.find_element(By.XPATH, f'//*[@id="panel"]//td[span[.="{name(number)}"]]//button[@class="link"]')
            self.assertEqual(link.text, f'{"before" if addr is None else "for"} draw {page.steps[setter]["draw"]}')
            self.picture('state-setter')
            self.assertTrue(self.script('(() => { const p = document.getElementById("panel"); return p.scrollWidth <= p.clientWidth; })()'))
            # Only the rows with a text, also at the next step; a link to a register shows all.
            box = self.driver.find_element(By.CSS_SELECTOR, '#panel input.rows')
            box.send_keys('DEPTH_COLOR')
            shown = lambda: [e.text.split()[0] for e in self.driver.find_elements(By.CSS_SELECTOR, '#panel table tr') if e.is_displayed()]
            self.until('the row', lambda: shown() == ['DEPTH_COLOR_MASK'])
            self.picture('state-rows')
            next(e for e in self.driver.find_elements(By.CSS_SELECTOR, '#panel button.link') if e.is_displayed()).click()
            self.until('another step', lambda: self.step() != index)
            self.until('the row', lambda: shown() == ['DEPTH_COLOR_MASK'])
            box = self.driver.find_element(By.CSS_SELECTOR, '#panel input.rows')
            box.send_keys(11 * '\b')
            self.until('all rows', lambda: len(shown()) > 100)
            self.open(f'{server.url}#step={index}&panel=state')
            self.press('a')
            link = self.driver.find_element(By.XPATH, f'//*[@id="panel"]//td[span[.="{name(number)}"]]//button[@class="link"]')
            link.click()
            self.until('its step', lambda: self.step() == setter)
            self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_two_captures(self):
        path = BUNDLED / 'combiner.pica'
        with Served(path, path) as server:
            self.driver.get(server.url)
            self.until('nothing differs', lambda: 'No difference' in self.text('first') and 'The same registers' in self.text('compare'))
            server.call('edit', side='b', draw=27, register='TEXENV0_COLOR', fields='R=18')
            found = server.call('difference')
            draw, pixels = found['draw']['draw'], found['draw']['pixels']
            self.driver.get('about:blank')
            self.driver.get(server.url)
            text = self.until('the difference', lambda: f'draw {draw}: color, {pixels:,} pixels' in self.text('first') and self.text('compare'))
            self.assertIn('TEXENV0_COLOR', text)
            self.assertIn(f'{pixels:,} pixels differ', text)
            at = found['draw']['first']
            x, y = (at['row'], found['draw']['width'] - 1 - at['column']) if found['draw']['width'] == 240 else (at['column'], at['row'])
            for one in 'a', 'b':
                self.assertIn(f'{x}, {y}: #' + bytes(at[one]['rgba'][:3]).hex().upper(), text)
            self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, '.sides canvas')), 3)
            self.picture('compare')
            self.press(Keys.SHIFT + Keys.ARROW_RIGHT)
            self.until('the pixel beside it', lambda: f'{x + 1}, {y}: #' in self.text('compare'))
            self.press(Keys.NULL + Keys.ARROW_LEFT)
            self.until('the draw before', lambda: '0 pixels differ' in self.text('compare') and f'draw={draw - 1}&' in self.driver.current_url)
            self.press(Keys.ARROW_RIGHT)
            self.until('the draw', lambda: f'{pixels:,} pixels differ' in self.text('compare'))
            self.driver.find_element(By.LINK_TEXT, 'open B here').click()
            self.until('the pixel', lambda: f'Pixel {x + 1}, {y}' in self.text('panel') and 'draw' in self.text('panel'))
            self.assertIn('1 edit', self.text('edits'))
            self.driver.back()
            self.until('both again', lambda: self.driver.find_elements(By.CSS_SELECTOR, '.sides canvas') and f'{x + 1}, {y}: #' in self.text('compare'))
            self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_a_capture_of_the_videocore(self):
        path = BUNDLED / 'vc4-mesh.pica'
        self.pica('inspect', '-o', 'page.html', path)
        with Served(path) as server, Stdio(path) as engine:
            answer = engine.call('pixel', x=320, y=240, steps=True)
            steps = engine.call('steps')['steps']
            self.assertEqual([s['kind'] for s in steps], ['job', 'draw', 'draw', 'draw'])
            index = next(i for i, s in enumerate(steps) if s.get('draw') == answer['last_writer']['draw'])
            for url in server.url, (self.dir / 'page.html').as_uri():
                self.open(url + '#view=picture&x=320&y=240')
                self.until('colours', lambda: self.show('color') > 50)
                self.press(Keys.ENTER)
                self.until('the writer', lambda: self.step() == index)
                text = self.until('the history', lambda: answer['color'] in self.text('panel') and self.text('panel'))
                self.assertIn('pica pixel --steps --frame 1 CAPTURE 320,240' if url != server.url else '51 instructions', text)
                self.picture(f'vc4-{"served" if url == server.url else "written"}')
                self.press('2')
                self.until('the state', lambda: 'fragment program' in self.text('panel'))
                self.press('3')
                self.until('the programs', lambda: 'Coordinate program' in self.text('panel'))
                if url == server.url:
                    self.until('the trace', lambda: '1/Wc' in self.text('panel'))
                    self.picture('vc4-program')
                self.press('4')
                self.until('memory', lambda: ('Memory after step' if url == server.url else 'needs pica inspect') in self.text('panel'))
                address = server.call('steps')['surfaces'][0]['addr']
                word = server.call('memory', address=address, bytes=8, step=steps[index]['step'])['bytes']
                self.until('its bytes', lambda: url != server.url or ' '.join(word[i:i + 2] for i in range(0, 16, 2)) in self.text('panel'))
                self.press('5')
                self.until('the costs', lambda: f'{steps[index]["entered"]:,}' in self.text('panel'))
                self.press('v')
                for mode in MODES[:4]:
                    self.assertGreaterEqual(self.show(mode), 1 if mode == 'alpha' else 2, mode)
                self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_keys_frames_and_links(self):
        with Served(BUNDLED / 'mirror.pica') as server:
            self.open(server.url + '?frame=0#step=4&view=s0&x=100&y=200&panel=pixel')
            self.until('a link leads to the pixel', lambda: 'Pixel 100, 200' in self.text('panel'))
            self.assertTrue(self.text('step').startswith('step 4 of '))
            self.assertEqual(self.driver.find_element(By.CSS_SELECTOR, '#about input').get_attribute('value'), '0')
            self.press(Keys.ARROW_RIGHT)
            self.until('the next step', lambda: self.text('step').startswith('step 5 of '))
            self.press('?')
            self.until('help', lambda: self.driver.find_element(By.ID, 'help').is_displayed())
            self.driver.find_element(By.CSS_SELECTOR, '#help button').click()
            self.until('no help', lambda: not self.driver.find_element(By.ID, 'help').is_displayed())
            self.until('thumbnails', lambda: self.script('[...document.querySelectorAll("#tree canvas")].filter((c) => c.width > 1).length') > 4)
            self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_a_server_that_has_ended(self):
        with Served(BUNDLED / 'triangle.pica') as server:
            self.open(server.url)
            self.show('color')
        self.press('6')
        self.until('it says so', lambda: 'has it ended?' in self.text('panel'))
        self.driver.get_log('browser')

    def test_the_written_page_names_panels_that_need_the_engine(self):
        self.pica('inspect', '-o', 'page.html', BUNDLED / 'mirror.pica')
        self.open((self.dir / 'page.html').as_uri() + '#step=20&view=top&x=200&y=150&panel=pixel')
        self.until('the picture', lambda: self.script('document.getElementById("picture").dataset.shows'))
        for panel in 'Pixel', 'Program', 'Textures', 'Mesh', 'Memory', 'Costs', 'Dependencies':
            self.assertIn('pica inspect', self.panel(panel), panel)
        self.press('v')
        self.press('v')
        for mode in MODES:
            option = self.driver.find_element(By.CSS_SELECTOR, f'#mode option[value={mode}]')
            self.assertEqual('needs pica inspect' in option.text, mode in MODES[WRITTEN:], mode)
            self.assertEqual(option.is_enabled(), 'needs' not in option.text)
        for mode in MODES[:WRITTEN]:
            self.show(mode)
        self.quiet()

    @unittest.skipUnless(HAS_HTTP, 'built without libmicrohttpd')
    def test_both_pages_show_the_same_pixels(self):
        self.pica('inspect', '-o', 'page.html', BUNDLED / 'mirror.pica')
        pixels = []
        with Served(BUNDLED / 'mirror.pica') as server:
            for url in server.url, (self.dir / 'page.html').as_uri():
                for fragment in 'step=20&view=s0', 'step=40&view=s1', 'step=54&view=top':
                    for mode in MODES[:WRITTEN] if 'view=s' in fragment else MODES[:1]:
                        self.open(f'{url}#{fragment}&panel=state')
                        self.show(mode)
                        pixels.append(self.script('(() => { const c = document.getElementById("picture"); return JSON.stringify([c.width, c.height,'
                                                  '...c.getContext("2d").getImageData(0, 0, c.width, c.height).data]); })()'))
        half = len(pixels) // 2
        for i in range(half):
            served, written = json.loads(pixels[i]), json.loads(pixels[half + i])
            self.assertEqual(sum(a != b for a, b in zip(served, written)), 0, i)
            self.assertEqual(len(served), len(written))

    @unittest.skipUnless(PICTURES and HAS_HTTP, 'no folder for pictures')
    def test_dark_pictures(self):
        light, type(self).driver = self.driver, start(is_dark=True)
        self.driver = type(self).driver
        try:
            with Served(BUNDLED / 'mirror.pica') as server:
                for number, panel in enumerate(PANELS, 1):
                    self.open(f'{server.url}#step=13&view=s0&x=200&y=150&panel={panel.lower()}')
                    self.show('color')
                    self.panel(panel)
                    self.picture(f'dark-{number}')
        finally:
            self.driver.quit()
            type(self).driver = light


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
