// Small jobs of all endpoints, valid and damaged, with their right responses, and a few jobs that are too large for the
// Worker alone.

import { docx, flatOpenDocument, pageBreak, paragraph, xlsx, zip } from "../fixtures/office.ts";
import { PdfBuilder, plainPdf } from "../fixtures/pdf-builder.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { bmp, bmpRows, jpeg, pattern, plainTiff, png, tiff } from "../fixtures/pictures.ts";
import { document, eps, pages } from "../fixtures/postscript.ts";
import { TRANSPARENT_PDFS } from "../fixtures/transparent-pdfs.ts";
import { corpusFile } from "../support/corpus.ts";
import { damagedCopies } from "../support/damaged-bytes.ts";
import {
  archiveOf,
  type Engine,
  pdfWith,
  pictures,
  type Sample,
  samePagesAsFirst,
  singlePages,
  textOf,
} from "./sample.ts";

interface Job {
  readonly engine: Engine;
  readonly file: string;
  readonly bytes: string | Uint8Array;
  readonly check?: Sample["check"];
  readonly statuses?: readonly number[];
  readonly path?: string;
  readonly fields?: Sample["fields"];
}

/** @param job a job of the endpoint /pdf unless it names another path */
function sample({ engine, file, bytes, check = async () => undefined, statuses, path = "/pdf", fields }: Job): Sample {
  return {
    name: `${path} of ${file}`,
    engine,
    files: [{ name: file, bytes: Buffer.from(bytes) }],
    path,
    fields: { output: "made", ...fields },
    check,
    ...(statuses ? { statuses } : {}),
  };
}

/** Returns quick jobs, each with a right response. */
export async function smallSamples(): Promise<readonly Sample[]> {
  const two = await textPdf(2);
  return [...toPdf(), ...fromPdf(two), ...several(two)];
}

function toPdf(): Sample[] {
  const picture = pattern(3);
  const body = [1, 2, 3].map((page) => paragraph(`Page ${page}`)).join(pageBreak);
  const rows = Array.from({ length: 2 }, () => Buffer.alloc(8, 0x55));
  const slides = flatOpenDocument("presentation", "<office:body><office:presentation/></office:body>");
  const one = { check: pdfWith(1) };
  return [
    sample({ engine: "html", file: "page.html", bytes: "<title>a</title><h1>Hello</h1>", ...one }),
    sample({
      engine: "html",
      file: "two.html",
      bytes: '<p>One</p><p style="break-before: page">Two</p>',
      check: pdfWith(2),
      fields: { page_size: "A4", page_orientation: "landscape" },
    }),
    sample({ engine: "office", file: "text.docx", bytes: docx({ body }), check: pdfWith(3) }),
    sample({ engine: "office", file: "sheet.xlsx", bytes: xlsx('<row r="1"><c r="A1"><v>42</v></c></row>'), ...one }),
    sample({ engine: "office", file: "letter.doc", bytes: "{\\rtf1\\ansi Hello}", ...one }),
    sample({ engine: "office", file: "slides.pptx", bytes: slides, statuses: [200] }),
    sample({ engine: "postscript", file: "text.ps", bytes: pages(2), check: pdfWith(2) }),
    sample({ engine: "postscript", file: "figure.eps", bytes: eps([0, 0, 100, 50]), ...one }),
    sample({ engine: "edge", file: "picture.png", bytes: png(picture, { colorType: 2, bits: 8 }), ...one }),
    sample({ engine: "edge", file: "picture.jpg", bytes: jpeg(picture, "rgb"), ...one }),
    sample({ engine: "edge", file: "picture.bmp", bytes: bmp(2, 2, { bits: 24, data: bmpRows(rows) }), ...one }),
    sample({ engine: "edge", file: "picture.tif", bytes: tiff([plainTiff(picture, 2)]), ...one }),
  ];
}

function fromPdf(two: Uint8Array): Sample[] {
  const of = (path: string, fields: Sample["fields"], check: Sample["check"], engine: Engine = "edge") =>
    sample({ engine, file: "two.pdf", bytes: two, path, fields, check });
  const formats = ["bmp", "gif", "jpg", "png", "tif"].map((format) =>
    of(`/${format}`, { resolution: "72" }, pictures(2, 612, 792)),
  );
  const levels = ["low", "medium", "high"].map((level) =>
    of("/compressed-pdf", { compression_level: level }, pdfWith(2)),
  );
  const transparent = TRANSPARENT_PDFS[0]!;
  return [
    ...formats,
    of("/png", { resolution: "36", pages: "2", color_model: "gray" }, pictures(1, 306, 396)),
    ...levels,
    withProfile(of("/compressed-pdf", { compression_level: "custom" }, pdfWith(2), "threads")),
    of("/linearized-pdf", {}, pdfWith(2)),
    of("/split-pdf", {}, singlePages(2)),
    of("/split-pdf", { "pages[]": ["2-1"] }, pdfWith(2)),
    of("/pdfa", { output_type: "PDF/A-2b" }, pdfWith(2), "pdfa"),
    of("/pdfa", { output_type: "PDF/A-1b" }, pdfWith(2), "pdfa"),
    of("/pdfa", { output_type: "PDF/A-3u" }, pdfWith(2), "pdfa"),
    of("/flattened-transparencies-pdf", { quality: "low" }, pdfWith(2), "threads"),
    sample({
      engine: "threads",
      file: "transparent.pdf",
      bytes: transparent.bytes,
      path: "/flattened-transparencies-pdf",
      check: pdfWith(1),
    }),
  ];
}

