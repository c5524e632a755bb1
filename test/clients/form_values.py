"""Prints the values of form fields by full name, as pikepdf and pypdf read them: one JSON object per file, one per line."""
import json
import sys

import pikepdf
import pypdf


def plain(value):
    if value is None:
        return None
    if isinstance(value, (pikepdf.Array, list)):
        return [plain(one) for one in value]
    return str(value)


def values_of_pikepdf(path):
    values = {}

    def walk(field, parent, inherited):
        name = ".".join(part for part in (parent, str(field.get("/T", ""))) if part)
        value = field.get("/V", inherited)
        kids = [kid for kid in field.get("/Kids", []) if "/T" in kid]
        if not kids and name:
            values.setdefault(name, plain(value))
        for kid in kids:
            walk(kid, name, value)

    with pikepdf.open(path) as pdf:
        for field in pdf.Root.AcroForm.Fields:
            walk(field, "", None)
        return values


def values_of_pypdf(path):
    fields = pypdf.PdfReader(path).get_fields() or {}
    return {name: plain(field.get("/V")) for name, field in fields.items() if field.get("/FT")}


for path in sys.argv[1:]:
    print(json.dumps({"pikepdf": values_of_pikepdf(path), "pypdf": values_of_pypdf(path)}))
