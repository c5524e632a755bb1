"""Renders pages with pypdfium2 in a process that stays open. Reads one JSON array per line: path of a PDF, first and
last page from 1, dpi, format of Pillow, and path of the output with `%d` for the page. Answers each with a line."""

import json
import sys

import pypdfium2

for line in sys.stdin:
    path, first, last, dpi, kind, output = json.loads(line)
    with pypdfium2.PdfDocument(path) as document:
        for number in range(first, last + 1):
            picture = document[number - 1].render(scale=dpi / 72).to_pil()
            picture.save(output % number, kind, **({"quality": 80} if kind == "jpeg" else {}))
    print("done", flush=True)
