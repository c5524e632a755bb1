// How LibreOffice is to read a document whose content does not tell: Excel opens text and HTML that is named as its own as
// a spreadsheet. For both ways to run it.

import { open } from "node:fs/promises";
import { extname } from "node:path";

/** An import filter and its options, by LibreOffice's names; empty: LibreOffice finds it by content. */
export interface Import {
  readonly importFilter: string;
  readonly importOptions: string;
}

const SNIFFED_BYTES = 4096;
const byContent: Import = { importFilter: "", importOptions: "" };

/** @param path of the document, with the extension that the client gave */
export async function importFor(path: string): Promise<Import> {
  if (![".xls", ".xlsx", ".csv"].includes(extname(path).toLowerCase())) return byContent;
  const start = await startOf(path);
  const encoding = encodingOf(start);
  // Text of 16 bits a character has zeros too.
  if (start.includes(0) && !encoding.label.startsWith("utf-16")) return byContent;
  const text = new TextDecoder(encoding.label).decode(start);
  // Spreadsheet XML (Excel 2003) is found by its content.
  if (/^\s*<\?xml/i.test(text)) return byContent;
  // Language as in the document; numbers and dates are recognised, as Excel does.
  if (/^\s*</.test(text)) return { importFilter: "calc_HTML_WebQuery", importOptions: "0 true" };
  const { separator, firstLine } = separatorOf(text);
  const options = [separator.charCodeAt(0), '"'.charCodeAt(0), encoding.number, firstLine];
  return { importFilter: "Text - txt - csv (StarCalc)", importOptions: options.join(",") };
}

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** With LibreOffice's number of it. What is not UTF-8 is taken for Windows-1252, as Excel's own exports are. */
function encodingOf(start: Buffer): { readonly label: string; readonly number: number } {
  if (start[0] === 0xff && start[1] === 0xfe) return { label: "utf-16le", number: 65535 };
  if (start[0] === 0xfe && start[1] === 0xff) return { label: "utf-16be", number: 65535 };
  try {
    // The last character may have been cut in two.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return { label: "utf-8", number: 76 };
  } catch {
    return { label: "windows-1252", number: 1 };
  }
}

/** The one that the first line has most of, outside of quotation marks; or the one that Excel is told in a line of its own. */
function separatorOf(text: string): { readonly separator: string; readonly firstLine: number } {
  const [line = ""] = text.split(/\r\n?|\n/, 1);
  const [, told] = /^"?sep=(.)"?$/i.exec(line) ?? [];
  if (told !== undefined) return { separator: told, firstLine: 2 };
  const bare = line.replaceAll(/"[^"]*"/g, "");
  const counted = [",", ";", "\t", "|"].map((separator) => ({ separator, count: bare.split(separator).length }));
  const { separator } = counted.reduce((best, next) => (next.count > best.count ? next : best));
  return { separator, firstLine: 1 };
}
