// Takes a PDF out of the browser and into a file, in chunks. Knows of PDF only how Chromium writes the address of a link.

import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineFailure } from "../../src/operations/operation.ts";
import { run } from "../process.ts";
import type { Session } from "./chromium-pipe.ts";
import { DOCUMENT_HOST } from "./web-proxy.ts";

const CHUNK_BYTES = 2 ** 20;

/**
 * @param stream as Page.printToPDF gave it
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
}

/**
 * An uploaded document's links to its neighbours are relative again (RFC 3986, 4.2), for its own address was the proxy's
 * invention. A prefix of as many bytes takes its place, and so every offset in the file stays right.
 */
class RelativeLinks {
  static readonly #made = Buffer.from(`http://${DOCUMENT_HOST}/`);
  static readonly #relative = Buffer.from("./".repeat(RelativeLinks.#made.length / 2));
  #rest: Buffer = Buffer.alloc(0);

  /** What may be the beginning of a prefix is kept for the next chunk. */
  pass(chunk: Buffer, isLast: boolean): Buffer {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const made = RelativeLinks.#made;
    for (let at = bytes.indexOf(made); at >= 0; at = bytes.indexOf(made, at)) RelativeLinks.#relative.copy(bytes, at);
    const end = isLast ? bytes.length : Math.max(0, bytes.length - made.length + 1);
    this.#rest = bytes.subarray(end);
    return bytes.subarray(0, end);
  }
}

const ENLARGER = join(import.meta.dirname, "../chromium/enlarge-pages.mjs");

/** In a process of its own: it is a library's work on a whole file, and rare. @throws EngineFailure */
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
