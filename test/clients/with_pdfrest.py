"""Makes every call of the pdfrest client that has an endpoint here, and prints what came of each as JSON.

Arguments: base URL, key, folder with the inputs, URL of a site that has some of them. The client is used as it is installed.
"""

import asyncio
import json
import sys
from pathlib import Path

from pdfrest import AsyncPdfRestClient, PdfRestClient, PdfRestErrorGroup

base_url, api_key, folder, site = sys.argv[1:5]
inputs = Path(folder)
INPUTS = ["a.pdf", "b.pdf", "page.html", "picture.png", "drawing.ps", "letter.docx", "profile.json"]
TYPED = ["form.fdf", "form.xfdf", "form.xdp", "form.xfd", "notes.md", "mail.eml"]


def described(response):
    return {
        "inputs": len(response.input_ids),
        "outputs": [[file.name, file.type] for file in response.output_files],
        "sized": all(file.size > 0 for file in response.output_files),
        "ends": all(file.scheduled_deletion_time_utc is not None for file in response.output_files),
    }


def operations(client, files):
    """Returns the operations by the names of their methods, each as a function without arguments."""
    pdf = files["a.pdf"]
    return {
        "split_pdf": lambda: client.split_pdf(pdf, page_groups=["1", [2, "3-last"]]),
        "merge_pdfs": lambda: client.merge_pdfs([pdf, (files["b.pdf"], ["2", "1"])]),
        "zip_files": lambda: client.zip_files([pdf, files["page.html"]]),
        "compress_pdf": lambda: client.compress_pdf(pdf, compression_level="low"),
        "compress_pdf with a profile": lambda: client.compress_pdf(
            pdf, compression_level="custom", profile=files["profile.json"], output="small"
        ),
        "flatten_transparencies": lambda: client.flatten_transparencies(pdf, quality="low"),
        "linearize_pdf": lambda: client.linearize_pdf(pdf),
        "convert_office_to_pdf": lambda: client.convert_office_to_pdf(files["letter.docx"], tagged_pdf=True),
        "convert_postscript_to_pdf": lambda: client.convert_postscript_to_pdf(files["drawing.ps"]),
        "convert_image_to_pdf": lambda: client.convert_image_to_pdf(files["picture.png"], output="picture"),
        "convert_html_to_pdf": lambda: client.convert_html_to_pdf(files["page.html"], page_size="A4"),
        "convert_url_to_pdf": lambda: client.convert_url_to_pdf(f"{site}/page.html", web_layout="mobile"),
        "convert_to_pdfa": lambda: client.convert_to_pdfa(pdf, output_type="PDF/A-2b"),
        "convert_to_png": lambda: client.convert_to_png(pdf, resolution=20, page_range=["1", "3-last"]),
        "convert_to_bmp": lambda: client.convert_to_bmp(pdf, resolution=20, page_range="1"),
        "convert_to_gif": lambda: client.convert_to_gif(pdf, resolution=20, color_model="gray"),
        "convert_to_jpeg": lambda: client.convert_to_jpeg(pdf, resolution=20, jpeg_quality=60, smoothing="all"),
        "convert_to_tiff": lambda: client.convert_to_tiff(pdf, resolution=20, output_prefix="scan"),
    }


def without_waiting(results):
    with PdfRestClient(api_key=api_key, base_url=base_url) as client:
        up = client.up()
        results["up"] = [up.status, up.product, up.version]
        uploaded = client.files.create_from_paths([inputs / name for name in INPUTS])
        files = dict(zip(INPUTS, uploaded))
        results["create_from_paths"] = [file.type for file in uploaded]
        typed = client.files.create([(name, (inputs / name).read_bytes()) for name in TYPED])
        results["create"] = [file.type for file in typed]
        results["get"] = client.files.get(typed[0].id).name
        html = (inputs / "page.html").read_bytes()
        results["read_bytes"] = client.files.read_bytes(files["page.html"]) == html
        results["read_text"] = client.files.read_text(files["page.html"]) == html.decode()
        results["read_json"] = client.files.read_json(files["profile.json"])
        results["write_bytes"] = client.files.write_bytes(files["a.pdf"], inputs / "copy.pdf").stat().st_size
        with client.files.stream(files["page.html"]) as stream:
            results["stream"] = b"".join(stream.iter_bytes()) == html
        for name, call in operations(client, files).items():
            results[name] = described(call())
        fetched = client.files.create_from_urls([f"{site}/a.pdf", f"{site}/page.html"])
        results["create_from_urls"] = [[file.name, file.type] for file in fetched]
        client.files.delete([files["b.pdf"], *typed])
        try:
            client.files.delete(files["b.pdf"])
        except PdfRestErrorGroup as group:
            results["delete again"] = [error.detail for error in group.exceptions]


async def waiting(results):
    async with AsyncPdfRestClient(api_key=api_key, base_url=base_url) as client:
        pdf, html = await client.files.create_from_paths([inputs / "a.pdf", inputs / "page.html"])
        made = await asyncio.gather(
            client.convert_to_png(pdf, resolution=20), client.linearize_pdf(pdf), client.zip_files([pdf, html])
        )
        results["async"] = [described(response) for response in made]
        results["async read_bytes"] = (await client.files.read_bytes(html)).decode()
        await client.files.delete([pdf, html])


found = {}
without_waiting(found)
asyncio.run(waiting(found))
print(json.dumps(found))
