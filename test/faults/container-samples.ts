// Jobs that keep each engine of the container busy for a moment, and a small job for each engine that shows whether it
// works.

import { asianPdf, utf16 } from "../fixtures/asian-pdf.ts";
import { docx, pageBreak, paragraph, xlsx } from "../fixtures/office.ts";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { pages } from "../fixtures/postscript.ts";
import { corpusFile } from "../support/corpus.ts";
import { type Engine, pdfWith, type Sample, samePagesAsFirst } from "./sample.ts";

export type ContainerEngine = Exclude<Engine, "edge">;

export interface EngineSamples {
  /** A job that a healthy engine completes in well under a second. */
  readonly probe: Sample;
  /** Jobs that take from a fraction of a second to a few seconds each. */
  readonly load: readonly Sample[];
}

/** The request for each engine, over HTTP and in the container. */
const ASKED: Readonly<Record<ContainerEngine, Pick<Sample, "path" | "fields" | "operation" | "params">>> = {
  html: {
    path: "/pdf",
    fields: { output: "made" },
    operation: "html-to-pdf",
    params: { paper: { width: 612, height: 792 }, margin: 72, layout: "desktop", lossless: false, maxImageDpi: 300 },
  },
  office: {
    path: "/pdf",
    fields: { output: "made" },
    operation: "office-to-pdf",
    params: { tagged: false, lossless: false, maxImageDpi: 300 },
  },
  postscript: {
    path: "/pdf",
    fields: { output: "made" },
    operation: "postscript-to-pdf",
    params: { lossless: false, maxImageDpi: 300 },
  },
  pdfa: {
    path: "/pdfa",
    fields: { output: "made", output_type: "PDF/A-2b" },
    operation: "pdf-to-pdfa",
    params: { level: { part: 2, conformance: "b" }, rasterize: false },
  },
  // Uses Ghostscript for a document that cannot be repaired, and at last replaces pages by images.
  rewrite: {
    path: "/pdfa",
    fields: { output: "made", output_type: "PDF/A-2b", rasterize_if_errors_encountered: "on" },
    operation: "pdf-to-pdfa",
    params: { level: { part: 2, conformance: "b" }, rasterize: true },
  },
  threads: {
    path: "/flattened-transparencies-pdf",
    fields: { output: "made" },
    operation: "flatten-transparency",
    params: { quality: "medium" },
  },
};

export async function containerSamples(): Promise<Readonly<Record<ContainerEngine, EngineSamples>>> {
  const five = await textPdf(5);
  return {
    html: {
      probe: job("html", "small.html", "<title>Small</title><h1>Hello</h1>", 1),
      load: [
        job("html", "script.html", busyPage(3, 700), 3),
        job("html", "long.html", paragraphsPage(6), 6),
        job("html", "picture.html", `${busyPage(2, 200)}${PICTURE.repeat(40)}`),
        ...real("html", "html/invoice.html", "html/test_blog.html"),
      ],
    },
    office: {
      probe: job("office", "small.docx", docx({ body: paragraph("Hello") }), 1),
      load: [
        job("office", "long.docx", docx({ body: breaks(200) }), 200),
        job("office", "sheet.xlsx", xlsx('<row r="1"><c r="A1"><v>42</v></c></row>'), 1),
        ...real("office", "office/Comment045.docx", "office/test_multi_page.doc", "office/HandoutExample.pptx"),
      ],
    },
    postscript: {
      probe: job("postscript", "small.ps", pages(1), 1),
      load: [
        job("postscript", "busy.ps", `%!PS\n0 1 8000000 { pop } for\n${pages(4)}`, 4),
        job("postscript", "long.ps", pages(300), 300),
        ...real("postscript", "postscript/manual.ps", "postscript/document-a4.ps", "postscript/cdw-logo.eps"),
      ],
    },
    pdfa: {
      probe: job("pdfa", "small.pdf", plainPdf("Small"), 1),
      load: [
        job("pdfa", "five.pdf", five, 5),
        job("pdfa", "three.pdf", plainPdf("One", "Two", "Three"), 3),
        ...real("pdfa", "pdf/hello-world.pdf", "pdf/right_to_left_01.pdf", "pdf/cropped_text.pdf"),
      ],
    },
    rewrite: {
      probe: job("rewrite", "small.pdf", plainPdf("Small"), 1),
      load: [job("rewrite", "unmapped-character.pdf", unmappedCharacterPdf(), 1)],
    },
    threads: {
      probe: job("threads", "small.pdf", plainPdf("Small"), 1),
      load: [
        job("threads", "five.pdf", five, 5),
        ...real("threads", "pdf/ColorDodge.pdf", "pdf/form-xobjects-out.pdf"),
      ],
    },
  };
}

/**
 * Returns a page whose repair the validator accepts and the comparison rejects, so that Ghostscript rewrites it: MuPDF
 * and the standard differ about a character without a CID.
 */
const unmappedCharacterPdf = (): Uint8Array =>
  asianPdf({ font: "STSong-Light", ordering: "GB1", encoding: "UniGB-UTF16-H", codes: utf16("中ก国") });

/** @param pageCount page count of the response. @default the page count of the first response */
function job(engine: ContainerEngine, name: string, content: string | Uint8Array, pageCount?: number): Sample {
  return {
    name,
    engine,
    files: [{ name, bytes: Buffer.from(content) }],
    ...ASKED[engine],
    check: pageCount === undefined ? samePagesAsFirst() : pdfWith(pageCount),
  };
}

/** Returns samples for the given files of the corpus that exist. */
function real(engine: ContainerEngine, ...paths: readonly string[]): Sample[] {
  return paths.flatMap((path) => {
    const bytes = corpusFile(path);
    return bytes === undefined ? [] : [job(engine, path.split("/").at(-1)!, bytes)];
  });
}

const breaks = (count: number) => Array.from({ length: count }, (_, page) => paragraph(`Page ${page}`)).join(pageBreak);

const BREAK = '<div style="break-before: page"></div>';

/** A page with a script that keeps its renderer busy for `ms` milliseconds. */
const busyPage = (pageCount: number, ms: number) =>
  `<title>Busy</title>${Array.from({ length: pageCount }, (_, page) => `<h1>Page ${page + 1}</h1>`).join(BREAK)}` +
  `<script>for (const end = performance.now() + ${ms}; performance.now() < end;);</script>`;

const paragraphsPage = (pageCount: number) =>
  `<title>Long</title>${Array.from({ length: pageCount }, () => "<p>The quick brown fox.</p>".repeat(8)).join(BREAK)}`;

/** An image of 2 by 2 pixels. */
const PICTURE =
  '<img width="20" src="data:image/bmp;base64,Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgAAAAAABAAAAATCwAAEwsAAAAAAAAAAAAA/wAA/wAAAAAA/wAA/wAAAA==">';