/** Adds a profile that requires the container. */
function withProfile(one: Sample): Sample {
  const bytes = Buffer.from(JSON.stringify({ transparency: { quality: "low-quality" } }));
  return { ...one, files: [...one.files, { name: "profile.json", bytes, field: "profile" }] };
}

function several(two: Uint8Array): Sample[] {
  const files = [
    { name: "two.pdf", bytes: two },
    { name: "one.pdf", bytes: plainPdf("One") },
  ];
  const common = { engine: "edge" as const, files };
  const order = { "type[]": ["file", "file"], "pages[]": ["1-last", "1"] };
  const text = "<p>Stored as it is</p>";
  return [
    { ...common, name: "/merged-pdf", path: "/merged-pdf", fields: { output: "made", ...order }, check: pdfWith(3) },
    { ...common, name: "/zip", path: "/zip", fields: { output: "made" }, check: archiveOf(2) },
    {
      ...{ engine: "edge", name: "/html", path: "/html", files: [] },
      fields: { output: "made", content: text },
      check: textOf(text),
    },
  ];
}

/** Files of the corpus, with the engine, the path and the fields of their jobs. */
const REAL: readonly (readonly [file: string, engine: Engine, path: string, fields?: Sample["fields"]])[] = [
  ...["Comment045.docx", "Complex01.xlsx", "HandoutExample.pptx", "test_multi_page.ppt"].map(
    (name) => [`office/${name}`, "office", "/pdf"] as const,
  ),
  ...["invoice", "all", "test_blog"].map((name) => [`html/${name}.html`, "html", "/pdf"] as const),
  ...["cdw-logo.eps", "1.eps", "06_color_shading.ps"].map(
    (name) => [`postscript/${name}`, "postscript", "/pdf"] as const,
  ),
  ...["Portrait_8.jpg", "multipage.tif"].map((name) => [`images/${name}`, "edge", "/pdf"] as const),
  ["pdf/cropped_text.pdf", "pdfa", "/pdfa", { output_type: "PDF/A-2b" }],
  ["pdf/right_to_left_01.pdf", "edge", "/compressed-pdf", { compression_level: "high" }],
  ["pdf/fancy_fields.pdf", "edge", "/flattened-forms-pdf"],
  ["pdf/right_to_left_01.pdf", "edge", "/split-pdf"],
  ["pdf/form-xobjects-out.pdf", "threads", "/flattened-transparencies-pdf"],
];

/** Returns jobs with files of the corpus; none if it is missing. Their first response tells their right page count. */
export function realSamples(): readonly Sample[] {
  const named = (path: string) => ({ file: path.split("/").at(-1)!, bytes: corpusFile(path)! });
  if (corpusFile("pdf/hello-world.pdf") === undefined) return [];
  const read = named("pdf/hello-world.pdf");
  return [
    ...REAL.map(([file, engine, path, fields = {}]) =>
      sample({ ...named(file), engine, path, fields, ...(path === "/split-pdf" ? {} : { check: samePagesAsFirst() }) }),
    ),
    sample({ ...read, engine: "edge", path: "/extracted-text", fields: { full_text: "document" } }),
    sample({ ...read, engine: "edge", path: "/png", fields: { resolution: "150", pages: "1" } }),
  ];
}

