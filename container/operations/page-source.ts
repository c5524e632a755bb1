// Opens the page that a job converts: a URL, an HTML file with the files that were sent with it, or an archive. Detects
// the file's type.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { ASSET, type HtmlToPdfParams } from "../../src/operations/to-pdf/html-to-pdf.ts";
import type { PageSource } from "../engines/chromium/chromium.ts";
import type { WebFiles } from "../engines/web/web-files.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { charsetOf } from "./html-encoding.ts";
import type { NativeJob } from "./native.ts";
import { openArchive, sentFiles } from "./page-files.ts";
import { isStaticPage } from "./static-page.ts";

type DocumentSource = Extract<PageSource, { document: unknown }>;

type PageParams = {
  readonly [name in "url" | "kept" | "layout" | "visit" | "isArchive" | "isSealed"]?: HtmlToPdfParams[name] | undefined;
} & {
  /** The client, if a static document can share a renderer with others of this client. @default a renderer of its own */
  readonly oneClient?: string | undefined;
};

/** @throws EngineFailure `unsupported` for an empty document; the failures of {@link openArchive} */
export async function pageSource(
  { url, kept = "", layout, visit, isArchive, isSealed, oneClient }: PageParams,
  { inputs, folder }: Pick<NativeJob, "inputs" | "folder">,
  { pages }: Pick<WebFiles, "pages">,
): Promise<PageSource> {
  if (url !== undefined) {
    const page = pages.take(kept, { ...visit, ...(layout ? { device: layout } : {}) });
    return { url, ...(page ? { kept: page } : {}) };
  }
  const [input, ...others] = inputs;
  if (!input || input.size === 0) throw new EngineFailure("unsupported", "an empty file");
  if (isArchive) {
    const { page, files } = await openArchive(input, folder);
    return { ...(await documentSource(page)), files };
  }
  const assets = others.filter(({ role }) => role === ASSET);
  const source = await documentSource(input, isSealed, oneClient);
  return assets.length === 0 ? source : { ...source, files: sentFiles(assets) };
}

async function documentSource(input: FileInput, isSealed = false, oneClient?: string): Promise<DocumentSource> {
  const isXml = [".xhtml", ".xht"].includes(extname(input.name).toLowerCase());
  const start = await startOf(input);
  const charset = isXml ? undefined : charsetOf(start);
  const type = `${isXml ? "application/xhtml+xml" : "text/html"}${charset ? `; charset=${charset}` : ""}`;
  const isStill = !isXml && start.length === input.size && !LIVELY.test(start.toString("latin1"));
  const document = { type, isSealed, stream: () => createReadStream(input.path) };
  const isShared = oneClient !== undefined && !isXml && start.length === input.size && isStaticPage(start, charset);
  return { document, isStill: isStill || isSealed, ...(isShared ? { sharedBy: oneClient } : {}) };
}

const LOOKED_AT_BYTES = 2 ** 20;

/**
 * Matches a page that might have a script, navigate away, or have content that moves or loads when visible. Inexact
 * matches are harmless, because the loaded page is checked again. Matches UTF-16 by its zero bytes.
 */
const LIVELY =
  /\0|<(?:script|i?frame|object|embed|applet|video|audio|template|animate|set\b)|[\s"'/]on[a-z]+\s*=|loading\s*=|http-equiv/i;

async function startOf({ path, size }: FileInput): Promise<Buffer> {
  const length = Math.min(size, LOOKED_AT_BYTES);
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}
