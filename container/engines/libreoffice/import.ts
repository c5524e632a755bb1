// Chooses the import filter for documents with ambiguous content. Like Excel, opens text and HTML as a spreadsheet if
// the file has one of Excel's extensions. Both the zygote and plain soffice use this choice.

import { open } from "node:fs/promises";
import { extname } from "node:path";
import { behindComments } from "../../../src/document/contract/media-type.ts";
import { isHtmlPart } from "../../../src/document/formats/text-formats.ts";

/**
 * An import filter and its options, as LibreOffice names them. If both are empty, LibreOffice detects the filter from
 * the content.
 */
export interface Import {
  readonly importFilter: string;
  readonly importOptions: string;
  /** Text to append to the document. */
  readonly end?: Buffer;
}

const SNIFFED_BYTES = 4096;
const byContent: Import = { importFilter: "", importOptions: "" };

/**
 * @param path document, with the extension that the client sent
 * @param hasPictures true for HTML with images, which LibreOffice shows in text documents but not in spreadsheets
 */
export async function importFor(path: string, hasPictures = false): Promise<Import> {
  const extension = extname(path).toLowerCase();
  if (extension === ".doc") return importOfText(await startOf(path));
  if (![".xls", ".xlsx", ".csv"].includes(extension)) return byContent;
  const start = await startOf(path);
  const encoding = encodingOf(start);
  // Zero bytes mean a binary file, unless the text is UTF-16.
  if (start.includes(0) && !encoding.label.startsWith("utf-16")) return byContent;
  const text = new TextDecoder(encoding.label).decode(start);
  // LibreOffice detects Spreadsheet XML (Excel 2003) by its content.
  if (/^\s*<\?xml/i.test(text)) return byContent;
  if (hasPictures) return { importFilter: "HTML (StarWriter)", importOptions: "" };
  // The options keep the document's language and recognize numbers and dates, as Excel does.
  if (/^\s*</.test(text)) return importOfHtml(encoding.label);
  const { separator, firstLine } = separatorOf(text);
  const options = [separator.charCodeAt(0), '"'.charCodeAt(0), encoding.number, firstLine];
  return { importFilter: "Text - txt - csv (StarCalc)", importOptions: options.join(",") };
}

/**
 * Returns the import of a .doc file that might be HTML: LibreOffice does not recognize every element with which HTML
 * can start.
 */
function importOfText(start: Buffer): Import {
  const markup = behindComments(start.toString("latin1").replace(/^\xef\xbb\xbf/, ""));
  return isHtmlPart(markup) ? { importFilter: "HTML (StarWriter)", importOptions: "" } : byContent;
}

/**
 * Returns the import of HTML as a sheet. Appends end tags, because LibreOffice drops the text of an unclosed last
 * block.
 */
function importOfHtml(label: string): Import {
  const end = Buffer.from("</body></html>", label === "utf-16le" ? "utf16le" : "latin1");
  return {
    importFilter: "calc_HTML_WebQuery",
    importOptions: "0 true",
    end: label === "utf-16be" ? Buffer.from("</body></html>", "utf16le").swap16() : end,
  };
}

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * Returns the text's encoding, and LibreOffice's number for that encoding. Text that is not valid UTF-8 is treated as
 * Windows-1252, which Excel exports.
 */
function encodingOf(start: Buffer): { readonly label: string; readonly number: number } {
  if (start[0] === 0xff && start[1] === 0xfe) return { label: "utf-16le", number: 65535 };
  if (start[0] === 0xfe && start[1] === 0xff) return { label: "utf-16be", number: 65535 };
  try {
    // Only the start of the file was read, so its last character might be incomplete.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return { label: "utf-8", number: 76 };
  } catch {
    return { label: "windows-1252", number: 1 };
  }
}

/**
 * Returns the separator that a `sep=` line declares, or else the separator that occurs most often outside quotation
 * marks in the first line.
 */
function separatorOf(text: string): { readonly separator: string; readonly firstLine: number } {
  const [line = ""] = text.split(/\r\n?|\n/, 1);
  const [, declared] = /^"?sep=(.)"?$/i.exec(line) ?? [];
  if (declared !== undefined) return { separator: declared, firstLine: 2 };
  const bare = line.replaceAll(/"[^"]*"/g, "");
  const counted = [",", ";", "\t", "|"].map((separator) => ({ separator, count: bare.split(separator).length }));
  const { separator } = counted.reduce((best, next) => (next.count > best.count ? next : best));
  return { separator, firstLine: 1 };
}
