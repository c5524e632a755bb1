// `npm run bench:adding`: compares the CPU time of operations that add to a PDF, fill it or draw it with other programs,
// as new processes. The operations run warm in this process, as in a long-lived isolate or thread. Programs that are not
// installed are left out. `-- forms` runs one part: marks, forms, rasterized, archives or small.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parsePages } from "../src/document/contract/pages.ts";
import { addImage } from "../src/operations/add-image.ts";
import { addText } from "../src/operations/add-text.ts";
import { type AddWatermarkParams, addWatermark } from "../src/operations/add-watermark.ts";
import { createBlankPdf } from "../src/operations/create-blank-pdf.ts";
import { importFormData } from "../src/operations/import-form-data.ts";
import { pdfToRasterized } from "../src/operations/pdf-to-rasterized.ts";
import { setPageBoxes } from "../src/operations/set-page-boxes.ts";
import { unzipFiles } from "../src/operations/unzip-files.ts";
import { zipFiles } from "../src/operations/zip-files.ts";
import { formPdf } from "../test/fixtures/form-pdfs.ts";
import { PdfBuilder } from "../test/fixtures/pdf-builder.ts";
import { png } from "../test/fixtures/pictures.ts";
import { corpusDir } from "../test/support/corpus.ts";
import { inputOf } from "../test/support/operations.ts";
import { TYPEFACES } from "../test/support/typefaces.ts";
import { median, row } from "./measuring/measure.ts";
import { ran } from "./measuring/operation-time.ts";
import { isInstalled, programTime } from "./measuring/programs.ts";

const ROUNDS = process.argv.includes("--quick") ? 3 : 9;
/** Rounds after which the code is compiled. */
const WARM_UPS = 3;
const COUNTS = [1, 100, 1000];
const PARTS = { marks, forms, rasterized, archives, small } as const;
const RASTERIZED: readonly string[] = [
  "pdf/hello-world.pdf",
  "pdf/amt_handbook_sample.pdf",
  "pdf/validAvoir_FR_type380_BASICWL.pdf",
  "pdf/Seige_of_Vicksburg_Sample_OCR.pdf",
];

const WATERMARK: Omit<AddWatermarkParams, "pages"> = {
  ...{ font: "Arial", textSize: 72, watermarkFileScale: 0.5, opacity: 0.5, rotation: -45, x: 0, y: 0 },
  ...{ behindPage: false, horizontalAlignment: "center", verticalAlignment: "center" },
};
const TEXT_OBJECT = {
  ...{ font: "Arial", text: "Added text", text_size: 12, text_color_rgb: "0,0,0", page: "all" },
  ...{ x: 20, y: 20, max_width: 200, rotation: 0, opacity: 1 },
} as const;

/** A task of an operation, and command lines of programs that do the same with files of the folder. */
interface Task {
  readonly name: string;
  /** Returns the CPU time in milliseconds, and the output. */
  readonly ours: () => Promise<readonly [number, Uint8Array]>;
  readonly theirs: Readonly<Record<string, readonly string[]>>;
  /** The smallest ratio of their time and ours, and a program that it concerns. */
  readonly goal?: readonly [program: string, ratio: number];
  /** The file that they write, for a comparison of sizes. */
  readonly written?: string;
}

const folder = mkdtempSync(join(tmpdir(), "bench-adding-"));
const write = (name: string, bytes: string | Uint8Array) => writeFileSync(join(folder, name), bytes);
try {
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[];
  const chosen = names.filter((part) => process.argv.includes(part));
  console.log(`Milliseconds of processor time, median of ${ROUNDS} rounds; ratios are theirs / ours.`);
  for (const part of chosen.length > 0 ? chosen : names) await PARTS[part]();
} finally {
  rmSync(folder, { recursive: true });
}

