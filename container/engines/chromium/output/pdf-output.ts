// Writes a PDF from the browser to a file, in chunks. Of PDF syntax, it handles only the URLs of links, as Chromium
// writes them.

import { open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import { run } from "../../../processes/process.ts";
import { DOCUMENT_HOST } from "../network/served-files.ts";
import type { Session } from "../pipe.ts";

const CHUNK_BYTES = 2 ** 20;

/**
 * Saves a PDF to a file.
 * @param stream handle that Page.printToPDF returned
 * @throws EngineFailure `too-large`
 */
export async function savePdf(session: Session, stream: string, path: string, maxBytes: number): Promise<void> {
  await using file = await open(path, "w", 0o600);
  const links = new RelativeLinks();
  let written = 0;
  for (let eof = false; !eof; ) {
    const read = await session.send("IO.read", { handle: stream, size: CHUNK_BYTES });
    eof = read.eof;
    const bytes = links.pass(Buffer.from(read.data, read.base64Encoded ? "base64" : "latin1"), eof);
    written += bytes.length;
    if (written > maxBytes) throw new EngineFailure("too-large", `a PDF of more than ${maxBytes} bytes`);
    await file.writeFile(bytes);
  }
  // The browser's file of the stream would stay as long as the page.
  await session.send("IO.close", { handle: stream });
}

/**
 * Makes an uploaded document's relative links relative again (RFC 3986, 4.2), because Chromium resolves them against
 * the proxy's artificial URL. The replacement has the same length, so that all offsets in the file stay valid.
 */
class RelativeLinks {
  static readonly #made = Buffer.from(`http://${DOCUMENT_HOST}/`);
  static readonly #relative = Buffer.from("./".repeat(RelativeLinks.#made.length / 2));
  #rest: Buffer = Buffer.alloc(0);

  /** Rewrites a chunk. If its last bytes can be the start of a URL, buffers them until the next chunk. */
  pass(chunk: Buffer, isLast: boolean): Buffer {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const made = RelativeLinks.#made;
    for (let at = bytes.indexOf(made); at >= 0; at = bytes.indexOf(made, at)) RelativeLinks.#relative.copy(bytes, at);
    const end = isLast ? bytes.length : Math.max(0, bytes.length - made.length + 1);
    this.#rest = bytes.subarray(end);
    return bytes.subarray(0, end);
  }
}

const ENLARGER = join(import.meta.dirname, "enlarge-pages.mjs");

/**
 * Enlarges the pages of a PDF. Runs in a separate process, because the library needs the whole file in memory.
 * @throws EngineFailure
 */
export async function enlargePages(
  path: string,
  factor: number,
  paper: { readonly width: number; readonly height: number },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const enlarged = `${path}.enlarged`;
  const args = [ENLARGER, path, enlarged, ...[factor, paper.width, paper.height].map(String)];
  const { code, stderr } = await run(process.execPath, args, {
    cwd: dirname(path),
    limits: { timeoutMs },
    signal,
  });
  if (code !== 0) throw new EngineFailure("crashed", `pages were not enlarged: ${stderr.slice(-500)}`);
  await rename(enlarged, path);
}

const TARGET_READER = join(import.meta.dirname, "target-pages.mjs");

/**
 * Returns the page numbers of the targets of links, by fragment. Runs in a separate process, for the same reason.
 * @throws EngineFailure
 */
export async function readTargetPages(
  path: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, number>>> {
  const list = `${path}.targets`;
  const { code, stderr } = await run(process.execPath, [TARGET_READER, path, list], {
    cwd: dirname(path),
    limits: { timeoutMs },
    signal,
  });
  if (code !== 0) throw new EngineFailure("crashed", `targets were not read: ${stderr.slice(-500)}`);
  return JSON.parse(await readFile(list, "utf8")) as Record<string, number>;
}
