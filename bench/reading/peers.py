"""Runs one peer over PDFs in this process: `peers.py NAME`. Each line of standard input is a JSON list: PDF and output.

Writes one line per PDF: `read` with its milliseconds, or with the error. Loading the peer is not measured.
"""

import json
import sys
import tempfile
import time
from pathlib import Path


def pymupdf4llm():
    import pymupdf

    return lambda pdf: pymupdf.open(pdf).to_markdown()


def edgeparse():
    import edgeparse

    # Recognizing text of pictures takes minutes, and none of the documents needs it.
    return lambda pdf: edgeparse.convert(pdf, format="markdown", raster_table_ocr=False)


def markitdown():
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda pdf: converter.convert(pdf).text_content


def pdfplumber():
    import pdfplumber

    def text(pdf):
        with pdfplumber.open(pdf) as document:
            return "\n".join(page.extract_text() for page in document.pages)

    return text


def opendataloader(pairs):
    """Reads all PDFs in one process of Java, and yields the mean of their times."""
    import opendataloader_pdf

    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        opendataloader_pdf.convert([pdf for pdf, _ in pairs], folder, format="markdown", image_output="off", quiet=True)
        milliseconds = (time.perf_counter() - started) * 1000 / len(pairs)
        for pdf, output in pairs:
            made = Path(folder, Path(pdf).stem + ".md")
            Path(output).write_bytes(made.read_bytes() if made.exists() else b"")
            yield f"{milliseconds:.2f}" if made.exists() else "no output"


def one_by_one(convert, pairs):
    for pdf, output in pairs:
        started = time.perf_counter()
        try:
            Path(output).write_text(convert(pdf), encoding="utf-8", errors="replace")
            yield f"{(time.perf_counter() - started) * 1000:.2f}"
        except Exception as error:
            yield f"{type(error).__name__}: {error}".replace("\n", " ")


PEERS = {"pymupdf4llm": pymupdf4llm, "edgeparse": edgeparse, "markitdown": markitdown, "pdfplumber": pdfplumber}

pairs = [json.loads(line) for line in sys.stdin]
name = sys.argv[1]
for result in opendataloader(pairs) if name == "opendataloader-pdf" else one_by_one(PEERS[name](), pairs):
    print(f"read {result}", flush=True)