async function compare({ name, ours, theirs, goal, written }: Task): Promise<void> {
  const commands = Object.entries(theirs).filter(([, [program]]) => isInstalled(program!));
  const times: number[][] = [[], ...commands.map(() => [])];
  const sizes: number[] = [];
  for (let round = 0; round < WARM_UPS; round++) await ours();
  for (let round = 0; round < ROUNDS; round++) {
    const [time, made] = await ours();
    times[0]!.push(time);
    sizes[0] = made.length;
    for (const [index, [, command]] of commands.entries()) {
      times[index + 1]!.push(programTime(command, folder));
      if (written) sizes[index + 1] = statSync(join(folder, written)).size;
    }
  }
  const [us, ...them] = times.map(median);
  const cells = commands.flatMap(([program], index) => {
    const ratio = them[index]! / us!;
    const size = written ? ` (${(sizes[index + 1]! / sizes[0]!).toFixed(2)} x size)` : "";
    const verdict = goal?.[0] === program ? (ratio >= goal[1] ? " reached" : ` of ${goal[1]} MISSED`) : "";
    return [`${program} ${ratio.toFixed(1)}${verdict}${size}`];
  });
  console.log([row([name, us!.toFixed(1)]), ...cells].join("  "));
}

/** Returns pages of text. */
function letters(count: number): Uint8Array {
  const builder = new PdfBuilder();
  for (let page = 1; page <= count; page++) {
    const lines = Array.from({ length: 40 }, (_, line) => `(The line ${line} of page ${page} of a letter, in words) '`);
    builder.page(`BT /F 4 Tf 4.5 TL 20 190 Td ${lines.join(" ")} ET`);
  }
  return builder.bytes();
}

/** Compares marks on all pages: a text, a page of another PDF, an image. */
async function marks(): Promise<void> {
  const mark = letters(1);
  write("mark.pdf", mark);
  const picture = png(
    { width: 60, height: 40, channels: 3, values: Array(60 * 40 * 3).fill(80) },
    { colorType: 2, bits: 8 },
  );
  write("mark.png", picture);
  const pages = parsePages("1-last")!;
  const watermark = { ...WATERMARK, pages };
  for (const count of COUNTS) {
    const pdf = letters(count);
    write("in.pdf", pdf);
    const stamp = ["pdftk", "in.pdf", "stamp", "mark.pdf", "output", "out.pdf"];
    const overlay = ["qpdf", "in.pdf", "--overlay", "mark.pdf", "--repeat=1", "--", "out.pdf"];
    const pdfcpu = (mode: string, of: string) => [
      ...["pdfcpu", "stamp", "add", "-mode", mode, "--", of, "rot:45", "in.pdf", "out.pdf"],
    ];
    const goal = ["pdfcpu", 3] as const;
    await compare({
      ...{ name: `watermark with text, ${count}`, goal },
      ours: () => ran(addWatermark, pdf, { ...watermark, watermarkText: "DRAFT" }, { typefaces: TYPEFACES }),
      theirs: { pdfcpu: pdfcpu("text", "DRAFT"), pdftk: stamp, qpdf: overlay },
    });
    await compare({
      ...{ name: `watermark with a PDF, ${count}`, goal },
      ours: () => ran(addWatermark, pdf, watermark, { others: [inputOf(mark)] }),
      theirs: { pdfcpu: pdfcpu("pdf", "mark.pdf"), pdftk: stamp, qpdf: overlay },
    });
    await compare({
      ...{ name: `text, ${count}`, goal },
      ours: () =>
        ran(addText, pdf, addText.params.parse({ textObjects: [TEXT_OBJECT], tagEnabled: false }), {
          typefaces: TYPEFACES,
        }),
      theirs: { pdfcpu: pdfcpu("text", "Added text"), pdftk: stamp, qpdf: overlay },
    });
    await compare({
      ...{ name: `image, ${count}`, goal },
      ours: () => ran(addImage, pdf, { x: 20, y: 20, page: pages, tagEnabled: false }, { others: [inputOf(picture)] }),
      theirs: { pdfcpu: pdfcpu("image", "mark.png") },
    });
  }
}

