"""Uploads two files, merges them and prints the result in base64, with the client of openapi-python-client.

Arguments: URL of the service, paths of two PDFs.
"""

import base64
import importlib
import pkgutil
import sys

import generated
from generated.api.files import get_resource, upload
from generated.api.operations import merged_pdf, png
from generated.models import (
    Error,
    GetResourceFormat,
    MergedPdfJsonBody,
    MergedPdfJsonBodyTypeItem,
    PngFilesBody,
    UploadFilesBody,
)
from generated.types import File

names = [module.name for module in pkgutil.walk_packages(generated.__path__, "generated.")]
for name in names:
    importlib.import_module(name)
assert len(names) > 50, names

url, *paths = sys.argv[1:]
client = generated.Client(base_url=url, timeout=120)


def file_at(path):
    return File(payload=open(path, "rb"), file_name="report.pdf", mime_type="application/pdf")


uploaded = upload.sync(client=client, body=UploadFilesBody(file=[file_at(path) for path in paths]))
kind = MergedPdfJsonBodyTypeItem.ID
body = MergedPdfJsonBody(
    id=[file.id for file in uploaded.files], type_=[kind, kind], pages=["all", "1"], output="merged"
)
merged = merged_pdf.sync(client=client, body=body)
result = get_resource.sync(client=client, id=merged.output_id, format_=GetResourceFormat.FILE)

drawn = png.sync(client=client, body=PngFilesBody(file=file_at(paths[0]), output="page", pages="1", resolution=72))
assert isinstance(drawn.output_id, str), drawn
refused = png.sync(client=client, body=PngFilesBody(output="page"))
assert isinstance(refused, Error) and refused.error == "This route needs a File or an ID.", refused

sys.stdout.write(base64.b64encode(result.payload.read()).decode())
