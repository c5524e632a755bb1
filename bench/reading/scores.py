"""Scores texts and Markdown against the truth of documents, from 0 to 1.

Reads from standard input one JSON object: `{"documents": [{"name", "truth", "texts", "markdowns"}]}`. `truth` is a
file of blocks (bench/reading/truth.ts); the others name a file per engine. Writes one JSON object: scores by document
and engine.

The measures are those of opendataloader-bench:
  nid   Normalized indel similarity of the whole Markdown without markup: text in reading order.
  teds  Tree edit similarity of tables (Zhong et al., 2020): 1 - distance / nodes of the larger tree. All tables of a
        document are one tree. Rows and cells are nodes; a changed span costs 1, a changed text its edit distance.
  mhs   Tree edit similarity of headings: each heading is a node that has the text up to the next one as a child.
  overall  Mean of those that the document has: a document without tables has no teds.
And cer, the edit distance of characters of the plain text divided by the truth's length.
"""

import json
import re
import sys
import unicodedata
from html.parser import HTMLParser
from statistics import fmean

from apted import APTED, Config
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

HIDDEN = 0xE000
MAX_NODES = 1500
"""Tables of more nodes are cut, because the distance of trees takes quadratic memory."""

BULLET = re.compile(r"^\s*(?:[-*+\u2022\u00b7\u25e6\u25aa\u25cf\u25cb\u2013\u2043\u2217\u2219\uf0b7]\s+)+", re.M)
FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.M | re.S)
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"\[((?:\\.|[^\]\\])*)\]\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")
EMPHASIS = re.compile(r"(\*{1,3}|~~|`+|(?<![^\W_])_{1,3})(\S(?:.*?\S)??)\1(?<!_(?=[^\W_]))")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
COMMENT = re.compile(r"<!--.*?-->", re.S)
TAG = re.compile(r"</?(?:br|sup|sub|u|b|i|em|strong|mark|del|s|p|div|span|a|img|code|pre|ul|ol|li)\b[^>]*>", re.I)
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$")
TABLE = re.compile(r"<table\b.*?</table>", re.I | re.S)


def folded(text):
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).replace("\u00ad", "")).strip()


def inline(text):
    """Removes the markup of one piece of Markdown. Escaped characters are in the private use area until the end."""
    text = ESCAPE.sub(lambda escape: chr(HIDDEN + ord(escape[1])), text)
    text = TAG.sub(" ", LINK.sub(r"\1", IMAGE.sub("", text)))
    before = None
    while before != text:
        before, text = text, EMPHASIS.sub(r"\2", text)
    text = re.sub("[\ue000-\ue07f]", lambda hidden: chr(ord(hidden[0]) - HIDDEN), text)
    for name, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", " "), ("&amp;", "&")):
        text = text.replace(name, character)
    return text


class Tables(HTMLParser):
    """Reads the rows of a table in HTML: lists of (text, rows, columns)."""

    def __init__(self):
        super().__init__()
        self.rows, self.cell = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            spans = {name: int(value) for name, value in attrs if value and value.isdigit()}
            self.cell = ["", spans.get("rowspan", 1), spans.get("colspan", 1)]
            (self.rows or self.rows.append([]) or self.rows)[-1].append(self.cell)
        if tag == "br" and self.cell:
            self.cell[0] += " "

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell:
            self.cell[0] += data


def cells_of(line):
    line = re.sub(r"^\||\|$", "", line.strip())
    return [[inline(cell.replace("\\|", "|").strip()), 1, 1] for cell in re.split(r"(?<!\\)\|", line)]


def blocks_of(markdown):
    """Returns the blocks of Markdown in the form of the truth."""
    blocks = []
    end = 0
    for fence in FENCE.finditer(markdown):
        blocks += prose_blocks(markdown[end : fence.start()]) + [("text", fence[2])]
        end = fence.end()
    return blocks + prose_blocks(markdown[end:])