/** Returns jobs with client errors, which must be reported as such and have no other effect. */
export async function damagedSamples(): Promise<readonly Sample[]> {
  const text = docx({ body: paragraph("Hello") });
  const two = await textPdf(2);
  const locked = encrypted(two, "user", "owner");
  const picture = png(pattern(3), { colorType: 2, bits: 8 });
  const is = (status: number) => ({ statuses: [status] });
  const levels = { compression_level: "high" };
  return [
    sample({ engine: "office", file: "half.docx", bytes: text.subarray(0, text.length / 2), ...is(400) }),
    sample({ engine: "office", file: "other.docx", bytes: zip({ "readme.txt": "nothing" }), ...is(400) }),
    sample({ engine: "postscript", file: "wrong.ps", bytes: document("undefinedname showpage"), ...is(400) }),
    sample({ engine: "postscript", file: "greedy.ps", bytes: document("[ { 65535 string } loop"), ...GREEDY }),
    sample({ engine: "html", file: "greedy.html", bytes: GREEDY_PAGE, ...GREEDY }),
    sample({ engine: "edge", file: "half.png", bytes: picture.subarray(0, 40), ...is(400) }),
    sample({ engine: "edge", file: "none.pdf", bytes: "%PDF-1.7\nnothing", path: "/png", ...is(400) }),
    sample({ engine: "pdfa", file: "none.pdf", bytes: "%PDF-1.7\nnothing", path: "/pdfa", fields: LEVEL, ...is(400) }),
    sample({ engine: "edge", file: "locked.pdf", bytes: locked, path: "/jpg", ...is(401) }),
    sample({ engine: "pdfa", file: "locked.pdf", bytes: locked, path: "/pdfa", fields: LEVEL, ...is(401) }),
    sample({ engine: "edge", file: "locked.pdf", bytes: locked, path: "/compressed-pdf", fields: levels, ...is(401) }),
    ...changed(two, text, jpeg(pattern(3), "rgb")),
  ];
}

const LEVEL = { output_type: "PDF/A-2b" };
const GREEDY_PAGE = "<script>for (let a = [];;) a.push(new Array(1e6).fill(0))</script>";

/** Jobs with these documents exhaust memory, or on a busy machine time. */
const GREEDY = { statuses: [413, 504] };

/** Parts of these documents can be readable; any status must be about the document. */
const OF_THE_DOCUMENT = [200, 400, 401, 413, 422];

/** Returns jobs with copies of documents in which a few bytes are changed. */
function changed(pdf: Uint8Array, office: Uint8Array, picture: Uint8Array): Sample[] {
  const copies = (bytes: Uint8Array) => damagedCopies([bytes], { copies: 3, changes: 3, headBytes: bytes.length });
  const paths: readonly (readonly [Engine, string, Sample["fields"]])[] = [
    ["edge", "/png", { resolution: "36" }],
    ["edge", "/compressed-pdf", { compression_level: "medium" }],
    ["edge", "/split-pdf", {}],
    ["edge", "/linearized-pdf", {}],
    ["pdfa", "/pdfa", LEVEL],
    ["threads", "/flattened-transparencies-pdf", {}],
  ];
  const statuses = OF_THE_DOCUMENT;
  const pdfs = paths.flatMap(([engine, path, fields]) =>
    [...copies(pdf)].map((bytes) => sample({ engine, file: "changed.pdf", bytes, path, fields, statuses })),
  );
  const offices = [...copies(office)].map((bytes) =>
    sample({ engine: "office", file: "changed.docx", bytes, statuses }),
  );
  const pictures = [...copies(picture)].map((bytes) =>
    sample({ engine: "edge", file: "changed.jpg", bytes, statuses }),
  );
  return [...pdfs, ...offices, ...pictures];
}

/** An isolate can hold 40 MB: larger documents run in the container. */
const LARGE_BYTES = 42 * 2 ** 20;
const LARGE_SIDE = 6_700;

/** Returns jobs that run in the container: large files, and a scan whose text is recognized if there is a corpus. */
export function largeSamples(): readonly Sample[] {
  const builder = new PdfBuilder();
  builder.page("One", `/Padding ${builder.stream(Buffer.alloc(LARGE_BYTES, "large "))}`);
  builder.page("Two");
  const bytes = builder.bytes();
  const scan = corpusFile("pdf/MEDRPT-2024-PAT-3847_medical_report_scan.pdf");
  const of = (path: string, fields: Sample["fields"], check: Sample["check"]) =>
    sample({ engine: "threads", file: "large.pdf", bytes, path, fields, check });
  return [
    of("/split-pdf", {}, singlePages(2)),
    of("/merged-pdf", { "type[]": ["file"], "pages[]": ["last-1"] }, pdfWith(2)),
    of("/linearized-pdf", {}, pdfWith(2)),
    of("/compressed-pdf", { compression_level: "low" }, pdfWith(2)),
    of("/png", { resolution: "72" }, pictures(2, 300, 200)),
    sample({ engine: "threads", file: "large.tif", bytes: largeTiff(), check: pdfWith(1) }),
    ...(scan ? [sample({ engine: "threads", file: "scan.pdf", bytes: scan, path: "/pdf-with-ocr-text" })] : []),
  ];
}

/** Returns a gray, uncompressed TIFF in one strip. */
function largeTiff(): Uint8Array {
  const flat = { width: 1, height: 1, channels: 1, values: [0] };
  const size = { 256: [LARGE_SIDE], 257: [LARGE_SIDE], 278: [LARGE_SIDE] };
  return tiff([{ ...plainTiff(flat, 1, 8, size), segments: [Buffer.alloc(LARGE_SIDE ** 2, 0x7f)] }]);
}