/** Compares filled text fields. */
async function forms(): Promise<void> {
  for (const [count, value] of [
    [10, "Ada Lovelace"],
    [500, "Ada Lovelace"],
    [10, "שלום"],
    [500, "שלום"],
  ] as const) {
    const fields = Array.from({ length: count }, (_, at) => `/FT/Tx/Rect[10 ${at % 180} 200 ${(at % 180) + 15}]`);
    const pdf = formPdf(fields);
    const data = Object.fromEntries(fields.map((_, at) => [`f${at}`, value]));
    write("form.pdf", pdf);
    const xml = Object.entries(data).map(([name, text]) => `<field name="${name}"><value>${text}</value></field>`);
    write(
      "data.xfdf",
      `<?xml version="1.0"?><xfdf xmlns="http://ns.adobe.com/xfdf/"><fields>${xml.join("")}</fields></xfdf>`,
    );
    await compare({
      name: `form, ${count} fields: ${value}`,
      ours: () => ran(importFormData, pdf, { data }, { typefaces: TYPEFACES }),
      theirs: { pdftk: ["pdftk", "form.pdf", "fill_form", "data.xfdf", "output", "out.pdf"] },
      goal: ["pdftk", 10],
    });
  }
}

/**
 * Compares pages as images, with their sizes. Ghostscript smooths edges only if it is asked to, as this service always
 * does: smooth edges cost time, and twice the bytes.
 */
async function rasterized(): Promise<void> {
  const files = corpusDir === undefined ? [] : RASTERIZED.map((name) => join(corpusDir!, name));
  const documents = files.map((file) => [basename(file), new Uint8Array(readFileSync(file))] as const);
  const gs = ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfimage24", "-r300", "-o", "out.pdf"];
  const smooth = ["-dTextAlphaBits=4", "-dGraphicsAlphaBits=4"];
  for (const [name, pdf] of [["ten letters", letters(10)] as const, ...documents]) {
    write("in.pdf", pdf);
    await compare({
      name: `rasterized: ${name}`,
      ours: () => ran(pdfToRasterized, pdf, { dpi: 300, colorModel: "rgb", jpegQuality: 90 }),
      theirs: { gs: [...gs, "in.pdf"], "gs with smooth edges": [...gs, ...smooth, "in.pdf"] },
      goal: ["gs", 2],
      written: "out.pdf",
    });
  }
}

/** Compares archives of many files, and of a large one. */
async function archives(): Promise<void> {
  for (const [count, size] of [
    [1000, 2_000],
    [1, 20_000_000],
  ] as const) {
    const inputs = Array.from({ length: count }, (_, at) => inputOf(letters(1).slice(0, size), `${at}.txt`));
    const large =
      count === 1 ? [inputOf(new Uint8Array(Buffer.alloc(size, "words of a letter, ")), "large.txt")] : inputs;
    const [, zip] = await ran(zipFiles, large, {});
    write("in.zip", zip);
    await compare({
      name: `archive of ${count}`,
      ours: () => ran(unzipFiles, zip, {}),
      theirs: { unzip: ["unzip", "-o", "-q", "in.zip", "-d", "unpacked"] },
    });
  }
}

/** Compares operations whose goal is a time of 5 ms: boxes of pages, and blank pages. */
async function small(): Promise<void> {
  const margins = { range: "all", left: 5, top: 5, bottom: 5, right: 5 };
  const blank = { pageSize: "A4", pageCount: 100, pageOrientation: "portrait" } as const;
  const pdf = letters(100);
  write("in.pdf", pdf);
  await compare({
    name: "boxes of 100 pages",
    ours: () => ran(setPageBoxes, pdf, { boxes: { boxes: [{ box: "crop", pages: [margins] }] } }),
    theirs: {
      pdfcpu: ["pdfcpu", "boxes", "add", "--", "crop:5", "in.pdf", "out.pdf"],
      qpdf: ["qpdf", "in.pdf", "out.pdf"],
    },
  });
  write("blank.txt", "%%MediaBox 0 0 595 842\n");
  await compare({
    name: "100 blank pages",
    ours: () => ran(createBlankPdf, [], blank),
    theirs: { mutool: ["mutool", "create", "-o", "out.pdf", ...Array(100).fill("blank.txt")] },
  });
}
