// Opens PDFs for tests that inspect their objects.
import { Budget } from "../../src/document/objects/budget.ts";
import { MupdfSource } from "../../src/document/objects/engine/mupdf-source.ts";
import { PdfFile } from "../../src/document/objects/pdf-file.ts";
import type { StreamBody } from "../../src/document/objects/values.ts";

const MIB = 2 ** 20;

export interface OpenFile extends Disposable {
  readonly file: PdfFile;
  readonly source: MupdfSource;
}

export async function openPdf(bytes: Uint8Array, objectBytes = 256 * MIB, engineBytes = 88 * MIB): Promise<OpenFile> {
  const budget = new Budget(objectBytes);
  const source = await MupdfSource.open(bytes, engineBytes, budget);
  return { file: PdfFile.of(source, budget), source, [Symbol.dispose]: () => source.close() };
}

export async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new Uint8Array(Buffer.concat(parts));
}

export function bodyOf(text: string): StreamBody {
  const bytes = new Uint8Array(Buffer.from(text, "latin1"));
  return { raw: () => bytes, decoded: () => bytes };
}
