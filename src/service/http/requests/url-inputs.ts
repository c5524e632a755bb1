// Receives inputs that are URLs. The container fetches the files, and they are stored like uploads.

import { EngineFailure, OutOfRange } from "../../../document/contract/failure.ts";
import { safeName } from "../../../document/contract/file-name.ts";
import { detectMediaType } from "../../../document/contract/media-type.ts";
import type { Context } from "../../../document/contract/operation.ts";
import type { PageVisit } from "../../../document/contract/parameters/web-page.ts";
import {
  isPage,
  NOT_AN_ADDRESS,
  parseWebUrl,
  SHORTCUT_TYPE,
  shortcutName,
  shortcutTo,
} from "../../../document/contract/web-url.ts";
import { fetchUrl } from "../../outbound/fetch-url.ts";
import type { ConnectedContainer } from "../../placement/connection.ts";
import { type Backends, containerJob as inContainer, selectBackends } from "../../placement/placement.ts";
import { retryIfLost } from "../../placement/retry-lost.ts";
import type { Batch } from "../../storage/batch.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import { fileUnreachable, outOfRange } from "../contract/errors.ts";
import { enforceMaxBytes, retainBytes } from "./multipart.ts";

export interface FetchOptions extends Pick<Context, "signal" | "log" | "defer"> {
  readonly places: Backends;
  readonly container: ConnectedContainer | undefined;
  readonly uploads: Batch;
  /** Memory in which files remain until the request ends. */
  readonly uploadReservation: Reservation;
  /** True if the files are not needed after the request. */
  readonly isTransient: boolean;
  readonly maxBytes: number;
  /** Returns how a URL that can be a web page is visited. @default like any other URL @throws ServiceError 400 */
  visit?(): PageVisit;
}

/** URL of an input. */
export interface UrlInput {
  readonly url: string;
  /** Spelling of the parameter that contained the URL, for error messages. */
  readonly parameter: string;
  /** True if the URL can refer to a web page. @default the URL refers to a file */
  readonly mayBePage?: boolean;
  /** Request headers. @default those of the service */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Fetches a file. If the URL refers to a web page, and `mayBePage` is true, creates an internet shortcut file instead.
 * @throws ServiceError 400 if the address is not public, 413, 422
 * @throws EngineFailure `busy` without a container
 */
export async function fetchInput(
  { url, parameter, mayBePage = false, headers }: UrlInput,
  to: FetchOptions,
): Promise<ReceivedFile> {
  const address = requireWebUrl({ url, parameter });
  try {
    const file = await retryIfLost(() => fetchFile(address, { mayBePage, headers }, to), to);
    if (!to.isTransient || !file.bytes) to.uploads.flush();
    return file;
  } catch (error) {
    to.signal.throwIfAborted();
    if (error instanceof OutOfRange) throw outOfRange(parameter, url, error.why);
    if (!(error instanceof EngineFailure) || error.reason === "too-large") throw error;
    // The browser might be able to open the URL, or fail with a more precise error.
    if (mayBePage) return receiveShortcut(address, to);
    throw error.reason === "unreachable" ? fileUnreachable() : error;
  }
}

/** @throws ServiceError 400 if the text is not a URL of a public host */
export function requireWebUrl({ url, parameter }: UrlInput): string {
  const address = parseWebUrl(url);
  if (address === undefined) throw outOfRange(parameter, url, NOT_AN_ADDRESS);
  return address;
}

async function fetchFile(
  address: string,
  { mayBePage, headers }: { readonly mayBePage: boolean; readonly headers: UrlInput["headers"] | undefined },
  to: FetchOptions,
): Promise<ReceivedFile> {
  const { uploads, uploadReservation, maxBytes, places } = to;
  const visit = mayBePage ? to.visit?.() : undefined;
  const page = mayBePage
    ? { keepsPage: true, ...(visit ? { visit } : {}) }
    : { ...(headers ? { visit: { headers } } : {}) };
  const params = { url: new URL(address).href, maxBytes, ...page };
  const [attempt] = selectBackends(inContainer(fetchUrl, params), [], places);
  for await (const { name: receivedName = "", type, body } of attempt.run(to)) {
    if (mayBePage && isPage(type)) return receiveShortcut(address, to, receivedName);
    const name = safeName(receivedName) || "file";
    const file = await uploads.add({
      name,
      type: (start) => detectMediaType(start, name),
      body: enforceMaxBytes(body as AsyncIterable<Uint8Array>, maxBytes),
    });
    return retainBytes(file, uploadReservation);
  }
  throw new EngineFailure("crashed", "the URL returned no file");
}

async function receiveShortcut(address: string, { uploads }: FetchOptions, kept?: string): Promise<ReceivedFile> {
  const body = shortcutTo(address, kept);
  const name = shortcutName(address);
  const shortcut = await uploads.add({ name, type: SHORTCUT_TYPE, body, sizeHint: body.length });
  uploads.flush();
  return shortcut;
}