def prose_blocks(markdown):
    blocks = []
    for part in re.split(f"({TABLE.pattern})", COMMENT.sub("", markdown), flags=re.I | re.S):
        if TABLE.fullmatch(part):
            reader = Tables()
            reader.feed(part)
            blocks.append(("table", reader.rows))
        else:
            blocks += line_blocks(part.split("\n"))
    return blocks


def line_blocks(lines):
    blocks = []
    at = 0
    while at < len(lines):
        heading = HEADING.match(lines[at])
        if heading:
            blocks.append(("heading", inline(heading[2])))
        elif "|" in lines[at] and at + 1 < len(lines) and RULE.match(lines[at + 1]):
            rows = [cells_of(lines[at])]
            at += 2
            while at < len(lines) and "|" in lines[at]:
                rows.append(cells_of(lines[at]))
                at += 1
            blocks.append(("table", rows))
            continue
        elif lines[at].strip():
            blocks.append(("text", inline(re.sub(r"^\s*>\s?", "", BULLET.sub("", lines[at])))))
        at += 1
    return blocks


def truth_of(blocks):
    as_rows = lambda rows: [[[cell["text"], cell["rows"], cell["columns"]] for cell in row] for row in rows]
    return [
        ("table", as_rows(block["rows"])) if block["kind"] == "table" else (block["kind"], block["text"])
        for block in blocks
    ]


def text_of(blocks):
    parts = [" ".join(cell[0] for row in one for cell in row) if kind == "table" else one for kind, one in blocks]
    return folded("\n".join(parts))


class Node:
    def __init__(self, name, text="", children=()):
        self.name, self.text, self.children = name, text, list(children)

    def size(self):
        return 1 + sum(child.size() for child in self.children)


class Costs(Config):
    def rename(self, a, b):
        if a.name != b.name:
            return 1.0
        return Levenshtein.normalized_distance(a.text, b.text) if a.text or b.text else 0.0

    def children(self, node):
        return node.children


def similarity(a, b):
    return max(0.0, 1 - APTED(a, b, Costs()).compute_edit_distance() / max(a.size(), b.size()))


def table_tree(blocks):
    root = Node("tables")
    for kind, rows in blocks:
        if kind != "table" or root.size() > MAX_NODES:
            continue
        lines = [Node("row", "", [Node(("cell", r, c), folded(text)) for text, r, c in row]) for row in rows if row]
        root.children.append(Node("table", "", lines))
    return root


def heading_tree(blocks):
    root = place = Node("document")
    pending = []
    for kind, one in [*blocks, ("end", "")]:
        if kind in ("heading", "end"):
            if pending:
                place.children.append(Node("content", text_of(pending)))
            pending = []
        if kind == "heading":
            place = Node("heading", folded(one))
            root.children.append(place)
        elif kind != "end":
            pending.append((kind, one))
    return root


def has_headings(tree):
    return any(child.name == "heading" for child in tree.children)


def score_markdown(truth, markdown):
    blocks = blocks_of(markdown)
    scores = {"nid": fuzz.ratio(text_of(truth), text_of(blocks)) / 100}
    tables, headings = table_tree(truth), heading_tree(truth)
    if tables.children:
        scores["teds"] = similarity(tables, table_tree(blocks))
    if has_headings(headings):
        found = heading_tree(blocks)
        scores["mhs"] = similarity(headings, found) if has_headings(found) else 0.0
    scores["overall"] = fmean(scores.values())
    scores["cer"] = error_rate(text_of(truth), text_of(blocks))
    return scores


def score_text(truth, text):
    expected, found = text_of(truth), folded(BULLET.sub("", text))
    return {"nid": fuzz.ratio(expected, found) / 100, "cer": error_rate(expected, found)}


def error_rate(expected, found):
    return Levenshtein.distance(expected, found) / max(len(expected), 1)


def read(file):
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""


def main():
    result = {}
    for document in json.load(sys.stdin)["documents"]:
        truth = truth_of(json.loads(read(document["truth"])))
        scores = {engine: score_markdown(truth, read(file)) for engine, file in document["markdowns"].items()}
        for engine, file in document["texts"].items():
            scores[engine] = score_text(truth, read(file))
        result[document["name"]] = scores
    json.dump(result, sys.stdout)


main()
