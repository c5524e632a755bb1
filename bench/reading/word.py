"""Runs pdf2docx, or compares pages: `word.py convert` or `word.py compare`. Each line of standard input is a JSON list:
a PDF and a file to write, or two PDFs.

Writes one line each: `read` with milliseconds or the error, or with the page counts and the mean similarity (SSIM) of
the pages that both have.
"""

import json
import logging
import sys
import time
from statistics import fmean

import numpy
import pymupdf

DPI = 50


def convert(pdf, output):
    from pdf2docx import Converter

    started = time.perf_counter()
    converter = Converter(pdf)
    converter.convert(output)
    converter.close()
    return f"{(time.perf_counter() - started) * 1000:.2f}"


def compare(one, other):
    from skimage.metrics import structural_similarity

    first, second = pymupdf.open(one), pymupdf.open(other)
    scores = []
    for page, made in zip(first, second):
        pictures = [drawn(page), drawn(made)]
        height, width = (min(picture.shape[axis] for picture in pictures) for axis in (0, 1))
        cut = [picture[:height, :width] for picture in pictures]
        scores.append(structural_similarity(*cut, data_range=255))
    return f"{len(first)} {len(second)} {fmean(scores):.4f}"


def drawn(page):
    picture = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    return numpy.frombuffer(picture.samples, numpy.uint8).reshape(picture.height, picture.width)


logging.disable()
for line in sys.stdin:
    try:
        result = {"convert": convert, "compare": compare}[sys.argv[1]](*json.loads(line))
    except Exception as error:
        result = f"{type(error).__name__}: {error}".replace("\n", " ")
    print(f"read {result}", flush=True)
