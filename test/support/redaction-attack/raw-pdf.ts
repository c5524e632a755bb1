// Writes PDFs as text, without any code of the service: one page, fonts F1 and F2, and whatever a place adds.
import { Buffer } from "node:buffer";

type Body = string | Buffer;

/** Parts of a PDF, as PDF syntax. Objects 1 to 9 are the catalog, the page tree, a page, its content, and its fonts. */
export interface Parts {
  readonly content?: Body;
  readonly contentEntries?: string;
  readonly resources?: string;
  readonly page?: string;
  readonly catalog?: string;
  readonly trailer?: string;
  /** More objects, by number from 10. */
  readonly objects?: Readonly<Record<number, Body>>;
  /** Font F1, in place of one whose codes are characters of WinAnsiEncoding, or UTF-16 if `isWide`. */
  readonly font?: Body;
  readonly isWide?: boolean;
  readonly afterHeader?: Body;
  readonly betweenObjects?: Body;
  readonly afterEnd?: Body;
  readonly mediaBox?: string;
}

export const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const bufferOf = (body: Body): Buffer => (typeof body === "string" ? latin(body) : body);

export function stream(data: Body, entries = ""): Buffer {
  const bytes = bufferOf(data);
  const head = latin(`<< /Length ${bytes.length} ${entries} >>\nstream\n`);
  return Buffer.concat([head, bytes, latin("\nendstream")]);
}

const IDENTITY = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap end`;

const SIMPLE_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const WIDE_FONT = `<< /Type /Font /Subtype /Type0 /BaseFont /Wide /Encoding /Identity-H
  /DescendantFonts [7 0 R] /ToUnicode 8 0 R >>`;

export function pdf(parts: Parts): Buffer {
  const objects: Record<number, Body> = {
    1: `<< /Type /Catalog /Pages 2 0 R ${parts.catalog ?? ""} >>`,
    2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    3: `<< /Type /Page /Parent 2 0 R /MediaBox ${parts.mediaBox ?? "[0 0 612 792]"} /Contents 4 0 R ${parts.page ?? ""}
      /Resources << /Font << /F1 5 0 R /F2 6 0 R >> ${parts.resources ?? ""} >> >>`,
    4: stream(parts.content ?? "", parts.contentEntries),
    5: parts.font ?? (parts.isWide === true ? WIDE_FONT : SIMPLE_FONT),
    6: SIMPLE_FONT,
    7: `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Wide /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity)
      /Supplement 0 >> /FontDescriptor 9 0 R /DW 1000 >>`,
    8: stream(IDENTITY),
    9: `<< /Type /FontDescriptor /FontName /Wide /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800
      /Descent -200 /CapHeight 700 /StemV 80 >>`,
    ...parts.objects,
  };
  const file = new RawFile("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", parts.afterHeader);
  for (const [number, body] of Object.entries(objects)) {
    file.object(Number(number), body);
    if (Number(number) === 4) file.push(parts.betweenObjects ?? "");
  }
  file.end(`/Root 1 0 R ${parts.trailer ?? ""}`);
  file.push(parts.afterEnd ?? "");
  return file.bytes();
}

/** Returns the document with an incremental update that replaces, adds or, with undefined, frees objects. */
export function updated(before: Buffer, changes: Readonly<Record<number, Body | undefined>>, trailer = ""): Buffer {
  const previous = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(before.toString("latin1"))![1]);
  const file = new RawFile(before);
  for (const [number, body] of Object.entries(changes)) file.object(Number(number), body);
  file.end(`/Root 1 0 R /Prev ${previous} ${trailer}`);
  return file.bytes();
}

class RawFile {
  readonly #chunks: Buffer[] = [];
  readonly #offsets = new Map<number, number | undefined>();
  #size = 0;

  constructor(...start: readonly (Body | undefined)[]) {
    for (const chunk of start) this.push(chunk ?? "");
  }

  push(body: Body): void {
    const bytes = bufferOf(body);
    this.#chunks.push(bytes);
    this.#size += bytes.length;
  }

  object(number: number, body: Body | undefined): void {
    this.#offsets.set(number, body === undefined ? undefined : this.#size);
    if (body === undefined) return;
    for (const chunk of [`${number} 0 obj\n`, body, "\nendobj\n"]) this.push(chunk);
  }

  end(trailer: string): void {
    const start = this.#size;
    this.push("xref\n0 1\n0000000000 65535 f \n");
    for (const [number, offset] of this.#offsets) {
      const entry = offset === undefined ? "0000000000 00001 f" : `${String(offset).padStart(10, "0")} 00000 n`;
      this.push(`${number} 1\n${entry} \n`);
    }
    const size = Math.max(...this.#offsets.keys()) + 1;
    this.push(`trailer\n<< /Size ${Math.max(size, 100)} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

export const hex = (text: string): string => `<${latin(text).toString("hex")}>`;
export const octal = (text: string): string =>
  `(${[...latin(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")})`;
export const literal = (text: string): string => `(${text.replaceAll(/[\\()]/g, "\\$&")})`;
export const utf16 = (text: string): string =>
  `<feff${[...Buffer.from(text, "utf16le").swap16()].map(hexOf).join("")}>`;
export const utf16Little = (text: string): string => `<fffe${Buffer.from(text, "utf16le").toString("hex")}>`;
export const utf8 = (text: string): string => `<efbbbf${Buffer.from(text, "utf8").toString("hex")}>`;
export const name = (text: string): string =>
  `/${[...Buffer.from(text, "utf8")].map((byte) => `#${hexOf(byte)}`).join("")}`;

export function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
