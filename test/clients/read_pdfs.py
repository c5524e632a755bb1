"""Reads PDFs with pikepdf and pypdf, and prints one JSON object per file, one per line.

The first argument is a password, the others are files. A digest is the SHA-256 of what decoding returns.
"""
import hashlib
import json
import sys

import pikepdf
import pypdf
from pypdf.constants import UserAccessPermissions as Access

PYPDF_NAMES = {
    "print_low": Access.PRINT,
    "print_high": Access.PRINT_TO_REPRESENTATION,
    "edit_document_assembly": Access.ASSEMBLE_DOC,
    "edit_fill_and_sign_form_fields": Access.FILL_FORM_FIELDS,
    "edit_annotations": Access.ADD_OR_MODIFY,
    "edit_content": Access.MODIFY,
    "copy_content": Access.EXTRACT,
    "accessibility_off": Access.EXTRACT_TEXT_AND_GRAPHICS,
}
PIKEPDF_NAMES = {
    "print_low": "print_lowres",
    "print_high": "print_highres",
    "edit_document_assembly": "modify_assembly",
    "edit_fill_and_sign_form_fields": "modify_form",
    "edit_annotations": "modify_annotation",
    "edit_content": "modify_other",
    "copy_content": "extract",
    "accessibility_off": "accessibility",
}


def digest_of_contents(page):
    contents = page.obj.get("/Contents")
    if contents is None:
        return None
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents]
    digest = hashlib.sha256()
    for stream in streams:
        if not isinstance(stream, pikepdf.Stream):
            continue
        try:
            digest.update(stream.read_bytes())
        except pikepdf.PdfError:
            digest.update(stream.read_raw_bytes())
        digest.update(b"\n")
    return digest.hexdigest()


def facts(path, password):
    with pikepdf.open(path, password=password) as pdf:
        catalog = sorted(key for key in pdf.Root.keys() if key not in ("/Extensions", "/Version"))
        told = {
            "pages": [digest_of_contents(page) for page in pdf.pages],
            "annotations": [len(page.obj.get("/Annots", [])) for page in pdf.pages],
            "attachments": sorted(pdf.attachments.keys()),
            "catalog": catalog,
            "title": str(pdf.docinfo.get("/Title", "")),
            "encryption": None,
        }
        if pdf.is_encrypted:
            allow = pdf.allow
            told["encryption"] = {"R": pdf.encryption.R, "bits": pdf.encryption.bits}
            told["pikepdf"] = [name for name, flag in PIKEPDF_NAMES.items() if not getattr(allow, flag)]
        told["damaged"] = bool(pdf.get_warnings())
    return told


def permissions_in_pypdf(path, password):
    reader = pypdf.PdfReader(path)
    if not reader.is_encrypted:
        return None
    if password and not reader.decrypt(password):
        return "locked"
    granted = reader.user_access_permissions
    return [name for name, flag in PYPDF_NAMES.items() if not granted & flag]


password, *paths = sys.argv[1:]
for path in paths:
    try:
        told = facts(path, password)
        if told["encryption"]:
            told["pypdf"] = permissions_in_pypdf(path, password)
    except pikepdf.PasswordError:
        told = {"locked": True}
    except Exception as error:  # A damaged document is a fact, too.
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))
