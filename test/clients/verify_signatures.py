"""Prints what pyHanko says about the signatures of files: one JSON list per file. The first argument is the certificate
of the only authority."""
import json
import logging
import sys

from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

logging.disable(logging.CRITICAL)


def facts(signature, authority):
    context = ValidationContext(trust_roots=[authority], allow_fetching=False)
    status = validate_pdf_signature(signature, context)
    stamp = status.timestamp_validity
    return {
        "field": signature.field_name,
        "valid": status.bottom_line,
        "intact": status.intact,
        "coverage": status.coverage.name,
        "changes": status.modification_level.name if status.modification_level is not None else None,
        "permitted": status.docmdp_ok,
        "stamped": None if stamp is None else stamp.valid and stamp.intact and stamp.trusted,
        "level": signature.docmdp_level.value if signature.docmdp_level is not None else None,
    }


authority = load_cert_from_pemder(sys.argv[1])
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        print(json.dumps([facts(one, authority) for one in PdfFileReader(file).embedded_signatures]))
