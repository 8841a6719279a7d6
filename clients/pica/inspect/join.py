"""join.py OUT HTML FILE...: the page as C.

HTML has a line "<!-- style -->" and a line "<!-- script -->"; style sheets and modules take their places. Modules are
joined in the order in which they are given, without their imports and exports: one script needs none.
"""
import base64
import hashlib
import pathlib
import re
import sys


def module(text):
    text = re.sub(r"^import [^;]*;\n", "", text, flags=re.M)
    return re.sub(r"^export ", "", text, flags=re.M)


def c_text(name, text):
    """Bytes: compilers need not accept long strings."""
    data = text.encode()
    lines = "\n".join("\t" + " ".join(f"{b}," for b in data[i:i + 24]) for i in range(0, len(data), 24))
    return f"const struct inspect_page_text {name} = {{ (const unsigned char[]){{\n{lines}\n}}, {len(data)} }};\n"


def hash_of(text):
    """The hash by which Content-Security-Policy names an inline script or style."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def twice(files):
    """Names that two modules define: the joined script would have the second alone."""
    names = [name for f in files if f.suffix == ".js" for name in
             re.findall(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", f.read_text(), flags=re.M)]
    return sorted({name for name in names if names.count(name) > 1})


out, html, *files = map(pathlib.Path, sys.argv[1:])
if twice(files):
    sys.exit(f"join.py: {', '.join(twice(files))}: expected one module that defines it")
style = "\n" + "".join(f.read_text() for f in files if f.suffix == ".css")
script = "\n\"use strict\";\n" + "".join(module(f.read_text()) for f in files if f.suffix == ".js")
policy = (f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'")
before, after = html.read_text().split("<!-- script -->\n")
before = before.replace("<!-- style -->", f"<style>{style}</style>").replace("<!-- policy -->", policy)
tail = f"<script>{script}</script>\n{after}"
out.write_text('#include "inspect/page_text.h"\n\n' + c_text("inspect_page_head", before)
               + "\n" + c_text("inspect_page_tail", tail)
               + f"\nconst char inspect_page_policy[] = \"{policy}; frame-ancestors 'none'\";\n")
