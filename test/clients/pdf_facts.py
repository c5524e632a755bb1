"""Answers questions of /pdf-info with pikepdf. Prints one JSON object per file, one per line."""
import json
import sys

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream, String

STANDARD = {"Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate", "Trapped"}
TEXTS = {"title": "Title", "author": "Author", "subject": "Subject", "keywords": "Keywords", "creator": "Creator"}
FONT_FILES = ("/FontFile", "/FontFile2", "/FontFile3")


def text(value):
    if isinstance(value, Array):
        return ", ".join(text(one) for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)[1:] if isinstance(value, Name) else str(value)


def entry(holder, key):
    return holder.get(key) if isinstance(holder, (Dictionary, Stream)) else None


def inherited(page, key):
    for _ in range(50):
        if page is None or key in page:
            break
        page = page.get("/Parent")
    return entry(page, key)


def box(page, key):
    sides = inherited(page, key)
    if sides is None:
        return None
    left, bottom, right, top = map(float, sides)
    return [min(left, right), min(bottom, top), max(left, right), max(bottom, top)]


def clipped(one, other):
    return [max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])]


def boxes(page):
    media = box(page, "/MediaBox") or [0, 0, 612, 792]
    crop = clipped(box(page, "/CropBox") or media, media)
    others = {key: clipped(box(page, f"/{key.capitalize()}Box") or crop, media) for key in ("bleed", "trim", "art")}
    return {"media": media, "crop": crop, **others}


def appearances(page):
    for annotation in page.get("/Annots") or []:
        normal = entry(entry(annotation, "/AP"), "/N")
        state = entry(annotation, "/AS")
        yield normal if isinstance(normal, Stream) else entry(normal, str(state)) if state is not None else None


def fonts(pdf):
    """Lists the fonts in the resources of pages, forms, patterns, glyphs and appearances as name, type, is embedded."""
    found, seen = {}, set()
    waiting = []
    for page in pdf.pages:
        waiting.append(inherited(page.obj, "/Resources"))
        waiting.extend(entry(one, "/Resources") for one in appearances(page.obj))
    while waiting:
        resources = waiting.pop()
        if not isinstance(resources, Dictionary) or (resources.is_indirect and resources.objgen in seen):
            continue
        seen.add(resources.objgen)
        for font in (entry(resources, "/Font") or Dictionary()).values():
            if font.is_indirect and font.objgen in found:
                continue
            own = (font.get("/DescendantFonts") or [font])[0]
            descriptor = entry(own, "/FontDescriptor")
            kind = text(own.get("/Subtype", Name("/-")))
            is_embedded = kind == "Type3" or any(isinstance(entry(descriptor, key), Stream) for key in FONT_FILES)
            name = font.get("/BaseFont", font.get("/Name"))
            found[font.objgen if font.is_indirect else len(found)] = ["" if name is None else text(name), kind, is_embedded]
            waiting.append(font.get("/Resources"))
        for category in ("/XObject", "/Pattern"):
            for thing in (entry(resources, category) or Dictionary()).values():
                if isinstance(thing, Stream) and thing.objgen not in seen:
                    seen.add(thing.objgen)
                    waiting.append(thing.get("/Resources"))
    return sorted(found.values())


def has_script(pdf):
    waiting = [thing for thing in pdf.objects]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, (Dictionary, Stream)) and entry(thing, "/S") == Name.JavaScript:
            return True
        inner = thing if isinstance(thing, Array) else thing.values() if isinstance(thing, (Dictionary, Stream)) else []
        waiting.extend(one for one in inner if isinstance(one, pikepdf.Object) and not one.is_indirect)
    return False


def facts(pdf):
    root, info = pdf.Root, pdf.trailer.get("/Info", Dictionary())
    custom = {key[1:]: text(value) for key, value in info.items() if key[1:] not in STANDARD}
    form = root.get("/AcroForm")
    annotations = [one for page in pdf.pages for one in page.obj.get("/Annots") or [] if isinstance(one, Dictionary)]
    return {
        "info": {query: text(info.get(f"/{key}", String(""))) for query, key in TEXTS.items()},
        "page_count": len(pdf.pages),
        "custom_metadata": custom or None,
        "doc_language": text(root.get("/Lang", String(""))),
        "tagged": entry(root.get("/MarkInfo"), "/Marked") is True,
        "contains_annotations": len(annotations) > 0,
        "contains_xfa": entry(form, "/XFA") is not None,
        "contains_acroforms": len(entry(form, "/Fields") or []) > 0,
        "contains_javascript": has_script(pdf),
        "page_boxes": [boxes(page.obj) for page in pdf.pages],
        "fonts": fonts(pdf),
    }


for path in sys.argv[1:]:
    try:
        with pikepdf.open(path) as pdf:
            answers = facts(pdf)
    except pikepdf.PasswordError:
        answers = {"locked": True}
    except pikepdf.PdfError as error:
        answers = {"error": str(error)}
    print(json.dumps(answers))
