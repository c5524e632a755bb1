// Receives inputs that a request names by their address: the container fetches them, and they are stored as uploads
// are.

import { EngineFailure, OutOfRange } from "../core/failure.ts";
import { safeName } from "../core/file-name.ts";
import { mediaTypeOf } from "../core/media-type.ts";
import type { Context } from "../core/operation.ts";
import { NOT_AN_ADDRESS, SHORTCUT_TYPE, shortcutName, shortcutTo, webAddress } from "../core/web-address.ts";
import { fetchUrl } from "../operations/fetch-url.ts";
import type { ConnectedContainer } from "../placement/connection.ts";
import { attempts, container as inContainer, type Places } from "../placement/placement.ts";
import type { Batch } from "../storage/batch.ts";
import type { Arrival } from "../storage/file.ts";
import type { Keeping } from "../storage/kept-bytes.ts";
import { fileUnreachable, outOfRange } from "./errors.ts";
import { limited, remember } from "./multipart.ts";
import { onceMoreIfLost } from "./once-more.ts";

export interface Fetching extends Pick<Context, "signal" | "log" | "defer"> {
  readonly places: Places;
  readonly container: ConnectedContainer | undefined;
  readonly uploads: Batch;
  /** Memory for files until the request ends. */
  readonly keeping: Keeping;
  /** True if files need not outlive the request. */
  readonly isTransient: boolean;
  readonly maxBytes: number;
}

/** Address of an input. */
export interface Addressed {
  readonly url: string;
  /** API spelling of the parameter that it was sent as. */
  readonly parameter: string;
  /** True if an address that leads to a web page stands for the page. @default it leads to a file in any case */
  readonly mayBePage?: boolean;
}

/**
 * Fetches a file; or, if it is a web page and may be one, receives an internet shortcut to it.
 * @throws ServiceError 400 if it is not the address of a public place, 413, 422
 * @throws EngineFailure `busy` without a container
 */
export async function receiveAddressed(
  { url, parameter, mayBePage = false }: Addressed,
  to: Fetching,
): Promise<Arrival> {
  const address = addressOf({ url, parameter });
  try {
    const file =
      (await onceMoreIfLost(() => fetchFile(address, mayBePage, to), to)) ?? (await receiveShortcut(address, to));
    if (!to.isTransient || !file.bytes) to.uploads.send();
    return file;
  } catch (error) {
    to.signal.throwIfAborted();
    if (error instanceof OutOfRange) throw outOfRange(parameter, url, error.why);
    if (!(error instanceof EngineFailure) || error.reason === "too-large") throw error;
    // A browser may succeed where this failed, or fails for a reason that the client can be told.
    if (mayBePage) return receiveShortcut(address, to);
    throw error.reason === "unreachable" ? fileUnreachable() : error;
  }
}

/** @throws ServiceError 400 if it is not the address of a public place, as far as that can be told from the text */
export function addressOf({ url, parameter }: Addressed): string {
  const address = webAddress(url);
  if (address === undefined) throw outOfRange(parameter, url, NOT_AN_ADDRESS);
  return address;
}

/** Media types of web pages. */
const PAGE_TYPE = /^(text\/html|application\/xhtml\+xml)\b/i;

/** @returns undefined if it is a web page, and may be one */
async function fetchFile(address: string, mayBePage: boolean, to: Fetching): Promise<Arrival | undefined> {
  const { uploads, keeping, maxBytes, places } = to;
  const [attempt] = attempts(inContainer(fetchUrl, { url: new URL(address).href, maxBytes }), [], places);
  for await (const { name: given = "", type, body } of attempt.run(to)) {
    if (mayBePage && PAGE_TYPE.test(type)) return undefined;
    const name = safeName(given) || "file";
    const file = await uploads.receive({
      name,
      type: (start) => mediaTypeOf(start, name),
      body: limited(body as AsyncIterable<Uint8Array>, maxBytes),
    });
    return remember(file, keeping);
  }
  throw new EngineFailure("crashed", "an address without a file");
}

async function receiveShortcut(address: string, { uploads }: Fetching): Promise<Arrival> {
  const body = shortcutTo(address);
  const name = shortcutName(address);
  const shortcut = await uploads.receive({ name, type: SHORTCUT_TYPE, body, sizeHint: body.length });
  uploads.send();
  return shortcut;
}
